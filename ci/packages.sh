#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# packages.sh build|test...: installs what is missing of the Debian packages that these lists (ci/packages/) name.
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

# What stands for the packages on a distribution without dpkg.
commands=(apt-get dpkg-deb dpkg-source bison cmake cpio depmod fakeroot flex g++ make mkfs.erofs mmdebstrap ninja patch
    pkg-config python3 ssh xz zstd)

missing_packages() {
    local wanted installed
    wanted=$(cd "$root/ci/packages" && grep -hv '^#' "$@" | sort -u)
    # shellcheck disable=SC2086
    installed=$(dpkg-query --show --showformat '${db:Status-Status} ${Package}\n' $wanted 2>/dev/null |
        sed -n 's/^installed //p' | sort -u)
    comm -23 <(echo "$wanted") <(echo "$installed")
}

check_foreign_distribution() {
    local command absent=()
    for command in "${commands[@]}"; do
        command -v "$command" >/dev/null || absent+=("$command")
    done
    ((${#absent[@]} == 0)) || die "this is not Debian: install these commands with your distribution's tools: ${absent[*]}
Also needed: the libraries that ci/packages/ names, Debian's archive keyring in /usr/share/keyrings, and the address of a
Debian mirror in NTBLAB_DEBIAN_URI (the guests' kernel and image come from there; QEMU, too, or see ci/README.md)."
}

install() {
    local as_root=() packages=$1
    local by_hand="apt-get install --no-install-recommends $packages"
    if ((EUID != 0)); then
        command -v sudo >/dev/null || die "packages are missing, and there is neither root nor sudo to install them. As root: $by_hand"
        sudo -n true 2>/dev/null || [[ -t 2 && -r /dev/tty ]] ||
            die "packages are missing, and sudo wants a password but has no terminal to ask on. Run first: sudo $by_hand"
        progress "sudo installs packages; it may ask for your password"
        sudo -v || die "sudo refused. Have an administrator run: $by_hand"
        as_root=(sudo)
    fi
    as_root+=(env DEBIAN_FRONTEND=noninteractive apt-get -q -y -o DPkg::Lock::Timeout=600)
    progress "installing $packages"
    # shellcheck disable=SC2086
    run_quiet "${as_root[@]}" install --no-install-recommends $packages && return
    progress "fetching the system's package lists, which may be old"
    run_quiet "${as_root[@]}" update || progress "apt-get update failed (see $log_file); trying all the same"
    # shellcheck disable=SC2086
    run "${as_root[@]}" install --no-install-recommends $packages
}

if ! command -v dpkg-query >/dev/null; then
    check_foreign_distribution
    exit
fi
missing=$(missing_packages "$@")
[[ -n $missing ]] || exit 0
step_begin packages
missing=$(missing_packages "$@") # another bootstrap may just have installed them
[[ -n $missing ]] || exit 0
need_space 500 "installing packages"
install "$(paste -sd' ' <<<"$missing")"
progress "done"
