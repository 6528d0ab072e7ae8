# SPDX-License-Identifier: Apache-2.0
# A window bounds what eight senders have in the buffer to eight windows, so pauses never rise as it
# shrinks, and are none once eight windows lie below 8 alpha B / (1 + 8 alpha). Without a window
# there are pauses.
from closed_form import Checker, shared_level

POOL = 8_000_000  # B
FLOWS = 8
CELL = 254
CELLS = 17  # a packet of 4096 B
WINDOWS = {"0": float("inf"), "4MiB": 4 << 20, "2MiB": 2 << 20, "1MiB": 1 << 20, "512KiB": 512 << 10}

check = Checker("S3: DCQCN with a window beside its rate, pool of 8 MB")
limit = FLOWS * shared_level(1, POOL, FLOWS)
shown = []
by_delay = {}
for row in check.rows:
    window, xoffs = WINDOWS[row["window"]], int(row["xoffs"])
    name = f"CNP delay {row['cnp_delay']}, window {row['window']}"
    check.holds(f"{name}: {row['drops']} drops, expected none", row["drops"] == "0")
    most = FLOWS * window / 4096 * CELLS  # cells
    check.holds(f"{name}: {row['peak_cells']} cells, more than eight windows",
                int(row["peak_cells"]) <= most)
    if most * CELL < limit:
        check.holds(f"{name}: {xoffs} pauses though eight windows fit", xoffs == 0)
    by_delay.setdefault(row["cnp_delay"], {})[window] = xoffs
    shown.append([row["cnp_delay"], row["window"], xoffs, row["peak_cells"],
                  f"{int(row['time_ps']) / 1e6:.0f}"])
check.print_table(["CNP delay", "window", "XOFFs", "peak cells", "time us"], shown)
for delay, xoffs in by_delay.items():
    ordered = [xoffs[window] for window in sorted(xoffs)]
    check.holds(f"CNP delay {delay}: a smaller window paused more: {ordered}",
                all(a <= b for a, b in zip(ordered, ordered[1:])))
    check.holds(f"CNP delay {delay}: DCQCN alone paused no more than with the smallest window",
                ordered[0] < ordered[-1])
check.finish()
