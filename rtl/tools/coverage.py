# SPDX-License-Identifier: Apache-2.0
"""Reads merged line coverage (lcov form) and says which lines of rtl/ no bench reached.
Waivers: rtl/<block>/uncovered.txt, a line "<text of the source line> -- <reason>" each. Not counted:
`SLUICE_FAULT_DECL, scaffolding of faults that synthesis does not see.

usage: coverage.py MERGED.info      exit code 1 when a line is uncovered and not waived"""
import collections
import pathlib
import sys


def read(info):
    """{file: {line: hits}}."""
    hits = collections.defaultdict(dict)
    file = None
    for line in pathlib.Path(info).read_text().splitlines():
        if line.startswith("SF:"):
            file = pathlib.Path(line[3:])
        elif line.startswith("DA:"):
            number, count = line[3:].split(",")[:2]
            known = hits[file].get(int(number), 0)
            hits[file][int(number)] = max(known, int(count))
    return hits


def waivers(file):
    path = file.parent / "uncovered.txt"
    if not path.exists():
        return {}
    pairs = (line.split(" -- ", 1) for line in path.read_text().splitlines() if " -- " in line)
    return {text.strip(): reason for text, reason in pairs}


def main():
    open_lines = 0
    for file, lines in sorted(read(sys.argv[1]).items()):
        source = file.read_text().splitlines()
        lines = {n: count for n, count in lines.items() if "`SLUICE_FAULT_DECL" not in source[n - 1]}
        waived = waivers(file)
        missed = [n for n, count in sorted(lines.items()) if count == 0]
        unexplained = [n for n in missed if source[n - 1].strip() not in waived]
        percent = 100 * (len(lines) - len(missed)) / len(lines)
        print(f"{file.name:<28} {len(lines):4} lines {percent:6.1f} % covered, "
              f"{len(missed) - len(unexplained)} waived, {len(unexplained)} open")
        for n in unexplained:
            print(f"  {file}:{n}: {source[n - 1].strip()}")
        open_lines += len(unexplained)
    sys.exit(1 if open_lines else 0)


main()
