# SPDX-License-Identifier: Apache-2.0
"""Machine-made mutants of RTL blocks. yosys writes a netlist of each block in which a number selects the
mutant, one build of the program has the netlists in place of the blocks' sources, and each block's own
bench must see each mutant (killed). yosys tries to prove survivors equivalent; the rest is open unless
rtl/<block>/survivors.txt says why no bench can see it, a line "<words of the mutation> -- <reason>" each.
Leaves out: faults placed by hand (sluice cosim --faults), and assertions, which netlists do not have.

usage: mutants.py OUTDIR [--count N] [--seed S] [--cycles C] [--prove SECONDS] [BLOCK]...
exit code 1 when a mutant is open"""
import argparse
import concurrent.futures
import os
import pathlib
import re
import subprocess
import sys

# What a bench adds to the number of a fault, because parts of the block have faults of their own.
FIRST_NUMBER = {"switch_slice": 100}
BUILD = pathlib.Path("build/mutants-all")  # beside other builds: the compiler cache serves it


def yosys(script):
    subprocess.run(["yosys", "-q", "-p", script], check=True)


def read_words(block):
    """The yosys words that read a block with its default parameters."""
    lint = pathlib.Path("rtl", block, "lint.txt")
    sources = (lint.read_text().splitlines() + ["", ""])[1].split() if lint.exists() else []
    files = sorted(map(str, pathlib.Path("rtl/prim").glob("*.sv"))) + sources + [f"rtl/{block}/{block}.sv"]
    return (f"read_verilog -sv -DSYNTHESIS -Irtl/pkg {' '.join(files)}; "
            f"hierarchy -check -top {block}; proc; flatten; opt; memory -nomap; opt_clean")


def wrapper(block, width):
    """The block's own head (parameters, ports), with the mutated netlist as its body."""
    text = pathlib.Path("rtl", block, f"{block}.sv").read_text()
    head = text[:text.index("\n);") + 4]
    number = f"fault_id == 0 ? {width}'d0 : {width}'(fault_id - {FIRST_NUMBER.get(block, 0)})"
    return (f"{head}\n  `SLUICE_FAULT_DECL\n  {block}_mut mutant (.mutsel({number}), .*);\n"
            f"endmodule : {block}\n`resetall\n")


def write_netlist(block, out, count, seed):
    """{number: mutation} of a block, whose netlist and wrapper are now in OUT."""
    yosys(f"{read_words(block)}; write_rtlil {out}/{block}.il")
    yosys(f"read_rtlil {out}/{block}.il; mutate -list {count} -seed {seed} -none -o {out}/{block}.list")
    lines = (out / f"{block}.list").read_text().splitlines()
    width = max(1, len(lines).bit_length())
    changes = [line.replace("mutate ", f"mutate -ctrl mutsel {width} {k} ", 1)
               for k, line in enumerate(lines) if k]
    (out / f"{block}.ys").write_text("\n".join([
        f"read_rtlil {out}/{block}.il", *changes, f"rename {block} {block}_mut",
        f"write_verilog -noattr {out}/{block}_mut.v", ""]))
    subprocess.run(["yosys", "-q", "-s", f"{out}/{block}.ys"], check=True)
    (out / f"{block}.sv").write_text(wrapper(block, width))
    return {k: line for k, line in enumerate(lines) if k}


def build(out):
    run = {"check": True, "stdout": subprocess.DEVNULL}
    subprocess.run(["cmake", "-G", "Ninja", "-S", ".", "-B", BUILD, "-DCMAKE_BUILD_TYPE=Release",
                    "-DSLUICE_RTL=ON", "-DSLUICE_LEAN=ON", f"-DSLUICE_RTL_MUTANTS={out}"], **run)
    subprocess.run(["ninja", "-C", BUILD, "sluice"], **run)


def killed(block, k, out, cycles, seeds):
    """Whether the bench sees mutant k (0: none); a run without an end is seen by any time limit."""
    words = [BUILD / "sluice", "cosim", block, "--cycles", cycles, "--seeds", seeds, "--quiet",
             "--out", out]
    try:
        code = subprocess.run([*map(str, words), *(["--fault", str(k)] if k else [])],
                              capture_output=True, check=False, timeout=600).returncode
    except subprocess.TimeoutExpired:
        print(f"  {block} {k}: no end within 600 s, counted as killed", flush=True)
        return True
    if code not in (0, 6):
        sys.exit(f"{block}: mutant {k} ended with exit code {code}, which proves nothing")
    return code == 6


