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
/// the same omsg replaces a waiting one.
void send(State& s, unsigned sender, unsigned index, std::uint32_t message);
/// The host has read imsg[index]: the next one that waits for it comes in.
void clear_in_message(State& s, unsigned partition, unsigned index);
void write_in_message_mask(State& s, unsigned partition, unsigned index, std::uint8_t mask);

/// Registers of `partition` as after power-on; messages that wait for it are lost.
void power_on(State& s, unsigned partition);
/// Interrupts for everything that is pending and enabled at `partition`.
void raise_pending(State& s, unsigned partition);
/// After a crash: brings in what waits for a free inbound register.
void repair(State& s, unsigned partition);

}  // namespace switchtec::dbmsg
