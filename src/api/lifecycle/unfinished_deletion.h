/* SPDX-License-Identifier: Apache-2.0 */
/* unfinished_deletion.h -- removes pods whose deletion was interrupted.
 *
 * A pod that need not end in peace is written as deleted, so that watchers see it, and then removed
 * (write/deletion.c).  A server that is killed between the two leaves a pod that nobody else
 * removes: it has no node, and its owner counts on the deletion.  Threads: those of the port's
 * loop. */
#ifndef LW_API_LIFECYCLE_UNFINISHED_DELETION_H
#define LW_API_LIFECYCLE_UNFINISHED_DELETION_H

#include "api/context/port.h"

typedef struct lw_unfinished_deletion lw_unfinished_deletion;

lw_status lw_unfinished_deletion_new(lw_unfinished_deletion **out, lw_api_port *port);

/* Sees a change of any object.  LW_ERR_NOMEM: the change is lost; forget, and begin again. */
lw_status lw_unfinished_deletion_observe(lw_unfinished_deletion *deletion, const lw_kind *kind,
                                         const lw_cache_event *event);

/* Starts what is due. */
void lw_unfinished_deletion_pump(lw_unfinished_deletion *deletion);

/* Changes were missed: forgets all pods. */
void lw_unfinished_deletion_forget(lw_unfinished_deletion *deletion);

/* Starts nothing from now on.  NULL does nothing. */
void lw_unfinished_deletion_stop(lw_unfinished_deletion *deletion);

/* After its writes are over.  NULL does nothing. */
void lw_unfinished_deletion_free(lw_unfinished_deletion *deletion);

#endif
