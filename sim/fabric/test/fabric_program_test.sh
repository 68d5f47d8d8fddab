#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# fabric_program_test.sh PROGRAM TOPOLOGY: the command line of ntb-fabric.
set -euo pipefail
program=$1 topology=$2
dir=$(mktemp -d)
trap 'kill -KILL "${fabric:-}" 2>/dev/null || true; rm -rf "$dir"' EXIT

fail() { echo "FAILED: $*" >&2; exit 1; }
says() { grep -q -- "$1" "$dir/log" || fail "no '$1' in: $(cat "$dir/log")"; }

# Starts in the background and waits for the newline on its ready descriptor.
start() {
    mkfifo "$dir/ready"
    "$program" --topology "$topology" --run-dir "$dir/run" --ready-fd 7 7>"$dir/ready" 2>"$dir/log" &
    fabric=$!
    read -r _ <"$dir/ready" || fail "not ready: $(cat "$dir/log")"
    rm "$dir/ready"
}

start
[ "$(stat -c %a "$dir/run")" = 700 ] || fail "mode of the run directory"
[ "$(stat -c %a "$dir/run/fabric.sock")" = 600 ] || fail "mode of the socket"
says "listening on $dir/run/fabric.sock"
cp "$dir/log" "$dir/first"

! "$program" --topology "$topology" --run-dir "$dir/run" 2>"$dir/log" || fail "a second fabric was not refused"
says "another ntb-fabric (pid $fabric)"

kill -KILL $fabric
wait $fabric 2>/dev/null || true
[ -S "$dir/run/fabric.sock" ] || fail "no stale socket to replace"
start
kill -TERM $fabric
wait $fabric || fail "SIGTERM: exit code $?"
says "stopped by a signal"
[ ! -e "$dir/run/fabric.sock" ] || fail "the socket was left"

echo "name: [" >"$dir/bad.yaml"
! "$program" --topology "$dir/bad.yaml" --run-dir "$dir/run" 2>"$dir/log" || fail "a bad topology was accepted"
says "bad.yaml:"
! "$program" --topology "$dir/none.yaml" --run-dir "$dir/run" 2>"$dir/log" || fail "a missing topology was accepted"
says "none.yaml"
! "$program" --run-dir "$dir/run" 2>"$dir/log" || fail "--topology was not required"
says "topology is required"
! "$program" --topology "$topology" --run-dir "$dir/run" --ready-fd 9 2>"$dir/log" || fail "a closed descriptor was accepted"
says "--ready-fd 9"
