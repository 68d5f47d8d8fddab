// SPDX-License-Identifier: MIT
// A fabric in a process of its own, for the life of a test.
//
//     Cluster cluster(2);
//     Host a(cluster.socket(), 0);
#pragma once

#include <fabric/config.h>
#include <sys/types.h>

#include <string>

namespace fabric::test {

/// One switch "sw0" with `partitions` partitions, each of which reaches all others.
FabricConfig star(unsigned partitions);

class Cluster {
  public:
    explicit Cluster(unsigned partitions) : Cluster(star(partitions)) {}
    explicit Cluster(const FabricConfig& config);
    Cluster(const Cluster&) = delete;
    Cluster& operator=(const Cluster&) = delete;
    ~Cluster();

    const std::string& run_dir() const { return run_dir_; }
    std::string socket() const { return run_dir_ + "/fabric.sock"; }
    pid_t pid() const { return pid_; }
    /// Ends the fabric; returns what waitpid says of it.
    int end(int signal);
    /// Whether the fabric's process comes to have `count` open descriptors.
    bool comes_to_descriptors(std::size_t count) const;

  private:
    std::string run_dir_;
    pid_t pid_ = -1;
};

/// Open descriptors of a process.
std::size_t descriptors_of(pid_t pid);

}  // namespace fabric::test
