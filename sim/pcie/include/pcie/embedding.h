// SPDX-License-Identifier: MIT
// The model for a program that has CPUs of its own: it says what these ask for, and when, lets time pass, and
// hears what arrived where, when what it asked for had left its host, and what was read.
//
//     Embedding model(topology, profile, {});
//     model.inject({.at = 1000, .node = 0, .write = true, .address = model.window(0, 1), .bytes = 64, .cookie
//     = 7}); model.advance(model.lookahead()); for (const Happening& what : model.take()) ...       // in the
//     order of time
//
// One at a time in a process, as SystemC has it, and none before sc_main() has begun. No other state is
// global.
#pragma once

#include <memory>
#include <vector>

#include "pcie/system.h"

namespace ntblab::pcie {

/// A request of a host's CPU, as it comes to the root complex.
struct Injection {
    Picoseconds at = 0;  ///< Not before the time that advance() has reached.
    std::size_t node = 0;
    bool write = true;
    std::uint64_t address = 0;  ///< Physical, behind a root port: window().
    std::uint32_t bytes = 0;  ///< At most an MPS if it is a write, an MRRS if it is a read; not across 4 KiB.
    std::uint64_t cookie = 0;  ///< The caller's.
};

struct Happening {
    enum class Kind : std::uint8_t {
        arrived,    ///< A write is visible at `node`.
        departed,   ///< The request of `node` has left it: until then it held a buffer there, for want of
                    ///< credits or wire.
        completed,  ///< All that `node` asked to read is at its CPU.
        refused,    ///< It asked to read where nothing is.
    };
    Picoseconds at = 0;
    Kind kind = Kind::arrived;
    std::size_t node = 0;
    std::uint64_t address = 0;  ///< arrived: in the memory of `node`.
    std::uint32_t bytes = 0;
    std::uint64_t cookie = 0;  ///< Of the request.
};

class Embedding {
  public:
    /// @throw std::invalid_argument as System does.
    Embedding(const topology::Topology& topology, const Profile& profile, const SystemOptions& options);
    ~Embedding();

    /// Where `node` finds `peer`'s memory address 0; 0 if no NT pair joins them.
    std::uint64_t window(std::size_t node, std::size_t peer) const;

    /// @throw std::invalid_argument for what is in the past, has no bytes or too many, or is at no host.
    void inject(const Injection& injection);
    /// Lets the model go on to `until`; what happens then is included.
    void advance(Picoseconds until);
    Picoseconds time() const;
    /// What happened until now, in the order of time, and of becoming known; each once.
    std::vector<Happening> take();

    /// No request is seen at another host earlier than so long after it was injected.
    Picoseconds lookahead() const;

    System& system();
    /// Everything in it; null: nobody.
    void observe(Observer* observer);

  private:
    class Host;
    class Top;
    std::unique_ptr<Top> top_;
};

}  // namespace ntblab::pcie
