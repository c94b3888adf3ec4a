/* SPDX-License-Identifier: Apache-2.0 */
/* registry.c -- the kinds that are served now: an array in discovery's order, and a map over it. */
#include "schema/registry.h"

#include <string.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/str.h"

enum {
    KINDS_MAX = 16 * 1024, /* kinds that may be served at once */
};

struct lw_registry {
    const lw_kind **kinds; /* in discovery's order */
    size_t count;
    lw_map by_resource; /* lw_kind by the lw_gvr it is served as */
};

static uint64_t resource_hash(const void *key, lw_hash_seed seed)
{
    const lw_gvr *resource = key;
    /* Plurals hardly ever clash; group and version only tell the few that do apart. */
    return lw_hash_str(seed, resource->resource);
}

static bool resource_has_key(const lw_map_type *type, const void *entry, const void *key)
{
    const lw_kind *kind = entry;
    const lw_gvr served = { kind->group, kind->version, kind->plural };
    (void)type;
    return lw_gvr_equal(served, *(const lw_gvr *)key);
}

static const lw_map_type kinds_by_resource = { resource_hash, resource_has_key, 0 };

static lw_status registry_add(lw_registry *registry, const lw_kind *kind)
{
    const lw_gvr key = { kind->group, kind->version, kind->plural };
    void *replaced = NULL;
    /* The map takes what can be changed, but nobody changes a kind. */
    lw_status st = lw_map_put(&registry->by_resource, &key, (lw_kind *)(uintptr_t)kind, &replaced);
    if (st == LW_OK)
        registry->kinds[registry->count++] = kind;
    return st;
}

lw_status lw_registry_new(lw_registry **out)
{
    size_t count;
    const lw_kind *const *builtin = lw_kinds_builtin(&count);
    lw_registry *registry = lw_alloc_zero(1, sizeof(*registry));
    if (!registry)
        return LW_ERR_NOMEM;
    lw_map_init(&registry->by_resource, &kinds_by_resource, lw_hash_seed_random(), KINDS_MAX);
    registry->kinds = lw_alloc_zero(count, sizeof(*registry->kinds));
    lw_status st = registry->kinds ? LW_OK : LW_ERR_NOMEM;
    for (size_t i = 0; st == LW_OK && i < count; i++)
        st = registry_add(registry, builtin[i]);
    if (st < 0) {
        lw_registry_free(registry);
        return st;
    }
    *out = registry;
    return LW_OK;
}

void lw_registry_free(lw_registry *registry)
{
    if (!registry)
        return;
    lw_map_done(&registry->by_resource);
    lw_free(registry->kinds);
    lw_free(registry);
}

const lw_kind *lw_registry_find(const lw_registry *registry, lw_str group, lw_str version,
                                lw_str plural)
{
    const lw_gvr key = { group, version, plural };
    return lw_map_get(&registry->by_resource, &key);
}

bool lw_registry_has_group(const lw_registry *registry, lw_str group, lw_str version)
{
    for (size_t i = 0; i < registry->count; i++) {
        const lw_kind *kind = registry->kinds[i];
        if (lw_str_equal(kind->group, group) &&
            (version.len == 0 || lw_str_equal(kind->version, version)))
            return true;
    }
    return false;
}

const lw_kind *const *lw_registry_kinds(const lw_registry *registry, size_t *count)
{
    *count = registry->count;
    return registry->kinds;
}
