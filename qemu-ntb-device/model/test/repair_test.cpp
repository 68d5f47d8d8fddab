// SPDX-License-Identifier: MIT
// A process is killed inside a call, at each store to the shared state in turn: repair() puts the switch
// right.
//
// A child process does the call, stepped instruction by instruction (ptrace). Whenever the shared state has
// changed, a copy of it is what a kill at that point would have left behind.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>
#include <functional>

#include "bench.h"
#include "invariants.h"

namespace switchtec::test {
namespace {

constexpr unsigned kDead = 1;
constexpr unsigned kLuts = 8;  // Few, as each instruction is stepped.

class SharedMemory {
  public:
    SharedMemory()
        : start_(
              mmap(nullptr, Chip::state_size(), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0)) {}
    SharedMemory(const SharedMemory&) = delete;
    SharedMemory& operator=(const SharedMemory&) = delete;
    ~SharedMemory() { munmap(start_, Chip::state_size()); }
    std::span<std::byte> span() const { return {static_cast<std::byte*>(start_), Chip::state_size()}; }

  private:
    void* start_;
};

/// Partitions 0, 1, 2 with windows in all directions, doorbells and messages enabled.
void prepare(Bench& bench) {
    for (unsigned p = 0; p < 3; ++p) bench.boot(p);
    for (unsigned by = 0; by < 3; ++by) {
        for (unsigned in = 0; in < 3; ++in) {
            if (by != in) bench.map_lut(by, in, by, (1 + by) << 20, kLuts);
        }
    }
    bench.map_direct(kDead, 0, 4, 0x4000'0000, kMiB);
    for (unsigned p = 0; p < 3; ++p) {
        bench.set(p, Reg::OutDoorbellMask, p, 0, ~0ULL);
        bench.set(p, Reg::InDoorbellMask, p, 0, ~0ULL);
        bench.set(p, Reg::MessageMap, p, 0, 0);
        for (unsigned i = 0; i < 64; ++i) bench.set(p, Reg::InVectorMap, p, i, i < 60 ? 1 : 2);
        bench.set(p, Reg::InMessageMask, p, 0, 1);
        bench.set(p, Reg::PffEvent, 2 * p, kPffEventLinkState, kEventOccurred | kEventEnableIrq);
        bench.interrupts(p);
    }
    bench.chip.take_wakeups();
}

std::string pending_without_interrupt(Chip& chip, unsigned p) {
    std::vector<unsigned> vectors;
    while (const auto vector = chip.take_interrupt(p)) vectors.push_back(*vector);
    const auto raised = [&](unsigned v) {
        return std::find(vectors.begin(), vectors.end(), v) != vectors.end();
    };
    if (chip.read(p, offset_of(Reg::InDoorbell, p), 8) != 0 && !raised(1))
        return "a doorbell lost its interrupt";
    if (chip.read(p, offset_of(Reg::InMessageStatus, p), 1) != 0 && !raised(2))
        return "a message lost its interrupt";
    return "";
}

/// What must be possible after a kill that left `state`: the survivors work on, and the dead host comes back.
/// `windows`: what partition 0 may see after the repair; empty: anything.
std::string recover(std::span<const std::byte> state,
                    const std::vector<std::vector<WindowSpan>>& windows = {}) {
    Bench bench(1);
    std::memcpy(bench.memory.span().data(), state.data(), state.size());
    bench.chip = Chip::open(bench.memory.span()).value();
    Chip& chip = bench.chip;
    const auto& s = *reinterpret_cast<const State*>(bench.memory.span().data());

    chip.repair();
    if (auto wrong = broken_invariant(chip, s); !wrong.empty()) return "after repair: " + wrong;
    if (!windows.empty() && std::find(windows.begin(), windows.end(), chip.windows(0)) == windows.end()) {
        return "after repair: neither the old windows nor the new ones";
    }
    const std::uint64_t woken = chip.take_wakeups();
    for (unsigned p : {0U, 2U}) {
        if (chip.attached(p) && !(woken & bit(p))) return "a survivor was not woken";
        if (auto wrong = pending_without_interrupt(chip, p); !wrong.empty()) return wrong;
    }
    chip.detach(kDead);
    if (auto wrong = broken_invariant(chip, s); !wrong.empty()) return "after detach: " + wrong;
    bench.apply_windows();
    for (unsigned p = 0; p < 3; ++p) {
        while (const auto owner = chip.lock_owner(p)) {  // Survivors end what they were doing.
            bench.op(*owner, p, kOpReset);
            bench.apply_windows();
        }
        if (!chip.attached(p)) bench.boot(p);
    }
    for (unsigned by = 0; by < 3; ++by) {
        for (unsigned in = 0; in < 3; ++in) {
            if (by == in) continue;
            if (bench.map_lut(by, in, 7, 0x5'0000, kLuts) != kNormal)
                return "a control block does not work any more";
            if (chip.translate(in, 2, 7 * kLutBytes) !=
                Translation{static_cast<std::uint8_t>(by), 0x5'0000}) {
                return "a window does not work any more";
            }
        }
    }
    return broken_invariant(chip, s);
}

class Repair : public ::testing::Test {
  protected:
    Repair() {
        prepare(bench_);
        recovered_ = recover(bench_.memory.span());
    }

    /// Kills a process at each store of `call`. Returns the number of different states it left behind.
    unsigned kill_everywhere_in(const std::function<void(Chip&)>& call) {
        EXPECT_EQ(recovered_, "");
        std::memcpy(shared_.span().data(), bench_.memory.span().data(), Chip::state_size());
        const pid_t child = fork();
        if (child == 0) run_child(call);
        unsigned states = 0;
        std::vector<std::byte> last(shared_.span().begin(), shared_.span().end());
        for (int status = 0; waitpid(child, &status, 0) == child && WIFSTOPPED(status);) {
            if (std::memcmp(last.data(), shared_.span().data(), kUsed) != 0) {
                std::memcpy(last.data(), shared_.span().data(), last.size());
                const std::string wrong = recover(last, allowed_windows_);
                EXPECT_EQ(wrong, "") << "killed after store " << states;
                ++states;
                if (!wrong.empty()) {
                    kill(child, SIGKILL);
                    continue;
                }
            }
            ptrace(PTRACE_SINGLESTEP, child, nullptr, nullptr);
        }
        return states;
    }

    Bench bench_{3};
    std::vector<std::vector<WindowSpan>> allowed_windows_;

  private:
    static constexpr std::size_t kUsed = sizeof(State) - (kMaxPartitions - 3) * sizeof(Partition);

    [[noreturn]] void run_child(const std::function<void(Chip&)>& call) {
        if (ptrace(PTRACE_TRACEME, 0, nullptr, nullptr) != 0) _exit(1);
        Chip chip = Chip::open(shared_.span()).value();
        raise(SIGSTOP);
        call(chip);
        _exit(0);
    }

    SharedMemory shared_;
    std::string recovered_;
};

#define EXPECT_RECOVERS(call)                                                                           \
    EXPECT_GT(kill_everywhere_in([](Chip& chip) { call; }), 0U)                                         \
        << "nothing was stored, or the process could not be stepped: is ptrace allowed (ptrace_scope, " \
           "seccomp)?"

TEST_F(Repair, Lock) {
    EXPECT_RECOVERS(chip.write(kDead, offset_of(Reg::NtbPartitionOp, 0), kOpLock, 4));
}

TEST_F(Repair, Configure) {
    bench_.op(kDead, 0, kOpLock);
    bench_.op(2, 0, kOpLock);
    for (unsigned i = 0; i < kLuts; ++i)
        bench_.set(kDead, Reg::NtbLutEntry, 0, i, (100 + i) << 16 | kDead << 1 | kLutValid);
    Bench finished(3);
    std::memcpy(finished.memory.span().data(), bench_.memory.span().data(), Chip::state_size());
    finished.op(kDead, 0, kOpConfigure);
    allowed_windows_ = {bench_.chip.windows(0), finished.chip.windows(0)};
    ASSERT_NE(allowed_windows_[0], allowed_windows_[1]);
    EXPECT_RECOVERS(chip.write(kDead, offset_of(Reg::NtbPartitionOp, 0), kOpConfigure, 4));
}

TEST_F(Repair, ResetOfAControlBlock) {
    EXPECT_RECOVERS(chip.write(kDead, offset_of(Reg::NtbPartitionOp, 0), kOpReset, 4));
}

TEST_F(Repair, WindowsApplied) {
    bench_.op(2, kDead, kOpReset);
    bench_.op(0, kDead, kOpLock);
    EXPECT_RECOVERS(chip.windows_applied(kDead, ~0ULL));
}

TEST_F(Repair, Doorbell) {
    EXPECT_RECOVERS(chip.write(kDead, offset_of(Reg::OutDoorbell, kDead), 0xFF, 8));
}

TEST_F(Repair, MessageThatIsDelivered) {
    EXPECT_RECOVERS(chip.write(kDead, offset_of(Reg::OutMessage, kDead), 5, 4));
}

TEST_F(Repair, MessageThatWaits) {
    bench_.set(2, Reg::OutMessage, 2, 0, 1);
    EXPECT_RECOVERS(chip.write(kDead, offset_of(Reg::OutMessage, kDead), 5, 4));
}

TEST_F(Repair, MessageThatIsRead) {
    bench_.set(kDead, Reg::MessageMap, kDead, 0, 2 << 2);
    for (unsigned p : {0U, 2U}) {
        bench_.set(p, Reg::MessageMap, p, 0, kDead << 2);
        bench_.set(p, Reg::OutMessage, p, 0, p);
    }
    EXPECT_RECOVERS(chip.write(kDead, offset_of(Reg::InMessageStatus, kDead), 1, 1));
}

TEST_F(Repair, ResetOfTheHost) {
    bench_.op(kDead, 0, kOpLock);
    bench_.op(2, 0, kOpLock);
    EXPECT_RECOVERS(chip.reset(kDead));
}

TEST_F(Repair, DetachOfTheHost) {
    EXPECT_RECOVERS(chip.detach(kDead));
}

TEST_F(Repair, DetachOfAnotherHost) {
    EXPECT_RECOVERS(chip.detach(2));
}

TEST_F(Repair, BusMaster) {
    EXPECT_RECOVERS(chip.set_bus_master(kDead, false));
}

TEST_F(Repair, RepairItself) {
    bench_.op(kDead, 0, kOpLock);
    EXPECT_RECOVERS(chip.repair());
}

TEST_F(Repair, AttachAndConfigure) {
    bench_.chip.detach(kDead);
    EXPECT_RECOVERS({
        PartitionConfig config = chip.config(kDead);
        config.vectors = 8;
        static_cast<void>(chip.configure(kDead, config));
        chip.attach(kDead);
    });
}

}  // namespace
}  // namespace switchtec::test
