// SPDX-License-Identifier: GPL-2.0-only
/* The ib_device: its attributes, its port, its operations. */

#include <linux/if_vlan.h>
#include <linux/netdevice.h>
#include <rdma/ib_addr.h>
#include <rdma/ib_cache.h>
#include <rdma/ib_mad.h>

#include "ah.h"
#include "compat_rdma.h"
#include "cq.h"
#include "device.h"
#include "mcast.h"
#include "mr.h"
#include "qp.h"
#include "restrack.h"
#include "srq.h"

/* A locally administered OUI. */
#define VENDOR_ID	0x0200c0
#define VENDOR_PART	0x1

static int query_device(struct ib_device *ib, struct ib_device_attr *attr, struct ib_udata *udata)
{
	if (udata->inlen || udata->outlen)
		return -EINVAL;
	memset(attr, 0, sizeof(*attr));
	attr->fw_ver = 1ULL << 32;
	attr->sys_image_guid = ib->node_guid;
	attr->vendor_id = VENDOR_ID;
	attr->vendor_part_id = VENDOR_PART;
	attr->max_mr_size = U64_MAX;
	attr->page_size_cap = GENMASK(31, PAGE_SHIFT);
	attr->max_qp = ROPCIE_MAX_QP;
	attr->max_qp_wr = ROPCIE_MAX_QP_WR;
	attr->device_cap_flags = IB_DEVICE_UD_AV_PORT_ENFORCE | IB_DEVICE_PORT_ACTIVE_EVENT |
				 IB_DEVICE_SYS_IMAGE_GUID | IB_DEVICE_RC_RNR_NAK_GEN |
				 IB_DEVICE_SRQ_RESIZE | IB_DEVICE_XRC |
				 IB_DEVICE_MEM_MGT_EXTENSIONS | IB_DEVICE_MEM_WINDOW |
				 IB_DEVICE_MEM_WINDOW_TYPE_2B | IB_DEVICE_CURR_QP_STATE_MOD |
				 ROPCIE_DEVICE_62;
	attr->kernel_cap_flags = IBK_LOCAL_DMA_LKEY | IBK_BLOCK_MULTICAST_LOOPBACK;
	attr->max_send_sge = ROPCIE_MAX_SGE;
	attr->max_recv_sge = ROPCIE_MAX_SGE;
	attr->max_sge_rd = ROPCIE_MAX_SGE;
	attr->max_cq = ROPCIE_MAX_CQ;
	attr->max_cqe = ROPCIE_MAX_CQE;
	attr->max_mr = ROPCIE_MAX_KEY;
	attr->max_mw = ROPCIE_MAX_KEY;
	attr->max_pd = ROPCIE_MAX_PD;
	attr->max_qp_rd_atom = ROPCIE_MAX_READS;
	attr->max_qp_init_rd_atom = ROPCIE_MAX_READS;
	attr->max_res_rd_atom = ROPCIE_MAX_READS * ROPCIE_MAX_QP;
	attr->atomic_cap = IB_ATOMIC_GLOB;	/* with the CPU's own compare-and-exchange */
	attr->max_mcast_grp = ROPCIE_MAX_GROUPS;
	attr->max_mcast_qp_attach = ROPCIE_MAX_GROUP_QPS;
	attr->max_total_mcast_qp_attach = ROPCIE_MAX_GROUPS * ROPCIE_MAX_GROUP_QPS;
	attr->max_ah = ROPCIE_MAX_AH;
	attr->max_srq = ROPCIE_MAX_SRQ;
	attr->max_srq_wr = ROPCIE_MAX_SRQ_WR;
	attr->max_srq_sge = ROPCIE_MAX_SGE;
	attr->max_fast_reg_page_list_len = ROPCIE_MAX_FAST_PAGES;
	attr->max_pkeys = 1;
	attr->local_ca_ack_delay = 15;
	attr->timestamp_mask = U64_MAX;
	attr->hca_core_clock = 1000000;		/* kHz: timestamps are nanoseconds */
	attr->cq_caps.max_cq_moderation_count = U16_MAX;
	attr->cq_caps.max_cq_moderation_period = U16_MAX;
	return 0;
}

/* The core calls the same of Ethernet's speeds: Mbit/s to InfiniBand's speed and width. */
static void set_rate(struct ib_port_attr *attr, unsigned int mbps)
{
	static const struct {
		unsigned int mbps;
		u8 width;
		u16 speed;
	} rates[] = {
		{ 200000, IB_WIDTH_4X, IB_SPEED_HDR },
		{ 100000, IB_WIDTH_4X, IB_SPEED_EDR },
		{ 50000, IB_WIDTH_2X, IB_SPEED_EDR },
		{ 40000, IB_WIDTH_4X, IB_SPEED_FDR10 },
		{ 25000, IB_WIDTH_1X, IB_SPEED_EDR },
		{ 10000, IB_WIDTH_1X, IB_SPEED_FDR10 },
		{ 0, IB_WIDTH_1X, IB_SPEED_SDR },
	};
	unsigned int i = 0;

	while (mbps < rates[i].mbps)
		i++;
	attr->active_width = rates[i].width;
	attr->active_speed = rates[i].speed;
}

