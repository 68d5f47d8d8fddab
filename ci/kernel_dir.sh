#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# kernel_dir.sh DIR: a kernel that the user has built in DIR, laid out as the result of kernel.sh: its vmlinux and its modules,
# stripped. `headers` is DIR itself.
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

dir=$1
# What a guest cannot start without.
needed=(PVH FW_CFG_SYSFS EROFS_FS OVERLAY_FS VIRTIO_PCI VIRTIO_BLK VIRTIO_NET VIRTIO_CONSOLE SERIAL_8250_CONSOLE DEVTMPFS TMPFS)

check_config() {
    local option missing=()
    for option in "${needed[@]}"; do
        grep -qE "^CONFIG_$option=[ym]$" "$dir/.config" || missing+=("CONFIG_$option")
    done
    ((${#missing[@]} == 0)) || die "the kernel in $dir is configured without ${missing[*]}, which guests need (ci/guest/debug.config has all)"
}

step_begin kernel-dir
for file in vmlinux .config include/config/kernel.release; do
    [[ -e $dir/$file ]] || die "$dir has no $file: name a directory in which a kernel was built (make vmlinux modules)"
done
check_config
release=$(<"$dir/include/config/kernel.release")
modules=$(cd "$dir" && find . -name '*.ko' -printf '%p %s %T@\n' | sort)
out=$cache/kernel-$release-$(content_key <<<"$dir $modules $(sha256sum <"$dir/vmlinux") $(hash_files ci/kernel_dir.sh)")
step_done_if_present "$out"
work=$(scratch "$out")
progress "installing the modules of $dir"
run make -C "$dir" INSTALL_MOD_PATH="$work" INSTALL_MOD_STRIP=1 modules_install
rm -f "$work/lib/modules/$release"/{build,source}
run objcopy --strip-debug "$dir/vmlinux" "$work/vmlinux"
cp "$dir/.config" "$work/config"
echo "$release" >"$work/version"
ln -s "$dir" "$work/headers"
publish "$work" "$out"
