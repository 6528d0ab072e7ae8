# SPDX-License-Identifier: Apache-2.0
# Captures from outside: Wireshark's dissector finds nothing wrong in any frame, an ICRC computed
# here agrees, counters and times agree, and a capture can be looked into and replayed.
# Leaves out: what the frames of each packet kind contain (tests/unit/packet).
import csv
import json
import shutil
import struct
import subprocess
import zlib

import sluice_case

INCAST = """
fabric: {type: single_switch, hosts: 3, link: {rate: 400Gbps, length: 30m}}
switch:
  preset: spectrum4
  freq_offset_ppm: 0
  mmu: {pg_static_bytes: 20000B}
  ecn: {kmin_bytes: 10000B, kmax_bytes: 20000B, pmax: 1}
nic: {preset: cx7, frequency_offset_ppm: 0}
workload: {type: incast, dst: 0, first: 1, count: 2, bytes: 500001B}
"""
DATAGRAMS = """
fabric: {type: single_switch, hosts: 2, link: {rate: 400Gbps, length: 30m}}
switch: {preset: spectrum4}
workload:
  type: ud
  streams:
    - {source: 1, destination: 0, payload_bytes: 1001, frames: 20}
"""
TESTERS = """
fabric: {type: single_switch, hosts: 3, link: {rate: 400Gbps, length: 30m}}
switch: {preset: spectrum4}
workload:
  type: raw
  streams:
    - {source: 0, destination: 2, frame_bytes: 64, frames: 5, tagged: true, priority: 3}
    - {source: 1, destination: 2, frame_bytes: 9216, frames: 5}
  pause_hosts: [2]
  pause_priorities: 8
  pause_release: 1us
"""
FIELDS = ["frame.number", "frame.interface_name", "frame.time_epoch", "frame.len",
          "_ws.malformed", "_ws.expert.message", "eth.fcs.status", "ip.checksum.status",
          "infiniband.aeth.syndrome"]


def blocks(path):
    """(interface, nanoseconds, frame) of a little-endian pcapng file, and the interfaces' names."""
    data = path.read_bytes()
    names, frames, at = [], [], 0
    while at < len(data):
        kind, length = struct.unpack_from("<II", data, at)
        if kind == 1:
            code, size = struct.unpack_from("<HH", data, at + 16)
            assert code == 2, "the name comes first"
            names.append(data[at + 20:at + 20 + size].decode())
        elif kind == 6:
            interface, high, low, captured, sent = struct.unpack_from("<IIIII", data, at + 8)
            assert captured == sent, "complete frames"
            frames.append((interface, high << 32 | low, data[at + 28:at + 28 + captured]))
        at += length
    return names, frames


def icrc_and_rest(frame):
    """(sent, computed) ICRC of a RoCEv2 frame with FCS by the rule of IBTA annex A17, else None."""
    at, kind = 14, frame[12:14]
    if kind == b"\x81\x00":
        at, kind = 18, frame[16:18]
    if kind not in (b"\x08\x00", b"\x86\xdd"):
        return None
    ipv6 = kind == b"\x86\xdd"
    size = 40 if ipv6 else 20
    length = struct.unpack_from(">H", frame, at + (4 if ipv6 else 2))[0] + (40 if ipv6 else 0)
    packet = bytearray(frame[at:at + length])
    if packet[size + 2:size + 4] != b"\x12\xb7":
        return None
    if ipv6:
        packet[0] |= 0x0F
        packet[1:4] = b"\xff" * 3
        packet[7] = 0xFF
    else:
        packet[1] = packet[8] = 0xFF
        packet[10:12] = b"\xff\xff"
    packet[size + 6:size + 8] = b"\xff\xff"
    packet[size + 12] = 0xFF
    computed = zlib.crc32(b"\xff" * 8 + bytes(packet[:-4]))
    return struct.unpack("<I", packet[-4:])[0], computed


