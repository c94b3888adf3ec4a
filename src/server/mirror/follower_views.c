/* SPDX-License-Identifier: Apache-2.0 */
/* follower_views.c -- feeds the pruned views of a resource with what the resource is fed with.
 *
 * Each change is pruned once per view, when it arrives; all who read the view share the result. */
#include "base/alloc.h"
#include "base/error.h"
#include "object/compact/compact.h"
#include "server/mirror/follower.h"

lw_status lw_follower_add_view(lw_follower *follower, lw_str name, lw_cache_resource *resource,
                               const lw_mirror_view_resource *from, lw_error *err)
{
    static const char example[] =
        "{\"kind\":\"A\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}";
    lw_read_options pruning = { .keep = from->drops ? NULL : from->paths,
                                .drop = from->drops ? from->paths : NULL };
    lw_object *probe = NULL;
    if (follower->view_count == LW_MIRROR_VIEWS_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "a resource has at most %d views",
                            LW_MIRROR_VIEWS_MAX);
    /* Malformed paths are found now, not with the first object. */
    lw_status st = lw_object_from_json_with(&probe, example, sizeof(example) - 1, &pruning, err);
    lw_object_unref(probe);
    if (st < 0)
        return st;
    pruning.trusts_input = true;
    follower->views[follower->view_count++] =
        (lw_follower_view){ name, lw_cache_resource_ref(resource), pruning };
    return LW_OK;
}

static lw_status prune(const lw_follower_view *view, const lw_object *obj, lw_object **out,
                       lw_error *err)
{
    lw_object *opened = lw_compact_open_ref(obj);
    if (!opened)
        return lw_error_nomem(err);
    lw_str json = lw_object_json(opened);
    lw_status st = lw_object_from_json_with(out, json.ptr, json.len, &view->pruning, err);
    lw_object_unref(opened);
    return st;
}

lw_status lw_follower__put_views(lw_follower *follower, const lw_object *obj, lw_error *err)
{
    lw_status st = LW_OK;
    for (size_t i = 0; i < follower->view_count && st == LW_OK; i++) {
        lw_object *pruned = NULL;
        st = prune(&follower->views[i], obj, &pruned, err);
        if (st == LW_OK)
            st = lw_feed_put(follower->views[i].resource, pruned);
        lw_object_unref(pruned);
    }
    return st;
}

lw_status lw_follower__remove_views(lw_follower *follower, const lw_object *last)
{
    lw_status st = LW_OK;
    for (size_t i = 0; i < follower->view_count && st == LW_OK; i++)
        st = lw_feed_remove(follower->views[i].resource, last);
    return st;
}

void lw_follower__publish_views(lw_follower *follower, uint64_t revision)
{
    for (size_t i = 0; i < follower->view_count; i++)
        lw_feed_publish(follower->views[i].resource, revision, follower->options.history_bytes);
}

static lw_status replace_view(lw_follower *follower, const lw_follower_view *view, lw_error *err)
{
    size_t count = 0;
    lw_object **pruned = lw_alloc((follower->count + 1) * sizeof(lw_object *));
    if (!pruned)
        return lw_error_nomem(err);
    lw_status st = LW_OK;
    for (; count < follower->count && st == LW_OK; count += st == LW_OK)
        st = prune(view, follower->objects[count], &pruned[count], err);
    if (st == LW_OK)
        st = lw_feed_replace(view->resource, pruned, count, follower->list_revision);
    for (size_t i = 0; i < count; i++)
        lw_object_unref(pruned[i]);
    lw_free(pruned);
    return st;
}

lw_status lw_follower__replace_views(lw_follower *follower, lw_error *err)
{
    lw_status st = LW_OK;
    for (size_t i = 0; i < follower->view_count && st == LW_OK; i++)
        st = replace_view(follower, &follower->views[i], err);
    return st;
}

void lw_follower_empty(lw_follower *follower, uint64_t revision)
{
    /* Without memory for it, the watches end without it. */
    (void)!lw_feed_replace(follower->options.resource, NULL, 0, revision);
    for (size_t i = 0; i < follower->view_count; i++)
        (void)!lw_feed_replace(follower->views[i].resource, NULL, 0, revision);
}
