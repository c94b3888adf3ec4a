/* SPDX-License-Identifier: Apache-2.0 */
/* mirror_custom.c -- custom resources: whenever a definition of the upstream changes, the kinds
 * that the mirror knows are updated, and followers begin or end.
 *
 * A custom resource is followed in one version: the named one, otherwise the one it is stored in,
 * otherwise the first that is served.  Requests for the others are passed on to the upstream, which
 * may convert objects with a webhook. */
#include "api/crd/crds.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "server/mirror/mirror_internal.h"

/* Returns true if the options name |kind|, or everything. */
static bool is_wanted(const lw_mirror *mirror, const lw_kind *kind)
{
    lw_str rest = lw_str_of(mirror->resources), name;
    if (!mirror->resources)
        return !mirror->ns || kind->is_namespaced;
    while (rest.len > 0) {
        (void)lw_str_cut(rest, ',', &name, &rest);
        if (lw_mirror__is_named(kind, lw_str_trim(name)))
            return true;
    }
    return false;
}

/* Returns the version of |definition| to follow; NULL: none. */
static const lw_kind *choose_version(const lw_mirror *mirror, const lw_definition *definition)
{
    size_t count;
    const lw_kind *first = NULL, *storage = lw_definition_storage_kind(definition);
    const lw_custom *served = lw_definition_served(definition, &count);
    for (size_t i = 0; i < count; i++) {
        const lw_kind *kind = &served[i].kind;
        if (!is_wanted(mirror, kind))
            continue;
        if (storage && lw_str_equal(storage->version, kind->version))
            return kind;
        first = first ? first : kind;
    }
    return first;
}

/* Returns the kind to follow in |registry| whose objects are in |resource|; NULL: none. */
static const lw_kind *kind_of(const lw_mirror *mirror, const lw_registry *registry,
                              const lw_cache_resource *resource)
{
    size_t count;
    const lw_kind *const *kinds = lw_registry_kinds(registry, &count);
    for (size_t i = 0; i < count; i++) {
        if (kinds[i]->custom && lw_kind_is_first(kinds[i]) &&
            lw_api_resource(mirror->api, kinds[i]) == resource)
            return choose_version(mirror, kinds[i]->custom->definition);
    }
    return NULL;
}

/* Ends followers whose definition is gone, or is to be followed in another version now. */
static void end_followers(lw_mirror *mirror, const lw_registry *registry)
{
    for (size_t i = 0; i < LW_MIRROR_RESOURCES_MAX; i++) {
        const lw_follower *follower = mirror->followers[i];
        if (!follower || !follower->options.kind->custom)
            continue;
        const lw_kind *now = kind_of(mirror, registry, follower->options.resource);
        if (!now || !lw_str_equal(now->version, follower->options.kind->version))
            lw_mirror__remove(mirror, i);
    }
}

static bool is_followed(const lw_mirror *mirror, const lw_cache_resource *resource)
{
    for (size_t i = 0; i < LW_MIRROR_RESOURCES_MAX; i++) {
        if (mirror->followers[i] && mirror->followers[i]->options.resource == resource)
            return true;
    }
    return false;
}

static void begin_followers(lw_mirror *mirror, const lw_registry *registry)
{
    size_t count;
    const lw_kind *const *kinds = lw_registry_kinds(registry, &count);
    for (size_t i = 0; i < count; i++) {
        lw_error err = LW_ERROR_INIT;
        if (!kinds[i]->custom || !lw_kind_is_first(kinds[i]))
            continue;
        const lw_kind *kind = choose_version(mirror, kinds[i]->custom->definition);
        if (!kind || is_followed(mirror, lw_api_resource(mirror->api, kind)))
            continue;
        if (lw_mirror__add(mirror, kind, 0, &err) < 0)
            lw_log(mirror->logger, LW_LOG_WARN, "mirror",
                   "%.*s.%.*s is not mirrored; requests are passed on: %s",
                   LW_STR_ARG(kind->plural), LW_STR_ARG(kind->group), err.message);
    }
}

/* Tells the watches of resources whose definition is gone that all objects are: the upstream
 * deleted them before the definition, but the watch of the resource may not have said so yet. */
static void tell_deletions(lw_mirror *mirror)
{
    lw_cache_resource *definitions =
        lw_api_resource(mirror->api, &lw_kind_customresourcedefinitions);
    uint64_t now = lw_cache_resource_revision(definitions);
    for (size_t i = 0; i < LW_MIRROR_RESOURCES_MAX; i++) {
        lw_follower *follower = mirror->followers[i];
        const lw_custom *custom = follower ? follower->options.kind->custom : NULL;
        if (!custom || !atomic_load(&follower->is_synced))
            continue;
        lw_object *crd =
            lw_cache_get_ref(definitions, LW_STR(""), lw_definition_name(custom->definition));
        uint64_t own = lw_cache_resource_revision(follower->options.resource);
        if (!crd)
            lw_follower_empty(follower, own > now ? own : now);
        lw_object_unref(crd);
    }
}

void lw_mirror__follow_definitions(void *arg)
{
    lw_mirror *mirror = arg;
    if (mirror->has_custom)
        tell_deletions(mirror);
    if (!mirror->has_custom || lw_crds_sync_mirror(mirror->api) < 0)
        return; /* the next change tries again */
    lw_registry *registry = lw_catalog_get_ref(&mirror->api->catalog);
    end_followers(mirror, registry);
    begin_followers(mirror, registry);
    lw_registry_unref(registry);
}
