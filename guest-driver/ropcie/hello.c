// SPDX-License-Identifier: GPL-2.0-only

#include <linux/crc32.h>
#include <linux/ntb.h>

#include "hello.h"
#include "link.h"
#include "node.h"

static u32 hello_check(const u32 *words)
{
	__le32 wire[ROPCIE_HELLO_CHECK];
	unsigned int i;

	for (i = 0; i < ROPCIE_HELLO_CHECK; i++)
		wire[i] = cpu_to_le32(words[i]);
	return ~crc32_le(~0, (u8 *)wire, sizeof(wire));
}

void ropcie_hello_write(struct ropcie_link *link)
{
	u32 words[ROPCIE_HELLO_WORDS] = {
		[ROPCIE_HELLO_MAGIC] = ROPCIE_HELLO_MAGIC_VALUE,
		[ROPCIE_HELLO_VERSION] = ROPCIE_WIRE_VERSION,
		[ROPCIE_HELLO_SESSION] = link->session,
		[ROPCIE_HELLO_ECHO] = link->peer_session,
		[ROPCIE_HELLO_WINDOW] = link->inbound_size,
		[ROPCIE_HELLO_APERTURE] = link->outbound_size,
	};
	const u8 *mac = link->node->mac;
	unsigned int i;

	words[ROPCIE_HELLO_MAC_LOW] = mac[0] | mac[1] << 8 | mac[2] << 16 | (u32)mac[3] << 24;
	words[ROPCIE_HELLO_MAC_HIGH] = mac[4] | mac[5] << 8;
	words[ROPCIE_HELLO_CHECK] = hello_check(words);
	for (i = 0; i < ROPCIE_HELLO_WORDS; i++)
		ntb_peer_spad_write(link->ntb, NTB_DEF_PEER_IDX, i, words[i]);
}

void ropcie_hello_withdraw(struct ropcie_link *link)
{
	unsigned int i;

	for (i = 0; i < ROPCIE_HELLO_WORDS; i++)
		ntb_peer_spad_write(link->ntb, NTB_DEF_PEER_IDX, i, 0);
	ropcie_link_bell(link, ROPCIE_DOORBELL_HELLO);
}

void ropcie_hello_forget(struct ropcie_link *link)
{
	unsigned int i;

	for (i = 0; i < ROPCIE_HELLO_WORDS; i++)
		ntb_spad_write(link->ntb, i, 0);
}

int ropcie_hello_read(struct ropcie_link *link, struct ropcie_hello *hello)
{
	u32 words[ROPCIE_HELLO_WORDS];
	unsigned int i;

	for (i = 0; i < ROPCIE_HELLO_WORDS; i++)
		words[i] = ntb_spad_read(link->ntb, i);
	if (!words[ROPCIE_HELLO_MAGIC])
		return -ENOENT;
	if (words[ROPCIE_HELLO_MAGIC] != ROPCIE_HELLO_MAGIC_VALUE ||
	    words[ROPCIE_HELLO_CHECK] != hello_check(words) || !words[ROPCIE_HELLO_SESSION])
		return -EAGAIN;
	if (words[ROPCIE_HELLO_VERSION] != ROPCIE_WIRE_VERSION) {
		dev_warn_once(&link->ntb->dev,
			      "the peer speaks version %u of the protocol, this is version %u\n",
			      words[ROPCIE_HELLO_VERSION], ROPCIE_WIRE_VERSION);
		return -EAGAIN;
	}
	hello->session = words[ROPCIE_HELLO_SESSION];
	hello->echo = words[ROPCIE_HELLO_ECHO];
	hello->window = words[ROPCIE_HELLO_WINDOW];
	hello->aperture = words[ROPCIE_HELLO_APERTURE];
	for (i = 0; i < 4; i++)
		hello->mac[i] = words[ROPCIE_HELLO_MAC_LOW] >> (8 * i);
	hello->mac[4] = words[ROPCIE_HELLO_MAC_HIGH];
	hello->mac[5] = words[ROPCIE_HELLO_MAC_HIGH] >> 8;
	return 0;
}
