# SPDX-License-Identifier: Apache-2.0
# Runs the program and looks at what it answers; every system test is a SluiceCase.
# Leaves out: the tests themselves. By hand: SLUICE_BINARY=build/release/sluice python3 run_test.py
import json
import os
import pathlib
import subprocess
import tempfile
import unittest

SOURCE = pathlib.Path(os.environ.get("SLUICE_SOURCE_DIR", pathlib.Path(__file__).parents[2]))
BINARY = os.environ.get("SLUICE_BINARY", str(SOURCE / "build/release/sluice"))
FABRICS = SOURCE / "testbenches/fabrics"
TRACES = SOURCE / "traces"
CORPUS = SOURCE.parent / "shared/corpus"


class SluiceCase(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.scratch = pathlib.Path(scratch.name)

    def sluice(self, *words, timeout=300):
        return subprocess.run([BINARY, *map(str, words)], capture_output=True, text=True,
                              timeout=timeout, cwd=self.scratch, check=False)

    def run_json(self, fabric, *words, code=0, timeout=300):
        """The summary of a run that ends with `code`."""
        got = self.sluice("run", fabric, "--json", *words, timeout=timeout)
        self.assertEqual(got.returncode, code, got.stderr)
        return json.loads(got.stdout)

    def assert_error(self, got, code, *parts):
        """Exit code `code` and one line on stderr that holds all parts."""
        self.assertEqual(got.returncode, code, got.stderr)
        self.assertTrue(got.stderr.startswith("sluice: "), got.stderr)
        self.assertEqual(got.stderr.count("\n"), 1, got.stderr)
        for part in parts:
            self.assertIn(str(part), got.stderr)

    def assert_balanced(self, summary):
        ledger = summary["ledger"]
        self.assertEqual(ledger["bytes_in"], ledger["bytes_simulated"] + ledger["bytes_skipped"])
        self.assertEqual(ledger["bytes_skipped"], sum(s["bytes"] for s in ledger["skipped"]))

    def write(self, name, text):
        path = self.scratch / name
        path.write_text(text)
        return path


main = unittest.main
