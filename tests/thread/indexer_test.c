/* SPDX-License-Identifier: Apache-2.0 */
/* indexer_test.c -- readers, the one writer, and an index added meanwhile, all at once on one
 * cache.
 *
 * The writer keeps two objects in step (both or none, the same revision) whenever it replaces
 * everything; readers must never see them apart. */
#include "informer/index/indexer.h"

#include <stdatomic.h>
#include <stdio.h>

#include "base/random.h"
#include "base/str.h"
#include "support/script_source.h"
#include "thread/crew.h"

enum {
    NAMES = 60,
    ROUNDS = 300,
    READS = 3000,
};

typedef struct arena {
    lw_indexer *indexer;
    atomic_int number; /* who am I */
    atomic_bool is_over;
    atomic_int faults;
    atomic_int first_fault; /* its line */
} arena;

static void expect_at(arena *a, bool is_so, int line)
{
    int none = 0;
    if (is_so)
        return;
    atomic_fetch_add(&a->faults, 1);
    (void)atomic_compare_exchange_strong(&a->first_fault, &none, line);
}
#define expect(a, is_so) expect_at((a), (is_so), __LINE__)

static lw_object *make(int name, uint64_t rv)
{
    char key[24];
    (void)snprintf(key, sizeof(key), "n%d/o%d", name % 3, name);
    return script_object(key, rv, 0);
}

static void index_parity(const lw_object *obj, void (*add)(void *to, lw_str value), void *to,
                         void *arg)
{
    (void)arg;
    add(to, lw_object_revision(obj) % 2 ? LW_STR("odd") : LW_STR("even"));
}

static void replace_all(arena *a, uint64_t rv)
{
    lw_object *objects[NAMES];
    size_t count = rv % 5 ? NAMES : 2; /* "twin" and "mate" are always there, together */
    objects[0] = script_object("pair/twin", rv, 0);
    objects[1] = script_object("pair/mate", rv, 0);
    for (size_t i = 2; i < count; i++)
        objects[i] = make((int)i, rv);
    expect(a, lw_indexer_replace(a->indexer, (const lw_object *const *)objects, count, NULL,
                                 NULL) == LW_OK);
    for (size_t i = 0; i < count; i++)
        lw_object_unref(objects[i]);
}

static void writer_run(arena *a)
{
    lw_random random;
    lw_random_init(&random, 7);
    for (uint64_t rv = 1; rv <= ROUNDS; rv++) {
        char text[24];
        replace_all(a, rv);
        for (int i = 0; i < 20; i++) {
            lw_object *old = NULL;
            lw_object *obj = make(2 + (int)lw_random_below(&random, NAMES - 2), rv);
            if (lw_random_below(&random, 3) == 0)
                lw_indexer_remove(a->indexer, lw_object_key(obj), &old);
            else
                expect(a, lw_indexer_put(a->indexer, obj, &old) == LW_OK);
            lw_object_unref(old);
            lw_object_unref(obj);
        }
        (void)snprintf(text, sizeof(text), "%llu", (unsigned long long)rv);
        lw_indexer_set_revision(a->indexer, text);
    }
    atomic_store(&a->is_over, true);
}

/* Whoever has seen a revision finds the cache at least as new. */
static void read_pair(arena *a)
{
    uint64_t least = lw_indexer_revision(a->indexer);
    lw_object_list *pair = lw_lister_list(lw_indexer_lister(a->indexer), "pair", NULL);
    size_t count = lw_object_list_count(pair);
    expect(a, count == 2 || (count == 0 && least == 0));
    if (count == 2) {
        uint64_t rv = lw_object_revision(lw_object_list_at(pair, 0));
        expect(a, rv == lw_object_revision(lw_object_list_at(pair, 1)));
        expect(a, rv >= least);
    }
    lw_object_list_free(pair);
}

static void read_others(arena *a, int name)
{
    lw_object *like = make(name, 1);
    lw_object_list *list = NULL;
    lw_object *obj = lw_indexer_get_ref(a->indexer, lw_object_key(like));
    if (obj)
        expect(a, lw_key_equal(lw_object_key(obj), lw_object_key(like)));
    lw_object_unref(obj);
    lw_object_unref(like);
    lw_status st = lw_indexer_by_index(a->indexer, "parity", LW_STR("odd"), &list, NULL);
    expect(a, st == LW_OK || st == LW_ERR_NOT_FOUND);
    for (size_t i = 0; i < lw_object_list_count(list); i++)
        expect(a, lw_object_revision(lw_object_list_at(list, i)) % 2 == 1);
    lw_object_list_free(list);
    expect(a, lw_indexer_bytes(a->indexer) > 0 && lw_indexer_count(a->indexer) <= NAMES);
}

static void reader_run(arena *a, int number)
{
    lw_random random;
    lw_random_init(&random, (uint64_t)number);
    for (int i = 0; i < READS && !atomic_load(&a->is_over); i++) {
        if (i == 50 && number == 1)
            expect(a,
                   lw_indexer_add_index(a->indexer, "parity", index_parity, NULL, NULL) == LW_OK);
        read_pair(a);
        read_others(a, 2 + (int)lw_random_below(&random, NAMES - 2));
    }
}

static void work(void *arg)
{
    arena *a = arg;
    int number = atomic_fetch_add(&a->number, 1);
    if (number == 0)
        writer_run(a);
    else
        reader_run(a, number);
}

static void readers_see_one_moment_each_whatever_the_writer_does(void **state)
{
    (void)state;
    arena a = { .number = 0 };
    assert_int_equal(lw_indexer_new(&a.indexer), LW_OK);
    crew_run(work, &a);
    assert_int_equal(a.first_fault, 0);
    assert_int_equal(a.faults, 0);
    assert_true(lw_indexer_check(a.indexer));
    lw_indexer_free(a.indexer);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(readers_see_one_moment_each_whatever_the_writer_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
