// SPDX-License-Identifier: GPL-2.0-only
/* The transport (transport.c) as a client of the port. */

#include "client.h"
#include "packet.h"
#include "port.h"

static_assert(sizeof(struct ropcie_header) <= ROPCIE_HEADER_MAX &&
	      sizeof(struct ropcie_header) % 8 == 0);

static void receive(struct ropcie_peer *from, const void *header, const void *payload,
		    size_t length)
{
	ropcie_transport_receive(from, header, payload, length);
}

static const struct ropcie_client transport = {
	.kind = ROPCIE_KIND_TRANSPORT,
	.header_length = sizeof(struct ropcie_header),
	.add = ropcie_transport_add,
	.remove = ropcie_transport_remove,
	.receive = receive,
	.room = ropcie_transport_room,
	.link = ropcie_transport_link,
	.port = ropcie_transport_port,
};

int ropcie_peer_send(struct ropcie_peer *peer, const struct ropcie_header *header,
		     struct iov_iter *payload)
{
	return ropcie_client_send(&transport, peer, header, payload);
}

int ropcie_transport_register(void)
{
	return ropcie_client_register(&transport);
}

void ropcie_transport_unregister(void)
{
	ropcie_client_unregister(&transport);
}