# Every opcode of a reliable connection, RNR NAKs, and marks that CNPs answer.
VERBS = """
fabric: {type: single_switch, hosts: 4, link: {rate: 400Gbps, length: 30m}}
switch:
  preset: spectrum4
  mmu: {pg_static_bytes: 20000B}
  ecn: {kmin_bytes: 10000B, kmax_bytes: 20000B, pmax: 1}
nic:
  preset: cx7
  verbs: {receive_queue_depth: 2, receive_repost_delay: 2us, min_rnr_timer: 1}
workload:
  type: verbs
  operations:
    - {from: 0, to: 1, op: write, bytes: 300001B, count: 2, address: 1048577}
    - {from: 0, to: 1, op: write, bytes: 100B, address: 64}
    - {from: 3, to: 2, op: write, bytes: 900004B}
    - {from: 0, to: 1, op: write_imm, bytes: 20000B, immediate: 7}
    - {from: 0, to: 1, op: write_imm, bytes: 1B, count: 3, immediate: 8}
    - {from: 0, to: 1, op: send, bytes: 65600B, count: 5}
    - {from: 1, to: 0, op: send, bytes: 21B, count: 5}
    - {from: 1, to: 0, op: send_imm, bytes: 9001B, count: 3, immediate: 9}
    - {from: 1, to: 0, op: send_imm, bytes: 2B, count: 3, immediate: 9}
    - {from: 2, to: 1, op: read, bytes: 300002B, count: 2, address: 4096}
    - {from: 3, to: 1, op: read, bytes: 300003B, count: 2, address: 12345}
    - {from: 3, to: 1, op: read, bytes: 3B}
    - {from: 2, to: 0, op: fetch_add, count: 5, operand: 1, address: 64}
    - {from: 1, to: 0, op: compare_swap, at: 50us, compare: 5, operand: 1000, address: 64}
"""
# Wireshark's guess at RPC over RDMA reads beyond the end of a SEND that ends in less than 20 B.
TINY = """
fabric: {type: single_switch, hosts: 2, link: {rate: 400Gbps, length: 30m}}
switch: {preset: spectrum4}
nic: {preset: cx7}
workload:
  type: verbs
  operations:
    - {from: 0, to: 1, op: send, bytes: 0B}
    - {from: 0, to: 1, op: send, bytes: 1B}
    - {from: 0, to: 1, op: send_imm, bytes: 0B}
    - {from: 0, to: 1, op: send_imm, bytes: 2B}
    - {from: 0, to: 1, op: send, bytes: 4097B}
    - {from: 0, to: 1, op: read, bytes: 0B}
    - {from: 0, to: 1, op: read, bytes: 1B}
    - {from: 0, to: 1, op: write, bytes: 0B}
    - {from: 0, to: 1, op: write_imm, bytes: 0B}
"""
# Packets of one QP over two planes in any order, some of them damaged on their way to a spine.
PLANES = """
fabric: {type: leaf_spine, leaves: 2, spines: 2, hosts_per_leaf: 1, planes: 2,
         link: {rate: 400Gbps, length: 30m, loss: 0.05}}
switch: {preset: spectrum4}
nic: {plane_choice: per_packet, out_of_order_placement: true, loss_recovery: selective_repeat}
workload: {type: incast, dst: 1, first: 0, count: 1, bytes: 1MiB}
"""
WITHOUT_GUESS = ["--disable-heuristic", "rpcrdma_infiniband"]
PROBES = INCAST.replace("nic: {", "nic: {probe: {always: true}, ")


