/* SPDX-License-Identifier: Apache-2.0 */
/* saving_rig.h -- a cache on a durable store, which saves copies of its objects. */
#ifndef LW_TESTS_UNIT_CACHE_SAVING_RIG_H
#define LW_TESTS_UNIT_CACHE_SAVING_RIG_H

#include "cache/saving.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/buf.h"
#include "base/str.h"
#include "cache/state.h"
#include "store/lmdb/lmdb.h"
#include "suite/store_place.h"

enum {
    VALUE = 4096,
    DUMP = 1 << 24,
};

/* A store in a folder, a cache on it, and what the cache has logged. */
typedef struct scene {
    store_place place, other;
    lw_store *store;
    lw_cache *cache;
    lw_cache_resource *things;
    char copies[STORE_PLACE_SIZE];
    char file[STORE_PLACE_SIZE]; /* the copy */
    lw_logger logger;
    unsigned warnings;
    char warning[512];
} scene;

static inline void on_line(lw_log_level level, const char *part, const char *text, void *arg)
{
    scene *s = arg;
    (void)part;
    if (level > LW_LOG_WARN)
        return;
    s->warnings++;
    (void)snprintf(s->warning, sizeof(s->warning), "%s", text);
}

static inline void open_store(scene *s, const store_place *place)
{
    lw_error err = LW_ERROR_INIT;
    const lw_lmdb_store_options options = { .folder = place->folder, .map_bytes = 1 << 24 };
    if (lw_lmdb_store_open(&s->store, &options, &err) < 0)
        fail_msg("%s", err.message);
}

static inline void open_cache(scene *s, const char *copies, lw_compact_mode mode)
{
    lw_error err = LW_ERROR_INIT;
    const lw_cache_options options = { .store = s->store,
                                       .compact = mode,
                                       .saved_folder = copies,
                                       .saved_min_bytes = 1,
                                       .logger = &s->logger };
    assert_int_equal(lw_cache_new(&s->cache, &options, NULL), LW_OK);
    assert_int_equal(lw_cache_add(s->cache, LW_STR("/registry/things/"), true, &s->things, NULL),
                     LW_OK);
    if (lw_cache_start(s->cache, &err) < 0)
        fail_msg("%s", err.message);
}

static inline void close_cache(scene *s)
{
    lw_cache_free(s->cache);
    s->cache = NULL;
}

static inline void close_store(scene *s)
{
    close_cache(s);
    lw_store_free(s->store);
    s->store = NULL;
}

static inline int setup(void **state)
{
    static scene s;
    s = (scene){ .store = NULL };
    s.logger = (lw_logger){ .level = LW_LOG_DEBUG, .fn = on_line, .arg = &s };
    store_place_make(&s.place);
    store_place_make(&s.other);
    (void)snprintf(s.copies, sizeof(s.copies), "%s/copies", s.place.root);
    assert_int_equal(mkdir(s.copies, 0700), 0);
    open_store(&s, &s.place);
    open_cache(&s, s.copies, LW_COMPACT_ON);
    lw_copy_name name;
    assert_true(lw_copy_name_of(s.things, &name));
    (void)snprintf(s.file, sizeof(s.file), "%s", name.path);
    lw_copy_name_done(&name);
    *state = &s;
    return 0;
}

static inline int teardown(void **state)
{
    scene *s = *state;
    close_store(s);
    lw_state_dir_remove(s->copies);
    store_place_remove(&s->place);
    store_place_remove(&s->other);
    return 0;
}

/* Writing to the store. */

/* Objects of all kinds: some are packed, some are too small for it; |salt| does not change their
 * lengths. */
static inline lw_str value_of(unsigned number, unsigned salt, char *out)
{
    int len =
        snprintf(out, VALUE,
                 "{\"kind\":\"Thing\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"t-%03u\","
                 "\"namespace\":\"n-%u\",\"uid\":\"u-%03u\",\"labels\":{\"app\":\"a-%u\"}},"
                 "\"data\":{\"a\":\"",
                 number, number % 3, number, number % 2);
    for (unsigned k = 0; k < (number % 5 == 0 ? 0 : 6 + number % 7); k++)
        len += snprintf(out + len, VALUE - (size_t)len,
                        "settings that are nearly those of the next one: %04u\\n",
                        (number * k + salt) % 10000);
    len += snprintf(out + len, VALUE - (size_t)len, "%05u\"}}", salt);
    return lw_str_make(out, (size_t)len);
}