bool ropcie_port_is_active(const struct ropcie_device *device)
{
	return netif_running(device->netdev) && netif_carrier_ok(device->netdev);
}

static int query_port(struct ib_device *ib, u32 port, struct ib_port_attr *attr)
{
	struct ropcie_device *device = to_ropcie_device(ib);
	struct net_device *netdev = device->netdev;
	bool active = ropcie_port_is_active(device);

	attr->state = active ? IB_PORT_ACTIVE : IB_PORT_DOWN;
	attr->phys_state = active ? IB_PORT_PHYS_STATE_LINK_UP : IB_PORT_PHYS_STATE_DISABLED;
	attr->max_mtu = IB_MTU_4096;
	attr->active_mtu = max_t(int, iboe_get_mtu(netdev->mtu), IB_MTU_256);
	attr->gid_tbl_len = ROPCIE_GID_TABLE;
	attr->port_cap_flags = IB_PORT_CM_SUP;
	attr->ip_gids = true;
	attr->max_msg_sz = ROPCIE_MAX_MESSAGE;
	attr->pkey_tbl_len = 1;
	attr->max_vl_num = 1;
	set_rate(attr, ropcie_node_mbps(device->node));
	return 0;
}

static int get_port_immutable(struct ib_device *ib, u32 port, struct ib_port_immutable *immutable)
{
	struct ib_port_attr attr = {};
	int err = ib_query_port(ib, port, &attr);

	if (err)
		return err;
	immutable->core_cap_flags = RDMA_CORE_PORT_IBA_ROCE_UDP_ENCAP;
	immutable->pkey_tbl_len = attr.pkey_tbl_len;
	immutable->gid_tbl_len = attr.gid_tbl_len;
	immutable->max_mad_size = IB_MGMT_MAD_SIZE;
	return 0;
}

static enum rdma_link_layer get_link_layer(struct ib_device *ib, u32 port)
{
	return IB_LINK_LAYER_ETHERNET;
}

static int query_pkey(struct ib_device *ib, u32 port, u16 index, u16 *pkey)
{
	if (index)
		return -EINVAL;
	*pkey = ROPCIE_PKEY;
	return 0;
}

static void get_dev_fw_str(struct ib_device *ib, char *text)
{
	snprintf(text, IB_FW_VERSION_NAME_MAX, "1.0.0");
}

static int modify_device(struct ib_device *ib, int mask, struct ib_device_modify *modify)
{
	if (mask & ~IB_DEVICE_MODIFY_NODE_DESC)
		return -EOPNOTSUPP;
	memcpy(ib->node_desc, modify->node_desc, sizeof(ib->node_desc));
	return 0;
}

static int modify_port(struct ib_device *ib, u32 port, int mask, struct ib_port_modify *modify)
{
	/* ib_cm sets IB_PORT_CM_SUP, which is always set. */
	return 0;
}

static int alloc_ucontext(struct ib_ucontext *context, struct ib_udata *udata)
{
	struct ropcie_alloc_ucontext_resp resp = {
		.abi_version = ROPCIE_ABI_VERSION,
		.max_inline = ROPCIE_MAX_INLINE,
	};

	if (udata->outlen < sizeof(resp))
		return -EINVAL;
	return ib_copy_to_udata(udata, &resp, sizeof(resp));
}

/* The core answers; that there is this operation lets a process import the context of another. */
static int query_ucontext(struct ib_ucontext *context, struct uverbs_attr_bundle *attrs)
{
	return 0;
}

static void dealloc_ucontext(struct ib_ucontext *context)
{
}

/* Mapped rings stay as they are: pages of their own, which nobody reads any more. */
static void disassociate_ucontext(struct ib_ucontext *context)
{
}

static int alloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int dealloc_pd(struct ib_pd *pd, struct ib_udata *udata)
{
	return 0;
}

static int alloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata)
{
	return 0;
}

static int dealloc_xrcd(struct ib_xrcd *xrcd, struct ib_udata *udata)
{
	return 0;
}

/* What the provider knows the device by: its name is udev's to change. */
static ssize_t ropcie_abi_show(struct device *dev, struct device_attribute *attr, char *text)
{
	return sysfs_emit(text, "%d\n", ROPCIE_ABI_VERSION);
}

static DEVICE_ATTR_RO(ropcie_abi);

static struct attribute *attributes[] = {
	&dev_attr_ropcie_abi.attr,
	NULL
};

static const struct attribute_group attribute_group = {
	.attrs = attributes,
};

