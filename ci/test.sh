#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# All tests and checks, whatever fails before; the last line counts them: "N passed, N failed, N skipped".
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
step="test"
cd "$root"
logs=$root/build/log
mkdir -p "$logs"
passed=0 failed=0 skipped=0

our_sources() {
    find ci qemu-ntb-device sim topologies lab tests -path qemu-ntb-device/qemu -prune -o \
        -type f \( -name '*.cpp' -o -name '*.h' -o -name '*.c' \) -print
}

our_scripts() {
    echo bootstrap
    echo .ci/run
    find ci tests -name '*.sh'
}

# check NAME COMMAND...: one check, which passes when the command does.
check() {
    local name=$1
    shift
    log_file=$logs/$name.log
    if "$@" >"$log_file" 2>&1; then
        passed=$((passed + 1))
        progress "passed: $name"
    else
        failed=$((failed + 1))
        tail -n 40 "$log_file" >&2
        progress "failed: $name; the whole log is $log_file"
    fi
}

check_format() { our_sources | xargs clang-format --dry-run -Werror; }

# Precompiled headers are gcc's. Not the tests, of which clang-tidy takes longer than of all the rest, nor lab and sim/tool, for which
# it takes 20 s a file; ci/tidy.py looks at them when asked to (README).
check_tidy() {
    cmake --preset release -B build/tidy -DCMAKE_DISABLE_PRECOMPILE_HEADERS=ON >/dev/null &&
        /usr/bin/python3 ci/tidy.py build/tidy '(ci|qemu-ntb-device|sim/(fabric|pcie)|topologies)/(?!(.*/)?test/)'
}

check_scripts() { our_scripts | xargs shellcheck -x; }

# A few thousand inputs each, so that the fuzzers build and run; hours of it are for those who ask (READMEs of model, dma and fabric).
check_fuzz() {
    ci/compile.sh fuzz || return
    local fuzzer
    for fuzzer in switchtec dma fabric; do
        "build/fuzz/bin/$fuzzer-fuzz" -runs=2000 -max_len=2048 || return
    done
}

# suite NAME JUNIT COMMAND...: a runner that counts its own tests.
suite() {
    local name=$1 junit=$2 code=0 p f s
    shift 2
    rm -f "$junit"
    progress "running: $name"
    "$@" >&2 || code=$?
    read -r p f s < <(/usr/bin/python3 ci/count_tests.py "$junit" 2>/dev/null || echo "0 0 0")
    # A runner that fails without a failed test, or runs none, has itself failed.
    ((f == 0 && (code != 0 || p == 0))) && f=1
    passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + s))
    progress "$name: $p passed, $f failed, $s skipped"
}

check licences /usr/bin/python3 ci/check_spdx.py
check scripts check_scripts
check format check_format
check tidy check_tidy
check asan-build ci/compile.sh asan
check fuzz check_fuzz
check bookworm-image ci/variant.sh stock bookworm
suite unit "$logs/unit.xml" ctest --preset asan -j "$(nproc)" --output-junit "$logs/unit.xml"
for folder in sim system ropcie; do
    suite $folder "$logs/$folder.xml" /usr/bin/python3 -m pytest "tests/$folder" --junitxml="$logs/$folder.xml" --durations=15
done

echo "$passed passed, $failed failed, $skipped skipped"
((failed == 0 && passed > 0))
