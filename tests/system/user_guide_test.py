# SPDX-License-Identifier: Apache-2.0
# docs/user-guide.md against the program: every parameter with its default, every field, every command.
import re
import shlex

import sluice_case
from sluice_case import FABRICS, SOURCE

GUIDE = (SOURCE / "docs/user-guide.md").read_text()


class UserGuide(sluice_case.SluiceCase):
    def test_it_has_every_preset_parameter_with_its_value(self):
        for preset in ("spectrum4", "cx8"):
            lines = self.sluice("presets", "show", preset).stdout.splitlines()
            rows = [re.split(r"  +", line) for line in lines[lines.index("") + 2:]]
            self.assertGreater(len(rows), 20)
            for name, value, *_ in rows:
                value = value.lstrip("~")
                if name == "switch.dscp_to_tc":  # 64 entries, shown in short
                    value = ""
                self.assertTrue(f"\n| `{name}` | {value}" in GUIDE, f"{name} = {value}")

    def test_it_names_every_field_of_a_summary(self):
        summary = self.run_json(FABRICS / "incast16.yaml", "--set", "workload.bytes=4KiB")
        for key, value in summary.items():
            if isinstance(value, dict) and key != "drops":
                for inner in value:
                    self.assertIn(f"`{key}.{inner}", GUIDE)
            elif isinstance(value, list):
                for inner in value[0] if value else ():
                    self.assertIn(f"`{key}[].{inner}`", GUIDE)
            elif key != "drops":
                self.assertIn(f"`{key}`", GUIDE)

    def test_it_names_every_field_of_a_list_of_work_requests(self):
        summary = self.run_json(FABRICS / "verbs.yaml", "--set", "nic.verbs.memory_bytes=1MiB")
        for key in ("work_requests", "qp_errors"):
            for inner in summary[key][0]:
                self.assertIn(f"`{key}[].{inner}`", GUIDE)

    def test_it_names_every_column(self):
        self.run_json(FABRICS / "incast16.yaml", "--set", "workload.bytes=4KiB", "--out", "out")
        for name in ("ops.csv", "counters.csv"):
            header = (self.scratch / "out" / name).read_text().splitlines()[0]
            section = GUIDE.split(f"### {name}")[1].split("###")[0]
            for column in header.split(","):
                self.assertIn(f"| `{column}` |", section)

    def test_its_commands_are_understood(self):
        commands = re.findall(r"(?m)^(?:\$ )?build/release/sluice (.*)$", GUIDE)
        self.assertGreater(len(commands), 5)
        for command in commands:
            words = shlex.split(command)
            words = [str(SOURCE / word) if word.startswith(("testbenches/", "traces/")) else word
                     for word in words]
            if words[0] == "run" and "--progres" not in words:
                words += ["--until", "10us"]
            got = self.sluice(*words)
            expected = 2 if "--progres" in words or "nic.prest=cx8" in words else 0
            self.assertEqual(got.returncode, expected, f"{command}: {got.stderr}")


if __name__ == "__main__":
    sluice_case.main()
