/* SPDX-License-Identifier: Apache-2.0 */
/* state_scenarios.c -- a cache is saved and read, with every allocation failing in turn. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/error.h"
#include "base/str.h"
#include "informer/state/saved_cache.h"
#include "oom/oom.h"
#include "state/state_dir.h"
#include "support/script_source.h"

enum {
    OBJECTS = 3,
};

static lw_status fill(lw_replacement *state, lw_error *err)
{
    for (unsigned i = 0; i < OBJECTS; i++) {
        char key[16];
        (void)snprintf(key, sizeof(key), "n/o%u", i);
        lw_object *obj = script_object(key, i + 1, 1);
        lw_status st = obj ? lw_replacement_put(state, obj) : LW_ERR_NOMEM;
        lw_object_unref(obj);
        if (st < 0)
            return lw_error_nomem(err);
    }
    lw_replacement_finish(state);
    return LW_OK;
}

static lw_status make_objects(lw_snapshot **out, lw_error *err)
{
    lw_replacement *state = NULL;
    if (lw_replacement_new(&state) < 0)
        return lw_error_nomem(err);
    lw_status st = fill(state, err);
    if (st == LW_OK && lw_snapshot_new_empty(out) < 0)
        st = lw_error_nomem(err);
    if (st < 0) {
        lw_replacement_free(state);
        return st;
    }
    lw_snapshot_set_take(*out, state);
    return LW_OK;
}

static lw_status save_and_read(const char *path, lw_error *err)
{
    lw_snapshot *objects = NULL;
    lw_saved_cache read;
    const lw_state_facts facts = { .identity = LW_STR("i"),
                                   .resource_version = LW_STR("7"),
                                   .saved_s = 1 };
    lw_status st = make_objects(&objects, err);
    if (st == LW_OK) {
        const lw_state_objects saved = lw_saved_cache_objects_take(objects);
        st = lw_state_file_write(path, &facts, &saved, err);
        saved.free(saved.arg);
    }
    if (st == LW_OK)
        st = lw_saved_cache_read(path, LW_STR("i"), LW_COMPACT_ON, &read, err);
    if (st < 0)
        return st;
    bool is_whole = lw_replacement_count(read.objects) == OBJECTS;
    lw_saved_cache_done(&read);
    return is_whole ? LW_OK : lw_error_set(err, LW_ERR_INTERNAL, "objects are missing");
}

static lw_status a_file(lw_error *err)
{
    char folder[] = "/tmp/lw-oom-state-XXXXXX", path[64], lock[64];
    lw_state_dir *dir = NULL;
    if (!mkdtemp(folder))
        return lw_error_set(err, LW_ERR_IO, "mkdtemp");
    (void)snprintf(path, sizeof(path), "%s/pods.state", folder);
    (void)snprintf(lock, sizeof(lock), "%s/lock", folder);
    lw_status st = lw_state_dir_open(&dir, folder, err);
    if (st == LW_OK)
        st = save_and_read(path, err);
    lw_state_dir_close(dir);
    (void)unlink(path);
    (void)unlink(lock);
    (void)rmdir(folder);
    return st;
}

/* Packed objects, and one that is not. */

typedef struct shelf {
    lw_object *objects[OBJECTS];
    size_t count;
} shelf;

static lw_status make_packed(shelf *s, lw_error *err)
{
    static const lw_compact_options options = { .keeps_open = false };
    lw_compact *compact = NULL;
    lw_status st = lw_compact_new(&compact, &options);
    for (unsigned i = 0; i < OBJECTS && st == LW_OK; i++) {
        char json[1024];
        lw_object *obj = NULL;
        int len = snprintf(json, sizeof(json),
                           "{\"metadata\":{\"name\":\"web-%u\",\"resourceVersion\":\"%u\","
                           "\"labels\":{\"app\":\"web\"}},\"data\":{\"k\":\"%0500d\"}}",
                           i, i + 1, 0);
        st = lw_object_from_json(&obj, json, (size_t)len, NULL);
        if (st == LW_OK)
            s->objects[s->count++] = lw_compact_pack(compact, obj);
        lw_object_unref(obj);
    }
    lw_compact_close(compact);
    return st < 0 ? lw_error_nomem(err) : LW_OK;
}

static lw_status write_shelf(const shelf *s, lw_buf *out, lw_error *err)
{
    lw_saved_writer *writer = NULL;
    lw_status st = lw_saved_writer_new(&writer);
    for (size_t i = 0; i < s->count && st == LW_OK; i++)
        st = lw_saved_writer_put(writer, s->objects[i], out);
    lw_saved_writer_free(writer);
    return st < 0 ? lw_error_nomem(err) : LW_OK;
}

static lw_status take(const lw_object *obj, void *arg, lw_error *err)
{
    shelf *s = arg;
    (void)err;
    s->objects[s->count++] = lw_object_ref(obj);
    return LW_OK;
}

static void shelf_done(shelf *s)
{
    for (size_t i = 0; i < s->count; i++)
        lw_object_unref(s->objects[i]);
}

static lw_status packed_objects(lw_error *err)
{
    shelf written = { .count = 0 }, read = { .count = 0 };
    const lw_saved_sink sink = { .on_object = take, .arg = &read };
    lw_compact *packer = NULL;
    lw_buf bytes;
    lw_buf_init(&bytes, 1 << 20);
    lw_status st = make_packed(&written, err);
    if (st == LW_OK)
        st = write_shelf(&written, &bytes, err);
    if (st == LW_OK)
        st = lw_saved_read(lw_buf_view(&bytes), &sink, &packer, err);
    if (st == LW_OK && (read.count != OBJECTS || lw_object_revision(read.objects[2]) != 3))
        st = lw_error_set(err, LW_ERR_INTERNAL, "objects are missing");
    lw_compact_close(packer);
    shelf_done(&read);
    shelf_done(&written);
    lw_buf_done(&bytes);
    return st;
}

const oom_scenario state_scenarios[] = {
    { "packed objects are saved and read", packed_objects },
    { "a cache is saved and read", a_file },
};
const size_t state_scenario_count = sizeof(state_scenarios) / sizeof(state_scenarios[0]);
