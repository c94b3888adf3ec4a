/* SPDX-License-Identifier: Apache-2.0 */
/* discovery.h -- finds the resources of a server, over a session, without blocking; and reads
 * discovery documents, without I/O.
 *
 * Aggregated discovery needs two requests.  If the server does not support it, /api and /apis list
 * the group versions, and each of them needs one request.  One thread at a time, that of the
 * session. */
#ifndef LW_CLIENT_DISCOVERY_H
#define LW_CLIENT_DISCOVERY_H

#include "client/resource_set.h"
#include "client/session.h"

typedef struct lw_discovery lw_discovery;

/* Called at the end, from the dispatch of the session; the caller still frees the discovery, here
 * or later.  The receiver owns |set|; |gap| is the reason why a part is missing, or NULL.  |set|
 * NULL: discovery failed, and |gap| is the reason. */
typedef void (*lw_discovery_fn)(lw_resource_set *set, const lw_error *gap, void *arg);

lw_status lw_discovery_start(lw_discovery **out, lw_session *session, lw_discovery_fn on_done,
                             void *arg, lw_error *err);

/* Frees the discovery and cancels its requests.  NULL does nothing. */
void lw_discovery_free(lw_discovery *discovery);

enum {
    LW_DISCOVERY_TREE_MAX = 128 * 1024 * 1024, /* memory for reading one document */
    LW_DISCOVERY_MAX_VERSIONS = 2048,          /* group versions that need one request each */
};

/* The ranks of resources under /api and /apis: the core group comes first, then the groups in the
 * order of the server; in a group the preferred version comes first. */
#define LW_DISCOVERY_RANK_API  UINT64_C(0)
#define LW_DISCOVERY_RANK_APIS (UINT64_C(1) << 48)

/* Called with a group version that another document describes.  A negative status stops the
 * reader. */
typedef lw_status (*lw_discovery_version_fn)(lw_str group, lw_str version, uint64_t rank, void *arg,
                                             lw_error *err);

/* Reads one document of any kind: an APIGroupDiscoveryList (aggregated discovery) or an
 * APIResourceList is added to |set|; for an APIVersions or APIGroupList, |on_version| is called.
 * Invalid parts are skipped.  LW_ERR_SYNTAX, LW_ERR_INVALID (another document), LW_ERR_LIMIT,
 * LW_ERR_NOMEM. */
lw_status lw_discovery_read(lw_str json, uint64_t rank, lw_resource_set *set,
                            lw_discovery_version_fn on_version, void *arg, lw_error *err);

#endif
