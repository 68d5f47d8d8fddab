# SPDX-License-Identifier: MIT
# shellcheck shell=bash
# What every step of the bootstrap shares. A step is `ci/<step>.sh`: it prints progress on stderr and, as the last
# line of stdout, the directory of its finished result in the cache, named after a key of all that went into it.
#
#     source "$(dirname "${BASH_SOURCE[0]}")/common.sh"
#     step_begin kernel                          # logs to $cache/log/kernel.log; one bootstrap at a time in this step
#     out=$cache/kernel-$(content_key <<<"$version $(hash_files ci/kernel.sh)")
#     step_done_if_present "$out"                # the second run ends here
#     work=$(scratch "$out")                     # emptied if an earlier run was killed in it
#     progress "unpacking"; run dpkg-deb -x image.deb "$work"
#     publish "$work" "$out"                     # atomic; prints $out
set -euo pipefail

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
cache=${XDG_CACHE_HOME:-$HOME/.cache}/ntblab
export NTBLAB_T0=${NTBLAB_T0:-$EPOCHREALTIME}
export LC_ALL=C.UTF-8
export PATH=$PATH:/usr/sbin:/sbin # depmod and mkfs, for those who are not root
step=${step:-bootstrap}
log_file=/dev/null
mkdir -p "$cache"

# ---- telling ---------------------------------------------------------------------------------------------------

progress() {
    local us=$((${EPOCHREALTIME/./} - ${NTBLAB_T0/./}))
    printf '[%4d.%d s] %-8s %s\n' $((us / 1000000)) $((us / 100000 % 10)) "$step" "$*" >&2
}

die() {
    progress "error: $*"
    exit 1
}

# Runs a command with its output in the step's log; if it fails, shows the end of the log and ends the step.
run() {
    run_quiet "$@" || show_log_and_die "'$1' failed with exit code $?"
}

# The same, but a failure is the caller's to judge.
run_quiet() {
    printf '+ %s\n' "$*" >>"$log_file"
    "$@" >>"$log_file" 2>&1
}

show_log_and_die() {
    {
        echo "---- last lines of $log_file"
        tail -n 25 "$log_file"
        echo "----"
    } >&2
    die "$1; the whole log is $log_file"
}

# ---- keys, locks, results --------------------------------------------------------------------------------------

# The key of what is read on stdin.
content_key() { sha256sum | cut -c1-16; }

# One line per file below the given paths (relative to the repository): checksum, mode and name.
hash_files() {
    (cd "$root" && find "$@" -type f -not -name '*.pyc' -printf '%m %p\0' | LC_ALL=C sort -z -k2 |
        while read -r -d '' mode name; do echo "$mode $(sha256sum "$name")"; done)
}

# Holds a lock of that name until the process ends.
lock() {
    local fd
    mkdir -p "$cache/lock"
    exec {fd}>"$cache/lock/$1"
    flock --nonblock "$fd" && return
    progress "waiting for another bootstrap that is busy with '$1'"
    flock "$fd"
}

step_begin() {
    step=$1
    mkdir -p "$cache/log" "$cache/tmp" "$cache/download"
    lock "$step"
    log_file=$cache/log/$step.log
    : >"$log_file"
}

step_done_if_present() {
    [[ -d $1 ]] || return 0
    progress "cached: $1"
    touch "$1"
    echo "$1"
    exit 0
}

# An empty directory to work in, on the file system of the cache; the caller holds the step's lock.
scratch() {
    local dir
    dir=$cache/tmp/$(basename "$1")
    remove_tree "$dir"
    mkdir -p "$dir"
    echo "$dir"
}

# Some of its files may belong to the user's subordinate ids.
remove_tree() {
    rm -rf --one-file-system "$1" 2>/dev/null || unshare --map-root-user --map-auto rm -rf --one-file-system "$1"
}

publish() {
    sync -f "$1"
    mv -T "$1" "$2"
    progress "done: $2"
    echo "$2"
}

# need_space MIB WHAT: ends the step when the cache's file system has less room.
need_space() {
    local free
    free=$(df --output=avail -BM "$cache" | tail -1 | tr -dc 0-9)
    ((free >= $1)) || die "$2 needs $1 MiB in $cache, $free MiB are free: make room, or put the cache elsewhere with XDG_CACHE_HOME"
}

# ---- Debian's archive, through the machine's own apt sources ----------------------------------------------------

# Prints "debian URI" and, where there is one, "security URI": where this machine gets Debian from. Other repositories
# are passed over: by the origin that their lists give or, before there are lists, by the names of their suites; and by
# the archive's keyring whenever lists are fetched.
debian_archive() {
    if [[ -n ${NTBLAB_DEBIAN_URI:-} ]]; then # for machines whose own sources are not Debian's
        echo "debian $NTBLAB_DEBIAN_URI"
        [[ -z ${NTBLAB_DEBIAN_SECURITY_URI:-} ]] || echo "security $NTBLAB_DEBIAN_SECURITY_URI"
        return
    fi
    {
        system_sources | grep '|Debian$' || true
        system_sources --no-release-info
    } | awk -F'|' -v codename="$(host_release)" '
        $2 != "main" || printed[kind = kind_of($3)] || kind == "" { next }
        { print kind, $1; printed[kind] = 1 }
        function kind_of(suite) {
            if (suite ~ /^((old)*stable|testing)-security$/ || suite == codename "-security") return "security"
            if (suite ~ /^((old)*stable|testing|unstable|sid)$/ || suite == codename) return "debian"
            return ""
        }'
}

