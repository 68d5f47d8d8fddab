// SPDX-License-Identifier: MIT
#include "pcie/profile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <set>

namespace ntblab::pcie {
namespace {

using testing::HasSubstr;

TEST(Parameters, ReadBackWhatTheyWrite) {
    std::set<std::string_view> names;
    for (const Parameter& parameter : parameters()) {
        EXPECT_TRUE(names.insert(parameter.name).second) << parameter.name;
        Profile profile;
        for (const double value : {parameter.least, std::floor((parameter.least + parameter.most) / 2)}) {
            if (value < parameter.least) continue;
            parameter.set(profile, value);
            const double expected = parameter.most == 1 ? (value != 0 ? 1 : 0) : value;
            EXPECT_NEAR(parameter.get(profile), expected, 1e-9 + 1e-12 * expected) << parameter.name;
        }
        EXPECT_FALSE(parameter.meaning.empty());
    }
}

TEST(Profiles, ThatAreShippedGiveEveryParameterWithItsSource) {
    unsigned count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(PROFILES_DIR)) {
        const auto profile = load_profile(entry.path().stem().string(), PROFILES_DIR);
        ASSERT_TRUE(profile) << profile.error().message;
        ++count;
        EXPECT_FALSE(profile->description.empty());
        for (const Parameter& parameter : parameters()) {
            const auto source = profile->sources.find(std::string(parameter.name));
            ASSERT_NE(source, profile->sources.end()) << entry.path() << ": " << parameter.name;
            EXPECT_FALSE(source->second.source.empty()) << parameter.name;
        }
    }
    EXPECT_EQ(count, 7U);
}

TEST(Profiles, AreOverTheirBase) {
    const auto profile = load_profile("pxh810-gen3x8", PROFILES_DIR);
    ASSERT_TRUE(profile);
    EXPECT_EQ(profile->generation, 3U);
    EXPECT_EQ(profile->lanes, 8U);
    EXPECT_EQ(profile->fabric, Profile::Fabric::adapters);
    EXPECT_EQ(profile->mps, 256U);
    EXPECT_EQ(profile->host_side.credits[2].header, kInfiniteCredits);
}

struct Wrong {
    const char* text;
    const char* message;
};

class WrongProfile : public testing::TestWithParam<Wrong> {};

TEST_P(WrongProfile, IsAnErrorWithItsPlace) {
    const auto profile = parse_profile(GetParam().text, "x.yaml", PROFILES_DIR);
    ASSERT_FALSE(profile);
    EXPECT_THAT(profile.error().message, HasSubstr(GetParam().message));
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongProfile,
    testing::Values(
        Wrong{"parameters: {link.generation: {value: 7, status: assumed, source: x}}",
              "x.yaml:1:39: parameter link.generation is 7; expected 1 to 6"},
        Wrong{"parameters: {host.posted-headers: {value: 0, status: assumed, source: x}}",
              "is 0; expected 1 to 4096"},
        Wrong{"parameters: {host.read: {value: fast, status: assumed, source: x}}",
              "expected a number from 0 to 10000"},
        Wrong{"parameters:\n  host.inggress: {value: 1, status: assumed, source: x}",
              "x.yaml:2:3: unknown key 'host.inggress' in parameters; did you mean 'host.ingress'?"},
        Wrong{"parameters: {host.read: {value: 1, source: x}}", "lacks one of value, status and source"},
        Wrong{"parameters: {host.read: {value: 1, status: guessed, source: x}}",
              "is 'guessed'; expected published, fitted or assumed"},
        Wrong{"fabric: mesh", "x.yaml:1:9: fabric is 'mesh'; expected switched"},
        Wrong{"base: nothing", "base 'nothing': "}, Wrong{"parametres: {}", "parametres"},
        Wrong{"parameters: {host.read: 5}", "parameter host.read is the number 5"},
        Wrong{"a: [", "x.yaml:1:"}));

TEST(Profiles, UnknownOnesAreAnswered) {
    const auto profile = load_profile("switchtec-gen4", PROFILES_DIR);
    ASSERT_FALSE(profile);
    EXPECT_THAT(profile.error().message, HasSubstr("did you mean 'switchtec-gen4x16'?"));
    EXPECT_FALSE(load_profile("./none.yaml", PROFILES_DIR));
}

}  // namespace
}  // namespace ntblab::pcie
