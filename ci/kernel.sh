#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The guests' kernel: the distribution's own image, unpacked and not installed, with the NTB and Switchtec modules built
# unmodified from the source package of the same version. The result holds
#     vmlinux, version, config      what is booted (uncompressed, by PVH), and its name as `uname -r` prints it
#     lib/modules/<version>/        the modules a guest may want, uncompressed, ours under updates/
#     headers/                      for building other modules: make -C <result>/headers M=...
#     source/                       what our modules were built from, and the NTB selftests
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

series=${NTBLAB_KERNEL_SERIES:-6.12}
modules=(ntb ntb_transport ntb_netdev ntb_perf ntb_pingpong ntb_tool switchtec ntb_hw_switchtec)
source_wanted=('*/drivers/ntb' '*/drivers/pci/switch' '*/drivers/net/ntb_netdev.c' '*/scripts/extract-vmlinux'
    '*/tools/testing/selftests/ntb' '*/COPYING' '*/LICENSES')

# "VERSION NAME" of each kernel that the release offers with image, headers and source of one version, newest first.
kernels_offered() {
    local sources
    sources=$(apt-cache madison "linux-source-$series" | awk '$NF == "Packages" { print $3 }')
    apt-cache pkgnames "linux-headers-$series." | grep -E -- '-amd64$' | grep -vE -- '-(rt|cloud)-amd64$' |
        while read -r headers; do
            apt-cache madison "$headers" "linux-image-${headers#linux-headers-}" | awk '$NF == "Packages" { print $3, $1 }'
        done | sort | sed -n 's/ linux-headers-/ /p' |
        while read -r version name; do
            grep -qxF "$version" <<<"$sources" && echo "$version $name"
        done | sort -rV
}

download() {
    local version=$1 name=$2 kbuild package packages=()
    # linux-kbuild-6.12.1+deb13, but linux-kbuild-6.1
    kbuild=$(apt-cache depends "linux-headers-$name=$version" | sed -n 's/.*Depends: \(linux-kbuild-.*\)/\1/p')
    for package in "linux-image-$name" "linux-headers-$name" "linux-headers-${name%-amd64}-common" "$kbuild" "linux-source-$series"; do
        packages+=("$package=$version")
    done
    need_space 1500 "the kernel"
    progress "downloading Linux $name ($version): image, headers, source"
    apt_get "$cache/download/kernel-$version" download "${packages[@]}"
}

unpack() {
    local debs=$1 deb
    progress "unpacking"
    for deb in "$debs"/linux-{image,headers,kbuild}-*.deb; do run dpkg-deb -x "$deb" "$work/root"; done
    mkdir -p "$work/source"
    run bash -o pipefail -c 'dpkg-deb --fsys-tarfile "$1" | tar -xO --wildcards "./usr/src/linux-source-*.tar.xz" |
        tar -xJ -C "$2" --strip-components=1 --wildcards "${@:3}"' \
        unpack "$debs"/linux-source-*.deb "$work/source" "${source_wanted[@]}"
    echo "$name" >"$work/version"
    cp "$work/root/boot/config-$name" "$work/config"
}

# The kernel is booted by its PVH entry, which only the uncompressed ELF file has.
extract_vmlinux() {
    bash "$work/source/scripts/extract-vmlinux" "$work/root/boot/vmlinuz-$name" >"$work/vmlinux" 2>>"$log_file" ||
        show_log_and_die "no vmlinux found in vmlinuz-$name"
    readelf -n "$work/vmlinux" 2>/dev/null | grep -q Xen ||
        die "vmlinuz-$name has no PVH entry (CONFIG_PVH): choose another kernel with NTBLAB_KERNEL_SERIES"
}

# Makes the headers usable where they lie: the packages' Makefile includes by an absolute path.
relocate_headers() {
    mkdir -p "$work/usr/lib"
    mv "$work/root/usr/src" "$work/usr/src"
    mv "$work"/root/usr/lib/linux-kbuild-* "$work/usr/lib/"
    ln -s "usr/src/linux-headers-$name" "$work/headers"
    sed -i 's|^include /usr/src/|include ../|' "$work/headers/Makefile"
    if ! command -v "$(sed -n 's/.*CROSS_COMPILE)\(gcc[-0-9]*\)$/x86_64-linux-gnu-\1/p' "$work/headers/.kernelvariables")" >/dev/null; then
        sed -i 's/^CC = .*/CC = gcc/' "$work/headers/.kernelvariables"
    fi
    # Modules get no type information (BTF), for which each build of one would need pahole.
    sed -i '/^CONFIG_DEBUG_INFO_BTF_MODULES=/d' "$work/headers/include/config/auto.conf"
}

