/* SPDX-License-Identifier: Apache-2.0 */
/* index_test.c -- the ordered index and its snapshots. */
#include "cache/index/index.h"

#include <stdio.h>

#include "base/random.h"
#include "base/ref.h"
#include "base/str.h"
#include "object/object.h"
#include "unit/failing_alloc.h"
#include "unit/object/make.h"

enum {
    KEYS = 400, /* of the random test: nodes split, melt and vanish */
    KEY_SIZE = 32,
};

static lw_object *make(const char *ns, const char *name)
{
    char json[256];
    (void)snprintf(json, sizeof(json), "{\"metadata\":{\"namespace\":\"%s\",\"name\":\"%s\"}}", ns,
                   name);
    return object_of(json);
}

static void put(lw_index *index, const char *ns, const char *name)
{
    char key[KEY_SIZE];
    (void)snprintf(key, sizeof(key), "%s%s%s", ns, index->is_namespaced ? "/" : "", name);
    lw_object *obj = make(ns, name), *replaced = NULL;
    assert_int_equal(lw_index_put(index, lw_str_of(key), obj, &replaced), LW_OK);
    lw_object_unref(obj);
    lw_object_unref(replaced);
}

/* All keys in order, with blanks between them. */
static void print(const lw_index *index, char *text, size_t size)
{
    size_t len = 0;
    lw_index_cursor at = lw_index_seek(index, 0);
    text[0] = '\0';
    for (const lw_object *obj; (obj = lw_index_next(index, &at));)
        len += (size_t)snprintf(text + len, size - len, "%s%s/%s", len ? " " : "",
                                lw_object_namespace(obj), lw_object_name(obj));
}

static void order_is_that_of_whole_keys(void **state)
{
    (void)state;
    lw_index index;
    char text[256];
    lw_index_init(&index, true);
    put(&index, "a", "x");
    put(&index, "b", "a");
    put(&index, "a-b", "x");
    put(&index, "a0", "x");
    put(&index, "a", "b");
    put(&index, "a\xc3\xa4", "b");
    print(&index, text, sizeof(text));
    assert_string_equal(text, "a-b/x a/b a/x a0/x a\xc3\xa4/b b/a");
    lw_index_done(&index);

    lw_index_init(&index, false);
    put(&index, "", "b");
    put(&index, "", "a-b");
    put(&index, "", "a");
    print(&index, text, sizeof(text));
    assert_string_equal(text, "/a /a-b /b");
    lw_index_done(&index);
}

