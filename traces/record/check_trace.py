# SPDX-License-Identifier: Apache-2.0
"""Checks that a recorded directory is whole and prints what is in it as a Markdown table.
Whole: every send has a receive of the same ends, tag and size, in order; all members of a group made
the same collectives in the same order; what one sends to another in an uneven all-to-all is what the
other expects. Leaves out: durations and dependencies.

usage: check_trace.py DIR"""
import collections
import json
import os
import sys

sys.dont_write_bytecode = True
sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "recorder"))
import chakra_reader

COMP, SEND, RECV, COLL = 4, 5, 6, 7
KINDS = ["all_reduce", "reduce", "all_gather", "gather", "scatter", "broadcast", "all_to_all",
         "reduce_scatter", "reduce_scatter_block", "barrier"]


def load(directory):
    name = os.path.basename(os.path.abspath(directory))
    ranks = []
    while os.path.exists(path := f"{directory}/{name}.{len(ranks)}.et"):
        ranks.append(chakra_reader.read(path)[1])
    with open(f"{directory}/comm_group.json") as file:
        return ranks, json.load(file)


def check_messages(ranks):
    sides = {SEND: collections.defaultdict(list), RECV: collections.defaultdict(list)}
    for rank, nodes in enumerate(ranks):
        for node in nodes:
            if node["type"] not in sides:
                continue
            attr = node["attr"]
            own = attr["comm_src"] if node["type"] == SEND else attr["comm_dst"]
            assert own == rank, f"rank {rank} recorded a message of rank {own}"
            key = (attr["comm_src"], attr["comm_dst"], attr["comm_tag"])
            sides[node["type"]][key].append(attr["comm_size"])
    for key in sides[SEND].keys() | sides[RECV].keys():
        sent, received = sides[SEND][key], sides[RECV][key]
        assert sent == received, (f"messages {key[0]} -> {key[1]} tag {key[2]}: {len(sent)} sent, "
                                  f"{len(received)} received, or sizes differ")


def check_collectives(ranks, groups):
    calls = [collections.defaultdict(list) for _ in ranks]
    for rank, nodes in enumerate(ranks):
        for node in nodes:
            if node["type"] != COLL:
                continue
            attr = node["attr"]
            uneven = "comm_counts" in attr or "comm_send_splits" in attr or attr["comm_type"] in (3, 4)
            size = None if uneven else attr["comm_size"]
            calls[rank][attr["pg_name"]].append((attr["comm_type"], size, attr.get("comm_root")))
    for rank, by_group in enumerate(calls):
        for group, sequence in by_group.items():
            assert rank in groups[group], f"rank {rank} is not in group {group} that it used"
            for other in groups[group]:
                assert calls[other][group] == sequence, (
                    f"ranks {rank} and {other} made different collectives in group {group}")


def check_splits(ranks, groups):
    def uneven(rank, group):
        return [n["attr"] for n in ranks[rank] if n["type"] == COLL and
                n["attr"]["pg_name"] == group and "comm_send_splits" in n["attr"]]

    for group, members in groups.items():
        calls = [uneven(rank, group) for rank in members]
        for call in range(len(calls[0])):
            for i in range(len(members)):
                for j in range(len(members)):
                    sent = calls[i][call]["comm_send_splits"][j]
                    expected = calls[j][call]["comm_recv_splits"][i]
                    assert sent == expected, (f"group {group} all-to-all {call}: {sent} bytes from "
                                              f"member {i}, member {j} expects {expected}")


def table(ranks, groups):
    rows = collections.defaultdict(lambda: [0, 0, None, 0])
    compute_nodes = compute_ns = 0
    for nodes in ranks:
        for node in nodes:
            attr = node["attr"]
            if node["type"] == COMP:
                compute_nodes += 1
                compute_ns += attr["duration_ns"]
                continue
            if node["type"] == COLL:
                key = (KINDS[attr["comm_type"]], len(groups[attr["pg_name"]]))
            else:
                key = ("send" if node["type"] == SEND else "recv", 2)
            row = rows[key]
            row[0] += 1
            row[1] += attr["comm_size"]
            row[2] = attr["comm_size"] if row[2] is None else min(row[2], attr["comm_size"])
            row[3] = max(row[3], attr["comm_size"])
    print("| op | group size | nodes, all ranks | comm_size summed, bytes | smallest | largest |")
    print("|---|---|---|---|---|---|")
    for (kind, size), (count, total, low, high) in sorted(rows.items()):
        print(f"| {kind} | {size} | {count} | {total} | {low} | {high} |")
    print(f"| compute | - | {compute_nodes} | {compute_ns / 1e9:.3f} s of CPU time | - | - |")


def main():
    ranks, groups = load(sys.argv[1])
    if not ranks:
        sys.exit(f"{sys.argv[1]}: no rank 0 file in it")
    check_messages(ranks)
    check_collectives(ranks, groups)
    check_splits(ranks, groups)
    print(f"{len(ranks)} ranks, {sum(map(len, ranks))} nodes, every message and collective matched\n")
    table(ranks, groups)


main()
