# SPDX-License-Identifier: Apache-2.0
"""Machine-made mutants of one RTL block: yosys writes a netlist in which a number selects the mutant, a
build of the program has it in place of the block's source, and the block's own bench must see each.
yosys tries to prove survivors equivalent. Leaves out: faults placed by hand (sluice cosim --faults).

usage: mutants.py BLOCK OUTDIR COUNT SEED CYCLES     (scripts/rtl_mutants)"""
import pathlib
import re
import subprocess
import sys

def yosys(script):
    subprocess.run(["yosys", "-q", "-p", script], check=True)


def read(block, root):
    """The yosys words that read a block with its default parameters."""
    lint = root / "rtl" / block / "lint.txt"
    sources = (lint.read_text().splitlines() + ["", ""])[1].split() if lint.exists() else []
    files = sorted(map(str, (root / "rtl/prim").glob("*.sv"))) + sources + [f"rtl/{block}/{block}.sv"]
    return (f"read_verilog -sv -DSYNTHESIS -Irtl/pkg {' '.join(files)}; "
            f"hierarchy -check -top {block}; proc; flatten; opt; memory -nomap; opt_clean")


def wrapper(root, block, width):
    """The block's own head (parameters, ports), with the mutated netlist as its body."""
    text = (root / "rtl" / block / f"{block}.sv").read_text()
    head = text[:text.index("\n);") + 4]
    return (f"{head}\n  `SLUICE_FAULT_DECL\n  {block}_mut mutant (.mutsel(fault_id[{width - 1}:0]), .*);\n"
            f"endmodule : {block}\n`resetall\n")


def equivalent(out, block, line):
    """Whether yosys proves that one mutation changes nothing."""
    mutate = re.sub(r"^mutate ", "mutate ", line)
    script = (f"read_rtlil {out}/gate.il; rename {block} gold; read_rtlil {out}/gate.il; "
              f"rename {block} gate; select gate; {mutate.replace(block, 'gate')}; select -clear; "
              f"equiv_make gold gate both; hierarchy -top both; opt -share_all; async2sync; "
              "equiv_simple -seq 3; equiv_induct -seq 3; equiv_status -assert")
    return subprocess.run(["timeout", "300", "yosys", "-q", "-p", script], capture_output=True,
                          check=False).returncode == 0


def main():
    block, out = sys.argv[1], pathlib.Path(sys.argv[2]).resolve()
    count, seed, cycles = map(int, sys.argv[3:6])
    root = pathlib.Path(".")
    yosys(f"{read(block, root)}; write_rtlil {out}/gate.il")
    yosys(f"read_rtlil {out}/gate.il; mutate -list {count} -seed {seed} -none -o {out}/list.txt")
    lines = (out / "list.txt").read_text().splitlines()
    width = max(1, len(lines).bit_length())
    changes = [line.replace("mutate ", f"mutate -ctrl mutsel {width} {k} ", 1)
               for k, line in enumerate(lines) if k]
    yosys(f"read_rtlil {out}/gate.il; " + "; ".join(changes) + f"; rename {block} {block}_mut; "
          f"write_verilog -noattr {out}/{block}_mut.v")
    (out / f"{block}.sv").write_text(wrapper(root, block, width))
    build = out.parent.parent / f"mutants-{block}"  # beside other builds: the compiler cache serves it
    run = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run(["cmake", "-G", "Ninja", "-S", ".", "-B", build, "-DCMAKE_BUILD_TYPE=Release",
                    "-DSLUICE_RTL=ON", "-DSLUICE_LEAN=ON", f"-DSLUICE_RTL_MUTATED={block}",
                    f"-DSLUICE_RTL_MUTANTS={out}"], **run)
    subprocess.run(["ninja", "-C", build, "sluice"], **run)

    def killed(k):
        words = [build / "sluice", "cosim", block, "--cycles", str(cycles), "--quiet", "--out", out]
        code = subprocess.run([*map(str, words), *(["--fault", str(k)] if k else [])],
                              capture_output=True, check=False).returncode
        if code not in (0, 6):
            sys.exit(f"{block}: mutant {k} ended with exit code {code}, which proves nothing")
        return code == 6

    if killed(0):
        sys.exit(f"{block}: the netlist without a mutation differs from the model")
    survivors = [k for k in range(1, len(lines)) if not killed(k)]
    same = [k for k in survivors if equivalent(out, block, lines[k])]
    print(f"{block}: {len(lines) - 1} mutants, {len(lines) - 1 - len(survivors)} killed, "
          f"{len(same)} proved equivalent, {len(survivors) - len(same)} open")
    for k in survivors:
        if k not in same:
            print(f"  open {k}: {lines[k]}")


main()
