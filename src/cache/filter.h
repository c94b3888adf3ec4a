/* SPDX-License-Identifier: Apache-2.0 */
/* filter.h -- the part of a filter that only the object itself can answer.  For the rest see
 * scope.h. */
#ifndef LW_CACHE_FILTER_H
#define LW_CACHE_FILTER_H

#include "cache/cache.h"

/* True when more than the key has to be asked. */
bool lw_filter_has_selectors(const lw_cache_filter *filter);

/* Whether labels and fields of |obj| satisfy the selectors. */
bool lw_filter_selects(const lw_cache_filter *filter, const lw_object *obj);

#endif
