// SPDX-License-Identifier: MIT
#include "actions.h"

#include <fmt/format.h>
#include <ntblab/test/choices.h>

#include <cstddef>
#include <cstring>
#include <utility>
#include <vector>

#include "bench.h"
#include "invariants.h"

namespace switchtec::test {
namespace {

using ntblab::test::Choices;

constexpr unsigned kPartitions = 3;

class Actions {
  public:
    explicit Actions(std::span<const std::uint8_t> bytes) : bytes_(bytes) {
        for (unsigned p = 0; p < kPartitions; ++p) bench_.boot(p);
    }

    std::string run() {
        for (unsigned n = 0; !bytes_.empty(); ++n) {
            const unsigned action = bytes_.below(30);
            act(action);
            std::string wrong = broken_invariant(bench_.chip, state());
            if (wrong.empty()) wrong = missed_wakeup();
            if (!wrong.empty()) return fmt::format("after action {} ({}): {}", n, action, wrong);
        }
        return "";
    }

  private:
    const State& state() const { return *reinterpret_cast<const State*>(bench_.memory.span().data()); }

    void act(unsigned action) {
        const unsigned host = bytes_.below(kPartitions);
        Chip& chip = bench_.chip;
        switch (action) {
            case 0:
                return chip.reset(host);
            case 1:
                return chip.detach(host);
            case 2:
                return chip.attach(host);
            case 3:
                return chip.set_bus_master(host, bytes_.below(2) != 0);
            case 4:
                return chip.windows_applied(host, bytes_.take(1));
            case 5:
                return chip.windows_applied(host, chip.window_generation(host));
            case 6:
                chip.take_interrupt(host);
                return;
            case 7:
                return chip.repair();
            case 8:
                return read(host);
            case 9:
            case 10:
                return write_anywhere(host);
            case 11:
            case 12:
            case 13:
            case 14:
                return operate(host);
            case 15:
                bench_.set(host, Reg::NtbRequesterEntry, host, 0, kRequesterValid);
                return;
            case 24:
            case 25:
                return command(host);
            case 26:
                return bench_.apply_dma(host);
            case 27:
                return chip.forwarded({.from = host,
                                       .to = bytes_.below(kPartitions),
                                       .tlp = static_cast<Tlp>(bytes_.below(3)),
                                       .tlps = bytes_.take(1),
                                       .payload = bytes_.take(2),
                                       .latency_ns = bytes_.take(2)});
            case 28:
                if (auto saved = chip.save(host)) saved_[host] = std::move(*saved);
                return;
            case 29:
                return go_on(host);
            default:
                return write_register(host);
        }
    }

    // From its last snapshot, or from one that somebody has spoilt, as the machine does it.
    void go_on(unsigned host) {
        auto bytes = saved_[host];
        for (unsigned spoilt = bytes_.below(3); spoilt != 0 && !bytes.empty(); --spoilt)
            bytes[bytes_.take(2) % bytes.size()] ^= static_cast<std::byte>(bytes_.take(1));
        bench_.chip.reset(host);
        (void)bench_.chip.load(host, bytes);
        bench_.chip.set_bus_master(host, true);
        bench_.chip.resumed(host);
        if (bytes_.below(2) != 0) (void)bench_.chip.load_windows(host, bytes);
    }