def equivalent(block, line, out, seconds):
    """Whether yosys proves that one mutation changes nothing."""
    script = (f"read_rtlil {out}/{block}.il; rename {block} gold; read_rtlil {out}/{block}.il; "
              f"rename {block} gate; select gate; {re.sub(block, 'gate', line)}; select -clear; "
              f"equiv_make gold gate both; hierarchy -top both; opt -share_all; async2sync; "
              "equiv_simple -seq 3; equiv_induct -seq 3; equiv_status -assert")
    return subprocess.run(["timeout", str(seconds), "yosys", "-q", "-p", script], capture_output=True,
                          check=False).returncode == 0


def explained(block):
    """Mutations that rtl/<block>/survivors.txt explains."""
    path = pathlib.Path("rtl", block, "survivors.txt")
    lines = path.read_text().splitlines() if path.exists() else []
    return {line.split(" -- ", 1)[0].strip() for line in lines if " -- " in line}


def place(line):
    """What a mutation is, without the names that yosys counts anew when the source changes."""
    mode = re.search(r"-mode (\S+)", line)[1]
    sources = re.findall(r"-src (\S+)", line)
    bit = re.search(r"-(?:portbit|ctrlbit|wirebit) (\d+)", line)
    return f"{mode} {bit[1] if bit else '-'} {' '.join(sources)}"


def judge(block, mutations, arguments, pool):
    """Prints a block's line and its open mutants; how many are open."""
    out = arguments.out
    if killed(block, 0, out, arguments.cycles, 1):
        print(f"{block}: the netlist without a mutation differs from the model", flush=True)
        return 1
    # Most die at once; what lives through a short run gets a long one and more seeds.
    dead = dict(zip(mutations, pool.map(
        lambda k: killed(block, k, out, min(20000, arguments.cycles), 1) or
        killed(block, k, out, arguments.cycles, 4), mutations)))
    survivors = [k for k in mutations if not dead[k]]
    same = dict(zip(survivors, pool.map(
        lambda k: equivalent(block, mutations[k], out, arguments.prove), survivors)))
    known = explained(block)
    left = [k for k in survivors if not same[k]]
    open_ones = [k for k in left if place(mutations[k]) not in known]
    print(f"{block}: {len(mutations)} mutants, {len(mutations) - len(survivors)} killed, "
          f"{sum(same.values())} proved equivalent, {len(left) - len(open_ones)} explained, "
          f"{len(open_ones)} open", flush=True)
    for k in open_ones:
        print(f"  open {k}: {place(mutations[k])}\n    {mutations[k]}", flush=True)
    return len(open_ones)


def main():
    parser = argparse.ArgumentParser(prog="rtl_mutants")
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--count", type=int, default=60, help="mutants a block")
    parser.add_argument("--seed", type=int, default=1, help="of the choice of mutants")
    parser.add_argument("--cycles", type=int, default=200000, help="clocks a run")
    parser.add_argument("--prove", type=int, default=60, help="seconds for each proof of equivalence")
    parser.add_argument("blocks", nargs="*", metavar="BLOCK", help="all blocks if none is named")
    arguments = parser.parse_args()
    arguments.out = arguments.out.resolve()
    known = sorted(path.stem for path in pathlib.Path("rtl").glob("*/*.sv")
                   if path.stem == path.parent.name)
    for block in arguments.blocks:
        if block not in known:
            parser.error(f"no block is called '{block}' ({', '.join(known)})")
    blocks = arguments.blocks or known
    for old in arguments.out.glob("*.sv"):
        old.unlink()  # a block not asked for this time keeps its source
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        mutations = dict(zip(blocks, pool.map(
            lambda block: write_netlist(block, arguments.out, arguments.count, arguments.seed), blocks)))
        build(arguments.out)
        open_ones = sum(judge(block, mutations[block], arguments, pool) for block in blocks)
    sys.exit(1 if open_ones else 0)


main()
