# SPDX-License-Identifier: Apache-2.0
# Three small runs with several builds of the program, heartbeat on and off: one result_hash each.
# Leaves out: whether the result is right. usage: builds_agree.py BINARY BINARY...
import json
import os
import pathlib
import subprocess
import sys

SOURCE = pathlib.Path(__file__).resolve().parents[2]
FABRICS = SOURCE / "testbenches/fabrics"
RUNS = {
    "permutation": [FABRICS / "w1.yaml", "--until", "12us"],
    "incast with PFC": [FABRICS / "incast16.yaml", "--set", "workload.bytes=2MiB", "--set",
                        "switch.mmu.port_alpha_enabled=false", "--set",
                        "switch.mmu.pg_alpha_exp=-7", "--set", "nic.congestion_control=none"],
    "trace": [FABRICS / "demo.yaml", "--trace", SOURCE / "traces/train-dp-8.tar.zst", "--compute",
              "scale=0.001", "--until", "500us"],
}


def result(binary, words):
    got = subprocess.run([binary, "run", *map(str, words), "--json"], capture_output=True,
                         text=True, timeout=300, check=False)
    if got.returncode != 0:
        raise RuntimeError(f"{binary}: exit {got.returncode}: {got.stderr.strip()}")
    return json.loads(got.stdout)


def check(name, words, binaries):
    """True when every build, heartbeat on and off, has the same hash and it shows something."""
    hashes = {}
    for binary in binaries:
        for progress in ([], ["--progress"]):
            summary = result(binary, [*words, *progress])
            run = " ".join([os.path.relpath(binary, SOURCE), *progress])
            hashes.setdefault(summary["result_hash"], []).append(run)
    if "PFC" in name and summary["pfc"]["xoff_frames"] == 0:
        print(f"{name}: no pause was sent, so it shows nothing of PFC")
        return False
    if summary["packets_delivered"] < 1000:
        print(f"{name}: {summary['packets_delivered']} packets are too few to show anything")
        return False
    if len(hashes) == 1:
        print(f"{name}: {next(iter(hashes))} in {2 * len(binaries)} runs")
        return True
    print(f"{name}: results differ")
    for value, runs in hashes.items():
        print(f"  {value}: {', '.join(runs)}")
    return False


def main():
    binaries = sys.argv[1:]
    if len(binaries) < 2:
        sys.exit("usage: builds_agree.py BINARY BINARY...")
    good = [check(name, words, binaries) for name, words in RUNS.items()]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
