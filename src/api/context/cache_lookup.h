/* SPDX-License-Identifier: Apache-2.0 */
/* cache_lookup.h -- looks up one object in the cache and distinguishes "not found" from "the cache
 * cannot answer", which happens while a resource is being reloaded or cannot be. */
#ifndef LW_API_CONTEXT_CACHE_LOOKUP_H
#define LW_API_CONTEXT_CACHE_LOOKUP_H

#include "cache/cache.h"

/* Sets |*out| to the object, which the caller unrefs, or to NULL if it does not exist.
 * LW_ERR_NOMEM, LW_ERR_IO, LW_ERR_UNAVAILABLE. */
lw_status lw_lookup(lw_cache_resource *resource, lw_key key, lw_object **out);

#endif