# "URI|COMPONENT|SUITE|ORIGIN" of what the machine's apt sources name, Debian-like addresses first.
system_sources() {
    env -u APT_CONFIG apt-get indextargets "$@" --format '$(REPO_URI)|$(COMPONENT)|$(RELEASE)|$(ORIGIN)' 'Created-By: Packages' |
        awk -F'|' '$1 ~ /debian(-security)?\/?$/ { print; next } { other = other $0 "\n" } END { printf "%s", other }'
}

# The code name of the Debian release this machine runs.
host_release() { (. /etc/os-release && echo "${VERSION_CODENAME:-sid}"); }

# "deb ..." (or $2: "deb-src") lines of a release; "trixie" includes its updates and security, "trixie-backports" is just that.
release_sources() {
    local release=$1 type=${2:-deb} archive debian security keyring=/usr/share/keyrings/debian-archive-keyring.gpg
    archive=$(debian_archive)
    debian=$(sed -n 's/^debian //p' <<<"$archive")
    security=$(sed -n 's/^security //p' <<<"$archive")
    [[ -n $debian ]] || die "no Debian archive among this machine's apt sources: add one for '$(host_release)' main, or name a mirror in NTBLAB_DEBIAN_URI"
    [[ -r $keyring ]] || die "$keyring is missing: install the package debian-archive-keyring"
    echo "$type [signed-by=$keyring] $debian $release main"
    case $release in *-* | sid | unstable) return ;; esac
    echo "$type [signed-by=$keyring] $debian $release-updates main"
    [[ -z $security ]] || echo "$type [signed-by=$keyring] $security $release-security main"
}

# Makes apt (this process and its children) see just that Debian release, binaries and sources, with lists of its own
# in the cache: nothing of the system's is read but its proxy settings, and nothing is changed. Fails if the archive
# does not have the release. The lists are fetched once; apt_refresh fetches them again.
apt_release() {
    local dir=$cache/apt/$1
    mkdir -p "$dir"/{lists/partial,archives/partial}
    (
        flock 9
        : >"$dir/status"
        {
            env -u APT_CONFIG apt-config dump --no-empty --format '%f "%v";%n' Acquire |
                grep -E '^Acquire::(https?|ftp|Check-|Retries|ForceIPv|Max-ValidTime)' || true
            cat <<END
Dir::Etc::Parts "/dev/null";
Dir::Etc::Main "/dev/null";
Dir::Etc::sourcelist "$dir/sources.list";
Dir::Etc::sourceparts "/dev/null";
Dir::Etc::preferences "/dev/null";
Dir::Etc::preferencesparts "/dev/null";
Dir::Etc::netrc "/etc/apt/auth.conf";
Dir::Etc::netrcparts "/etc/apt/auth.conf.d";
Dir::State::lists "$dir/lists";
Dir::State::status "$dir/status";
Dir::Cache "$dir";
APT::Architectures { "amd64"; };
APT::Sandbox::User "root"; // the cache may lie in a home that apt's own user cannot enter
Acquire::Languages "none";
Acquire::Retries "3";
END
        } >"$dir/apt.conf.new"
        mv "$dir/apt.conf.new" "$dir/apt.conf"
        export APT_CONFIG=$dir/apt.conf
        [[ -e $dir/fetched ]] || apt_refresh
    ) 9>"$dir/lock" || return
    export APT_CONFIG=$dir/apt.conf
}

# Fetches the lists of the release chosen by apt_release again; its sources.list is left with the suites that are there
# (a mirror may lack updates or security).
apt_refresh() {
    local dir=${APT_CONFIG%/*} release type options uri suite rest
    release=${dir##*/}
    progress "fetching the package lists of $release"
    rm -f "$dir/fetched"
    { release_sources "$release" deb && release_sources "$release" deb-src; } >"$dir/sources.list" || return
    run_quiet apt-get update || true
    while read -r type options uri suite rest; do
        compgen -G "$dir/lists/*_dists_${suite}_*Release" >/dev/null && echo "$type $options $uri $suite $rest"
    done <"$dir/sources.list" >"$dir/sources.list.new"
    mv "$dir/sources.list.new" "$dir/sources.list"
    if ! grep -q " $release main" "$dir/sources.list"; then
        progress "no package lists of '$release': no network, or the archive does not have it (see $log_file)"
        return 1
    fi
    touch "$dir/fetched"
}

# apt_get DIR ARGS...: `apt-get ARGS` (download, source) in a directory that keeps what is there already, also half a
# file. An index is no promise: on failure the lists are fetched again and it is tried once more.
apt_get() {
    local dir=$1
    shift
    mkdir -p "$dir"
    (cd "$dir" && run_quiet apt-get -qq "$@") && return
    (flock 9 && apt_refresh) 9>"${APT_CONFIG%/*}/lock" || return
    (cd "$dir" && run_quiet apt-get -qq "$@")
}
