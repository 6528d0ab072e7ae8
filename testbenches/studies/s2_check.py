# SPDX-License-Identifier: Apache-2.0
# S2 against its closed form: after an XOFF there arrive the frame on its way, the pause frame's own
# time, the cable both ways at 1.98e8 m/s, and the peer's response of 905 quanta (57,920 B), all at
# line rate; stored, each frame takes whole cells.
# Tolerance: one frame and one cell.
import math

from closed_form import Checker, WIRE_OVERHEAD

CELL = 254
RESPONSE = 905 * 64  # B
PAUSE_FRAME = 84     # B on the wire
SPEED = 1.98e8       # m/s
SAWTOOTH = {64: 3.969, 254: 1.000, 255: 1.992, 1024: 1.240}

check = Checker("S2: headroom by cable, speed and frame size (measured / closed form)")
shown = []
used = {}
for row in check.rows:
    gbps, metres, frame = int(row["rate"]), float(row["length"][:-1]), int(row["frame"])
    wire = frame + PAUSE_FRAME + 2 * metres / SPEED * gbps * 1e9 / 8 + RESPONSE
    stored = math.ceil(frame / CELL) * CELL
    expected = wire / (frame + WIRE_OVERHEAD) * stored
    got = int(row["headroom_cells"]) * CELL
    name = f"{gbps}G, {metres:g} m, {frame} B"
    check.near(f"{name}: headroom, B of cells", got, expected, stored + CELL)
    check.holds(f"{name}: {row['drops']} drops, expected none", row["drops"] == "0")
    per_byte = int(row["cells"]) * CELL / (int(row["frames"]) * frame)
    if frame in SAWTOOTH:
        check.near(f"{name}: cell bytes a frame byte", per_byte, SAWTOOTH[frame], 0.0006)
    used[gbps, metres, frame] = got / stored * (frame + WIRE_OVERHEAD)
    shown.append([gbps, f"{metres:g}", frame, f"{got} / {expected:.0f}", f"{per_byte:.3f}"])
check.print_table(["Gb/s", "m", "frame B", "headroom B", "cell B per frame B"], shown)

for gbps, slope in ((400, 505.05), (800, 1010.1)):
    for frame in sorted({f for g, _, f in used if g == gbps}):
        far, near = used.get((gbps, 500, frame)), used.get((gbps, 5, frame))
        if far is None or near is None:
            continue
        got = (far - near) / 495
        check.near(f"{gbps}G, {frame} B: wire bytes a metre", got, slope,
                   (frame + WIRE_OVERHEAD) / 495)
        cells = got / (frame + WIRE_OVERHEAD) * math.ceil(frame / CELL) * CELL
        print(f"{gbps}G, {frame}-B frames: {got:.1f} wire bytes a metre ({slope} in the closed "
              f"form), {cells:.0f} bytes of cells")
check.finish()
