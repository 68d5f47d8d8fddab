// SPDX-License-Identifier: GPL-2.0-only OR BSD-2-Clause
/* Protection domains, parent and thread domains, XRC domains, address handles. */
#include <errno.h>
#include <stdlib.h>

#include "verbs.h"

struct ibv_pd *ropcie_alloc_pd(struct ibv_context *context)
{
	struct ib_uverbs_alloc_pd_resp resp;
	struct ibv_alloc_pd cmd;
	struct ropcie_pd *pd = calloc(1, sizeof(*pd));

	if (!pd)
		return NULL;
	if (ibv_cmd_alloc_pd(context, &pd->ibv, &cmd, sizeof(cmd), &resp, sizeof(resp))) {
		free(pd);
		return NULL;
	}
	return &pd->ibv;
}

static int dealloc_parent_domain(struct ropcie_pd *pd)
{
	__atomic_fetch_sub(&pd->parent_of->users, 1, __ATOMIC_RELAXED);
	if (pd->td)
		__atomic_fetch_sub(&pd->td->users, 1, __ATOMIC_RELAXED);
	free(pd);
	return 0;
}

int ropcie_dealloc_pd(struct ibv_pd *ibv)
{
	struct ropcie_pd *pd = to_pd(ibv);
	int err;

	if (pd->parent_of)
		return dealloc_parent_domain(pd);
	if (__atomic_load_n(&pd->users, __ATOMIC_RELAXED))
		return EBUSY;
	err = ibv_cmd_dealloc_pd(ibv);
	if (err)
		return err;
	free(pd);
	return 0;
}

struct ibv_td *ropcie_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr)
{
	struct ropcie_td *td;

	if (attr->comp_mask) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	td = calloc(1, sizeof(*td));
	if (!td)
		return NULL;
	td->ibv.context = context;
	return &td->ibv;
}

int ropcie_dealloc_td(struct ibv_td *ibv)
{
	struct ropcie_td *td = container_of(ibv, struct ropcie_td, ibv);

	if (__atomic_load_n(&td->users, __ATOMIC_RELAXED))
		return EBUSY;
	free(td);
	return 0;
}

/*
 * Allocators are taken and have nothing to do: rings are the kernel's memory, and there is no other that the device
 * works on.
 */
struct ibv_pd *ropcie_alloc_parent_domain(struct ibv_context *context,
					  struct ibv_parent_domain_init_attr *attr)
{
	struct ropcie_pd *pd;

	if (ibv_check_alloc_parent_domain(attr))
		return NULL;
	if (!check_comp_mask(attr->comp_mask, IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS |
						      IBV_PARENT_DOMAIN_INIT_ATTR_PD_CONTEXT)) {
		errno = EINVAL;
		return NULL;
	}
	pd = calloc(1, sizeof(*pd));
	if (!pd)
		return NULL;
	if (attr->td) {
		pd->td = container_of(attr->td, struct ropcie_td, ibv);
		__atomic_fetch_add(&pd->td->users, 1, __ATOMIC_RELAXED);
	}
	pd->parent_of = to_pd(attr->pd);
	__atomic_fetch_add(&pd->parent_of->users, 1, __ATOMIC_RELAXED);
	ibv_initialize_parent_domain(&pd->ibv, attr->pd);
	return &pd->ibv;
}

struct ibv_pd *ropcie_import_pd(struct ibv_context *context, uint32_t handle)
{
	struct ropcie_pd *pd = calloc(1, sizeof(*pd));

	if (!pd)
		return NULL;
	pd->ibv.context = context;
	pd->ibv.handle = handle;
	return &pd->ibv;
}

void ropcie_unimport_pd(struct ibv_pd *pd)
{
	free(to_pd(pd));
}

struct ibv_xrcd *ropcie_open_xrcd(struct ibv_context *context, struct ibv_xrcd_init_attr *attr)
{
	struct ib_uverbs_open_xrcd_resp resp = {};
	struct ibv_open_xrcd cmd = {};
	struct verbs_xrcd *xrcd = calloc(1, sizeof(*xrcd));
	int err;

	if (!xrcd)
		return NULL;
	err = ibv_cmd_open_xrcd(context, xrcd, sizeof(*xrcd), attr, &cmd, sizeof(cmd), &resp,
				sizeof(resp));
	if (err) {
		free(xrcd);
		errno = err;
		return NULL;
	}
	return &xrcd->xrcd;
}

int ropcie_close_xrcd(struct ibv_xrcd *ibv)
{
	struct verbs_xrcd *xrcd = container_of(ibv, struct verbs_xrcd, xrcd);
	int err = ibv_cmd_close_xrcd(xrcd);

	if (!err)
		free(xrcd);
	return err;
}

struct ibv_ah *ropcie_create_ah(struct ibv_pd *pd, struct ibv_ah_attr *attr)
{
	struct ropcie_cmd_create_ah_resp resp = {};
	struct ropcie_ah *ah;
	int err;

	if (!attr->is_global) {		/* an Ethernet-like port has no other addresses than GIDs */
		errno = EINVAL;
		return NULL;
	}
	ah = calloc(1, sizeof(*ah));
	if (!ah)
		return NULL;
	err = ibv_cmd_create_ah(pd, &ah->ibv, attr, &resp.ibv_resp, sizeof(resp));
	if (err) {
		free(ah);
		errno = err;
		return NULL;
	}
	ah->number = resp.ah_number;
	return &ah->ibv;
}

int ropcie_destroy_ah(struct ibv_ah *ah)
{
	int err = ibv_cmd_destroy_ah(ah);

	if (!err)
		free(to_ah(ah));
	return err;
}
