# SPDX-License-Identifier: Apache-2.0
# What a run answers: the fields of summary.json, its directory, seeds, --until, verdicts.
import csv
import json

import sluice_case
from sluice_case import FABRICS

INCAST = FABRICS / "incast16.yaml"
QUICK = ("--set", "workload.bytes=256KiB")
# The stable fields: name, type; a list holds the type of its elements.
NUMBER = (int, float)
RATE = (int, float, type(None))
SCHEMA = {
    "version": str, "rtl": {"blocks": [str], "scope": str, "verilator": str}, "seed": int,
    "config_hash": str, "result_hash": str, "verdict": str,
    "simulated_ps": int, "cpu_s": NUMBER, "wall_s": NUMBER, "peak_rss_bytes": int, "events": int,
    "packets_delivered": int, "packet_hops": int, "bytes_delivered": int,
    "retransmitted_packets": int,
    "drops": {"total": int},
    "pfc": {"xoff_frames": int, "xon_frames": int, "paused_ps": int},
    "ecn": {"marked": int},
    "cnp": {"sent": int},
    "buffer": {"peak_cells": int, "pool_cells": int, "peak_headroom_cells": int},
    "ops": [{"op": str, "bytes": int, "ranks": int, "count": int, "time_ps": int,
             "algbw_gbytes_per_s": RATE, "busbw_gbytes_per_s": RATE}],
    "ledger": {"bytes_in": int, "bytes_simulated": int, "bytes_skipped": int,
               "skipped": [{"reason": str, "bytes": int, "ops": int}]},
    "work_requests": [{"from": int, "to": int, "op": str, "bytes": int, "count": int, "ended": dict,
                       "time_ps": (int, type(None)), "shortest_ps": (int, type(None)),
                       "longest_ps": (int, type(None)), "last_result": int}],
    "qp_errors": [{"reason": str}],
    "pausing_nics": [{"port": str, "xoff_frames": int}],
}


class Run(sluice_case.SluiceCase):
    def assert_shape(self, value, shape, where="summary"):
        if isinstance(shape, dict):
            self.assertIsInstance(value, dict, where)
            for name, inner in shape.items():
                self.assertIn(name, value, where)
                self.assert_shape(value[name], inner, f"{where}.{name}")
        elif isinstance(shape, list):
            self.assertIsInstance(value, list, where)
            for element in value:
                self.assert_shape(element, shape[0], where + "[]")
        else:
            self.assertIsInstance(value, shape, where)
            self.assertNotIsInstance(value, bool, where)

    def test_json_has_every_stable_field_and_no_other(self):
        summary = self.run_json(INCAST, *QUICK, "--seed", "7")
        self.assert_shape(summary, SCHEMA)
        self.assertEqual(set(summary), set(SCHEMA))
        self.assertEqual(summary["seed"], 7)
        self.assertEqual(summary["verdict"], "ok")
        for key in ("config_hash", "result_hash"):
            self.assertRegex(summary[key], "^[0-9a-f]{16}$")
        self.assertEqual(summary["drops"]["total"],
                         sum(n for reason, n in summary["drops"].items() if reason != "total"))
        self.assertGreater(summary["events"], 0)
        self.assertGreater(summary["peak_rss_bytes"], 1 << 20)

    def test_an_incast_delivers_every_byte_in_packets_of_4096(self):
        summary = self.run_json(INCAST, *QUICK)
        self.assert_balanced(summary)
        self.assertEqual(summary["bytes_delivered"], 15 * (256 << 10))
        self.assertEqual(summary["packets_delivered"], 15 * 64)
        self.assertEqual(summary["packet_hops"], 2 * 15 * 64)
        self.assertEqual(summary["drops"]["total"], 0)
        [op] = summary["ops"]
        self.assertEqual((op["op"], op["bytes"], op["count"]), ("write", 256 << 10, 15))

    def test_the_same_seed_gives_the_same_result_and_another_seed_another(self):
        first, again = (self.run_json(INCAST, *QUICK, "--seed", "3") for _ in range(2))
        other = self.run_json(INCAST, *QUICK, "--seed", "4")
        self.assertEqual(first["result_hash"], again["result_hash"])
        self.assertEqual(first["simulated_ps"], again["simulated_ps"])
        self.assertEqual(first["config_hash"], other["config_hash"])
        self.assertNotEqual(first["result_hash"], other["result_hash"])

    def test_an_override_changes_configuration_and_result(self):
        base = self.run_json(INCAST, *QUICK)
        changed = self.run_json(INCAST, *QUICK, "--set", "fabric.link.length=200m")
        self.assertNotEqual(base["config_hash"], changed["config_hash"])
        self.assertGreater(changed["simulated_ps"], base["simulated_ps"])

    def test_until_stops_a_run_with_exit_code_0(self):
        summary = self.run_json(INCAST, *QUICK, "--until", "5us")
        self.assertEqual(summary["verdict"], "stopped")
        self.assertEqual(summary["simulated_ps"], 5_000_000)
        self.assert_balanced(summary)
        self.assertGreater(summary["ledger"]["bytes_skipped"], 0)

    def test_a_tight_threshold_pauses_instead_of_dropping(self):
        summary = self.run_json(INCAST, "--set", "switch.mmu.pg_alpha_exp=-7", "--set",
                                "switch.mmu.port_alpha_enabled=false")
        self.assertEqual(summary["drops"]["total"], 0)
        self.assertGreater(summary["pfc"]["xoff_frames"], 0)
        self.assertGreater(summary["pfc"]["paused_ps"], 0)
        self.assertGreater(summary["buffer"]["peak_headroom_cells"], 0)

    def test_drops_in_a_lossless_class_end_with_exit_code_4(self):
        got = self.sluice("run", INCAST, "--json", "--set", "switch.mmu.pg_alpha_exp=-7", "--set",
                          "switch.mmu.port_alpha_enabled=false", "--set",
                          "switch.pfc.enabled=false", "--set", "nic.congestion_control=none")
        self.assert_error(got, 4, "switch0")
        summary = json.loads(got.stdout)
        self.assertEqual(summary["verdict"], "not_lossless")
        self.assertGreater(summary["drops"]["total"], 0)

    def test_without_out_nothing_is_written(self):
        self.run_json(INCAST, *QUICK)
        self.assertEqual(list(self.scratch.iterdir()), [])

    def test_the_report_names_what_people_look_for(self):
        got = self.sluice("run", INCAST, *QUICK, "--out", "result")
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertEqual(got.stderr, "")
        for part in ("16 hosts", "seed 1", "busbw", "drops", "pauses", "marks", "peak buffer",
                     "ledger", str(self.scratch / "result")):
            self.assertIn(part, got.stdout)


