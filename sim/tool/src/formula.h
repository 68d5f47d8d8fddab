// SPDX-License-Identifier: MIT
// Bandwidth by arithmetic alone, as pcie-bench/pcie-model has it (Neugebauer et al., SIGCOMM 2018): no
// queues, no latency, no credits. A published curve to compare with, not this model's answer.
//
//     const Formula link{.generation = 3, .lanes = 8, .mps = 256};
//     link.write_gigabits(256);                                    // 52.92
//
// It charges an acknowledgement and an UpdateFC of 8 bytes for as many *bytes* as the specification's tables
// give *symbol times*, in each of which a link moves a byte on every lane: real links lose less to DLLPs.
#pragma once

#include <cstdint>

#include "pcie/encoding.h"

namespace ntblab::sim {

struct Formula {
    unsigned generation = 3;          ///< 1 to 5.
    unsigned lanes = 8;               ///< 1, 2, 4, 8, 16.
    unsigned mps = 256;               ///< Bytes,
    unsigned mrrs = 512;              ///< likewise,
    unsigned rcb = 64;                ///< likewise.
    bool split_at_every_rcb = false;  ///< Completions of one RCB each.

    /// What TLPs get of one direction, Gb/s; headers are theirs.
    double tlp_gigabits() const;
    /// Payload, Gb/s, of requests of `size` bytes one after the other. `size` is not 0.
    double write_gigabits(std::uint64_t size) const;
    double read_gigabits(std::uint64_t size) const;
    /// Of as many writes and reads at the same time: each of the two.
    double both_gigabits(std::uint64_t size) const;

  private:
    std::uint64_t write_bytes(std::uint64_t size) const;       ///< On the wire,
    std::uint64_t request_bytes(std::uint64_t size) const;     ///< likewise, of reads,
    std::uint64_t completion_bytes(std::uint64_t size) const;  ///< and of their answers.
};

/// Bytes of a TLP on the wire beside its data, generations 1 to 5, 64-bit addresses.
std::uint32_t wire_cost(pcie::TlpType type);

/// Payload of RDMA writes over four lanes of InfiniBand HDR, 1e9 bytes a second, in packets of `mtu` bytes.
double infiniband_hdr(std::uint64_t mtu);

}  // namespace ntblab::sim
