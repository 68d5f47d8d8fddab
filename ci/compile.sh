#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# compile.sh PRESET: configures and builds our own programs with that CMake preset.
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
step=$1
mkdir -p "$root/build/log"
log_file=$root/build/log/$1.log
exec 9>"$root/build/log/$1.lock"
flock 9
: >"$log_file"
cd "$root"
progress "compiling (preset $1)"
run cmake --preset "$1"
run cmake --build --preset "$1"
progress "done"
