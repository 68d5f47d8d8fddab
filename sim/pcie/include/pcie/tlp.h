// SPDX-License-Identifier: MIT
// Transaction layer packets, as they pass from module to module: what the model needs of their headers, and
// where in time they are. Their data is not carried.
//
//     TlpPool pool;
//     Tlp& write = pool.make(TlpType::memory_write);
//     write.address = 0x1000; write.length = 256;
//     ...                          // whoever consumes it last:
//     write.release();
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "pcie/time.h"

namespace ntblab::pcie {

enum class TlpType : std::uint8_t { memory_write, memory_read, completion, message };

/// What flow control and the ordering rules tell apart (PCIe 4.0, 2.4 and 2.6).
enum class FlowClass : std::uint8_t { posted, non_posted, completion };
inline constexpr std::size_t kFlowClasses = 3;

class TlpPool;

struct Tlp {
    TlpType type = TlpType::memory_write;
    bool relaxed_ordering = false;
    bool id_ordering = false;
    bool unsupported = false;     ///< A completion that says Unsupported Request.
    std::uint16_t requester = 0;  ///< Requester ID (BDF).
    std::uint16_t completer = 0;  ///< Completer ID, of completions.
    std::uint16_t tag = 0;        ///< Of a request, and of its completions.
    std::uint32_t length = 0;     ///< Bytes of payload; of a memory_read, asked for.
    std::uint32_t remaining = 0;  ///< Completions: bytes of the request still to come, with these.
    std::uint64_t address = 0;    ///< Of the first byte.
    std::uint64_t cookie = 0;     ///< Its maker's; a completion has that of its request.
    std::uint64_t cause = 0;      ///< Serial of the TLP whose arrival made it be; 0: none.

    /// Between the NTBs of a switch: the partition that it is for.
    std::uint16_t partition = 0;

    // Where it is.
    std::uint64_t serial = 0;  ///< In the order of making, from 1.
    std::uint64_t order = 0;   ///< In which it came to the queue where it is.
    std::uint32_t flow = 0;    ///< Of those that come together at an egress: a switch's ingress port.
    Picoseconds created = 0;
    Picoseconds ready = 0;  ///< Not to be sent on before this.
    Picoseconds head = 0;   ///< When its first byte is where it is now,
    Picoseconds tail = 0;   ///< and its last.

    /// Gives it back to its pool.
    void release();

    TlpPool* pool = nullptr;
};

constexpr FlowClass flow_class(TlpType type) {
    switch (type) {
        case TlpType::memory_read:
            return FlowClass::non_posted;
        case TlpType::completion:
            return FlowClass::completion;
        case TlpType::memory_write:
        case TlpType::message:
            break;
    }
    return FlowClass::posted;
}

constexpr std::size_t index_of(FlowClass which) {
    return static_cast<std::size_t>(which);
}
constexpr std::size_t class_index(const Tlp& tlp) {
    return index_of(flow_class(tlp.type));
}

/// "MWr", "MRd", "CplD", "Cpl", "Msg".
const char* name_of(const Tlp& tlp);

/// Bytes of data that it carries: none for a read.
constexpr std::uint32_t payload_bytes(const Tlp& tlp) {
    return tlp.type == TlpType::memory_read ? 0 : tlp.length;
}

/// Requests and messages have 4 DW, as all addresses here have 64 bits; completions 3 (PCIe 4.0, 2.2.1).
constexpr std::uint32_t header_bytes(const Tlp& tlp) {
    return tlp.type == TlpType::completion ? 12 : 16;
}

/// Bytes of data on the wire: whole DWs, whose bytes beside the payload are not enabled (PCIe 4.0, 2.2.5).
constexpr std::uint32_t data_bytes(const Tlp& tlp) {
    const std::uint32_t payload = payload_bytes(tlp);
    return payload == 0 ? 0 : (static_cast<std::uint32_t>(tlp.address % 4) + payload + 3) / 4 * 4;
}

/// Data credits: one for 16 bytes (PCIe 4.0, 2.6.1).
constexpr std::uint32_t data_credits(const Tlp& tlp) {
    return (data_bytes(tlp) + 15) / 16;
}

/// Where TLPs come from and go back to. Not to be destroyed before the last of them is back.
class TlpPool {
  public:
    /// All fields but the type as they are by default, made now().
    Tlp& make(TlpType type);
    void take_back(Tlp& tlp) { free_.push_back(&tlp); }
    /// Those that are not back.
    std::size_t in_use() const { return all_.size() - free_.size(); }

  private:
    std::deque<Tlp> all_;
    std::vector<Tlp*> free_;
    std::uint64_t made_ = 0;
};

inline void Tlp::release() {
    pool->take_back(*this);
}

}  // namespace ntblab::pcie
