#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# ropcie.sh KERNEL BASE: RoPCIe for guests of that kernel (a result of kernel.sh or the like) and that Debian (of base.sh), as a tree
# to be laid over the guests' root: the kernel module and its test, the libibverbs provider, and the provider's test programs.
# A kernel without NTB or RDMA gets no module, and so does one that is newer than the module knows and for which it does not build.
# shellcheck source=common.sh
source "$(dirname "${BASH_SOURCE[0]}")/common.sh"

kernel=$1 base=$2
version=$(<"$kernel/version")
# For headers that no package has. Those of 56.1 are right for each libibverbs of the same private ABI, 34: rdma-core 34 to 56.
rdma_core=56.1
rdma_core_tarball=https://github.com/linux-rdma/rdma-core/releases/download/v$rdma_core/rdma-core-$rdma_core.tar.gz
rdma_core_sha256=63ce7f2baa7242c2dbc76375dac957c420187dd27f8c5e148efc07971ee522a8

# The files that the build reads, not what an earlier build has left beside them.
sources() {
    (cd "$root" && find guest-driver/ropcie provider -type f -not -name '*.mod.c' -not -path '*/build/*' \
        \( -name '*.[ch]' -o -name Kbuild -o -name Makefile -o -name '*.map' -o -name '*.rules' \) | LC_ALL=C sort)
}

# Leaves the tarball in $tarball: Debian's or, where the archive lacks that version, upstream's, of which Debian's is a copy.
get_rdma_core() {
    local release uri
    tarball=$cache/download/rdma-core-$rdma_core.tar.gz
    [[ ! -e $tarball ]] || return 0
    progress "downloading rdma-core $rdma_core, for its headers"
    for release in trixie "$(host_release)"; do
        apt_release "$release" || continue
        uri=$(cd "$work" && apt-get -qq --print-uris source rdma-core 2>>"$log_file" | tr -d "'" |
            awk -v file="rdma-core_$rdma_core.orig.tar.gz" '$2 == file { print $1 }')
        [[ -n $uri ]] && run_quiet /usr/lib/apt/apt-helper download-file "$uri" "$tarball.part" "SHA256:$rdma_core_sha256" &&
            mv "$tarball.part" "$tarball" && return
    done
    run curl -fL --retry 3 -o "$tarball.part" "$rdma_core_tarball"
    sha256sum --check --status <<<"$rdma_core_sha256  $tarball.part" ||
        die "$rdma_core_tarball does not have the SHA-256 that was expected: $rdma_core_sha256"
    mv "$tarball.part" "$tarball"
}

build_module() {
    local symbol module modules=$tree/usr/lib/modules/$version/updates
    for symbol in __ntb_register_client ib_register_device; do
        grep -q "[[:space:]]${symbol}[[:space:]]" "$kernel/headers/Module.symvers" && continue
        progress "no module for Linux $version, which is built without $symbol"
        return
    done
    progress "building the module for Linux $version"
    if ! run_quiet make -C "$work/guest-driver/ropcie" -j"$(nproc)" KERNEL="$kernel/headers"; then
        [[ ! $version =~ ^6\.(1|12)\. ]] || show_log_and_die "the module does not build"
        progress "the module does not build for Linux $version and is left out (see $log_file)"
        return
    fi
    mkdir -p "$modules"
    for module in ropcie test/ropcie_port_test; do
        run objcopy --strip-debug "$work/guest-driver/ropcie/$module.ko" "$modules/$(basename "$module").ko"
    done
}

build_provider() {
    local library
    progress "building the provider"
    run tar -C "$work" -xf "$base/root.tar" --wildcards './usr/lib/*/libibverbs.so.1*'
    library=$(compgen -G "$work/usr/lib/*/libibverbs.so.1")
    mkdir "$work/rdma-core"
    run tar -C "$work/rdma-core" --strip-components=1 -xf "$tarball"
    run make -C "$work/provider" -j"$(nproc)" RDMA_CORE="$work/rdma-core" LIBIBVERBS="$library" BUILD="$work/build" \
        install DESTDIR="$tree" LIBDIR="$(dirname "${library#"$work"}")"
    run strip --strip-debug "$tree"/usr/lib/*/libibverbs/*.so "$tree"/usr/bin/*
}

step_begin ropcie
out=$cache/ropcie-$(content_key <<<"$(basename "$kernel") $(basename "$base") $(sources | (cd "$root" && xargs sha256sum)) $(hash_files ci/ropcie.sh)")
step_done_if_present "$out"
work=$(scratch "$out")
tree=$work/tree
get_rdma_core
sources | (cd "$root" && xargs cp --parents -t "$work")
build_module
build_provider
publish "$tree" "$out"
remove_tree "$work"
