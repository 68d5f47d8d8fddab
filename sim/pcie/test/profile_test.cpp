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

TEST(Profiles, UnknownOnesAreAnswered) {
    const auto profile = load_profile("switchtec-gen4", PROFILES_DIR);
    ASSERT_FALSE(profile);
    EXPECT_THAT(profile.error().message, HasSubstr("did you mean 'switchtec-gen4x16'?"));
    EXPECT_FALSE(load_profile("./none.yaml", PROFILES_DIR));
}

}  // namespace
}  // namespace ntblab::pcie
