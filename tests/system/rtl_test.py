# SPDX-License-Identifier: Apache-2.0
"""RTL through the program: the lock-step command, and twins in running fabrics, where the result must
not change and a fault must be found. Skipped, saying so, where the build has no RTL."""
import re
import shlex
import struct
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

from capture_test import blocks, icrc_and_rest
from sluice_case import FABRICS, SluiceCase, main

# Settings under which a run of 16 hosts asks everything of a block. The first fault listed is found in
# the incast.
INCAST = [FABRICS / "incast16.yaml", "--set", "workload.bytes=256KiB"]
TIGHT = ["--set", "switch.mmu.port_alpha_enabled=false", "--set", "switch.mmu.pg_static_bytes=60KB"]
ALL_TO_ALL = [FABRICS / "rtl-all-to-all.yaml"]
ECMP = ["--set", "switch.routing.mode=ecmp"]
# Queues of a port compete only where no class is strict and data waits.
COMPETING = [*ALL_TO_ALL, *ECMP, "--set", "switch.scheduler.strict_queues=[]",
             "--set", "workload.bytes=1MiB"]
INCAST_OF_TWO_TIERS = [*ALL_TO_ALL, *(word for key, value in
                                      {"type": "incast", "dst": 0, "first": 1, "count": 15,
                                       "bytes": "256KiB"}.items()
                                      for word in ("--set", f"workload.{key}={value}"))]

# Operations of every kind, among them READs of many packets; small, and with losses.
VERBS = """
fabric: {type: single_switch, hosts: 4, link: {rate: 400Gbps, length: 30m, loss: 0.002}}
switch: {preset: spectrum4}
nic:
  preset: cx7
  timeout_code: 5
  verbs: {receive_queue_depth: 4, receive_repost_delay: 2us, min_rnr_timer: 1}
workload:
  type: verbs
  operations:
    - {from: 0, to: 1, op: write, bytes: 400001B, count: 3, address: 1048576}
    - {from: 0, to: 1, op: send, bytes: 64KiB, count: 12}
    - {from: 2, to: 1, op: read, bytes: 100000B, count: 12}
    - {from: 2, to: 1, op: write, bytes: 30000B, count: 12}
    - {from: 3, to: 1, op: read, bytes: 9000B, count: 40}
    - {from: 3, to: 1, op: send_imm, bytes: 20000B, count: 20, immediate: 9}
    - {from: 2, to: 0, op: fetch_add, count: 20, operand: 1, address: 64}
"""


class Case(SluiceCase):
    def setUp(self):
        super().setUp()
        if "no RTL" in self.sluice("cosim", "--help").stderr:
            self.skipTest("this build has no RTL (SLUICE_RTL=OFF)")

    def verilator(self):
        """Version of the Verilator installed here, as it says itself."""
        said = subprocess.run(["verilator", "--version"], capture_output=True, text=True, check=True)
        return said.stdout.split()[1]

    def blocks(self):
        """Those that a fabric can have in RTL, as the program lists them."""
        got = self.sluice("run", INCAST[0], "--rtl", "?")
        return re.search(r"\((.*)\)", got.stderr)[1].split(", ")


