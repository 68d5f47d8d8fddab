// SPDX-License-Identifier: MIT
#include "actions.h"

#include <fmt/format.h>
#include <ntblab/test/choices.h>

#include <algorithm>
#include <cstring>
#include <stdexcept>
#include <vector>

#include "engine.h"

namespace switchtec::dma::test {
namespace {

using ntblab::test::Choices;

constexpr unsigned kChannels = 3;
constexpr std::size_t kRam = 1U << 16;
constexpr unsigned kRing = 8;  // Entries, if nobody writes something else.
constexpr std::uint64_t sq_of(unsigned channel) {
    return 0x1000 * (channel + 1ULL);
}
constexpr std::uint64_t cq_of(unsigned channel) {
    return sq_of(channel) + 0x800;
}

class Actions {
  public:
    explicit Actions(std::span<const std::uint8_t> bytes) : bytes_(bytes), ram_(kRam) {
        open();
        for (unsigned c = 0; c < kChannels; ++c) boot(c);
    }

    std::string run() {
        for (unsigned n = 0; !bytes_.empty() && wrong_.empty(); ++n) {
            const Action& action = choose();
            (this->*action.act)(bytes_.below(kChannels));
            if (wrong_.empty()) check();
            if (!wrong_.empty()) return fmt::format("after action {} ({}): {}", n, action.name, wrong_);
        }
        return wrong_;
    }

  private:
    struct Action {
        const char* name;
        unsigned share;
        void (Actions::*act)(unsigned channel);
    };

    const Action& choose() {
        static constexpr Action kActions[] = {
            {"submit", 8, &Actions::submit},
            {"step", 10, &Actions::step},
            {"run", 4, &Actions::run_channel},
            {"write a channel's register", 6, &Actions::write_channel},
            {"write anywhere", 2, &Actions::write_anywhere},
            {"read anywhere", 2, &Actions::read_anywhere},
            {"boot a channel", 2, &Actions::boot},
            {"consume completions", 4, &Actions::consume},
            {"memory of anything", 2, &Actions::scribble},
            {"reset", 1, &Actions::reset},
            {"bus master", 1, &Actions::bus_master},
            {"stop", 1, &Actions::stop},
            {"go on", 2, &Actions::go_on},
            {"save and go on elsewhere", 1, &Actions::move},
        };
        unsigned sum = 0;
        for (const Action& action : kActions) sum += action.share;
        unsigned left = bytes_.below(sum);
        for (const Action& action : kActions) {
            if (left < action.share) return action;
            left -= action.share;
        }
        throw std::logic_error("an action beyond the last");
    }

    void open() {
        ops_ = {.read = read,
                .write = write,
                .copy = copy,
                .interrupt = interrupt,
                .cancel = cancel,
                .descriptor = descriptor,
                .thread_begin = nullptr,
                .thread_end = nullptr};
        const NtbDmaConfig config{.channels = kChannels,
                                  .vectors = 3,
                                  .firmware_version = 0,
                                  .protocol_version = 0,
                                  .hardware_version = 0,
                                  .ops = &ops_,
                                  .opaque = this};
        engine_ = std::move(*Engine::open(config, /*threads=*/false));
        engine_->set_bus_master(true);
        bus_master_ = true;
    }

    std::uint64_t get(unsigned channel, Reg reg, unsigned size) {
        return engine_->read(offset_of(reg, channel), size);
    }
    void set(unsigned channel, Reg reg, std::uint64_t value, unsigned size) {
        engine_->write(offset_of(reg, channel), value, size);
    }

