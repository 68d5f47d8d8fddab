// SPDX-License-Identifier: MIT
#include "actions.h"

#include <fmt/format.h>
#include <ntblab/test/choices.h>

#include <cstddef>
#include <cstring>
#include <stdexcept>
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
            const Action& action = choose();
            (this->*action.act)(bytes_.below(kPartitions));
            std::string wrong = broken_invariant(bench_.chip, state());
            if (wrong.empty()) wrong = missed_wakeup();
            if (!wrong.empty()) return fmt::format("after action {} ({}): {}", n, action.name, wrong);
        }
        return "";
    }

  private:
    struct Action {
        const char* name;
        unsigned share;  ///< How often, out of the sum of all.
        void (Actions::*act)(unsigned host);
    };

    const Action& choose() {
        static constexpr Action kActions[] = {
            {"reset", 1, &Actions::reset},
            {"detach", 1, &Actions::detach},
            {"attach", 1, &Actions::attach},
            {"bus master", 1, &Actions::bus_master},
            {"windows applied, of some generation", 1, &Actions::some_windows_applied},
            {"windows applied", 1, &Actions::windows_applied},
            {"take an interrupt", 1, &Actions::take_interrupt},
            {"end of message gaps", 1, &Actions::end_message_gaps},
            {"repair", 1, &Actions::repair},
            {"read", 1, &Actions::read},
            {"write anywhere", 2, &Actions::write_anywhere},
            {"operation on a control block", 4, &Actions::operate},
            {"admit the CPU's requests", 1, &Actions::admit_cpu},
            {"write to a register", 8, &Actions::write_register},
            {"firmware command", 2, &Actions::command},
            {"answer by DMA", 1, &Actions::write_answer},
            {"forwarded TLPs", 1, &Actions::forwarded},
            {"save", 1, &Actions::save},
            {"go on from what was saved", 1, &Actions::go_on},
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

    const State& state() const { return *reinterpret_cast<const State*>(bench_.memory.span().data()); }

    void reset(unsigned host) { bench_.chip.reset(host); }
    void detach(unsigned host) { bench_.chip.detach(host); }
    void attach(unsigned host) { bench_.chip.attach(host); }
    void bus_master(unsigned host) { bench_.chip.set_bus_master(host, bytes_.below(2) != 0); }
    void some_windows_applied(unsigned host) { bench_.chip.windows_applied(host, bytes_.take(1)); }
    void windows_applied(unsigned host) {
        bench_.chip.windows_applied(host, bench_.chip.window_generation(host));
    }
    void take_interrupt(unsigned host) { bench_.chip.take_interrupt(host); }
    void end_message_gaps(unsigned host) { bench_.chip.end_message_gaps(host); }
    void repair(unsigned) { bench_.chip.repair(); }
    void admit_cpu(unsigned host) { bench_.set(host, Reg::NtbRequesterEntry, host, 0, kRequesterValid); }
    void write_answer(unsigned host) { bench_.apply_dma(host); }
    void forwarded(unsigned host) {
        bench_.chip.forwarded({.from = host,
                               .to = bytes_.below(kPartitions),
                               .tlp = static_cast<Tlp>(bytes_.below(3)),
                               .tlps = bytes_.take(1),
                               .payload = bytes_.take(2),
                               .latency_ns = bytes_.take(2)});
    }
    void save(unsigned host) {
        if (auto saved = bench_.chip.save(host)) saved_[host] = std::move(*saved);
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
