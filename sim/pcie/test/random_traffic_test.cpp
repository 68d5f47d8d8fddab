// SPDX-License-Identifier: MIT
// Random traffic over random hardware: what goes in comes out, credits come back, tags are free, data is
// there before its flag, the protocol checker has nothing to say; and the same seed is the same run.
#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <cstdlib>
#include <random>

#include "system_path.h"

namespace ntblab::pcie {
namespace {

struct Hardware {
    Profile profile = plain_profile();
    std::uint64_t seed = 1;
};

std::uint32_t any(std::uint32_t least, std::uint32_t most) {
    return *rc::gen::inRange(least, most + 1);
}

/// Credits down to one TLP of the MPS, errors in half of all cases.
Hardware any_hardware() {
    Hardware result;
    Profile& profile = result.profile;
    profile.mps = 128U << any(0, 2);
    profile.mrrs = 128U << any(0, 4);
    for (LinkSide* side : {&profile.host_side, &profile.fabric_side})
        for (std::size_t of_class = 0; of_class < kFlowClasses; ++of_class) {
            side->credits[of_class].header = any(1, 64);
            side->credits[of_class].data = profile.mps / 16 + any(0, 400);
        }
    constexpr std::array kErrorRates = {0.0, 0.0, 1e-6, 1e-5};
    profile.bit_error_rate = kErrorRates[any(0, 3)];
    profile.host_medium.metres = any(0, 20);
    profile.hop.queueing =
        *rc::gen::element(SwitchConfig::Queueing::shared, SwitchConfig::Queueing::per_egress);
    profile.hop.forwarding =
        *rc::gen::element(SwitchConfig::Forwarding::cut_through, SwitchConfig::Forwarding::store_and_forward);
    profile.fabric = *rc::gen::element(Profile::Fabric::switched, Profile::Fabric::adapters);
    profile.host_weight = any(1, 4);
    profile.dma_weight = any(1, 4);
    profile.host.split_at_every_rcb = any(0, 3) == 0;
    profile.dma.tags = any(1, 64);
    result.seed = any(1, 1'000'000);
    return result;
}

/// Between three hosts: writes, reads, copies, of any size, until each endpoint has had its bytes.
struct Traffic {
    static constexpr std::uint64_t kFlag = std::uint64_t{1} << 63;

    Traffic(const Hardware& hardware, std::uint64_t bytes)
        : random(hardware.seed),
          system("system",
                 topology_of("name: t\nnodes: {a: {iommu: true}, b: {}, c: {}}\n"
                             "switches: {s: {link: {width: x8}, nt-pairs: [[a, b], [a, c], [b, c]]}}\n"),
                 hardware.profile, {.check = true, .seed = hardware.seed}) {
        for (const System::Endpoint& endpoint : system.endpoints()) {
            left[&endpoint] = bytes;
            for (int i = 0; i < 3; ++i) next(endpoint);
        }
        for (std::size_t node = 0; node < 3; ++node)
            system.host(node).root.on_write = [this](const Tlp& tlp, Picoseconds visible) {
                see(tlp, visible);
            };
    }

    std::uint32_t pick(std::uint32_t least, std::uint32_t most) {
        return least + static_cast<std::uint32_t>(random() % (most - least + 1));
    }

    void next(const System::Endpoint& endpoint) {
        std::uint64_t& rest = left[&endpoint];
        if (rest == 0) return;
        const std::uint64_t bytes = std::min<std::uint64_t>(rest, std::uint64_t{1} << pick(0, 13));
        rest -= bytes;
        const auto again = [this, &endpoint](Picoseconds) { next(endpoint); };
        const std::uint64_t offset = pick(0, 4095);
        Cpu& cpu = *system.host(endpoint.node).cpu;
        switch (pick(0, 3)) {
            case 0: {
                const std::uint64_t stream = ++streams;
                expected[stream] = bytes;
                cpu.start({Access::Kind::store_combined, system.window(endpoint) + offset, bytes, stream},
                          [](Picoseconds) {});
                cpu.start(
                    {Access::Kind::store_uncached, system.window(endpoint) + 0x10000, 8, stream | kFlag},
                    again);
                break;
            }
            case 1:
                cpu.start({Access::Kind::load, system.window(endpoint) + offset,
                           std::min<std::uint64_t>(bytes, 64)},
                          again);
                break;
            default: {
                const std::uint64_t stream = ++streams;
                expected[stream] = bytes;
                endpoint.dma->start({.kind = Transfer::Kind::copy,
                                     .source = {endpoint.partition, offset},
                                     .target = {endpoint.peer_partition, pick(0, 4095)},
                                     .bytes = bytes,
                                     .queue = {endpoint.partition, 0},
                                     .cookie = stream},
                                    again);
                break;
            }
        }
    }

