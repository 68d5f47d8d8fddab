/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What a host tells of itself in its peer's scratchpads: wire.h. They are written one by one, in
 * any order and at any time; its check is what makes a whole of them.
 */
#ifndef ROPCIE_HELLO_H
#define ROPCIE_HELLO_H

#include <linux/if_ether.h>
#include <linux/types.h>

struct ropcie_link;

struct ropcie_hello {
	u32	session;
	u32	echo;
	u32	window;
	u32	aperture;
	u8	mac[ETH_ALEN];
};

/* Of the link's session, and of the peer's as its echo. */
void ropcie_hello_write(struct ropcie_link *link);
/* There is none any more; rings. */
void ropcie_hello_withdraw(struct ropcie_link *link);

/*
 * 0: read. -ENOENT: there is none. -EAGAIN: something, but no whole one of this version (it may be
 * underway). All-ones, as of a device that is gone, is something.
 */
int ropcie_hello_read(struct ropcie_link *link, struct ropcie_hello *hello);
/* What an earlier peer has left. A hello that comes just now is lost, but is repeated. */
void ropcie_hello_forget(struct ropcie_link *link);

#endif
