# SPDX-License-Identifier: Apache-2.0
# S1 against its closed form. n equal congested groups stop at q = alpha B / (1 + n alpha) each; a
# group grows by 1 - 1/n of what its sender sends, so bursts above b = q / (1 - 1/n) pause, after
# b / R. With a static threshold q is that threshold, whatever n is.
# Tolerance: one frame and one cell of what the group holds; divided by 1 - 1/n for the burst that
# brings it there and the time that it takes.
from closed_form import Checker, WIRE_OVERHEAD, alpha_of, shared_level

POOL = 165_660_324  # B
CELL = 254
FRAME = 16 * CELL
STATIC = 5_080_000  # B, of the row "static"
RATE = 400e9

check = Checker("S1: dynamic threshold, alpha x incast degree (measured / closed form)")
shown = []
levels = {}
for row in check.rows:
    alpha, senders = row["alpha"], int(row["senders"])
    level = STATIC if alpha == "static" else shared_level(alpha_of(alpha), POOL, senders)
    grows = 1 - 1 / senders
    burst = level / grows
    slot_us = (FRAME + WIRE_OVERHEAD) * 8 / RATE * 1e6
    time = burst / FRAME * slot_us
    got_level = int(row["xoff_cells"]) * CELL
    got_burst = int(row["burst_frames"] or 0) * FRAME
    got_time = int(row["xoff_ps"]) / 1e6
    name = f"alpha {alpha}, {senders} senders"
    slack = FRAME + CELL
    check.near(f"{name}: XOFF level, B", got_level, level, slack)
    check.near(f"{name}: smallest burst that pauses, B", got_burst, burst, slack / grows)
    check.near(f"{name}: time to XOFF, us", got_time, time, slack / grows / FRAME * slot_us)
    check.holds(f"{name}: {row['drops']} drops, expected none", row["drops"] == "0")
    levels.setdefault(alpha, {})[senders] = got_level
    shown.append([alpha, senders, f"{got_level} / {level:.0f}", f"{got_burst} / {burst:.0f}",
                  f"{got_time:.2f} / {time:.2f}"])
check.print_table(["alpha", "senders", "XOFF level B", "burst B", "time us"], shown)

static = levels.pop("static", {})
if len(static) > 1:  # the negative control: no n in it
    check.holds("the static threshold is not flat in the number of senders",
                max(static.values()) - min(static.values()) <= FRAME + CELL)
for alpha, by_senders in levels.items():
    ordered = [by_senders[n] for n in sorted(by_senders)]
    check.holds(f"alpha {alpha}: the level does not fall with the number of senders",
                all(a > b for a, b in zip(ordered, ordered[1:])))
if 31 in levels.get("1", {}) and 31 in levels.get("8", {}):
    gain = levels["8"][31] / levels["1"][31] - 1
    print(f"31 senders, alpha 1 -> 8: {100 * gain:.1f} % more; 2 senders: "
          f"{100 * (levels['8'].get(2, 0) / levels['1'].get(2, 1) - 1):.1f} % more")
    check.near("gain of alpha 8 over 1 with 31 senders, %", 100 * gain, 2.8, 0.2)
check.finish()
