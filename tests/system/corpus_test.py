# SPDX-License-Identifier: Apache-2.0
# Real Chakra traces and NCCL logs beside the project: each replays with a balanced ledger or ends
# with exit code 3 or 5 and one clear line. Skipped where they are not there.
import json
import unittest

import sluice_case
from sluice_case import CORPUS, FABRICS

ITEMS = [item for kind in ("chakra", "nccl_log") for item in sorted((CORPUS / kind).glob("*"))
         if not item.name.startswith((".", "README"))]
LONG_BYTES = 100 << 30


@unittest.skipUnless(ITEMS, f"no corpus at {CORPUS}")
class Corpus(sluice_case.SluiceCase):
    def test_each_item_replays_or_is_refused_in_one_line(self):
        for item in ITEMS:
            with self.subTest(item=item.name):
                self.replay(item)

    def replay(self, item):
        # A log of some terabytes takes minutes: its first part will do here.
        info = self.sluice("trace", "info", item, "--json")
        long = info.returncode == 0 and json.loads(info.stdout)["ledger"]["bytes_in"] > LONG_BYTES
        got = self.sluice("run", FABRICS / "one-switch.yaml", "--trace", item, "--json",
                          *(("--until", "50ms") if long else ()), timeout=120)
        if got.returncode in (3, 5):
            self.assert_error(got, got.returncode)
            print(f"{item.name}: exit {got.returncode}: {got.stderr.strip()}")
        else:
            self.assertEqual(got.returncode, 0, got.stderr)
        if got.stdout:
            summary = json.loads(got.stdout)
            self.assert_balanced(summary)
            print(f"{item.name}: {summary['verdict']}, {summary['ledger']['bytes_in']} B in, "
                  f"{summary['ledger']['bytes_skipped']} B skipped")


if __name__ == "__main__":
    sluice_case.main()
