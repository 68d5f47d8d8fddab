// SPDX-License-Identifier: MIT
// What is shipped: profiles, what is published, and the table in docs.
#include <gmock/gmock.h>
#include <topology/topology.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <set>

#include "calibration/fit.h"
#include "calibration/measure.h"
#include "calibration/report.h"

namespace ntblab::sim {
namespace {

class ShippedCalibration : public testing::Test {
  protected:
    static void SetUpTestSuite() {
        calibration_ = load_calibration(CALIBRATION).value();
        for (const Case& one : calibration_.cases)
            if (!one.profile.empty())
                profiles_[one.profile] = pcie::load_profile(one.profile, PROFILES_DIR).value();
    }

    /// Of all profiles, or one.
    static std::vector<Row> rows(const std::string& only) {
        return check(calibration_, profiles_, only, [](double, const std::string&) {});
    }

    static inline Calibration calibration_;
    static inline std::map<std::string, pcie::Profile> profiles_;
};

TEST_F(ShippedCalibration, IsWithinItsTolerances) {
    const std::vector<Row> all = rows("");
    EXPECT_GT(all.size(), 50U);
    for (const Row& row : all)
        EXPECT_NE(row.verdict, Row::Verdict::out) << row.of->name << ", " << row.point->size
                                                  << " bytes: " << row.model << " for " << row.point->text;
    EXPECT_TRUE(passes(all));
}

TEST_F(ShippedCalibration, IsInDocsAsItIsPrinted) {
    const std::string begin = "<!-- calibration -->\n", end = "<!-- end of calibration -->";
    const std::string docs = topology::read_source(MODEL_DOCS).value();
    const std::size_t from = docs.find(begin);
    ASSERT_NE(from, std::string::npos);
    const std::string table = docs.substr(from + begin.size(), docs.find(end) - from - begin.size());
    EXPECT_EQ(table, report(rows(""), Format::markdown))
        << "docs/model.md: put what `ntb-sim calibrate --check "
           "--format markdown` prints between its comments";
}

TEST_F(ShippedCalibration, FitsWhatProfilesCallFitted) {
    std::set<std::pair<std::string, std::string>> fitted, free;
    for (const auto& [name, profile] : profiles_)
        for (const auto& [parameter, source] : profile.sources)
            if (source.status == "fitted") fitted.emplace(name, parameter);
    for (const auto& [name, parameters] : calibration_.fits)
        for (const FreeParameter& one : parameters) {
            free.emplace(name, one.name);
            EXPECT_EQ(profiles_.at(name).sources.at(one.name).source, one.source) << name << ": " << one.name;
        }
    EXPECT_EQ(fitted, free);
}

TEST_F(ShippedCalibration, HasNoRoomForABetterFitNearby) {
    const auto fits =
        std::ranges::find(calibration_.fits, "intel-ntb", &decltype(calibration_.fits)::value_type::first);
    ASSERT_NE(fits, calibration_.fits.end());
    std::vector<const Case*> cases;
    for (const Case& one : calibration_.cases)
        if (one.profile == "intel-ntb" && one.measure == Case::Measure::latency) cases.push_back(&one);
    const pcie::Profile& profile = profiles_.at("intel-ntb");
    const double now = misses(profile, cases);
    for (const double off : {0.8, 1.2}) {
        pcie::Profile other = profile;
        other.message = static_cast<pcie::Picoseconds>(off * static_cast<double>(other.message));
        EXPECT_GT(misses(other, cases), now);
    }
}

TEST_F(ShippedCalibration, PrintsAsJsonWhatItPrintsAsText) {
    const std::vector<Row> some = rows("pxh810-gen3x8");
    const auto json = nlohmann::json::parse(report(some, Format::json));
    EXPECT_EQ(json.at("passes"), true);
    ASSERT_EQ(json.at("cases").size(), some.size());
    EXPECT_TRUE(json.at("cases")[0].at("model").is_number());
    const std::string text = report(some, Format::text);
    EXPECT_EQ(static_cast<std::size_t>(std::ranges::count(text, '\n')), some.size() + 1);
}

TEST_F(ShippedCalibration, OfAnotherProfileIsOut) {
    auto profiles = profiles_;
    profiles.at("pxh810-gen3x8").hop.latency *= 2;
    EXPECT_TRUE(passes(rows("pxh810-gen3x8")));
    EXPECT_FALSE(passes(check(calibration_, profiles, "pxh810-gen3x8", [](double, const std::string&) {})));
}

// What the model says with known parameters is what is "published" here.
TEST(Fit, FindsParametersThatWereHidden) {
    auto calibration = parse_calibration(
        "cases:\n"
        "  - {case: latency, kind: run, conditions: c, source: s, unit: ns, profile: p, tolerance: {percent: "
        "5},\n"
        "     traffic: {operation: pio-pingpong, transfers: 5, warm-up: 1}, points: [{size: 64, published: "
        "1}]}\n"
        "  - {case: rate, kind: run, conditions: c, source: s, unit: GB/s, profile: p, tolerance: {percent: "
        "5},\n"
        "     traffic: {operation: pio-write, transfers: 5, warm-up: 1}, measure: rate,\n"
        "     points: [{size: 512, published: 1}, {size: 4096, published: 1}]}\n",
        "x.yaml");
    ASSERT_TRUE(calibration) << calibration.error().message;
    pcie::Profile profile = pcie::load_profile("pxh810-gen3x8", PROFILES_DIR).value();
    profile.hop.latency = pcie::nanoseconds(230);
    profile.cpu.line_interval = pcie::nanoseconds(30);
    std::vector<const Case*> cases;
    for (Case& one : calibration->cases) {
        const std::vector<double> model = evaluate(one, profile);
        for (std::size_t i = 0; i < model.size(); ++i) one.points[i].value = model[i];
        cases.push_back(&one);
    }
    profile.hop.latency = profile.cpu.line_interval = 0;
    const std::vector<FreeParameter> free = {{"hop.latency", 50, 500, ""}, {"cpu.line-interval", 15, 60, ""}};
    unsigned told = 0;
    const Fit fit = fit_profile(profile, free, cases, [&](unsigned) { ++told; });
    EXPECT_NEAR(fit.values[0], 230, 3);
    EXPECT_NEAR(fit.values[1], 30, 0.5);
    EXPECT_LT(fit.after, 0.1);
    EXPECT_GT(fit.before, 100);
    EXPECT_EQ(told, fit.evaluations);
    EXPECT_LE(fit.evaluations, most_evaluations(2));
    EXPECT_EQ(fit.profile.hop.latency, pcie::nanoseconds(static_cast<std::uint64_t>(fit.values[0])));
    EXPECT_EQ(fit_profile(profile, free, cases, [](unsigned) {}).values, fit.values);
}

TEST(Fit, DoesNotBendToDeclaredMisfits) {
    const auto calibration = parse_calibration(
        "cases:\n"
        "  - {case: latency, kind: run, conditions: c, source: s, unit: ns, profile: p, tolerance: {percent: "
        "5},\n"
        "     points: [{size: 64, published: 1, misfit: not modelled}]}\n",
        "x.yaml");
    ASSERT_TRUE(calibration) << calibration.error().message;
    const pcie::Profile profile = pcie::load_profile("pxh810-gen3x8", PROFILES_DIR).value();
    EXPECT_EQ(misses(profile, {&calibration->cases[0]}), 0);
    const auto rows = check(*calibration, {{"p", profile}}, "", [](double, const std::string&) {});
    ASSERT_EQ(rows.size(), 1U);
    EXPECT_EQ(rows[0].verdict, Row::Verdict::misfit);
    EXPECT_TRUE(passes(rows));
}

}  // namespace
}  // namespace ntblab::sim
