// SPDX-License-Identifier: MIT
// Profiles and topologies that cannot be: each is answered with its place, what was found, what was expected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "pcie/profile.h"

namespace ntblab::pcie {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

struct Wrong {
    const char* name;
    std::string text;
    const char* place;  ///< How the message begins,
    const char* says;   ///< and what is in it.
};

void PrintTo(const Wrong& wrong, std::ostream* out) {
    *out << wrong.name;
}

/// One parameter.
std::string with(const std::string& parameter, const std::string& value) {
    return "parameters:\n  " + parameter + ": {value: " + value + ", status: assumed, source: x}\n";
}

/// Over the profile that has all, whose parameters are in range and go together.
std::string over_generic(const std::string& parameter, const std::string& value) {
    return "base: generic\n" + with(parameter, value);
}

class WrongProfile : public testing::TestWithParam<Wrong> {};

TEST_P(WrongProfile, IsAnErrorWithItsPlace) {
    const auto profile = parse_profile(GetParam().text, "x.yaml", PROFILES_DIR);
    ASSERT_FALSE(profile);
    EXPECT_THAT(profile.error().message, StartsWith(GetParam().place));
    EXPECT_THAT(profile.error().message, HasSubstr(GetParam().says));
}

INSTANTIATE_TEST_SUITE_P(
    All, WrongProfile,
    testing::Values(
        // form
        Wrong{"NotYaml", "a: [", "x.yaml:1:", "not YAML"},
        Wrong{"AList", "[]", "x.yaml:1:1: ", "a profile is a list; expected"},
        Wrong{"UnknownKey", "base: generic\nparametres: {}", "x.yaml:2:1: ", "did you mean 'parameters'?"},
        Wrong{"RepeatedKey", "fabric: switched\nfabric: adapters", "x.yaml:2:1: ", "fabric"},
        Wrong{"UnknownParameter", with("host.inggress", "1"),
              "x.yaml:2:3: ", "unknown key 'host.inggress' in parameters; did you mean 'host.ingress'?"},
        Wrong{"RepeatedParameter",
              with("host.read", "1") + "  host.read: {value: 2, status: assumed, source: x}\n",
              "x.yaml:3:3: ", "host.read"},
        Wrong{"BareParameter", "parameters: {host.read: 5}",
              "x.yaml:1:25: ", "parameter host.read is the number 5"},
        Wrong{"NoStatus", "parameters: {host.read: {value: 1, source: x}}",
              "x.yaml:1:14: ", "lacks one of value, status and source"},
        Wrong{"WrongStatus", "parameters: {host.read: {value: 1, status: guessed, source: x}}",
              "x.yaml:1:44: ", "is 'guessed'; expected published, fitted or assumed"},
        Wrong{"UnknownPart", "parameters: {host.read: {value: 1, unit: ns, status: assumed, source: x}}",
              "x.yaml:1:36: ", "unknown key 'unit'"},
        Wrong{"WrongFabric", "fabric: mesh", "x.yaml:1:9: ", "fabric is 'mesh'; expected switched"},
        Wrong{"TagsOfGen3",
              "base: generic\nparameters:\n  link.generation: {value: 3, status: assumed, source: x}\n"
              "  dma.tags: {value: 257, status: assumed, source: x}\n",
              "x.yaml:4:21: ", "dma.tags is 257, but tags of Gen3 (link.generation) are at most 256"},
        Wrong{"TagsOfGen4", over_generic("dma.tags", "1025"),
              "x.yaml:3:21: ", "dma.tags is 1025, but tags of Gen4 (link.generation) are at most 1024"},
        Wrong{"TagsOfNone", over_generic("dma.tags", "16385"), "x.yaml:3:21: ", "expected 1 to 16384"},
        // bases
        Wrong{"UnknownBase", "base: nothing", "x.yaml:1:7: ", "base 'nothing': "},
        Wrong{"BaseThatIsAList", "base: [generic]", "x.yaml:1:7: ", "base is a list"},
        // values
        Wrong{"Generation7", with("link.generation", "7"),
              "x.yaml:2:28: ", "parameter link.generation is 7; expected 1 to 6"},
        Wrong{"Generation0", with("link.generation", "0"), "x.yaml:2:28: ", "is 0; expected 1 to 6"},
        Wrong{"GenerationAndAHalf", with("link.generation", "3.5"),
              "x.yaml:2:28: ", "is 3.5; expected a whole number"},
        Wrong{"ThreeLanes", with("link.lanes", "3"),
              "x.yaml:2:23: ", "is 3; expected a power of two, such as 2"},
        Wrong{"ThirtyTwoLanes", with("link.lanes", "32"), "x.yaml:2:23: ", "is 32; expected 1 to 16"},
        Wrong{"MpsOf64", with("link.mps", "64"), "x.yaml:2:21: ", "(bytes) is 64; expected 128 to 4096"},
        Wrong{"MpsOf300", with("link.mps", "300"),
              "x.yaml:2:21: ", "is 300; expected a power of two, such as 256"},
        Wrong{"MpsOf8192", with("link.mps", "8192"), "x.yaml:2:21: ", "is 8192; expected 128 to 4096"},
        Wrong{"MrrsOf8192", with("link.mrrs", "8192"), "x.yaml:2:22: ", "is 8192; expected 128 to 4096"},
        Wrong{"MrrsOf600", with("link.mrrs", "600"), "x.yaml:2:22: ", "expected a power of two, such as 512"},
        Wrong{"RcbOf96", with("host.rcb", "96"),
              "x.yaml:2:21: ", "is 96; expected a power of two, such as 64"},
        Wrong{"NoHeaderCredits", with("host.posted-headers", "0"),
              "x.yaml:2:32: ", "is 0; expected 1 to 4096"},
        Wrong{"NoDataCredits", with("fabric.completion-data", "0"),
              "x.yaml:2:35: ", "is 0; expected 1 to 65535"},
        Wrong{"HalfACredit", with("host.non-posted-headers", "1.5"),
              "x.yaml:2:36: ", "expected a whole number"},
        Wrong{"NegativeCredits", with("host.posted-data", "-1"),
              "x.yaml:2:29: ", "is -1; expected 1 to 65535"},
        Wrong{"InfiniteLatency", with("host.read", "infinite"),
              "x.yaml:2:22: ", "expected a number from 0 to 10000"},
        Wrong{"TextForANumber", with("host.read", "fast"),
              "x.yaml:2:22: ", "expected a number from 0 to 10000"},
        Wrong{"NotANumber", with("host.read", ".nan"), "x.yaml:2:22: ", "expected"},
        Wrong{"NoTags", with("dma.tags", "0"), "x.yaml:2:21: ", "is 0; expected 1 to 16384"},
        Wrong{"ErrorRateOf1", with("link.bit-error-rate", "1"), "x.yaml:2:32: ", "expected 0 to 0.001"},
        Wrong{"NegativeCable", with("cable.metres", "-2"), "x.yaml:2:25: ", "(m) is -2; expected 0 to 1000"},
        Wrong{"PageOf5000", with("iommu.page", "5000"),
              "x.yaml:2:23: ", "expected a power of two, such as 4096"},
        Wrong{"LineOf96", with("cpu.line", "96"), "x.yaml:2:21: ", "expected a power of two, such as 64"},
        // weights
        Wrong{"WeightOf0", with("hop.host-weight", "0"), "x.yaml:2:28: ", "is 0; expected 1 to 255"},
        Wrong{"PortWeightOf0", "port-weights: [1, 0]",
              "x.yaml:1:19: ", "a port's weight is 0; expected 1 to 255"},
        Wrong{"ACycle", "port-weights: &x [*x]", "x.yaml:1:", "a port's weight is a list"},
        Wrong{"NoPortWeights", "port-weights: []", "x.yaml:1:15: ", "port-weights"},
        Wrong{"PortWeightsOfNoList", "port-weights: 3", "x.yaml:1:15: ", "port-weights is the number 3"},
        // together
        Wrong{"MpsAboveTheHosts", over_generic("link.mps", "1024"), "x.yaml:3:21: ",
              "link.mps is 1024, more than host.max-payload, 512; lower the one or raise the other"},
        Wrong{"PortBelowTheMps", over_generic("fabric.max-payload", "128"),
              "x.yaml:3:31: ", "link.mps is 256, more than fabric.max-payload, 128"},
        Wrong{"CreditsForHalfATlp", over_generic("host.posted-data", "8"), "x.yaml:3:29: ",
              "host.posted-data is 8, but a TLP of link.mps, 256, needs 16 credits of 16 bytes"},
        Wrong{"CompletionCreditsForHalfATlp", over_generic("fabric.completion-data", "15"),
              "x.yaml:3:35: ", "fabric.completion-data is 15, but a TLP of link.mps, 256, needs 16"},
        Wrong{"ReplayBufferForLessThanATlp", over_generic("fabric.replay-buffer", "256"),
              "x.yaml:3:33: ", "fabric.replay-buffer is 256, but a TLP of link.mps, 256, has 280 bytes"},
        Wrong{"LineAboveTheMps",
              "base: generic\nparameters:\n"
              "  cpu.line: {value: 256, status: assumed, source: x}\n"
              "  link.mps: {value: 128, status: assumed, source: x}\n",
              "x.yaml:3:21: ", "cpu.line is 256, but one TLP carries it, of at most link.mps, 128"},
        Wrong{"DescriptorAboveTheMrrs", over_generic("dma.descriptor", "1024"),
              "x.yaml:3:27: ", "dma.descriptor is 1024, but one TLP carries it, of at most link.mrrs, 512"},
        Wrong{"CompletionEntryAboveTheMps", over_generic("dma.completion", "512"),
              "x.yaml:3:27: ", "dma.completion is 512, but one TLP carries it, of at most link.mps, 256"}),
    [](const auto& wrong) { return wrong.param.name; });

TEST(WrongProfiles, AllFaultsAreTold) {
    const auto profile = parse_profile(
        with("host.read", "-1") + "  link.lanes: {value: 3, status: x, source: x}\n", "x.yaml", PROFILES_DIR);
    ASSERT_FALSE(profile);
    EXPECT_THAT(profile.error().message, HasSubstr("x.yaml:2:"));
    EXPECT_THAT(profile.error().message, HasSubstr("x.yaml:3:23: "));
    EXPECT_THAT(profile.error().message, HasSubstr("x.yaml:3:34: "));
}

class ProfileFiles : public testing::Test {
  protected:
    ProfileFiles() : directory_(std::filesystem::path(testing::TempDir()) / "ntblab-profiles") {
        std::filesystem::remove_all(directory_);
        std::filesystem::create_directory(directory_);
    }
    ~ProfileFiles() override { std::filesystem::remove_all(directory_); }