    void read(unsigned host) {
        const std::vector<std::byte> before(bench_.memory.span().begin(), bench_.memory.span().end());
        bench_.chip.read(host, static_cast<std::uint32_t>(bytes_.take(3)), 1U << bytes_.below(4));
        if (std::memcmp(before.data(), bench_.memory.span().data(), before.size()) != 0)
            throw std::logic_error("a read changed something");
    }
    void write_anywhere(unsigned host) {
        const auto offset = static_cast<std::uint32_t>(bytes_.take(3));
        const unsigned size = 1U << bytes_.below(4);
        bench_.chip.write(host, offset, bytes_.take(size), size);
    }
    // A firmware command, most often one that there is, with input that most often is well formed.
    void command(unsigned host) {
        constexpr std::uint32_t kKnown[] = {0x04, 0x05, 0x06, 0x07, 0x0B, 0x0C, 0x1C, 0x1D,
                                            0x1F, 0x29, 0x2B, 0x34, 0x37, 0x3B, 0x41, 0x100};
        for (unsigned i = 0; i < 20; ++i)
            bench_.set(host, Reg::MrpcInput, 0, i, bytes_.below(i < 4 ? 16 : 256));
        bench_.set(host, Reg::MrpcDmaEnable, 0, 0, bytes_.below(2));
        const unsigned which = bytes_.below(20);
        bench_.set(host, Reg::MrpcCommand, 0, 0, which < 16 ? kKnown[which] : bytes_.take(2));
    }
    void operate(unsigned host) {
        const unsigned block = bytes_.below(kPartitions);
        bench_.op(host, block, 1 + bytes_.below(3));
    }
    // Any register of the regions that do something, with values that often make sense.
    void write_register(unsigned host) {
        const auto map = register_map();
        const BlockInfo& block = map[map.size() - 1 - bytes_.below(3)];
        const RegisterInfo& reg =
            block.registers[bytes_.below(static_cast<unsigned>(block.registers.size()))];
        const unsigned block_index =
            block.region == Region::Pff ? bytes_.below(2 * kPartitions) : bytes_.below(kPartitions);
        const unsigned index = bytes_.below(std::min<unsigned>(reg.count, 4));
        bench_.set(host, reg.id, block_index, index, value_for(reg.id, host));
    }
    std::uint64_t value_for(Reg reg, unsigned host) {
        const std::uint64_t raw = bytes_.take(2);
        switch (reg) {
            case Reg::NtbBarCtl:
                return (raw & (kBarDirect | kBarLut)) | kLutLog2 << kBarLutSizeShift |
                       (raw >> 8 & 0x3F) << kBarLutCountShift;
            case Reg::NtbBarWindowSize:
                return 12 + raw % 20 + ((1 + (raw >> 8)) << (12 + raw % 12));
            case Reg::NtbBarWindowSizeExt:
                return 0;
            case Reg::NtbBarTranslation:
                return raw << 28 | host;
            case Reg::NtbLutEntry:
                return raw << 16 | host << 1 | kLutValid;
            case Reg::NtbRequesterEntry:
                return kRequesterValid;
            case Reg::OutDoorbellMask:
            case Reg::InDoorbellMask:
                return ~raw;
            case Reg::MessageMap:
                return (raw & 3) | (raw >> 8) % kPartitions << 2;
            default:
                return raw;
        }
    }

    // Whoever has new windows or an interrupt must have been woken.
    std::string missed_wakeup() {
        const std::uint64_t woken = bench_.chip.take_wakeups();
        for (unsigned p = 0; p < kPartitions; ++p) {
            const auto generation = bench_.chip.window_generation(p);
            if (generation != generation_[p] && !(woken & bit(p)))
                return fmt::format("partition {} missed new windows", p);
            generation_[p] = generation;
            std::uint64_t newest = 0;
            for (std::uint64_t order : state().partition[p].host.interrupt_order)
                newest = std::max(newest, order);
            if (newest > interrupt_[p] && !(woken & bit(p)))
                return fmt::format("partition {} missed an interrupt", p);
            interrupt_[p] = std::max(interrupt_[p], newest);
        }
        return "";
    }

    Choices bytes_;
    Bench bench_{kPartitions};
    std::vector<std::byte> saved_[kPartitions];
    std::uint64_t generation_[kPartitions] = {};
    std::uint64_t interrupt_[kPartitions] = {};
};

}  // namespace

std::string run_actions(std::span<const std::uint8_t> bytes) {
    return Actions(bytes).run();
}

}  // namespace switchtec::test
