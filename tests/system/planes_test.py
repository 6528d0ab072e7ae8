# SPDX-License-Identifier: Apache-2.0
# Fabrics of several planes and cables that lose frames, through the program: rates, failures of one
# and of all planes, return, losses by cable. Closed forms only.
import csv
import math

import sluice_case

PLANES = """
fabric: {type: %s, planes: 2, link: {rate: 400Gbps, length: 30m}}
switch: {preset: spectrum4, freq_offset_ppm: 0}
nic:
  plane_choice: per_packet
  out_of_order_placement: true
  loss_recovery: selective_repeat
  frequency_offset_ppm: 0
  timeout_code: 8
  retry_count: 2
  probe: {interval: 5us, timeout: 20us}
workload: {type: incast, dst: 1, first: 0, count: 1, bytes: %s}
"""
SWITCHES = "single_switch, hosts: 2"
LEAVES = "leaf_spine, leaves: 2, spines: 2, hosts_per_leaf: 1"
ONE_LINK = """
fabric: {type: single_switch, hosts: 2, link: {rate: 400Gbps, length: 30m}}
switch: {preset: spectrum4}
nic: {loss_recovery: %s, timeout_code: 6}
workload: {type: incast, dst: 1, first: 0, count: 1, bytes: 256MiB}
"""


class Planes(sluice_case.SluiceCase):
    def counters(self, directory, kind, entity):
        with (self.scratch / directory / "counters.csv").open() as file:
            return {row["counter"]: int(row["value"]) for row in csv.DictReader(file)
                    if row["kind"] == kind and row["entity"].endswith(entity)}

    def planes(self, fabric, size, extra, *words, code=0):
        path = self.write("p.yaml", PLANES % (fabric, size) + extra)
        return self.run_json(path, "--out", "out", *words, code=code)

    def test_both_planes_carry_half_and_the_rate_doubles(self):
        for fabric in (SWITCHES, LEAVES):
            summary = self.planes(fabric, "64MiB", "")
            self.assertEqual(summary["verdict"], "ok")
            self.assertEqual(summary["retransmitted_packets"], 0)
            # 8192 packets a plane, a slot of 83.56 ns each, and the way of the last one.
            self.assertAlmostEqual(summary["ops"][0]["time_ps"] / 1e6, 8192 * 0.08356, delta=9)
            for port in (0, 1):
                frames = self.counters("out", "nic_port", f"nic0.port{port}")["tx_frames"]
                # Probes come on top: one every 5 us.
                self.assertAlmostEqual(frames, 8192 + 137, delta=40)

    def test_a_cut_plane_costs_what_finding_it_takes(self):
        whole = self.planes(LEAVES, "64MiB", "")["ops"][0]["time_ps"] / 1e6
        for link in ("plane1_leaf0.port0", "plane1_leaf1.port0"):
            summary = self.planes(LEAVES, "64MiB", f"failures: [{{link: {link}, at: 100us}}]\n")
            self.assertEqual(summary["verdict"], "ok")
            self.assertEqual(summary["bytes_delivered"], 64 << 20)
            self.assertGreater(summary["drops"]["link_down"], 0)
            nic = self.counters("out", "nic", "nic0")
            self.assertEqual(nic["plane_failures"], 1)
            self.assertGreater(nic["plane_lost_packets"], 0)
            # Three probes of 20 us, after the last answer at most 5 us and a round trip before.
            self.assertAlmostEqual(nic["plane_detection_ps"] / 1e6, 65, delta=6)
            # 100 us at two planes' rate, the rest at one's, and at most the time to find it.
            took = summary["ops"][0]["time_ps"] / 1e6
            one_plane = 100 + 2 * (whole - 100)
            self.assertGreater(took, one_plane - 5)
            self.assertLess(took, one_plane + nic["plane_detection_ps"] / 1e6 + 15)

    def test_both_planes_cut_fail_the_qp_in_bounded_time(self):
        path = self.write("p.yaml", PLANES % (LEAVES, "64MiB") +
                          "failures: [{link: plane0_leaf0.port0, at: 100us}, "
                          "{link: plane1_leaf0.port0, at: 100us}]\n")
        got = self.sluice("run", path)
        self.assertEqual(got.returncode, 5, got.stderr)
        self.assertIn("QP 0 from endpoint 0 to endpoint 1", got.stderr)

    def test_a_plane_that_returns_is_used_again(self):
        summary = self.planes(SWITCHES, "256MiB",
                              "failures: [{link: plane1_switch0.port0, at: 100us, until: 300us}]\n")
        self.assertEqual(summary["verdict"], "ok")
        nic = self.counters("out", "nic", "nic0")
        self.assertEqual(nic["plane_failures"], 1)
        self.assertEqual(nic["plane_recoveries"], 1)
        # Down from about 165 us to 300 us and the probe that notices.
        self.assertAlmostEqual(nic["plane_down_ps"] / 1e6, 300 + 10 - 165, delta=20)
        # The rest at two planes' rate.
        lost = nic["plane_detection_ps"] + nic["plane_down_ps"]
        self.assertLess(summary["ops"][0]["time_ps"] / 1e6,
                        32768 * 0.08356 + lost / 1e6 + 30)

    def test_the_same_run_twice_is_the_same(self):
        extra = "failures: [{link: plane1_switch0.port0, at: 100us, until: 300us}]\n"
        first = self.planes(SWITCHES, "32MiB", extra)["result_hash"]
        self.assertEqual(first, self.planes(SWITCHES, "32MiB", extra)["result_hash"])

    def test_two_ports_to_one_leaf_share_its_rate(self):
        # The leaf, too, spreads packets over the host's two ports, at random: one waits a little.
        path = self.write("u.yaml", PLANES.replace("planes: 2, ", "").replace(
            "400Gbps", "800Gbps").replace("nic:", "nic:\n  ports: 2").replace(
            "freq_offset_ppm: 0}", "freq_offset_ppm: 0, routing: {mode: spray}}")
                          % (SWITCHES, "64MiB"))
        summary = self.run_json(path)
        self.assertEqual(summary["verdict"], "ok")
        self.assertAlmostEqual(summary["ops"][0]["time_ps"] / 1e6, 8192 * 0.08356, delta=40)

    def test_the_report_names_planes_and_ports(self):
        got = self.sluice("run", self.write("p.yaml", PLANES % (LEAVES, "1MiB")))
        self.assertIn("2 planes of 2 leaves x 2 spines, 2 hosts at 2 x 400", got.stdout)

    def test_check_knows_planes(self):
        path = self.write("p.yaml", PLANES % (LEAVES, "64MiB"))
        got = self.sluice("check", path)
        self.assertEqual(got.returncode, 0, got.stderr + got.stdout)