    void boot(unsigned c) {
        set(c, Reg::SqBaseLow, sq_of(c), 8);
        set(c, Reg::CqBaseLow, cq_of(c), 8);
        set(c, Reg::SqSize, kRing, 2);
        set(c, Reg::CqSize, kRing, 2);
        set(c, Reg::ValidEnable, std::uint64_t{c * 16} << 2 | 16U << 12 | kEnable, 4);
        set(c, Reg::ChannelControl, kReset | kErrorPause, 4);
        set(c, Reg::ChannelControl, kErrorPause, 4);
    }
    void submit(unsigned c) {
        const unsigned tail = static_cast<unsigned>(get(c, Reg::SqTail, 2)) % kRing;
        SubmissionEntry entry{};
        const unsigned kind = bytes_.below(10);
        entry.opcode = static_cast<std::uint8_t>(kind < 5    ? 0
                                                 : kind == 5 ? 1
                                                 : kind == 6 ? 2
                                                 : kind == 7 ? 7
                                                             : bytes_.take(1));
        entry.control = static_cast<std::uint8_t>(bytes_.take(1));
        if (bytes_.below(8) != 0) entry.control &= static_cast<std::uint8_t>(~kFabricMode);
        entry.count =
            static_cast<std::uint32_t>(kind < 5 ? bytes_.take(2) << bytes_.below(6) : bytes_.below(10));
        entry.source_low = static_cast<std::uint32_t>(bytes_.take(2));
        entry.destination_low = static_cast<std::uint32_t>(0x8000 | bytes_.take(2));
        if (bytes_.below(16) == 0) entry.source_high = 0xFFFFFFFF;
        if (bytes_.below(16) == 0) entry.destination_high = 1;
        std::memcpy(&ram_[sq_of(c) + tail * sizeof(entry)], &entry, sizeof(entry));
        set(c, Reg::SqTail, (tail + 1) % kRing, 2);
    }
    void step(unsigned c) { engine_->step(c); }
    // Comes to an end, as rings are at most so long, of most entries one chunk.
    void run_channel(unsigned c) {
        for (unsigned i = 0; i < 500 && engine_->step(c) && wrong_.empty(); ++i) {
        }
    }
    void consume(unsigned c) { set(c, Reg::CqHead, get(c, Reg::CqCurrent, 2), 2); }
    void scribble(unsigned) {
        const auto at = bytes_.take(2);
        ram_[at % kRam] = static_cast<std::byte>(bytes_.take(1));
    }
    void write_channel(unsigned c) {
        const auto map = register_map();
        const BlockInfo& block = map[map.size() - 1 - bytes_.below(2)];
        const RegisterInfo& reg =
            block.registers[bytes_.below(static_cast<unsigned>(block.registers.size()))];
        std::uint64_t value = bytes_.take(bytes_.below(8) == 0 ? 4 : 1);
        if (reg.id == Reg::ChannelControl) value = 1ULL << bytes_.below(5) >> 1;
        set(c, reg.id, value, reg.size);
    }
    void write_anywhere(unsigned) {
        const auto offset = static_cast<std::uint32_t>(bytes_.take(3));
        const unsigned size = 1 + bytes_.below(8);
        engine_->write(offset % (NTB_DMA_BAR_SIZE + 8), bytes_.take(size), size);
    }
    void read_anywhere(unsigned) {
        engine_->read(static_cast<std::uint32_t>(bytes_.take(3)) % (NTB_DMA_BAR_SIZE + 8),
                      1 + bytes_.below(8));
    }
    void reset(unsigned) {
        engine_->reset();
        bus_master_ = bytes_.below(4) != 0;
        engine_->set_bus_master(bus_master_);
    }
    void bus_master(unsigned) {
        bus_master_ = bytes_.below(4) != 0;
        engine_->set_bus_master(bus_master_);
    }
    void stop(unsigned) {
        engine_->stop(/*wait=*/true);
        stopped_ = true;
    }
    void go_on(unsigned) {
        engine_->go_on();
        stopped_ = false;
    }
    void move(unsigned) {
        engine_->stop(/*wait=*/true);
        auto saved = engine_->save();
        if (!saved) return fail_with("save: " + saved.error().message);
        const bool before = bus_master_;
        open();
        engine_->stop(/*wait=*/true);
        auto spoilt = *saved;
        for (unsigned n = bytes_.below(3); n != 0; --n)
            spoilt[bytes_.take(2) % spoilt.size()] ^= static_cast<std::byte>(bytes_.take(1));
        const auto loaded = engine_->load(spoilt);
        if (!loaded && spoilt == *saved) return fail_with("load: " + loaded.error().message);
        spoilt_ = spoilt_ || spoilt != *saved;
        bus_master_ = before;
        engine_->set_bus_master(bus_master_);
        engine_->go_on();
        stopped_ = false;
    }

    // --- Ops. In the midst of one a driver may write to registers, or the machine be stopped.
    static Actions& self(void* opaque) { return *static_cast<Actions*>(opaque); }

    void fail_with(std::string what) {
        if (wrong_.empty()) wrong_ = std::move(what);
    }
    void begin_op(unsigned c, const char* what) {
        const auto control = get(c, Reg::ChannelControl, 1);
        if ((control & (kHalt | kReset)) != 0)
            fail_with(fmt::format("{} of a channel that is halted or reset", what));
        if ((get(c, Reg::ValidEnable, 4) & kEnable) == 0)
            fail_with(fmt::format("{} of a disabled channel", what));
        if (stopped_ || !bus_master_) fail_with(fmt::format("{} though it must not", what));
        if ((get(c, Reg::ChannelStatus, 4) & (kHalted | kPaused)) != 0)
            fail_with(fmt::format("{} of a channel at rest", what));
        if (engine_->cancelled(c)) fail_with(fmt::format("{} begins cancelled", what));
        switch (bytes_.below(24)) {
            case 0:
                return write_channel(c);
            case 1:
                return set(c, Reg::ChannelControl, kHalt, 1);
            case 2:
                return boot(c);
            case 3:
                engine_->stop(/*wait=*/false);
                stopped_ = true;
                return;
            default:
                return;
        }
    }
    // False: the op gives up.
    bool end_op(unsigned c) { return !engine_->cancelled(c) || bytes_.below(2) == 0; }