class RawFrames(sluice_case.SluiceCase):
    def test_frames_of_two_sources_arrive_and_are_counted(self):
        path = self.write("raw.yaml", """\
fabric: {type: single_switch, hosts: 4}
workload:
  type: raw
  streams:
    - {source: 0, destination: 3, frame_bytes: 1518, frames: 1000, dscp: 26, priority: 3}
    - {source: 1, destination: 2, frame_bytes: 64, frames: 10}
""")
        summary = self.run_json(path)
        self.assertEqual(summary["verdict"], "ok")
        self.assertEqual(summary["packets_delivered"], 1010)
        self.assertEqual(summary["ops"], [])
        # 1518 B, preamble and gap take 15.38 ns at 800 Gb/s; 1000 of them 15.4 us, then the way.
        self.assertGreater(summary["simulated_ps"], 15_380_000)
        self.assertLess(summary["simulated_ps"], 18_000_000)


    def test_a_raw_workload_without_a_stream_has_nothing_to_run(self):
        path = self.write("raw.yaml", """\
fabric: {type: single_switch, hosts: 4}
workload: {type: raw, streams: []}
""")
        self.assert_error(self.sluice("run", path), 2, "workload.streams", "nothing to run")

    def test_a_stream_that_can_never_send_is_refused(self):
        path = self.write("raw.yaml", """\
fabric: {type: single_switch, hosts: 4}
workload: {type: raw, streams: [{source: 0, destination: 3, start: 5us, stop: 1us}]}
""")
        self.assert_error(self.sluice("run", path), 2, f"{path}:2", "workload.streams.0.start")
        got = self.sluice("run", path, "--set", "workload.streams.0.stop=9us", "--set",
                          "workload.streams.0.rate=900Gbps")
        self.assert_error(got, 2, "workload.streams.0.rate", "port")

    def test_frames_without_end_need_until(self):
        path = self.write("raw.yaml", """\
fabric: {type: single_switch, hosts: 4}
workload: {type: raw, streams: [{source: 0, destination: 3}]}
""")
        self.assert_error(self.sluice("run", path), 2, "workload.streams.0", "--until")
        summary = self.run_json(path, "--until", "10us")
        self.assertEqual(summary["verdict"], "stopped")
        # 1024 B frames take 10.44 ns of the wire at 800 Gb/s: at most 958 in 10 us.
        self.assertGreater(summary["packets_delivered"], 700)
        self.assertLess(summary["packets_delivered"], 958)


