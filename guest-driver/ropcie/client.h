/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Who sends and receives packets: the transport, which port.h is for, and the test of the port.
 * Both see the same ring, each its own kind of packet.
 */
#ifndef ROPCIE_CLIENT_H
#define ROPCIE_CLIENT_H

#include <linux/types.h>

#include "port.h"
#include "wire.h"

struct ropcie_record;

/*
 * add, remove, link and port may be NULL. receive() and room() may still be called while remove() runs, and just
 * after. For all else see ropcie_transport_*() in port.h.
 */
struct ropcie_client {
	enum ropcie_kind	kind;
	u16			header_length;
	int			(*add)(struct ropcie_node *node);
	void			(*remove)(struct ropcie_node *node);
	void (*receive)(struct ropcie_peer *from, const void *header, const void *payload,
			size_t length);
	void			(*room)(struct ropcie_peer *peer);
	void			(*link)(struct ropcie_peer *peer, bool up);
	void			(*port)(struct ropcie_node *node);
};

/*
 * -EBUSY: there is one of its kind. Existing nodes and peers are added and linked before it
 * returns.
 */
int ropcie_client_register(const struct ropcie_client *client);
void ropcie_client_unregister(const struct ropcie_client *client);

/* As ropcie_peer_send(). */
int ropcie_client_send(const struct ropcie_client *client, struct ropcie_peer *peer,
		       const void *header, struct iov_iter *payload);

/* ---- Of the module itself ---- */

/* Under ropcie_mutex. */
void ropcie_clients_add(struct ropcie_node *node);
void ropcie_clients_remove(struct ropcie_node *node);
void ropcie_clients_link(struct ropcie_peer *peer, bool up);

void ropcie_client_receive(struct ropcie_peer *peer, const struct ropcie_record *record);
void ropcie_client_room(struct ropcie_peer *peer, u8 waiting);
void ropcie_clients_port(struct ropcie_node *node);

/* port_transport.c: the transport as a client. */
int ropcie_transport_register(void);
void ropcie_transport_unregister(void);

#endif
