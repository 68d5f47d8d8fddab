// SPDX-License-Identifier: MIT
// Where the nanoseconds of one transfer go: the way of its TLP that arrives last, back to the transfer's
// start, with a name for every picosecond.
//
//     auto account = explain(hardware, workload, {0, 1}, 64, {});
//     if (!account) return complain(account.error().message, kUsage);
//     for (const Step& step : account->steps) fmt::print("{:>10} {}\n", step.end - step.begin, step.part);
#pragma once

#include <ntblab/result.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pcie/link.h"
#include "pcie/profile.h"
#include "simulate.h"
#include "traces/traces.h"

namespace ntblab::sim {

struct Step {
    std::string tlp;    ///< "MWr", "MRd of descriptor", ...: that goes this part of the way.
    std::string part;   ///< "egress", "queue", "PH credits", "serialization", "propagation", ...
    std::string where;  ///< Module; of a link also which side sends.
    pcie::Picoseconds begin = 0, end = 0;
    unsigned times = 1;  ///< In a summary(): how many have been put together.
};

/// Steps follow each other without gaps, from `begin` to `end`.
struct Account {
    pcie::Picoseconds begin = 0, end = 0;
    std::vector<Step> steps;
    std::vector<std::string> violations = {};  ///< Of the protocol, where that was checked.
};

/// Steps of the same TLP type, part and place as one, each beginning where the one before ends: for transfers
/// whose requests follow from each other.
std::vector<Step> summary(const Account& account);

/// Keeps what happens to the TLPs of one cookie.
class Recorder : public pcie::Observer {
  public:
    explicit Recorder(std::uint64_t cookie) : cookie_(cookie) {}

    /// After the run; nothing if no such TLP has come to its end.
    std::optional<Account> account() const;

    void queued(const pcie::Link& link, unsigned side, const pcie::Tlp& tlp, pcie::Picoseconds from) override;
    void sent(const pcie::Link& link, unsigned side, const pcie::Tlp& tlp,
              const pcie::TlpOnWire& wire) override;
    using Observer::sent;
    void stalled(const pcie::Link& link, unsigned side, pcie::StallCause cause,
                 pcie::Picoseconds at) override;
    void resumed(const pcie::Link& link, unsigned side, pcie::Picoseconds at) override;
    void spent(const sc_core::sc_module& where, const pcie::Tlp& tlp, pcie::Part part,
               pcie::Picoseconds begin, pcie::Picoseconds end) override;
    void ended(const sc_core::sc_module& where, const pcie::Tlp& tlp, pcie::Picoseconds at) override;

  private:
    using Direction = std::pair<const pcie::Link*, unsigned>;
    struct Stall {
        pcie::StallCause cause;
        pcie::Picoseconds begin, end;
    };
    /// A part of the way: in a module, or over a link from being queued to being there.
    struct Stage {
        const sc_core::sc_module* where = nullptr;
        pcie::Part part{};
        pcie::Picoseconds begin = 0, end = 0;  ///< Of a link: queued, and able to be sent.
        bool is_link = false;
        unsigned side = 0;
        pcie::Picoseconds first = pcie::kNever;  ///< When it was sent first;
        pcie::TlpOnWire wire{};                  ///< and last.
    };
    struct Way {
        std::string type;
        std::uint64_t cause = 0;
        std::vector<Stage> stages;
        pcie::Picoseconds ended = pcie::kNever;
    };
    class Assembly;

    Way& way(const pcie::Tlp& tlp);
    const Way* last() const;

    std::uint64_t cookie_;
    std::map<std::uint64_t, Way> ways_;  ///< By their serials.
    std::map<Direction, std::vector<Stall>> stalls_;
};

/// Runs one transfer, after the workload's warm-up, in a simulation of its own. Errors: no NT pair joins the
/// flow's nodes; the profile cannot be what the topology asks for; an operation that is more than one
/// transfer (a ping-pong, RDMA, a trace), a pattern that is more than one flow; a file of `options` that
/// cannot be written.
Result<Account> explain(const Hardware& hardware, Workload workload, const Flow& flow, std::uint64_t size,
                        const TraceOptions& options);

}  // namespace ntblab::sim