class Capture(sluice_case.SluiceCase):
    def capture(self, yaml, *words, name="out", ports="all"):
        fabric = self.write("fabric.yaml", yaml)
        got = self.sluice("run", fabric, "--json", "--out", name, "--capture", ports, *words)
        self.assertEqual(got.returncode, 0, got.stderr)
        return json.loads(got.stdout), self.scratch / name / "capture.pcapng"

    def info(self, path):
        got = self.sluice("trace", "info", path, "--json")
        self.assertEqual(got.returncode, 0, got.stderr)
        return json.loads(got.stdout)

    def counters(self, name="out"):
        with (self.scratch / name / "counters.csv").open() as file:
            return list(csv.DictReader(file))

    def dissected(self, path, *options):
        """A row of FIELDS for every frame, by tshark."""
        if shutil.which("tshark") is None:
            self.skipTest("tshark is not installed: no frame was dissected (scripts/setup brings it)")
        words = ["tshark", *options, "-n", "-r", path, "-T", "fields", "-E", "separator=|",
                 "-o", "eth.check_fcs:TRUE", "-o", "ip.check_checksum:TRUE",
                 "-o", "udp.check_checksum:TRUE"]
        for field in FIELDS:
            words += ["-e", field]
        got = subprocess.run(words, capture_output=True, text=True, timeout=300, check=True)
        return [dict(zip(FIELDS, line.split("|"))) for line in got.stdout.splitlines()]

    def assert_clean(self, path, *options):
        """No dissector complains."""
        rows = self.dissected(path, *options)
        names, frames = blocks(path)
        self.assertEqual(len(rows), len(frames))
        for row, (interface, time, frame) in zip(rows, frames):
            self.assertEqual(row["_ws.malformed"], "", row)
            self.assertEqual(row["_ws.expert.message"], "", row)
            self.assertEqual(row["frame.interface_name"], names[interface])
            self.assertEqual(int(row["frame.len"]), len(frame))
            seconds, nanoseconds = row["frame.time_epoch"].split(".")
            self.assertEqual(int(seconds) * 10**9 + int(nanoseconds), time)
            self.assertIn(row["ip.checksum.status"], ("1", ""), row)
            self.assertEqual(row["eth.fcs.status"], "1", row)
        return rows

    def assert_icrc(self, frames):
        checked = [crcs for crcs in (icrc_and_rest(frame) for _, _, frame in frames) if crcs]
        for sent, computed in checked:
            self.assertEqual(sent, computed)
        return len(checked)

    def test_every_frame_of_a_congested_run_is_clean(self):
        for version in (4, 6):
            for vlan in ("true", "false"):
                with self.subTest(version=version, vlan=vlan):
                    summary, path = self.capture(INCAST, "--set", f"nic.ip_version={version}",
                                                 "--set", f"nic.vlan_tag={vlan}")
                    _, frames = blocks(path)
                    info = self.info(path)
                    self.assertEqual(info["frames"], len(frames))
                    self.assertEqual(info["icrc"]["good"], self.assert_icrc(frames))
                    self.assertEqual(info["icrc"]["bad"], 0)
                    self.assertEqual(info["fcs"], {"good": len(frames), "bad": 0,
                                                   "not_captured": 0})
                    opcodes = {row["opcode"] for row in info["opcodes"]}
                    self.assertEqual(opcodes, {0x06, 0x07, 0x08, 0x11, 0x81})
                    self.assertEqual(info["kinds"]["pfc"], summary["pfc"]["xoff_frames"]
                                     + summary["pfc"]["xon_frames"])
                    self.assertGreater(info["kinds"]["pfc"], 0)
                    self.assertGreater(summary["cnp"]["sent"], 0)
                    self.assert_clean(path)

    def test_every_opcode_of_a_connection_is_clean(self):
        for version in (4, 6):
            with self.subTest(version=version):
                _, path = self.capture(VERBS, "--set", f"nic.ip_version={version}")
                _, frames = blocks(path)
                info = self.info(path)
                self.assertEqual(info["icrc"]["good"], self.assert_icrc(frames))
                self.assertEqual(info["icrc"]["bad"], 0)
                self.assertEqual({row["opcode"] for row in info["opcodes"]},
                                 set(range(0x15)) | {0x81})
                rows = self.assert_clean(path)
                syndromes = {row["infiniband.aeth.syndrome"] for row in rows}
                self.assertTrue(any(int(word, 0) >> 5 == 1 for word in syndromes if word),
                                f"an RNR NAK among {syndromes}")

    def test_every_opcode_over_two_planes_with_repeats_is_clean(self):
        keys = ("fabric.planes=2", "fabric.link.loss=0.002", "nic.plane_choice=per_packet",
                "nic.out_of_order_placement=true", "nic.loss_recovery=selective_repeat",
                "nic.timeout_code=5")
        summary, path = self.capture(VERBS, *[word for key in keys for word in ("--set", key)])
        self.assertGreater(summary["retransmitted_packets"], 0)
        info = self.info(path)
        self.assertEqual(info["icrc"]["bad"], 0)
        # Beside CNPs and the probes that watch planes.
        self.assertEqual({row["opcode"] for row in info["opcodes"]} - {0x81, 0x64},
                         set(range(0x15)))
        for row in self.dissected(path):
            if row["eth.fcs.status"] == "1":
                self.assertEqual(row["_ws.malformed"] + row["_ws.expert.message"], "", row)

    def test_messages_of_next_to_nothing_are_clean(self):
        _, path = self.capture(TINY)
        self.assert_icrc(blocks(path)[1])
        self.assert_clean(path, *WITHOUT_GUESS)

    def test_operations_of_a_capture_replay_or_are_skipped(self):
        _, path = self.capture(VERBS)
        again = self.run_json(self.scratch / "fabric.yaml", "--trace", path)
        self.assert_balanced(again)
        messages = (2 * 300001 + 100 + 900004 + 20000 + 3 + 5 * 65600 + 5 * 21 + 3 * 9001 + 3 * 2
                    + 2 * 300002 + 2 * 300003 + 3)
        self.assertEqual(again["ledger"]["bytes_simulated"], messages)
        skipped = {row["reason"]: row["bytes"] for row in again["ledger"]["skipped"]}
        self.assertEqual(skipped["atomic operation"], 6 * 8)

    def test_text_tells_what_json_tells(self):
        _, path = self.capture(INCAST, ports="nic1.port0")
        info = self.info(path)
        got = self.sluice("trace", "info", path)
        self.assertEqual(got.returncode, 0, got.stderr)
        for part in (f"frames         {info['frames']}, {info['wire_bytes']} B",
                     f"ICRC           {info['icrc']['good']} good, 0 bad, 0 not captured",
                     "0x06 RC WRITE First", "nic1.port0", "10.0.0.1 > 10.0.0.0"):
            self.assertIn(part, got.stdout)

    def test_datagrams_probes_and_testers_frames_are_clean(self):
        for yaml in (DATAGRAMS, TESTERS, PROBES):
            _, path = self.capture(yaml)
            _, frames = blocks(path)
            self.assert_icrc(frames)
            self.assert_clean(path)

    def test_times_and_counts_agree_with_the_model(self):
        _, path = self.capture(INCAST)
        names, frames = blocks(path)
        last = {}
        seen = {name: 0 for name in names}
        for interface, time, frame in frames:
            if frame[12:14] != b"\x88\x08":
                seen[names[interface]] += 1
            if interface in last:
                before, size = last[interface]
                # 20 ps a byte at 400 Gb/s; preamble and gap 20 B; times in whole nanoseconds.
                self.assertGreaterEqual((time - before + 1) * 1000, (size + 20) * 20)
            last[interface] = time, len(frame)
        rows = self.counters()
        for name, count in seen.items():
            if name.startswith("nic"):
                total = [int(row["value"]) for row in rows if row["kind"] == "nic_port"
                         and row["entity"] == f"fabric.{name}" and row["counter"] == "tx_frames"]
            else:
                total = [int(row["value"]) for row in rows if row["kind"] == "queue"
                         and row["entity"].startswith(f"fabric.{name}.")
                         and row["counter"] == "tx_frames"]
            self.assertEqual(count, sum(total), name)

    def test_a_capture_changes_no_result(self):
        for yaml in (PLANES, PROBES, VERBS, INCAST):
            without = self.run_json(self.write("fabric.yaml", yaml))
            summary, _ = self.capture(yaml)
            self.assertEqual(summary["result_hash"], without["result_hash"])
        some, path = self.capture(INCAST, ports="host2.port0,switch0.port0", name="some")
        self.assertEqual(some["result_hash"], without["result_hash"])
        self.assertEqual(blocks(path)[0], ["switch0.port0", "nic2.port0"])

    def test_damaged_frames_have_a_wrong_fcs_and_come_again(self):
        summary, path = self.capture(PLANES)
        info = self.info(path)
        ports = {row["interface"] for row in info["flows"] if row["interface"].startswith("nic0.")}
        self.assertEqual(ports, {"nic0.port0", "nic0.port1"})
        self.assertGreater(info["fcs"]["bad"], 0)
        self.assertEqual(info["icrc"]["bad"], 0)
        self.assertGreater(summary["retransmitted_packets"], 0)
        rows = self.dissected(path)
        self.assertEqual(sum(row["eth.fcs.status"] == "0" for row in rows), info["fcs"]["bad"])
        for row in rows:
            if row["eth.fcs.status"] == "1":
                self.assertEqual(row["_ws.malformed"] + row["_ws.expert.message"], "", row)

    def test_wrong_words_are_refused(self):
        fabric = self.write("fabric.yaml", INCAST)
        self.assert_error(self.sluice("run", fabric, "--capture", "all"), 2, "--capture", "--out")
        got = self.sluice("run", fabric, "--capture", "switch0.prot1", "--out", "out")
        self.assert_error(got, 2, "no port is called 'switch0.prot1'", "'switch0.port1'",
                          "from switch0.port0 to nic2.port0")
        self.assertFalse((self.scratch / "out").exists())
        self.assert_error(self.sluice("run", fabric, "--capture", "", "--out", "out"), 2,
                          "--capture: expected all, or names of ports")

    def test_a_capture_of_a_run_replays_its_messages(self):
        summary, path = self.capture(INCAST)
        again = self.run_json(self.scratch / "fabric.yaml", "--trace", path)
        self.assertEqual(again["verdict"], "ok")
        self.assert_balanced(again)
        self.assertEqual(again["ledger"]["bytes_in"], 2 * 500001)
        self.assertEqual(again["bytes_delivered"], summary["bytes_delivered"])
        rows = [(row["op"], row["bytes"], row["count"]) for row in again["ops"]]
        self.assertEqual(rows, [("write", 500001, 2)])

    def test_a_recorded_capture_is_read_and_replayed(self):
        path = sluice_case.CORPUS / "pcap/roce_rc_send_192B_2KB_part1.pcap"
        if not path.exists():
            self.skipTest("no corpus beside the source tree")
        info = self.info(path)
        self.assertEqual(info["format"], "pcap")
        self.assertEqual(info["frames"], 70)
        self.assertEqual(info["icrc"], {"good": 56, "bad": 0, "not_captured": 0})
        self.assertEqual([row["payload_bytes"] for row in info["flows"]], [18 * 2048, 141])
        self.assertEqual([row["repeated_packets"] for row in info["flows"]], [0, 0])
        fabric = self.write("fabric.yaml", INCAST)
        summary = self.run_json(fabric, "--trace", path)
        self.assert_balanced(summary)
        self.assertEqual(summary["ledger"]["bytes_in"], 18 * 2048 + 141)
        # The last message begins 2471 us after the first.
        self.assertGreater(summary["simulated_ps"], (671279 - 668808) * 10**6)
        self.assertLess(summary["simulated_ps"], (671279 - 668808 + 100) * 10**6)

    def test_damaged_captures_are_named_in_one_line(self):
        _, path = self.capture(INCAST, ports="nic1.port0")
        whole = path.read_bytes()
        torn = self.scratch / "torn.pcapng"
        torn.write_bytes(whole[:-7])
        self.assertTrue(any("torn" in note for note in self.info(torn)["notes"]))
        torn.write_bytes(whole[:10])
        self.assert_error(self.sluice("trace", "info", torn), 3, "torn.pcapng", "byte")
        bad = bytearray(whole)
        bad[bad.index(struct.pack("<I", 6), 28) + 4] ^= 1
        torn.write_bytes(bad)
        self.assert_error(self.sluice("trace", "info", torn), 3, "torn.pcapng", "a block of")


if __name__ == "__main__":
    sluice_case.main()
