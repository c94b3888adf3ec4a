/* SPDX-License-Identifier: Apache-2.0 */
/* memory.h -- the in-memory store, the reference implementation: its data is lost when the process
 * ends. */
#ifndef LW_STORE_MEMORY_H
#define LW_STORE_MEMORY_H

#include <listwatch/sys/clock.h>

#include "store/history.h"
#include "store/store.h"

typedef struct lw_memory_store_options {
    lw_history_options history;
    uint64_t limit_bytes;  /* of keys and values with their history; 0: none */
    const lw_clock *clock; /* NULL: the system's */
} lw_memory_store_options;

/* Creates a store.  LW_ERR_NOMEM, LW_ERR_IO (no thread).  NULL |options|: defaults. */
lw_status lw_memory_store_new(lw_store **out, const lw_memory_store_options *options,
                              lw_error *err);

#endif
