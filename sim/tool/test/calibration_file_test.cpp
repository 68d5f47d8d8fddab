// SPDX-License-Identifier: MIT
#include <gmock/gmock.h>

#include <cmath>
#include <limits>

#include "calibration/calibration.h"
#include "calibration/measure.h"

namespace ntblab::sim {
namespace {

using testing::HasSubstr;

const std::string kCase =
    "cases:\n"
    "  - {case: a, kind: run, conditions: b, source: c, unit: ns, profile: p, tolerance: {percent: 5},\n"
    "     points: [{size: 4K, published: 12.5}]}\n";

TEST(CalibrationFile, SaysWhatIsPublishedAndHow) {
    const auto calibration = parse_calibration(kCase, "x.yaml");
    ASSERT_TRUE(calibration) << calibration.error().message;
    ASSERT_EQ(calibration->cases.size(), 1U);
    const Case& one = calibration->cases[0];
    EXPECT_EQ(one.kind, Case::Kind::run);
    EXPECT_EQ(one.profile, "p");
    ASSERT_EQ(one.points.size(), 1U);
    EXPECT_EQ(one.points[0].size, 4096U);
    EXPECT_EQ(one.points[0].value, 12.5);
    EXPECT_EQ(one.points[0].tolerance.kind, Tolerance::Kind::percent);
    EXPECT_EQ(one.points[0].tolerance.value, 5);
}

struct Wrong {
    const char* name;
    std::string find, replace;  ///< In the case above.
    const char* message;
};

class WrongCalibration : public testing::TestWithParam<Wrong> {};

TEST_P(WrongCalibration, IsAnErrorWithItsPlace) {
    std::string text = kCase;
    const std::size_t at = text.find(GetParam().find);
    ASSERT_NE(at, std::string::npos);
    text.replace(at, GetParam().find.size(), GetParam().replace);
    const auto calibration = parse_calibration(text, "x.yaml");
    ASSERT_FALSE(calibration);
    EXPECT_THAT(calibration.error().message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongCalibration,
    testing::Values(
        Wrong{"Kind", "kind: run", "kind: runs", "x.yaml:2:21: kind is 'runs'; did you mean 'run'?"},
        Wrong{"NoKind", "kind: run, ", "", "x.yaml:2:5: a case lacks 'kind'; expected one of line-rate"},
        Wrong{"NoProfile", "profile: p, ", "", "x.yaml:2:5: a case lacks 'profile'"},
        Wrong{"Key", "source: c", "origin: c", "unknown key 'origin' in a case"},
        Wrong{"Unit", "unit: ns", "unit: ms", "unit is 'ms'; expected ns or us of a latency"},
        Wrong{"UnitOfRate", "unit: ns", "unit: ns, measure: rate", "expected Gb/s, MB/s or GB/s of a rate"},
        Wrong{"Tolerance", "{percent: 5}", "about",
              "tolerance is 'about'; expected one of exact, at-most, band"},
        Wrong{"TwoTolerances", "{percent: 5}", "{percent: 5, absolute: 1}", "one of percent and absolute"},
        Wrong{"NoSize", "size: 4K, ", "", "x.yaml:3:15: a point of kind run lacks 'size', in bytes"},
        Wrong{"NotPublished", ", published: 12.5", "", "a point lacks 'published'"},
        Wrong{"Text", "12.5", "fast", "published is the text 'fast'"},
        Wrong{"Band", "{percent: 5}", "band", "published, of a band, is the number 12.5; expected a list"},
        Wrong{"NoPoints", "[{size: 4K, published: 12.5}]", "[]", "points"},
        Wrong{"Operation", "profile: p", "profile: p, traffic: {operation: dma-wirte}",
              "did you mean 'dma-write'?"},
        Wrong{"Steady", "profile: p", "profile: p, traffic: {in-flight: 64}",
              "64 transfers in flight and a warm-up of 5"},
        Wrong{"Parameter", "profile: p", "profile: p, parameters: {hop.latncy: 1}",
              "did you mean 'hop.latency'?"},
        Wrong{"Width", "profile: p", "profile: p, link: {width: x3}", "width is 'x3'; did you mean 'x1'?"},
        Wrong{"Fit", "cases:", "fit: {p: {dma.rate: {least: 1, most: 2}}}\ncases:",
              "lacks one of least, most and source"},
        Wrong{"Bounds", "cases:", "fit: {p: {dma.rate: {least: 2, most: 1, source: s}}}\ncases:",
              "most is 1; expected more than least, 2"},
        Wrong{"NoCases", "cases:", "fit:", "there are no cases"}),
    [](const auto& test) { return test.param.name; });

TEST(CalibrationFile, ThatIsNotThereIsAnError) {
    const auto calibration = load_calibration("/nowhere/calibration.yaml");
    ASSERT_FALSE(calibration);
    EXPECT_THAT(calibration.error().message, HasSubstr("/nowhere/calibration.yaml"));
}

Published published(const std::string& text, Tolerance tolerance) {
    Published point;
    point.text = text;
    point.value = point.most = std::stod(text);
    point.tolerance = tolerance;
    return point;
}

TEST(Tolerance, HasBothEnds) {
    const Published percent = published("100", {Tolerance::Kind::percent, 5});
    EXPECT_TRUE(within(percent, 104.9));
    EXPECT_TRUE(within(percent, 95.1));
    EXPECT_FALSE(within(percent, 105.1));
    EXPECT_FALSE(within(percent, 94.9));
    const Published absolute = published("100", {Tolerance::Kind::absolute, 20});
    EXPECT_TRUE(within(absolute, 119));
    EXPECT_FALSE(within(absolute, 79));
}

TEST(Tolerance, OfExactIsTheLastDigit) {
    const Published exact = published("63.015", {Tolerance::Kind::exact, 0});
    EXPECT_TRUE(within(exact, 63.01538));
    EXPECT_FALSE(within(exact, 63.0162));
    EXPECT_FALSE(within(published("24", {Tolerance::Kind::exact, 0}), 25));
}

TEST(Tolerance, OfABoundIsOneSidedAndOfABandTwo) {
    const Published bound = published("10", {Tolerance::Kind::at_most, 0});
    EXPECT_TRUE(within(bound, 1));
    EXPECT_FALSE(within(bound, 10));
    Published band = published("7.5", {Tolerance::Kind::band, 0});
    band.most = 10.6;
    EXPECT_TRUE(within(band, 7.6));
    EXPECT_TRUE(within(band, 10.5));
    EXPECT_FALSE(within(band, 7.4));
    EXPECT_FALSE(within(band, 10.7));
}

}  // namespace
}  // namespace ntblab::sim
