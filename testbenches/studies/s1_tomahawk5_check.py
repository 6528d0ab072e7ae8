# SPDX-License-Identifier: Apache-2.0
# S1 on a Tomahawk 5: a slice shares half of the pool less half of the shared headroom and the minima
# of its 64 ports; a group holds whole frames of its minimum on top of alpha S / (1 + n alpha); the egress FIFO takes
# its cells out of the buffer. Tolerance as in S1, and one frame more on the burst for the FIFO.
from closed_form import Checker, alpha_of, shared_level

CELL = 254
FRAME_CELLS = 16
PG_MIN = 18_796 // CELL
PG_MIN_USED = PG_MIN // FRAME_CELLS * FRAME_CELLS  # whole frames
SLICE = (164_505_640 // CELL // 2 - 22_010_624 // CELL // 2
         - 64 * (PG_MIN + 10 * (1_778 // CELL)))
FIFO_CELLS = 24 * FRAME_CELLS  # 23 frames fit into 376 cells, one more is on its way out
ONE_POOL = 652_206

check = Checker("S1 on a Tomahawk 5 with its slices, minima and shared headroom (measured / closed "
                "form)")
shown = []
for row in check.rows:
    alpha, senders = row["alpha"], int(row["senders"])
    level = PG_MIN_USED + shared_level(alpha_of(alpha), SLICE, senders)
    grows = 1 - 1 / senders
    burst = (level + FIFO_CELLS / senders) / grows / FRAME_CELLS
    got_level, got_burst = int(row["xoff_cells"]), int(row["burst_frames"] or 0)
    name = f"alpha {alpha}, {senders} senders"
    check.near(f"{name}: XOFF level, cells", got_level, level, FRAME_CELLS + 1)
    check.near(f"{name}: smallest burst that pauses, frames", got_burst, burst,
               (1 + 1 / FRAME_CELLS) / grows + 1)
    check.holds(f"{name}: {row['drops']} drops, expected none", row["drops"] == "0")
    ideal = shared_level(alpha_of(alpha), ONE_POOL, senders)
    shown.append([alpha, senders, f"{got_level} / {level:.0f}", f"{got_burst} / {burst:.0f}",
                  f"{100 * got_level / ideal:.0f} %"])
check.print_table(["alpha", "senders", "XOFF level cells", "burst frames", "of one pool's level"],
                  shown)
check.finish()
