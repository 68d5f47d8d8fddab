// SPDX-License-Identifier: MIT
// The directory below which every cluster has one of its own, and who may work on which.
//
//     auto base = prepare_run_base();
//     auto claim = DirectoryLock::try_lock(*base / "pair");
//     if (claim && *claim) ...   // until the lock goes out of scope, no other ntblab changes the cluster
#pragma once

#include <ntblab/result.h>
#include <ntblab/unique_fd.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace ntblab::lab {

/// $NTBLAB_RUN_DIR, else $XDG_RUNTIME_DIR/ntblab-UID, else /tmp/ntblab-UID; absolute, symbolic links
/// resolved.
std::filesystem::path run_base();

/// Makes it if need be. Errors: it is somebody else's, open to others, or cannot be made.
Result<std::filesystem::path> prepare_run_base();

/// Errors: it is there, but is no directory or cannot be read. One that is not there yet has no clusters,
/// which is no error.
Result<void> check_run_base();

/// Takes the default run base away if nothing is in it; one that NTBLAB_RUN_DIR names stays.
void remove_empty_run_base();

/// Names of the clusters that have a directory, sorted.
std::vector<std::string> cluster_names(const std::filesystem::path& base);

/// Room that a cluster's logs and sockets should have, in bytes.
inline constexpr std::uint64_t kRunDirSpace = 16ULL << 20;

/// Bytes that the file system of a directory has free for this user; 0 if it cannot be asked.
std::uint64_t free_space(const std::filesystem::path& dir);

/// Errors if a socket path of the cluster would be longer than the kernel allows.
Result<void> check_path_lengths(const std::filesystem::path& cluster, const std::vector<std::string>& nodes);

/// An exclusive flock on a directory. The kernel releases it when this process and its children that have not
/// yet become another program are gone, however they ended.
class DirectoryLock {
  public:
    /// nullopt: another process holds it, or the directory is not there.
    static std::optional<DirectoryLock> try_lock(const std::filesystem::path& dir);
    /// Blocks. nullopt: the directory is not there (any more).
    static std::optional<DirectoryLock> lock(const std::filesystem::path& dir);

  private:
    explicit DirectoryLock(UniqueFd fd) : fd_(std::move(fd)) {}
    static std::optional<DirectoryLock> acquire(const std::filesystem::path& dir, int operation);
    UniqueFd fd_;
};

}  // namespace ntblab::lab
