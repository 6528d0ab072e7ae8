# SPDX-License-Identifier: Apache-2.0
# What a congestion control is for: beside none, each keeps the longest queue and the pauses of an
# incast down, loses nothing, and keeps the flows equal. Mean and 99 % are of the flows' completion;
# with 16 flows or fewer the 99th percentile is the slowest (nearest rank). Goodput is that of the
# busiest receiver for an incast, and the sum over the receivers for a permutation.
# Leaves out: which control is best, which is a matter of load and parameters.
from closed_form import Checker

US = 1e6
HOSTS = 16
# One flow of 16 MiB alone at 400G: 4096 packets of 4096 B, 4178 B each on the wire.
ALONE_PS = 4096 * 4178 * 8 / 400e9 * 1e12
# Pauses share by port. The receiver's leaf has seven busy ones, three hosts and four spines, so no
# flow gets more than a seventh of the line before the first port is done; and the line is never
# idle, so none is later than 15 flows after one another.
FIRST = 7 * ALONE_PS
LAST = 15 * ALONE_PS
# Kantorovich: Jain's index of rates within a factor of 15 / 7 is at least this, 0.868.
JAIN_OF_PAUSES = 4 * FIRST * LAST / (FIRST + LAST) ** 2
# Each flow hears of its own marks: golden G7.3 asks 0.98. NVIDIA's set counts CNPs a port, so that
# chance decides who is told, and the delay alone comes after the pauses; these two may not be less
# fair than pauses alone.
JAIN = {"dcqcn": 0.98, "dcqcn-hpcc": 0.98, "rttcc": 0.98}
# Cables, switches, start and the last acknowledgement; and a port may be ahead of the others by about
# one headroom, 200 kB.
LATENCY_PS = 12e6
AHEAD_PS = 200e3 * 8 / 400e9 * 1e12

check = Checker("Congestion controls side by side, 400G, 16 hosts")
shown = []
of = {}
for row in check.rows:
    done = [int(row[f"done_{host}_ps"]) for host in range(HOSTS)]
    done = sorted(time for time in done if time > 0)
    each = int(row["bytes"]) / len(done)
    rates = [each / time for time in done]
    jain = sum(rates) ** 2 / (len(rates) * sum(rate * rate for rate in rates))
    goodput = int(row["bytes"]) * 8e3 / done[-1]
    name = f"{row['workload']}, {row['control']}"
    replies = int(row["probe_replies"])
    of[row["workload"], row["control"]] = {
        "peak": int(row["peak_queue_bytes"]), "xoffs": int(row["xoffs"]), "jain": jain,
        "marks": int(row["marks"]), "cnps": int(row["cnps"]), "goodput": goodput,
        "probes": int(row["probes"]), "first": done[0], "last": done[-1]}
    check.holds(f"{name}: {row['drops']} drops, expected none", row["drops"] == "0")
    shown.append([row["workload"], row["control"], f"{sum(done) / len(done) / US:.0f}",
                  f"{done[-1] / US:.0f}", f"{int(row['peak_queue_bytes']) / 1e3:.0f}",
                  row["xoffs"], row["marks"], row["cnps"], f"{goodput:.0f}", f"{jain:.4f}",
                  f"{int(row['probe_rtt_ps']) / replies / US:.1f}" if replies else "-"])
check.print_table(["workload", "control", "mean us", "99% us", "queue kB", "XOFFs", "marks", "CNPs",
                   "Gb/s", "Jain", "RTT us"], shown)

for (workload, control), got in of.items():
    name = f"{workload}, {control}"
    check.holds(f"{name}: CNPs without anyone to use them", control not in ("none", "rttcc-delay") or
                got["cnps"] == 0)
    check.holds(f"{name}: probes exactly where round-trip times are used",
                (got["probes"] > 0) == control.startswith("rttcc"))
    if workload == "incast":
        least = JAIN.get(control, JAIN_OF_PAUSES)
        check.holds(f"{name}: Jain's index {got['jain']:.4f}, expected {least:.3f} at least",
                    got["jain"] >= least)
    if workload == "incast" and control == "none":
        for what, expected in (("first", FIRST), ("last", LAST)):
            check.holds(f"{name}: the {what} flow is done at {got[what] / US:.1f} us, expected "
                        f"{expected / US:.1f} us, at most 4 us less and 12 us more",
                        expected - AHEAD_PS <= got[what] <= expected + LATENCY_PS)
    base = of.get((workload, "none"))
    if base is None or control == "none" or workload != "incast":
        continue
    check.holds(f"{name}: {got['peak']} B in the longest queue, {base['peak']} B without control",
                got["peak"] < base["peak"])
    check.holds(f"{name}: {got['xoffs']} pauses, {base['xoffs']} without control",
                got["xoffs"] < base["xoffs"])
check.finish()
