// SPDX-License-Identifier: MIT
// Every error says where, what was found, what was expected.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "topology/topology.h"

namespace ntblab::topology {
namespace {

using testing::HasSubstr;

std::string bad(const std::string& text) {
    const auto result = parse(text, "t.yaml");
    EXPECT_FALSE(result) << text;
    return result ? "" : result.error().message;
}

std::string in_node(const std::string& fields) {
    return bad("name: p\nnodes:\n  a: {" + fields + "}\n");
}

TEST(Errors, NameTheirPlace) {
    EXPECT_EQ(bad("name: p\nnodes:\n  a:\n    cpus: 0\n"),
              "t.yaml:4:11: cpus of node 'a' is 0; expected 1 to 64");
}

TEST(Errors, AreAllReported) {
    EXPECT_EQ(bad("name: p\nlan: 7\nnodes:\n  a: {cpus: 99}\n"),
              "t.yaml:2:6: 'lan' is the number 7; expected true or false\n"
              "t.yaml:4:13: cpus of node 'a' is 99; expected 1 to 64");
}

TEST(Errors, OfFormAndOfMeaningAreReportedTogetherInTheOrderOfTheFile) {
    EXPECT_EQ(
        bad("name: p\nnodes:\n  a: {}\n  b: {cpus: 0}\nswitches:\n  s:\n    nt-pairs: [[a, c], [a, b]]\n    "
            "vectors: 2\n"),
        "t.yaml:4:13: cpus of node 'b' is 0; expected 1 to 64\n"
        "t.yaml:7:20: an NT pair of switch 's' names the unknown node 'c'; add it to 'nodes'\n"
        "t.yaml:8:14: vectors of switch 's' is 2; expected 4 to 32");
}

TEST(Errors, HaveNoConsequences) {
    // What refers to something unreadable, or sums over it, is not wrong for that.
    EXPECT_EQ(
        bad("name: p\nnodes: {A: {}, b: {}}\nswitches: {s: {nt-pairs: [[a, b]]}}\n"),
        "t.yaml:2:9: 'A' cannot name a node; use lower-case letters, digits and inner hyphens, at most 32 "
        "characters");
    EXPECT_EQ(
        bad("name: p\nnodes: {a: {}, b: {}}\nswitches: {s: {model: pfx-28xg4, link: {width: x3}, nt-pairs: "
            "[[a, b]]}}\n"),
        "t.yaml:3:48: link width of switch 's' is the text 'x3'; expected x1, x2, x4, x8 or x16");
    EXPECT_EQ(
        bad("name: p\nnodes: {a: {}, b: {}}\nswitches: {s: {nt-pairs: [{nodes: [a, b], partitions: [0, 48]}, "
            "[a, b]]}}\n"),
        "t.yaml:3:59: a partition of nt-pairs[0] of switch 's' is 48; expected 0 to 47");
}

TEST(Errors, AGuestsNameForItselfNamesNoNode) {
    EXPECT_EQ(
        bad("name: p\nnodes: {localhost: {}}\n"),
        "t.yaml:2:9: a node cannot be named 'localhost', which is every guest's name for itself; choose "
        "another");
}

TEST(Errors, AnUnknownKeyHasASuggestion) {
    EXPECT_EQ(in_node("cpu: 1"), "t.yaml:3:7: unknown key 'cpu' in node 'a'; did you mean 'cpus'?");
    EXPECT_THAT(in_node("Memory: 1G"), HasSubstr("did you mean 'memory'?"));
    EXPECT_THAT(in_node("windows: {lut_entries: 4}"), HasSubstr("did you mean 'lut-entries'?"));
    EXPECT_THAT(in_node("xyz: 1"), HasSubstr("expected one of cpus, memory, "));
}

TEST(Errors, AWrongTypeIsDescribed) {
    EXPECT_THAT(in_node("cpus: many"), HasSubstr("is the text 'many'; expected a whole number from 1 to 64"));
    EXPECT_THAT(in_node("cpus: [1]"), HasSubstr("is a list; expected"));
    EXPECT_THAT(in_node("cpus: \"1\""), HasSubstr("is the text '1'; expected"));
    EXPECT_THAT(in_node("cpus: 99999999999999999999999"), HasSubstr("expected 1 to 64"));
    EXPECT_THAT(in_node("modules: ntb"), HasSubstr("is the text 'ntb'; expected a list"));
    EXPECT_THAT(bad("name: 12\nnodes: {a: {}}\n"), HasSubstr("'name' is the number 12; expected text"));
    EXPECT_THAT(bad("name: p\nnodes: [a, b]\n"), HasSubstr("'nodes' is a list; expected a mapping"));
    EXPECT_THAT(bad("just text\n"),
                HasSubstr("t.yaml:1:1: the topology is the text 'just text'; expected a mapping"));
    EXPECT_THAT(bad("name: p\nlan: yes\nnodes: {a: {}}\n"), HasSubstr("expected true or false"));
}

TEST(Errors, SizesAreExplained) {
    EXPECT_THAT(in_node("memory: 64MB"), HasSubstr("expected a size: digits with an optional K, M, G or T"));
    EXPECT_THAT(in_node("memory: 64M"), HasSubstr("expected 128M to 1T"));
    EXPECT_THAT(in_node("memory: 999999999999999T"), HasSubstr("more than 64 bits"));
    EXPECT_THAT(in_node("memory: -1"), HasSubstr("expected a size"));
    EXPECT_THAT(in_node("windows: {bar2: 100M}"), HasSubstr("a BAR's size is a power of two, such as 64M"));
    EXPECT_THAT(in_node("windows: {bar2: 4K}"), HasSubstr("expected 64K to 256G, or 0 for none"));
}

TEST(Errors, LinksAreExplained) {
    EXPECT_THAT(in_node("link: {width: x3}"), HasSubstr("is the text 'x3'; expected x1, x2, x4, x8 or x16"));
    EXPECT_THAT(in_node("link: {width: \"16\"}"), HasSubstr("expected x1, x2, x4, x8 or x16"));
    EXPECT_THAT(in_node("link: {generation: 6}"), HasSubstr("expected 1 to 5"));
}

TEST(Errors, DuplicatesAreRefused) {
    EXPECT_EQ(bad("name: p\nnodes:\n  a: {}\n  a: {}\n"),
              "t.yaml:4:3: 'a' is given twice in 'nodes'; the first is at line 3: keep one of them");
    EXPECT_THAT(bad("name: p\nname: q\nnodes: {a: {}}\n"),
                HasSubstr("'name' is given twice in the topology"));
}

TEST(Errors, PairsNameTwoKnownNodes) {
    const std::string head = "name: p\nnodes: {host-a: {}, host-b: {}}\nswitches:\n  s:\n    nt-pairs: [";
    EXPECT_EQ(
        bad(head + "[host-a, host-c]]\n"),
        "t.yaml:5:25: an NT pair of switch 's' names the unknown node 'host-c'; did you mean 'host-a'?");
    EXPECT_THAT(bad(head + "[host-a, host-a]]\n"), HasSubstr("joins 'host-a' to itself"));
    EXPECT_THAT(bad(head + "[host-a]]\n"), HasSubstr("has 1 items; expected a list of 2 items"));
    EXPECT_THAT(bad(head + "{partitions: [0, 1]}]\n"), HasSubstr("has no 'nodes'"));
    EXPECT_THAT(bad("name: p\nnodes: {a: {}}\nswitches: {s: {}}\n"), HasSubstr("has no 'nt-pairs'"));
}

TEST(Errors, NamesAreHostNames) {
    for (const char* name : {"A", "a_b", "-a", "a-", "a.b", "\"\"", "abcdefghijklmnopqrstuvwxyz0123456"})
        EXPECT_THAT(bad("name: p\nnodes: {" + std::string(name) + ": {}}\n"), HasSubstr("cannot name a node"))
            << name;
}

TEST(Errors, WhatIsNoYamlIsShownWhere) {
    EXPECT_THAT(bad("name: p\nnodes:\n\ta: {}\n"), HasSubstr("this line begins with a tab"));
    EXPECT_THAT(bad("name: [p\n"), HasSubstr("t.yaml:2:1: not YAML"));
    EXPECT_THAT(bad("name: *nowhere\n"), HasSubstr("not YAML"));
    EXPECT_THAT(bad(std::string(2000, '[')), HasSubstr("not YAML"));
    EXPECT_THAT(bad("name: p\nnodes: {a: {}}\n---\nname: q\n"), HasSubstr("a second YAML document"));
}

TEST(Errors, ACycleIsNoLoop) {
    EXPECT_THAT(bad("name: p\nnodes: &n\n  a: *n\n"), HasSubstr("unknown key 'a' in node 'a'"));
}

TEST(Errors, AnEmptyFileIsNamedSo) {
    EXPECT_EQ(bad(""), "t.yaml:1:1: the file is empty; expected a topology (name, nodes, switches)");
    EXPECT_THAT(bad("# nothing\n"), HasSubstr("the file is empty"));
}

TEST(Errors, FilesThatCannotBeRead) {
    EXPECT_THAT(load("/nonexistent.yaml").error().message, HasSubstr("/nonexistent.yaml: No such file"));
    EXPECT_THAT(load("/").error().message, HasSubstr("/: is a directory"));
    EXPECT_THAT(load("/dev/zero").error().message, HasSubstr("is larger than 1M"));
    EXPECT_THAT(load("/dev/null").error().message, HasSubstr("the file is empty"));
}

}  // namespace
}  // namespace ntblab::topology
