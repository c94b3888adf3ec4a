/* SPDX-License-Identifier: Apache-2.0 */
/* copy_reader.h -- reads the saved copy of a resource while its records are read from the store,
 * and finds the objects that need not be made again.
 *
 *     file ──▶ thread: objects ──▶ batches ──▶ take: is it what the store has?
 *
 * A saved copy is only a cache of what the store says.  Its objects are in the order of their keys,
 * each with the checksum that the store has for its record (lw_store_head).  An object is used if
 * key, revision and checksum are those of the record, whatever has become of the store meanwhile.
 * A copy that is damaged is found out by its own checksum before any object is used.
 *
 * Ownership: the objects are those of the caller who takes them.  Threads: one at a time. */
#ifndef LW_CACHE_SAVED_COPY_READER_H
#define LW_CACHE_SAVED_COPY_READER_H

#include "cache/index/index.h"
#include "object/compact/compact.h"
#include "store/store.h"

enum {
    LW_COPY_BATCH = 256, /* objects that are handed over at once */
    LW_COPY_BATCHES = 8, /* that wait: the rest of the file is read when they are taken */
};

typedef struct lw_copy_reader lw_copy_reader;

/* Which copy, and for whom; kept until the reader is closed. */
typedef struct lw_copy_source {
    const char *path;
    lw_str identity;                   /* that of lw_copy_target */
    const lw_index *index;             /* has the order of the keys; its objects are not read */
    const lw_compact_options *compact; /* for the packed objects */
} lw_copy_source;

/* Begins to read.  NULL: there is no copy, or neither memory nor a thread to read it. */
lw_copy_reader *lw_copy_reader_open(const lw_copy_source *source);

/* Returns the saved object that the record |head| was made into, with a reference, or NULL.  |key|
 * is its key in the order of the index, which is greater than that of the call before.  Waits for
 * the thread. */
lw_object *lw_copy_reader_take(lw_copy_reader *reader, const lw_store_head *head, lw_str key);

/* Ends the reading and frees; NULL does nothing.  |*packer| is that of lw_saved_read, or NULL.
 * Errors of lw_state_file_read: the objects that were taken are right, but there were not all. */
lw_status lw_copy_reader_close(lw_copy_reader *reader, lw_compact **packer, lw_error *err);

#endif