    // What one access stores is seen in the order in which it was stored, and its flag after all of it.
    void see(const Tlp& tlp, Picoseconds visible) {
        digest = (digest ^ visible ^ tlp.length) * 1099511628211U;
        if (tlp.cookie == 0) return;
        Stream& stream = seen[tlp.cookie & ~kFlag];
        if (visible < stream.at || tlp.serial < stream.serial) ++out_of_order;
        stream.at = visible;
        stream.serial = tlp.serial;
        if ((tlp.cookie & kFlag) == 0)
            stream.bytes += tlp.length;
        else if (stream.bytes != expected[tlp.cookie & ~kFlag])
            ++flags_before_data;
    }

    bool all_bytes_arrived() const {
        return std::ranges::all_of(expected, [this](const auto& stream) {
            const auto found = seen.find(stream.first);
            return found != seen.end() && found->second.bytes == stream.second;
        });
    }

    struct Stream {
        Picoseconds at = 0;
        std::uint64_t serial = 0, bytes = 0;
    };

    std::mt19937_64 random;
    std::map<const System::Endpoint*, std::uint64_t> left;
    std::map<std::uint64_t, std::uint64_t> expected;
    std::map<std::uint64_t, Stream> seen;
    std::uint64_t streams = 0, out_of_order = 0, flags_before_data = 0, digest = 14695981039346656037U;
    System system;
};

/// Everything that was sent arrived, and the wire has carried it, what was sent again, DLLPs and skip ordered
/// sets, and nothing else.
bool conserves(const Link& link, unsigned side) {
    const LinkStatistics& sent = link.statistics(side);
    const std::uint64_t dllps = sent.acknowledgements + sent.rejections + sent.credit_updates;
    const Ticks busy = link.encoding().ticks(sent.tlp_bytes + sent.replayed_bytes + kDllpBytes * dllps) +
                       sent.skips * link.encoding().skip_time();
    return sent.tlps == sent.delivered && sent.tlp_bytes == sent.delivered_bytes && sent.busy == busy &&
           (sent.corrupted > 0 || sent.replayed == 0);
}

TEST(RandomTraffic, ConservesAndKeepsOrder) {
    setenv("RC_PARAMS", "seed=5 max_success=50", 0);
    std::uint64_t tlps = 0, replayed = 0;
    const bool holds = rc::check("conservation and order", [&] {
        const Hardware hardware = any_hardware();
        RC_PRE(conflicts(hardware.profile).empty());
        Simulation simulation;
        Traffic traffic(hardware, 100'000);
        simulation.run();
        const auto violations = traffic.system.violations();
        if (!violations.empty()) RC_FAIL(violations.front());
        RC_ASSERT(traffic.out_of_order == 0U);
        RC_ASSERT(traffic.flags_before_data == 0U);
        RC_ASSERT(traffic.all_bytes_arrived());
        RC_ASSERT(traffic.system.at_rest());
        for (const auto& link : traffic.system.links())
            for (const unsigned side : {0U, 1U}) {
                RC_ASSERT(conserves(*link, side));
                tlps += link->statistics(side).tlps;
                replayed += link->statistics(side).replayed;
            }
    });
    EXPECT_TRUE(holds);
    RecordProperty("tlps", static_cast<std::int64_t>(tlps));
    RecordProperty("replayed", static_cast<std::int64_t>(replayed));
    EXPECT_GT(tlps, 1'000'000U);
    EXPECT_GT(replayed, 500U);
}

TEST(RandomTraffic, TheSameSeedIsTheSameRun) {
    std::uint64_t digests[3];
    for (const std::uint64_t run : {0, 1, 2}) {
        Simulation simulation;
        Hardware hardware;
        hardware.profile.bit_error_rate = 1e-7;
        hardware.seed = run == 2 ? 5 : 4;
        Traffic traffic(hardware, 100'000);
        simulation.run();
        digests[run] = traffic.digest;
    }
    EXPECT_EQ(digests[0], digests[1]);
    EXPECT_NE(digests[0], digests[2]);
}

}  // namespace
}  // namespace ntblab::pcie
