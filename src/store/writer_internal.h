/* SPDX-License-Identifier: Apache-2.0 */
/* writer_internal.h -- what writer.c and writer_chores.c share.  All of it runs on the thread of
 * the store, or before it is started. */
#ifndef LW_STORE_WRITER_INTERNAL_H
#define LW_STORE_WRITER_INTERNAL_H

#include "store/writer.h"

/* Records and logs whether the last commit succeeded. */
void lw_store_writer__report(lw_store_writer *writer, lw_status st, const lw_error *err);

/* Shows the state of the engine to other threads. */
void lw_store_writer__publish(lw_store_writer *writer);

/* Compacts the history before |revision|.  LW_ERR_TOO_LARGE_RV, LW_ERR_IO. */
lw_status lw_store_writer__compact_to(lw_store_writer *writer, uint64_t revision, lw_error *err);

bool lw_store_writer__has_to_sweep(const lw_store_writer *writer);

/* True if there is background work to do now; lw_store_writer__do_chore does one piece of it. */
bool lw_store_writer__has_chore(lw_store_writer *writer);
void lw_store_writer__do_chore(lw_store_writer *writer);

/* Returns when a background task may be due, by the system's clock. */
int64_t lw_store_writer__deadline(lw_store_writer *writer);

#endif
