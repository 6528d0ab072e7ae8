# SPDX-License-Identifier: Apache-2.0
"""Runs every_call under the recorder and compares the trace, node by node, with what it did.
Leaves out: durations, beyond that each is there, positive and rounded up.

usage: check_every_call.py MPIRUN LIBRARY PROGRAM"""
import json
import os
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), ".."))
import chakra_reader

COMP, SEND, RECV, COLL = 4, 5, 6, 7
RANKS = 4


def describe(node):
    """The line that every_call writes for this node."""
    attr = node["attr"]
    if node["type"] == COLL:
        line = (f"coll {node['name']} type={attr['comm_type']} bytes={attr['comm_size']} "
                f"root={attr.get('comm_root', -1)} group={attr['pg_name']}")
        for key, word in (("comm_counts", "counts"), ("comm_send_splits", "sent"),
                          ("comm_recv_splits", "received")):
            if key in attr:
                line += f" {word}=" + ",".join(map(str, attr[key]))
        return line
    word = {SEND: "send", RECV: "recv"}[node["type"]]
    tag = attr.get("mpi_tag", attr["comm_tag"])
    return (f"{word} {node['name']} src={attr['comm_src']} dst={attr['comm_dst']} "
            f"bytes={attr['comm_size']} tag={tag}")


def check_rank(directory, rank, name):
    version, nodes = chakra_reader.read(f"{directory}/{name}/{name}.{rank}.et")
    assert version == "0.0.4", version
    with open(f"{directory}/expected.{rank}") as file:
        expected = file.read().splitlines()
    recorded = [describe(node) for node in nodes if node["type"] != COMP]
    for index in range(max(len(expected), len(recorded))):
        want = expected[index] if index < len(expected) else "nothing"
        got = recorded[index] if index < len(recorded) else "nothing"
        assert want == got, f"rank {rank} node {index}:\n  expected {want}\n  recorded {got}"
    check_shape(nodes)
    check_order(nodes)
    return nodes


def check_shape(nodes):
    seen = set()
    for node in nodes:
        assert node["id"] > max(seen, default=0), "ids follow the order of the file"
        assert seen.issuperset(node["deps"]), "dependencies point backwards"
        assert node["attr"]["is_cpu_op"] is False
        seen.add(node["id"])
        if node["type"] == COMP:
            nanos = node["attr"]["duration_ns"]
            assert nanos > 0 and node["micros"] == -(-nanos // 1000), node


def check_order(nodes):
    """Nonblocking calls start side by side; what follows a wait depends on all it waited for."""
    by_id = {node["id"]: node for node in nodes}

    def ancestors(node):
        found, todo = set(), list(node["deps"])
        while todo:
            one = todo.pop()
            if one not in found:
                found.add(one)
                todo += by_id[one]["deps"]
        return found

    def named(name, tag=None):
        return [n for n in nodes if n["name"] == name and
                (tag is None or n["attr"].get("comm_tag") == tag)]

    sends = [named(name, tag)[0] for name, tag in
             (("MPI_Isend", 11), ("MPI_Issend", 12), ("MPI_Ibsend", 13), ("MPI_Irsend", 14))]
    receives = [named("MPI_Irecv", tag)[0] for tag in (11, 12, 13, 14)]
    together = {n["id"] for n in sends + receives}
    for node in sends + receives:
        assert not ancestors(node) & together, "nonblocking calls wait for each other"
    after = named("MPI_Irecv", 20)[0]
    assert together <= ancestors(after), "what follows MPI_Waitall does not wait for its requests"
    for tag in range(20, 26):  # wait, test, testall, waitany, testany, waitsome
        pair = {named("MPI_Irecv", tag)[0]["id"], named("MPI_Isend", tag)[0]["id"]}
        later = named("MPI_Irecv", tag + 1)[0]
        assert pair <= ancestors(later), f"completion of tag {tag} is lost"
    halves = [n for n in named("MPI_Sendrecv", 5)]
    assert len(halves) == 2 and halves[0]["id"] not in ancestors(halves[1])
    assert halves[1]["id"] not in ancestors(halves[0]), "halves of a sendrecv run side by side"
    replace = named("MPI_Sendrecv_replace", 6)[0]
    assert {n["id"] for n in halves} <= ancestors(replace)
    sync, previous = named("MPI_Ssend", 2)[0], named("MPI_Send", 1)[0]
    assert previous["id"] in ancestors(sync), "blocking calls follow each other"
    reduced, barrier = named("MPI_Iallreduce")[1], named("MPI_Ibarrier")[1]
    assert reduced["id"] not in ancestors(barrier), "nonblocking collectives run side by side"
    assert {reduced["id"], barrier["id"]} <= ancestors(named("MPI_Allgather")[0])
    mixed = [n["attr"] for n in nodes if "mpi_tag" in n["attr"]]
    assert mixed and all(a["comm_tag"] != a["mpi_tag"] for a in mixed), (
        "a tag outside MPI_COMM_WORLD must not meet the same tag inside")


def check_pairs(all_nodes):
    """Every send has its receive: same ends, tag and size, in order."""
    sides = {SEND: {}, RECV: {}}
    for nodes in all_nodes:
        for node in nodes:
            if node["type"] in sides:
                attr = node["attr"]
                key = (attr["comm_src"], attr["comm_dst"], attr["comm_tag"])
                sides[node["type"]].setdefault(key, []).append(attr["comm_size"])
    assert sides[SEND] == sides[RECV]


def check_refusal(launch, directory):
    """A call that moves bytes and has no Chakra type must not pass in silence."""
    result = subprocess.run([*launch, "--refused"], stdin=subprocess.DEVNULL, timeout=120,
                            capture_output=True, text=True,
                            env=dict(os.environ, SLUICE_RECORD_DIR=f"{directory}/refused"))
    assert result.returncode != 0, "MPI_Scan went through unrecorded"
    assert "MPI_Scan cannot be recorded" in result.stderr, result.stderr


def main():
    mpirun, library, program = sys.argv[1:]
    launch = [mpirun, "--allow-run-as-root", "--oversubscribe", "-n", str(RANKS), "-x",
              f"LD_PRELOAD={library}", "-x", "SLUICE_RECORD_DIR", program]
    with tempfile.TemporaryDirectory() as directory:
        name = "every-call"
        env = dict(os.environ, SLUICE_RECORD_DIR=f"{directory}/{name}/")
        subprocess.run([*launch, directory], check=True, env=env, stdin=subprocess.DEVNULL,
                       timeout=120)
        all_nodes = [check_rank(directory, rank, name) for rank in range(RANKS)]
        check_pairs(all_nodes)
        with open(f"{directory}/{name}/comm_group.json") as file:
            groups = json.load(file)
        assert groups["0-3"] == [0, 1, 2, 3] and groups["3,2,1,0"] == [3, 2, 1, 0]
        assert groups["1,3"] == [1, 3] and groups["2"] == [2]
        used = {n["attr"]["pg_name"] for nodes in all_nodes for n in nodes if n["type"] == COLL}
        assert used <= groups.keys(), used - groups.keys()
        check_refusal(launch, directory)
    total = sum(node["type"] != COMP for nodes in all_nodes for node in nodes)
    print(f"{total} operations on {RANKS} ranks, all recorded as they were made")


main()
