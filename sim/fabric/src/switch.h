// SPDX-License-Identifier: MIT
// One switch of the cluster: its shared memory, and who sits at its partitions.
//
//     auto sw = fabric::Switch::create(config).value();
//     if (auto attached = sw.attach(connection, hello); !attached) refuse(attached.error());
#pragma once

#include <fabric/config.h>
#include <ntblab/result.h>
#include <ntblink/packet.h>
#include <ntblink/shared_switch.h>

#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <vector>

#include "connection.h"

namespace fabric {

class Switch {
  public:
    /// Errors: as ntblink::SharedSwitch::create.
    static ntblab::Result<Switch> create(const SwitchConfig& config);

    const std::string& name() const { return config_.name; }
    unsigned partitions() const { return shared_.partitions(); }
    /// Who holds a partition's seat; nullptr: nobody.
    Connection* holder(unsigned partition) const { return seats_[partition].holder; }

    /// Configures and attaches the endpoint and welcomes it. Errors, with nothing changed: no such partition;
    /// none of the topology's hosts; a seat that is taken; an override out of range.
    ntblab::Result<void> attach(Connection& connection, const ntblink::wire::Hello& hello);
    /// The host of an attached connection is gone, or says so: the chip's partition is detached and its RAM
    /// forgotten.
    void detach(Connection& connection);
    /// Frees the seat of a connection that is detached.
    void leave(Connection& connection);
    /// Takes a host's RAM. Errors, with nothing changed: as ntblink::check_ram_table.
    ntblab::Result<ntblink::wire::Done> set_ram(Connection& connection, const ntblink::wire::RamTable& table,
                                                std::vector<ntblab::UniqueFd> fds);
    /// Every RAM change up to this one is known to an endpoint that has been told all but `untold`.
    std::uint64_t epoch_told(std::uint64_t untold) const;
    /// Sends what `connection` has yet to be told, as far as its socket takes it.
    void tell(Connection& connection);

    nlohmann::json inspect();

  private:
    struct Seat {
        Connection* holder = nullptr;
        ntblink::wire::RamTable ram = ntblink::wire::make<ntblink::wire::RamTable>();
        std::vector<ntblab::UniqueFd> ram_fds;
        std::uint64_t ram_epoch = 0;  ///< When the RAM changed last.
    };

    Switch(const SwitchConfig& config, ntblink::SharedSwitch shared);
    ntblab::Result<switchtec::PartitionConfig> configuration_for(const ntblink::wire::Hello& hello) const;
    bool welcome(Connection& connection);
    std::uint64_t change_ram(unsigned partition, const ntblink::wire::RamTable& table,
                             std::vector<ntblab::UniqueFd> fds);
    std::uint64_t partitions_with_ram_except(unsigned partition) const;

    SwitchConfig config_;
    ntblink::SharedSwitch shared_;
    std::vector<Seat> seats_;
    std::uint64_t ram_epoch_ = 0;
};

}  // namespace fabric
