// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* The libibverbs provider of ropcie devices: how it knows them, and what it does for them. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "verbs.h"

static int query_device_ex(struct ibv_context *context,
			   const struct ibv_query_device_ex_input *input,
			   struct ibv_device_attr_ex *attr, size_t attr_size)
{
	struct ib_uverbs_ex_query_device_resp resp;
	size_t resp_size = sizeof(resp);
	uint64_t version;
	int err = ibv_cmd_query_device_any(context, input, attr, attr_size, &resp, &resp_size);

	if (err)
		return err;
	version = resp.base.fw_ver;
	snprintf(attr->orig_attr.fw_ver, sizeof(attr->orig_attr.fw_ver), "%u.%u.%u",
		 (unsigned int)(version >> 32) & 0xffff, (unsigned int)(version >> 16) & 0xffff,
		 (unsigned int)version & 0xffff);
	return 0;
}

static int query_port(struct ibv_context *context, uint8_t port, struct ibv_port_attr *attr)
{
	struct ibv_query_port cmd;

	return ibv_cmd_query_port(context, port, attr, &cmd, sizeof(cmd));
}

/* Completions have the time of day. */
static int query_rt_values(struct ibv_context *context, struct ibv_values_ex *values)
{
	uint32_t asked = values->comp_mask;

	values->comp_mask = 0;
	if (!(asked & IBV_VALUES_MASK_RAW_CLOCK))
		return EINVAL;
	if (clock_gettime(CLOCK_REALTIME, &values->raw_clock))
		return errno;
	values->comp_mask = IBV_VALUES_MASK_RAW_CLOCK;
	return 0;
}

static void free_context(struct ibv_context *ibv)
{
	struct ropcie_context *context = to_context(ibv);

	verbs_uninit_context(&context->verbs);
	free(context);
}

static const struct verbs_context_ops operations = {
	.alloc_mw = ropcie_alloc_mw,
	.alloc_parent_domain = ropcie_alloc_parent_domain,
	.alloc_pd = ropcie_alloc_pd,
	.alloc_td = ropcie_alloc_td,
	.attach_mcast = ibv_cmd_attach_mcast,
	.bind_mw = ropcie_bind_mw,
	.close_xrcd = ropcie_close_xrcd,
	.create_ah = ropcie_create_ah,
	.create_cq = ropcie_create_cq,
	.create_cq_ex = ropcie_create_cq_ex,
	.create_qp = ropcie_create_qp,
	.create_qp_ex = ropcie_create_qp_ex,
	.create_srq = ropcie_create_srq,
	.create_srq_ex = ropcie_create_srq_ex,
	.dealloc_mw = ropcie_dealloc_mw,
	.dealloc_pd = ropcie_dealloc_pd,
	.dealloc_td = ropcie_dealloc_td,
	.dereg_mr = ropcie_dereg_mr,
	.destroy_ah = ropcie_destroy_ah,
	.destroy_cq = ropcie_destroy_cq,
	.destroy_qp = ropcie_destroy_qp,
	.destroy_srq = ropcie_destroy_srq,
	.detach_mcast = ibv_cmd_detach_mcast,
	.free_context = free_context,
	.get_srq_num = ropcie_get_srq_num,
	.import_mr = ropcie_import_mr,
	.import_pd = ropcie_import_pd,
	.modify_cq = ropcie_modify_cq,
	.modify_qp = ropcie_modify_qp,
	.modify_srq = ropcie_modify_srq,
	.open_qp = ropcie_open_qp,
	.open_xrcd = ropcie_open_xrcd,
	.poll_cq = ropcie_poll_cq,
	.post_recv = ropcie_post_recv,
	.post_send = ropcie_post_send,
	.post_srq_recv = ropcie_post_srq_recv,
	.query_device_ex = query_device_ex,
	.query_port = query_port,
	.query_qp = ropcie_query_qp,
	.query_rt_values = query_rt_values,
	.query_srq = ropcie_query_srq,
	.reg_mr = ropcie_reg_mr,
	.req_notify_cq = ropcie_req_notify_cq,
	.rereg_mr = ropcie_rereg_mr,
	.resize_cq = ropcie_resize_cq,
	.unimport_mr = ropcie_unimport_mr,
	.unimport_pd = ropcie_unimport_pd,
};

static struct ropcie_context *new_context(struct ibv_device *device, int fd)
{
	struct ropcie_context *context;

	context = verbs_init_and_alloc_context(device, fd, context, verbs, RDMA_DRIVER_UNKNOWN);
	if (context)
		verbs_set_ops(&context->verbs, &operations);
	return context;
}

static struct verbs_context *alloc_context(struct ibv_device *device, int fd, void *private_data)
{
	struct ropcie_cmd_alloc_context_resp resp = {};
	struct ropcie_cmd_alloc_context cmd = {};
	struct ropcie_context *context = new_context(device, fd);

	if (!context)
		return NULL;
	if (ibv_cmd_get_context(&context->verbs, &cmd.ibv_cmd, sizeof(cmd), &resp.ibv_resp,
				sizeof(resp)))
		goto free;
	if (resp.abi_version != ROPCIE_ABI_VERSION) {
		verbs_err(&context->verbs, "the kernel's rings have version %u, this provider's %u\n",
			  resp.abi_version, ROPCIE_ABI_VERSION);
		errno = EPROTONOSUPPORT;
		goto free;
	}
	return &context->verbs;

free:
	verbs_uninit_context(&context->verbs);
	free(context);
	return NULL;
}

static struct verbs_context *import_context(struct ibv_device *device, int fd)
{
	struct ropcie_context *context = new_context(device, fd);

	if (!context)
		return NULL;
	if (ibv_cmd_query_context(&context->verbs.context, NULL)) {
		verbs_uninit_context(&context->verbs);
		free(context);
		return NULL;
	}
	return &context->verbs;
}

static struct verbs_device *alloc_device(struct verbs_sysfs_dev *sysfs)
{
	return calloc(1, sizeof(struct verbs_device));
}

static void uninit_device(struct verbs_device *device)
{
	free(device);
}

/* The attribute stays when udev gives the device another name. */
static bool match_device(struct verbs_sysfs_dev *sysfs)
{
	char text[16];

	return ibv_read_ibdev_sysfs_file(text, sizeof(text), sysfs, "ropcie_abi") > 0;
}

static const struct verbs_match_ent no_table[] = { {} };

static const struct verbs_device_ops device_operations = {
	.name = "ropcie",
	.match_min_abi_version = ROPCIE_ABI_VERSION,
	.match_max_abi_version = ROPCIE_ABI_VERSION,
	.match_table = no_table,
	.match_device = match_device,
	.alloc_device = alloc_device,
	.uninit_device = uninit_device,
	.alloc_context = alloc_context,
	.import_context = import_context,
};

PROVIDER_DRIVER(ropcie, device_operations);
