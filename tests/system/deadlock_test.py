# SPDX-License-Identifier: Apache-2.0
# Field report B32 through the command line: the routing loop of two switches that ships.
import sluice_case
from sluice_case import FABRICS


class Deadlock(sluice_case.SluiceCase):
    def loop(self, rate):
        return self.sluice("run", FABRICS / "routing-loop.yaml", "--until", "5ms", "--quiet",
                           "--set", f"workload.streams.0.rate={rate}")

    def test_b32_below_50g_the_loop_runs_through(self):
        got = self.loop("45Gbps")
        self.assertEqual(got.returncode, 0, got.stderr)

    def test_b32_above_50g_it_ends_as_a_deadlock_with_the_circle_named(self):
        self.assert_error(self.loop("55Gbps"), 5, "deadlock",
                          "s0.port1 prio 3 -> s1.port1 prio 3 -> s0.port1")

    def test_b32_the_summary_says_deadlock(self):
        summary = self.run_json(FABRICS / "routing-loop.yaml", "--until", "5ms", "--set",
                                "workload.streams.0.rate=55Gbps", code=5)
        self.assertEqual(summary["verdict"], "deadlock")
        self.assertGreater(summary["drops"]["ttl_expired"], 0)


if __name__ == "__main__":
    sluice_case.main()
