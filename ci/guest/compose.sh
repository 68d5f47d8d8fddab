#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# compose.sh BASE KERNEL INIT WORK TREE...: makes WORK/rootfs.erofs of the guests' Debian, kernel modules, init, and trees that are laid over
# them. Runs as root, or under fakeroot (the files keep their owners either way).
set -euo pipefail
base=$1 kernel=$2 init=$3 work=$4
version=$(<"$kernel/version")
tree=$work/tree

mkdir "$tree"
tar -xf "$base/root.tar" -C "$tree" --exclude='./dev/*' --exclude='./boot/*' --exclude='./var/cache/apt/*' \
    --exclude='./var/lib/apt/lists/*' --exclude='./usr/share/locale/*' --exclude='./usr/lib/udev/hwdb.bin' \
    --exclude='./etc/ssh/ssh_host_*'
mkdir -p "$tree/usr/lib/modules" "$tree/var/cache/apt/archives/partial" "$tree/var/lib/apt/lists/partial"
cp -r --no-preserve=ownership "$kernel/lib/modules/$version" "$tree/usr/lib/modules/"
for over in "${@:5}"; do
    (cd "$over" && tar --owner=0 --group=0 --mode=go-w -cf - .) | tar -C "$tree" --no-overwrite-dir -xf -
done
chown -R 0:0 "$tree/usr/lib/modules"
depmod -b "$tree" "$version"

install -o 0 -g 0 -m 0755 "$init" "$tree/usr/sbin/ntblab-init"
for name in reboot poweroff halt; do ln -sf ntblab-init "$tree/usr/sbin/$name"; done
install -o 0 -g 0 -m 0644 "$(dirname "$0")/sshd.conf" "$tree/etc/ssh/sshd_config.d/ntblab.conf"
sed -i 's/^root:[^:]*:/root:*:/' "$tree/etc/shadow" # by key or on the console; "!" would lock sshd out, too
echo 'nameserver 10.0.2.3' >"$tree/etc/resolv.conf"  # QEMU's user-mode network
: >"$tree/etc/motd"
: >"$tree/etc/fstab"

mkfs.erofs -T0 -U 00000000-0000-4000-8000-000000000000 "$work/rootfs.erofs" "$tree"
rm -rf "$tree"
