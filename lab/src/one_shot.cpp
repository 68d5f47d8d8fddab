// SPDX-License-Identifier: MIT
#include "one_shot.h"

#include <fmt/format.h>

#include <cstdio>
#include <exception>

#include "claim.h"
#include "run_dir.h"
#include "teardown.h"

namespace ntblab::lab {

int use_once(const Plan& plan, const UpOptions& options,
             const std::function<int(boost::asio::io_context&, const Cluster&)>& use) {
    boost::asio::io_context io;
    const Interrupts interrupts(io, [&](int) { io.stop(); });
    const UpResult up = bring_up(io, interrupts, plan, options);
    if (up.exit_code != kOk) return up.exit_code < kSignalBase ? kUnreachable : up.exit_code;
    int code = kUnreachable;
    std::exception_ptr problem;  // such as a closed standard output; the cluster must go all the same
    try {
        code = use(io, {plan.paths, up.state});
    } catch (const std::exception&) {
        problem = std::current_exception();
    }
    if (interrupts.caught()) code = kSignalBase + *interrupts.caught();

    if (const auto lock = claim_to_end(plan.paths)) {
        if (const auto destroyed = destroy_cluster(plan.paths); !destroyed) {
            fmt::print(stderr, "ntblab: {}\n", destroyed.error().message);
            return kUnreachable;
        }
    }
    remove_empty_run_base();
    if (problem) std::rethrow_exception(problem);
    return code;
}

}  // namespace ntblab::lab
