#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Everything a cluster needs: QEMU, the guests' kernel and image, our programs; made at the same time, since some of it
# waits for downloads while the rest compiles. build/share/ntblab then points to the results in the cache.
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
set -m # each part is a process group, which can be ended whole

declare -A parts=()
results=$(mktemp -d)

start_part() {
    local name=$1
    shift
    "$@" >"$results/$name" </dev/null &
    parts[$!]=$name
}

stop_parts() {
    local pid
    exec 2>/dev/null # the shell would report every part that it ends
    for pid in "${!parts[@]}"; do
        kill -TERM -- "-$pid" 2>/dev/null || true
    done
    wait
    rm -rf "$results"
}
trap stop_parts EXIT
trap 'progress interrupted; exit 130' INT
trap 'exit 143' TERM HUP

link_result() {
    [[ -d $2 ]] || die "internal error: a step left no result for '$1'"
    ln -sfn "$2" "$root/build/share/ntblab/$1"
}

[[ -e $root/build/share/ntblab/image/rootfs.erofs ]] || need_space 4000 "a first build"
start_part qemu "$root/ci/qemu.sh"
start_part image "$root/ci/image.sh"
start_part programs "$root/ci/compile.sh" release
while ((${#parts[@]})); do
    wait -n -p ended "${!parts[@]}" || die "the part '${parts[$ended]}' failed; run the command again to go on from here"
    unset "parts[$ended]"
done
mkdir -p "$root/build/share/ntblab"
image=$(tail -1 "$results/image")
link_result qemu "$(tail -1 "$results/qemu")"
link_result image "$image"
link_result kernel "$(readlink -e "$image/kernel")"
progress "ready: $root/build/bin/ntblab"
