// SPDX-License-Identifier: MIT
#include "pcie/switch.h"

#include <algorithm>

namespace ntblab::pcie {

Switch::Port::Port(Switch& owner, unsigned number)
    : in(("in" + std::to_string(number)).c_str(), owner, number),
      out(("out" + std::to_string(number)).c_str(), owner, number) {}

Switch::Switch(sc_core::sc_module_name name, const SwitchConfig& config, Route route)
    : sc_module(name), config_(config), route_(std::move(route)) {
    for (unsigned port = 0; port < config.ports; ++port)
        ports_.push_back(std::make_unique<Port>(*this, port));
}

void Switch::receive(unsigned number, Tlp& tlp) {
    Port& port = *ports_[number];
    ++port.statistics.tlps;
    port.statistics.payload_bytes += payload_bytes(tlp);
    port.statistics.buffered.add(port.buffered++);
    tlp.flow = number;
    const std::size_t of_class = class_index(tlp);
    if (config_.queueing == SwitchConfig::Queueing::shared && port.first_is_out[of_class]) {
        port.waiting[of_class].push_back(&tlp);
        return;
    }
    port.first_is_out[of_class] = true;
    forward(tlp);
}

void Switch::forward(Tlp& tlp) {
    Port& egress = *ports_[route_(tlp)];
    if (config_.forwarding == SwitchConfig::Forwarding::store_and_forward) {
        tell(observer_, *this, tlp, Part::store_and_forward, tlp.head, tlp.tail);
        tlp.ready = tlp.tail + config_.latency;
    } else {
        const Picoseconds span = to_picoseconds(egress.encoding.ticks(egress.encoding.tlp_bytes(tlp)));
        const Picoseconds begins = std::max(tlp.head, tlp.tail > span ? tlp.tail - span : 0);
        tell(observer_, *this, tlp, Part::slower_ingress, tlp.head, begins);
        tlp.ready = begins + config_.latency;
    }
    tell(observer_, *this, tlp, Part::hop, tlp.ready - config_.latency, tlp.ready);
    tlp.head = tlp.ready;
    tlp.tail += config_.latency;
    egress.out.send(tlp);
}

void Switch::released(unsigned, Tlp& tlp, Picoseconds at) {
    Port& ingress = *ports_[tlp.flow];
    const std::size_t of_class = class_index(tlp);
    --ingress.buffered;
    ingress.in.release(tlp, at);
    if (config_.queueing != SwitchConfig::Queueing::shared) return;
    auto& waiting = ingress.waiting[of_class];
    ingress.first_is_out[of_class] = !waiting.empty();
    if (waiting.empty()) return;
    Tlp& next = *waiting.front();
    waiting.pop_front();
    forward(next);
}

bool Switch::at_rest() const {
    return std::all_of(ports_.begin(), ports_.end(), [](const auto& port) { return port->buffered == 0; });
}

}  // namespace ntblab::pcie
