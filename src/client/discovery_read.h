/* SPDX-License-Identifier: Apache-2.0 */
/* discovery_read.h -- what discovery documents say.  Sans-I/O. */
#ifndef LW_CLIENT_DISCOVERY_READ_H
#define LW_CLIENT_DISCOVERY_READ_H

#include "client/resource_set.h"

enum {
    LW_DISCOVERY_TREE_MAX = 128 * 1024 * 1024, /* memory for one document while it is read */
    LW_DISCOVERY_MAX_VERSIONS = 2048,          /* group versions that are asked for one by one */
};

/* The ranks of what is found under /api and /apis: the core group goes before all others, groups in
 * the order of the server, the preferred version of a group before its others. */
#define LW_DISCOVERY_RANK_API  UINT64_C(0)
#define LW_DISCOVERY_RANK_APIS (UINT64_C(1) << 48)

/* Gets a group version whose resources another document lists.  A negative status ends the
 * reading. */
typedef lw_status (*lw_discovery_version_fn)(lw_str group, lw_str version, uint64_t rank, void *arg,
                                             lw_error *err);

/* Reads one document, whatever it is: an APIGroupDiscoveryList (aggregated discovery) or an
 * APIResourceList adds to |set|, an APIVersions or APIGroupList calls |on_version|.  Parts that
 * make no sense are passed over.  LW_ERR_SYNTAX, LW_ERR_INVALID (another document), LW_ERR_LIMIT,
 * LW_ERR_NOMEM. */
lw_status lw_discovery_read(lw_str json, uint64_t rank, lw_resource_set *set,
                            lw_discovery_version_fn on_version, void *arg, lw_error *err);

#endif
