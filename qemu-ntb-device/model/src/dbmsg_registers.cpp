// SPDX-License-Identifier: MIT
#include "dbmsg_registers.h"

#include "dbmsg.h"

namespace switchtec::dbmsg {

std::uint64_t read_register(const State& s, unsigned partition, const RegisterInfo& reg, unsigned index) {
    const Doorbells& d = s.partition[partition].doorbells;
    switch (reg.id) {
        case Reg::OutDoorbellMask:
            return d.out_mask;
        case Reg::InDoorbell:
            return d.in;
        case Reg::InDoorbellMask:
            return d.in_mask;
        case Reg::InVectorMap:
            return d.vector_map[index];
        case Reg::MessageMap:
            return d.message_map;
        case Reg::OutMessage:
            return d.out[index].message;
        case Reg::OutMessageStatus:
            return d.out[index].status;
        case Reg::InMessage:
            return d.inbound[index].message;
        case Reg::InMessageStatus:
            return d.inbound[index].status;
        case Reg::InMessageMask:
            return d.inbound[index].mask;
        case Reg::InMessageSource:
            return d.inbound[index].source;
        default:
            return 0;
    }
}

void write_register(State& s, unsigned partition, const RegisterInfo& reg, unsigned index, Written w) {
    Doorbells& d = s.partition[partition].doorbells;
    switch (reg.id) {
        case Reg::OutDoorbell:
            ring(s, partition, w.bits());
            break;
        case Reg::OutDoorbellMask:
            d.out_mask = w.over(d.out_mask);
            break;
        case Reg::InDoorbell:
            d.in &= ~w.bits();
            break;
        case Reg::InDoorbellMask:
            write_in_mask(s, partition, w.over(d.in_mask));
            break;
        case Reg::InVectorMap:
            write_vector(s, partition, index, w.over(d.vector_map[index]));
            break;
        case Reg::MessageMap:
            d.message_map = w.over(d.message_map);
            break;
        case Reg::OutMessage:
            send(s, partition, index, w.over(d.out[index].message));
            break;
        case Reg::InMessageStatus:
            if (w.bits() & 1) clear_in_message(s, partition, index);
            break;
        case Reg::InMessageMask:
            write_in_message_mask(s, partition, index, w.over(d.inbound[index].mask) & 1);
            break;
        default:
            break;
    }
}

}  // namespace switchtec::dbmsg
