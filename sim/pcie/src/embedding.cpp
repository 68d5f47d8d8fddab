// SPDX-License-Identifier: MIT
#include "pcie/embedding.h"

#include <algorithm>
#include <queue>
#include <stdexcept>

#include "pcie/timeline.h"

namespace ntblab::pcie {

/// In place of a CPU.
class Embedding::Host : public sc_core::sc_module, private TlpReceiver, private TlpSender {
  public:
    using Tell = std::function<void(Happening what)>;

    Host(sc_core::sc_module_name name, std::size_t node, RootComplex& root, TlpPool& pool, Tell tell)
        : sc_module(name), node_(node), pool_(pool), tell_(std::move(tell)) {
        out_.bind(root.from_cpu());
        root.to_cpu().bind(in_);
        root.on_write = [this](const Tlp& tlp, Picoseconds visible) {
            tell_({visible, Happening::Kind::arrived, node_, tlp.address, tlp.length, tlp.cookie});
        };
    }

    void observe(Observer* observer) { observer_ = observer; }

    void send(const Injection& injection) {
        Tlp& tlp = pool_.make(injection.write ? TlpType::memory_write : TlpType::memory_read);
        tlp.address = injection.address;
        tlp.length = injection.bytes;
        tlp.cookie = injection.cookie;
        tlp.tag = next_tag_++;
        tlp.head = tlp.tail = tlp.ready = injection.at;
        out_.send(tlp);
    }

  private:
    void receive(unsigned, Tlp& tlp) override {
        const bool last = tlp.unsupported || tlp.remaining == tlp.length;
        const auto kind = tlp.unsupported ? Happening::Kind::refused : Happening::Kind::completed;
        if (last) tell_({tlp.tail, kind, node_, 0, 0, tlp.cookie});
        if (observer_ != nullptr) observer_->ended(*this, tlp, tlp.tail);
        in_.release(tlp, tlp.tail);
        tlp.release();
    }
    void released(unsigned, Tlp& tlp, Picoseconds at) override {
        tell_({at, Happening::Kind::departed, node_, tlp.address, tlp.length, tlp.cookie});
    }

    std::size_t node_;
    TlpPool& pool_;
    Tell tell_;
    Observer* observer_ = nullptr;
    std::uint16_t next_tag_ = 0;
    TlpInitiator out_{"out", *this, 0};
    TlpTarget in_{"in", *this, 0};
};

class Embedding::Top : public sc_core::sc_module {
  public:
    Top(sc_core::sc_module_name name, const topology::Topology& topology, const Profile& of,
        const SystemOptions& options)
        : sc_module(name),
          profile(of),
          system("system", topology, profile, options),
          lookahead_(least_latency(profile)) {
        for (std::size_t node = 0; node < system.host_count(); ++node)
            hosts.push_back(topology.endpoints(node).empty()
                                ? nullptr
                                : std::make_unique<Host>(("cpu" + std::to_string(node)).c_str(), node,
                                                         system.host(node).root, system.pool(),
                                                         [this](const Happening& what) { tell(what); }));
    }

    void tell(const Happening& what) { happened.push({what, told++}); }

    const Profile profile;
    System system;
    Timeline timeline{"timeline"};
    std::vector<std::unique_ptr<Host>> hosts;

    struct Told {
        Happening what;
        std::uint64_t number;
        bool operator<(const Told& other) const {  // of a priority_queue, whose greatest is first
            return what.at != other.what.at ? what.at > other.what.at : number > other.number;
        }
    };
    std::priority_queue<Told> happened;
    std::uint64_t told = 0;
    Picoseconds lookahead_;

  private:
    // Without the wire's time for a byte, or cables.
    static Picoseconds least_latency(const Profile& profile) {
        const RootComplexConfig& host = profile.host;
        const unsigned hops = profile.fabric == Profile::Fabric::adapters ? 2 : 1;
        return host.egress + hops * profile.hop.latency + profile.ntb.translation + host.ingress +
               std::min(host.write, host.interrupt);
    }
};

Embedding::Embedding(const topology::Topology& topology, const Profile& profile,
                     const SystemOptions& options) {
    SystemOptions own = options;
    own.cpus = false;
    top_ = std::make_unique<Top>("embedding", topology, profile, own);
    sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

Embedding::~Embedding() = default;

std::uint64_t Embedding::window(std::size_t node, std::size_t peer) const {
    const System::Endpoint* endpoint = top_->system.endpoint(node, peer);
    return endpoint == nullptr ? 0 : top_->system.window(*endpoint);
}

void Embedding::inject(const Injection& injection) {
    if (injection.at < time())
        throw std::invalid_argument("a request is injected before the time that has passed");
    if (injection.bytes == 0) throw std::invalid_argument("a request has a byte at least");
    const Profile& profile = top_->profile;
    if (injection.bytes > (injection.write ? profile.mps : profile.mrrs) ||
        injection.address % 4096 + injection.bytes > 4096)
        throw std::invalid_argument("a write has at most an MPS, a read an MRRS, and neither crosses 4 KiB");
    if (injection.node >= top_->hosts.size() || !top_->hosts[injection.node])
        throw std::invalid_argument("a request is of a host that has an endpoint");
    top_->timeline.at(injection.at, [this, injection] { top_->hosts[injection.node]->send(injection); });
}

void Embedding::advance(Picoseconds until) {
    if (until > time()) sc_core::sc_start(to_sc_time(until - time()));
    // sc_start() leaves what is to happen at its end to the next one.
    while (sc_core::sc_pending_activity_at_current_time()) sc_core::sc_start(sc_core::SC_ZERO_TIME);
}

Picoseconds Embedding::time() const {
    return now();
}

std::vector<Happening> Embedding::take() {
    std::vector<Happening> result;
    for (; !top_->happened.empty() && top_->happened.top().what.at <= time(); top_->happened.pop())
        result.push_back(top_->happened.top().what);
    return result;
}

Picoseconds Embedding::lookahead() const {
    return top_->lookahead_;
}

void Embedding::observe(Observer* observer) {
    top_->system.observe(observer);
    for (const auto& host : top_->hosts)
        if (host) host->observe(observer);
}

System& Embedding::system() {
    return top_->system;
}

}  // namespace ntblab::pcie
