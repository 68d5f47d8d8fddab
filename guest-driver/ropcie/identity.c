// SPDX-License-Identifier: GPL-2.0-only
/*
 * A node's MAC must be the same after a reboot, since peers keep connections by it, and another
 * than each peer's. The NTB API has nothing of the kind, so it is a hash of what identifies this
 * machine.
 */

#include <linux/crc32.h>
#include <linux/device.h>
#include <linux/dmi.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/string.h>
#include <linux/utsname.h>
#include <crypto/sha2.h>

#include "node.h"

static char *mac_text;
module_param_named(mac, mac_text, charp, 0444);
MODULE_PARM_DESC(mac, "MAC of this host (default: by its SMBIOS UUID, or its name if it has none)");

static bool is_telling(const char *text)
{
	/* A UUID or serial number of all the same characters is a placeholder. */
	return text && strlen(text) > 4 && strspn(text, "0-") < strlen(text) &&
	       strspn(text, "Ff-") < strlen(text);
}

static const char *machine_identity(void)
{
	const char *text = dmi_get_system_info(DMI_PRODUCT_UUID);

	if (is_telling(text))
		return text;
	text = dmi_get_system_info(DMI_PRODUCT_SERIAL);
	if (is_telling(text))
		return text;
	return init_utsname()->nodename;
}

static bool mac_of_parameter(u8 *mac)
{
	if (!mac_text)
		return false;
	if (mac_pton(mac_text, mac) && is_valid_ether_addr(mac))
		return true;
	pr_warn("ropcie: parameter mac: '%s' is not the MAC of a host\n", mac_text);
	return false;
}

void ropcie_node_identity(struct device *parent, bool per_link, u8 *mac)
{
	const char *machine = machine_identity();
	struct sha256_state state;
	u8 hash[SHA256_DIGEST_SIZE];

	if (mac_of_parameter(mac)) {
		/* The nodes of one host differ in the last byte. */
		if (per_link)
			mac[ETH_ALEN - 1] ^=
				crc32_le(~0, dev_name(parent), strlen(dev_name(parent)));
		return;
	}
	sha256_init(&state);
	sha256_update(&state, machine, strlen(machine));
	if (per_link)
		sha256_update(&state, dev_name(parent), strlen(dev_name(parent)));
	sha256_final(&state, hash);
	memcpy(mac, hash, ETH_ALEN);
	/* Locally administered, unicast; all of a kind. */
	mac[0] = 0x02;
}
