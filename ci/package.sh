#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The Debian packages of what build.sh made (packaging/), in build/package.
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
step=package
log_file=$root/build/log/package.log
out=$root/build/package
: >"$log_file"
rm -rf "$out"
progress "packing"
run nice cpack --config "$root/build/CPackConfig.cmake" -B "$out"
rm -rf "$out/_CPack_Packages"
progress "ready: apt install $(printf '%s ' "$out"/*.deb)"
