#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# compile.sh PRESET: configures and builds our own programs with that CMake preset; their unit tests, too, but for release,
# which is what users have.
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
tests=ON
[[ $1 != release ]] || tests=OFF
run cmake --preset "$1" "-DNTBLAB_TESTS=$tests"
run cmake --build --preset "$1"
progress "done"