static const struct ib_device_ops operations = {
	.owner = THIS_MODULE,
	.driver_id = RDMA_DRIVER_UNKNOWN,
	.uverbs_abi_ver = ROPCIE_ABI_VERSION,
	.uverbs_no_driver_id_binding = 1,
	.device_group = &attribute_group,

	.alloc_hw_port_stats = ropcie_alloc_hw_port_stats,
	.alloc_mr = ropcie_alloc_mr,
	.alloc_mw = ropcie_alloc_mw,
	.alloc_pd = alloc_pd,
	.alloc_ucontext = alloc_ucontext,
	.alloc_xrcd = alloc_xrcd,
	.attach_mcast = ropcie_attach_mcast,
	.create_ah = ropcie_create_ah,
	.create_cq = ropcie_create_cq,
	.create_qp = ropcie_create_qp,
	.create_srq = ropcie_create_srq,
	.create_user_ah = ropcie_create_ah,
	.dealloc_mw = ropcie_dealloc_mw,
	.dealloc_pd = dealloc_pd,
	.dealloc_ucontext = dealloc_ucontext,
	.dealloc_xrcd = dealloc_xrcd,
	.dereg_mr = ropcie_dereg_mr,
	.destroy_ah = ropcie_destroy_ah,
	.destroy_cq = ropcie_destroy_cq,
	.destroy_qp = ropcie_destroy_qp,
	.destroy_srq = ropcie_destroy_srq,
	.detach_mcast = ropcie_detach_mcast,
	.disassociate_ucontext = disassociate_ucontext,
	.fill_res_cq_entry = ropcie_fill_res_cq_entry,
	.fill_res_mr_entry = ropcie_fill_res_mr_entry,
	.fill_res_qp_entry = ropcie_fill_res_qp_entry,
	.get_dev_fw_str = get_dev_fw_str,
	.get_dma_mr = ropcie_get_dma_mr,
	.get_hw_stats = ropcie_get_hw_stats,
	.get_link_layer = get_link_layer,
	.get_port_immutable = get_port_immutable,
	.map_mr_sg = ropcie_map_mr_sg,
	.mmap = ropcie_mmap,
	.mmap_free = ropcie_mmap_free,
	.modify_ah = ropcie_modify_ah,
	.modify_cq = ropcie_modify_cq,
	.modify_device = modify_device,
	.modify_port = modify_port,
	.modify_qp = ropcie_modify_qp,
	.modify_srq = ropcie_modify_srq,
	.poll_cq = ropcie_poll_cq,
	.post_recv = ropcie_post_recv,
	.post_send = ropcie_post_send,
	.post_srq_recv = ropcie_post_srq_recv,
	.query_ah = ropcie_query_ah,
	.query_device = query_device,
	.query_pkey = query_pkey,
	.query_port = query_port,
	.query_qp = ropcie_query_qp,
	.query_srq = ropcie_query_srq,
	.query_ucontext = query_ucontext,
	.reg_user_mr = ropcie_reg_user_mr,
	.req_notify_cq = ropcie_req_notify_cq,
	.rereg_user_mr = ropcie_rereg_user_mr,
	.resize_cq = ropcie_resize_cq,

	INIT_RDMA_OBJ_SIZE(ib_ah, ropcie_ah, ib),
	INIT_RDMA_OBJ_SIZE(ib_cq, ropcie_cq, ib),
	INIT_RDMA_OBJ_SIZE(ib_mw, ropcie_mw, ib),
	INIT_RDMA_OBJ_SIZE(ib_pd, ropcie_pd, ib),
	INIT_RDMA_OBJ_SIZE(ib_qp, ropcie_qp, ib),
	INIT_RDMA_OBJ_SIZE(ib_srq, ropcie_srq, ib),
	INIT_RDMA_OBJ_SIZE(ib_ucontext, ropcie_ucontext, ib),
	INIT_RDMA_OBJ_SIZE(ib_xrcd, ropcie_xrcd, ib),
};

int ropcie_device_register(struct ropcie_device *device)
{
	struct ib_device *ib = &device->ib;
	int err;

	strscpy(ib->node_desc, "ropcie", sizeof(ib->node_desc));
	ib->node_type = RDMA_NODE_IB_CA;
	ib->node_guid = cpu_to_be64(ropcie_node_guid(device->node));
	ib->phys_port_cnt = 1;
	ib->num_comp_vectors = num_possible_cpus();
	ib->local_dma_lkey = ROPCIE_LOCAL_DMA_LKEY;
	ib->dev.parent = ropcie_node_parent(device->node);
	/* POST_SEND without a request wakes the kernel. */
	ib->uverbs_cmd_mask |= BIT_ULL(IB_USER_VERBS_CMD_POST_SEND);
	ib_set_device_ops(ib, &operations);
	err = ib_device_set_netdev(ib, device->netdev, 1);
	if (err)
		return err;
	return ib_register_device(ib, "ropcie%d", NULL);
}
