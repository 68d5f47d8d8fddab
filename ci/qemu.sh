#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# QEMU 10.0 with the Switchtec NT endpoint: bin/qemu-system-x86_64, and share/, the firmware for its -L.
# The source is, in this order, NTBLAB_QEMU_SRC (a directory), NTBLAB_QEMU_TARBALL (a file or URL; needs
# NTBLAB_QEMU_SHA256), the source package of Debian 13 or of this release's backports, or upstream's tarball. It is
# configured and built in a tree that is kept in the cache, so that a change to the device costs a few files and a link.
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

series=10.0
upstream_tarball=https://download.qemu.org/qemu-10.0.2.tar.xz
upstream_sha256=ef786f2398cb5184600f69aef4d5d691efd44576a3cff4126d38d4c6fec87759
glue=qemu-ntb-device/qemu
# What the glue includes of the chip's.
headers=(qemu-ntb-device/link/include/ntblink/endpoint.h qemu-ntb-device/dma/include/switchtec-dma/engine.h
    qemu-ntb-device/model/include/switchtec/{gas.h,registers.def})
configure_options=(
    --target-list=x86_64-softmmu --without-default-features --without-default-devices --with-devices-x86_64=ntblab
    --enable-tcg --enable-kvm --enable-slirp --enable-virtfs --enable-attr --enable-pixman --enable-fdt=system
    --enable-trace-backends=log --enable-strip --disable-docs --disable-tools --disable-install-blobs --disable-werror
    --disable-debug-info --disable-download
)
firmware=(bios-256k.bin kvmvapic.bin linuxboot_dma.bin multiboot_dma.bin pvh.bin efi-virtio.rom)
firmware_packages=(seabios qemu-system-data ipxe-qemu)

# ---- the source: each origin leaves a tree in the directory named last ---------------------------

unpack_directory() {
    progress "copying $NTBLAB_QEMU_SRC"
    mkdir -p "$1"
    run bash -o pipefail -c 'tar -C "$1" --exclude=./.git --exclude=./build -cf - . | tar -C "$2" -xf -' \
        copy "$NTBLAB_QEMU_SRC" "$1"
}

# unpack_tarball FILE_OR_URL SHA256 INTO
unpack_tarball() {
    local file=$1
    if [[ $file == *://* ]]; then
        file=$cache/download/qemu-$2.tar
        if [[ ! -e $file ]]; then
            progress "downloading $1"
            run_quiet curl -fL --retry 3 -C - -o "$file.part" "$1" && mv "$file.part" "$file" || return
        fi
    fi
    [[ -r $file ]] || die "no tarball of QEMU at $file"
    if ! sha256sum --check --status <<<"$2  $file"; then
        [[ $file == "$1" ]] || rm "$file"
        die "$1 does not have the SHA-256 that was expected: $2"
    fi
    mkdir -p "$3"
    progress "unpacking $file"
    run tar -C "$3" --strip-components=1 -xf "$file"
}

# Of the release that apt_release chose; fails if the archive has not what its index promises.
unpack_debian() {
    local version=$1 dir=$cache/download/qemu-$1
    progress "downloading Debian's QEMU $version"
    apt_get "$dir" source --download-only "qemu=$version" || return
    progress "unpacking"
    run dpkg-source --no-check -x "$dir"/qemu_*.dsc "$2"
}

qemus_offered() {
    apt-cache madison qemu | awk -v series="$series" '
        $NF == "Sources" { upstream = $3; sub(/^[0-9]+:/, "", upstream); if (index(upstream, series ".") == 1) print $3 }' |
        sort -rVu
}

# ---- the build -------------------------------------------------------------------------------------------------------

# A meson that this QEMU accepts, and pycotap: the machine's, or the backports' binary packages, just unpacked.
python_tools() {
    local release dir=$tree/tools
    export PATH=/usr/bin:/bin:/usr/sbin:/sbin
    unset PYTHONPATH
    [[ -d $dir ]] || ! has_python_tools || return 0
    if [[ ! -d $dir ]]; then
        for release in "$(host_release)-backports" trixie; do
            apt_release "$release" && apt_get "$cache/download/meson-$release" download meson python3-pycotap && break
        done
        unpack_packages "$cache/download/meson-$release" "$(scratch "$dir")" "$dir"
    fi
    export PYTHONPATH=$dir/usr/lib/python3/dist-packages PATH=$dir/usr/bin:$PATH
    has_python_tools || die "no meson >= 1.5 with pycotap for $(/usr/bin/python3 --version): install them for it"
}

# unpack_packages FROM SCRATCH TO: all the .deb files of a folder, at once.
unpack_packages() {
    local deb
    for deb in "$1"/*.deb; do run dpkg-deb -x "$deb" "$2"; done
    mv -T "$2" "$3"
}

has_python_tools() {
    /usr/bin/python3 -c '
import sys, pycotap
from mesonbuild.coredata import version
sys.exit(tuple(map(int, version.split(".")[:2])) < (1, 5))' 2>>"$log_file"
}

# get_source VERSION UNPACK ARGS...: the patched source is in $tree/src, or this fails. Ends the step if $out is there already.
get_source() {
    local version=$1 src patch
    shift
    tree=$cache/qemu-build-$(content_key <<<"$version ${configure_options[*]} $(hash_files $glue/patches $glue/devices.mak)")
    out=$cache/qemu-$(content_key <<<"$version $(hash_files ci/qemu.sh $glue/{hw,patches,devices.mak} "${headers[@]}")")
    step_done_if_present "$out"
    [[ ! -d $tree/src ]] || return 0
    need_space 2000 "QEMU"
    src=$(scratch "$tree-src")/qemu
    "$@" "$src" || return
    for patch in "$root/$glue"/patches/*.patch; do
        run_quiet patch -d "$src" -p1 -i "$patch" || {
            progress "${patch##*/} does not apply to QEMU $version (see $log_file)"
            return 1
        }
    done
    mkdir -p "$tree"
    run mv "$src" "$tree/src"
}

