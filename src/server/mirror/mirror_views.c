/* SPDX-License-Identifier: Apache-2.0 */
/* mirror_views.c -- the pruned views of mirrored resources: each is a fed resource of the cache. */
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "server/mirror/mirror_internal.h"

enum {
    PREFIX_MAX = 1024,
};

/* Adds the resource of |view| that |from| describes to the cache and to |follower|. */
static lw_status add_view(lw_mirror *mirror, lw_follower *follower, const lw_mirror_view *view,
                          const lw_mirror_view_resource *from, lw_error *err)
{
    char prefix[PREFIX_MAX];
    const lw_kind *kind = follower->options.kind;
    lw_cache_resource *resource = NULL;
    int len = snprintf(prefix, sizeof(prefix), "/views/%.*s/%.*s/%.*s/", LW_STR_ARG(view->name),
                       LW_STR_ARG(kind->group), LW_STR_ARG(kind->plural));
    lw_status st = lw_cache_add(mirror->api->cache, lw_str_make(prefix, (size_t)len),
                                kind->is_namespaced, &resource, err);
    if (st < 0)
        return st;
    lw_feed_init(resource);
    st = lw_follower_add_view(follower, view->name, resource, from, err);
    if (st < 0)
        lw_cache_remove(resource);
    return st;
}

void lw_mirror__remove_views(lw_follower *follower)
{
    for (size_t i = 0; i < follower->view_count; i++)
        lw_cache_remove(follower->views[i].resource);
}

lw_status lw_mirror__add_views(lw_mirror *mirror, lw_follower *follower, lw_error *err)
{
    size_t count;
    const lw_mirror_view *all = lw_mirror_views_all(mirror->views, &count);
    lw_status st = LW_OK;
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < all[i].count && st == LW_OK; j++) {
            if (lw_mirror__is_named(follower->options.kind, all[i].resources[j].name))
                st = add_view(mirror, follower, &all[i], &all[i].resources[j], err);
        }
    }
    if (st < 0)
        lw_mirror__remove_views(follower);
    return st;
}

/* True if a resource |name| is mirrored, or may be when it is defined. */
static bool may_be_mirrored(const lw_mirror *mirror, lw_str name)
{
    for (size_t i = 0; i < LW_MIRROR_RESOURCES_MAX; i++) {
        const lw_follower *follower = mirror->followers[i];
        if (follower && !follower->options.is_hidden &&
            lw_mirror__is_named(follower->options.kind, name))
            return true;
    }
    return mirror->has_custom && memchr(name.ptr, '.', name.len);
}

lw_status lw_mirror__check_views(lw_mirror *mirror, lw_error *err)
{
    size_t count;
    const lw_mirror_view *all = lw_mirror_views_all(mirror->views, &count);
    for (size_t i = 0; i < count; i++) {
        for (size_t j = 0; j < all[i].count; j++) {
            lw_str name = all[i].resources[j].name;
            if (!may_be_mirrored(mirror, name))
                return lw_error_set(err, LW_ERR_INVALID,
                                    "the view %.*s has the resource %.*s, which is not mirrored",
                                    LW_STR_ARG(all[i].name), LW_STR_ARG(name));
        }
    }
    return LW_OK;
}

static bool feeds(const lw_follower *follower, const lw_cache_resource *resource)
{
    for (size_t i = 0; i < follower->view_count; i++) {
        if (follower->views[i].resource == resource)
            return true;
    }
    return follower->options.resource == resource;
}

lw_follower *lw_mirror__find(lw_mirror *mirror, const lw_cache_resource *resource)
{
    for (size_t i = 0; resource && i < LW_MIRROR_RESOURCES_MAX; i++) {
        if (mirror->followers[i] && feeds(mirror->followers[i], resource))
            return mirror->followers[i];
    }
    return NULL;
}

static lw_cache_resource *view_in(const lw_follower *follower, lw_str view)
{
    for (size_t i = 0; i < follower->view_count; i++) {
        if (lw_str_equal(follower->views[i].name, view))
            return follower->views[i].resource;
    }
    return NULL;
}

lw_cache_resource *lw_mirror__view_ref(void *arg, lw_str view, lw_cache_resource *resource)
{
    lw_mirror *mirror = arg;
    lw_rwlock_read(&mirror->lock);
    const lw_follower *follower = lw_mirror__find(mirror, resource);
    lw_cache_resource *found = follower ? view_in(follower, view) : NULL;
    if (found)
        (void)lw_cache_resource_ref(found);
    lw_rwlock_unlock(&mirror->lock);
    return found;
}

bool lw_mirror_has_view(lw_mirror *mirror, lw_str view, const lw_kind *kind)
{
    size_t count;
    bool is_there = false;
    const lw_mirror_view *all = lw_mirror_views_all(mirror->views, &count);
    if (kind) {
        lw_cache_resource *found =
            lw_mirror__view_ref(mirror, view, lw_api_resource(mirror->api, kind));
        lw_cache_resource_unref(found);
        return found != NULL;
    }
    for (size_t i = 0; i < count; i++)
        is_there = is_there || lw_str_equal(all[i].name, view);
    return is_there;
}
