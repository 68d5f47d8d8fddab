#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# base.sh [SUITE]: the guests' Debian: the packages of guest/packages and those of NTBLAB_IMAGE_PACKAGES, as root.tar (with the
# owners), and its suite (bookworm, trixie). Without SUITE: trixie or, where the archive lacks it, the machine's own release.
# Needs no root where unprivileged user namespaces or fakechroot work.
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

packages=$({ grep -v '^#' "$root/ci/guest/packages"; tr -s ' ,' '\n' <<<"${NTBLAB_IMAGE_PACKAGES:-}"; } | sed '/^$/d' | sort -u | paste -sd,)

# Where the packages are installed before they are packed. Without root it is in /tmp, since the user's subordinate ids,
# whose files these are, may not enter a home directory; what a killed run left there is removed.
tree_dir() {
    local old dir
    if ((EUID == 0)); then
        echo "$work"
        return
    fi
    for old in /tmp/ntblab-base-"$UID".*; do
        [[ ! -O $old ]] || remove_tree "$old"
    done
    dir=$(mktemp -d "/tmp/ntblab-base-$UID.XXXXXX")
    chmod 755 "$dir"
    echo "$dir"
}

# What was asked for is in that Debian, or bootstrap ends: another release would be no answer. apt says which package is not.
check_asked_for() {
    local release=$1 asked problem
    read -ra asked <<<"$(tr -s ', \n' ' ' <<<"${NTBLAB_IMAGE_PACKAGES:-}")"
    ((${#asked[@]})) || return 0
    problem=$(apt-get -qq --simulate --no-install-recommends install "${asked[@]}" 2>&1 >/dev/null) && return
    die "Debian $release cannot have the packages of --image-packages (${asked[*]}): ${problem//$'\n'/; }. Ask for others, or for none: ./bootstrap --image-packages \"\" build"
}

build() {
    local release=$1 work mode=auto dir contained=() code=0
    work=$(scratch "$out")
    dir=$(tree_dir)
    need_space 1500 "the guest's Debian"
    progress "installing Debian $release for the guests: ${packages//,/ }"
    if ((EUID == 0)); then
        mode=root
        # In namespaces of its own, so that nothing stays mounted or running when this is killed.
        contained=(unshare --mount --pid --fork --kill-child --mount-proc)
        "${contained[@]}" true 2>/dev/null || contained=()
    fi
    # Whatever apt is told of this machine (proxies) holds for the packages of the guest, too.
    grep '^Acquire' "$APT_CONFIG" >"$work/aptopt" || true
    grep '^deb ' "${APT_CONFIG%/*}/sources.list" >"$work/sources.list"
    env -u APT_CONFIG TMPDIR="$dir" "${contained[@]}" mmdebstrap --mode="$mode" --variant=apt --include="$packages" \
        --aptopt="$work/aptopt" --aptopt='APT::Install-Recommends "false"' --aptopt='Acquire::Languages "none"' \
        --dpkgopt='path-exclude=/usr/share/man/*' --dpkgopt='path-exclude=/usr/share/doc/*' \
        --dpkgopt='path-exclude=/usr/share/locale/*' --dpkgopt='path-include=/usr/share/doc/*/copyright' \
        --dpkgopt='path-include=/usr/share/doc/rdma-core/tests/*' \
        --customize-hook='rm -f "$1/etc/apt/apt.conf.d/99mmdebstrap"' \
        "$release" "$work/root.tar" "$work/sources.list" >>"$log_file" 2>&1 </dev/null || code=$?
    [[ $dir == "$work" ]] || remove_tree "$dir"
    ((code == 0)) || return "$code"
    rm -f "$work/aptopt" "$work/sources.list"
    echo "$release" >"$work/suite"
    publish "$work" "$out"
}

step_begin base
releases=(trixie)
[[ $(host_release) == trixie ]] || releases+=("$(host_release)")
(($# == 0)) || releases=("$1")
for release in "${releases[@]}"; do
    out=$cache/base-$release-$(content_key <<<"$packages $(hash_files ci/base.sh)")
    step_done_if_present "$out"
    apt_release "$release" || continue
    check_asked_for "$release"
    build "$release" && exit
    progress "Debian $release could not be installed (see $log_file)"
done
show_log_and_die "Debian could not be installed for the guests: check the network and the packages asked for (${packages//,/ })"
