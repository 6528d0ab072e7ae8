# SPDX-License-Identifier: Apache-2.0
# S3 with DCQCN, eight flows at 400G. Kmin below 8 alpha B / (1 + 8 alpha): marks come, and pauses, if
# any, end with the first reaction: the CNP delay and the three cuts, 50 us apart, that an eighth of
# the line rate takes, and one more. Above: no mark, and pauses. The CNP delay adds (input - output)
# x delay to the highest occupancy, while neither PFC nor the buffer's end is near.
# Tolerance of the latter: what comes in net in one frame time, seven frames, at each end.
from closed_form import Checker, WIRE_OVERHEAD, alpha_of, shared_level

POOL = 165_660_324  # B
FLOWS = 8
FRAME = 4158
CELLS = 17  # of 254 B, a frame
BYTES_PER_US = 50_000
REACTION_US = 4 * 50 + 20
DELAYS = {"0ps": 0, "5us": 5, "55us": 55}

check = Checker("S3 with DCQCN: eight flows, Kmin x alpha x CNP delay")
shown = []
peaks = {}
times = {}
for row in check.rows:
    limit = FLOWS * shared_level(alpha_of(row["alpha"]), POOL, FLOWS)
    kmin, delay = int(row["kmin"]), DELAYS[row["cnp_delay"]]
    marked, xoffs = int(row["marked"]), int(row["xoffs"])
    name = f"alpha {row['alpha']}, Kmin {kmin}, CNP delay {delay} us"
    check.holds(f"{name}: {row['drops']} drops, expected none", row["drops"] == "0")
    if kmin < limit:
        check.holds(f"{name}: nothing was marked below the line", marked > 0)
        late_us = (int(row["last_xoff_ps"]) - int(row["first_ce_ps"])) / 1e6
        check.holds(f"{name}: a pause {late_us:.0f} us after the first mark",
                    xoffs == 0 or late_us <= delay + REACTION_US)
        if xoffs == 0:
            peaks[row["alpha"], kmin, delay] = int(row["peak_cells"])
        times[kmin] = min(times.get(kmin, 1e18), int(row["time_ps"]))
    else:
        check.holds(f"{name}: {marked} marks above the line", marked == 0)
        check.holds(f"{name}: no pause above the line", xoffs > 0)
    shown.append([row["alpha"], kmin, delay, "ECN" if kmin < limit else "PFC", marked, xoffs,
                  row["peak_cells"], f"{int(row['time_ps']) / 1e6:.0f}"])
check.print_table(["alpha", "Kmin B", "CNP us", "first", "marks", "XOFFs", "peak cells", "time us"],
                  shown)

for (alpha, kmin, delay), peak in peaks.items():
    base = peaks.get((alpha, kmin, 0))
    if delay == 0 or base is None:
        continue
    frames = (FLOWS - 1) * BYTES_PER_US * delay / (FRAME + WIRE_OVERHEAD)
    check.near(f"alpha {alpha}, Kmin {kmin}: cells that {delay} us of CNP delay add", peak - base,
               frames * CELLS, 2 * (FLOWS - 1) * CELLS)
# The price of a low Kmin: the queue runs empty after the cuts and the flows take longer.
ordered = [times[kmin] for kmin in sorted(times)]
check.holds("a higher Kmin does not shorten the flows",
            all(a >= b for a, b in zip(ordered, ordered[1:])))
check.finish()
