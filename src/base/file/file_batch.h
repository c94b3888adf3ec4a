/* SPDX-License-Identifier: Apache-2.0 */
/* file_batch.h -- small private files that are replaced together, which takes the disk about as
 * long as one of them.
 *
 *     add: writes "path.new" ──▶ commit: flushes all of these, renames them in the order in which
 *     they were added, flushes their directories
 *
 * A crash leaves each file as it was or as it is to be, and a later one is new only if the earlier
 * ones are.  (A power failure in the middle of the renames may break that order.)  Threads: any one
 * at a time. */
#ifndef LW_BASE_FILE_FILE_BATCH_H
#define LW_BASE_FILE_FILE_BATCH_H

#include "base/buf.h"
#include "base/dlist.h"

typedef struct lw_file_batch {
    lw_dlist files; /* of file_batch.c: to be flushed and renamed */
} lw_file_batch;

void lw_file_batch_init(lw_file_batch *batch);
void lw_file_batch_done(lw_file_batch *batch); /* removes what was not committed */

/* Adds |path|, to be replaced with |bytes| and readable only by the owner.  LW_ERR_IO names the
 * file; LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_file_batch_add(lw_file_batch *batch, const char *path, lw_str bytes,
                                          lw_error *err);

/* Replaces the files.  On failure, those that were added first may be new.  The batch is empty
 * then, and can be used again.  LW_ERR_IO names the file. */
LW_MUST_CHECK lw_status lw_file_batch_commit(lw_file_batch *batch, lw_error *err);

#endif
