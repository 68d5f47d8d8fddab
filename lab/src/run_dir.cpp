// SPDX-License-Identifier: MIT
#include "run_dir.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>

#include "cluster_paths.h"
#include "text.h"
#include "topology/topology.h"

namespace ntblab::lab {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kSocketPathLimit = sizeof(sockaddr_un::sun_path) - 1;
/// ssh binds <path>.<16 random characters> before it renames (OpenSSH 9, mux.c).
constexpr std::size_t kSshSuffix = 17;

const char* variable(const char* name) {
    const char* value = std::getenv(name);
    return value != nullptr && *value != '\0' ? value : nullptr;
}

/// From elsewhere a relative one would be another, and its clusters not be found.
Result<void> check_absolute() {
    const char* given = variable("NTBLAB_RUN_DIR");
    if (given == nullptr || fs::path(given).is_absolute()) return {};
    return fail(fmt::format("NTBLAB_RUN_DIR: {}: expected an absolute path; write NTBLAB_RUN_DIR={}", given,
                            shell_quote(run_base().string())));
}

}  // namespace

fs::path run_base() {
    fs::path base;
    if (const char* given = variable("NTBLAB_RUN_DIR")) {
        base = given;
    } else {
        const char* runtime = variable("XDG_RUNTIME_DIR");
        base = fs::path(runtime != nullptr ? runtime : "/tmp") / fmt::format("ntblab-{}", ::getuid());
    }
    std::error_code error;
    const fs::path absolute = fs::absolute(base, error).lexically_normal();
    const fs::path canonical = fs::weakly_canonical(absolute, error);
    fs::path result = error ? absolute : canonical;
    return result.has_filename() ? result : result.parent_path();
}

Result<fs::path> prepare_run_base() {
    if (auto absolute = check_absolute(); !absolute) return tl::unexpected(absolute.error());
    fs::path base = run_base();
    const std::string advice = "; set NTBLAB_RUN_DIR to a directory of your own";
    if (::mkdir(base.c_str(), 0700) != 0 && errno != EEXIST)
        return fail(errno_message("cannot make the run directory " + base.string()) + advice);
    struct stat status {};
    if (::lstat(base.c_str(), &status) != 0) return fail(errno_message(base.string()) + advice);
    if (!S_ISDIR(status.st_mode)) return fail(base.string() + " is not a directory" + advice);
    if (status.st_uid != ::geteuid())
        return fail(fmt::format("{} belongs to user {}, not to you (user {}){}", base.string(), status.st_uid,
                                ::geteuid(), advice));
    if ((status.st_mode & 0022) != 0)
        return fail(fmt::format("{} can be written by others; run `chmod go-w {}`, or{}", base.string(),
                                shell_quote(base.string()), advice.substr(1)));
    if (::access(base.c_str(), W_OK | X_OK) != 0)
        return fail(errno_message("cannot write to the run directory " + base.string()) + advice);
    return base;
}

Result<void> check_run_base() {
    if (auto absolute = check_absolute(); !absolute) return absolute;
    const fs::path base = run_base();
    std::error_code error;
    const fs::directory_iterator content(base, error);
    if (!error || error == std::errc::no_such_file_or_directory) return {};
    return fail(
        fmt::format("the run directory {} cannot be read: {}; set NTBLAB_RUN_DIR to a directory of your own",
                    base.string(), error.message()));
}

void remove_empty_run_base() {
    if (variable("NTBLAB_RUN_DIR") == nullptr) ::rmdir(run_base().c_str());
}

std::vector<std::string> cluster_names(const fs::path& base) {
    std::vector<std::string> result;
    std::error_code error;
    for (const auto& entry : fs::directory_iterator(base, error))
        if (entry.is_directory(error) && topology::valid_name(entry.path().filename()))
            result.push_back(entry.path().filename());
    std::sort(result.begin(), result.end());
    return result;
}

std::uint64_t free_space(const fs::path& dir) {
    struct statvfs space {};
    return ::statvfs(dir.c_str(), &space) == 0 ? space.f_bavail * space.f_frsize : 0;
}

Result<void> check_path_lengths(const fs::path& cluster, const std::vector<std::string>& nodes) {
    const ClusterPaths paths{cluster};
    std::string longest = paths.fabric_socket();
    for (const std::string& node : nodes) {
        const NodePaths files = paths.node(node);
        for (const std::string& socket : {files.console_socket().string(), files.qmp_socket().string(),
                                          files.ssh_socket(1000).string() + std::string(kSshSuffix, 'x')})
            if (socket.size() > longest.size()) longest = socket;
    }
    if (longest.size() <= kSocketPathLimit) return {};
    return fail(fmt::format(
        "the run directory {} is too long: a socket in it would have {} characters, the kernel allows {}; "
        "set NTBLAB_RUN_DIR to a path at least {} shorter, or use shorter names",
        cluster.string(), longest.size(), kSocketPathLimit, longest.size() - kSocketPathLimit));
}

std::optional<DirectoryLock> DirectoryLock::try_lock(const fs::path& dir) {
    return acquire(dir, LOCK_EX | LOCK_NB);
}

std::optional<DirectoryLock> DirectoryLock::lock(const fs::path& dir) {
    return acquire(dir, LOCK_EX);
}

std::optional<DirectoryLock> DirectoryLock::acquire(const fs::path& dir, int operation) {
    for (;;) {
        UniqueFd fd(::open(dir.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
        if (!fd) return std::nullopt;
        while (::flock(fd.get(), operation) != 0)
            if (errno != EINTR) return std::nullopt;
        // Its last holder may have removed the directory, and someone made it anew.
        struct stat locked {};
        struct stat named {};
        if (::fstat(fd.get(), &locked) == 0 && ::lstat(dir.c_str(), &named) == 0 &&
            locked.st_ino == named.st_ino && locked.st_dev == named.st_dev)
            return DirectoryLock(std::move(fd));
    }
}

}  // namespace ntblab::lab
