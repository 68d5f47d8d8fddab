// SPDX-License-Identifier: MIT
// Waits until nodes are ready, or until one cannot become so.
//
//     BootWatch watch(io, progress);
//     watch.add("a", paths.node("a"), 1);
//     watch.add_qemu("a", paths.node("a"), qemu_pidfd);
//     watch.add_process("ntb-fabric", paths.fabric_log(), fabric_pidfd);
//     BootResult result = watch.wait(std::chrono::seconds(180));
#pragma once

#include <boost/asio/io_context.hpp>
#include <chrono>
#include <list>
#include <memory>
#include <string>

#include "cluster_paths.h"
#include "log_follower.h"
#include "progress.h"
#include "status.h"

namespace ntblab::lab {

struct BootFailure {
    std::string what;                ///< Sentence.
    std::filesystem::path evidence;  ///< A log that says more; may be empty.
};

class BootWatch {
  public:
    BootWatch(boost::asio::io_context& io, Progress& progress) : io_(io), progress_(progress) {}

    /// A node that is about to boot; its logs are watched from where they end now. `links` as in NodeStatus.
    void add(const std::string& node, const NodePaths& files, std::size_t links);
    /// A node that runs already: waits until `links` more of its NTB links have come up.
    void add_peer(const std::string& node, const NodePaths& files, std::size_t links);
    /// Its QEMU, which must not end meanwhile; `pidfd` is borrowed.
    void add_qemu(const std::string& node, const NodePaths& files, int pidfd);
    /// A process that must not end meanwhile.
    void add_process(const std::string& name, const std::filesystem::path& log, int pidfd);

    /// Runs the loop. @return the failures; none: every node is ready, or someone stopped the loop.
    std::vector<BootFailure> wait(std::chrono::seconds limit);

  private:
    struct Node {
        std::string name;
        NodePaths files;
        NodeStatus status;
        std::unique_ptr<LogFollower> follower = nullptr;
        std::unique_ptr<LogFollower> console = nullptr;
    };
    using Descriptor = boost::asio::posix::stream_descriptor;

    void take(Node& node, const std::string& line);
    void take_console(Node& node, const std::string& line);
    void show();
    bool all_ready() const;
    void end_of_time(std::chrono::seconds limit);

    boost::asio::io_context& io_;
    Progress& progress_;
    std::list<Node> nodes_;
    std::list<Descriptor> processes_;
    std::vector<BootFailure> failures_;
};

}  // namespace ntblab::lab