static inline void commit(scene *s, lw_store_op op, unsigned number, unsigned salt)
{
    char key[64], value[VALUE];
    (void)snprintf(key, sizeof(key), "/registry/things/n-%u/t-%03u", number % 3, number);
    lw_store_txn txn = { .op = op, .key = lw_str_of(key), .value = value_of(number, salt, value) };
    lw_status st = lw_store_commit(s->store, &txn);
    if (st == LW_ERR_CONFLICT && txn.revision > 0) {
        txn.expected = txn.revision;
        st = lw_store_commit(s->store, &txn);
    }
    assert_true(st == LW_OK || (st == LW_ERR_CONFLICT && op == LW_STORE_DELETE));
}

static inline void put(scene *s, unsigned number, unsigned salt)
{
    commit(s, LW_STORE_PUT, number, salt);
}

/* Reads are of the state at the compacted revision. */
static inline void compact(scene *s)
{
    uint64_t current, compacted;
    lw_store_revisions(s->store, &current, &compacted);
    assert_int_equal(lw_store_compact(s->store, current, NULL), LW_OK);
}

static inline void save(scene *s)
{
    lw_error err = LW_ERROR_INIT;
    if (lw_cache_saving_write(s->things, &err) < 0)
        fail_msg("%s", err.message);
}

static inline void restart(scene *s)
{
    close_cache(s);
    open_cache(s, s->copies, LW_COMPACT_ON);
}

/* What a cache has. */

static inline void dump_object(const lw_object *obj, lw_buf *out)
{
    lw_object *opened = lw_compact_open_ref(obj);
    lw_str json = lw_object_json(opened);
    lw_buf_printf(out, "%" PRIu64 " %s %s %s %s ", lw_object_revision(obj),
                  lw_object_namespace(obj), lw_object_name(obj), lw_object_uid(obj),
                  lw_object_label(obj, "app"));
    lw_buf_append_str(out, json);
    lw_buf_append_char(out, '\n');
    lw_object_unref(opened);
}

/* All objects, and all changes that a watch can resume from. */
static inline void dump(const scene *s, lw_buf *out)
{
    static const lw_cache_filter all = { .takes_packed = true };
    lw_cache_list list;
    lw_buf_init(out, DUMP);
    assert_int_equal(lw_cache_list_now(s->things, &all, LW_STR(""), 0, &list, NULL), LW_OK);
    lw_buf_printf(out, "%zu objects at %" PRIu64 "\n", list.count, list.revision);
    for (size_t i = 0; i < list.count; i++)
        dump_object(list.objects[i], out);
    lw_cache_list_done(&list);
    const lw_event_ring *ring = &s->things->ring;
    lw_buf_printf(out, "changes after %" PRIu64 "\n", ring->oldest);
    uint64_t seq = lw_ring_first_seq(&ring->ring);
    for (const lw_cache_change *change; (change = lw_event_ring_at(ring, seq)); seq++) {
        lw_buf_printf(out, "%" PRIu64 " %d ", change->revision, (int)change->type);
        dump_object(change->object, out);
        if (change->prev)
            dump_object(change->prev, out);
    }
    lw_buf_append_char(out, '\0');
    assert_int_equal(out->st, LW_OK);
}

/* A cache that has started with the copy has the same as one that has started without. */
static inline void assert_same_without(scene *s)
{
    lw_buf with, without;
    dump(s, &with);
    close_cache(s);
    open_cache(s, NULL, LW_COMPACT_ON);
    dump(s, &without);
    assert_string_equal(with.data, without.data);
    lw_buf_done(&with);
    lw_buf_done(&without);
    close_cache(s);
    open_cache(s, s->copies, LW_COMPACT_ON);
}

static inline void fill(scene *s, unsigned count, unsigned salt)
{
    for (unsigned i = 0; i < count; i++)
        put(s, i, salt);
}

#define SCENE_TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

#endif
