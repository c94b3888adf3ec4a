/* SPDX-License-Identifier: Apache-2.0 */
/* shared_store.h -- a store that others write to as well, on one in memory: what they write is held
 * back from the watches until the test lets it through, as a slow network would.
 *
 * A transaction that came through here is done when everything up to it has been let through. */
#ifndef LW_TESTS_SUPPORT_SHARED_STORE_H
#define LW_TESTS_SUPPORT_SHARED_STORE_H

#include "store/store.h"

/* Freed as a store. */
lw_status shared_store_new(lw_store **out, lw_error *err);

/* What somebody else writes to. */
lw_store *shared_store_inner(lw_store *store);

/* From now on changes are held back. */
void shared_store_hold(lw_store *store);

/* Lets through what was held back. */
void shared_store_let_through(lw_store *store);

/* How many ask whether the watches know everything; lets everything through and answers them; or
 * answers them with |st|. */
size_t shared_store_questions(lw_store *store);
void shared_store_answer(lw_store *store);
void shared_store_answer_with(lw_store *store, lw_status st);

/* The transactions to come are answered with |st|, and nothing is written; LW_OK: they are done. */
void shared_store_fail(lw_store *store, lw_status st);

/* Ends the watches as if their past was compacted. */
void shared_store_cut(lw_store *store);

/* Reads fail like this; LW_OK: they do not. */
void shared_store_fail_reads(lw_store *store, lw_status st);

/* Reads wait until this is called with false. */
void shared_store_block_reads(lw_store *store, bool is_blocked);

/* What the last transaction said of its time to live. */
int64_t shared_store_last_ttl(lw_store *store);

#endif
