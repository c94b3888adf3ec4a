/* SPDX-License-Identifier: Apache-2.0 */
/* filter.h -- the part of a filter that needs the object.  scope.h has the part that needs only the
 * key. */
#ifndef LW_CACHE_FILTER_H
#define LW_CACHE_FILTER_H

#include "cache/cache.h"

/* Returns true if the key alone does not decide whether an object matches. */
bool lw_filter_has_selectors(const lw_cache_filter *filter);

/* Returns true if the labels and fields of |obj|, which is not packed, satisfy the selectors. */
bool lw_filter_selects(const lw_cache_filter *filter, const lw_object *obj);

/* As lw_filter_selects for an object that may be packed.  If its fields were needed and it is
 * selected, |*opened| is the open object, for the caller to unref; otherwise NULL.  LW_ERR_NOMEM.
 */
LW_MUST_CHECK lw_status lw_filter_check(const lw_cache_filter *filter, const lw_object *obj,
                                        bool *selects, lw_object **opened);

#endif
