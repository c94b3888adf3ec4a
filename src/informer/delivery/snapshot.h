/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot.h -- the objects of one moment, shared by the listeners that get all of them.
 *
 * It needs one pointer per object; events are made while they are delivered.  Immutable: any
 * thread. */
#ifndef LW_INFORMER_DELIVERY_SNAPSHOT_H
#define LW_INFORMER_DELIVERY_SNAPSHOT_H

#include "informer/index/indexer.h"
#include "informer/index/replacement.h"

typedef struct lw_snapshot lw_snapshot;

/* Makes a snapshot of all objects in |indexer|.  LW_ERR_NOMEM. */
lw_status lw_snapshot_new(lw_snapshot **out, const lw_indexer *indexer);

/* Make an empty snapshot, and set its state (finished, taken) later; setting cannot fail. */
lw_status lw_snapshot_new_empty(lw_snapshot **out);
void lw_snapshot_set_take(lw_snapshot *snapshot, lw_replacement *replacement);

lw_snapshot *lw_snapshot_ref(lw_snapshot *snapshot);
void lw_snapshot_unref(lw_snapshot *snapshot); /* NULL does nothing */

size_t lw_snapshot_count(const lw_snapshot *snapshot);
const lw_object *lw_snapshot_at(const lw_snapshot *snapshot, size_t index); /* borrowed */

#endif
