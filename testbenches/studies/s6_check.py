# SPDX-License-Identifier: Apache-2.0
# S6 against its closed form: from the time its NIC holds the link, the leaf takes in hot rate minus
# drain, until its one congested group holds q = alpha B / (1 + alpha); then it pauses the spine, and
# the victim's flow, which shares that link, stops as well. At drain 0 this is 82.8 MB or 1.66 ms
# with alpha 1 and 9.74 MB or 0.195 ms with alpha 1/16, in frame bytes at 400G.
# Tolerance: one frame and one cell at drain 0; otherwise what the NIC's buffer may hold, more or less.
from closed_form import Checker, WIRE_OVERHEAD, alpha_of, shared_level

POOL = 165_660_324  # B
CELL = 254
FRAME = 4062               # B, in 16 cells
STORED = 16 * CELL
SLOT = FRAME + WIRE_OVERHEAD
RATES = {"alone": (400, 0), "with victim": (360, 36)}  # Gb/s
NIC_BUFFER = 64 * 1024 + 50_000  # B: XOFF threshold, and what comes until it works
LATENCY_US = 2.486         # NIC to the admission at leaf0: 400 + 3 x 150 + 2 x 600 + 436 ns
END_US = 20_000

check = Checker("S6: a slow receiver (measured / closed form)")
shown = []
pauses = {}
for row in check.rows:
    alpha, drain = row["alpha"], int(row["drain"])
    hot, victim = RATES[row["flows"]]
    level = shared_level(alpha_of(alpha), POOL, 1)
    name = f"alpha {alpha}, {row['flows']}, drain {drain} %"
    check.holds(f"{name}: {row['drops']} drops, expected none", row["drops"] == "0")
    got = int(row["leaf_xoff_ps"]) / 1e6
    net = (hot - drain / 100 * 400) / 8 * 1e3 * STORED / SLOT  # bytes of cells a us
    sent = END_US * victim / 8 * 1e3 / SLOT  # victim's frames
    pauses[alpha, row["flows"], drain] = got
    if net <= 0:
        check.holds(f"{name}: a pause at {got:.0f} us though the NIC keeps up", got == 0)
        if victim:
            check.near(f"{name}: victim's frames", int(row["victim_got"]), sent, 0.005 * sent)
        shown.append([alpha, row["flows"], drain, "none / none", row["victim_got"], f"{sent:.0f}"])
        continue
    slack = (STORED + CELL) / net
    held = int(row["nic_frames"]) * STORED if drain == 0 else 64 * 1024
    if victim or drain:
        slack += NIC_BUFFER / net
    expected = LATENCY_US + (level + held) / net
    check.near(f"{name}: leaf pauses after us", got, expected, slack)
    check.near(f"{name}: what the group held, B", int(row["leaf_cells"]) * CELL, level, STORED + CELL)
    later = [got, int(row["spine_xoff_ps"]) / 1e6, int(row["sender_leaf_xoff_ps"]) / 1e6]
    reached = [time for time in later if time > 0]
    check.holds(f"{name}: pauses do not go up leaf, spine, leaf: {later}",
                reached == sorted(reached) and (drain > 0 or len(reached) == 3))
    if victim and drain == 0:
        # What came before the spine had to stop; then nothing.
        check.near(f"{name}: victim's frames", int(row["victim_got"]),
                   (got - LATENCY_US) * victim / 8 * 1e3 / SLOT, 5)
    shown.append([alpha, row["flows"], drain, f"{got:.1f} / {expected:.1f}", row["victim_got"],
                  f"{sent:.0f}"])
check.print_table(["alpha", "flows", "drain %", "leaf pauses us", "victim got", "victim sent"], shown)
for (alpha, flows, drain), early in pauses.items():
    late = pauses.get(("1", flows, drain))
    if alpha == "1/16" and drain < 90 and late is not None:
        check.holds(f"{flows}, drain {drain} %: a larger alpha does not delay the pause",
                    late > early)
check.finish()
