/* SPDX-License-Identifier: Apache-2.0 */
/* lmdb.h -- the durable store: one LMDB file in its own directory. */
#ifndef LW_STORE_LMDB_H
#define LW_STORE_LMDB_H

#include <listwatch/log.h>
#include <listwatch/sys/clock.h>

#include "store/history.h"
#include "store/store.h"

typedef struct lw_lmdb_store_options {
    const char *folder; /* created (0700) if it does not exist; used by one process at a time */
    lw_history_options history;
    size_t map_bytes;        /* initial address space; 0: default.  It grows. */
    uint64_t limit_bytes;    /* of the pages in use; 0: none */
    bool finishes_sweep;     /* lw_store_free removes everything that was compacted */
    const lw_clock *clock;   /* NULL: the system's */
    const lw_logger *logger; /* may be NULL; for messages of background work */
} lw_lmdb_store_options;

/* Opens or creates the store.  An existing file is read completely and checked; one of the old
 * format is converted.  LW_ERR_IO: a system call failed, the disk is full, or another process has
 * it open; LW_ERR_INVALID: the file is not a store or is damaged; |logger| gets a line for each
 * damage.  Messages name the file and say what to do. */
lw_status lw_lmdb_store_open(lw_store **out, const lw_lmdb_store_options *options, lw_error *err);

#endif
