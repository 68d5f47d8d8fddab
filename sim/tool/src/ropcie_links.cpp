// SPDX-License-Identifier: MIT
#include "ropcie_links.h"

#include <algorithm>

namespace ntblab::sim {
namespace {

using pcie::Access;
using pcie::Picoseconds;

// docs/ropcie.md, "The window", for the 2 MiB that a driver gives a peer.
constexpr std::uint64_t kSlots = 256;
constexpr std::uint64_t kSlotBytes = 256;
constexpr std::uint64_t kSlotHead = 24 + 64;  ///< What describes a record, and a packet's header.
constexpr std::uint64_t kInline = kSlotBytes - kSlotHead;
constexpr std::uint64_t kDataArea = 978'944;
constexpr std::uint64_t kDataAlignment = 64;
constexpr std::uint64_t kValidBytes = 8;
constexpr std::uint64_t kControlBytes = 16;  ///< consumed and event, side by side.
constexpr std::uint64_t kDoorbellBytes = 4;
/// Slots that are served before their credits are given back, if the ring does not run empty before.
constexpr std::uint64_t kCreditBatch = 32;
constexpr Picoseconds kFirstLook = pcie::nanoseconds(50'000);
constexpr Picoseconds kLongestLook = pcie::nanoseconds(250'000'000);

// Cookies of what means something to the other side.
constexpr std::uint64_t kCookie = std::uint64_t{1} << 63;
enum class Mark : std::uint8_t { valid, control, doorbell };
constexpr std::uint64_t cookie_of(std::uint64_t ring, Mark mark) {
    return kCookie | ring << 8 | static_cast<std::uint64_t>(mark);
}

std::uint64_t data_bytes(std::uint64_t payload) {
    return payload <= kInline ? 0 : (payload + kDataAlignment - 1) / kDataAlignment * kDataAlignment;
}

/// When a consumer that went to sleep at `since` looks again by itself, after `at`.
Picoseconds next_look(Picoseconds since, Picoseconds at) {
    Picoseconds look = since, step = kFirstLook;
    while (look <= at) {
        look += step;
        step = std::min(step * 4, kLongestLook);
    }
    return look;
}

}  // namespace

/// A CPU as software has it: tasks one after the other, each some work and then stores.
class RopcieLinks::Core {
  public:
    Core(pcie::Cpu& cpu, pcie::Timeline& timeline) : cpu_(cpu), timeline_(timeline) {}

    void run(Picoseconds work, std::vector<Access> stores, Task done) {
        tasks_.push_back({work, std::move(stores), std::move(done)});
        if (tasks_.size() == 1) begin();
    }

  private:
    struct Item {
        Picoseconds work;
        std::vector<Access> stores;
        Task done;
    };

    void begin() {
        timeline_.at(pcie::now() + tasks_.front().work, [this] {
            Item& item = tasks_.front();
            if (item.stores.empty()) {
                end();
                return;
            }
            for (std::size_t i = 0; i < item.stores.size(); ++i) {
                const bool last = i + 1 == item.stores.size();
                cpu_.start(item.stores[i], [this, last](Picoseconds at) {
                    if (last) timeline_.at(at, [this] { end(); });
                });
            }
        });
    }

    void end() {
        const Task done = std::move(tasks_.front().done);
        tasks_.pop_front();
        if (!tasks_.empty()) begin();
        if (done) done();
    }

