// SPDX-License-Identifier: MIT
// The dump is a VCD (IEEE 1364, 18), and says what was on the link.
#include "traces/vcd.h"

#include <gmock/gmock.h>

#include <map>
#include <optional>

#include "traced_run.h"

namespace ntblab::sim {
namespace {

using pcie::Picoseconds;

/// Reads what VcdWriter may write, and throws at all else.
class Reader {
  public:
    struct Signal {
        unsigned bits = 0;
        std::map<Picoseconds, std::optional<std::uint64_t>> values;  ///< No value: high impedance.
    };

    explicit Reader(const std::string& text) : text_(text) {
        while (next() != "$enddefinitions") declaration();
        expect("$end");
        expect("#0");
        expect("$dumpvars");
        while (next() != "$end") change();
        while (text_ >> word_) {
            if (word_[0] != '#') {
                change();
                continue;
            }
            const Picoseconds time = std::stoull(word_.substr(1));
            if (time <= time_) throw std::runtime_error("time goes back at " + word_);
            time_ = time;
        }
        if (!scopes_.empty()) throw std::runtime_error("a scope is open");
        for (const auto& [name, signal] : signals_)
            if (signal.values.empty() || signal.values.begin()->first != 0)
                throw std::runtime_error(name + " has no value at the beginning");
    }

    const std::map<std::string, Signal>& signals() const { return signals_; }
    std::uint64_t at(const std::string& name, Picoseconds time) const {
        return std::prev(signals_.at(name).values.upper_bound(time))->second.value();
    }
    /// For how long it is something else than 0.
    Picoseconds not_zero(const std::string& name) const {
        Picoseconds span = 0, since = 0;
        std::uint64_t value = 0;
        for (const auto& [time, next] : signals_.at(name).values) {
            if (value != 0) span += time - since;
            value = next.value();
            since = time;
        }
        EXPECT_EQ(value, 0U) << name;
        return span;
    }

  private:
    const std::string& next() {
        if (!(text_ >> word_)) throw std::runtime_error("it ends early");
        return word_;
    }
    void expect(const std::string& word) {
        if (next() != word) throw std::runtime_error(word + " expected, not " + word_);
    }
    void declaration() {
        const std::string keyword = word_;
        if (keyword == "$comment" || keyword == "$version") {
            while (next() != "$end") {
            }
        } else if (keyword == "$timescale") {
            expect("1");
            expect("ps");
            expect("$end");
        } else if (keyword == "$scope") {
            expect("module");
            scopes_.push_back(next());
            expect("$end");
        } else if (keyword == "$upscope") {
            scopes_.pop_back();
            expect("$end");
        } else if (keyword == "$var") {
            expect("wire");
            const auto bits = static_cast<unsigned>(std::stoul(next()));
            const std::string id = next();
            if (id.size() != 1 || id[0] < '!' || id[0] > '~' || ids_.contains(id))
                throw std::runtime_error("no identifier: " + id);
            const std::string name = scopes_.back() + "." + next();
            ids_[id] = name;
            signals_[name].bits = bits;
            if (bits > 1) expect("[" + std::to_string(bits - 1) + ":0]");
            expect("$end");
        } else {
            throw std::runtime_error("no declaration: " + keyword);
        }
    }
    void change() {
        const bool vector = word_[0] == 'b';
        const std::string value = vector ? word_.substr(1) : word_.substr(0, 1);
        const std::string id = vector ? next() : word_.substr(1);
        Signal& signal = signals_.at(ids_.at(id));
        if (vector != (signal.bits > 1)) throw std::runtime_error("a scalar is no vector: " + id);
        if (value.empty() || value.size() > signal.bits ||
            value.find_first_not_of(value == "z" ? "z" : "01") != std::string::npos)
            throw std::runtime_error("no value: " + value);
        if (!signal.values.empty() && signal.values.rbegin()->first == time_)
            throw std::runtime_error("two values at once: " + id);
        if (value == "z")
            signal.values[time_] = std::nullopt;
        else
            signal.values[time_] = std::stoull(value, nullptr, 2);
    }

    std::stringstream text_;
    std::string word_;
    std::vector<std::string> scopes_;
    std::map<std::string, std::string> ids_;
    std::map<std::string, Signal> signals_;
    Picoseconds time_ = 0;
};

class Vcd : public testing::Test {
  protected:
    Reader run(const Watched& watched, const std::string& link) {
        const auto path = folder_ / "link.vcd";
        std::unique_ptr<Traces> traces;
        watched.run(
            [&](pcie::System& system) {
                traces = std::move(Traces::create({.vcd = path, .link = link}, system).value());
                traces->observers().add(sent);
            },
            [&](pcie::System& system) {
                EXPECT_TRUE(traces->finish());
                traces.reset();
                for (const auto& each : system.links())
                    if (each->basename() == link)
                        for (unsigned side : {0U, 1U}) {
                            counted[side] = each->statistics(side);
                            limits[side] = each->config().sides[1 - side].credits;
                        }
            });
        std::erase_if(sent.tlps, [&](const Sent::Entry& entry) { return entry.link != link; });
        std::erase_if(sent.dllps, [&](const Sent::DllpEntry& entry) { return entry.link != link; });
        return Reader(contents(path));
    }

