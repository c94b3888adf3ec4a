/* SPDX-License-Identifier: Apache-2.0 */
/* load_test.c -- a resource that comes in while the cache goes on. */
#include "cache/load.h"

#include <sched.h>
#include <stdatomic.h>

#include "base/sync.h"
#include "cache/load_pipe.h"
#include "cache/watcher.h"
#include "unit/cache/rig.h"

/* Adds /registry/things/ to a running cache and takes the place of the pods. */
static void add_things(rig *r)
{
    assert_int_equal(lw_cache_add(r->cache, LW_STR("/registry/things/"), true, &r->pods, NULL),
                     LW_OK);
}

static void a_resource_added_late_has_its_history_too(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    fake_put(&r.store, "things", "a", "x", "1"); /* 1 */
    fake_put(&r.store, "things", "a", "y", "1"); /* 2 */
    fake_put(&r.store, "things", "a", "x", "2"); /* 3 */
    assert_int_equal(lw_store_compact(&r.store.base, 1, NULL), LW_OK);
    fake_put(&r.store, "nodes", NULL, "n", "1"); /* 4 */
    add_things(&r);
    assert_string_equal(rig_list(&r, &rig_all, "", 0), "a/x@3 a/y@2");
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_AFTER, 1);
    fake_delete(&r.store, "things", "a", "x");
    assert_string_equal(rig_pull(&r, w), "+a/y@2 ~a/x@3 -a/x@5");
    lw_watcher_close(w);
    rig_done(&r);
}

static void write_things(void *arg)
{
    rig *r = arg;
    fake_put(&r->store, "things", "a", "x", "2");
    fake_put(&r->store, "things", "a", "z", "1");
}

static void what_comes_while_a_resource_is_loaded_comes_once(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    fake_put(&r.store, "things", "a", "x", "1");
    r.store.before_replay = write_things; /* told to the cache's own watch first */
    r.store.arg = &r;
    add_things(&r);
    assert_string_equal(rig_list(&r, &rig_all, "", 0), "a/x@2 a/z@3");
    fake_put(&r.store, "things", "a", "z", "2");
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_AFTER, 0);
    assert_string_equal(rig_pull(&r, w), "+a/x@1 ~a/x@2 +a/z@3 ~a/z@4");
    lw_watcher_close(w);
    rig_done(&r);
}

static void what_both_watches_tell_comes_once(void **state)
{
    (void)state;
    rig r;
    rig_start(&r);
    r.store.before_close = write_things; /* to the cache's watch, and to the load's, which ends */
    r.store.arg = &r;
    add_things(&r);
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_AFTER, 0);
    assert_string_equal(rig_pull(&r, w), "+a/x@1 +a/z@2");
    lw_watcher_close(w);
    rig_done(&r);
}

/* A change that the cache's watch has passed by is told to the load's watch late, or never if the
 * load closes that too early. */
typedef struct late_teller {
    rig r;
    lw_thread thread;
    atomic_bool is_closing;
} late_teller;

static void tell_late(void *arg)
{
    late_teller *late = arg;
    for (int i = 0; i < 1000 && !atomic_load(&late->is_closing); i++)
        (void)sched_yield();
    if (!atomic_load(&late->is_closing))
        fake_tell(&late->r.store, &late->r.store.watches[1], 1, NULL);
}

static void pass_by(void *arg)
{
    late_teller *late = arg;
    fake_put(&late->r.store, "things", "a", "x", "1"); /* the load's watch is not open yet */
    assert_int_equal(lw_thread_start(&late->thread, "late", tell_late, late, NULL), LW_OK);
}

static void stop_telling(void *arg)
{
    late_teller *late = arg;
    atomic_store(&late->is_closing, true);
    lw_thread_join(&late->thread);
}

static void a_load_waits_for_what_was_passed_by(void **state)
{
    (void)state;
    late_teller late = { .is_closing = false };
    rig_start(&late.r);
    late.r.store.after_replay = pass_by;
    late.r.store.before_close = stop_telling;
    late.r.store.arg = &late;
    add_things(&late.r);
    assert_string_equal(rig_list(&late.r, &rig_all, "", 0), "a/x@1");
    rig_done(&late.r);
}