    void write(const std::string& name, const std::string& text) {
        std::ofstream(directory_ / (name + ".yaml")) << text;
    }
    std::string error_of(const std::string& name) {
        const auto profile = load_profile(name, directory_.string());
        return profile ? "" : profile.error().message;
    }
    std::string path(const std::string& name) { return (directory_ / (name + ".yaml")).string(); }

  private:
    std::filesystem::path directory_;
};

TEST_F(ProfileFiles, OnesOwnBase) {
    write("own", "base: own\n");
    EXPECT_THAT(error_of("own"), StartsWith(path("own") + ":1:7: base 'own' leads back to itself: "));
}

TEST_F(ProfileFiles, ALoopOfBases) {
    write("one", "base: two\n");
    write("two", "description: x\nbase: three\n");
    write("three", "base: one\n");
    const std::string message = error_of("one");
    EXPECT_THAT(message, StartsWith(path("one") + ":1:7: base 'two' is not right:"));
    EXPECT_THAT(message, HasSubstr(path("two") + ":2:7: base 'three' is not right:"));
    EXPECT_THAT(message, HasSubstr(path("three") + ":1:7: base 'one' leads back to itself: "));
}

TEST_F(ProfileFiles, AManyStoreyedBaseIsNoLoop) {
    write("s0", "description: ground\n");
    for (int i = 1; i < 12; ++i) write("s" + std::to_string(i), "base: s" + std::to_string(i - 1) + "\n");
    EXPECT_EQ(error_of("s11"), "");
}

TEST_F(ProfileFiles, AConflictWithWhatTheBaseSaysIsOfThisFile) {
    write("base", with("host.max-payload", "128"));
    write("small", "base: base\n" + with("link.mps", "256"));
    EXPECT_THAT(error_of("small"),
                StartsWith(path("small") + ":3:21: link.mps is 256, more than host.max-payload"));
    write("heir", "description: x\nbase: base\n");  // the default MPS is 256, too
    EXPECT_THAT(error_of("heir"), StartsWith(path("heir") + ":2:7: "));
}

}  // namespace
}  // namespace ntblab::pcie
