// SPDX-License-Identifier: MIT
#include "cluster.h"

#include <fabric/fabric.h>
#include <fcntl.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <stdexcept>

#include "inherited.h"

namespace fabric::test {

namespace {

[[noreturn]] void serve(const FabricConfig& config, const std::string& run_dir_path, int ready) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    close_inherited({ready});
    spdlog::set_default_logger(spdlog::stderr_logger_st("ntb-fabric"));
    int result = 1;
    {
        auto run_dir = RunDir::take(run_dir_path);
        if (!run_dir) ::_exit(2);
        auto fab = Fabric::create(config, std::move(*run_dir));
        if (!fab) ::_exit(3);
        if (::write(ready, "\n", 1) == 1) {
            ::close(ready);
            result = fab->run() ? 0 : 1;
        }
    }
    ::_exit(result);
}

}  // namespace

FabricConfig star(unsigned partitions) {
    SwitchConfig sw{"sw0", {}, {}};
    for (unsigned i = 0; i < partitions; ++i) {
        switchtec::PartitionConfig partition;
        partition.bar2_size = 16U << 20;
        partition.bar4_size = 8ULL << 30;
        partition.targets = ((std::uint64_t{1} << partitions) - 1) & ~(std::uint64_t{1} << i);
        sw.chip.partitions.push_back(partition);
        sw.nodes.push_back("node" + std::to_string(i));
    }
    return {{sw}};
}

Cluster::Cluster(const FabricConfig& config) {
    std::string pattern = std::filesystem::temp_directory_path() / "ntb-fabric-test-XXXXXX";
    if (::mkdtemp(pattern.data()) == nullptr) throw std::runtime_error("mkdtemp");
    run_dir_ = pattern;
    std::array<int, 2> ready{};
    if (::pipe2(ready.data(), O_CLOEXEC) != 0) throw std::runtime_error("pipe");
    pid_ = ::fork();
    if (pid_ == 0) serve(config, run_dir_, ready[1]);
    ::close(ready[1]);
    char byte = 0;
    bool listening = false;
    // To the end: until then the fabric has a descriptor too many for who counts them.
    while (::read(ready[0], &byte, 1) == 1) listening = true;
    ::close(ready[0]);
    if (!listening) throw std::runtime_error("the fabric did not start");
}

Cluster::~Cluster() {
    if (pid_ > 0) end(SIGKILL);
    std::filesystem::remove_all(run_dir_);
}

int Cluster::end(int signal) {
    int status = 0;
    ::kill(pid_, signal);
    ::waitpid(pid_, &status, 0);
    pid_ = -1;
    return status;
}

bool Cluster::comes_to_descriptors(std::size_t count) const {
    for (int tries = 0; tries < 10000; ++tries) {
        if (descriptors_of(pid_) == count) return true;
        ::usleep(1000);
    }
    return false;
}

std::size_t descriptors_of(pid_t pid) {
    const auto path = "/proc/" + std::to_string(pid) + "/fd";
    return static_cast<std::size_t>(
        std::distance(std::filesystem::directory_iterator(path), std::filesystem::directory_iterator()));
}

}  // namespace fabric::test
