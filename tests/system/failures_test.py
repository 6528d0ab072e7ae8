# SPDX-License-Identifier: Apache-2.0
# Cables that fail under running jobs, through the program: flows recover, losses have their own
# reason, mistakes in the section are named. Leaves out: exact instants (tests/golden).
import sluice_case

FABRIC = """
fabric: {type: leaf_spine, leaves: 2, spines: 4, hosts_per_leaf: 4, link: {rate: 400Gbps, length: 30m}}
switch: {preset: spectrum4, routing: {%s}}
workload: {type: incast, dst: 4, first: 0, count: 4, bytes: 8MiB}
%s
"""


class Failures(sluice_case.SluiceCase):
    def failing(self, routing, failures, *words, code=0):
        path = self.write("f.yaml", FABRIC % (routing, failures))
        return self.run_json(path, *words, code=code)

    def test_flows_recover_from_a_failed_uplink(self):
        for routing in ("mode: dlb", "mode: ar, ar: {granularity: flowlet}",
                        "mode: dlb, failover_time: 1ms", "mode: ecmp, failover_time: 100us"):
            summary = self.failing(
                routing, "failures: [{link: leaf0.spine0, at: 50us, until: 400us}, "
                "{link: leaf0.spine1, at: 60us, until: 400us}, "
                "{link: leaf0.spine2, at: 60us, until: 400us}]")
            self.assertEqual(summary["verdict"], "ok", routing)
            self.assertEqual(summary["bytes_delivered"], 4 * 8 << 20, routing)
            self.assertGreater(summary["drops"]["link_down"], 0, routing)
            self.assertGreater(summary["retransmitted_packets"], 0, routing)

    def test_a_hosts_own_cable_may_fail_too(self):
        summary = self.failing("mode: ecmp", "failures: [{link: leaf0.port1, at: 50us, until: 80us}]")
        self.assertEqual(summary["verdict"], "ok")
        self.assertEqual(summary["bytes_delivered"], 4 * 8 << 20)
        self.assertGreater(summary["drops"]["link_down"], 0)

    def test_a_failure_after_the_end_changes_nothing(self):
        plain = self.failing("mode: dlb", "")
        late = self.failing("mode: dlb", "failures: [{link: leaf0.spine0, at: 90ms}]")
        self.assertEqual(plain["drops"], late["drops"])
        self.assertEqual(plain["simulated_ps"], late["simulated_ps"])

    def test_the_same_run_twice_is_the_same(self):
        for routing in ("mode: dlb", "mode: ar, ar: {granularity: flowlet, refresh: 1us}"):
            failures = "failures: [{link: leaf0.spine0, at: 50us, until: 300us}]"
            first = self.failing(routing, failures)
            self.assertEqual(first["result_hash"], self.failing(routing, failures)["result_hash"])

    def test_mistakes_are_named(self):
        path = self.write("f.yaml", FABRIC % ("mode: ar", "failures: [{link: leaf0.spine9}]"))
        self.assert_error(self.sluice("run", path), 2, "f.yaml:", "failures", "leaf0.spine9",
                          "leaf0 to spine3")
        path = self.write("f.yaml", FABRIC % ("mode: dlb, dlb: {idle_time: 0us}", ""))
        self.assert_error(self.sluice("run", path), 2, "dlb.idle_time", "1us..2.047ms")


if __name__ == "__main__":
    sluice_case.main()
