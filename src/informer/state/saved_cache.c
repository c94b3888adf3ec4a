/* SPDX-License-Identifier: Apache-2.0 */
/* saved_cache.c -- the cache of an informer in a file. */
#include "informer/state/saved_cache.h"

#include "base/error.h"
#include "base/str.h"

static const lw_object *object_at(void *arg, size_t index)
{
    return lw_snapshot_at(arg, index);
}

static void free_objects(void *arg)
{
    lw_snapshot_unref(arg);
}

lw_state_objects lw_saved_cache_objects_take(lw_snapshot *snapshot)
{
    return (lw_state_objects){ lw_snapshot_count(snapshot), object_at, free_objects, snapshot };
}

static lw_status on_object(const lw_object *obj, void *arg, lw_error *err)
{
    lw_status st = lw_replacement_put(arg, obj);
    if (st == LW_ERR_LIMIT)
        return lw_error_set(err, st, "it has too many objects");
    return st < 0 ? lw_error_nomem(err) : LW_OK;
}

/* Reads |path|, or |bytes| if there is none. */
static lw_status read_objects(const char *path, lw_str bytes, lw_str identity, lw_saved_cache *out,
                              lw_error *err)
{
    lw_replacement *objects = NULL;
    if (lw_replacement_new(&objects) < 0)
        return lw_error_nomem(err);
    const lw_state_sink sink = { on_object, objects };
    lw_status st = path ? lw_state_file_read(path, identity, &sink, &out->state, err)
                        : lw_state_parse(bytes, identity, &sink, &out->state, err);
    if (st < 0) {
        lw_replacement_free(objects);
        return st;
    }
    lw_replacement_finish(objects);
    out->objects = objects;
    return LW_OK;
}

lw_status lw_saved_cache_read(const char *path, lw_str identity, lw_saved_cache *out, lw_error *err)
{
    return read_objects(path, LW_STR(""), identity, out, err);
}

lw_status lw_saved_cache_parse(lw_str bytes, lw_str identity, lw_saved_cache *out, lw_error *err)
{
    return read_objects(NULL, bytes, identity, out, err);
}

void lw_saved_cache_done(lw_saved_cache *saved)
{
    lw_replacement_free(saved->objects);
    saved->objects = NULL;
}
