# SPDX-License-Identifier: Apache-2.0
# S2's knee: a slice has half of the shared headroom pool, 57,920 cells; a group takes what its cable
# makes it need, at most 2,410 cells. The first drop comes one group after the slice is full.
from closed_form import Checker, WIRE_OVERHEAD

CELL = 254
SLICE_CELLS = 29_423_360 // CELL // 2
CAP = 612_140 // CELL
FRAME_CELLS = 5  # 1024 B
MOST = 127       # senders that the switch has

check = Checker("S2: senders at once until a shared headroom pool drops (measured / closed form)")
shown = []
for row in check.rows:
    metres, slices = float(row["length"][:-1]), 1 if row["placement"] == "one slice" else 2
    # Whole frames: own frame, pause frame, cable both ways at 1.98e8 m/s, 905 quanta, at 50 B/ns.
    wire = 1024 + WIRE_OVERHEAD + 72 + 2 * metres / 1.98e8 * 50e9 + 57_920
    need = int(wire // (1024 + WIRE_OVERHEAD)) * FRAME_CELLS
    fit = SLICE_CELLS // need * slices
    expected = fit + 1 if fit < MOST else None
    got = int(row["senders"]) if row["senders"] else None
    check.holds(f"{metres:g} m, {row['placement']}: first drop with {got} senders, expected "
                f"{expected}", got == expected)
    # Where the pool has run out, groups got less than they needed.
    check.near(f"{metres:g} m, {row['placement']}: cells of a group", int(row["group_cells"]), need,
               FRAME_CELLS + 1 if got is None else need, FRAME_CELLS + 1)
    check.near(f"{metres:g} m, {row['placement']}: cells of the chip", int(row["chip_cells"]),
               min(SLICE_CELLS * slices, (got or MOST - 1) * need), fit * FRAME_CELLS + need)
    shown.append([f"{metres:g}", row["placement"], f"{row['group_cells']} / {need}",
                  f"{got or 'none'} / {expected or 'none'}", fit])
check.print_table(["m", "placement", "cells a group", "first drop at", "groups that fit"], shown)
print(f"{SLICE_CELLS} cells a slice, at most {CAP} a group: {SLICE_CELLS // CAP} groups in one slice, "
      f"{SLICE_CELLS // CAP * 2} spread")
print(f"private headroom for 128 ports with two groups: {256 * CAP * CELL} B, "
      f"{100 * 256 * CAP * CELL / 165_660_324:.0f} % of the pool")
check.near("groups of full need in one slice", SLICE_CELLS // CAP, 24, 0)
check.finish()
