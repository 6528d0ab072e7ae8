# SPDX-License-Identifier: Apache-2.0
# SONiC configurations through the program: a fabric of our own, what is listed, what wins, and
# every file of the corpus beside the project, each taken or refused in one line.
import json
import unittest

import sluice_case
from sluice_case import CORPUS, FABRICS

SONIC = CORPUS / "sonic"
FILES = [path for path in sorted(SONIC.rglob("*")) if not path.name.startswith((".", "README"))]
# Speeds of ports that the corpus has; a file is tried with each until it is taken.
RATES = ("400Gbps", "800Gbps", "200Gbps", "100Gbps", "40Gbps", "10Gbps")
OURS = FABRICS / "th5-sonic/config_db.json"


class Sonic(sluice_case.SluiceCase):
    def fabric(self, rate="400Gbps", preset="tomahawk5", hosts=2, more=""):
        return self.write("fabric.yaml", f"""
fabric: {{type: single_switch, hosts: {hosts}, link: {{rate: {rate}, length: 5m}}}}
switch: {{preset: {preset}{more}}}
nic: {{preset: cx8}}
workload: {{type: incast, dst: 0, count: 1, bytes: 4KiB}}
""")

    def test_the_fabric_of_our_own_runs_on_its_file(self):
        summary = self.run_json(FABRICS / "th5-sonic.yaml", "--set", "workload.bytes=64KiB")
        self.assertEqual(summary["verdict"], "ok")
        self.assertEqual(summary["drops"]["total"], 0)

    def test_what_is_not_used_is_listed_and_kept(self):
        tables = json.loads(OURS.read_text())
        tables["PORT"]["Ethernet8"]["fec"] = "rs"
        tables["VLAN"] = {"Vlan1": {"vlanid": "1"}}
        path = self.write("config_db.json", json.dumps(tables))
        got = self.sluice("run", self.fabric(), "--sonic", path, "--out", "out")
        self.assertEqual(got.returncode, 0, got.stderr)
        expected = ("sonic: 2 settings not used\n"
                    "  PORT.fec: not used (1 rows, such as Ethernet8 'rs')\n"
                    "  VLAN: not used (1 rows)\n")
        self.assertIn(expected, got.stdout)
        self.assertEqual((self.scratch / "out/sonic_notes.txt").read_text(), expected)

    def test_a_run_repeats_from_its_config_wherever_that_lies(self):
        first = self.run_json(FABRICS / "th5-sonic.yaml", "--set", "workload.bytes=8KiB", "--out",
                              "deep/out")
        again = self.run_json("deep/out/config.yaml")
        self.assertEqual(again["result_hash"], first["result_hash"])
        self.assertEqual(again["config_hash"], first["config_hash"])

    def test_the_option_takes_the_place_of_the_key_and_keys_win_over_files(self):
        other = json.loads(OURS.read_text())
        other["BUFFER_POOL"]["ingress_lossless_pool"]["size"] = "150000000"
        path = self.write("config_db.json", json.dumps(other))
        fabric = self.fabric(more=f", sonic: '{OURS}'")

        def cells(*words):
            return self.run_json(fabric, *words)["buffer"]["pool_cells"]

        self.assertEqual(cells(), 652206)
        self.assertEqual(cells("--sonic", path), 150000000 // 254)
        self.assertEqual(cells("--sonic", path, "--set", "switch.mmu.pool_bytes=140000000B"),
                         140000000 // 254)

    def test_too_few_ports_of_the_rate_are_named(self):
        got = self.sluice("run", self.fabric(rate="800Gbps"), "--sonic", OURS)
        self.assert_error(got, 2, OURS, "0 ports of 800000 Mb/s", "expected 2")
        got = self.sluice("run", self.fabric(hosts=129), "--sonic", OURS)
        self.assert_error(got, 2, OURS, "128 ports of 400000 Mb/s", "expected 129")

    def test_paths_are_checked(self):
        got = self.sluice("run", self.fabric(), "--sonic", "nowhere.json")
        self.assert_error(got, 2, "nowhere.json", "no such file")
        got = self.sluice("run", self.fabric(more=", sonic: {a: b}"))
        self.assert_error(got, 2, "fabric.yaml:3", "switch.sonic", "expected a path")
        got = self.sluice("run", self.fabric(more=f", sonic: '{OURS}', mmu: {{lossless_pgs: [3]}}"))
        self.assert_error(got, 2, "lossless_pgs", "pfc_enable")

    @unittest.skipUnless(FILES, f"no corpus at {SONIC}")
    def test_each_file_and_directory_is_taken_or_refused_in_one_line(self):
        taken = 0
        for path in FILES:
            preset = "spectrum4" if "spectrum4" in str(path) else "tomahawk5"
            with self.subTest(path=path.relative_to(SONIC)):
                for rate in RATES:
                    got = self.sluice("run", self.fabric(rate, preset), "--sonic", path)
                    if got.returncode == 0:
                        taken += 1
                        self.assertIn("settings not used", got.stdout)
                        break
                    self.assert_error(got, 2)
                print(f"{path.relative_to(SONIC)}: {got.stderr.strip() or 'taken'}")
        self.assertGreater(taken, 15)

    @unittest.skipUnless(FILES, f"no corpus at {SONIC}")
    def test_contradictions_of_the_corpus_are_named(self):
        for name, parts in {
                "config_db_flat_mock.json": ("lanes", "used by"),
                "buffer-no-config.json": ("BUFFER_QUEUE|sonic3|asic0|Ethernet0|3-4", "VOQ"),
                "buffer-ft2-p64.json": ("PORT_QOS_MAP", "pg_profile_lookup.ini"),
                "buffers-mellanox4600c-t1-dynamic.json": ("BUFFER_PG", "'NULL'"),
                "j2/arista_7060x6_64pe_o128s2_qos.json.j2": ("template",),
                "yang_sample_config_db_qos_tables.json": ("pfc_enable '3'", "priority group 0"),
        }.items():
            with self.subTest(name=name):
                got = self.sluice("run", self.fabric(), "--sonic", SONIC / name)
                self.assert_error(got, 2, *parts)


if __name__ == "__main__":
    sluice_case.main()
