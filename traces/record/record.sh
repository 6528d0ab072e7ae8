#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Records the shipped traces again: builds the recorder and the programs, runs each under it on 8 ranks,
# checks that the recording is whole and packs it as traces/<name>.tar.zst.
# usage: traces/record/record.sh [--build DIR] [hpcc-8|train-dp-8|moe-ep-8]...
# Default: build/release, all three.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
build=$root/build/release
if [ "${1:-}" = --build ]; then
  build=$(realpath -m "$2")
  shift 2
fi
ranks=8

for tool in mpirun zstd python3 tar; do
  command -v "$tool" >/dev/null || { echo "record.sh: $tool is missing" >&2; exit 2; }
done
names=("$@")
[ ${#names[@]} -gt 0 ] || names=(hpcc-8 train-dp-8 moe-ep-8)

[ -f "$build/build.ninja" ] || (cd "$root" && cmake --preset release -B "$build")
cmake --build "$build" --target sluice_recorder train_dp moe_ep

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

program_of() {
  case $1 in
    hpcc-8)
      command -v hpcc >/dev/null || { echo "record.sh: hpcc is missing (apt-get install hpcc)" >&2; exit 2; }
      echo hpcc ;;
    train-dp-8) echo "$build/train_dp --iterations 8" ;;
    moe-ep-8) echo "$build/moe_ep --steps 4" ;;
    *) echo "record.sh: no recording is called '$1'" >&2; exit 2 ;;
  esac
}

for name in "${names[@]}"; do
  command=$(program_of "$name")
  echo "== $name: mpirun -n $ranks $command"
  mkdir "$work/$name.run"
  cp "$root/traces/record/hpccinf.txt" "$work/$name.run/"
  # $command is split into words on purpose.
  (cd "$work/$name.run" &&
    SLUICE_RECORD_DIR="$work/$name" mpirun --allow-run-as-root --oversubscribe -n "$ranks" \
      -x LD_PRELOAD="$build/libsluice_recorder.so" -x SLUICE_RECORD_DIR $command </dev/null)
  python3 "$root/traces/record/check_trace.py" "$work/$name"
  (cd "$work/$name" &&
    tar --sort=name --owner=0 --group=0 --numeric-owner -cf - -- *.et comm_group.json) |
    zstd -q -19 -f -o "$root/traces/$name.tar.zst"
  ls -l "$root/traces/$name.tar.zst" | awk '{print "packed " $5 " bytes"}'
done
