// SPDX-License-Identifier: MIT
#include "pcie/sockets.h"

namespace ntblab::pcie {
namespace {

sc_core::sc_time until(Picoseconds at) {
    const Picoseconds time = now();
    return to_sc_time(at > time ? at - time : 0);
}

}  // namespace

TlpTarget::TlpTarget(const char* name, TlpReceiver& receiver, unsigned port)
    : tlm_target_socket(name), receiver_(receiver), port_(port) {
    bind(static_cast<tlm::tlm_fw_transport_if<PcieTypes>&>(*this));
}

void TlpTarget::release(Tlp& tlp, Picoseconds at) {
    tlm::tlm_phase phase = tlm::END_REQ;
    sc_core::sc_time delay = until(at);
    (*this)->nb_transport_bw(tlp, phase, delay);
}

tlm::tlm_sync_enum TlpTarget::nb_transport_fw(Tlp& tlp, tlm::tlm_phase&, sc_core::sc_time&) {
    receiver_.receive(port_, tlp);
    return tlm::TLM_ACCEPTED;
}

void TlpTarget::b_transport(Tlp&, sc_core::sc_time&) {
    SC_REPORT_FATAL(name(), "PCIe TLPs are sent by nb_transport_fw()");
}

bool TlpTarget::get_direct_mem_ptr(Tlp&, tlm::tlm_dmi&) {
    return false;
}

unsigned int TlpTarget::transport_dbg(Tlp&) {
    return 0;
}

TlpInitiator::TlpInitiator(const char* name, TlpSender& sender, unsigned port)
    : tlm_initiator_socket(name), sender_(sender), port_(port) {
    bind(static_cast<tlm::tlm_bw_transport_if<PcieTypes>&>(*this));
}

void TlpInitiator::send(Tlp& tlp) {
    tlm::tlm_phase phase = tlm::BEGIN_REQ;
    sc_core::sc_time delay = until(tlp.tail);
    (*this)->nb_transport_fw(tlp, phase, delay);
}

tlm::tlm_sync_enum TlpInitiator::nb_transport_bw(Tlp& tlp, tlm::tlm_phase&, sc_core::sc_time& delay) {
    sender_.released(port_, tlp, now() + delay.value());
    return tlm::TLM_ACCEPTED;
}

void TlpInitiator::invalidate_direct_mem_ptr(sc_dt::uint64, sc_dt::uint64) {}

}  // namespace ntblab::pcie
