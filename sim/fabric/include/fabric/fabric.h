// SPDX-License-Identifier: MIT
// The process that owns a cluster's switches: hands their memory to the hosts' processes, sees them die. It
// is on no path of registers, doorbells, messages or data.
//
//     auto run_dir = fabric::RunDir::take(path);
//     auto fab = fabric::Fabric::create(config, std::move(*run_dir));
//     fab->run();   // until SIGTERM or SIGINT
#pragma once

#include <fabric/config.h>
#include <fabric/run_dir.h>
#include <ntblab/result.h>

#include <memory>

namespace fabric {

class Fabric {
  public:
    /// Powers up the switches. Errors: as ntblink::SharedSwitch::create; two switches of one name; the
    /// system's.
    static ntblab::Result<Fabric> create(const FabricConfig& config, RunDir run_dir);

    Fabric(Fabric&&) noexcept;
    Fabric& operator=(Fabric&&) noexcept;
    ~Fabric();

    /// Serves until SIGTERM or SIGINT (blocked from here on in this thread) or a failure of the system.
    ntblab::Result<void> run();

  private:
    class Server;
    explicit Fabric(std::unique_ptr<Server> server);
    std::unique_ptr<Server> server_;
};

}  // namespace fabric
