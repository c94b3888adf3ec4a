/* SPDX-License-Identifier: Apache-2.0 */
/* replacement_test.c -- a state that is collected while a list arrives. */
#include "informer/index/replacement.h"

#include <stdio.h>

#include "support/script_source.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

static void put(lw_replacement *replacement, const char *key, uint64_t rv)
{
    lw_object *obj = script_object(key, rv, 0);
    assert_int_equal(lw_replacement_put(replacement, obj), LW_OK);
    lw_object_unref(obj);
}

static void assert_holds(lw_replacement *replacement, size_t at, const char *name, uint64_t rv)
{
    const lw_object *obj = lw_replacement_at(replacement, at);
    assert_string_equal(lw_object_name(obj), name);
    assert_int_equal(lw_object_revision(obj), rv);
    assert_ptr_equal(obj, lw_replacement_objects(replacement)[at]);
}

static void keeps_objects_in_their_order_and_each_key_once(void **state)
{
    (void)state;
    lw_replacement *replacement = NULL;
    assert_int_equal(lw_replacement_new(&replacement), LW_OK);
    put(replacement, "n/c", 1);
    put(replacement, "n/a", 2);
    put(replacement, "n/b", 3);
    put(replacement, "n/c", 4); /* comes again: keeps its place */
    assert_int_equal(lw_replacement_count(replacement), 3);
    assert_int_equal(lw_object_revision(lw_replacement_get(replacement, lw_key_make("n", "c"))), 4);
    assert_null(lw_replacement_get(replacement, lw_key_make("", "c")));
    lw_replacement_finish(replacement);
    assert_holds(replacement, 0, "c", 4);
    assert_holds(replacement, 1, "a", 2);
    assert_holds(replacement, 2, "b", 3);
    lw_replacement_free(replacement);
}

static void what_is_removed_leaves_no_gap(void **state)
{
    (void)state;
    lw_replacement *replacement = NULL;
    assert_int_equal(lw_replacement_new(&replacement), LW_OK);
    put(replacement, "a", 1);
    put(replacement, "b", 2);
    put(replacement, "c", 3);
    lw_replacement_remove(replacement, lw_key_make("", "a"));
    lw_replacement_remove(replacement, lw_key_make("", "nobody"));
    lw_replacement_remove(replacement, lw_key_make("", "c"));
    put(replacement, "a", 4); /* comes back, at the end */
    assert_int_equal(lw_replacement_count(replacement), 2);
    lw_replacement_finish(replacement);
    assert_int_equal(lw_replacement_count(replacement), 2);
    assert_holds(replacement, 0, "b", 2);
    assert_holds(replacement, 1, "a", 4);
    lw_replacement_free(replacement);
}

/* Whatever the capacity is: at each number of objects there may be no room for one more. */
static void what_replaces_another_needs_no_memory(void **state)
{
    (void)state;
    char key[32];
    lw_replacement *replacement = NULL;
    assert_int_equal(lw_replacement_new(&replacement), LW_OK);
    lw_object *again = script_object("n/0", 7, 0);
    for (int i = 0; i < 300; i++) {
        failing_alloc f;
        (void)snprintf(key, sizeof(key), "n/%d", i);
        put(replacement, key, 1);
        failing_alloc_begin(&f, 0);
        lw_status st = lw_replacement_put(replacement, again);
        failing_alloc_end();
        assert_int_equal(st, LW_OK);
    }
    assert_int_equal(lw_object_revision(lw_replacement_get(replacement, lw_key_make("n", "0"))), 7);
    lw_object_unref(again);
    lw_replacement_free(replacement);
}

static void thousands_find_their_place(void **state)
{
    (void)state;
    enum {
        MANY = 5000
    };
    lw_replacement *replacement = NULL;
    char key[32];
    failing_alloc f;
    failing_alloc_begin(&f, SIZE_MAX);
    assert_int_equal(lw_replacement_new(&replacement), LW_OK);
    for (unsigned i = 0; i < MANY; i++) {
        (void)snprintf(key, sizeof(key), "n%u/o%u", i % 7, i);
        put(replacement, key, i + 1);
    }
    for (unsigned i = 0; i < MANY; i += 2) {
        (void)snprintf(key, sizeof(key), "o%u", i);
        char ns[16];
        (void)snprintf(ns, sizeof(ns), "n%u", i % 7);
        lw_replacement_remove(replacement, lw_key_make(ns, key));
    }
    lw_replacement_finish(replacement);
    assert_int_equal(lw_replacement_count(replacement), MANY / 2);
    for (size_t i = 0; i < MANY / 2; i++)
        assert_int_equal(lw_object_revision(lw_replacement_at(replacement, i)), 2 * i + 2);
    lw_replacement_free(replacement);
    lw_replacement_free(NULL);
    failing_alloc_end();
    assert_int_equal(f.live, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(keeps_objects_in_their_order_and_each_key_once),
        TEST(what_is_removed_leaves_no_gap),
        TEST(what_replaces_another_needs_no_memory),
        TEST(thousands_find_their_place),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
