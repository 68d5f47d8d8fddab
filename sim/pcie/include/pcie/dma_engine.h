// SPDX-License-Identifier: MIT
// A DMA engine at a port of a switch, or alone at the end of a link: it reads and writes where its transfers
// say, as far as tags, issue interval and the link allow.
//
//     DmaEngine engine("dma", DmaConfig{}, pool);
//     engine.out.bind(link.in(1));  link.out(1).bind(engine.in);
//     engine.start({.kind = Transfer::Kind::copy, .source = {0, 0x1000}, .target = {1, 0x2000}, .bytes =
//     65536},
//                  [](Picoseconds done) { ... });
#pragma once

#include <deque>
#include <functional>
#include <limits>
#include <optional>
#include <vector>

#include "pcie/observer.h"
#include "pcie/root_complex.h"
#include "pcie/sockets.h"
#include "pcie/statistics.h"

namespace ntblab::pcie {

/// Of 14 bits, as Gen6 has them.
inline constexpr unsigned kMostTags = 16384;

struct DmaConfig {
    std::uint16_t requester = 0;                  ///< Its requester ID.
    unsigned mps = 256, mrrs = 512;               ///< Bytes of its writes and reads.
    Picoseconds issue_interval = nanoseconds(4);  ///< From a write to the next request,
    Picoseconds read_interval = nanoseconds(4);   ///< and from a read; both at least.
    /// Bytes in a nanosecond that pass through the engine, TLPs' headers among them.
    double rate = std::numeric_limits<double>::infinity();
    Picoseconds gap = 0;                    ///< Of what passes, after a transfer.
    unsigned tags = 64;                     ///< Reads under way.
    Picoseconds turnaround = 0;             ///< From a completion to the write of its data.
    Picoseconds start = nanoseconds(1000);  ///< From start() to the first descriptor fetch.
    unsigned descriptor = 32;  ///< Bytes that are fetched before a transfer; 0: it is handed over.
    unsigned completion = 16;  ///< Bytes of the completion entry after a transfer; 0: none.
    bool interrupt = false;    ///< A message-signalled one, after that.
};

/// A place that a port of the switch leads to. A link without a switch leads to partition 0.
struct Place {
    std::uint16_t partition = 0;
    std::uint64_t address = 0;
};

struct Transfer {
    enum class Kind : std::uint8_t { read, write, copy };
    Kind kind = Kind::copy;
    Place source{};            ///< Of read and copy.
    Place target{};            ///< Of write and copy.
    std::uint64_t bytes = 0;   ///< Not 0.
    Place queue{};             ///< Descriptors, completion entries, and interrupts.
    std::uint64_t cookie = 0;  ///< Of the TLPs that carry its data.
};

struct DmaStatistics {
    std::uint64_t transfers = 0, reads = 0, writes = 0, bytes = 0;
    std::uint64_t most_tags = 0;  ///< In use at the same time.
    Picoseconds waited_for_tag = 0;
    /// With as many requests as are possible on their way to the link, which is slower or has no credits.
    Picoseconds waited_for_link = 0;
    /// Its data path is in use: what passes at `rate`, the intervals between requests, `gap`.
    Picoseconds busy = 0;
    Histogram queue;  ///< Transfers that are under way or wait, when one more is asked for.
};

class DmaEngine : public sc_core::sc_module, private TlpReceiver, private TlpSender {
  public:
    /// When the engine has done with it: its last write has left, its last completion has come.
    using Done = std::function<void(Picoseconds at)>;

    /// @throw std::invalid_argument without tags, or for an MPS or MRRS of 0.
    DmaEngine(sc_core::sc_module_name name, const DmaConfig& config, TlpPool& pool);

    /// Begins when those before it have been issued: transfers follow each other without a gap but that of
    /// `start`.
    void start(const Transfer& transfer, Done done);

    TlpInitiator out{"out", *this, 0};
    TlpTarget in{"in", *this, 0};
    /// Null: nobody.
    void observe(Observer* observer) { observer_ = observer; }
    const DmaStatistics& statistics() const { return statistics_; }
    bool at_rest() const { return active_.empty() && free_tags_.size() == config_.tags; }

  private:
    /// What a transfer goes through, in this order.
    enum class Step : std::uint8_t { fetch, wait_for_descriptor, issue, drain, done };
    struct Active {
        Transfer transfer;
        Done done;
        Picoseconds may_begin;
        Step step;
        std::uint64_t issued = 0;      ///< Bytes that have been asked for, or written.
        std::uint64_t arrived = 0;     ///< Bytes that have been read.
        Picoseconds finished = 0;      ///< Its last data so far,
        std::uint64_t last = 0;        ///< and the serial of that.
        std::uint64_t descriptor = 0;  ///< Serial of the completion that brought it; 0 before.
        Picoseconds asked = 0;
        Picoseconds waited_for_tag = 0, waited_for_link = 0;  ///< Since may_begin.
    };
    /// What is to be sent.
    struct Request {
        TlpType type;
        Place place;
        std::uint32_t bytes;
        std::uint64_t cookie;
        std::uint16_t tag;
        Picoseconds at;
        std::uint64_t cause = 0;
        Picoseconds from = kNever;  ///< When that came.
    };
    struct Read {
        Active* active = nullptr;
        std::uint64_t offset = 0;  ///< In the transfer, of what comes next,
        std::uint32_t left = 0;    ///< and how much that is.
    };

    void receive(unsigned port, Tlp& tlp) override;
    void released(unsigned port, Tlp& tlp, Picoseconds at) override;
    void run();
    bool advance(Active& active);
    bool issue(Active& active);
    /// How long a request takes the data path; `last` of its transfer.
    Picoseconds passing(bool writes, std::uint32_t bytes, bool last) const;
    /// Has it for so long, beginning now.
    void occupy(Picoseconds span);
    bool send_read(Active& active, const Place& place, std::uint32_t bytes);
    /// @param active Whose turn it was, if it is none that follows from a completion.
    void send(const Request& request, const Active* active);
    void store(const Active& active, std::uint64_t offset, const Tlp& completion);
    void tell_wait(const Tlp& tlp, const Active& active);
    void block(Part by);
    void unblock(Part by, Active& active);
    void conclude(Active& active);

    DmaConfig config_;
    TlpPool& pool_;
    Observer* observer_ = nullptr;
    std::deque<Active> active_;
    std::vector<std::uint16_t> free_tags_;
    std::vector<Read> reads_;  ///< By their tags.
    Picoseconds next_ = 0;     ///< When the next request may be issued.
    Picoseconds tagless_since_ = kNever;
    Picoseconds blocked_since_ = kNever;  ///< What is to be issued waits,
    Part blocked_by_ = Part::dma_tag;     ///< for this.
    unsigned queued_ = 0;                 ///< Requests that the link has not sent yet.
    DmaStatistics statistics_;
    Alarm alarm_{"alarm"};
};

}  // namespace ntblab::pcie
