#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Names the C++ files that clang-format would change, and fails if there are any. `--fix` changes them.
# usage: tests/lint/format_check.sh [--fix]
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
mode=(--dry-run -Werror)
[ "${1:-}" != --fix ] || mode=(-i)
find models rtl testbenches traces tests \( -name '*.h' -o -name '*.cpp' \) -print0 |
  xargs -0 --no-run-if-empty clang-format "${mode[@]}"
