# SPDX-License-Identifier: Apache-2.0
# S2 with reverse traffic, against 9,100 + 1,024 + 2 L R / v + 57,920 B at 400G: the largest headroom
# over all phases of the reverse frames, in bytes on the wire.
# Tolerance: one frame and one cell; below also the step of the phase.
from closed_form import Checker, WIRE_OVERHEAD

CELL = 254
FRAME = 1024
STORED = 5 * CELL
PHASE = 500  # B a step
EXPECTED = {5: 70_569, 150: 143_802, 300: 219_559}

check = Checker("S2: headroom with 9100-B frames in the other direction (measured / closed form)")
most, least = {}, {}
for row in check.rows:
    metres = int(float(row["length"][:-1]))
    wire = int(row["headroom_cells"]) * CELL / STORED * (FRAME + WIRE_OVERHEAD)
    most[metres] = max(most.get(metres, 0), wire)
    least[metres] = min(least.get(metres, wire), wire)
    check.holds(f"{metres} m: {row['drops']} drops, expected none", row["drops"] == "0")
shown = []
for metres, wire in sorted(most.items()):
    slack = FRAME + WIRE_OVERHEAD + CELL
    check.near(f"{metres} m: worst phase, B", wire, EXPECTED[metres], slack + PHASE, slack)
    check.near(f"{metres} m: best phase, B", least[metres], EXPECTED[metres] - 9100, slack,
               slack + PHASE)
    shown.append([metres, f"{wire:.0f} / {EXPECTED[metres]}", f"{least[metres]:.0f}"])
check.print_table(["m", "worst phase B", "best phase B"], shown)
check.finish()
