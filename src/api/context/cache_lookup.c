/* SPDX-License-Identifier: Apache-2.0 */
/* cache_lookup.c -- looks up one object in the cache, with an error if the cache cannot answer. */
#include "api/context/cache_lookup.h"

#include "base/str.h"

lw_status lw_lookup(lw_cache_resource *resource, lw_key key, lw_object **out)
{
    const lw_cache_filter filter = { .ns = key.ns, .name = key.name };
    lw_cache_list list = { 0 };
    *out = lw_cache_get_ref(resource, key.ns, key.name);
    if (*out || key.name.len == 0)
        return LW_OK;
    /* A list of this one name costs no more than the lookup and returns a status. */
    lw_status st = lw_cache_list_now(resource, &filter, LW_STR(""), 1, &list, NULL);
    if (st < 0)
        return st;
    if (list.count > 0)
        *out = lw_object_ref(list.objects[0]);
    lw_cache_list_done(&list);
    return LW_OK;
}
