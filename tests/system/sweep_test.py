# SPDX-License-Identifier: Apache-2.0
# `sluice sweep` from outside: the table, points at once, resuming after a kill, points that fail,
# checkers, and what is refused. Leaves out: the shipped studies (studies_test.py).
import csv
import os
import signal
import subprocess
import time

import sluice_case
from sluice_case import BINARY, FABRICS

INCAST = """
fabric: {type: single_switch, hosts: 5}
switch: {mmu: {port_alpha_enabled: false, pg_alpha_exp: -7}}
nic: {congestion_control: none}
workload: {type: incast, dst: 0, first: 1, count: 4, bytes: 256KiB}
"""
STUDY = """
fabric: incast.yaml
replicas: 2
axes:
  - {name: bytes, key: workload.bytes, list: [64KiB, 256KiB, 1MiB]}
  - {key: workload.count, range: {from: 2, to: 4, step: 1}}
columns:
  delivered: packets_delivered
  time_ps: ops.0.time_ps
  hash: result_hash
  xoffs: pfc.xoff_frames
  worst_group: {kind: pg, counter: peak_cells, take: max}
"""
LOSSY = (STUDY.replace("replicas: 2", "set: {switch: {pfc: {enabled: false}}}")
         .replace("256KiB, 1MiB]", "256KiB, 8MiB]"))


