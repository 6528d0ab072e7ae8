# SPDX-License-Identifier: Apache-2.0
# S3's boundary: n groups that fill one queue stop at n alpha B / (1 + n alpha) together, so marks
# come first iff Kmin is below that; one group over m queues stops at alpha B / (1 + alpha), a m-th
# in each. Frames are whole cells, so a queue's bytes are its groups' cells.
# Tolerance: one frame and one cell a group; above also the frame a sender has on its way.
from closed_form import Checker, alpha_of, shared_level

POOL = 165_660_324  # B
CELL = 254
FRAME = 16 * CELL
# pattern: groups, queues
PATTERNS = {"1 to 1": (1, 1), "8 to 1": (8, 1), "1 to 8": (1, 8)}
PRODUCTION_KMIN = 1_600_000  # B, at 400G

check = Checker("S3: largest Kmin that marks before PFC pauses (measured / closed form)")
shown = []
for row in check.rows:
    groups, queues = PATTERNS[row["pattern"]]
    expected = groups * shared_level(alpha_of(row["alpha"]), POOL, groups) / queues
    got = int(row["boundary"]) if row["boundary"] else 0
    name = f"alpha {row['alpha']}, {row['pattern']}"
    check.near(f"{name}: Kmin, B", got, expected, groups * (FRAME + CELL),
               groups * (2 * FRAME + CELL))
    check.holds(f"{name}: {row['xoffs']} groups paused, expected {groups}",
                int(row["xoffs"]) == groups)
    check.holds(f"{name}: {row['drops']} drops, expected none", row["drops"] == "0")
    first = "ECN" if PRODUCTION_KMIN < got else "PFC"
    shown.append([row["alpha"], row["pattern"], f"{got} / {expected:.0f}", first])
check.print_table(["alpha", "pattern", "boundary B", "first with Kmin 1.6 MB"], shown)

# The DCQCN paper's worst case: 32 ports, 8 priorities, 12 MB, 22.4 KB in flight, beta 8.
ports, classes, buffer, flight, beta = 32, 8, 12e6, 22.4e3, 8
t_ecn = beta * (buffer - 8 * ports * flight) / (8 * ports * (beta + 1))
check.near("worst case of the DCQCN paper, t_ECN in B", t_ecn, 21_760, 10)
check.near("its static PFC threshold, B", (buffer - 8 * ports * flight) / (8 * ports), 24_480, 10)
check.near("limit of a 1-MB pool with alpha 1/8, B", shared_level(1 / 8, 1e6, 1), 111_111, 1)
check.finish()
