// SPDX-License-Identifier: MIT
// What tests and benchmarks put at the ends of a path.
#pragma once

#include <functional>

#include "pcie/link.h"

namespace ntblab::pcie {

/// Sends TLPs as fast as their buffers are released: `window` of them are on the way from here to the link.
class Source : public sc_core::sc_module, private TlpSender {
  public:
    using Make = std::function<void(Tlp& tlp, std::uint64_t number)>;

    Source(sc_core::sc_module_name name, TlpPool& pool, std::uint64_t count, unsigned window = 4)
        : sc_module(name), pool_(pool), count_(count), window_(window) {
        SC_HAS_PROCESS(Source);
        SC_METHOD(begin);
    }

    TlpInitiator out{"out", *this, 0};
    Make make = [](Tlp& tlp, std::uint64_t) { tlp.length = 256; };
    TlpType type = TlpType::memory_write;
    std::uint64_t sent = 0;

  private:
    void begin() {
        for (unsigned i = 0; i < window_; ++i) next(now());
    }
    void released(unsigned, Tlp&, Picoseconds at) override { next(at); }
    void next(Picoseconds at) {
        if (sent == count_) return;
        Tlp& tlp = pool_.make(type);
        make(tlp, sent++);
        tlp.created = at;
        tlp.ready = tlp.head = tlp.tail = at;
        out.send(tlp);
    }

    TlpPool& pool_;
    std::uint64_t count_;
    unsigned window_;
};

/// Takes all that comes, and frees its buffer `delay` later.
class Sink : public sc_core::sc_module, private TlpReceiver {
  public:
    explicit Sink(sc_core::sc_module_name name, Picoseconds delay = 0) : sc_module(name), delay_(delay) {}

    TlpTarget in{"in", *this, 0};
    std::function<void(const Tlp& tlp)> look = [](const Tlp&) {};
    std::uint64_t tlps = 0, bytes = 0;
    Picoseconds first = 0, last = 0;  ///< Arrivals.

  private:
    void receive(unsigned, Tlp& tlp) override {
        if (tlps++ == 0) first = tlp.tail;
        last = tlp.tail;
        bytes += payload_bytes(tlp);
        look(tlp);
        in.release(tlp, tlp.tail + delay_);
        tlp.release();
    }

    Picoseconds delay_;
};

/// Sends nothing.
class Silence : public sc_core::sc_module, private TlpSender {
  public:
    explicit Silence(sc_core::sc_module_name name) : sc_module(name) {}
    TlpInitiator out{"out", *this, 0};

  private:
    void released(unsigned, Tlp&, Picoseconds) override {}
};

}  // namespace ntblab::pcie
