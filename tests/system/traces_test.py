# SPDX-License-Identifier: Apache-2.0
# Recorded traces through the program: those that ship, and small ones written for the test.
import json

import chakra_writer
import sluice_case
from chakra_writer import ALL_REDUCE, RankTrace
from sluice_case import FABRICS, TRACES

DEMO = FABRICS / "demo.yaml"
MIB = 1 << 20


def training(steps, compute_micros, size):
    trace = RankTrace()
    for _ in range(steps):
        trace.compute(compute_micros).collective(ALL_REDUCE, size)
    return trace


class SmallTraces(sluice_case.SluiceCase):
    def replay(self, ranks, *words, code=0):
        directory = chakra_writer.write_trace(self.scratch / "trace", ranks)
        return self.run_json(DEMO, "--trace", directory, *words, code=code)

    def test_ops_and_bytes_are_those_of_the_trace(self):
        summary = self.replay([training(3, 10, MIB)] * 4)
        self.assert_balanced(summary)
        [op] = summary["ops"]
        self.assertEqual((op["op"], op["bytes"], op["ranks"], op["count"]),
                         ("all_reduce", MIB, 4, 3))
        # Each of 4 ranks puts its vector into 3 all-reduces; 2 (n - 1) / n of it leaves the rank.
        self.assertEqual(summary["ledger"]["bytes_in"], 3 * 4 * MIB)
        self.assertEqual(summary["bytes_delivered"], 3 * 2 * 3 * MIB)

    def test_a_trace_replaces_the_workload(self):
        summary = self.replay([training(1, 0, 4096)] * 2)
        self.assertEqual([op["ranks"] for op in summary["ops"]], [2])

    def test_compute_scales_recorded_gaps(self):
        ranks = [training(2, 1000, MIB)] * 4
        times = {scale: self.replay(ranks, "--compute", f"scale={scale}")["simulated_ps"]
                 for scale in (0, 1, 2.5)}
        # Two gaps of 1 ms come before the two all-reduces; those take the same time to within the
        # phases of clocks and jitter.
        self.assertAlmostEqual(times[1] - times[0], 2_000_000_000, delta=1_000_000)
        self.assertAlmostEqual(times[2.5] - times[0], 5_000_000_000, delta=1_000_000)

    def test_a_missing_collective_ends_with_exit_code_5_naming_rank_group_and_op(self):
        ranks = [training(3, 5, MIB) for _ in range(8)]
        ranks[5] = training(2, 5, MIB)
        directory = chakra_writer.write_trace(self.scratch / "trace", ranks)
        got = self.sluice("run", DEMO, "--trace", directory, "--json", timeout=120)
        self.assert_error(got, 5, "rank 5", "world", "all_reduce")
        summary = json.loads(got.stdout)
        self.assertEqual(summary["verdict"], "stalled")
        self.assert_balanced(summary)

    def test_a_missing_rank_ends_with_exit_code_3_naming_it(self):
        directory = chakra_writer.write_trace(self.scratch / "trace", [training(1, 0, MIB)] * 4)
        (directory / "trace.2.et").unlink()
        self.assert_error(self.sluice("run", DEMO, "--trace", directory), 3, "rank 2")

    def test_a_torn_file_ends_with_exit_code_3_naming_it(self):
        directory = chakra_writer.write_trace(self.scratch / "trace", [training(3, 1, MIB)] * 2)
        torn = directory / "trace.1.et"
        torn.write_bytes(torn.read_bytes()[:-5])
        self.assert_error(self.sluice("run", DEMO, "--trace", directory), 3, "trace.1.et", "byte")

    def test_more_ranks_than_hosts_end_with_exit_code_2(self):
        directory = chakra_writer.write_trace(self.scratch / "trace", [training(1, 0, 4096)] * 17)
        self.assert_error(self.sluice("run", DEMO, "--trace", directory), 2, "17 ranks", "16 hosts")

    def test_info_counts_without_a_fabric(self):
        directory = chakra_writer.write_trace(self.scratch / "trace", [training(3, 10, MIB)] * 4)
        got = self.sluice("trace", "info", directory, "--json")
        self.assertEqual(got.returncode, 0, got.stderr)
        info = json.loads(got.stdout)
        self.assertEqual((info["format"], info["ranks"]), ("chakra", 4))
        self.assertEqual(info["compute"], {"gaps": 12, "time_ps": 12 * 10_000_000})
        self.assertEqual(info["ledger"]["bytes_in"], 12 * MIB)
        [op] = info["ops"]
        self.assertEqual(op, {"op": "all_reduce", "count": 12, "smallest_bytes": MIB,
                              "largest_bytes": MIB, "bytes_in": 12 * MIB})
        text = self.sluice("trace", "info", directory).stdout
        for part in ("4 ranks", "all_reduce", "world", "ledger"):
            self.assertIn(part, text)


class ShippedTraces(sluice_case.SluiceCase):
    def test_each_replays_whole_over_the_demo_fabric(self):
        traces = sorted(TRACES.glob("*.tar.zst"))
        self.assertTrue(traces, "traces/ holds no *.tar.zst")
        for trace in traces:
            with self.subTest(trace=trace.name):
                info = json.loads(self.sluice("trace", "info", trace, "--json").stdout)
                self.assertEqual(info["ledger"]["skipped"], [])
                summary = self.run_json(DEMO, "--trace", trace, "--compute", "scale=0.001")
                self.assertEqual(summary["verdict"], "ok")
                self.assert_balanced(summary)
                self.assertEqual(summary["ledger"]["bytes_in"], info["ledger"]["bytes_in"])
                self.assertEqual(summary["drops"]["total"], 0)


if __name__ == "__main__":
    sluice_case.main()
