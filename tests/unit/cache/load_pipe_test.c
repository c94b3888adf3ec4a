/* SPDX-License-Identifier: Apache-2.0 */
/* load_pipe_test.c -- many records become objects on several threads. */
#include "cache/load_pipe.h"

#include "cache/list.h"
#include "cache/resource.h"
#include "cache/scope.h"
#include "object/object.h"
#include "support/sanitized.h"
#include "unit/cache/rig.h"

enum {
    RECORDS = (IS_SANITIZED ? 12 : 60) * LW_LOAD_BATCH + 17,
    VALUE = 4096,
    NOWHERE = RECORDS,
};

/* A cache with one resource, and a record for it. */
typedef struct loading {
    fake_store store;
    lw_cache *cache;
    lw_cache_resource *things;
    lw_load_pipe pipe;
    char key[64], value[VALUE];
    unsigned observed;
    bool is_in_order;
} loading;

static lw_status observe(const lw_object *obj, void *arg)
{
    loading *l = arg;
    l->is_in_order =
        l->is_in_order && !obj->is_packed && lw_object_revision(obj) == (uint64_t)l->observed + 1;
    l->observed++;
    return LW_OK;
}

static void open_loading(loading *l, lw_compact_mode mode, bool is_observed)
{
    *l = (loading){ .is_in_order = true };
    fake_init(&l->store);
    const lw_cache_options options = { .store = &l->store.base, .compact = mode };
    assert_int_equal(lw_cache_new(&l->cache, &options, NULL), LW_OK);
    assert_int_equal(lw_cache_add(l->cache, LW_STR("/registry/things/"), true, &l->things, NULL),
                     LW_OK);
    if (is_observed)
        lw_cache_observe(l->things, &(lw_cache_observer){ .put = observe, .arg = l });
    assert_int_equal(lw_load_pipe_init(&l->pipe, l->things, NULL), LW_OK);
}

static void close_loading(loading *l)
{
    lw_load_pipe_done(&l->pipe);
    lw_cache_stop(l->cache);
    lw_cache_free(l->cache);
    fake_done(&l->store);
}

/* Sizes differ, so that batches end at different places. */
static lw_store_record record_of(loading *l, unsigned i)
{
    static const char words[] = "the settings of one are nearly those of the next one, but not all "
                                "of them are: ";
    int len =
        snprintf(l->value, VALUE,
                 "{\"kind\":\"Thing\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"t-%05u\","
                 "\"namespace\":\"n-%03u\",\"labels\":{\"app\":\"a-%u\"}},\"data\":{\"a\":\"",
                 i, i / 100, i % 3);
    for (unsigned k = 0; k < 3 + i % 31; k++)
        len += snprintf(l->value + len, VALUE - (size_t)len, "%s%u\\n", words, i * (k + 1));
    len += snprintf(l->value + len, VALUE - (size_t)len, "\"}}");
    (void)snprintf(l->key, sizeof(l->key), "/registry/things/n-%03u/t-%05u", i / 100, i);
    return (lw_store_record){ .key = lw_str_of(l->key),
                              .value = lw_str_make(l->value, (size_t)len),
                              .create_revision = 1,
                              .mod_revision = i + 1,
                              .is_stale = i % 7 == 0 };
}

/* The record |bad| is no object, and the record |other| is another object than its key says. */
static lw_status load_all(loading *l, unsigned bad, unsigned other, lw_error *err)
{
    lw_status st = LW_OK;
    for (unsigned i = 0; i < RECORDS && st == LW_OK; i++) {
        lw_store_record record = record_of(l, i);
        if (i == bad)
            record.value.len--;
        if (i == other)
            l->key[record.key.len - 1]++;
        st = lw_load_pipe_take(&l->pipe, &record, err);
        memset(l->value, '?', sizeof(l->value)); /* it was copied */
    }
    return lw_load_pipe_finish(&l->pipe, err);
}

