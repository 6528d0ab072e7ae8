# SPDX-License-Identifier: Apache-2.0
"""Plants violations in a small tree and sees each one found, and nothing found in a clean one.
Leaves out: the project's own tree (tree_rules.py checks that)."""
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import tree_rules

HEAD = "// SPDX-License-Identifier: Apache-2.0\n"


class TreeRules(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)
        self.root = self.folder.name
        for name in tree_rules.REQUIRED_TOP:
            if "." in name or name == "LICENSE":
                self.write(name, "")
            else:
                os.mkdir(os.path.join(self.root, name))

    def write(self, path, text):
        full = os.path.join(self.root, path)
        os.makedirs(os.path.dirname(full), exist_ok=True)
        with open(full, "w", encoding="utf-8") as file:
            file.write(text)

    def faults_of(self, path, text):
        self.write(path, HEAD + text)
        return tree_rules.all_faults(self.root)

    def assert_clean(self, path, text):
        self.assertEqual(self.faults_of(path, text), [])

    def assert_found(self, path, text, words):
        faults = self.faults_of(path, text)
        self.assertEqual(len(faults), 1, faults)
        self.assertIn(words, faults[0])
        self.assertTrue(faults[0].startswith(path), faults[0])

    def test_lower_floors_and_the_own_floor_may_be_included(self):
        self.assert_clean("models/host/a.cpp", '#include "nic/nic_if.h"\n#include "host/b.h"\n'
                          '#include "collective/c.h"\n#include "switch/mmu/m.h"\n#include <vector>\n')

    def test_a_higher_floor_is_found(self):
        self.assert_found("models/kernel/a.h", '#include "packet/packet.h"\n', "lower floors")

    def test_a_floor_of_the_same_height_is_found(self):
        self.assert_found("models/nic/a.h", '#include "switch/chip.h"\n', "lower floors")
        os.remove(os.path.join(self.root, "models/nic/a.h"))
        self.assert_found("models/packet/a.h", '#include "workload/workload.h"\n', "lower floors")

    def test_a_sibling_block_is_found(self):
        self.assert_found("models/switch/ecn/a.h", '#include "switch/mmu/m.h"\n', "sibling block")

    def test_a_block_may_include_itself_and_its_floor(self):
        self.assert_clean("models/nic/requester/a.h",
                          '#include "nic/requester/b.h"\n#include "nic/flow.h"\n')

    def test_the_floor_knows_all_blocks(self):
        self.assert_clean("models/switch/chip.h",
                          '#include "switch/ecn/e.h"\n#include "switch/mmu/m.h"\n')

    def test_the_line_is_named(self):
        self.assert_found("models/kernel/a.h", '\n#include "cli/cli.h"\n', "a.h:3: includes cli/cli.h")

    def test_systemc_in_a_block_is_found(self):
        for name in ("<systemc>", "<sysc/kernel/sc_module.h>", '"kernel/bridge/sc_modules.h"'):
            self.assert_found("models/switch/mmu/a.h", f"#include {name}\n", "<systemc>")

    def test_systemc_in_the_kernel_outside_the_bridge_is_found(self):
        self.assert_found("models/kernel/event_wheel.h", "#include <systemc.h>\n", "<systemc>")

    def test_systemc_in_a_module_shell_is_fine(self):
        for path in ("kernel/bridge/b.h", "link/link.h", "switch/chip.h", "nic/nic.h", "host/host.h",
                     "fabric/fabric.h", "cli/main.cpp"):
            self.assert_clean(f"models/{path}", "#include <systemc>\n")

    def test_a_relative_include_is_found(self):
        self.assert_found("models/kernel/a.h", '#include "b.h"\n', "spelled from models/")
        os.remove(os.path.join(self.root, "models/kernel/a.h"))
        self.assert_found("models/kernel/a.h", '#include "../cli/b.h"\n', "spelled from models/")

    def test_a_folder_that_is_no_floor_is_found(self):
        self.assert_found("models/util/a.h", '#include "kernel/time.h"\n', "no floor")

    def test_own_headers_in_angle_brackets_are_found(self):
        self.assert_found("models/kernel/a.h", "#include <cli/cli.h>\n", "quotes")

    def test_rtl_in_the_command_line_needs_its_switch(self):
        self.assert_clean("models/cli/a.cpp", '#ifdef SLUICE_RTL\n#include "rtl/ecn/ecn_twin.h"\n#endif\n')
        self.assert_found("models/cli/a.cpp", '#include "rtl/ecn/ecn_twin.h"\n', "SLUICE_RTL")
        self.assert_found("models/cli/a.cpp",
                          '#ifdef SLUICE_RTL\n#endif\n#include "rtl/ecn/ecn_twin.h"\n', "SLUICE_RTL")

    def test_rtl_below_the_command_line_is_found(self):
        self.assert_found("models/fabric/a.cpp", '#ifdef SLUICE_RTL\n#include "rtl/e/e_twin.h"\n#endif\n',
                          "command line")

    def test_rtl_stands_on_switch_and_nic(self):
        self.assert_clean("rtl/ecn/ecn_twin.h", '#include "switch/ecn/ecn.h"\n#include "Vecn.h"\n')
        self.assert_found("rtl/ecn/ecn_twin.h", '#include "fabric/fabric.h"\n', "switch and nic")

    def test_verilated_headers_in_the_models_are_found(self):
        self.assert_found("models/switch/chip.cpp", "#include <verilated.h>\n", "Verilated")

    def test_a_file_of_400_lines_is_found_and_one_of_399_is_not(self):
        self.assert_clean("tests/unit/kernel/a.cpp", "\n" * 398)
        self.assert_found("tests/unit/kernel/a.cpp", "\n" * 399, "400 lines")

    def test_a_file_without_a_licence_line_is_found(self):
        self.write("models/kernel/a.h", "#pragma once\n")
        self.assertEqual(tree_rules.all_faults(self.root), ["models/kernel/a.h: no SPDX line at the top"])

    def test_a_stray_entry_at_the_top_is_found(self):
        self.write("notes.txt", "")
        self.assertEqual(tree_rules.all_faults(self.root),
                         ["notes.txt: not one of the top level's fixed entries"])

    def test_a_missing_entry_at_the_top_is_found(self):
        os.rmdir(os.path.join(self.root, "docs"))
        self.assertEqual(tree_rules.all_faults(self.root), ["docs: missing at the top level"])

    def test_dot_files_and_the_build_folder_are_left_alone(self):
        self.write("build/x.h", "")
        self.write(".ci/run", "")
        self.assertEqual(tree_rules.all_faults(self.root), [])


if __name__ == "__main__":
    unittest.main()
