// SPDX-License-Identifier: MIT
// The checker itself: each rule, by a violation that is made up.
#include "pcie/checker.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "path.h"

namespace ntblab::pcie {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

class LinkRulesTest : public testing::Test {
  protected:
    Tlp& make(TlpType type, std::uint16_t tag = 0) {
        Tlp& tlp = pool.make(type);
        tlp.length = 64;
        tlp.remaining = 64;
        tlp.tag = tag;
        return tlp;
    }
    Tlp& sent(TlpType type, std::uint16_t tag = 0, unsigned side = 0) {
        Tlp& tlp = make(type, tag);
        rules.sent(side, tlp);
        return tlp;
    }
    void passes(Tlp& tlp, unsigned side = 0) {
        rules.delivered(side, tlp, time);
        rules.released(side, tlp, time);
    }

    TlpPool pool;
    Picoseconds time = 1;
    LinkRules rules{{CreditLimits{CreditPair{2, 8}, {2, 8}, {2, 8}}, CreditLimits{}}, 256};
};

TEST_F(LinkRulesTest, WhatIsInOrderIsNoViolation) {
    Tlp& write = sent(TlpType::memory_write);
    Tlp& read = sent(TlpType::memory_read, 5);
    EXPECT_FALSE(rules.at_rest());
    passes(write);
    passes(read);
    Tlp& completion = sent(TlpType::completion, 5, 1);
    passes(completion, 1);
    passes(sent(TlpType::memory_read, 5));
    EXPECT_FALSE(rules.at_rest());
    passes(sent(TlpType::completion, 5, 1), 1);
    EXPECT_THAT(rules.violations(), IsEmpty());
    EXPECT_TRUE(rules.at_rest());
}

TEST_F(LinkRulesTest, NobodyHasSentIt) {
    passes(make(TlpType::memory_write));
    EXPECT_THAT(rules.violations(), ElementsAre(HasSubstr("it was not sent, or has been delivered before")));
}

TEST_F(LinkRulesTest, DeliveredTwice) {
    Tlp& write = sent(TlpType::memory_write);
    passes(write);
    passes(write);
    EXPECT_THAT(rules.violations(), ElementsAre(HasSubstr("has been delivered before")));
}

TEST_F(LinkRulesTest, Lost) {
    sent(TlpType::memory_write);
    EXPECT_FALSE(rules.at_rest());
}

TEST_F(LinkRulesTest, Changed) {
    Tlp& write = sent(TlpType::memory_write);
    write.length = 32;
    passes(write);
    EXPECT_THAT(rules.violations(), ElementsAre(HasSubstr("it was sent with 64 bytes")));
}

TEST_F(LinkRulesTest, OneOfItsClassIsPassed) {
    Tlp& first = sent(TlpType::memory_write);
    passes(sent(TlpType::memory_write));
    passes(first);
    EXPECT_THAT(rules.violations(), ElementsAre(HasSubstr("it has passed one of its class")));
}

TEST_F(LinkRulesTest, AReadPassesAWrite) {
    const Tlp& write = sent(TlpType::memory_write);
    passes(sent(TlpType::memory_read));
    EXPECT_THAT(rules.violations(),
                ElementsAre(HasSubstr("it has passed the posted TLP " + std::to_string(write.serial))));
}

TEST_F(LinkRulesTest, OnlyARelaxedCompletionMayPassAWrite) {
    passes(sent(TlpType::memory_read, 1, 1), 1);
    passes(sent(TlpType::memory_read, 2, 1), 1);
    sent(TlpType::memory_write);
    Tlp& relaxed = make(TlpType::completion, 1);
    relaxed.relaxed_ordering = true;
    rules.sent(0, relaxed);
    passes(relaxed);
    EXPECT_THAT(rules.violations(), IsEmpty());
    passes(sent(TlpType::completion, 2));
    EXPECT_THAT(rules.violations(), ElementsAre(HasSubstr("it has passed the posted TLP")));
}

TEST_F(LinkRulesTest, EarlierThanOneBefore) {
    Tlp& first = sent(TlpType::memory_write);
    Tlp& second = sent(TlpType::memory_write);
    time = 10;
    passes(first);
    time = 9;
    passes(second);
    EXPECT_THAT(rules.violations(),
                ElementsAre(HasSubstr("it arrives before one that was delivered before it")));
}

TEST_F(LinkRulesTest, MoreTlpsThanHeaderCredits) {
    for (int i = 0; i < 3; ++i) rules.delivered(0, sent(TlpType::memory_write), time);
    EXPECT_THAT(rules.violations(), testing::Contains(HasSubstr("3 TLPs are in a buffer for 2")));
}

TEST_F(LinkRulesTest, MoreDataThanCredits) {
    Tlp& write = make(TlpType::memory_write);
    write.length = 144;
    rules.sent(0, write);
    rules.delivered(0, write, time);
    EXPECT_THAT(rules.violations(), ElementsAre(HasSubstr("9 data credits are used of 8")));
}

TEST_F(LinkRulesTest, ReleasesDoNotCountBeforeTheirTime) {
    for (int i = 0; i < 2; ++i) {
        Tlp& write = sent(TlpType::memory_write);
        rules.delivered(0, write, 1);
        rules.released(0, write, 100);
    }
    rules.delivered(0, sent(TlpType::memory_write), 99);
    EXPECT_THAT(rules.violations(), testing::Contains(HasSubstr("3 TLPs are in a buffer for 2")));
}

TEST_F(LinkRulesTest, ReleasesCountFromTheirTimeOn) {
    for (int i = 0; i < 2; ++i) {
        Tlp& write = sent(TlpType::memory_write);
        rules.delivered(0, write, 1);
        rules.released(0, write, 100);
    }
    rules.delivered(0, sent(TlpType::memory_write), 100);
    EXPECT_THAT(rules.violations(), IsEmpty());
}

TEST_F(LinkRulesTest, ATagInUse) {
    sent(TlpType::memory_read, 7);
    sent(TlpType::memory_read, 7);
    EXPECT_THAT(rules.violations(), ElementsAre(HasSubstr("tag 7): its tag is in use")));
}

TEST_F(LinkRulesTest, ATlpAboveTheMps) {
    Tlp& write = make(TlpType::memory_write);
    write.length = 260;
    rules.sent(0, write);
    EXPECT_THAT(rules.violations(), ElementsAre(HasSubstr("260 bytes of data are more than the MPS, 256")));
}

TEST_F(LinkRulesTest, ARequestAcrossAPage) {
    for (const TlpType type : {TlpType::memory_write, TlpType::memory_read}) {
        Tlp& request = make(type);
        request.address = 0x1ffc;
        rules.sent(0, request);
    }
    EXPECT_THAT(rules.violations(), testing::Each(HasSubstr("it crosses a boundary of 4 KiB")));
    EXPECT_EQ(rules.violations().size(), 2U);
}

TEST_F(LinkRulesTest, ACompletionWithMoreThanIsToCome) {
    passes(sent(TlpType::memory_read, 7, 1), 1);
    Tlp& completion = make(TlpType::completion, 7);
    completion.remaining = completion.length = 128;
    rules.sent(0, completion);
    EXPECT_THAT(rules.violations(),
                ElementsAre(HasSubstr("its byte count is 128, and 64 bytes are to come")));
}

TEST_F(LinkRulesTest, AReadThatIsNotAnswered) {
    passes(sent(TlpType::memory_read, 7));
    EXPECT_FALSE(rules.at_rest());
    EXPECT_THAT(rules.violations(), IsEmpty());
}

TEST_F(LinkRulesTest, ACompletionThatNobodyAskedFor) {
    sent(TlpType::completion, 7, 1);
    EXPECT_THAT(rules.violations(), ElementsAre(HasSubstr("no read of this tag waits for it")));
}

/// A checker around a link, whose source sends `count` TLPs that `make` has made.
std::vector<std::string> violations_of(const LinkConfig& told, TlpType type, const Source::Make& make) {
    Simulation simulation;
    TlpPool pool;
    Link link("link", plain_link());
    ProtocolChecker checker("checker", link, told);
    Source source("source", pool, 100);
    Sink sink("sink", nanoseconds(1000)), back("back");
    Silence quiet("quiet");
    source.type = type;
    source.make = make;
    source.out.bind(checker.in(0));
    checker.out(0).bind(back.in);
    quiet.out.bind(checker.in(1));
    checker.out(1).bind(sink.in);
    simulation.run();
    EXPECT_EQ(sink.tlps, 100U);
    return checker.violations();
}

TEST(ProtocolChecker, SeesNothingWrongAtARightLink) {
    const auto writes = [](Tlp& tlp, std::uint64_t) { tlp.length = 256; };
    EXPECT_THAT(violations_of(plain_link(), TlpType::memory_write, writes), IsEmpty());
}

TEST(ProtocolChecker, SeesThatMoreIsBufferedThanItsReceiverHasRoomFor) {
    LinkConfig told = plain_link();
    told.sides[1].credits[index_of(FlowClass::posted)].header = 8;
    const auto writes = [](Tlp& tlp, std::uint64_t) { tlp.length = 256; };
    EXPECT_THAT(violations_of(told, TlpType::memory_write, writes),
                testing::Contains(HasSubstr("9 TLPs are in a buffer for 8")));
}

TEST(ProtocolChecker, SeesADeviceThatUsesATagTwice) {
    const auto reads = [](Tlp& tlp, std::uint64_t number) {
        tlp.length = 64;
        tlp.tag = static_cast<std::uint16_t>(number % 99);
    };
    EXPECT_THAT(violations_of(plain_link(), TlpType::memory_read, reads),
                ElementsAre(HasSubstr("tag 0): its tag is in use")));
}

TEST(ProtocolChecker, SeesADeviceThatExceedsTheMps) {
    const auto writes = [](Tlp& tlp, std::uint64_t number) { tlp.length = number == 50 ? 512 : 256; };
    EXPECT_THAT(violations_of(plain_link(), TlpType::memory_write, writes),
                ElementsAre(HasSubstr("512 bytes of data are more than the MPS, 256")));
}

}  // namespace
}  // namespace ntblab::pcie
