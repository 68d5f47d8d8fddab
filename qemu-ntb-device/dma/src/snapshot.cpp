// SPDX-License-Identifier: MIT
// All of an engine's state as bytes, and back.
#include <fmt/format.h>

#include <cstring>

#include "engine.h"

namespace switchtec::dma {
namespace {

using ntblab::fail;
using ntblab::Result;

constexpr std::uint64_t kMagic = 0x31414D4454575353;  // "SSWTDMA1"
constexpr std::uint32_t kVersion = 1;

struct Header {
    std::uint64_t magic;
    std::uint32_t version;
    std::uint16_t channels, vectors;
    std::uint32_t completion_timeout, tag_limit;
    std::uint8_t bus_master, all_halted, reserved[6];
};
static_assert(kPlain<Header> &&
              sizeof(Header) == 32);  // If a field changes, here or in ChannelState: kVersion.

/// What is impossible in a channel's state; empty: nothing. Ring registers can be anything, they are looked
/// at in use.
const char* impossible(const ChannelState& s) {
    if ((s.enable & ~kValidEnableBits) != 0) return "valid_en_se has reserved bits";
    if ((s.control & ~kControlBits) != 0) return "ctrl has reserved bits";
    if ((s.reasons & ~kReasons) != 0 || (s.pause_after & ~kReasons) != 0) return "an unknown reason to pause";
    if (s.sq_phase > 1 || s.cq_phase > 1) return "a phase other than 0 and 1";
    if (s.status_interrupt > 1) return "an unknown interrupt";
    switch (s.step) {
        case Step::None:
        case Step::Complete:
        case Step::Interrupt:
            return "";
        case Step::Move:
            break;
        default:
            return "an unknown step";
    }
    const auto opcode = static_cast<Opcode>(s.entry.opcode);
    const bool copy = opcode == Opcode::Copy;
    if (!copy && opcode != Opcode::ReadImmediate && opcode != Opcode::WriteImmediate)
        return "a descriptor that moves nothing is being moved";
    if (s.entry.count > (copy ? kMaxCount : kMaxImmediate) || s.done >= s.entry.count)
        return "more of a descriptor has been moved than it has";
    return "";
}

}  // namespace

Result<std::vector<std::byte>> Engine::save() {
    const Lock lock(mutex_);
    if (!stopped_) return fail("the DMA engine is running; stop it first (ntb_dma_stop)");
    for (const auto& worker : workers_) {
        if (worker->busy) return fail("the DMA engine has not come to rest; wait for it (ntb_dma_stop)");
    }
    Header header{};
    header.magic = kMagic;
    header.version = kVersion;
    header.channels = static_cast<std::uint16_t>(channels());
    header.vectors = static_cast<std::uint16_t>(vectors());
    header.completion_timeout = completion_timeout_;
    header.tag_limit = tag_limit_;
    header.bus_master = bus_master_ ? 1 : 0;
    header.all_halted = all_halted_ ? 1 : 0;
    std::vector<std::byte> bytes(sizeof(Header) + channels() * sizeof(ChannelState));
    std::memcpy(bytes.data(), &header, sizeof(header));
    for (unsigned i = 0; i < channels(); ++i) {
        workers_[i]->update_idle();
        std::memcpy(bytes.data() + sizeof(Header) + i * sizeof(ChannelState), &workers_[i]->s,
                    sizeof(ChannelState));
    }
    return bytes;
}

Result<void> Engine::load(std::span<const std::byte> saved) {
    Header header{};
    if (saved.size() < sizeof(Header))
        return fail(fmt::format("{} bytes are no state of a DMA engine", saved.size()));
    std::memcpy(&header, saved.data(), sizeof(header));
    if (header.magic != kMagic) return fail("this is no state of a DMA engine");
    if (header.version != kVersion)
        return fail(fmt::format("the DMA engine's state is of version {}, but this one is of {}",
                                header.version, kVersion));
    if (header.channels != channels() || header.vectors != vectors())
        return fail(fmt::format(
            "the state is of a DMA engine with {} channels and {} vectors, but this one has {} and {}",
            header.channels, header.vectors, channels(), vectors()));
    if (saved.size() != sizeof(Header) + channels() * sizeof(ChannelState))
        return fail(fmt::format("the DMA engine's state has {} bytes instead of {}", saved.size(),
                                sizeof(Header) + channels() * sizeof(ChannelState)));
    std::vector<ChannelState> states(channels());
    std::memcpy(states.data(), saved.data() + sizeof(Header), channels() * sizeof(ChannelState));
    for (unsigned i = 0; i < channels(); ++i) {
        if (const char* why = impossible(states[i]); *why != '\0')
            return fail(fmt::format("the state of DMA channel {} is damaged: {}", i, why));
    }

    Lock lock(mutex_);
    ++holds_;
    abort_all();
    wait_until_quiet(lock);
    --holds_;
    power_on();
    bus_master_ = header.bus_master != 0;
    all_halted_ = header.all_halted != 0;
    completion_timeout_ = header.completion_timeout;
    tag_limit_ = header.tag_limit;
    for (unsigned i = 0; i < channels(); ++i) {
        workers_[i]->s = states[i];
        // As a driver would enable it: not if its buffers are another's.
        write_enable(i, states[i].enable);
    }
    kick_all();
    return {};
}

}  // namespace switchtec::dma
