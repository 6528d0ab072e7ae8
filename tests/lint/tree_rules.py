# SPDX-License-Identifier: Apache-2.0
"""The rules of the tree that a compiler does not check: who may include whom, file length, file heads,
and what lies at the top level. Leaves out: formatting (clang-format) and what names mean.

usage: tree_rules.py ROOT      prints one line a violation, exit code 1 if there is any"""
import os
import re
import subprocess
import sys

# From the ground up; a floor includes only floors with a lower number, and itself.
FLOORS = {"kernel": 0, "packet": 1, "workload": 1, "config": 1, "link": 2, "trace": 2,
          "collective": 2, "switch": 3, "nic": 3, "host": 4, "fabric": 5, "results": 6, "study": 7,
          "cli": 8}
# Floors made of blocks: a block is a folder in them and never includes a sibling.
BLOCK_FLOORS = ("switch", "nic")
# rtl stands on switch and nic, testbenches on rtl and everything but the command line.
RTL_HIGHEST_FLOOR = 3
SYSTEMC_MAY_BE_IN = re.compile(
    r"models/(kernel/bridge/.*|link/[^/]+|switch/chip[^/]*|nic/(nic|nic_if)\.(h|cpp)|host/[^/]+|"
    r"fabric/.*|cli/main\.cpp)|(rtl|testbenches)/.*")
VERILATED_MAY_BE_IN = re.compile(r"rtl/(.*_twin\.(h|cpp)|harness/.*)|testbenches/.*")

REQUIRED_TOP = {"CMakeLists.txt", "models", "rtl", "testbenches", "traces", "scripts", "tests", "docs",
                "README.md", "LICENSE", "CMakePresets.json"}

SOURCE_SUFFIXES = (".h", ".cpp", ".sv", ".py", ".sh")
LONGEST_FILE = 400
INCLUDE = re.compile(r'^\s*#\s*include\s+(?:"([^"]+)"|<([^>]+)>)')


def sources(root, *tops):
    for top in tops:
        for folder, folders, names in os.walk(os.path.join(root, top)):
            folders[:] = [name for name in folders if name != "__pycache__"]
            for name in sorted(names):
                if name.endswith(SOURCE_SUFFIXES):
                    yield os.path.relpath(os.path.join(folder, name), root)


def includes(root, path):
    """(line number, quoted name or None, angled name or None, under SLUICE_RTL)."""
    conditions = []
    with open(os.path.join(root, path), encoding="utf-8") as file:
        for number, line in enumerate(file, 1):
            word = re.match(r"\s*#\s*(ifdef|ifndef|if|elif|else|endif)\b(.*)", line)
            if word and word[1] in ("ifdef", "ifndef", "if"):
                conditions.append(word[1] != "ifndef" and "SLUICE_RTL" in word[2])
            elif word and word[1] in ("elif", "else") and conditions:
                conditions[-1] = False
            elif word and word[1] == "endif" and conditions:
                conditions.pop()
            found = INCLUDE.match(line)
            if found:
                yield number, found[1], found[2], any(conditions)


def owner(path):
    """The part of the tree that a file belongs to: a floor's name, rtl or testbenches."""
    parts = path.split("/")
    return parts[1] if parts[0] == "models" and len(parts) > 2 else parts[0]


def block_of(path):
    """switch/mmu for models/switch/mmu/x.h; None outside blocks."""
    parts = path.removeprefix("models/").split("/")
    return "/".join(parts[:2]) if parts[0] in BLOCK_FLOORS and len(parts) > 2 else None


def quoted_fault(path, name, under_rtl):
    """Why `path` may not include "name", or None."""
    here = owner(path)
    target = name.split("/")[0]
    if name.endswith(".pb.h"):
        return None if here == "trace" else "generated protobuf headers belong to trace alone"
    if "/" not in name or ".." in name.split("/"):
        return "includes are spelled from models/ or the top level, floor first"
    if target in ("rtl", "testbenches"):
        if here == "testbenches" or (here == "rtl" and target == "rtl"):
            return None
        if here == "cli" and under_rtl:
            return None
        return f"{target} may be included by the command line under SLUICE_RTL, and from above it"
    if target not in FLOORS:
        return f"'{target}' is no floor; third-party headers are included with <>"
    if here == "testbenches":
        return "testbenches stand below the command line" if target == "cli" else None
    if here == "rtl":
        return None if FLOORS[target] <= RTL_HIGHEST_FLOOR else "rtl stands on switch and nic"
    if here not in FLOORS:
        return f"'{here}' is no floor"
    if target != here and FLOORS[target] >= FLOORS[here]:
        return f"{here} may include only lower floors and itself"
    mine, other = block_of(path), block_of(name)
    if mine and other and mine != other:
        return f"block {mine} includes sibling block {other}"
    return None


def include_faults(root):
    for path in sources(root, "models", "rtl", "testbenches"):
        if not path.endswith((".h", ".cpp")):
            continue
        for line, quoted, angled, under_rtl in includes(root, path):
            name = quoted or angled
            base = os.path.basename(name)
            fault = None
            if base in ("systemc", "systemc.h", "tlm", "tlm.h", "sc_modules.h", "sc_interfaces.h") \
                    or name.startswith("sysc/"):
                if not SYSTEMC_MAY_BE_IN.fullmatch(path):
                    fault = "<systemc> is for kernel/bridge, module shells, fabric and cli/main.cpp"
            elif re.match(r"(verilated.*|V[a-z]\w*)\.h$", base):
                if not VERILATED_MAY_BE_IN.fullmatch(path):
                    fault = "Verilated headers are for rtl twins and testbenches"
            elif quoted:
                fault = quoted_fault(path, quoted, under_rtl)
            elif angled.split("/")[0] in FLOORS and angled.endswith(".h"):
                fault = "our own headers are included with quotes"
            if fault:
                yield f"{path}:{line}: includes {name}: {fault}"


def file_faults(root):
    for path in sources(root, "models", "rtl", "testbenches", "traces", "tests"):
        with open(os.path.join(root, path), encoding="utf-8") as file:
            lines = file.read().splitlines()
        if len(lines) >= LONGEST_FILE:
            yield f"{path}: {len(lines)} lines, fewer than {LONGEST_FILE} expected"
        if not any("SPDX-License-Identifier: Apache-2.0" in line for line in lines[:2]):
            yield f"{path}: no SPDX line at the top"


def top_level(root):
    """Names at the top that belong to the project: what git tracks, or all that is there."""
    try:
        listed = subprocess.run(["git", "-C", root, "ls-files", "-z"], check=True,
                                capture_output=True, text=True).stdout.split("\0")
        names = {name.split("/")[0] for name in listed if name}
    except (OSError, subprocess.CalledProcessError):
        names = set()
    return names or set(os.listdir(root)) - {"build"}


def top_faults(root):
    names = {name for name in top_level(root) if not name.startswith(".")}
    for name in sorted(names - REQUIRED_TOP):
        yield f"{name}: not one of the top level's fixed entries"
    for name in sorted(REQUIRED_TOP - names):
        yield f"{name}: missing at the top level"


def all_faults(root):
    return [*include_faults(root), *file_faults(root), *top_faults(root)]


if __name__ == "__main__":
    faults = all_faults(sys.argv[1])
    print("\n".join(faults) if faults else "the tree keeps its rules")
    sys.exit(1 if faults else 0)
