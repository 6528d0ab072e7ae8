# SPDX-License-Identifier: Apache-2.0
"""Requests recorded at every block's boundary in running fabrics and replayed into its bench: all of
them are replayed, a fault is found on them, a damaged record is refused. Skipped, saying so, where the
build has no RTL. Leaves out: generated stimulus (tests/cosim), captures of frames (rtl_test.py)."""
import collections
import functools
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest
from concurrent.futures import ThreadPoolExecutor

from sluice_case import BINARY, FABRICS, SluiceCase, main

# Of each block: a fault, the run whose requests show it, and the lines that are requests.
BLOCKS = {
    "ar_select": (7, "all-to-all", {"pick"}),
    "cell_buffer": (8, "all-to-all", {"enqueue", "dequeue", "release"}),
    "dcqcn_rp": (1, "incast", {"add", "cnp", "sent", "read", "rtt"}),
    "ecmp_hash": (4, "hashed", {"bucket"}),
    "egress_scheduler": (1, "hashed", {"pick", "emptied", "sent", "held"}),
    "mmu_admission": (5, "all-to-all", {"admit", "release"}),
    "pfc_rx": (1, "all-to-all", {"frame", "look"}),
    "pfc_tx": (1, "incast", {"xoff", "xon", "refresh"}),
    "psn_tracker": (1, "incast", {"add", "packet", "go_back", "skip", "silence"}),
    "qp_scheduler": (4, "all-to-all", {"ready", "remove", "count", "wait", "wake"}),
    "wred_marker": (1, "all-to-all", {"decide"}),
}
TIGHT = ["--set", "switch.mmu.port_alpha_enabled=false", "--set", "switch.mmu.pg_static_bytes=60KB"]
RUNS = {
    "all-to-all": [FABRICS / "rtl-all-to-all.yaml"],
    "hashed": [FABRICS / "rtl-all-to-all.yaml", "--set", "workload.bytes=1MiB",
               "--set", "switch.routing.mode=ecmp", "--set", "switch.scheduler.strict_queues=[]",
               "--rtl-scope", "leaf0"],
    "incast": [FABRICS / "incast16.yaml", *TIGHT, "--set", "workload.bytes=512KiB",
               "--set", "switch.ecn.kmin_bytes=50KB", "--set", "switch.ecn.weight=1"],
}


def requests_in(path):
    kinds = BLOCKS[path.name.split(".")[0]][2]
    return sum(line.split(" ", 1)[0] in kinds for line in path.read_text().splitlines()[1:])


def each_block(test):
    """Runs a test with every block and the record that asks it most."""

    @functools.wraps(test)
    def run(self):
        for block in BLOCKS:
            with self.subTest(block=block):
                test(self, block, self.richest[block])

    return run


