# SPDX-License-Identifier: Apache-2.0
"""RTL through the program: the lock-step command, and twins in running fabrics, where the result must
not change and a fault must be found. Skipped, saying so, where the build has no RTL."""
import re
import subprocess
import unittest
import xml.etree.ElementTree as ElementTree

from sluice_case import FABRICS, SluiceCase, main

# Settings under which a run of 16 hosts asks everything of a block. The first fault listed is found in
# the incast.
INCAST = [FABRICS / "incast16.yaml", "--set", "workload.bytes=256KiB"]
TIGHT = ["--set", "switch.mmu.port_alpha_enabled=false", "--set", "switch.mmu.pg_alpha_exp=-5"]
ALL_TO_ALL = [FABRICS / "rtl-all-to-all.yaml"]


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
        again = re.search(r"again +sluice (.*)", got.stdout)[1].split()
        self.assertIn(f"in cycle {cycle}:", self.sluice(*again).stderr)
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

    def test_bad_words_are_refused_in_a_line(self):
        self.assert_error(self.sluice("cosim", "wred_markr"), 2, "did you mean 'wred_marker'")
        self.assert_error(self.sluice("cosim", "wred_marker", "--fault", 99), 2, "has faults 1..")
        self.assert_error(self.sluice("cosim", "--cycles", 0), 2, "at least 1")
        self.assert_error(self.sluice("cosim", "--replay", "x"), 2, "name it")
        self.write("empty.txt", "")
        self.assert_error(self.sluice("cosim", "wred_marker", "--replay", "empty.txt"), 2,
                          "holds no requests")
        self.write("other.txt", "nonsense 1 2\n")
        self.assert_error(self.sluice("cosim", "wred_marker", "--replay", "other.txt"), 2, "other.txt")


class InAFabric(Case):
    def fabrics(self, block):
        """Those that ask a block, with the settings under which they do."""
        if block == "ecmp_hash":  # places packets in its own mode alone
            return [[*ALL_TO_ALL, "--set", "switch.routing.mode=ecmp"]]
        return [ALL_TO_ALL] if block == "ar_select" else [INCAST + TIGHT, ALL_TO_ALL]

    def test_every_block_leaves_the_result_as_it_is_beside_the_model(self):
        for block in self.blocks():
            for fabric in self.fabrics(block):
                with self.subTest(block=block, fabric=fabric[0].name):
                    plain = self.run_json(*fabric)["result_hash"]
                    got = self.run_json(*fabric, "--rtl", block, "--rtl-compare")
                    self.assertEqual((got["verdict"], got["result_hash"]), ("ok", plain))

    def test_all_blocks_together_answer_alone_and_leave_the_result_as_it_is(self):
        for mode, other in (("ar", "ecmp_hash"), ("ecmp", "ar_select")):
            fabric = [*ALL_TO_ALL, "--set", f"switch.routing.mode={mode}"]
            blocks = ",".join(block for block in self.blocks() if block != other)
            plain = self.run_json(*fabric)["result_hash"]
            with self.subTest(mode=mode):
                self.assertEqual(self.run_json(*fabric, "--rtl", blocks)["result_hash"], plain)

    def test_what_a_chip_was_asked_replays_into_the_bench(self):
        for block in self.blocks():
            with self.subTest(block=block):
                record = self.scratch / block
                self.run_json(*self.fabrics(block)[-1], "--rtl-record", record)
                files = sorted(record.glob(f"{block}.*.txt"))
                self.assertTrue(files, "nothing was recorded")
                got = self.sluice("cosim", block, "--replay", files[0], "--cycles", 100000)
                self.assertEqual(got.returncode, 0, got.stderr)
                self.assertRegex(got.stdout, r" [1-9]\d* transactions, equal")

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
                            (["--rtl-scope", "leaf0"], "needs --rtl")):
            self.assert_error(self.sluice("run", *INCAST, *words), 2, part)


main()
