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

from sluice_case import BINARY, FABRICS, SluiceCase, main

# Of each block: a fault that what these runs ask of it shows, and the lines that are requests.
BLOCKS = {
    "ar_select": (4, {"pick"}),
    "cell_buffer": (4, {"enqueue", "dequeue", "release"}),
    "dcqcn_rp": (1, {"add", "cnp", "sent", "read", "rtt"}),
    "ecmp_hash": (4, {"bucket"}),
    "egress_scheduler": (1, {"pick", "emptied", "sent", "held"}),
    "mmu_admission": (6, {"admit", "release"}),
    "pfc_rx": (1, {"frame", "look"}),
    "pfc_tx": (5, {"xoff", "xon", "refresh"}),
    "psn_tracker": (1, {"add", "packet", "go_back", "skip", "silence"}),
    "qp_scheduler": (1, {"ready", "remove", "count", "wait", "wake"}),
    "wred_marker": (6, {"decide"}),
}
WORKLOAD = ["--set", "workload.bytes=256KiB"]
RUNS = {
    "all-to-all": [FABRICS / "rtl-all-to-all.yaml", *WORKLOAD],
    "hashed": [FABRICS / "rtl-all-to-all.yaml", *WORKLOAD, "--set", "switch.routing.mode=ecmp"],
    "incast": [FABRICS / "incast16.yaml", *WORKLOAD, "--set", "switch.mmu.port_alpha_enabled=false",
               "--set", "switch.mmu.pg_alpha_exp=-5"],
}


def requests_in(path):
    kinds = BLOCKS[path.name.split(".")[0]][1]
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
        cls.richest = {block: max(paths, key=requests_in) for block, paths in cls.records.items()}

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
            for path in paths:
                with self.subTest(block=block, record=f"{path.parent.name}/{path.name}"):
                    requests = requests_in(path)
                    got = self.sluice("cosim", block, "--replay", path)
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
        got = self.sluice("cosim", "wred_marker", "--replay", folder / "r.txt", "--fault", 6, "--out", folder)
        again = re.search(r"again +(.*)", got.stdout)[1]
        repeated = subprocess.run(["sh", "-c", again], capture_output=True, text=True, cwd="/", check=False)
        self.assertEqual((repeated.returncode, repeated.stderr), (6, got.stderr))

    @each_block
    def test_a_record_that_is_cut_is_refused(self, block, path):
        lines = path.read_text().splitlines(keepends=True)
        middle = len(lines) - 2
        self.refuses(block, "".join(lines[:middle]) + lines[middle][:-2], middle + 1, "the record is cut")
        self.refuses(block, "".join(lines[:middle]), middle + 1, "'end REQUESTS'", "end of the file")
        self.refuses(block, "".join(lines[:1]), 2, "configuration", "end of the file")
        self.refuses(block, "", 1, f"'record {block} 1'", "end of the file")

    @each_block
    def test_a_record_with_a_bad_number_is_refused(self, block, path):
        lines = path.read_text().splitlines(keepends=True)
        requests = [i for i, line in enumerate(lines) if i and line.split()[0] in BLOCKS[block][1]]
        for at in (1, requests[0], requests[-1]):
            start, _, last = lines[at].rstrip("\n").rpartition(" ")
            for bad in ("", "x", "-1", f"{last}x", f"{last} 1", "1" * 25):
                if lines[at].startswith("alternates") and bad == "":
                    continue  # an empty list
                text = "".join([*lines[:at], f"{start} {bad}\n", *lines[at + 1:]])
                self.refuses(block, text, at + 1)

    @each_block
    def test_a_record_of_another_block_is_refused(self, block, path):
        others = [other for other in BLOCKS if other != block]
        for other in others:
            text = self.richest[other].read_text()
            self.refuses(block, text, 1, f"'record {block} 1'", f"found 'record {other} 1'")
        # Nor does its first line make it one: the lines behind it are read as what they are.
        text = path.read_text().splitlines(keepends=True)
        body = self.richest[others[0]].read_text().splitlines(keepends=True)[1:]
        self.refuses(block, "".join([text[0], *body]), 2)

    @each_block
    def test_a_file_of_something_else_is_refused(self, block, path):
        lines = path.read_text().splitlines(keepends=True)
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
                (["pfc_rx", "--replay", self.scratch], "a file that can be read"),
                (["pfc_rx", "--replay", "missing.txt"], "a file that can be read"),
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