# Makes the configured build tree anew if its making was interrupted.
configure() {
    [[ ! -e $tree/build/configured || ! -e $tree/build/build.ninja ]] || return 0
    rm -rf "$tree/build"
    mkdir "$tree/build"
    progress "configuring"
    (cd "$tree/build" && run "$tree/src/configure" --python=/usr/bin/python3 "${configure_options[@]}")
    touch "$tree/build/configured"
}

# Only what differs is written, so that only that is compiled.
install_glue() {
    local device=$tree/src/hw/misc/switchtec file
    mkdir -p "$device"
    for file in "$device"/*; do
        [[ -d $file || -e $root/$glue/hw/${file##*/} ]] || rm "$file"
    done
    for file in "$root/$glue"/hw/*; do copy_changed "$file" "$device/${file##*/}"; done
    for file in "${headers[@]}"; do
        mkdir -p "$(dirname "$device/${file##*/include/}")"
        copy_changed "$root/$file" "$device/${file##*/include/}"
    done
    copy_changed "$root/$glue/devices.mak" "$tree/src/configs/devices/x86_64-softmmu/ntblab.mak"
}

copy_changed() {
    cmp -s "$1" "$2" || cp "$1" "$2"
}

compile() {
    progress "compiling"
    run nice ninja -C "$tree/build" qemu-system-x86_64
    (cd "$tree/build" && DESTDIR=$work/stage run pyvenv/bin/meson install --no-rebuild --tags runtime)
    mkdir -p "$work/bin"
    mv "$work"/stage/usr/local/bin/qemu-system-x86_64 "$work/bin/"
    rm -rf "$work/stage"
}

# Firmware is in an upstream tarball, else in packages of Debian: unpacked, not installed.
add_firmware() {
    local release file found dirs=("$tree/src/pc-bios") dir=$tree/firmware
    if [[ ! -e $tree/src/pc-bios/bios-256k.bin ]]; then
        if [[ ! -d $dir ]]; then
            for release in trixie "$(host_release)"; do
                apt_release "$release" &&
                    apt_get "$cache/download/firmware-$release" download "${firmware_packages[@]}" && break
            done
            unpack_packages "$cache/download/firmware-$release" "$(scratch "$dir")" "$dir"
        fi
        dirs=("$dir/usr/share/seabios" "$dir/usr/share/qemu")
    fi
    mkdir -p "$work/share"
    for file in "${firmware[@]}"; do
        found=$(find -L "${dirs[@]}" -maxdepth 1 -name "$file" -print -quit)
        [[ -n $found ]] || die "firmware $file is neither in QEMU's source nor in the packages ${firmware_packages[*]}"
        cp -L "$found" "$work/share/"
    done
}

finish() {
    local work
    install_glue
    python_tools
    configure
    work=$(scratch "$out")
    compile
    add_firmware
    publish "$work" "$out"
    exit
}

step_begin qemu
if [[ -n ${NTBLAB_QEMU_SRC:-} ]]; then
    [[ -e $NTBLAB_QEMU_SRC/VERSION ]] || die "NTBLAB_QEMU_SRC: no QEMU source in '$NTBLAB_QEMU_SRC' (it has no file VERSION)"
    listing=$(cd "$NTBLAB_QEMU_SRC" && find . -path ./.git -prune -o -path ./build -prune -o -type f -printf '%p %s %T@\n' | sort)
    get_source "directory $NTBLAB_QEMU_SRC $(content_key <<<"$listing")" unpack_directory
    finish
fi
if [[ -n ${NTBLAB_QEMU_TARBALL:-} ]]; then
    [[ -n ${NTBLAB_QEMU_SHA256:-} ]] || die "NTBLAB_QEMU_TARBALL needs NTBLAB_QEMU_SHA256, the checksum of the file"
    get_source "tarball $NTBLAB_QEMU_SHA256" unpack_tarball "$NTBLAB_QEMU_TARBALL" "$NTBLAB_QEMU_SHA256" || show_log_and_die "no QEMU"
    finish
fi
for release in trixie "$(host_release)-backports"; do
    apt_release "$release" || continue
    for version in $(qemus_offered); do
        if get_source "debian $version" unpack_debian "$version"; then finish; fi
        progress "could not get QEMU $version of $release, trying another"
    done
done
progress "no source of QEMU $series in Debian's archive, trying upstream's tarball"
if get_source "tarball $upstream_sha256" unpack_tarball "$upstream_tarball" "$upstream_sha256"; then finish; fi
show_log_and_die "no source of QEMU $series from Debian's archive nor from $upstream_tarball. Get a tarball of $series.x
from QEMU's site and set NTBLAB_QEMU_TARBALL and NTBLAB_QEMU_SHA256, or set NTBLAB_QEMU_SRC to the directory of its source"
