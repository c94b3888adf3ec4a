/* SPDX-License-Identifier: Apache-2.0 */
/* list_bounds.h -- notices a list that is too large, or that would never end.
 *
 * A server that sends continue tokens forever keeps its client busy, and a client that keeps the
 * objects runs out of memory.  Repeated tokens are found by comparing each with the previous one
 * and with one that is renewed at pages 1, 2, 4, 8 ... (Brent's algorithm), so a cycle of any
 * length is noticed and only two hashes are kept. */
#ifndef LW_OBJECT_LIST_BOUNDS_H
#define LW_OBJECT_LIST_BOUNDS_H

#include <listwatch/error.h>
#include <listwatch/read_options.h>

#include "base/hash.h"

enum {
    LW_LIST_EMPTY_PAGES_MAX = 1000, /* pages without objects, one after the other */
};

/* A list that is being read. */
typedef struct lw_list_progress {
    lw_list_bounds bounds; /* with the defaults */
    uint64_t objects, bytes, pages;
    uint64_t page_objects, empty_pages;
    lw_hash_seed seed;
    uint64_t last, checkpoint; /* hashes of tokens */
} lw_list_progress;

/* Starts a list. */
void lw_list_progress_begin(lw_list_progress *progress, const lw_list_bounds *bounds);

/* Counts an object of |size| bytes.  LW_ERR_LIMIT. */
lw_status lw_list_progress_object(lw_list_progress *progress, size_t size, lw_error *err);

/* Counts a page that ends with |token|, which is not empty.  LW_ERR_LIMIT (too many pages),
 * LW_ERR_INVALID (the list would never end). */
lw_status lw_list_progress_page(lw_list_progress *progress, const char *token, lw_error *err);

#endif
