/* SPDX-License-Identifier: Apache-2.0 */
/* conversion_cache.h -- objects as a conversion webhook has converted them, by uid, resourceVersion
 * and version.
 *
 * Bounded by its bytes; what was not used for longest goes first.  Threads: any. */
#ifndef LW_API_CONVERSION_CONVERSION_CACHE_H
#define LW_API_CONVERSION_CONVERSION_CACHE_H

#include <listwatch/object.h>

#include "base/dlist.h"
#include "base/map.h"
#include "base/sync.h"

enum {
    LW_CONVERSION_CACHE_BYTES = 32 * 1024 * 1024, /* of one definition */
    LW_CONVERSION_CACHE_ENTRIES = 64 * 1024,
};

typedef struct lw_conversion_cache {
    size_t max;  /* bytes */
    lw_mutex mu; /* guards the members below */
    lw_map entries;
    lw_dlist order; /* the least recently used first */
    size_t bytes;
} lw_conversion_cache;

void lw_conversion_cache_init(lw_conversion_cache *cache, size_t max);
void lw_conversion_cache_done(lw_conversion_cache *cache);

/* Returns |obj| in |version|, a reference of the caller's; NULL: it is not there. */
lw_object *lw_conversion_cache_get(lw_conversion_cache *cache, const lw_object *obj,
                                   lw_str version);

/* Keeps |converted|, which |obj| is in |version|.  Objects without uid or resourceVersion are not
 * kept; without memory nothing is. */
void lw_conversion_cache_put(lw_conversion_cache *cache, const lw_object *obj, lw_str version,
                             lw_object *converted);

#endif
