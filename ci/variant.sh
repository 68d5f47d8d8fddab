#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# variant.sh stock|debug|DIR [SUITE]: guests of another kernel than the stock one, or of another Debian, for `ntblab up --kernel`,
# `--guest-suite`: links kernel@NAME and image@NAME@SUITE in build/share/ntblab (or image@NAME, image@SUITE where one of the two is
# not asked for), where the NAME of a directory is its path with + for /.
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
step="variant"

case $1 in
    stock) name='' kernel='' ;;
    debug)
        name=@debug
        kernel=$("$root/ci/kernel_debug.sh" | tail -1)
        ;;
    *)
        dir=$(realpath -e "$1" 2>/dev/null) || die "there is no directory '$1'"
        name=@${dir//\//+}
        kernel=$("$root/ci/kernel_dir.sh" "$dir" | tail -1)
        ;;
esac
image=$("$root/ci/image.sh" "$kernel" "${@:2}" | tail -1)
mkdir -p "$root/build/share/ntblab"
if [[ -n $kernel ]]; then
    touch "$kernel/vmlinux" # newer than what it came from, however old the cached result is
    ln -sfn "$kernel" "$root/build/share/ntblab/kernel$name"
fi
ln -sfn "$image" "$root/build/share/ntblab/image$name${2:+@$2}"
progress "ready: ntblab up${kernel:+ --kernel $1}${2:+ --guest-suite $2} FILE"
