#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# dma.sh KERNEL: the driver of the switch's DMA engine and the kernel's own test of such engines, switchtec_dma and dmatest, unmodified
# from a Linux that has the driver (7.1 and later), for guests of that kernel (a result of kernel.sh or the like), as a tree to be laid
# over the guests' root. The source is NTBLAB_DMA_SOURCE (a directory of Linux's), or Debian's newest linux-source.
# A kernel without DMA engines, or for which they do not build, gets none.
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

kernel=$1
version=$(<"$kernel/version")
files=(drivers/dma/{switchtec_dma.c,dmatest.c,dmaengine.h})

# Prints "VERSION SERIES" of the newest that the release chosen by apt_release offers.
source_offered() {
    apt-cache pkgnames linux-source- | sed -n 's/^linux-source-\([0-9]*\.[0-9]*\)$/\1/p' | while read -r series; do
        dpkg --compare-versions "$series" ge 7.1 || continue
        apt-cache madison "linux-source-$series" | awk -v series="$series" '$NF == "Packages" { print $3, series }'
    done | sort -rV | head -1
}

# Leaves in $origin what the driver comes from: a directory, or a version of Debian's package, of series $series. Empty: there is none.
choose_source() {
    local release
    series='' origin=${NTBLAB_DMA_SOURCE:-}
    [[ -z $origin ]] || return 0
    for release in "$(host_release)-backports" trixie-backports trixie; do
        apt_release "$release" || continue
        read -r origin series < <(source_offered) && return 0
    done
    progress "Debian's archive offers no linux-source of 7.1 or later: guests get no switchtec_dma. NTBLAB_DMA_SOURCE may name a directory of such a source"
}

# What a directory has may change.
hash_origin() { [[ -n $series || -z $origin ]] || (cd "$origin" && sha256sum "${files[@]}") 2>/dev/null || true; }

get_source() {
    local debs=$cache/download/linux-source-$origin file
    mkdir -p "$work/module"
    if [[ -z $series ]]; then
        for file in "${files[@]}"; do
            cp "$origin/$file" "$work/module/" || die "NTBLAB_DMA_SOURCE: $origin/$file cannot be read: name the source directory of Linux 7.1 or later"
        done
        return
    fi
    need_space 500 "the driver of the DMA engine"
    progress "downloading linux-source-$series"
    apt_get "$debs" download "linux-source-$series=$origin" || show_log_and_die "linux-source-$series $origin cannot be downloaded"
    progress "unpacking"
    run bash -o pipefail -c 'dpkg-deb --fsys-tarfile "$1" | tar -xO --wildcards "./usr/src/linux-source-*.tar.xz" |
        tar -xJ -C "$2" --strip-components=3 --wildcards "${@:3}"' unpack "$debs"/linux-source-*.deb "$work/module" "${files[@]/#/*/}"
}

build_modules() {
    local module modules=$work/tree/usr/lib/modules/$version/updates
    if ! grep -q '[[:space:]]dma_async_device_register[[:space:]]' "$kernel/headers/Module.symvers"; then
        progress "no DMA engines in Linux $version, which is built without them"
        return
    fi
    progress "building switchtec_dma and dmatest for Linux $version"
    echo 'obj-m := switchtec_dma.o dmatest.o' >"$work/module/Kbuild"
    if ! run_quiet make -C "$kernel/headers" M="$work/module" -j"$(nproc)" modules; then
        [[ ! $version =~ ^6\.12\. ]] || show_log_and_die "switchtec_dma does not build"
        progress "switchtec_dma does not build for Linux $version and is left out (see $log_file)"
        return
    fi
    mkdir -p "$modules" "$work/tree/etc/modprobe.d"
    # Clients take an engine that is there when they load.
    printf 'softdep %s pre: switchtec_dma\n' ntb_transport ntb_perf >"$work/tree/etc/modprobe.d/switchtec_dma.conf"
    for module in switchtec_dma dmatest; do
        run objcopy --strip-debug "$work/module/$module.ko" "$modules/$module.ko"
    done
}

step_begin dma
choose_source
out=$cache/dma-$(content_key <<<"$(basename "$kernel") $origin $(hash_origin) $(hash_files ci/dma.sh)")
step_done_if_present "$out"
work=$(scratch "$out")
mkdir "$work/tree"
if [[ -n $origin ]]; then
    get_source
    build_modules
fi
publish "$work/tree" "$out"
remove_tree "$work"