    Sent sent;
    std::array<pcie::LinkStatistics, 2> counted;
    std::array<pcie::CreditLimits, 2> limits;

  private:
    Folder folder_;
};

std::uint64_t code_of(const pcie::Tlp& tlp) {
    const std::map<std::string, std::uint64_t> codes = {
        {"MWr", 1}, {"MRd", 2}, {"CplD", 3}, {"Cpl", 4}, {"Msg", 5}};
    return codes.at(pcie::name_of(tlp));
}

TEST_F(Vcd, ShowsEachTlpAndDllp) {
    Watched watched;
    watched.profile = eventful_profile();
    const Reader vcd = run(watched, "sw0_1_link");
    ASSERT_GT(sent.tlps.size(), 100U);
    bool replayed = false;
    std::array<Picoseconds, 2> busy{}, dllps_busy{};
    for (const Sent::Entry& entry : sent.tlps) {
        const std::string side = fmt::format("from{}.", entry.side);
        const Picoseconds at = entry.wire.begin;
        EXPECT_EQ(vcd.at(side + "tlp", at), code_of(entry.tlp));
        EXPECT_EQ(vcd.at(side + "length", at), entry.tlp.length);
        EXPECT_EQ(vcd.at(side + "address", at), entry.tlp.address);
        EXPECT_EQ(vcd.at(side + "requester", at), entry.tlp.requester);
        EXPECT_EQ(vcd.at(side + "tag", at), entry.tlp.tag);
        EXPECT_EQ(vcd.at(side + "sequence", at), entry.wire.sequence % 4096);
        EXPECT_EQ(vcd.at(side + "replay", at), entry.wire.again ? 1U : 0U);
        EXPECT_EQ(vcd.at(side + "tlp_corrupt", at), entry.wire.whole ? 0U : 1U);
        busy[entry.side] += entry.wire.end - at;
        replayed = replayed || entry.wire.again;
    }
    EXPECT_TRUE(replayed);
    for (const Sent::DllpEntry& entry : sent.dllps) {
        const std::string side = fmt::format("from{}.", entry.side);
        EXPECT_EQ(vcd.at(side + "dllp", entry.wire.begin), static_cast<unsigned>(entry.dllp.kind) + 1U);
        dllps_busy[entry.side] += entry.wire.end - entry.wire.begin;
    }
    for (unsigned side : {0U, 1U}) {
        EXPECT_EQ(vcd.not_zero(fmt::format("from{}.tlp", side)), busy[side]);
        EXPECT_EQ(vcd.not_zero(fmt::format("from{}.dllp", side)), dllps_busy[side]);
        Picoseconds stalled = 0;
        for (std::size_t i = 0; i < pcie::kStallCauses; ++i)
            stalled += counted[side].stalls.span(static_cast<pcie::StallCause>(i));
        EXPECT_EQ(vcd.not_zero(fmt::format("from{}.stall", side)), stalled);
    }
}

TEST_F(Vcd, ShowsCreditsThatComeBack) {
    Watched watched;
    watched.profile = eventful_profile();
    const Reader vcd = run(watched, "sw0_1_link");
    constexpr std::array<const char*, 6> kNames = {"PH", "PD", "NPH", "NPD", "CPLH", "CPLD"};
    bool exhausted = false;
    for (unsigned side : {0U, 1U})
        for (std::size_t i = 0; i < kNames.size(); ++i) {
            const std::string name = fmt::format("from{}.credits_{}", side, kNames[i]);
            const pcie::CreditPair& pair = limits[side][i / 2];
            const std::uint32_t limit = i % 2 == 0 ? pair.header : pair.data;
            const auto& values = vcd.signals().at(name).values;
            if (limit == pcie::kInfiniteCredits) {
                EXPECT_EQ(values.size(), 1U) << name;
                EXPECT_FALSE(values.begin()->second) << name;
                continue;
            }
            for (const auto& [time, value] : values) {
                EXPECT_LE(value.value(), limit) << name << " at " << time;
                exhausted = exhausted || value == 0U;
            }
            EXPECT_EQ(values.begin()->second, limit) << name;
            EXPECT_EQ(values.rbegin()->second, limit) << name;
        }
    EXPECT_TRUE(exhausted);
    EXPECT_EQ(vcd.signals().at("from0.queue").values.rbegin()->second, 0U);
}

}  // namespace
}  // namespace ntblab::sim
