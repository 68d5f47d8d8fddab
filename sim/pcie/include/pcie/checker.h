// SPDX-License-Identifier: MIT
// A protocol checker that sits around a link: what the transaction layers at its ends see is held against
// PCIe's rules.
//
//     Link link("link", config);
//     ProtocolChecker checker("checker", link, config);
//     device.out.bind(checker.in(0));  checker.out(0).bind(device.in);   // in place of the link's
//     ...
//     for (const std::string& violation : checker.violations()) std::cerr << violation << '\n';
//
// Rules (LinkRules): what goes in comes out, once, whole, unchanged; nothing passes what it must not pass; no
// more is in the receive buffer than was advertised; no TLP is larger than the MPS, and no request crosses 4
// KiB; no tag is used again before its last completion, and no completion comes that nobody asked for, or
// with more or other bytes than are to come.
#pragma once

#include <deque>
#include <map>
#include <string>
#include <unordered_map>

#include "pcie/link.h"

namespace ntblab::pcie {

/// The rules without SystemC: told of what happens at a link, in the order in which it happens.
class LinkRules {
  public:
    /// @param credits That the receiver of each side's TLPs advertises.
    explicit LinkRules(const std::array<CreditLimits, 2>& credits, unsigned mps = 4096)
        : limits_(credits), mps_(mps) {}

    /// `side` gives a TLP to its transmit queue; the other side has it, by `at`; its buffer there is free
    /// from `at` on.
    void sent(unsigned side, const Tlp& tlp);
    void delivered(unsigned side, const Tlp& tlp, Picoseconds at);
    void released(unsigned side, const Tlp& tlp, Picoseconds at);

    /// Each a sentence; of many only the first hundred.
    const std::vector<std::string>& violations() const { return violations_; }
    /// All that was sent has been delivered, all that was delivered released, all that was asked for
    /// answered.
    bool at_rest() const;

  private:
    struct Travelling {
        std::uint64_t serial;
        TlpType type;
        std::uint32_t length;
        std::uint64_t order;
        bool may_pass_posted;
    };
    struct Flow {
        std::array<std::deque<Travelling>, kFlowClasses> classes;
    };
    struct Buffered {
        Picoseconds at;
        std::size_t of_class;
        std::uint32_t data;
    };
    struct Side {
        std::map<std::uint32_t, Flow> flows;
        std::uint64_t sent = 0;
        Picoseconds last_delivery = 0;
        std::array<std::int64_t, kFlowClasses> headers{}, data{};  ///< In the receive buffer.
        std::multimap<Picoseconds, std::pair<std::size_t, std::uint32_t>>
            releases;  ///< To come: class, data credits.
        /// Of reads that this side waits for, by their tags: bytes to come.
        std::unordered_map<std::uint32_t, std::uint32_t> tags;
    };

    void complain(unsigned side, const Tlp& tlp, const std::string& what);
    void check_order(unsigned side, const Tlp& tlp, const Flow& flow, const Travelling& travelling);
    void check_size(unsigned side, const Tlp& tlp);
    void check_tags(unsigned side, const Tlp& tlp);
    void check_completion(unsigned side, const Tlp& tlp);
    void check_buffer(unsigned side, const Tlp& tlp, Picoseconds at);

    std::array<CreditLimits, 2> limits_;
    unsigned mps_;
    std::array<Side, 2> sides_;
    std::vector<std::string> violations_;
};

class ProtocolChecker : public sc_core::sc_module, private TlpReceiver, private TlpSender {
  public:
    ProtocolChecker(sc_core::sc_module_name name, Link& link, const LinkConfig& config);

    TlpTarget& in(unsigned side) { return side == 0 ? in0_ : in1_; }
    TlpInitiator& out(unsigned side) { return side == 0 ? out0_ : out1_; }

    const std::vector<std::string>& violations() const { return rules_.violations(); }
    bool at_rest() const { return rules_.at_rest(); }

  private:
    // Ports 0 and 1 are towards the devices, 2 and 3 towards the link.
    void receive(unsigned port, Tlp& tlp) override;
    void released(unsigned port, Tlp& tlp, Picoseconds at) override;

    LinkRules rules_;
    TlpTarget in0_{"in0", *this, 0}, in1_{"in1", *this, 1};
    TlpInitiator out0_{"out0", *this, 0}, out1_{"out1", *this, 1};
    TlpInitiator to_link0_{"to_link0", *this, 2}, to_link1_{"to_link1", *this, 3};
    TlpTarget from_link0_{"from_link0", *this, 2}, from_link1_{"from_link1", *this, 3};
};

}  // namespace ntblab::pcie
