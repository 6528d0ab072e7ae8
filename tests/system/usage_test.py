# SPDX-License-Identifier: Apache-2.0
# What bad usage and bad configuration get: exit code 2, one line, nothing written.
import sluice_case
from sluice_case import FABRICS

FABRIC = """\
fabric:
  type: single_switch
  hosts: 4
switch:
  mmu: {pg_alpha_ex: 0}
workload: {type: all_reduce, bytes: 1MiB}
"""


class Usage(sluice_case.SluiceCase):
    def test_a_mistyped_key_is_named_with_file_line_and_suggestion(self):
        path = self.write("typo.yaml", FABRIC)
        self.assert_error(self.sluice("run", path), 2, f"{path}:5", "pg_alpha_ex", "did you mean",
                          "pg_alpha_exp")

    def test_a_value_without_unit_is_named_with_its_line(self):
        path = self.write("unit.yaml", FABRIC.replace("pg_alpha_ex:", "pg_alpha_exp:")
                          .replace("1MiB", "1000"))
        self.assert_error(self.sluice("run", path), 2, f"{path}:6", "workload.bytes", "1000")

    def test_a_bad_override_is_named_by_its_words(self):
        self.assert_error(self.sluice("run", FABRICS / "incast16.yaml", "--set", "nic.prest=cx8"),
                          2, "--set nic.prest=cx8", "did you mean", "preset")
        self.assert_error(self.sluice("run", FABRICS / "incast16.yaml", "--set", "nic.preset=cx9"),
                          2, "nic.preset", "cx9", "cx8")

    def test_a_list_of_the_preset_is_changed_by_index(self):
        incast = FABRICS / "incast16.yaml"
        size = ("--set", "workload.bytes=256KiB")
        # DSCP 26 in traffic class 0, which is lossy: no packet is marked or paused.
        first = self.run_json(incast, *size, "--set", "switch.dscp_to_tc.26=0")
        self.assertEqual(first["ecn"]["marked"], 0)
        self.assertGreater(self.run_json(incast, *size)["ecn"]["marked"], 0)
        self.assert_error(self.sluice("run", incast, "--set", "switch.dscp_to_tc.64=0"), 2,
                          "switch.dscp_to_tc.64", "'64' is not one of the indices 0..63")
        self.assert_error(self.sluice("run", incast, "--set", "switch.scheduler.weights.x=1"), 2,
                          "switch.scheduler.weights.x", "'x' is not one of the indices 0..7")

    def test_a_value_that_does_not_fit_others_is_named_once(self):
        got = self.sluice("run", FABRICS / "incast16.yaml", "--set", "nic.mtu_bytes=1000")
        self.assert_error(got, 2, "nic.mtu_bytes: 1000")
        self.assertNotIn("nic.nic", got.stderr)

    def test_an_unknown_chip_is_told_which_there_are(self):
        got = self.sluice("run", FABRICS / "w1.yaml", "--set", "chips.foo.mode=cut_through")
        self.assert_error(got, 2, "chips.foo: no such chip; the chips here are leaf0 to spine15")
        got = self.sluice("run", FABRICS / "w1.yaml", "--set", "chips.leef3.mode=cut_through")
        self.assert_error(got, 2, "chips.leef3: no such chip (did you mean 'leaf3'?)")

    def test_a_mistyped_option_is_suggested(self):
        self.assert_error(self.sluice("run", FABRICS / "incast16.yaml", "--progres"), 2,
                          "unknown option --progres; did you mean --progress?")

    def test_a_mistyped_command_is_suggested(self):
        self.assert_error(self.sluice("rum"), 2, "did you mean 'run'?")

    def test_a_run_without_workload_and_trace_says_so(self):
        self.assert_error(self.sluice("run", FABRICS / "one-switch.yaml"), 2, "no workload",
                          "--trace")

    def test_a_missing_file_is_named(self):
        self.assert_error(self.sluice("run", "absent.yaml"), 2, "absent.yaml")
        got = self.sluice("run", FABRICS / "demo.yaml", "--trace", "absent.et")
        self.assert_error(got, 3, "absent.et")

    def test_more_ranks_than_hosts_are_refused(self):
        self.assert_error(self.sluice("run", FABRICS / "incast16.yaml", "--set",
                                      "workload.first=10"), 2, "workload")

    def test_an_invalid_configuration_writes_nothing(self):
        path = self.write("typo.yaml", FABRIC)
        before = sorted(self.scratch.rglob("*"))
        self.assertEqual(self.sluice("run", path, "--out", "a/b").returncode, 2)
        self.assertEqual(sorted(self.scratch.rglob("*")), before)

    def test_a_bad_trace_writes_nothing(self):
        trace = self.write("trace.0.et", "not a trace \0\0")
        before = sorted(self.scratch.rglob("*"))
        got = self.sluice("run", FABRICS / "demo.yaml", "--trace", trace, "--out", "a/b")
        self.assert_error(got, 3, "trace.0.et")
        self.assertEqual(sorted(self.scratch.rglob("*")), before)

    def test_environment_variables_change_nothing(self):
        words = ("run", FABRICS / "incast16.yaml", "--set", "workload.bytes=64KiB", "--quiet")
        plain = self.sluice(*words)
        self.assertEqual(plain.returncode, 0, plain.stderr)
        self.assertEqual(plain.stdout.count("\n"), 1)
        self.assertTrue(plain.stdout.startswith("ok after "), plain.stdout)


if __name__ == "__main__":
    sluice_case.main()
