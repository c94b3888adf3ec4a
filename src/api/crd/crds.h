/* SPDX-License-Identifier: Apache-2.0 */
/* crds.h -- custom resources: the definitions that there are, and what is served because of them.
 *
 *     stored ──sync──▶ names accepted ──▶ served, status written (crd_status.c)
 *       │                └─ no: the status says why; looked at again with every sync
 *     deleted ──sync──▶ objects purged (crd_purge.c) ──▶ finalizer off ──sync──▶ served no more,
 *                                                                         watches end
 *
 * A sync looks at the definitions in the cache and makes what is served fit them.  Whoever stores a
 * definition syncs before the writer is answered, so there is no moment in which its objects are
 * not served yet; one port watches the definitions and syncs for those that others have stored. */
#ifndef LW_API_CRD_CRDS_H
#define LW_API_CRD_CRDS_H

#include <stdatomic.h>

#include "api/context/port.h"
#include "base/sync.h"
#include "object/api_errors.h"

typedef struct lw_crd_entry lw_crd_entry;

typedef struct lw_crds {
    lw_mutex mu;
    lw_crd_entry *entries; /* mu: by name */
    size_t count;          /* mu */
    atomic_bool is_stale;  /* the last sync failed: what is served is not what is defined */
} lw_crds;

void lw_crds_init(lw_crds *crds);
void lw_crds_done(lw_crds *crds);

/* Makes what is served fit the definitions there are, on the loop of |port|.  Without memory
 * nothing changes, and it is logged: the next sync tries again. */
void lw_crds_sync(lw_api_port *port);

/* The same if the last one failed; true when it was tried.  For requests that find nothing. */
bool lw_crds_sync_again(lw_api_port *port);

/* Syncs now, and from now on whenever a definition changes.  One port of an API. */
void lw_crds_follow(lw_api_port *port);
void lw_crds_unfollow(lw_api_port *port); /* if it follows */

/* True when objects of |kind| may be made: it is built in, or its definition is there and not being
 * deleted.  False: |status| says why not (404, 405, 500). */
bool lw_crds_admits(const lw_api *api, const lw_kind *kind, lw_api_status *status);

#endif
