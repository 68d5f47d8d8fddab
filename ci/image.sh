#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# image.sh [KERNEL [SUITE]]: the guest image: rootfs.erofs (Debian, kernel modules, RoPCIe, the DMA engine's driver, our init; read-only and shared by all VMs),
# initrd.img, which finds it, cmdline, what the kernel is best told, suite, which Debian it is, and a link to the kernel that all
# this is for. KERNEL is a result of kernel.sh or the like, by default (and if "") that of kernel.sh; SUITE as for base.sh.
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

kernel=${1:-$("$root/ci/kernel.sh" | tail -1)}
base=$("$root/ci/base.sh" "${@:2}" | tail -1)
ropcie=$("$root/ci/ropcie.sh" "$kernel" "$base" | tail -1)
dma=$("$root/ci/dma.sh" "$kernel" | tail -1)
version=$(<"$kernel/version")

build_init() {
    progress "compiling the guest's init"
    run g++ -std=c++20 -O2 -static -s -o "$work/ntblab-init" "$root"/ci/guest/init/*.cpp
}

# Just init, and the modules in the order in which it loads them. These are stripped (of BTF and signature too): checking
# both takes an emulated CPU 0.2 s, a tenth of the time to userspace, and our own modules have neither.
build_initrd() {
    local module kind path name tree=$work/initrd
    progress "packing initrd.img"
    mkdir -p "$tree/modules"
    cp "$work/ntblab-init" "$tree/init"
    grep -v '^#' "$root/ci/guest/modules.initrd" | while read -r module; do
        modprobe -d "$kernel" -S "$version" --show-depends "$module" | while read -r kind path; do
            [[ $kind == insmod ]] || continue # else it is built into this kernel
            name=$(basename "$path")
            [[ -e $tree/modules/$name ]] && continue
            objcopy --strip-debug --remove-section=.BTF --remove-section=.BTF.base "$path" "$tree/modules/$name"
            echo "$name" >>"$tree/modules/list"
        done
    done
    run bash -o pipefail -c 'cd "$1" && find . -mindepth 1 | LC_ALL=C sort | cpio --quiet -o -H newc -R 0:0 >"$2"' \
        pack "$tree" "$work/initrd.img"
    rm -r "$tree"
}

build_rootfs() {
    local fakeroot=()
    ((EUID == 0)) || fakeroot=(fakeroot)
    need_space 1500 "the guest image"
    progress "packing rootfs.erofs"
    run "${fakeroot[@]}" "$root/ci/guest/compose.sh" "$base" "$kernel" "$work/ntblab-init" "$work" "$ropcie" "$dma"
}

step_begin image
ours=$(cd "$root" && hash_files ci/image.sh ci/guest/{cmdline,compose.sh,modules.initrd,sshd.conf} ci/guest/init/*.{cpp,h})
out=$cache/image-$(content_key <<<"$(basename "$kernel") $(basename "$base") $(basename "$ropcie") $(basename "$dma") $ours")
step_done_if_present "$out"
work=$(scratch "$out")
build_init
build_initrd
build_rootfs
rm "$work/ntblab-init"
cp "$root/ci/guest/cmdline" "$base/suite" "$work/"
# A kernel that has no mitigations says that it cannot turn them off, as an error.
if grep -qx '# CONFIG_CPU_MITIGATIONS is not set' "$kernel/config"; then
    sed -i 's/ mitigations=off//' "$work/cmdline"
fi
ln -s "../$(basename "$kernel")" "$work/kernel"
publish "$work" "$out"
