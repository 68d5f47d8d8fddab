// SPDX-License-Identifier: GPL-2.0-only
/* Where the port meets the queue pairs: packets, room, links, the port's state. */

#include "mcast.h"
#include "port.h"
#include "requester.h"
#include "responder.h"

struct multicast_packet {
	struct ropcie_peer *from;
	const struct ropcie_header *header;
	const void *payload;
	size_t length;
};

static void deliver(struct ropcie_qp *qp, void *context)
{
	const struct multicast_packet *packet = context;

	if (qp->block_loopback && ropcie_peer_is_loopback(packet->from))
		return;
	ropcie_datagram_receive(qp, packet->header, packet->payload, packet->length);
}

static bool is_response(u8 opcode)
{
	return opcode >= ROPCIE_OP_ACKNOWLEDGE;
}

/* A connected queue pair listens to its peer alone. */
static bool is_from_peer(const struct ropcie_qp *qp, struct ropcie_peer *from,
			 const struct ropcie_header *header)
{
	return le32_to_cpu(header->source_qp) == qp->attr.dest_qp_num &&
	       ether_addr_to_u64(ropcie_peer_mac(from)) == READ_ONCE(qp->mac);
}

static void receive(struct ropcie_qp *qp, struct ropcie_peer *from,
		    const struct ropcie_header *header, const void *payload, size_t length)
{
	if (header->service != qp->service) {
		ropcie_count(qp->device, ROPCIE_BAD_PACKETS);
		return;
	}
	if (qp->service == ROPCIE_SERVICE_UD) {
		ropcie_datagram_receive(qp, header, payload, length);
		return;
	}
	if (!is_from_peer(qp, from, header)) {
		ropcie_count(qp->device, ROPCIE_BAD_PACKETS);
		return;
	}
	if (!is_response(header->opcode))
		ropcie_responder_receive(qp, header, payload, length);
	else if (qp->has_sq && ropcie_qp_is_reliable(qp))
		ropcie_completer_receive(qp, header, payload, length);
}

void ropcie_transport_receive(struct ropcie_peer *from, const struct ropcie_header *header,
			      const void *payload, size_t length)
{
	struct ropcie_device *device = ropcie_node_transport(ropcie_peer_node(from));
	u32 number = le32_to_cpu(header->destination_qp);
	struct ropcie_object *object;

	if (!device)
		return;
	ropcie_count(device, ROPCIE_RECEIVED_PACKETS);
	if (number == ROPCIE_MULTICAST_QPN) {
		struct multicast_packet packet = { from, header, payload, length };

		if (header->service == ROPCIE_SERVICE_UD)
			ropcie_multicast_for_each(device, header->destination_gid, deliver, &packet);
		return;
	}
	object = ropcie_object_get(&device->qps, number);
	if (!object) {
		ropcie_count(device, ROPCIE_UNKNOWN_QP);
		return;
	}
	receive(object->owner, from, header, payload, length);
	ropcie_object_put(object);
}

void ropcie_transport_room(struct ropcie_peer *peer)
{
	struct ropcie_device *device = ropcie_node_transport(ropcie_peer_node(peer));

	if (device)
		ropcie_qps_unblock(device, peer);
}

/* The epoch is over: what these queue pairs had under way is lost. */
static void fail_connection(struct ropcie_qp *qp, void *peer)
{
	if (ropcie_qp_is_reliable(qp) && READ_ONCE(qp->mac) == ether_addr_to_u64(ropcie_peer_mac(peer)))
		ropcie_qp_lost_peer(qp);
}

void ropcie_transport_link(struct ropcie_peer *peer, bool up)
{
	struct ropcie_device *device = ropcie_node_transport(ropcie_peer_node(peer));

	if (!device)
		return;
	ropcie_count(device, up ? ROPCIE_LINK_UPS : ROPCIE_LINK_DOWNS);
	if (!up)
		ropcie_for_each_qp(device, fail_connection, peer);
	ropcie_qps_unblock(device, peer);
}

void ropcie_transport_port(struct ropcie_node *node)
{
	struct ropcie_device *device;
	struct ib_event event = { .element.port_num = 1 };
	bool active;

	rcu_read_lock();
	device = ropcie_node_transport(node);
	if (!device)
		goto out;
	spin_lock_bh(&device->port_lock);
	active = ropcie_port_is_active(device);
	if (active != device->port_active && !device->port_silent) {
		device->port_active = active;
		event.device = &device->ib;
		event.event = active ? IB_EVENT_PORT_ACTIVE : IB_EVENT_PORT_ERR;
		ib_dispatch_event(&event);
	}
	spin_unlock_bh(&device->port_lock);
out:
	rcu_read_unlock();
}
