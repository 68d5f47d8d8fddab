// SPDX-License-Identifier: MIT
#include "job_options.h"

#include <fmt/format.h>
#include <topology/named_file.h>

#include <charconv>
#include <cstdint>
#include <limits>

#include "data_files.h"

namespace ntblab::sim {

// CLI11 takes -1 for 2^64 - 1, and 010 for 8.
CLI::Validator whole_number(std::uint64_t least, std::uint64_t most) {
    return CLI::Validator(
        [least, most](std::string& text) -> std::string {
            std::uint64_t value = 0;
            const char* end = text.data() + text.size();
            const auto parsed = std::from_chars(text.data(), end, value);
            if (parsed.ec != std::errc() || parsed.ptr != end || value < least || value > most)
                return fmt::format("'{}'; expected a whole number from {} to {}", text, least, most);
            text = std::to_string(value);
            return "";
        },
        "");
}

std::shared_ptr<JobRequest> add_job_options(CLI::App& command, JobKind kind) {
    constexpr std::uint64_t kMost = 1'000'000;
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
    command.add_option("--warm-up", request->warm_up, "Transfers before these that are measured")
        ->transform(whole_number(0, kMost));
    if (kind == JobKind::run) {
        command
            .add_option("-n,--transfers", request->transfers,
                        "That are measured, of each flow and size, however large")
            ->transform(whole_number(1, kMost));
        command.add_option("--in-flight", request->in_flight, "Transfers at the same time, of each flow")
            ->transform(whole_number(1, kMost));
    }
    command.add_option("--seed", request->seed, "Of everything that is random")
        ->transform(whole_number(0, std::numeric_limits<std::uint64_t>::max()))
        ->capture_default_str();
    command.add_flag("--check", request->check, "Watch the protocol at every link; a violation is a failure");
    return request;
}

std::vector<std::filesystem::path> inputs_of(const JobRequest& request, const Job& job) {
    return {request.topology, topology::named_path(request.workload, data_folder("workloads")),
            topology::named_path(request.profile, data_folder("profiles")), job.workload.trace};
}

void print_notes(const std::vector<std::string>& notes) {
    for (const std::string& note : notes) fmt::print(stderr, "ntb-sim: note: {}\n", note);
}

}  // namespace ntblab::sim
