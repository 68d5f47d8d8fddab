// SPDX-License-Identifier: MIT
#include "everywhere.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <list>
#include <memory>

#include "exit_code.h"
#include "prefixed_pipe.h"
#include "remote_run.h"

namespace ntblab::lab {
namespace {

struct Job {
    std::string node;
    std::unique_ptr<RemoteRun> run = nullptr;
    std::unique_ptr<PrefixedPipe> output = nullptr;
    std::unique_ptr<PrefixedPipe> error = nullptr;
    int code = kUnreachable;
};

class Jobs {
  public:
    Jobs(boost::asio::io_context& io, const Cluster& cluster) : io_(io), cluster_(cluster) {}

    int run(const std::vector<std::string>& nodes, const std::vector<std::string>& words) {
        width_ = 0;
        for (const std::string& node : nodes) width_ = std::max(width_, node.size());
        for (const std::string& node : nodes) {
            Job& job = jobs_.emplace_back(Job{node});
            if (const auto started = nodes.size() == 1 ? start_alone(job, words) : start_labelled(job, words);
                !started)
                fmt::print(stderr, "ntblab: {}\n", started.error().message);
        }
        io_.restart();
        if (outstanding_ > 0) io_.run();
        const auto failed =
            std::find_if(jobs_.begin(), jobs_.end(), [](const Job& job) { return job.code != kOk; });
        return failed == jobs_.end() ? kOk : failed->code;
    }

  private:
    Result<void> open(Job& job, const std::vector<std::string>& words) {
        auto ssh = open_ssh({cluster_.paths, cluster_.state, job.node});
        if (!ssh) return tl::unexpected(ssh.error());
        auto run = RemoteRun::open(io_, std::move(*ssh), words);
        if (!run) return tl::unexpected(run.error());
        job.run = std::move(*run);
        return {};
    }

    Result<void> start_alone(Job& job, const std::vector<std::string>& words) {
        if (auto opened = open(job, words); !opened) return opened;
        return start(job, {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO});
    }

    Result<void> start_labelled(Job& job, const std::vector<std::string>& words) {
        if (auto opened = open(job, words); !opened) return opened;
        const std::string label = fmt::format("{:<{}} | ", job.node, width_);
        outstanding_ += 2;
        job.output = std::make_unique<PrefixedPipe>(io_, stdout, label, [this] { one_less(); });
        job.error = std::make_unique<PrefixedPipe>(io_, stderr, label, [this] { one_less(); });
        auto started = start(job, {-1, job.output->write_end(), job.error->write_end()});
        job.output->close_write_end();
        job.error->close_write_end();
        return started;
    }

    Result<void> start(Job& job, const Streams& streams) {
        auto started = job.run->start(streams, [this, &job](const Result<int>& end) {
            if (end)
                job.code = *end;
            else
                fmt::print(stderr, "ntblab: node '{}': {}\n", job.node, end.error().message);
            one_less();
        });
        if (started) ++outstanding_;
        return started;
    }

    void one_less() {
        if (--outstanding_ == 0) io_.stop();
    }

    boost::asio::io_context& io_;
    const Cluster& cluster_;
    std::list<Job> jobs_;
    std::size_t width_ = 0;
    unsigned outstanding_ = 0;
};

}  // namespace

int run_everywhere(boost::asio::io_context& io, const Cluster& cluster, const std::vector<std::string>& nodes,
                   const std::vector<std::string>& words) {
    return Jobs(io, cluster).run(nodes, words);
}

}  // namespace ntblab::lab