class Losses(sluice_case.SluiceCase):
    def test_nothing_is_lost_by_default(self):
        summary = self.run_json(self.write("l.yaml", ONE_LINK % "go_back_n"))
        self.assertEqual(summary["drops"]["corrupt"], 0)
        self.assertEqual(summary["retransmitted_packets"], 0)

    def test_a_cable_loses_its_share_and_selective_repeat_sends_that_again(self):
        loss = "losses: [{link: switch0.port0, direction: in, loss: 1e-3}]\n"
        path = self.write("l.yaml", ONE_LINK % "selective_repeat" + loss)
        for seed in range(1, 4):
            summary = self.run_json(path, "--seed", seed)
            self.assertEqual(summary["verdict"], "ok")
            sent = 65536 + summary["retransmitted_packets"]
            lost = summary["drops"]["corrupt"]
            self.assertAlmostEqual(lost, sent * 1e-3, delta=4 * math.sqrt(sent * 1e-3))
            self.assertEqual(summary["retransmitted_packets"], lost)
            # Golden G8: 1 - p.
            self.assertAlmostEqual(65536 * 0.08356e6 / summary["ops"][0]["time_ps"], 1 - 1e-3,
                                   delta=0.005)

    def test_go_back_n_sends_what_was_under_way_again(self):
        loss = "losses: [{link: switch0.port0, direction: in, loss: 1e-3}]\n"
        path = self.write("l.yaml", ONE_LINK % "go_back_n" + loss)
        summary = self.run_json(path, "--set", "nic.timeout_code=2")
        lost = summary["drops"]["corrupt"]
        again = summary["retransmitted_packets"]
        # Loss to repetition in slots: about 3.4 us here, of 83.56 ns.
        self.assertGreater(again / lost, 30)
        self.assertLess(again / lost, 55)

    def test_every_cable_may_lose_some_and_for_a_time(self):
        path = self.write("l.yaml", ONE_LINK % "selective_repeat")
        summary = self.run_json(path, "--set", "fabric.link.loss=1e-4")
        self.assertEqual(summary["verdict"], "ok")
        self.assertAlmostEqual(summary["drops"]["corrupt"], 2 * 65536e-4, delta=60)
        path = self.write("l.yaml", ONE_LINK % "selective_repeat" +
                          "losses: [{link: switch0.port0, loss: 0.5, at: 90ms}]\n")
        self.assertEqual(self.run_json(path)["drops"]["corrupt"], 0)

    def test_mistakes_are_named(self):
        path = self.write("l.yaml", ONE_LINK % "go_back_n" + "losses: [{link: switch0.port7}]\n")
        self.assert_error(self.sluice("run", path), 2, "losses", "switch0.port7", "ports 0 to 1")
        path = self.write("l.yaml", ONE_LINK % "go_back")
        self.assert_error(self.sluice("run", path), 2, "loss_recovery", "go_back_n")


if __name__ == "__main__":
    sluice_case.main()
