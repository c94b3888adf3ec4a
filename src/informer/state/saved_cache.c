/* SPDX-License-Identifier: Apache-2.0 */
/* saved_cache.c -- the cache of an informer in a file. */
#include "informer/state/saved_cache.h"

#include "base/error.h"
#include "base/str.h"
#include "informer/index/packing.h"
#include "schema/message/message.h"

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
    return (lw_state_objects){
        .count = lw_snapshot_count(snapshot), .at = object_at, .free = free_objects, .arg = snapshot
    };
}

typedef struct reading {
    lw_replacement *objects;
    bool wants_open;
} reading;

/* Returns |obj| unpacked, with a reference; NULL: out of memory. */
static lw_object *open_object(const lw_object *obj)
{
    static const lw_read_options everything = { .keeps_managed_fields = true };
    lw_object *opened = lw_compact_open_ref(obj);
    if (!opened || !lw_compact_is_packed(opened))
        return opened;
    lw_buf json; /* a message */
    lw_object *copy = NULL;
    lw_buf_init(&json, LW_MESSAGE_MAX);
    if (lw_object__append_json(obj, &json) < 0 ||
        lw_object_from_json_with(&copy, json.data, json.len, &everything, NULL) < 0)
        copy = NULL;
    lw_buf_done(&json);
    lw_object_unref(opened);
    return copy;
}

static lw_status on_object(const lw_object *obj, void *arg, lw_error *err)
{
    reading *r = arg;
    lw_object *taken = r->wants_open ? open_object(obj) : lw_object_ref(obj);
    lw_status st = taken ? lw_replacement_put(r->objects, taken) : LW_ERR_NOMEM;
    lw_object_unref(taken);
    if (st == LW_ERR_LIMIT)
        return lw_error_set(err, st, "it has too many objects");
    return st < 0 ? lw_error_nomem(err) : LW_OK;
}

/* Reads |path|, or |bytes| if there is none. */
static lw_status read_objects(const char *path, lw_str bytes, lw_str identity, lw_compact_mode mode,
                              lw_saved_cache *out, lw_error *err)
{
    reading r = { .wants_open = mode == LW_COMPACT_OFF };
    if (lw_replacement_new(&r.objects) < 0)
        return lw_error_nomem(err);
    const lw_saved_sink sink = { .on_object = on_object,
                                 .find_message = lw_message_find_kind,
                                 .compact = lw_packing_options(mode),
                                 .arg = &r };
    lw_status st = path ? lw_state_file_read(path, identity, &sink, &out->state, err)
                        : lw_state_parse(bytes, identity, &sink, &out->state, err);
    if (st < 0) {
        lw_replacement_free(r.objects);
        return st;
    }
    lw_replacement_finish(r.objects);
    out->objects = r.objects;
    return LW_OK;
}

lw_status lw_saved_cache_read(const char *path, lw_str identity, lw_compact_mode mode,
                              lw_saved_cache *out, lw_error *err)
{
    return read_objects(path, LW_STR(""), identity, mode, out, err);
}

lw_status lw_saved_cache_parse(lw_str bytes, lw_str identity, lw_compact_mode mode,
                               lw_saved_cache *out, lw_error *err)
{
    return read_objects(NULL, bytes, identity, mode, out, err);
}

void lw_saved_cache_done(lw_saved_cache *saved)
{
    lw_replacement_free(saved->objects);
    lw_compact_close(saved->state.packer);
    saved->objects = NULL;
    saved->state.packer = NULL;
}
