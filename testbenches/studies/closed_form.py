# SPDX-License-Identifier: Apache-2.0
# What checkers of studies share: the table, comparisons within a tolerance, and the exit code that
# `sluice sweep` understands: 0 all values fit, 7 some do not. Leaves out: every formula.
import csv
import sys

DISAGREES = 7
WIRE_OVERHEAD = 20  # preamble and gap, B a frame


def alpha_of(text):
    """"1/16" as a number."""
    over, _, under = text.partition("/")
    return int(over) / int(under or 1)


def shared_level(alpha, pool, groups):
    """Choudhury and Hahne: what each of `groups` equal congested groups may hold."""
    return alpha * pool / (1 + groups * alpha)


class Checker:
    def __init__(self, title):
        if len(sys.argv) != 2:
            sys.exit(f"usage: python3 {sys.argv[0]} TABLE.csv")
        with open(sys.argv[1], newline="", encoding="utf-8") as file:
            self.rows = list(csv.DictReader(file))
        self.checks = 0
        self.faults = []
        print(title)
        if not self.rows:
            self.faults.append("the table is empty")

    def near(self, what, value, expected, below, above=None):
        """value in [expected - below, expected + above]; `above` as `below` when left out."""
        self.checks += 1
        above = below if above is None else above
        if not expected - below <= value <= expected + above:
            self.faults.append(f"{what}: {value:.6g}, expected {expected:.6g} "
                               f"-{below:.4g} +{above:.4g}")

    def holds(self, what, true):
        self.checks += 1
        if not true:
            self.faults.append(what)

    def print_table(self, header, rows):
        widths = [max(len(str(row[i])) for row in [header, *rows]) for i in range(len(header))]
        for row in [header, *rows]:
            print("  ".join(str(cell).rjust(width) for cell, width in zip(row, widths)))

    def finish(self):
        for fault in self.faults:
            print(f"  DISAGREES  {fault}")
        print(f"{self.checks} comparisons, {len(self.faults)} outside their tolerance")
        sys.exit(DISAGREES if self.faults else 0)
