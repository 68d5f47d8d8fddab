// SPDX-License-Identifier: MIT
#include "job_options.h"

namespace ntblab::sim {

std::shared_ptr<JobRequest> add_job_options(CLI::App& command) {
    auto request = std::make_shared<JobRequest>();
    command.add_option("TOPOLOGY", request->topology, "Path of a topology file")->required();
    command.add_option("-w,--workload", request->workload, "Name of one that is shipped, or path of a file")
        ->capture_default_str();
    command.add_option("-p,--profile", request->profile, "What hardware it is: a name, or path of a file")
        ->capture_default_str();
    command.add_option("--set", request->set, "PARAMETER=VALUE instead of the profile's; may be repeated")
        ->allow_extra_args(false);
    command.add_option("-s,--sizes", request->sizes, "Bytes of transfers: 64, 8..64K (doubling), 64,4K,1M");
    command.add_option("--from", request->from, "Node that transfers are asked for at");
    command.add_option("--to", request->to, "Its peer");
    command
        .add_option("-n,--transfers", request->transfers,
                    "That are measured, of each flow and size, however large")
        ->check(CLI::Range(1U, 1'000'000U));
    command.add_option("--warm-up", request->warm_up, "Transfers before these")
        ->check(CLI::Range(0U, 1'000'000U));
    command.add_option("--in-flight", request->in_flight, "Transfers at the same time, of each flow")
        ->check(CLI::Range(1U, 1'000'000U));
    command.add_option("--seed", request->seed, "Of everything that is random")->capture_default_str();
    command.add_flag("--check", request->check, "Watch the protocol at every link; a violation is a failure");
    return request;
}

}  // namespace ntblab::sim