build_modules() {
    local module build=$work/build
    progress "building ${modules[*]}"
    mkdir -p "$build"
    cp -r "$work/source/drivers/ntb" "$work/source/drivers/pci/switch" "$build"
    mkdir "$build/net"
    cp "$work/source/drivers/net/ntb_netdev.c" "$build/net"
    echo 'obj-m := ntb/ switch/ net/' >"$build/Kbuild"
    echo 'obj-m := ntb_netdev.o' >"$build/net/Kbuild"
    run make -C "$work/headers" M="$build" -j"$(nproc)" CONFIG_NTB=m CONFIG_NTB_TRANSPORT=m CONFIG_NTB_SWITCHTEC=m \
        CONFIG_NTB_PERF=m CONFIG_NTB_PINGPONG=m CONFIG_NTB_TOOL=m CONFIG_PCI_SW_SWITCHTEC=m modules
    # So that users' own NTB clients can be built against the headers.
    cat "$build/Module.symvers" >>"$work/headers/Module.symvers"
    mkdir -p "$tree/updates"
    for module in "${modules[@]}"; do
        run cp "$(find "$build" -name "$module.ko")" "$tree/updates/"
    done
    rm -rf "$build"
}

# Leaves in the module tree what guests want (guest/modules.keep) with its dependencies, uncompressed: unpacking xz is slow
# in an emulated CPU.
select_modules() {
    local all=$work/root/lib/modules/$name file
    [[ -d $all ]] || all=$work/root/usr/lib/modules/$name
    progress "selecting the guest's modules"
    run depmod -b "${all%/lib/modules/*}" "$name"
    grep -v '^#' "$root/ci/guest/modules.keep" |
        awk -v all="$all/modules.dep" '
            function keep(file, n, names, i) {
                if (file in kept) return
                kept[file] = 1
                print file
                n = split(needs[file], names, " ")
                for (i = 1; i <= n; i++) keep(names[i])
            }
            { wanted[++count] = "kernel/" $0 }
            END {
                while ((getline line < all) > 0) {
                    file = line; sub(/:.*/, "", file); sub(/^[^:]*:/, "", line)
                    needs[file] = line
                }
                for (file in needs)
                    for (i = 1; i <= count; i++)
                        if (index(file, wanted[i] "/") == 1 || index(file, wanted[i] ".ko") == 1) keep(file)
            }' >"$work/kept"
    mkdir -p "$tree"
    cp "$all"/modules.{order,builtin,builtin.modinfo} "$tree"
    (cd "$all" && xargs -a "$work/kept" cp --parents -t "$tree")
    for file in xz:.xz zstd:.zst gzip:.gz; do
        find "$tree/kernel" -name "*.ko${file#*:}" -print0 | xargs -0 -r -n 200 -P "$(nproc)" "${file%:*}" -dq --
    done
    rm -rf "$work/kept"
}

build() {
    local version=$1 name=$2 work tree
    work=$(scratch "$out")
    tree=$work/lib/modules/$name
    download "$version" "$name" || return
    unpack "$cache/download/kernel-$version"
    extract_vmlinux
    relocate_headers
    select_modules
    build_modules
    run depmod -b "$work" -e -E "$work/headers/Module.symvers" "$name"
    rm -rf "$work/root"
    publish "$work" "$out"
}

step_begin kernel
for release in "$(host_release)" "$(host_release)-backports" trixie; do
    apt_release "$release" || continue
    while read -r version name; do
        out=$cache/kernel-${name%-amd64}-$(content_key <<<"$version $(hash_files ci/kernel.sh ci/guest/modules.keep)")
        step_done_if_present "$out"
        build "$version" "$name" && exit
        progress "could not get Linux $name ($version), trying another"
    done < <(kernels_offered)
done
show_log_and_die "no Linux $series with image, headers and source of one version could be had from Debian's archive: check the network, or name another series in NTBLAB_KERNEL_SERIES"
