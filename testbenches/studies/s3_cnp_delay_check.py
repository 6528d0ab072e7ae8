# SPDX-License-Identifier: Apache-2.0
# The CNP delay adds (100G - 25G) x delay = 9,375 B a microsecond on the wire to the longest queue.
# Tolerance: what comes in net in one frame time, three frames.
from closed_form import Checker, WIRE_OVERHEAD

FRAME = 4158
IN_MINUS_OUT = 9_375  # B/us
DELAYS = {"0ps": 0, "5us": 5, "20us": 20, "55us": 55}

check = Checker("S3: longest queue by CNP delay, 100G into 25G (measured / closed form)")
peak = {DELAYS[row["cnp_delay"]]: int(row["peak_bytes"]) for row in check.rows}
shown = []
for row in check.rows:
    delay = DELAYS[row["cnp_delay"]]
    wire = (peak[delay] - peak[0]) * (FRAME + WIRE_OVERHEAD) / FRAME
    check.near(f"{delay} us: B added on the wire", wire, IN_MINUS_OUT * delay,
               3 * (FRAME + WIRE_OVERHEAD))
    check.holds(f"{delay} us: {row['xoffs']} pauses, expected none", row["xoffs"] == "0")
    shown.append([delay, peak[delay], f"{wire:.0f} / {IN_MINUS_OUT * delay}"])
check.print_table(["delay us", "longest queue B", "added B"], shown)
check.finish()
