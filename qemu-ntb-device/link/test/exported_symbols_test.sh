#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# exported_symbols_test.sh LIBRARY HEADER...: the library exports the functions that the headers declare, and nothing else.
set -euo pipefail
library=$1
shift
exported=$(nm -D --defined-only "$library" | awk '$2 != "A" { print $3 }' | sort)
declared=$(grep -oh '\bntb_\(endpoint\|dma\)_[a-z_]*(' "$@" | tr -d '(' | sort -u)
diff <(echo "$exported") <(echo "$declared")