static void assert_all_there(loading *l)
{
    lw_cache_list list;
    assert_int_equal(lw_cache_list_now(l->things, &rig_all, LW_STR(""), 0, &list, NULL), LW_OK);
    assert_int_equal(list.count, RECORDS);
    for (unsigned i = 0; i < RECORDS; i++) {
        const lw_store_record record = record_of(l, i);
        lw_object *parsed = NULL, *wanted = NULL;
        assert_int_equal(lw_object_from_json(&parsed, record.value.ptr, record.value.len, NULL),
                         LW_OK);
        assert_int_equal(lw_object_with_revision(&wanted, parsed, i + 1), LW_OK);
        lw_object *opened = lw_compact_open_ref(list.objects[i]);
        assert_string_equal(lw_object_name(opened), lw_object_name(wanted));
        assert_string_equal(lw_object_namespace(opened), lw_object_namespace(wanted));
        assert_string_equal(lw_object_label(opened, "app"), lw_object_label(wanted, "app"));
        assert_string_equal(lw_object_json(opened).ptr, lw_object_json(wanted).ptr);
        assert_int_equal(lw_object__is_stale(list.objects[i]), record.is_stale);
        lw_object_unref(opened);
        lw_object_unref(wanted);
        lw_object_unref(parsed);
    }
    lw_cache_list_done(&list);
}

static void load_well(lw_compact_mode mode, bool is_observed, size_t packed_min, size_t packed_max)
{
    loading l;
    lw_cache_stats stats;
    open_loading(&l, mode, is_observed);
    assert_int_equal(load_all(&l, NOWHERE, NOWHERE, NULL), LW_OK);
    lw_cache_resource_stats(l.things, &stats);
    assert_int_equal(stats.objects, RECORDS);
    assert_int_equal(stats.stale_objects, (RECORDS + 6) / 7);
    assert_in_range(stats.packed_objects, packed_min, packed_max);
    if (is_observed) {
        assert_int_equal(l.observed, RECORDS);
        assert_true(l.is_in_order);
    }
    assert_all_there(&l);
    close_loading(&l);
}

static void records_become_objects_in_their_order(void **state)
{
    (void)state;
    load_well(LW_COMPACT_OFF, false, 0, 0);
    load_well(LW_COMPACT_ON, false, RECORDS, RECORDS);
}

/* The number of records after the first LW_CACHE_COMPACT_BYTES. */
static size_t count_late(void)
{
    static loading l;
    size_t bytes = 0, late = 0;
    for (unsigned i = 0; i < RECORDS; i++) {
        const lw_store_record record = record_of(&l, i);
        late += bytes >= LW_CACHE_COMPACT_BYTES;
        bytes += record.key.len + record.value.len;
    }
    return late;
}

static void only_those_after_many_bytes_are_packed(void **state)
{
    (void)state;
    const size_t late = count_late(), about = 2 * (size_t)LW_LOAD_BATCH;
    assert_true(IS_SANITIZED || late > 2 * about);
    load_well(LW_COMPACT_AUTO, false, late, late > 0 ? late + about : 0);
}

static void an_observer_gets_each_object_open_and_in_order(void **state)
{
    (void)state;
    load_well(LW_COMPACT_OFF, true, 0, 0);
    load_well(LW_COMPACT_ON, true, RECORDS, RECORDS);
}

static void assert_spoiled(unsigned bad, unsigned other, const char *name)
{
    loading l;
    lw_error err = LW_ERROR_INIT;
    open_loading(&l, LW_COMPACT_ON, false);
    assert_int_equal(load_all(&l, bad, other, &err), LW_ERR_INVALID);
    if (!strstr(err.message, name))
        fail_msg("\"%s\" does not name %s", err.message, name);
    close_loading(&l);
}

static void the_first_record_that_is_wrong_is_named(void **state)
{
    (void)state;
    assert_spoiled(0, NOWHERE, "t-00000 in the store is not an object");
    assert_spoiled(RECORDS - 1, NOWHERE, "in the store is not an object");
    for (unsigned i = 0; i < 20; i++) {
        assert_spoiled(1000 + i, 1001 + i, "in the store is not an object");
        assert_spoiled(1001 + i * 100, 1000 + i * 100, "another name or namespace");
        assert_spoiled(1000, 2000 + i, "t-01000 in the store is not an object");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(records_become_objects_in_their_order),
        TEST(only_those_after_many_bytes_are_packed),
        TEST(an_observer_gets_each_object_open_and_in_order),
        TEST(the_first_record_that_is_wrong_is_named),
    };
    return cmocka_run_group_tests_name("load_pipe", tests, NULL, NULL);
}
