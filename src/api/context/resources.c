/* SPDX-License-Identifier: Apache-2.0 */
/* resources.c -- the key prefix of a kind in the store and its resource in the cache. */
#include "api/context/context.h"

#include "base/alloc.h"
#include "base/error.h"

enum {
    PREFIX_MAX = LW_STORE_KEY_MAX,
};

void lw_api_append_prefix(const lw_api *api, lw_str storage, lw_buf *out)
{
    lw_buf_append_text(out, api->key_prefix);
    lw_buf_append_str(out, storage);
    lw_buf_append_char(out, '/');
}

/* Makes the cache follow the objects of |kind|. */
static lw_status serve_kind(lw_api *api, const lw_kind *kind, lw_error *err)
{
    lw_buf prefix;
    lw_api_served *served = &api->served[api->served_count];
    lw_buf_init(&prefix, PREFIX_MAX);
    lw_api_append_prefix(api, kind->storage, &prefix);
    lw_status st = prefix.st < 0 ? lw_error_nomem(err)
                                 : lw_cache_add(api->cache, lw_buf_view(&prefix),
                                                kind->is_namespaced, &served->resource, err);
    lw_buf_done(&prefix);
    if (st == LW_OK) {
        served->kind = kind;
        api->served_count++;
    }
    return st;
}

lw_status lw_api_serve_kinds(lw_api *api, lw_error *err)
{
    size_t count = 0;
    const lw_kind *const *kinds = lw_registry_kinds(api->catalog.now, &count);
    api->served = lw_alloc_zero(count, sizeof(api->served[0]));
    if (!api->served)
        return lw_error_nomem(err);
    lw_status st = LW_OK;
    for (size_t i = 0; i < count && st == LW_OK; i++) {
        if (kinds[i]->storage.len > 0 && !kinds[i]->stored_as)
            st = serve_kind(api, kinds[i], err);
    }
    return st;
}

lw_cache_resource *lw_api_resource(const lw_api *api, const lw_kind *kind)
{
    if (kind && kind->custom)
        return lw_definition_serving(kind->custom->definition);
    kind = kind ? lw_kind_stored(kind) : NULL;
    for (size_t i = 0; i < api->served_count; i++) {
        if (api->served[i].kind == kind)
            return api->served[i].resource;
    }
    return NULL;
}

void lw_api_append_key(const lw_api *api, const lw_kind *kind, lw_key key, lw_buf *out)
{
    lw_api_append_prefix(api, kind->storage, out);
    if (kind->is_namespaced) {
        lw_buf_append_str(out, key.ns);
        lw_buf_append_char(out, '/');
    }
    lw_buf_append_str(out, key.name);
}
