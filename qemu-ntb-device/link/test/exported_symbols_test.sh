#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# exported_symbols_test.sh LIBRARY HEADER: the library exports the functions that the header declares, and nothing else.
set -euo pipefail
exported=$(nm -D --defined-only "$1" | awk '$2 != "A" { print $3 }' | sort)
declared=$(grep -o 'ntb_endpoint_[a-z_]*(' "$2" | tr -d '(' | sort -u)
diff <(echo "$exported") <(echo "$declared")