class Lossless(sluice_case.SluiceCase):
    # A tight threshold, so that the headroom takes what comes after the XOFF.
    TIGHT = ("--set", "switch.mmu.port_alpha_enabled=false", "--set", "switch.mmu.pg_alpha_exp=-7",
             "--set", "nic.congestion_control=none")

    def test_headroom_follows_the_delay_of_the_path_not_its_length_alone(self):
        # 5 us a way are 1 km of cable at 5 ns/m; so are 500 m at 10 ns/m.
        for path in (("fabric.link.extra_latency=5us",),
                     ("fabric.link.length=500m", "fabric.link.propagation_per_metre=10ns")):
            words = [word for key in path for word in ("--set", key)]
            summary = self.run_json(INCAST, *self.TIGHT, *words)
            self.assertEqual(summary["drops"]["total"], 0)
            self.assertGreater(summary["pfc"]["xoff_frames"], 0)

    def test_a_drop_before_the_end_of_a_stopped_run_keeps_its_time(self):
        got = self.sluice("run", INCAST, *self.TIGHT, "--set", "switch.mmu.xoff_bytes=0B", "--until",
                          "100us", "--json")
        self.assertEqual(got.returncode, 4)
        summary = json.loads(got.stdout)
        self.assertEqual(summary["verdict"], "not_lossless")
        self.assertEqual(summary["simulated_ps"], 100_000_000)

    def test_a_drop_that_nothing_sends_again_names_who_waits(self):
        got = self.sluice("run", INCAST, *self.TIGHT, "--set", "nic.congestion_control=dcqcn", "--set",
                          "switch.mmu.xoff_bytes=0B", "--set", "nic.timeout_code=0")
        self.assert_error(got, 4, "NOT LOSSLESS", "stalled at", "waits for rank 0")

    def test_no_class_is_resumed_more_often_than_it_was_stopped(self):
        # Without a refresh in so short a time, each XON has its XOFF.
        summary = self.run_json(FABRICS / "w1.yaml", "--set", "workload.type=all_to_all", "--set",
                                "workload.bytes=16MiB", "--set", "switch.preset=tomahawk5", "--set",
                                "switch.mmu.pg_alpha_exp=-6", "--set",
                                "host.collective.all_to_all_window=32", "--set",
                                "nic.congestion_control=none")
        self.assertGreater(summary["pfc"]["xon_frames"], 0)
        self.assertLessEqual(summary["pfc"]["xon_frames"], summary["pfc"]["xoff_frames"])


class RunDirectory(sluice_case.SluiceCase):
    def test_it_holds_summary_ops_counters_and_configuration(self):
        summary = self.run_json(INCAST, *QUICK, "--out", "deep/result")
        result = self.scratch / "deep/result"
        self.assertEqual(sorted(p.name for p in result.iterdir()),
                         ["config.yaml", "counters.csv", "ops.csv", "summary.json"])
        self.assertEqual(json.loads((result / "summary.json").read_text()), summary)
        with (result / "ops.csv").open() as file:
            [row] = csv.DictReader(file)
        self.assertEqual(int(row["time_ps"]), summary["ops"][0]["time_ps"])
        with (result / "counters.csv").open() as file:
            rows = list(csv.DictReader(file))
        self.assertIn("fabric.switch0", {row["entity"][:14] for row in rows})

    def test_json_prints_the_bytes_of_summary_json(self):
        got = self.sluice("run", INCAST, *QUICK, "--json", "--out", "result")
        self.assertEqual(got.stdout, (self.scratch / "result/summary.json").read_text())

    def test_its_configuration_repeats_the_run(self):
        first = self.run_json(INCAST, *QUICK, "--set", "switch.mmu.pg_alpha_exp=-2", "--out", "one")
        again = self.run_json("one/config.yaml")
        self.assertEqual(first["result_hash"], again["result_hash"])
        self.assertEqual(first["config_hash"], again["config_hash"])

    def test_an_earlier_run_is_replaced(self):
        self.run_json(INCAST, *QUICK, "--out", "result", "--seed", "1")
        second = self.run_json(INCAST, *QUICK, "--out", "result", "--seed", "2")
        kept = json.loads((self.scratch / "result/summary.json").read_text())
        self.assertEqual(kept, second)
        self.assertEqual([p.name for p in self.scratch.iterdir()], ["result"])

    def test_a_directory_of_something_else_is_left_alone(self):
        (self.scratch / "work").mkdir()
        self.write("work/thesis.tex", "precious")
        self.assert_error(self.sluice("run", INCAST, *QUICK, "--out", "work"), 2, "work",
                          "not empty")
        self.assertEqual([p.name for p in (self.scratch / "work").iterdir()], ["thesis.tex"])

    def test_a_file_in_its_place_is_refused(self):
        path = self.write("taken", "")
        self.assert_error(self.sluice("run", INCAST, *QUICK, "--out", path), 2, "taken")


if __name__ == "__main__":
    sluice_case.main()