    pcie::Cpu& cpu_;
    pcie::Timeline& timeline_;
    std::deque<Item> tasks_;
};

RopcieLinks::RopcieLinks(pcie::System& system, pcie::Timeline& timeline, const pcie::RdmaConfig& config)
    : system_(system), timeline_(timeline), config_(config) {
    for (const auto& endpoint : system.endpoints()) {
        auto& made = rings_[{endpoint.node, endpoint.peer}];
        if (made) continue;
        made = std::make_unique<Ring>();
        made->number = ring_of_number_.size();
        made->from = endpoint.node;
        made->to = endpoint.peer;
        ring_of_number_.push_back(made.get());
        if (!cores_.contains(endpoint.node))
            cores_[endpoint.node] = std::make_unique<Core>(*system.host(endpoint.node).cpu, timeline);
    }
}

RopcieLinks::~RopcieLinks() = default;

RopcieLinks::Ring& RopcieLinks::ring(std::size_t from, std::size_t to) {
    return *rings_.at({from, to});
}

RopcieLinks::Core& RopcieLinks::core(std::size_t node) {
    return *cores_.at(node);
}

std::uint64_t RopcieLinks::window(const Ring& ring) const {
    return system_.window(*system_.endpoint(ring.from, ring.to));
}

std::uint64_t RopcieLinks::window_back(const Ring& ring) const {
    return system_.window(*system_.endpoint(ring.to, ring.from));
}

void RopcieLinks::work(std::size_t node, Picoseconds span, Task done) {
    core(node).run(span, {}, std::move(done));
}

void RopcieLinks::send(std::size_t from, std::size_t to, std::uint64_t payload, Task served) {
    Ring& way = ring(from, to);
    way.waiting.push_back({payload, std::move(served)});
    produce(way);
}

// The slot and its payload; then, behind a fence, the eight bytes that make it valid. Payload and slot are
// one access: of as many lines, in another place.
void RopcieLinks::produce(Ring& ring) {
    while (!ring.waiting.empty()) {
        const std::uint64_t payload = ring.waiting.front().payload;
        const std::uint64_t data = data_bytes(payload);
        if (ring.data_of.size() == kSlots || ring.data + data > kDataArea) return;
        ring.data += data;
        ring.data_of.push_back(data);
        ring.filled.push_back(std::move(ring.waiting.front()));
        ring.waiting.pop_front();
        const std::uint64_t slot = window(ring) + ring.produced++ % kSlots * kSlotBytes;
        core(ring.from).run(
            config_.packet,
            {{Access::Kind::store_combined, slot + kDataAlignment, payload + kSlotHead, 0},
             {Access::Kind::store_combined, slot, kValidBytes, cookie_of(ring.number, Mark::valid)}},
            [this, &ring] { publish(ring); });
    }
}

void RopcieLinks::publish(Ring& ring) {
    if (ring.event != ring.published++) return;
    ++doorbells_;
    core(ring.from).run(0,
                        {{Access::Kind::store_uncached, window(ring) + pcie::kInterruptSpace, kDoorbellBytes,
                          cookie_of(ring.number, Mark::doorbell)}},
                        {});
}

bool RopcieLinks::written(const pcie::Tlp& tlp, Picoseconds visible) {
    if ((tlp.cookie & kCookie) == 0) return false;
    Ring& way = *ring_of_number_.at(tlp.cookie >> 8 & 0xFFFFFFFF);
    switch (static_cast<Mark>(tlp.cookie & 0xFF)) {
        case Mark::valid:
            timeline_.at(visible, [this, &way] {
                ++way.seen;
                // Asleep, and perhaps nobody rings.
                if (!way.serving)
                    timeline_.at(next_look(way.asleep_since, pcie::now()), [this, &way] { wake(way); });
            });
            break;
        case Mark::doorbell:
            timeline_.at(visible, [this, &way] { wake(way); });
            break;
        case Mark::control:
            timeline_.at(visible, [this, &way] { take_credits(way); });
            break;
    }
    return true;
}

void RopcieLinks::wake(Ring& ring) {
    if (ring.serving || ring.seen == ring.served) return;
    ring.serving = true;
    serve(ring);
}

void RopcieLinks::serve(Ring& ring) {
    if (ring.seen == ring.served) {
        give_credits(ring, true);
        return;
    }
    Record record = std::move(ring.filled.front());
    ring.filled.pop_front();
    const Picoseconds copy = config_.copy(record.payload);
    core(ring.to).run(config_.packet + copy, {}, [this, &ring, served = std::move(record.served)] {
        ++ring.served;
        if (ring.served - ring.told == kCreditBatch) give_credits(ring, false);
        served();
        serve(ring);
    });
}

/// Who goes to sleep looks once more when it has said so.
void RopcieLinks::give_credits(Ring& ring, bool to_sleep) {
    ring.told = ring.served;
    ring.controls.push_back({ring.served, to_sleep});
    core(ring.to).run(0,
                      {{Access::Kind::store_combined, window_back(ring), kControlBytes,
                        cookie_of(ring.number, Mark::control)}},
                      [this, &ring, to_sleep] {
                          if (!to_sleep) return;
                          if (ring.seen != ring.served) {
                              serve(ring);
                          } else {
                              ring.serving = false;
                              ring.asleep_since = pcie::now();
                          }
                      });
}

void RopcieLinks::take_credits(Ring& ring) {
    const Control control = ring.controls.front();
    ring.controls.pop_front();
    for (; ring.freed < control.consumed; ++ring.freed) {
        ring.data -= ring.data_of.front();
        ring.data_of.pop_front();
    }
    if (control.sleeps) ring.event = control.consumed;
    produce(ring);
}

}  // namespace ntblab::sim
