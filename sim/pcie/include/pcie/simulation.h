// SPDX-License-Identifier: MIT
// A SystemC simulation of its own, of which a process may have one after the other: to be made before its
// modules.
//
//     Simulation simulation;
//     Link link("link", config);
//     simulation.run();
#pragma once

#include <systemc>

namespace ntblab::pcie {

class Simulation {
  public:
    Simulation() { sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = &context_; }
    ~Simulation() { sc_core::sc_curr_simcontext = sc_core::sc_default_global_context = nullptr; }
    Simulation(const Simulation&) = delete;
    Simulation& operator=(const Simulation&) = delete;

    /// Until nothing is left to happen.
    void run() { sc_core::sc_start(); }

  private:
    sc_core::sc_simcontext context_;
};

}  // namespace ntblab::pcie
