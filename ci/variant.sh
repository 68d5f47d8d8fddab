#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# variant.sh debug|DIR: another kernel than the stock one, with an image for it, for `ntblab up --kernel debug|DIR`: links
# kernel@NAME and image@NAME in build/share/ntblab, where the NAME of a directory is its path with + for /.
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
step="variant"

if [[ $1 == debug ]]; then
    name=debug
    kernel=$("$root/ci/kernel_debug.sh" | tail -1)
else
    dir=$(realpath -e "$1") || die "there is no directory '$1'"
    name=${dir//\//+}
    kernel=$("$root/ci/kernel_dir.sh" "$dir" | tail -1)
fi
image=$("$root/ci/image.sh" "$kernel" | tail -1)
mkdir -p "$root/build/share/ntblab"
touch "$kernel/vmlinux" # newer than what it came from, however old the cached result is
ln -sfn "$kernel" "$root/build/share/ntblab/kernel@$name"
ln -sfn "$image" "$root/build/share/ntblab/image@$name"
progress "ready: ntblab up --kernel $1 FILE"
