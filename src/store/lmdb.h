/* SPDX-License-Identifier: Apache-2.0 */
/* lmdb.h -- the durable store: one LMDB file in a folder of its own. */
#ifndef LW_STORE_LMDB_H
#define LW_STORE_LMDB_H

#include <listwatch/log.h>
#include <listwatch/sys/clock.h>

#include "store/history.h"
#include "store/store.h"

typedef struct lw_lmdb_store_options {
    const char *folder; /* made (0700) if it is not there; one process at a time */
    lw_history_options history;
    size_t map_bytes;        /* of address space to begin with; 0: the default.  It grows. */
    const lw_clock *clock;   /* NULL: the system's */
    const lw_logger *logger; /* may be NULL; background work reports here */
} lw_lmdb_store_options;

/* Opens or makes the store.  LW_ERR_IO: the system refused, the disk is full, another process has
 * it open; LW_ERR_INVALID: the file is no store of ours, or is damaged.  Messages name the file and
 * what to do. */
lw_status lw_lmdb_store_open(lw_store **out, const lw_lmdb_store_options *options, lw_error *err);

#endif
