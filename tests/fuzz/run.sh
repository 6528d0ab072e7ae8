#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Builds the fuzz target and lets it run; an input that breaks it is left in build/fuzz.
# usage: tests/fuzz/run.sh [SECONDS]    (60)
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
seconds=${1:-60}
cmake --preset fuzz >/dev/null
cmake --build --preset fuzz --target qp_pair_fuzz
corpus=build/fuzz/corpus
mkdir -p "$corpus"
build/fuzz/qp_pair_fuzz "$corpus" -max_total_time="$seconds" -max_len=1024 -len_control=0 \
  -artifact_prefix=build/fuzz/ -print_final_stats=1 -verbosity=0
