/* SPDX-License-Identifier: Apache-2.0 */
/* crds.h -- custom resources: their definitions, and what is served because of them.
 *
 *     stored ──sync──▶ names accepted ──▶ served, status written (crd_status.c)
 *       │                └─ no: the status has the reason; checked again with every sync
 *     deleted ──sync──▶ objects purged (crd_purge.c) ──▶ finalizer removed ──sync──▶ no longer
 * served, watches end
 *
 * A sync makes the served kinds match the definitions in the cache.  A write of a definition syncs
 * before its client gets the reply, so the client can use the resource at once; one port watches
 * the definitions and syncs after the writes of other servers. */
#ifndef LW_API_CRD_CRDS_H
#define LW_API_CRD_CRDS_H

#include <stdatomic.h>

#include "api/context/port.h"
#include "api/conversion/conversion_metrics.h"
#include "base/sync.h"
#include "object/api_errors.h"

typedef struct lw_crd_entry lw_crd_entry;

typedef struct lw_crds {
    lw_mutex mu;
    lw_crd_entry *entries; /* mu: by name */
    size_t count;          /* mu */
    lw_conversion_metrics conversions;
    atomic_bool is_stale; /* the last sync failed: the served kinds do not match the definitions */
    atomic_uint_least64_t synced; /* lw_cache_resource_changes of the definitions at the last one */
} lw_crds;

/* Initialise and free the state of the definitions. */
void lw_crds_init(lw_crds *crds);
void lw_crds_done(lw_crds *crds);

/* Makes the served kinds match the definitions, on the loop of |port|.  On failure it logs the
 * error and changes nothing; the next sync tries again. */
void lw_crds_sync(lw_api_port *port);

/* The same for a mirror: definitions that the upstream has established are served, and nothing is
 * written or purged.  LW_ERR_NOMEM, or another error, which is logged: nothing has changed.  Any
 * thread. */
LW_MUST_CHECK lw_status lw_crds_sync_mirror(lw_api *api);

/* Syncs if the last sync failed, or definitions have changed since; returns true if it did.  For
 * requests whose resource is not found, and for discovery: who has seen in a watch that a
 * definition is established finds its kinds, whichever loop has the sync still to do. */
bool lw_crds_sync_again(lw_api_port *port);

/* Syncs now and whenever a definition changes.  Only one port of an API does this.  LW_ERR_INVALID:
 * a stored object of a custom resource cannot be read; |err| names its key. */
lw_status lw_crds_follow(lw_api_port *port, lw_error *err);
void lw_crds_unfollow(lw_api_port *port); /* does nothing if it does not follow */

/* Returns true if objects of |kind| may be created: it is built in, or its definition exists and is
 * not being deleted.  False: |status| has the reason (404, 405, 500). */
bool lw_crds_admits(const lw_api *api, const lw_kind *kind, lw_api_status *status);

#endif
