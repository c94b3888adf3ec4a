/* SPDX-License-Identifier: Apache-2.0 */
/* history.h -- how much of the past a store keeps. */
#ifndef LW_STORE_HISTORY_H
#define LW_STORE_HISTORY_H

#include <stddef.h>
#include <stdint.h>

/* Both bounds hold: what is older than the age, or beyond the size, is compacted in the background,
 * from the oldest on. */
typedef struct lw_history_options {
    size_t max_bytes;   /* of keys and values that changes superseded or brought; 0: the default */
    int64_t max_age_ns; /* 0: the default */
} lw_history_options;

#define LW_HISTORY_BYTES  ((size_t)64 << 20)
#define LW_HISTORY_AGE_NS (INT64_C(3600) * 1000000000)

#endif
