/* SPDX-License-Identifier: Apache-2.0 */
/* shared_store.h -- an in-memory store that others write to as well.  Watch events can be held back
 * until the test releases them, like on a slow network.
 *
 * A transaction of this store is done when all events up to it have been released. */
#ifndef LW_TESTS_SUPPORT_SHARED_STORE_H
#define LW_TESTS_SUPPORT_SHARED_STORE_H

#include "store/store.h"

/* The store is freed with lw_store_free. */
lw_status shared_store_new(lw_store **out, lw_error *err);

/* Returns the inner store, to write as another client. */
lw_store *shared_store_inner(lw_store *store);

/* Holds back all events from now on. */
void shared_store_hold(lw_store *store);

/* Releases the events that were held back. */
void shared_store_let_through(lw_store *store);

/* Returns the number of open barrier requests, which ask whether the watches are up to date;
 * releases all events and answers them; or answers them with |st|. */
size_t shared_store_questions(lw_store *store);
void shared_store_answer(lw_store *store);
void shared_store_answer_with(lw_store *store, lw_status st);

/* Further transactions fail with |st| and write nothing; LW_OK: they succeed. */
void shared_store_fail(lw_store *store, lw_status st);

/* Ends the watches as if their revision had been compacted. */
void shared_store_cut(lw_store *store);

/* Reads fail with |st|; LW_OK: they succeed. */
void shared_store_fail_reads(lw_store *store, lw_status st);

/* Reads block until this is called with false. */
void shared_store_block_reads(lw_store *store, bool is_blocked);

/* Returns the time to live of the last transaction. */
int64_t shared_store_last_ttl(lw_store *store);

#endif
