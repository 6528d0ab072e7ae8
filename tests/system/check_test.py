# SPDX-License-Identifier: Apache-2.0
# `sluice check` as a user meets it: tables, JSON, exit codes, and the figures of public buffers.
# Leaves out: the arithmetic, which unit tests hold to closed forms.
import json

from sluice_case import CORPUS, FABRICS, SluiceCase, main


class Check(SluiceCase):
    def check_json(self, *words, code=0):
        got = self.sluice("check", *words, "--json")
        self.assertEqual(got.returncode, code, got.stderr)
        return json.loads(got.stdout)

    def test_every_shipped_fabric_is_lossless_or_says_why(self):
        for fabric in sorted(FABRICS.glob("*.yaml")):
            got = self.sluice("check", fabric)
            with self.subTest(fabric.name):
                if fabric.name == "th6-overcommit.yaml":
                    self.assert_error(got, 2, "808546", "636183", "172363")
                else:
                    self.assertIn(got.returncode, (0, 4), got.stderr)
                    self.assertIn("verdict: ", got.stdout)

    def test_w1_is_lossless_and_the_terms_sum_up(self):
        report = self.check_json(FABRICS / "w1.yaml")
        self.assertEqual((report["verdict"], report["exit_code"]), ("ok", 0))
        for found in report["headroom"]:
            loop = found["loop"]
            self.assertEqual(loop["ps"], sum(term["ps"] for term in loop["terms"]))
            self.assertGreaterEqual(found["configured"]["cells"], found["required"]["cells"])
        self.assertEqual({found["peer"] for found in report["headroom"]}, {"NIC", "chip"})
        self.assertEqual(report["estimate"]["packets"], 1048576)

    def test_the_same_words_give_the_same_json(self):
        words = ("check", FABRICS / "w3.yaml", "--json")
        self.assertEqual(self.sluice(*words).stdout, self.sluice(*words).stdout)

    def test_no_headroom_ends_with_4_and_names_port_and_group(self):
        got = self.sluice("check", FABRICS / "incast16.yaml", "--set", "switch.mmu.xoff_bytes=0")
        self.assert_error(got, 4, "NOT LOSSLESS", "switch0 port 0 PG 3")
        self.assertIn("TOO SMALL", got.stdout)

    def test_forty_kilometres_are_not_feasible(self):
        got = self.sluice("check", FABRICS / "incast16.yaml", "--set", "fabric.link.length=40km")
        self.assert_error(got, 4, "not feasible lossless", "cells")

    def test_a_frame_size_replaces_the_worst_mix(self):
        mix = self.check_json(FABRICS / "incast16.yaml")["headroom"][0]["required"]["cells"]
        large = self.check_json(FABRICS / "incast16.yaml", "--frame",
                                "4158")["headroom"][0]["required"]["cells"]
        self.assertLess(large, mix / 2)
        self.assert_error(self.sluice("check", FABRICS / "w1.yaml", "--frame", "9217"), 2,
                          "--frame", "64..9216")

    def test_shared_headroom_of_the_sonic_configuration(self):
        fabric = FABRICS / "th5-sonic.yaml"
        configuration = CORPUS / "sonic/th5_o128s2"
        if not fabric.exists() or not configuration.exists():
            self.skipTest("th5-sonic.yaml or the corpus is absent")
        pool = self.check_json(fabric, "--sonic", configuration)["pools"][0]
        self.assertEqual(pool["pool_cells"], 652206)
        self.assertEqual(pool["shared_headroom_cells"], 115840)
        self.assertEqual(pool["full_headroom_spread"], 48)
        self.assertEqual(pool["full_headroom_worst_slice"], 24)
        self.assertEqual(f"{pool['oversubscription']:.2f}", "5.33")
        got = self.sluice("check", fabric, "--sonic", configuration)
        for figure in ("652206", "115840", "48 spread", "24 in the worst slice", "5.33:1"):
            self.assertIn(figure, got.stdout)
        self.assertEqual(got.returncode, 0, got.stderr)


if __name__ == "__main__":
    main()
