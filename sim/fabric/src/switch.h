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
#include "ram_shares.h"

namespace fabric {

class Switch {
  public:
    /// Errors: as ntblink::SharedSwitch::create.
    static ntblab::Result<Switch> create(const SwitchConfig& config);

    const std::string& name() const { return config_.name; }
    unsigned partitions() const { return shared_.partitions(); }
    /// Who holds a partition's seat; nullptr: nobody.
    Connection* holder(unsigned partition) const { return holders_[partition]; }

    /// Configures and attaches the endpoint and welcomes it. Errors, with nothing changed: no such partition;
    /// none of the topology's hosts; a seat that is taken; an override out of range.
    ntblab::Result<void> attach(Connection& connection, const ntblink::wire::Hello& hello);
    /// The host of an attached connection is gone, or says so: the chip's partition is detached and its RAM
    /// forgotten.
    void detach(Connection& connection);
    /// Frees the seat of a connection that is detached.
    void leave(Connection& connection);
    /// Takes RAM that a host gives. Errors, with nothing changed: as ntblink::RamTable::receive.
    ntblab::Result<ntblink::wire::Done> set_ram(Connection& connection,
                                                const ntblink::wire::RamTable& message,
                                                std::vector<ntblab::UniqueFd> fds);
    /// The answer to a connection whose message brought about RAM change `changed`; 0: none.
    ntblink::wire::Done done(const Connection& connection, std::uint64_t changed) const;
    /// Sends what `connection` has yet to be told, as far as its socket takes it.
    void tell(Connection& connection);

    nlohmann::json inspect();

  private:
    Switch(const SwitchConfig& config, ntblink::SharedSwitch shared);
    ntblab::Result<switchtec::PartitionConfig> configuration_for(const ntblink::wire::Hello& hello) const;
    bool welcome(Connection& connection);
    std::uint64_t change_ram(unsigned owner, std::uint64_t viewers, ntblink::RamTable table);

    SwitchConfig config_;
    ntblink::SharedSwitch shared_;
    std::vector<Connection*> holders_;  ///< By partition.
    RamShares ram_;
};

}  // namespace fabric
