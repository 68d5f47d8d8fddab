// SPDX-License-Identifier: MIT
// Doorbells and messages.
#pragma once

#include "state.h"

namespace switchtec::dbmsg {

/// Rings the bits that the sender's mask allows at every target. Each ring interrupts, also of a bit that is
/// pending (our choice).
void ring(State& s, unsigned sender, std::uint64_t bits);
void write_in_mask(State& s, unsigned partition, std::uint64_t mask);

/// Sends omsg[index]. A message for an inbound register that is still unread waits (our choice: the driver
/// sends FORCE_DOWN and UP back to back, and loses the link if one overwrites the other); a later write to
/// the same omsg replaces a waiting one. A host that has given the inbound register no vector since power-on
/// does not listen, and it is not delivered (our choice: the driver enables its messages 0.1 s before it sets
/// their vectors; a FORCE_DOWN from that time would be handled when the link is already up).
void send(State& s, unsigned sender, unsigned index, std::uint32_t message);
/// idb_vec_map[index]. Giving an inbound message register its vector begins its gap: a driver that does so is
/// about to enable its link, and is to have done that before it learns what the peer thinks of it (our
/// choice: of the FORCE_DOWN and UP of a peer that probes at the same time only UP comes).
void write_vector(State& s, unsigned partition, unsigned index, std::uint8_t vector);
/// The host has read imsg[index]: its gap begins.
void clear_in_message(State& s, unsigned partition, unsigned index);
/// Bit per inbound message register in its gap.
unsigned gaps(const State& s, unsigned partition);
/// What waits for the registers that were in their gaps comes in.
void end_gaps(State& s, unsigned partition);
void write_in_message_mask(State& s, unsigned partition, unsigned index, std::uint8_t mask);

/// Registers of `partition` as after power-on; messages that wait for it are lost.
void power_on(State& s, unsigned partition);
/// Interrupts for everything that is pending and enabled at `partition`.
void raise_pending(State& s, unsigned partition);
/// After a crash: brings in what waits for a free inbound register.
void repair(State& s, unsigned partition);

}  // namespace switchtec::dbmsg
