// SPDX-License-Identifier: MIT
// A source, a link and a sink, with nothing in the other direction.
#pragma once

#include "parts.h"
#include "pcie/simulation.h"

namespace ntblab::pcie {

/// Credits as of a common switch port, and no other delays than the wire's.
inline LinkConfig plain_link(unsigned generation = 4, unsigned lanes = 16) {
    LinkConfig config;
    config.generation = generation;
    config.lanes = lanes;
    for (LinkSide& side : config.sides) side.credits = {CreditPair{64, 1024}, {64, 64}, {64, 1024}};
    return config;
}

struct Path {
    Path(const LinkConfig& config, std::uint64_t count, std::uint32_t size, Picoseconds sink_delay = 0)
        : link("link", config),
          source("source", pool, count),
          sink("sink", sink_delay),
          back("back"),
          quiet("quiet") {
        source.make = [size](Tlp& tlp, std::uint64_t) { tlp.length = size; };
        source.out.bind(link.in(0));
        link.out(0).bind(back.in);
        quiet.out.bind(link.in(1));
        link.out(1).bind(sink.in);
    }

    /// Of payload, from the first arrival to the last, in Gb/s.
    double gigabits() const {
        return 8000.0 * static_cast<double>(sink.bytes) * static_cast<double>(sink.tlps - 1) /
               static_cast<double>(sink.tlps) / static_cast<double>(sink.last - sink.first);
    }

    TlpPool pool;
    Link link;
    Source source;
    Sink sink, back;
    Silence quiet;
};

}  // namespace ntblab::pcie