class Replay(SluiceCase):
    @classmethod
    def setUpClass(cls):
        help_text = subprocess.run([BINARY, "cosim", "--help"], capture_output=True, text=True, check=False)
        if "no RTL" in help_text.stderr:
            raise unittest.SkipTest("this build has no RTL (SLUICE_RTL=OFF)")
        kept = tempfile.TemporaryDirectory()
        cls.addClassCleanup(kept.cleanup)
        cls.records = collections.defaultdict(list)
        for name, words in RUNS.items():
            folder = pathlib.Path(kept.name, name)
            subprocess.run([BINARY, "run", *words, "--quiet", "--rtl-record", folder], check=True)
            for path in sorted(folder.iterdir()):
                cls.records[path.name.split(".")[0]].append(path)
        cls.richest = {
            block: max((path for path in cls.records[block] if path.parent.name == run), key=requests_in)
            for block, (_, run, _) in BLOCKS.items()}

    def short(self, block, requests=6):
        """The lines of a whole record with so many requests of a block."""
        lines, left = [], requests
        for line in self.richest[block].read_text().splitlines(keepends=True):
            is_request = line.split()[0] in BLOCKS[block][2] and bool(lines)
            if is_request and left == 0:
                break
            left -= is_request
            lines.append(line)
        return [*lines, f"end {requests}\n"]

    def refuses(self, block, text, line, *parts):
        path = self.write("damaged.txt", text)
        got = self.sluice("cosim", block, "--replay", path)
        self.assert_error(got, 2, f"--replay {path}:{line}: expected ", *parts)

    def test_every_block_of_a_fabric_is_recorded(self):
        got = self.sluice("run", FABRICS / "incast16.yaml", "--rtl", "?")
        self.assertEqual(re.search(r"\((.*)\)", got.stderr)[1].split(", "), sorted(BLOCKS))
        self.assertEqual(set(self.records), set(BLOCKS))

    def test_all_requests_of_all_records_are_replayed(self):
        for block, paths in self.records.items():
            replayed = 0
            replay = functools.partial(self.sluice, "cosim", block, "--replay")
            with ThreadPoolExecutor(2) as both_cores:
                answers = list(both_cores.map(replay, paths))
            for path, got in zip(paths, answers):
                with self.subTest(block=block, record=f"{path.parent.name}/{path.name}"):
                    requests = requests_in(path)
                    if requests == 0:  # a replay of nothing shows nothing
                        self.assert_error(got, 2, "the record holds no requests")
                        continue
                    self.assertEqual(got.returncode, 0, got.stderr)
                    said = re.search(r"cycles, (\d+) transactions, equal", got.stdout)
                    self.assertEqual(int(said[1]), requests)
                    replayed += requests
            self.assertGreater(replayed, 100, block)

    @each_block
    def test_a_fault_is_found_and_the_command_that_repeats_it_runs_anywhere(self, block, path):
        elsewhere = self.scratch / block
        elsewhere.mkdir()
        fault = BLOCKS[block][0]
        near = os.path.relpath(path, self.scratch)
        got = self.sluice("cosim", block, "--replay", near, "--fault", fault)
        self.assert_error(got, 6, f"{block} differs in cycle ", "model ", "RTL ", "(seed 1)")
        again = shlex.split(re.search(r"again +(.*)", got.stdout)[1])
        repeated = subprocess.run(again, capture_output=True, text=True, cwd=elsewhere, check=False)
        self.assertEqual((repeated.returncode, repeated.stderr), (6, got.stderr))
        cycle = int(re.search(r"in cycle (\d+): ", got.stderr)[1])
        wave = f"{block}-seed1.fst (cycles {max(0, cycle - 100)} to {cycle + 100})"
        self.assertIn(wave, repeated.stdout)
        self.assertGreater((elsewhere / f"{block}-seed1.fst").stat().st_size, 0)

    def test_a_fault_is_found_in_a_path_that_a_shell_would_split(self):
        folder = self.scratch / "it's two words"
        folder.mkdir()
        (folder / "r.txt").write_bytes(self.richest["wred_marker"].read_bytes())
        got = self.sluice("cosim", "wred_marker", "--replay", folder / "r.txt", "--fault", 1, "--out", folder)
        again = re.search(r"again +(.*)", got.stdout)[1]
        repeated = subprocess.run(["sh", "-c", again], capture_output=True, text=True, cwd="/", check=False)
        self.assertEqual((repeated.returncode, repeated.stderr), (6, got.stderr))

    @each_block
    def test_a_record_that_is_cut_is_refused(self, block, _):
        lines = self.short(block)
        got = self.sluice("cosim", block, "--replay", self.write("whole.txt", "".join(lines)))
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertIn(" 6 transactions, equal", got.stdout)
        middle = len(lines) - 2
        self.refuses(block, "".join(lines[:middle]) + lines[middle][:-2], middle + 1, "the record is cut")
        self.refuses(block, "".join(lines[:middle]), middle + 1, "'end REQUESTS'", "end of the file")
        self.refuses(block, "".join(lines[:1]), 2, "configuration", "end of the file")
        self.refuses(block, "", 1, f"'record {block} 1'", "end of the file")

    @each_block
    def test_a_record_with_a_bad_number_is_refused(self, block, _):
        lines = self.short(block)
        first = next(i for i, line in enumerate(lines) if i and line.split()[0] in BLOCKS[block][2])
        for at, bads in ((1, ("x", "1" * 25)), (first, ("", "x", "-1", "1x", "1 1", "1" * 25))):
            start = lines[at].rstrip("\n").rpartition(" ")[0]
            for bad in bads:
                self.refuses(block, "".join([*lines[:at], f"{start} {bad}\n", *lines[at + 1:]]), at + 1)

    @each_block
    def test_a_record_of_another_block_is_refused(self, block, _):
        names = list(BLOCKS)
        for other in (names[names.index(block) - 1], names[names.index(block) - 2]):
            lines = self.short(other)
            self.refuses(block, "".join(lines), 1, f"'record {block} 1'", f"found 'record {other} 1'")
            # Nor does its first line make it one: the lines behind it are read as what they are.
            self.refuses(block, "".join([f"record {block} 1\n", *lines[1:]]), 2)

    @each_block
    def test_a_file_of_something_else_is_refused(self, block, _):
        lines = self.short(block)
        self.refuses(block, "nonsense 1 2\n", 1, f"'record {block} 1'")
        self.refuses(block, "".join([*lines[:-1], "nonsense 1 2\n", lines[-1]]), len(lines))
        self.refuses(block, "".join([*lines[:-1], "end 1000000\n"]), len(lines), "as many as")

    def test_a_block_outside_of_fabrics_refuses_a_replay(self):
        path = self.richest["pfc_rx"]
        for block in ("ingress_arbiter", "cell_memory_banks", "rs_fec"):
            got = self.sluice("cosim", block, "--replay", path)
            self.assert_error(got, 2, f"nothing records {block}")
        for block in ("icrc_engine", "switch_slice"):
            got = self.sluice("cosim", block, "--replay", path)
            self.assertIn(got.returncode, (2, 3))
            self.assert_error(got, got.returncode, path)

    def test_words_that_would_change_nothing_are_refused(self):
        path = self.richest["pfc_rx"]
        for words, part in (
                (["pfc_rx", "--replay", path, "--cycles", 9], "--cycles has no place"),
                (["pfc_rx", "pfc_tx", "--replay", path], "name it"),
                (["pfc_rx", "--replay", self.scratch], "cannot be read"),
                (["pfc_rx", "--replay", "missing.txt"], "cannot be read"),
                (["pfc_rx", "--replay", ""], "expected a path"),
                (["pfc_rx", "--faults", "--fault", 1], "exclude each other"),
                (["pfc_rx", "--faults", "--out", "waves"], "--out has no place"),
                (["pfc_rx", "pfc_tx", "--fault", 1], "name it"), (["--fault", 1], "name it"),
                (["pfc_rx", "--fault", 65537], "has faults 1..9"),
                (["pfc_rx", "--fault", 0], "has faults 1..9"),
                (["pfc_rx", "--junit", "missing/j.xml"], "cannot write"),
                (["pfc_rx", "--out", "/dev/null/waves"], "--out")):
            with self.subTest(words=words[1:]):
                self.assert_error(self.sluice("cosim", *words), 2, part)

    def test_seeds_give_a_replay_other_start_values_and_faults_run_on_it(self):
        path = self.richest["pfc_rx"]
        got = self.sluice("cosim", "pfc_rx", "--replay", path, "--seeds", 3, "--seed", 5)
        self.assertEqual(got.returncode, 0, got.stderr)
        self.assertEqual(re.findall(r"seed (\d+): .* equal", got.stdout), ["5", "6", "7"])
        # No fabric sends damaged frames: not every fault shows on a record, and the record is named.
        got = self.sluice("cosim", "pfc_rx", "--replay", path, "--faults")
        self.assertEqual(got.returncode, 1)
        self.assertIn(f"{path} does not see fault 2", got.stderr)


main()
