/* SPDX-License-Identifier: Apache-2.0 */
/* seed_batch.h -- objects that the server itself stores when it starts, all at once: the store
 * makes them durable together, which takes as long as one of them.
 *
 * Use it on one thread that is not the store's. */
#ifndef LW_API_CONTEXT_SEED_BATCH_H
#define LW_API_CONTEXT_SEED_BATCH_H

#include "api/context/context.h"
#include "base/dlist.h"
#include "base/random.h"
#include "base/sync.h"
#include "base/text/time_text.h"
#include "object/key.h"
#include "json/tree.h"

typedef struct lw_seed_batch {
    lw_api *api;
    lw_random random;
    char created[LW_TIME_TEXT_SIZE]; /* creationTimestamp of new objects */
    lw_dlist items;                  /* to be submitted, or submitted */
    lw_mutex mu;
    lw_cond over;
    size_t left; /* mu: submitted and not done */
} lw_seed_batch;

/* LW_ERR_INVALID: the system clock shows a date that cannot be written. */
LW_MUST_CHECK lw_status lw_seed_batch_init(lw_seed_batch *batch, lw_api *api, lw_error *err);
void lw_seed_batch_done(lw_seed_batch *batch);

/* Adds a new object.  |root|, a node of |tree|, is complete but for what the server sets: its uid,
 * its creationTimestamp, and the place of its resourceVersion.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_seed_batch_create(lw_seed_batch *batch, const lw_kind *kind, lw_key key,
                                             lw_tree *tree, lw_node *root);

/* Adds a change of an object whose mod revision is |expected|. */
LW_MUST_CHECK lw_status lw_seed_batch_update(lw_seed_batch *batch, const lw_kind *kind, lw_key key,
                                             const lw_node *root, uint64_t expected);

/* Stores everything that was added and waits.  An object that another server has created or changed
 * in the meantime is left as it is.  The first error of any of them. */
LW_MUST_CHECK lw_status lw_seed_batch_commit(lw_seed_batch *batch, lw_error *err);

#endif