static void ranks_count_the_keys_before(void **state)
{
    (void)state;
    lw_index index;
    lw_index_init(&index, true);
    assert_int_equal(lw_index_rank(&index, LW_STR("x")), 0);
    put(&index, "a-b", "x");
    put(&index, "a", "x");
    put(&index, "a", "y");
    put(&index, "b", "x");
    const struct {
        lw_str key;
        size_t rank;
    } cases[] = {
        { LW_STR(""), 0 },        { LW_STR("a"), 0 },     { LW_STR("a-b/x"), 0 },
        { LW_STR("a-b/x\0"), 1 }, { LW_STR("a/"), 1 },    { LW_STR("a/x"), 1 },
        { LW_STR("a/x\0"), 2 },   { LW_STR("a/y\0"), 3 }, { LW_STR("a0"), 3 },
        { LW_STR("b/x"), 3 },     { LW_STR("b/x/y"), 4 }, { LW_STR("\xff\xff"), 4 },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
        assert_int_equal(lw_index_rank(&index, cases[i].key), cases[i].rank);
    assert_string_equal(lw_object_name(lw_index_find(&index, LW_STR("a/y"))), "y");
    assert_null(lw_index_find(&index, LW_STR("a/z")));
    assert_null(lw_index_find(&index, LW_STR("a")));
    lw_index_done(&index);
}

/* What the index should hold: for each key its object, or NULL. */
typedef struct model {
    lw_object *objects[KEYS];
} model;

static void key_of(size_t i, char *key)
{
    (void)snprintf(key, KEY_SIZE, "n%03zu/x", i);
}

static void assert_same(const lw_index *index, const model *m)
{
    assert_true(lw_index_check(index));
    lw_index_cursor at = lw_index_seek(index, 0);
    size_t count = 0;
    for (size_t i = 0; i < KEYS; i++) {
        char key[KEY_SIZE];
        key_of(i, key);
        assert_int_equal(lw_index_rank(index, lw_str_of(key)), count);
        assert_ptr_equal(lw_index_find(index, lw_str_of(key)), m->objects[i]);
        if (!m->objects[i])
            continue;
        assert_ptr_equal(lw_index_next(index, &at), m->objects[i]);
        count++;
    }
    assert_null(lw_index_next(index, &at));
    assert_null(lw_index_next(index, &at));
    assert_int_equal(lw_index_count(index), count);
}

static void model_set(model *m, size_t i, lw_object *obj)
{
    lw_object_unref(m->objects[i]);
    m->objects[i] = obj;
}

static void change(lw_index *index, model *m, size_t i, bool is_put)
{
    char key[KEY_SIZE], ns[KEY_SIZE];
    key_of(i, key);
    (void)snprintf(ns, sizeof(ns), "n%03zu", i);
    lw_object *before = NULL;
    if (is_put) {
        lw_object *obj = make(ns, "x");
        assert_int_equal(lw_index_put(index, lw_str_of(key), obj, &before), LW_OK);
        assert_ptr_equal(before, m->objects[i]);
        model_set(m, i, obj);
    } else {
        lw_status st = lw_index_remove(index, lw_str_of(key), &before);
        assert_int_equal(st, m->objects[i] ? LW_OK : LW_ERR_NOT_FOUND);
        assert_ptr_equal(before, m->objects[i]);
        model_set(m, i, NULL);
    }
    lw_object_unref(before);
}

static void keeps_up_with_a_model_and_snapshots_do_not_change(void **state)
{
    (void)state;
    enum {
        SNAPSHOTS = 4,
        STEPS = 12000
    };
    lw_index index, snapshots[SNAPSHOTS];
    model now = { { NULL } }, then[SNAPSHOTS] = { { { NULL } } };
    lw_random random;
    lw_random_init(&random, 7);
    lw_index_init(&index, true);
    for (size_t i = 0; i < SNAPSHOTS; i++)
        lw_index_init(&snapshots[i], true);
    for (int step = 0; step < STEPS; step++) {
        /* It grows to nearly all keys and shrinks to nearly none, in turn. */
        bool is_growing = step / 1500 % 2 == 0;
        bool is_put = lw_random_below(&random, 10) < (is_growing ? 8 : 1);
        change(&index, &now, (size_t)lw_random_below(&random, KEYS), is_put);
        if (step % 100 != 0)
            continue;
        size_t s = (size_t)lw_random_below(&random, SNAPSHOTS);
        assert_same(&snapshots[s], &then[s]);
        lw_index_done(&snapshots[s]);
        snapshots[s] = lw_index_snapshot(&index);
        for (size_t i = 0; i < KEYS; i++)
            model_set(&then[s], i, now.objects[i] ? lw_object_ref(now.objects[i]) : NULL);
        assert_same(&index, &now);
    }
    for (size_t i = 0; i < KEYS; i++)
        change(&index, &now, i, false);
    assert_int_equal(lw_index_count(&index), 0);
    assert_null(index.root);
    for (size_t s = 0; s < SNAPSHOTS; s++) {
        assert_same(&snapshots[s], &then[s]);
        lw_index_done(&snapshots[s]);
        for (size_t i = 0; i < KEYS; i++)
            model_set(&then[s], i, NULL);
    }
}

static void seeks_any_rank(void **state)
{
    (void)state;
    lw_index index;
    model m = { { NULL } };
    lw_index_init(&index, true);
    for (size_t i = 0; i < KEYS; i++)
        change(&index, &m, (i * 7) % KEYS, true);
    for (size_t i = 0; i <= KEYS; i++) {
        lw_index_cursor at = lw_index_seek(&index, i);
        assert_ptr_equal(lw_index_next(&index, &at), i < KEYS ? m.objects[i] : NULL);
    }
    for (size_t i = 0; i < KEYS; i++)
        model_set(&m, i, NULL);
    lw_index_done(&index);
}

static void without_memory_nothing_changes(void **state)
{
    (void)state;
    lw_index index, snapshot;
    model m = { { NULL } };
    lw_index_init(&index, true);
    for (size_t i = 0; i < KEYS - 1; i++)
        change(&index, &m, i, true);
    snapshot = lw_index_snapshot(&index); /* so that every node has to be copied */
    lw_object *obj = make("n399", "x"), *out = NULL;
    size_t failures = 0;
    for (size_t allowed = 0;; allowed++, failures++) {
        failing_alloc f;
        failing_alloc_begin(&f, allowed);
        lw_status st = lw_index_put(&index, LW_STR("n399/x"), obj, &out);
        failing_alloc_end();
        if (st == LW_OK)
            break;
        assert_int_equal(st, LW_ERR_NOMEM);
        assert_same(&index, &m);
    }
    assert_true(failures > 1);
    m.objects[KEYS - 1] = obj;
    assert_same(&index, &m);
    lw_index_done(&snapshot);

    snapshot = lw_index_snapshot(&index);
    failing_alloc f;
    failing_alloc_begin(&f, 1);
    lw_status st = lw_index_remove(&index, LW_STR("n399/x"), &out);
    failing_alloc_end();
    assert_int_equal(st, LW_ERR_NOMEM);
    assert_same(&index, &m);
    for (size_t i = 0; i < KEYS; i++)
        model_set(&m, i, NULL);
    lw_index_done(&snapshot);
    lw_index_done(&index);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(order_is_that_of_whole_keys),
        TEST(ranks_count_the_keys_before),
        TEST(keeps_up_with_a_model_and_snapshots_do_not_change),
        TEST(seeks_any_rank),
        TEST(without_memory_nothing_changes),
    };
    return cmocka_run_group_tests_name("cache/index", tests, NULL, NULL);
}
