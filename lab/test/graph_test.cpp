// SPDX-License-Identifier: MIT
#include "graph.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace ntblab::lab {
namespace {

using testing::HasSubstr;

topology::Topology parse(const std::string& text) {
    return topology::parse("name: t\n" + text, "t.yaml").value();
}

topology::Topology pair() {
    return parse(
        "lan: true\nnodes: {a: {cpus: 2}, host-b: {link: {width: x4}}}\nswitches: {sw0: {nt-pairs: [[a, "
        "host-b]]}}\n");
}

TEST(Graph, AsciiHasALineForEachNtPair) {
    EXPECT_EQ(graph_ascii(pair()),
              "t\n"
              "  a       2 CPUs, 1G\n"
              "  host-b  1 CPU, 1G\n"
              "\n"
              "                +- sw0 (pfx-52xg4) -+\n"
              "  a --Gen4 x16--| 0 <=== NT ====> 1 |---Gen4 x4-- host-b\n"
              "                +-------------------+\n"
              "\n"
              "LAN (virtio-net): a, host-b\n");
}

TEST(Graph, AsciiNumbersOfSeveralDigitsLineUp) {
    const std::string text =
        graph_ascii(parse("nodes: {a: {}, b: {}}\nswitches: {s: {link: {width: x4}, nt-pairs: [[a, b], "
                          "{nodes: [a, b], partitions: [9, 10]}]}}\n"));
    EXPECT_THAT(text, HasSubstr("| 0  <== NT ==>  1 |"));
    EXPECT_THAT(text, HasSubstr("| 9  <== NT ==> 10 |"));
}

TEST(Graph, DotHasPartitionsInTheirSwitch) {
    const std::string text = graph_dot(pair());
    EXPECT_THAT(text, HasSubstr("subgraph \"cluster_sw0\""));
    EXPECT_THAT(text, HasSubstr("\"sw0/0\" -- \"sw0/1\" [label=\"NT\", style=bold];"));
    EXPECT_THAT(text, HasSubstr("\"a\" -- \"sw0/0\" [label=\"Gen4 x16\"];"));
    EXPECT_THAT(text, HasSubstr("\"sw0/1\" -- \"host-b\" [label=\"Gen4 x4\"];"));
    EXPECT_THAT(text, HasSubstr("\"host-b\" -- \"LAN\""));
}

TEST(Graph, MermaidHasTheSame) {
    const std::string text = graph_mermaid(pair());
    EXPECT_THAT(text, HasSubstr("n1(\"host-b<br>1 CPU, 1G\")"));
    EXPECT_THAT(text, HasSubstr("s0p0 == NT === s0p1"));
    EXPECT_THAT(text, HasSubstr("s0p1 -- \"Gen4 x4\" --- n1"));
    EXPECT_THAT(text, HasSubstr("n0 -.- lan"));
}

TEST(Graph, AManagementHostHasNoPair) {
    const topology::Topology board =
        parse("nodes: {a: {}, b: {}, m: {}}\nswitches: {s: {nt-pairs: [[a, b]], management: [m]}}\n");
    const std::string text = graph_ascii(board);
    EXPECT_THAT(text, HasSubstr("  a --Gen4 x16--| 0 <== NT ===> 1 |--Gen4 x16-- b\n"
                                "  m --Gen4 x16--| 2 management    |\n"));
    EXPECT_THAT(graph_dot(board), HasSubstr("\"m\" -- \"s/2\" [label=\"Gen4 x16\"];"));
    EXPECT_THAT(graph_dot(board), HasSubstr("\"s/2\" [label=\"partition 2\\nmanagement\"];"));
    EXPECT_THAT(graph_mermaid(board), HasSubstr("n2 -- \"Gen4 x16\" --- s0p2"));
}

}  // namespace
}  // namespace ntblab::lab
