#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Unpacks every shipped recording and checks that it is whole; together they may take 4 MiB.
# usage: traces/record/check_shipped.sh
set -euo pipefail
traces=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
total=0
for archive in "$traces"/*.tar.zst; do
  name=$(basename "$archive" .tar.zst)
  mkdir "$work/$name"
  zstd -q -dc "$archive" | tar -C "$work/$name" -xf -
  echo "== $name"
  python3 "$traces/record/check_trace.py" "$work/$name"
  total=$((total + $(stat -c %s "$archive")))
done
echo "$total bytes in all"
[ "$total" -le $((4 << 20)) ]