class Cosim(Case):
    def test_a_block_agrees_and_the_report_says_so(self):
        got = self.sluice("cosim", "wred_marker", "--cycles", 5000, "--seeds", 2, "--junit", "j.xml")
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertEqual(len(re.findall(r"5000 cycles, \d+ transactions, equal", got.stdout)), 2)
        root = ElementTree.parse(self.scratch / "j.xml").getroot()
        self.assertEqual((root.get("tests"), root.get("failures")), ("2", "0"))
        told = {p.get("name"): p.get("value") for p in root.iterfind(".//property")}
        self.assertEqual((told["cycles"], told["seed"]), ("5000", "1"))
        self.assertEqual(told["verilator"], self.verilator())

    def test_a_difference_names_cycle_signal_values_seed_and_the_command_that_repeats_it(self):
        got = self.sluice("cosim", "wred_marker", "--cycles", 5000, "--seed", 3, "--fault", 6,
                          "--out", "waves", "--junit", "j.xml")
        self.assert_error(got, 6, "wred_marker differs in cycle", "model", "RTL", "seed 3")
        cycle = int(re.search(r"in cycle (\d+)", got.stderr)[1])
        self.assertIn(f"(cycles {cycle - 100} to {cycle + 100})", got.stdout)
        wave = self.scratch / "waves" / "wred_marker-seed3.fst"
        self.assertGreater(wave.stat().st_size, 0)
        again = shlex.split(re.search(r"again +(.*)", got.stdout)[1])
        with tempfile.TemporaryDirectory() as elsewhere:
            repeated = subprocess.run(again, capture_output=True, text=True, cwd=elsewhere, check=False)
        self.assertEqual((repeated.returncode, repeated.stderr), (6, got.stderr))
        root = ElementTree.parse(self.scratch / "j.xml").getroot()
        self.assertEqual(root.get("failures"), "1")
        self.assertIn("differs", root.find(".//failure").get("message"))

    def test_a_capture_of_a_fabric_goes_through_the_chip_slice_as_through_the_model(self):
        links = ",".join(f"nic{host}.port0" for host in range(4))
        self.run_json(FABRICS / "slice4.yaml", "--capture", links, "--out", "captured")
        got = self.sluice("cosim", "switch_slice", "--replay", "captured/capture.pcapng")
        self.assertEqual(got.returncode, 0, got.stderr)
        frames, p99 = re.search(r"recorded +(\d+) frames,.* p99 of \|error\| ([\d.]+)", got.stdout).groups()
        self.assertGreater(int(frames), 192)
        self.assertLess(float(p99), 1)

    def replay_icrc(self, data):
        path = self.scratch / "frames.pcapng"
        path.write_bytes(data)
        return self.sluice("cosim", "icrc_engine", "--replay", path.name)

    def test_every_roce_frame_of_a_capture_goes_through_the_icrc_engine(self):
        self.run_json(FABRICS / "verbs.yaml", "--until", "20us", "--out", "captured",
                      "--capture", "nic0.port0,nic1.port0,switch0.port1")
        path = self.scratch / "captured/capture.pcapng"
        whole = path.read_bytes()
        frames = [frame for _, _, frame in blocks(path)[1]]
        roce = [frame for frame in frames if icrc_and_rest(frame)]
        self.assertGreater(len(roce), 100)
        got = self.replay_icrc(whole)
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertIn(f" {len(roce)} transactions, equal", got.stdout)
        self.assertIn(f"{len(roce)} RoCEv2 frames, {len(frames) - len(roce)} others", got.stdout)

        # A bit of one ICRC, which lies before the FCS, in the frame whose place in the file is found.
        bad = bytearray(whole)
        victim = roce[len(roce) // 2]
        at = whole.index(victim)
        bad[at + len(victim) - 8] ^= 4
        sent, computed = icrc_and_rest(bytes(bad[at:at + len(victim)]))
        self.assertEqual(sent ^ computed, 4)
        self.assert_error(self.replay_icrc(bad), 3, f"frames.pcapng: byte {at - 28}:",
                          f"ICRC {sent:08x}, expected {computed:08x}", f"1 of {len(roce)} frames")

    def test_captures_that_hold_no_or_half_a_roce_frame_are_refused_in_a_line(self):
        self.run_json(FABRICS / "verbs.yaml", "--until", "3us", "--out", "captured",
                      "--capture", "nic0.port0")
        whole = (self.scratch / "captured/capture.pcapng").read_bytes()
        self.assert_error(self.replay_icrc(whole[:-5]), 3, "frames.pcapng: byte", "the file ends")
        self.assert_error(self.replay_icrc(b""), 3, "frames.pcapng")
        self.assert_error(self.replay_icrc(b"packet 0 1 1\n" * 9), 3, "frames.pcapng: byte 0")
        no_frame = whole[:struct.unpack_from("<I", whole, 4)[0]]  # the head of a section alone
        self.assert_error(self.replay_icrc(no_frame), 2, "frames.pcapng", "holds no requests")
        self.assert_error(self.sluice("cosim", "icrc_engine", "--replay", "none.pcapng"), 2,
                          "none.pcapng", "cannot be read")

    def test_a_capture_that_overflows_the_buffer_loses_the_same_frames_in_both(self):
        links = ",".join(f"nic{host}.port0" for host in range(4))
        incast = [word for key, value in [("type", "incast"), ("dst", 0), ("first", 1), ("count", 3),
                                          ("bytes", "1MiB")]
                  for word in ("--set", f"workload.{key}={value}")]
        self.run_json(FABRICS / "slice4.yaml", *incast, "--capture", links, "--out", "incast")
        got = self.sluice("cosim", "switch_slice", "--replay", "incast/capture.pcapng")
        self.assertEqual(got.returncode, 0, got.stderr)
        refused = re.search(r"(\d+) of \d+ frames refused by the MMU, the same ones", got.stdout)
        self.assertGreater(int(refused[1]), 100)

    def test_bad_words_are_refused_in_a_line(self):
        self.assert_error(self.sluice("cosim", "wred_markr"), 2, "did you mean 'wred_marker'")
        self.assert_error(self.sluice("cosim", "wred_marker", "--fault", 99), 2, "has faults 1..")
        self.assert_error(self.sluice("cosim", "--cycles", 0), 2, "at least 1")
        self.assert_error(self.sluice("cosim", "--replay", "x"), 2, "name it")


class InAFabric(Case):
    def fabrics(self, block):
        """Those that ask a block, with the settings under which they do."""
        if block == "ecmp_hash":  # places packets in its own mode alone
            return [[*INCAST_OF_TWO_TIERS, *ECMP], [*ALL_TO_ALL, *ECMP]]
        if block == "ar_select":
            return [INCAST_OF_TWO_TIERS, ALL_TO_ALL]
        if block == "egress_scheduler":
            return [INCAST + TIGHT, COMPETING]
        return [INCAST + TIGHT, ALL_TO_ALL]

    def test_every_block_leaves_the_result_as_it_is_beside_the_model(self):
        for block in self.blocks():
            for fabric in self.fabrics(block):
                with self.subTest(block=block, fabric=fabric[0].name):
                    plain = self.run_json(*fabric)["result_hash"]
                    got = self.run_json(*fabric, "--rtl", block, "--rtl-compare")
                    self.assertEqual((got["verdict"], got["result_hash"]), ("ok", plain))

    def test_a_fault_of_every_block_ends_the_run(self):
        # One of each block's that its fabric has a case for.
        faults = {"ar_select": 1, "cell_buffer": 1, "dcqcn_rp": 1, "ecmp_hash": 1, "egress_scheduler": 1,
                  "mmu_admission": 1, "pfc_rx": 1, "pfc_tx": 9, "psn_tracker": 1, "qp_scheduler": 1,
                  "wred_marker": 2}
        self.assertEqual(set(faults), set(self.blocks()))
        for block, fault in faults.items():
            with self.subTest(block=block):
                got = self.sluice("run", *self.fabrics(block)[-1], "--rtl", block, "--rtl-compare",
                                  "--rtl-fault", f"{block}:{fault}", "--quiet")
                self.assert_error(got, 6, f"{block} in fabric.", " us, transaction ")
                self.assertEqual(got.stderr.count("\n"), 1, got.stderr)

    def test_all_blocks_together_answer_alone_and_leave_the_result_as_it_is(self):
        for mode, other in (("ar", "ecmp_hash"), ("ecmp", "ar_select")):
            fabric = [*ALL_TO_ALL, "--set", f"switch.routing.mode={mode}"]
            blocks = ",".join(block for block in self.blocks() if block != other)
            plain = self.run_json(*fabric)["result_hash"]
            with self.subTest(mode=mode):
                self.assertEqual(self.run_json(*fabric, "--rtl", blocks)["result_hash"], plain)

    def test_trackers_that_keep_packets_take_reads_losses_and_messages_that_begin_again(self):
        fabric = self.write("verbs.yaml", VERBS)
        modes = (["nic.loss_recovery=selective_repeat"], ["nic.out_of_order_placement=true"],
                 ["nic.loss_recovery=selective_repeat", "nic.out_of_order_placement=true",
                  "fabric.planes=4", "nic.plane_choice=per_message"],
                 ["nic.loss_recovery=go_back_0"])
        asked = ""
        for mode in modes:
            with self.subTest(mode=mode):
                words = [word for key in mode for word in ("--set", key)]
                plain = self.run_json(fabric, *words)
                self.assertGreater(plain["retransmitted_packets"], 0)
                for how in (["--rtl", "psn_tracker"], ["--rtl", "psn_tracker", "--rtl-compare"]):
                    got = self.run_json(fabric, *words, *how)
                    self.assertEqual((got["verdict"], got["result_hash"]),
                                     ("ok", plain["result_hash"]))
                record = self.scratch / mode[-1]
                self.run_json(fabric, *words, "--rtl-record", record)
                path = record / "psn_tracker.nic1.txt"
                asked += path.read_text() if "go_back_0" not in mode[0] else ""
                got = self.sluice("cosim", "psn_tracker", "--replay", path)
                self.assertRegex(got.stdout, r" [1-9]\d* transactions, equal", got.stderr)
        self.assertRegex(asked, r"packet \d+ \d+ 25\n")  # a READ of 100000 B
        self.assertIn("go_back", asked)
        got = self.sluice("run", fabric, "--set", modes[0][0], "--rtl", "psn_tracker",
                          "--rtl-compare", "--rtl-fault", "psn_tracker:14", "--quiet")
        self.assert_error(got, 6, "psn_tracker in fabric.nic1 at ", "expected")

    def test_a_fault_ends_the_run_with_block_instance_time_and_transaction(self):
        got = self.sluice("run", *INCAST, "--set", "switch.ecn.weight=3", "--rtl", "wred_marker",
                          "--rtl-compare", "--rtl-fault", "wred_marker:3", "--quiet")
        self.assert_error(got, 6, "wred_marker in fabric.switch0 at ", " us, transaction ",
                          "model", "RTL")
        self.assertIn("rtl_mismatch", got.stdout)

    def test_field_report_B89_looking_on_does_not_change_the_result(self):
        plain = self.run_json(*ALL_TO_ALL)["result_hash"]
        for words in (["--out", "a"], ["--out", "b", "--capture", "all"], ["--progress"],
                      ["--rtl-record", "c"]):
            with self.subTest(words=words):
                self.assertEqual(self.run_json(*ALL_TO_ALL, *words)["result_hash"], plain)

    def test_field_report_B92_results_name_what_was_in_rtl_and_by_which_verilator(self):
        got = self.run_json(*INCAST, "--rtl", "pfc_tx,wred_marker", "--rtl-scope", "switch0")
        self.assertEqual(got["rtl"], {"blocks": ["pfc_tx", "wred_marker"], "scope": "switch0",
                                      "verilator": self.verilator()})
        self.assertEqual(self.run_json(*INCAST)["rtl"], {"blocks": [], "scope": "", "verilator": ""})
        self.assertIn(f"RTL by Verilator {self.verilator()}", self.sluice("--version").stdout)

    def test_the_scope_is_one_chip(self):
        self.assert_error(self.sluice("run", *INCAST, "--rtl", "wred_marker", "--rtl-scope", "leaf7"),
                          2, "leaf7")
        # A chip has no reaction point, and without DCQCN neither has a NIC: nothing would be in RTL.
        for words in (["--rtl-scope", "switch0"], ["--set", "nic.congestion_control=none"]):
            self.assert_error(self.sluice("run", *INCAST, "--rtl", "dcqcn_rp", *words), 2,
                              "--rtl dcqcn_rp: no chip or NIC")
        got = self.sluice("run", *ALL_TO_ALL, "--quiet", "--rtl", "wred_marker", "--rtl-scope", "leaf1",
                          "--rtl-record", "rec")
        self.assertEqual(got.returncode, 0, got.stderr)
        names = {path.name for path in (self.scratch / "rec").glob("wred_marker.*")}
        self.assertEqual(names, {"wred_marker.leaf1.txt"})

    def test_bad_words_are_refused_in_a_line(self):
        for words, part in ((["--rtl", "mmu"], "no block of a fabric is called 'mmu'"),
                            (["--rtl-compare"], "need --rtl"),
                            (["--rtl", "wred_marker", "--rtl-fault", "x"], "expected BLOCK:N"),
                            (["--rtl", "wred_marker", "--rtl-fault", "wred_marker:99"], "has faults 1..9"),
                            (["--rtl", "wred_marker", "--rtl-fault", "pfc_rx:1"], "does not name"),
                            (["--rtl", ""], "expected a name"), (["--rtl-record", ""], "a directory"),
                            (["--rtl-record", "/dev/null/x"], "--rtl-record /dev/null/x: "),
                            (["--rtl-scope", "leaf0"], "needs --rtl")):
            self.assert_error(self.sluice("run", *INCAST, *words), 2, part)


main()
