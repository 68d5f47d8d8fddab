#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The debug kernel: Debian's source of the stock kernel's version with guest/debug.config (KASAN, lockdep, kmemleak, DMA-API debug),
# and with guest/debug-patches, without which known mistakes would hide others or be reported in each run. The result is laid out as that of kernel.sh; `headers`
# is the build tree, for modules of one's own. Its making can be interrupted and goes on where it was.
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

stock=$("$root/ci/kernel.sh" | tail -1)
name=$(<"$stock/version")
series=$(cut -d. -f1,2 <<<"$name")
jobs=${NTBLAB_BUILD_JOBS:-$(nproc)}

# Prints the version of Debian's package that the stock kernel came from; apt is left with the release that has it.
choose_version() {
    local release
    for release in "$(host_release)" "$(host_release)-backports" trixie; do
        apt_release "$release" || continue
        version=$(apt-cache madison "linux-image-$name" | awk 'NR == 1 { print $3 }')
        [[ -z $version ]] || return 0
    done
    die "Debian's archive has linux-image-$name no more: ./bootstrap clean --cache takes a newer one"
}

get_source() {
    local debs=$cache/download/kernel-$version new patch
    [[ -e $tree/patches && $(<"$tree/patches") == "$patches_key" ]] || rm -rf "$tree"
    [[ ! -d $tree/source ]] || return 0
    need_space 6000 "the debug kernel"
    progress "downloading linux-source-$series"
    apt_get "$debs" download "linux-source-$series=$version" || die "linux-source-$series $version cannot be downloaded (see $log_file)"
    progress "unpacking"
    new=$(scratch "$tree-source")
    run bash -o pipefail -c 'dpkg-deb --fsys-tarfile "$1" | tar -xO --wildcards "./usr/src/linux-source-*.tar.xz" |
        tar -xJ -C "$2" --strip-components=1' unpack "$debs/linux-source-${series}_$version"_*.deb "$new"
    for patch in "$patches"/*.patch; do run patch -d "$new" -p1 -i "$patch"; done
    mkdir -p "$tree"
    echo "$patches_key" >"$tree/patches"
    run mv "$new" "$tree/source"
}

make_kernel() { nice -n "${NTBLAB_BUILD_NICE:-10}" make -C "$tree/source" O="$tree/build" -j"$jobs" "$@"; }

# Every line of the fragment has to have come true; Kconfig drops silently what depends on something that is off.
configure() {
    local line
    progress "configuring"
    mkdir -p "$tree/build"
    run make_kernel x86_64_defconfig kvm_guest.config
    run "$tree/source/scripts/kconfig/merge_config.sh" -m -O "$tree/build" "$tree/build/.config" "$root/ci/guest/debug.config"
    run make_kernel olddefconfig
    while read -r line; do
        grep -qxF "$line" "$tree/build/.config" || die "the debug kernel's configuration lacks $line (ci/guest/debug.config)"
    done < <(grep '^CONFIG_' "$root/ci/guest/debug.config")
}

collect() {
    local work release
    release=$(<"$tree/build/include/config/kernel.release")
    work=$(scratch "$out")
    run make_kernel INSTALL_MOD_PATH="$work" INSTALL_MOD_STRIP=1 modules_install
    rm -f "$work/lib/modules/$release"/{build,source}
    cp "$tree/build/vmlinux" "$work/"
    cp "$tree/build/.config" "$work/config"
    echo "$release" >"$work/version"
    ln -s "$tree/build" "$work/headers"
    ln -s "$tree/source" "$work/source"
    publish "$work" "$out"
}

step_begin kernel-debug
choose_version
patches=$root/ci/guest/debug-patches
patches_key=$(content_key <<<"$(hash_files ci/guest/debug-patches)")
key=$(content_key <<<"$version $(hash_files ci/kernel_debug.sh ci/guest/debug.config ci/guest/debug-patches)")
out=$cache/kernel-$name-debug-$key
step_done_if_present "$out"
tree=$cache/kernel-build-$(content_key <<<"$version")
get_source
configure
progress "compiling (about 40 minutes on two cores; log: $log_file)"
run make_kernel vmlinux modules
collect
