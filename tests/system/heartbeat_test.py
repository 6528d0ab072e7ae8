# SPDX-License-Identifier: Apache-2.0
# The heartbeat of a run of some seconds: it is there when asked for, and changes nothing.
import json

import sluice_case
from sluice_case import FABRICS

# Long enough for a line a second, short enough for a test: some 2 x 10^7 packet-hops.
LONG = ("run", FABRICS / "w1.yaml", "--json", "--set", "workload.bytes=192MiB")
LINE = (r"(?m)^sluice: [0-9.]+ us simulated, [0-9.]+ M events/s, [0-9.]+ % of trace "
        r"\(\d+/\d+ ops\), ETA (unknown|\d+ s), RSS \d+ MiB$")


class Heartbeat(sluice_case.SluiceCase):
    def test_progress_prints_lines_and_changes_no_result(self):
        silent = self.sluice(*LONG)
        watched = self.sluice(*LONG, "--progress")
        self.assertEqual(silent.returncode, 0, silent.stderr)
        self.assertEqual(silent.stderr, "")
        self.assertRegex(watched.stderr, LINE)
        one, other = json.loads(silent.stdout), json.loads(watched.stdout)
        self.assertEqual(one["result_hash"], other["result_hash"])
        self.assertEqual(one["events"], other["events"])
        self.assertLessEqual(watched.stderr.count("\n"), other["wall_s"] + 1)


if __name__ == "__main__":
    sluice_case.main()
