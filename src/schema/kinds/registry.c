/* SPDX-License-Identifier: Apache-2.0 */
/* registry.c -- the kinds that are served: arrays in discovery's order, and a map over them. */
#include "schema/kinds/registry.h"

#include <stdlib.h>

#include "base/alloc.h"
#include "base/map.h"
#include "base/ref.h"
#include "base/str.h"
#include "schema/kinds/version_order.h"

enum {
    KINDS_MAX = 16 * 1024, /* kinds that may be served at once */
};

struct lw_registry {
    lw_ref ref;
    const lw_kind **kinds; /* in discovery's order */
    size_t count;
    const lw_kind **told; /* those of them that discovery tells of */
    size_t told_count;
    lw_map by_resource;          /* lw_kind by the lw_gvr it is served as */
    lw_definition **definitions; /* held */
    size_t definition_count;
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

/* The kinds of a group side by side, in it those of a version, the preferred one first. */
static int compare_kinds(const void *a, const void *b)
{
    const lw_kind *ka = *(const lw_kind *const *)a, *kb = *(const lw_kind *const *)b;
    int order = lw_str_compare(ka->group, kb->group);
    if (order == 0)
        order = lw_version_order(ka->version, kb->version);
    return order != 0 ? order : lw_str_compare(ka->plural, kb->plural);
}

static lw_status add_builtin(lw_registry *registry)
{
    size_t count;
    const lw_kind *const *builtin = lw_kinds_builtin(&count);
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < count; i++)
        st = registry_add(registry, builtin[i]);
    return st;
}

static lw_status add_definition(lw_registry *registry, lw_definition *definition)
{
    size_t count;
    const lw_custom *versions = lw_definition_served(definition, &count);
    lw_status st = LW_OK;
    registry->definitions[registry->definition_count++] = lw_definition_ref(definition);
    for (size_t i = 0; st == LW_OK && i < count; i++)
        st = registry_add(registry, &versions[i].kind);
    return st;
}

/* Room for every kind, and for the definitions. */
static lw_status make_room(lw_registry *registry, lw_definition *const *definitions, size_t count)
{
    size_t kinds, served;
    (void)lw_kinds_builtin(&kinds);
    for (size_t i = 0; i < count; i++) {
        (void)lw_definition_served(definitions[i], &served);
        kinds += served;
    }
    registry->kinds = lw_alloc_zero(kinds, sizeof(*registry->kinds));
    registry->told = lw_alloc_zero(kinds, sizeof(*registry->told));
    registry->definitions = lw_alloc_zero(count + 1, sizeof(lw_definition *));
    if (!registry->kinds || !registry->told || !registry->definitions)
        return LW_ERR_NOMEM;
    return kinds > KINDS_MAX ? LW_ERR_LIMIT : LW_OK;
}

/* A client that finds a kind takes its definition for settled, so it must not be written any more.
 */
static bool is_told(const lw_kind *kind)
{
    return !kind->custom || lw_definition_is_established(kind->custom->definition);
}

lw_status lw_registry_new_with(lw_registry **out, lw_definition *const *definitions, size_t count)
{
    lw_registry *registry = lw_alloc_zero(1, sizeof(*registry));
    if (!registry)
        return LW_ERR_NOMEM;
    lw_ref_init(&registry->ref);
    lw_map_init(&registry->by_resource, &kinds_by_resource, lw_hash_seed_random(), KINDS_MAX);
    lw_status st = make_room(registry, definitions, count);
    if (st == LW_OK)
        st = add_builtin(registry);
    size_t customs = registry->count;
    for (size_t i = 0; st == LW_OK && i < count; i++)
        st = add_definition(registry, definitions[i]);
    if (st < 0) {
        lw_registry_unref(registry);
        return st;
    }
    qsort(registry->kinds + customs, registry->count - customs, sizeof(*registry->kinds),
          compare_kinds);
    for (size_t i = 0; i < registry->count; i++) {
        if (is_told(registry->kinds[i]))
            registry->told[registry->told_count++] = registry->kinds[i];
    }
    *out = registry;
    return LW_OK;
}

lw_status lw_registry_new(lw_registry **out)
{
    return lw_registry_new_with(out, NULL, 0);
}

lw_registry *lw_registry_ref(lw_registry *registry)
{
    lw_ref_inc(&registry->ref);
    return registry;
}

void lw_registry_unref(lw_registry *registry)
{
    if (!registry || !lw_ref_dec(&registry->ref))
        return;
    lw_map_done(&registry->by_resource);
    for (size_t i = 0; i < registry->definition_count; i++)
        lw_definition_unref(registry->definitions[i]);
    lw_free(registry->definitions);
    lw_free(registry->told);
    lw_free(registry->kinds);
    lw_free(registry);
}

const lw_kind *lw_registry_find(const lw_registry *registry, lw_str group, lw_str version,
                                lw_str plural)
{
    const lw_gvr key = { group, version, plural };
    return lw_map_get(&registry->by_resource, &key);
}

static bool has_group(const lw_kind *const *kinds, size_t count, lw_str group, lw_str version)
{
    for (size_t i = 0; i < count; i++) {
        if (lw_str_equal(kinds[i]->group, group) &&
            (version.len == 0 || lw_str_equal(kinds[i]->version, version)))
            return true;
    }
    return false;
}

bool lw_registry_has_group(const lw_registry *registry, lw_str group, lw_str version)
{
    return has_group(registry->kinds, registry->count, group, version);
}

bool lw_registry_tells_of_group(const lw_registry *registry, lw_str group, lw_str version)
{
    return has_group(registry->told, registry->told_count, group, version);
}

const lw_kind *const *lw_registry_kinds(const lw_registry *registry, size_t *count)
{
    *count = registry->count;
    return registry->kinds;
}

const lw_kind *const *lw_registry_told(const lw_registry *registry, size_t *count)
{
    *count = registry->told_count;
    return registry->told;
}

bool lw_registry_is_builtin_group(lw_str group)
{
    size_t count;
    const lw_kind *const *builtin = lw_kinds_builtin(&count);
    for (size_t i = 0; i < count; i++) {
        if (lw_str_equal(builtin[i]->group, group))
            return true;
    }
    return false;
}
