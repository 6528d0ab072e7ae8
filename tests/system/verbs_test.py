# SPDX-License-Identifier: Apache-2.0
# Work requests through the command line: the shipped file, statuses, closed-form times, wrong files.
import sluice_case

FABRIC = """
fabric: {type: single_switch, hosts: 4, link: {rate: 400Gbps, length: 30m}}
switch: {preset: spectrum4, freq_offset_ppm: 0}
nic: {frequency_offset_ppm: 0}
workload:
  type: verbs
  operations:
"""
SHIPPED = sluice_case.FABRICS / "verbs.yaml"


class Verbs(sluice_case.SluiceCase):
    def test_the_shipped_file_uses_every_operation_and_all_succeed(self):
        summary = self.run_json(SHIPPED)
        self.assertEqual(summary["verdict"], "ok")
        rows = summary["work_requests"]
        self.assertEqual({row["op"] for row in rows},
                         {"write", "write_imm", "send", "send_imm", "read", "compare_swap",
                          "fetch_add"})
        for row in rows:
            self.assertEqual(row["ended"]["success"], row["count"])
            self.assertLessEqual(row["shortest_ps"], row["time_ps"])
            self.assertLessEqual(row["time_ps"], row["longest_ps"])
        # Two hosts added 100 each to one word, so the compare-and-swap found 200.
        self.assertEqual(rows[-1]["last_result"], 200)
        self.assertEqual(summary["qp_errors"], [])
        payload = sum(row["bytes"] * row["count"] for row in rows
                      if row["op"] not in ("compare_swap", "fetch_add"))
        self.assertEqual(summary["bytes_delivered"], payload)
        self.assertEqual(summary["result_hash"], self.run_json(SHIPPED)["result_hash"])
        self.assertNotEqual(summary["result_hash"],
                            self.run_json(SHIPPED, "--set", "nic.verbs.outstanding_reads=1")
                            ["result_hash"])

    def test_the_shipped_file_goes_with_every_recovery_and_plane_choice(self):
        placement = "nic.out_of_order_placement=true"
        selective = "nic.loss_recovery=selective_repeat"
        loss = "fabric.link.loss=0.0005"
        timer = "nic.timeout_code=5"
        for sets in ((selective,), (placement,), ("nic.loss_recovery=go_back_0",),
                     (selective, loss, timer), (selective, placement, loss, timer),
                     ("fabric.planes=2", "nic.plane_choice=per_qp", loss, timer),
                     ("fabric.planes=2", "nic.plane_choice=per_packet", placement),
                     ("fabric.planes=2", "nic.plane_choice=per_packet", placement, selective,
                      loss, timer),
                     ("fabric.planes=4", "nic.plane_choice=per_message", placement, selective,
                      loss, timer)):
            with self.subTest(sets=sets):
                summary = self.run_json(SHIPPED, *[word for key in sets for word in ("--set", key)])
                self.assertEqual(summary["verdict"], "ok")
                rows = summary["work_requests"]
                for row in rows:
                    self.assertEqual(row["ended"]["success"], row["count"])
                self.assertEqual(rows[-1]["last_result"], 200)
                payload = sum(row["bytes"] * row["count"] for row in rows
                              if row["op"] not in ("compare_swap", "fetch_add"))
                self.assertEqual(summary["bytes_delivered"], payload)

    def test_one_qp_writes_at_the_goodput_that_perftest_shows(self):
        # 128-KiB and 16-KiB messages at 400G, MTU 4096: 32 and 4 packets of 4178 B of line time, the
        # first with a RETH of 16 B. perftest: 392.1 and 391.8 Gb/s (NVIDIA/nccl issue 2409).
        for size, packets, goodput in (("128KiB", 32, 392.10), ("16KiB", 4, 391.77)):
            longest = []
            for count in (100, 1100):
                fabric = self.write("goodput.yaml", FABRIC.replace("nic: {", "nic: {preset: cx7, ") +
                                    f"    - {{from: 0, to: 1, op: write, bytes: {size}, "
                                    f"count: {count}}}\n")
                longest.append(self.run_json(fabric)["work_requests"][0]["longest_ps"])
            message_ps = (longest[1] - longest[0]) / 1000
            self.assertAlmostEqual(message_ps, (packets * 4178 + 16) * 20, delta=1)
            self.assertAlmostEqual(packets * 4096 * 8e3 / message_ps, goodput, delta=0.05)

    def test_a_failed_qp_is_reported_and_does_not_end_the_run(self):
        fabric = self.write("verbs.yaml", FABRIC +
                            "    - {from: 0, to: 1, op: read, bytes: 4KiB, count: 3, key: 5}\n"
                            "    - {from: 2, to: 1, op: read, bytes: 4KiB, count: 3}\n")
        summary = self.run_json(fabric)
        self.assertEqual(summary["verdict"], "ok")
        bad, good = summary["work_requests"]
        self.assertEqual((bad["ended"]["remote_access_error"], bad["ended"]["flushed"]), (1, 2))
        self.assertIsNone(bad["time_ps"])
        self.assertEqual(good["ended"]["success"], 3)
        self.assertEqual(len(summary["qp_errors"]), 1)
        self.assertIn("QP 0 from endpoint 0 to endpoint 1", summary["qp_errors"][0]["reason"])
        report = self.sluice("run", fabric).stdout
        self.assertIn("1 remote_access_error", report)

    def test_read_latency_adds_to_a_read_and_to_nothing_else(self):
        fabric = self.write("verbs.yaml", FABRIC +
                            "    - {from: 0, to: 1, op: read, bytes: 8B}\n"
                            "    - {from: 2, to: 3, op: send, bytes: 8B}\n")
        before = self.run_json(fabric)["work_requests"]
        after = self.run_json(fabric, "--set", "nic.verbs.read_latency=1600ns")["work_requests"]
        self.assertEqual(after[0]["time_ps"] - before[0]["time_ps"], 1_000_000)
        self.assertEqual(after[1]["time_ps"], before[1]["time_ps"])

    def test_receive_requests_that_never_come_are_a_stall(self):
        fabric = self.write("verbs.yaml", FABRIC +
                            "    - {from: 0, to: 1, op: send, bytes: 8B, count: 2}\n")
        never = self.sluice("run", fabric, "--set", "nic.verbs.receive_queue_depth=1",
                            "--set", "nic.verbs.receive_repost_delay=100s",
                            "--set", "nic.verbs.rnr_retry=3", "--json")
        self.assertEqual(never.returncode, 0)
        self.assertIn('"rnr_retry_exceeded": 1', never.stdout)

    def test_wrong_lines_are_refused_by_name(self):
        def refused(line, *parts, extra=""):
            fabric = self.write("verbs.yaml", FABRIC.replace("nic: {", "nic: {" + extra) +
                                f"    - {line}\n")
            self.assert_error(self.sluice("run", fabric), 2, *parts)
        refused("{from: 0, op: read}", "to")
        refused("{from: 0, to: 4, op: read}", "verbs.yaml:8", "to", "4")
        refused("{from: 0, to: 0}", "another host")
        refused("{from: 0, to: 1, op: reed}", "verbs.yaml:8", "op", "read")
        refused("{from: 0, to: 1, op: fetch_add, bytes: 8B}", "bytes")
        refused("{from: 0, to: 1, op: send}", "plane_choice", "go_back_0",
                extra="loss_recovery: go_back_0, ports: 2, plane_choice: per_packet, ")
        fabric = self.write("empty.yaml", FABRIC.replace("  operations:\n", ""))
        self.assert_error(self.sluice("run", fabric), 2, "workload.operations")
        fabric = self.write("bytes.yaml", FABRIC + "    - {from: 0, to: 1}\n  bytes: 1MiB\n")
        self.assert_error(self.sluice("run", fabric), 2, "no effect with type verbs")


if __name__ == "__main__":
    sluice_case.main()