static void a_resource_that_cannot_be_loaded_is_not_added(void **state)
{
    (void)state;
    rig r;
    lw_cache_resource *things = NULL;
    lw_error err = LW_ERROR_INIT;
    rig_start(&r);
    fake_commit(&r.store, "/registry/things/a/bad", "no", NULL);
    assert_int_equal(lw_cache_add(r.cache, LW_STR("/registry/things/"), true, &things, &err),
                     LW_ERR_INVALID);
    assert_non_null(strstr(err.message, "/registry/things/a/bad"));
    fake_delete(&r.store, "things", "a", "bad");
    assert_int_equal(lw_store_compact(&r.store.base, 2, NULL), LW_OK);
    assert_int_equal(lw_cache_add(r.cache, LW_STR("/registry/things/"), true, &things, &err),
                     LW_OK);
    rig_done(&r);
}

/* More than two batches, so that another thread puts them. */
enum {
    MANY = 2 * LW_LOAD_BATCH + 100,
};

static void put_many(rig *r)
{
    char name[16];
    for (unsigned i = 0; i < MANY; i++) {
        (void)snprintf(name, sizeof(name), "t-%04u", i);
        fake_put(&r->store, "things", "a", name, "1");
    }
}

static void many_objects_are_all_there_and_in_order(void **state)
{
    (void)state;
    rig r;
    lw_cache_list list;
    char name[16];
    rig_start(&r);
    put_many(&r);
    assert_int_equal(lw_store_compact(&r.store.base, MANY, NULL), LW_OK);
    add_things(&r);
    assert_int_equal(lw_cache_list_now(r.pods, &rig_all, LW_STR(""), 0, &list, NULL), LW_OK);
    assert_int_equal(list.count, MANY);
    for (unsigned i = 0; i < MANY; i++) {
        (void)snprintf(name, sizeof(name), "t-%04u", i);
        assert_string_equal(lw_object_name(list.objects[i]), name);
    }
    lw_cache_list_done(&list);
    fake_put(&r.store, "things", "a", "t-0000", "2");
    lw_watcher *w = rig_watch(&r, &rig_all, LW_WATCH_START_AFTER, MANY);
    assert_string_equal(rig_pull(&r, w), "~a/t-0000@613");
    lw_watcher_close(w);
    rig_done(&r);
}

/* |name| is under the key of another object, which nothing but the cache notices. */
static void assert_that_one_spoils_the_load(const char *key, const char *name)
{
    rig r;
    lw_cache_resource *things = NULL;
    lw_error err = LW_ERROR_INIT;
    char value[FAKE_VALUE_SIZE];
    rig_start(&r);
    put_many(&r);
    (void)snprintf(value, sizeof(value), "{\"metadata\":{\"namespace\":\"a\",\"name\":\"%s\"}}",
                   name);
    fake_commit(&r.store, key, value, NULL);
    assert_int_equal(lw_store_compact(&r.store.base, MANY + 1, NULL), LW_OK);
    assert_int_equal(lw_cache_add(r.cache, LW_STR("/registry/things/"), true, &things, &err),
                     LW_ERR_INVALID);
    assert_non_null(strstr(err.message, key));
    rig_done(&r);
}

static void one_of_many_that_is_not_what_its_key_says_is_named(void **state)
{
    (void)state;
    assert_that_one_spoils_the_load("/registry/things/a/t-0000x", "first"); /* the first batch */
    assert_that_one_spoils_the_load("/registry/things/a/t-0300x", "second");
    assert_that_one_spoils_the_load("/registry/things/a/t-9999", "last");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_resource_added_late_has_its_history_too),
        TEST(what_comes_while_a_resource_is_loaded_comes_once),
        TEST(what_both_watches_tell_comes_once),
        TEST(a_load_waits_for_what_was_passed_by),
        TEST(a_resource_that_cannot_be_loaded_is_not_added),
        TEST(many_objects_are_all_there_and_in_order),
        TEST(one_of_many_that_is_not_what_its_key_says_is_named),
    };
    return cmocka_run_group_tests_name("cache/load", tests, NULL, NULL);
}
