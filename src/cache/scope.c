/* SPDX-License-Identifier: Apache-2.0 */
/* scope.c -- the range of keys for a namespace and a name. */
#include "cache/scope.h"

#include <string.h>

#include "base/str.h"
#include "object/object.h"

lw_filter_scope lw_scope_of(const lw_cache_filter *filter)
{
    lw_filter_scope scope = { filter->ns, filter->name };
    lw_str value;
    if (lw_str_is_empty(scope.ns) &&
        lw_field_selector_requires_exact(filter->fields, LW_STR("metadata.namespace"), &value))
        scope.ns = value;
    if (lw_str_is_empty(scope.name) &&
        lw_field_selector_requires_exact(filter->fields, LW_STR("metadata.name"), &value))
        scope.name = value;
    return scope;
}

bool lw_scope_has(const lw_filter_scope *scope, const lw_object *obj)
{
    return (scope->name.len == 0 ||
            lw_str_equal(scope->name, lw_object__field(obj, LW_OBJECT_NAME))) &&
           (scope->ns.len == 0 ||
            lw_str_equal(scope->ns, lw_object__field(obj, LW_OBJECT_NAMESPACE)));
}

bool lw_scope_key(bool is_namespaced, lw_str ns, lw_str name, char *storage, lw_str *key)
{
    if (!is_namespaced) {
        *key = name;
        return ns.len == 0 && name.len > 0;
    }
    if (ns.len == 0 || ns.len + 1 + name.len > LW_STORE_KEY_MAX)
        return false;
    memcpy(storage, ns.ptr, ns.len);
    storage[ns.len] = '/';
    if (name.len > 0)
        memcpy(storage + ns.len + 1, name.ptr, name.len);
    *key = lw_str_make(storage, ns.len + 1 + name.len);
    return true;
}

lw_scope_extent lw_scope_extent_of(const lw_filter_scope *scope, bool is_namespaced, char *storage,
                                   lw_str *key)
{
    bool is_all = scope->ns.len == 0 && (is_namespaced || scope->name.len == 0);
    *key = LW_STR("");
    if (is_all)
        return LW_SCOPE_UNDER;
    if (!lw_scope_key(is_namespaced, scope->ns, scope->name, storage, key))
        return LW_SCOPE_NOTHING;
    return scope->name.len > 0 ? LW_SCOPE_ONE : LW_SCOPE_UNDER;
}

void lw_scope_ranks(const lw_filter_scope *scope, const lw_index *index, size_t *begin, size_t *end)
{
    char storage[LW_STORE_KEY_MAX];
    lw_str key;
    lw_scope_extent extent = lw_scope_extent_of(scope, index->is_namespaced, storage, &key);
    *begin = extent == LW_SCOPE_NOTHING ? 0 : lw_index_rank(index, key);
    *end = *begin;
    if (extent == LW_SCOPE_ONE) {
        *end += lw_index_find(index, key) != NULL;
    } else if (extent == LW_SCOPE_UNDER && key.len == 0) {
        *end = lw_index_count(index);
    } else if (extent == LW_SCOPE_UNDER) {
        lw_store_prefix_end(key, storage, &key);
        *end = lw_index_rank(index, key);
    }
}