    static bool read(void* opaque, unsigned channel, std::uint64_t address, void* data, std::size_t size) {
        Actions& a = self(opaque);
        a.begin_op(channel, "read");
        if (size == 0 || size > kMaxFetch * sizeof(SubmissionEntry)) a.fail_with("read of an odd size");
        if (address > kRam || size > kRam - address || !a.end_op(channel)) return false;
        std::memcpy(data, &a.ram_[address], size);
        return true;
    }
    static bool write(void* opaque, unsigned channel, std::uint64_t address, const void* data,
                      std::size_t size) {
        Actions& a = self(opaque);
        if (size == kCompletionBody) {
            const auto entries = a.get(channel, Reg::CqSize, 2);
            const auto current = a.get(channel, Reg::CqCurrent, 2);
            if (address != a.get(channel, Reg::CqBaseLow, 8) + current * 32)
                a.fail_with("completion beside its place");
            if ((current + 1) % entries == a.get(channel, Reg::CqHead, 2) % entries)
                a.fail_with("completion over one that is unread");
        }
        a.begin_op(channel, "write");
        if (size == 0 || size > 32) a.fail_with("write of an odd size");
        if (address > kRam || size > kRam - address || !a.end_op(channel)) return false;
        std::memcpy(&a.ram_[address], data, size);
        return true;
    }
    static NtbDmaStatus copy(void* opaque, unsigned channel, std::uint64_t destination, std::uint64_t source,
                             std::size_t size) {
        Actions& a = self(opaque);
        a.begin_op(channel, "copy");
        if (size == 0 || size > NTB_DMA_CHUNK) a.fail_with("copy of an odd size");
        if (source > kRam || size > kRam - source) return NTB_DMA_SOURCE_FAILED;
        if (destination > kRam || size > kRam - destination) return NTB_DMA_DESTINATION_FAILED;
        if (!a.end_op(channel)) return NTB_DMA_CANCELLED;
        // Rings are hit as well.
        std::memmove(&a.ram_[destination], &a.ram_[source], size);
        return NTB_DMA_OK;
    }
    static void interrupt(void* opaque, unsigned channel, unsigned vector) {
        Actions& a = self(opaque);
        if (vector != 0 && vector != 1 + channel % 2) a.fail_with("another channel's interrupt");
        if (vector == 0 && (a.get(channel, Reg::ChannelStatus, 4) & kReasons) == 0 &&
            !a.resumed_without_reason(channel))
            a.fail_with("status interrupt without a reason");
        a.begin_op(channel, "interrupt");
    }
    static void cancel(void*, unsigned) {}
    static void descriptor(void* opaque, const NtbDmaDescriptor* told) {
        if (told->completed > told->count) self(opaque).fail_with("more done than asked for");
    }
    // The driver may have resumed before the interrupt was sent.
    bool resumed_without_reason(unsigned channel) {
        return (get(channel, Reg::ChannelControl, 1) & (kPause | kHalt | kReset)) == 0;
    }

    void check() {
        for (unsigned c = 0; c < kChannels; ++c) {
            const auto status = get(c, Reg::ChannelStatus, 4);
            const auto control = get(c, Reg::ChannelControl, 1);
            const bool all_halted = engine_->read(offset_of(Reg::EngineState), 4) != 0;
            if (((status & kHalted) != 0) != ((control & kHalt) != 0 || all_halted))
                fail_with("halted or not");
            if ((status & kPaused) != 0 && (control & kPause) == 0 && (status & kReasons) == 0)
                fail_with("paused for nothing");
            if ((status & ~(kReasons | kPaused | kHalted)) != 0) fail_with("an unknown status");
            if (get(c, Reg::SqPhase, 2) > 1 || get(c, Reg::CqPhase, 2) > 1) fail_with("an odd phase");
            if (get(c, Reg::BuffersEmpty, 2) > kBufferMask) fail_with("more buffers than there are");
            const NtbDmaChannelInfo info = engine_->inspect(c);
            if (info.errors > info.descriptors && !spoilt_) fail_with("more errors than descriptors");
        }
    }

    Choices bytes_;
    std::vector<std::byte> ram_;
    NtbDmaOps ops_{};
    std::unique_ptr<Engine> engine_;
    bool bus_master_ = false, stopped_ = false;
    bool spoilt_ = false;  ///< From something that was no snapshot.
    std::string wrong_;
};

}  // namespace

std::string run_actions(std::span<const std::uint8_t> bytes) {
    return Actions(bytes).run();
}

}  // namespace switchtec::dma::test
