/* SPDX-License-Identifier: Apache-2.0 */
/* copy_writer.h -- writes the saved copy of a resource: the objects of a snapshot, each with the
 * checksum of its record in the store.
 *
 * The store is asked for the checksums portion by portion, so that no read transaction lasts long.
 * An object that has changed since the snapshot is left out; so is one that cannot be read back
 * without the tables of its kind. */
#ifndef LW_CACHE_SAVED_COPY_WRITER_H
#define LW_CACHE_SAVED_COPY_WRITER_H

#include <stdatomic.h>

#include "cache/index/index.h"
#include "store/store.h"

enum {
    LW_COPY_PORTION = 1024,       /* records that are read at once */
    LW_COPY_FREE_MIN = 256 << 20, /* bytes that must stay free on the disk, for the store */
};

typedef struct lw_copy_target {
    const char *path;
    lw_str identity; /* what the objects are: a copy with another identity is not read */
    lw_str prefix;   /* of their keys in the store */
    lw_store *store; /* one that has checksums */
    /* True: the writing is given up. */
    const atomic_bool *is_stopping;
} lw_copy_target;

/* Writes |objects|, a snapshot, and replaces the copy that was there, if that succeeds.  May take
 * long, and waits for the disk.  LW_ERR_STOPPED; LW_ERR_NO_SPACE: less than LW_COPY_FREE_MIN would
 * be left; errors of lw_state_file_write and lw_store_read. */
LW_MUST_CHECK lw_status lw_copy_write(const lw_copy_target *target, const lw_index *objects,
                                      lw_error *err);

#endif