class Sweep(sluice_case.SluiceCase):
    def setUp(self):
        super().setUp()
        self.write("incast.yaml", INCAST)

    def sweep(self, text=STUDY, *words, out="out", code=0):
        self.write("study.yaml", text)
        got = self.sluice("sweep", "study.yaml", "--out", out, *words)
        self.assertEqual(got.returncode, code, got.stderr)
        return got

    def table(self, out="out", name="table.csv"):
        with open(self.scratch / out / name, newline="") as file:
            return list(csv.DictReader(file))

    def test_a_row_a_point_in_order_whatever_runs_at_once(self):
        got = self.sweep(STUDY, "--jobs", 1)
        rows = self.table()
        self.assertEqual([int(row["point"]) for row in rows], list(range(18)))
        self.assertEqual([row["bytes"] for row in rows], ["64KiB"] * 6 + ["256KiB"] * 6 + ["1MiB"] * 6)
        self.assertEqual([row["workload.count"] for row in rows[:6]], ["2", "2", "3", "3", "4", "4"])
        self.assertEqual([row["seed"] for row in rows[:2]], ["1", "2"])
        for row in rows:  # 4096 B a packet
            packets = {"64KiB": 16, "256KiB": 64, "1MiB": 256}[row["bytes"]]
            self.assertEqual(int(row["delivered"]), packets * int(row["workload.count"]))
            self.assertEqual(row["verdict"], "ok")
        self.assertIn("18 of 18 points, 0 failed", got.stdout)
        self.assertEqual(self.table(name="failed.csv"), [])
        self.sweep(STUDY, "--jobs", 3, out="other")
        self.assertEqual((self.scratch / "out/table.csv").read_bytes(),
                         (self.scratch / "other/table.csv").read_bytes())

    def test_a_row_is_what_the_run_alone_says(self):
        self.sweep()
        row = self.table()[9]
        summary = self.run_json("incast.yaml", "--seed", row["seed"], "--set",
                                f"workload.bytes={row['bytes']}", "--set",
                                f"workload.count={row['workload.count']}")
        self.assertEqual(row["hash"], summary["result_hash"])
        self.assertEqual(int(row["time_ps"]), summary["ops"][0]["time_ps"])
        self.assertEqual(int(row["xoffs"]), summary["pfc"]["xoff_frames"])

    def test_a_killed_sweep_goes_on_to_the_same_table(self):
        # So many points that the sweep is never over before it is killed.
        study = STUDY.replace("replicas: 2", "replicas: 10")
        self.sweep(study, "--jobs", 2, out="whole")
        whole = (self.scratch / "whole/table.csv").read_bytes()
        for records in (1, 7):  # kill when so many points have ended
            child = subprocess.Popen([BINARY, "sweep", "study.yaml", "--jobs", "2", "--out", "cut"],
                                     cwd=self.scratch, stdout=subprocess.DEVNULL,
                                     stderr=subprocess.DEVNULL)
            points = self.scratch / "cut/points"
            deadline = time.monotonic() + 120
            while len(list(points.glob("0*.json"))) < records and child.poll() is None:
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.002)
            child.send_signal(signal.SIGKILL)
            child.wait()
            self.assertFalse((self.scratch / "cut/table.csv").exists())
        got = self.sweep(study, "--jobs", 2, out="cut")
        self.assertEqual((self.scratch / "cut/table.csv").read_bytes(), whole)
        self.assertNotIn(" 0 of them from an earlier sweep", got.stdout)
        left = [name for name in os.listdir(points) if "partial" in name or name.endswith(".err")]
        self.assertEqual(left, [])

    def test_only_what_changed_runs_again(self):
        self.sweep()
        self.assertIn("18 runs, 18 of them from an earlier sweep", self.sweep().stdout)
        more = STUDY.replace("1MiB]", "1MiB, 2MiB]")
        self.assertIn("24 runs, 18 of them from an earlier sweep", self.sweep(more).stdout)
        self.write("incast.yaml", INCAST.replace("pg_alpha_exp: -7", "pg_alpha_exp: -6"))
        self.assertIn("24 runs, 0 of them from an earlier sweep", self.sweep(more).stdout)

    def test_a_selection_is_a_part_of_the_whole_table(self):
        self.sweep(out="whole")
        self.sweep(STUDY, "--only", "bytes=64KiB", "--only", "bytes=1MiB", "--only",
                   "workload.count=3")
        self.assertEqual(self.table(), [row for row in self.table("whole")
                                        if row["bytes"] != "256KiB" and row["workload.count"] == "3"])

    def test_a_search_finds_the_smallest_value_at_every_point(self):
        text = """
fabric: incast.yaml
axes: [{name: alpha_exp, key: switch.mmu.pg_alpha_exp, list: [-8, -7]}]
search: {key: workload.count, from: 1, to: 4, when: xoffs}
columns: {xoffs: pfc.xoff_frames}
"""
        self.sweep(text)
        for row in self.table():
            for count in range(1, 5):
                summary = self.run_json("incast.yaml", "--set", f"workload.count={count}", "--set",
                                        f"switch.mmu.pg_alpha_exp={row['alpha_exp']}")
                self.assertEqual(summary["pfc"]["xoff_frames"] > 0,
                                 bool(row["workload.count"]) and count >= int(row["workload.count"]))

    def test_a_misspelt_counter_is_refused_before_anything_runs(self):
        got = self.sweep(STUDY.replace("peak_cells", "peak_cels"), code=2)
        self.assertEqual(got.stderr.count("\n"), 1)
        for part in ("study.yaml:12", "columns.worst_group", "'peak_cels'", "'peak_cells'?"):
            self.assertIn(part, got.stderr)
        self.assertFalse((self.scratch / "out").exists())

    def test_failed_points_are_kept_apart_and_give_the_exit_code(self):
        # Without PFC 8 MiB from each sender overrun its lossless group: exit 4; 64 KiB do not.
        text = LOSSY
        got = self.sweep(text, code=4)
        self.assertEqual(got.stderr.count("\n"), 1)
        failed = self.table(name="failed.csv")
        rows = self.table()
        self.assertGreater(len(failed), 0)
        self.assertGreater(len(rows), 0)
        self.assertEqual(sorted(int(r["point"]) for r in rows + failed), list(range(9)))
        for row in failed:
            self.assertEqual(row["exit"], "4")
            self.assertIn("NOT LOSSLESS", row["message"])
        self.assertIn("failed.csv", got.stderr)
        self.assertIn(f"failed         point {failed[0]['point']}, exit 4", got.stdout)

    def test_a_drop_may_be_a_result(self):
        self.sweep(LOSSY + "expect: [not_lossless]\n")
        verdicts = {row["verdict"] for row in self.table()}
        self.assertEqual(verdicts, {"ok", "not_lossless"})
        self.assertEqual(self.table(name="failed.csv"), [])

    def test_the_checker_judges_the_table(self):
        self.write("yes.py", "import sys, os\nassert os.path.exists(sys.argv[1])\nprint('fits')\n")
        self.write("no.py", "import sys\nsys.exit(7)\n")
        self.write("broken.py", "raise ValueError\n")
        self.assertIn("fits", self.sweep(STUDY + "checker: yes.py\n").stdout)
        got = self.sweep(STUDY + "checker: no.py\n", code=7)
        self.assertIn("tolerances", got.stderr)
        self.sweep(STUDY + "checker: broken.py\n", code=1)
        self.sweep(STUDY + "checker: no.py\n", "--no-check")

    def test_progress_goes_to_stderr_alone(self):
        got = self.sweep(STUDY, "--progress")
        self.assertIn("18/18 points", got.stderr)
        self.assertEqual(self.sweep(STUDY, "--quiet").stdout, "")

    def test_what_is_wrong_is_said_in_one_line_before_anything_runs(self):
        def refused(text, *parts, words=()):
            self.write("study.yaml", text)
            self.assert_error(self.sluice("sweep", "study.yaml", "--out", "none", *words), 2, *parts)
            self.assertFalse((self.scratch / "none").exists())

        refused(STUDY.replace("list: [64KiB,", "list: [64Kib,"), "study.yaml:5", "64Kib")
        refused(STUDY.replace("key: workload.count", "key: workload.coun"), "study.yaml:6",
                "did you mean 'count'?")
        refused(STUDY.replace("pfc.xoff_frames", "cpu_s"), "study.yaml:11", "differs from run to run")
        refused(STUDY, "--set workload.count=3", "is an axis", words=("--set", "workload.count=3"))
        refused(STUDY, "--set workload.cont=3", "did you mean", words=("--set", "workload.cont=3"))
        refused(STUDY, "--only bytes=5KiB", "one of 64KiB, 256KiB, 1MiB",
                words=("--only", "bytes=5KiB"))
        refused(STUDY, "--quick", "no section quick", words=("--quick",))
        refused(STUDY, "--jobs 0", words=("--jobs", "0"))
        self.write("study.yaml", STUDY)
        self.assert_error(self.sluice("sweep", "study.yaml"), 2, "missing: out")
        self.assert_error(self.sluice("sweep", "study.yaml", "--out", "."), 2, "no earlier sweep")
        # A misspelt column is found with the first point.
        text = STUDY.replace("pfc.xoff_frames", "pfc.xoff")
        self.write("study.yaml", text)
        self.assert_error(self.sluice("sweep", "study.yaml", "--out", "out"), 2, "study.yaml:11",
                          "pfc.xoff")

    def test_the_shipped_example_of_its_help_is_there(self):
        help_text = self.sluice("sweep", "--help").stdout
        example = help_text.split("example:\n")[1].split()
        self.assertTrue((FABRICS.parent.parent / example[2]).exists(), example)


if __name__ == "__main__":
    sluice_case.main()
