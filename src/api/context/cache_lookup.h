/* SPDX-License-Identifier: Apache-2.0 */
/* cache_lookup.h -- one object out of the cache, where "there is none" must be told apart from "the
 * cache cannot say": when it has lost a resource and there is no memory to load it again. */
#ifndef LW_API_CONTEXT_CACHE_LOOKUP_H
#define LW_API_CONTEXT_CACHE_LOOKUP_H

#include "cache/cache.h"

/* Sets |*out| to the object, to unref, or to NULL when there is none.  LW_ERR_NOMEM, LW_ERR_IO. */
lw_status lw_lookup(lw_cache_resource *resource, lw_key key, lw_object **out);

#endif
