// SPDX-License-Identifier: MIT
// TLM-2.0 sockets for TLPs, with the two phases that the model has, both with annotated times:
//
//   BEGIN_REQ, forward: a TLP is on its way; the delay is until its last byte is there. Tlp::head and
//   Tlp::tail say the
//       same in absolute time. It may be announced long before it arrives, but in the order in which TLPs
//       arrive.
//   END_REQ, backward: the receiver has done with the buffer in which the TLP was; the delay is until it has.
//
// A receiver that consumes a TLP gives it back to its pool after END_REQ.
//
//     class Sink : public sc_core::sc_module, private TlpReceiver {
//         TlpTarget in{"in", *this, 0};
//         void receive(unsigned port, Tlp& tlp) override { in.release(tlp, tlp.tail); tlp.release(); }
//     };
#pragma once

#include <tlm>

#include "pcie/tlp.h"

namespace ntblab::pcie {

struct PcieTypes {
    using tlm_payload_type = Tlp;
    using tlm_phase_type = tlm::tlm_phase;
};

/// What a module with targets does with TLPs. `port` is what it has given its target as its number.
class TlpReceiver {
  public:
    virtual void receive(unsigned port, Tlp& tlp) = 0;

  protected:
    ~TlpReceiver() = default;
};

/// What a module with initiators does when a TLP's buffer at the other side is free again, or will be at
/// `at`.
class TlpSender {
  public:
    virtual void released(unsigned port, Tlp& tlp, Picoseconds at) = 0;

  protected:
    ~TlpSender() = default;
};

class TlpTarget : public tlm::tlm_target_socket<32, PcieTypes>, private tlm::tlm_fw_transport_if<PcieTypes> {
  public:
    TlpTarget(const char* name, TlpReceiver& receiver, unsigned port);

    /// END_REQ.
    void release(Tlp& tlp, Picoseconds at);

  private:
    tlm::tlm_sync_enum nb_transport_fw(Tlp& tlp, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
    void b_transport(Tlp& tlp, sc_core::sc_time& delay) override;
    bool get_direct_mem_ptr(Tlp& tlp, tlm::tlm_dmi& dmi) override;
    unsigned int transport_dbg(Tlp& tlp) override;

    TlpReceiver& receiver_;
    unsigned port_;
};

class TlpInitiator : public tlm::tlm_initiator_socket<32, PcieTypes>,
                     private tlm::tlm_bw_transport_if<PcieTypes> {
  public:
    TlpInitiator(const char* name, TlpSender& sender, unsigned port);

    /// BEGIN_REQ: the TLP will be, or is, there by tlp.tail.
    void send(Tlp& tlp);

  private:
    tlm::tlm_sync_enum nb_transport_bw(Tlp& tlp, tlm::tlm_phase& phase, sc_core::sc_time& delay) override;
    void invalidate_direct_mem_ptr(sc_dt::uint64 start, sc_dt::uint64 end) override;

    TlpSender& sender_;
    unsigned port_;
};

}  // namespace ntblab::pcie
