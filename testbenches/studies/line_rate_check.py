# SPDX-License-Identifier: Apache-2.0
# All ports at line rate: from the smallest frame up for which a pipeline's packet rate covers its ports,
# (frame + 20 B) x 8 / rate >= ports of the pipe / packet rate, nothing is dropped and the run lasts as
# long as its frames take on one line. Below, each pipe passes its packet rate and its FIFO, no more.
# Tolerance: the way through the chip in time; one packet a pipe and the shorter last slot in drops.
import math

from closed_form import Checker, WIRE_OVERHEAD

FRAMES = 2000
PIPE_FIFO = 32
# ports, rate in Gb/s, pipes, packets a second of one (`sluice presets show`)
CHIPS = {
    "spectrum4 64x800G": (64, 800, 16, 2.35e9),
    "tomahawk5 128x400G": (128, 400, 16, 1.325e9),
    "tomahawk5 256x200G": (256, 200, 16, 1.325e9),
    "tomahawk4 64x400G": (64, 400, 8, 1.325e9),
}
WAY_PS = 3e6  # cable, chip and both ends

check = Checker("line rate on all ports: measured / closed form")
shown = []
for row in check.rows:
    ports, rate, pipes, packets_per_second = CHIPS[row["chip"]]
    frame = int(row["frame"])
    name = f"{row['chip']}, {frame} B"
    slot_ps = (frame + WIRE_OVERHEAD) * 8 / rate * 1e3
    group = ports // pipes
    arriving = group / slot_ps * 1e12
    time_ps, drops, sent = (int(row[key]) for key in ("simulated_ps", "drops", "sent"))
    check.near(f"{name}: lasts, ps", time_ps, FRAMES * slot_ps, 0, WAY_PS)
    check.holds(f"{name}: {sent} sent and {drops} dropped of {ports * FRAMES}",
                sent + drops == ports * FRAMES)
    check.holds(f"{name}: drops elsewhere than before the pipes", row["pipe_drops"] == row["drops"])
    if arriving <= packets_per_second:
        check.holds(f"{name}: {drops} drops at line rate", drops == 0)
        expected = 0
    else:
        passed = math.floor((FRAMES - 1) * slot_ps * packets_per_second / 1e12) + PIPE_FIFO + 1
        expected = max(0, pipes * (group * FRAMES - passed))
        check.near(f"{name}: drops", drops, expected, 2 * pipes)
    shown.append([row["chip"], frame, f"{arriving / 1e9:.3f}", f"{packets_per_second / 1e9:.3f}",
                  f"{drops} / {expected}", f"{time_ps / 1e6:.3f} / {FRAMES * slot_ps / 1e6:.3f}"])
check.print_table(["chip", "frame B", "G packets/s a pipe", "its rate", "drops", "run / line, us"], shown)
check.finish()
