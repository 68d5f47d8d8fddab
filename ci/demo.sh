#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Two VMs joined by an NTB: the drivers, the link, and data across it.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# A run directory of its own: whatever else is running is left alone, and only this is taken down.
NTBLAB_RUN_DIR=$(mktemp -d "${XDG_RUNTIME_DIR:-/tmp}/ntblab-demo.XXXX")
export NTBLAB_RUN_DIR

finish() {
    local code=$?
    build/bin/ntblab down --all || code=1
    rm -rf "$NTBLAB_RUN_DIR"
    exit "$code"
}
trap finish EXIT
trap 'exit 130' INT
trap 'exit 143' TERM HUP

show() {
    local word
    printf '\n$ ntblab'
    for word; do
        [[ $word == *[!A-Za-z0-9_./:=-]* ]] && word="'$word'"
        printf ' %s' "$word"
    done
    printf '\n'
    build/bin/ntblab "$@"
}

show up topologies/pair.yaml
for node in a b; do
    show exec "$node" -- lspci -k -d 11f8:
    show exec "$node" -- sh -c 'ls -l /dev/switchtec0; dmesg | grep -E "switchtec.*(ntb link|NTB device)"'
done
show exec a -- ping -c 5 -i 0.2 b
build/bin/ntblab exec b -- iperf3 --server --daemon
# The server listens a moment after its command has returned.
build/bin/ntblab exec b -- sh -c 'until ss -Hltn sport = :5201 | grep -q .; do sleep 0.05; done'
show exec a -- iperf3 --client b --time 3
printf '\n'
