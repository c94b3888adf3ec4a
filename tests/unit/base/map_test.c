/* SPDX-License-Identifier: Apache-2.0 */
/* map_test.c -- the hash table. */
#include "base/map.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/str.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

enum {
    MANY = 1000,
};

typedef struct item {
    int payload;
    lw_str name;
    char text[16];
    bool seen;
} item;

static const lw_map_type items_by_name = LW_MAP_STR_TYPE(item, name);
static const lw_hash_seed fixed_seed = { 11, 22 };

/* A type whose hash is the key itself, to put entries where a test wants them. */
typedef struct number {
    uint32_t key;
    bool seen;
} number;

static uint64_t number_hash(const void *key, lw_hash_seed seed)
{
    (void)seed;
    return *(const uint32_t *)key;
}

static bool number_has_key(const lw_map_type *type, const void *entry, const void *key)
{
    (void)type;
    return ((const number *)entry)->key == *(const uint32_t *)key;
}

static uint64_t same_hash(const void *key, lw_hash_seed seed)
{
    (void)key;
    (void)seed;
    return 5;
}

static const lw_map_type numbers = { number_hash, number_has_key, 0 };
static const lw_map_type colliding_numbers = { same_hash, number_has_key, 0 };

static void name_item(item *it, int n)
{
    (void)snprintf(it->text, sizeof(it->text), "pod-%d", n);
    it->name = lw_str_of(it->text);
    it->payload = n;
    it->seen = false;
}

static void put_new(lw_map *map, item *it)
{
    void *replaced = it;
    assert_int_equal(lw_map_put(map, &it->name, it, &replaced), LW_OK);
    assert_null(replaced);
}

static void put_number(lw_map *map, number *n)
{
    void *replaced = n;
    assert_int_equal(lw_map_put(map, &n->key, n, &replaced), LW_OK);
    assert_null(replaced);
    assert_true(lw_map_check(map));
}

static void fill(lw_map *map, item *items, int count)
{
    for (int i = 0; i < count; i++) {
        name_item(&items[i], i);
        put_new(map, &items[i]);
    }
}

static void an_empty_map_has_nothing_and_no_memory(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, 0);
    lw_map map;
    lw_map_init(&map, &items_by_name, fixed_seed, 10);
    assert_null(lw_map_get_str(&map, LW_STR("x")));
    assert_null(lw_map_remove_str(&map, LW_STR("x")));
    lw_map_cursor at = lw_map_begin(&map);
    assert_null(lw_map_next(&map, &at));
    assert_null(lw_map_next(&map, &at));
    assert_true(lw_map_check(&map));
    lw_map_clear(&map);
    lw_map_done(&map);
    failing_alloc_end();
    assert_int_equal(f.calls, 0);
}

static void finds_what_was_put_and_nothing_else(void **state)
{
    (void)state;
    static item items[MANY];
    lw_map map;
    lw_map_init(&map, &items_by_name, lw_hash_seed_random(), MANY);
    fill(&map, items, MANY);
    assert_int_equal(lw_map_count(&map), MANY);
    assert_true(lw_map_check(&map));
    for (int i = 0; i < MANY; i++) {
        item copy;
        name_item(&copy, i);
        assert_ptr_equal(lw_map_get_str(&map, copy.name), &items[i]);
        name_item(&copy, i + MANY);
        assert_null(lw_map_get_str(&map, copy.name));
    }
    lw_map_done(&map);
}

static void put_hands_back_the_replaced_entry(void **state)
{
    (void)state;
    item a;
    item b;
    name_item(&a, 1);
    name_item(&b, 1);
    lw_map map;
    lw_map_init(&map, &items_by_name, fixed_seed, 10);
    put_new(&map, &a);
    void *replaced = NULL;
    assert_int_equal(lw_map_put(&map, &b.name, &b, &replaced), LW_OK);
    assert_ptr_equal(replaced, &a);
    assert_int_equal(lw_map_count(&map), 1);
    assert_ptr_equal(lw_map_get_str(&map, b.name), &b);
    lw_map_done(&map);
}

static void removed_entries_are_gone_and_others_stay(void **state)
{
    (void)state;
    static item items[MANY];
    lw_map map;
    lw_map_init(&map, &items_by_name, fixed_seed, MANY);
    fill(&map, items, MANY);
    for (int i = 0; i < MANY; i += 2) {
        assert_ptr_equal(lw_map_remove_str(&map, items[i].name), &items[i]);
        assert_null(lw_map_remove_str(&map, items[i].name));
    }
    assert_true(lw_map_check(&map));
    for (int i = 0; i < MANY; i++)
        assert_ptr_equal(lw_map_get_str(&map, items[i].name), i % 2 ? &items[i] : NULL);
    lw_map_done(&map);
}

static void keys_may_be_empty_and_hold_nul_bytes(void **state)
{
    (void)state;
    item items[4] = {
        { .name = { NULL, 0 } },
        { .name = LW_STR_INIT("a") },
        { .name = LW_STR_INIT("a\0") },
        { .name = LW_STR_INIT("\0") },
    };
    lw_map map;
    lw_map_init(&map, &items_by_name, fixed_seed, 4);
    for (int i = 0; i < 4; i++)
        put_new(&map, &items[i]);
    for (int i = 0; i < 4; i++)
        assert_ptr_equal(lw_map_get_str(&map, items[i].name), &items[i]);
    assert_ptr_equal(lw_map_get_str(&map, LW_STR("")), &items[0]);
    lw_map_done(&map);
}

static void refuses_new_keys_at_its_limit_but_replaces(void **state)
{
    (void)state;
    item items[4];
    lw_map map;
    lw_map_init(&map, &items_by_name, fixed_seed, 3);
    fill(&map, items, 3);
    name_item(&items[3], 3);
    void *replaced = &map;
    assert_int_equal(lw_map_put(&map, &items[3].name, &items[3], &replaced), LW_ERR_LIMIT);
    assert_ptr_equal(replaced, &map);
    assert_int_equal(lw_map_count(&map), 3);
    assert_null(lw_map_get_str(&map, items[3].name));
    name_item(&items[3], 1);
    assert_int_equal(lw_map_put(&map, &items[3].name, &items[3], &replaced), LW_OK);
    assert_ptr_equal(replaced, &items[1]);
    lw_map_done(&map);
}

static void a_limit_of_zero_holds_nothing(void **state)
{
    (void)state;
    item it;
    name_item(&it, 0);
    lw_map map;
    lw_map_init(&map, &items_by_name, fixed_seed, 0);
    void *replaced;
    assert_int_equal(lw_map_put(&map, &it.name, &it, &replaced), LW_ERR_LIMIT);
    lw_map_done(&map);
}

static void a_failed_growth_changes_nothing(void **state)
{
    (void)state;
    static item items[MANY];
    failing_alloc f;
    failing_alloc_begin(&f, 2);
    lw_map map;
    lw_map_init(&map, &items_by_name, fixed_seed, MANY);
    lw_status st = LW_OK;
    int in = 0;
    for (; in < MANY && st == LW_OK; in++) {
        void *replaced = &map;
        name_item(&items[in], in);
        st = lw_map_put(&map, &items[in].name, &items[in], &replaced);
        assert_ptr_equal(replaced, st == LW_OK ? NULL : &map);
    }
    assert_int_equal(st, LW_ERR_NOMEM);
    in--;
    assert_int_equal(lw_map_count(&map), in);
    assert_true(lw_map_check(&map));
    assert_null(lw_map_get_str(&map, items[in].name));
    for (int i = 0; i < in; i++)
        assert_ptr_equal(lw_map_get_str(&map, items[i].name), &items[i]);
    f.allowed = 1;
    put_new(&map, &items[in]);
    lw_map_done(&map);
    failing_alloc_end();
    assert_int_equal(f.live, 0);
}

static void colliding_hashes_are_told_apart_by_key(void **state)
{
    (void)state;
    number n[40];
    lw_map map;
    lw_map_init(&map, &colliding_numbers, fixed_seed, 100);
    for (uint32_t i = 0; i < 40; i++) {
        n[i].key = i;
        put_number(&map, &n[i]);
    }
    for (uint32_t i = 0; i < 40; i++) {
        assert_ptr_equal(lw_map_remove(&map, &n[i].key), &n[i]);
        assert_true(lw_map_check(&map));
        assert_null(lw_map_get(&map, &n[i].key));
        for (uint32_t j = i + 1; j < 40; j++)
            assert_ptr_equal(lw_map_get(&map, &n[j].key), &n[j]);
    }
    lw_map_done(&map);
}

static void a_hash_of_zero_is_a_key_like_others(void **state)
{
    (void)state;
    number zero = { .key = 0 };
    number one = { .key = 1 };
    lw_map map;
    lw_map_init(&map, &numbers, fixed_seed, 100);
    put_number(&map, &zero);
    put_number(&map, &one);
    assert_ptr_equal(lw_map_get(&map, &zero.key), &zero);
    assert_ptr_equal(lw_map_remove(&map, &zero.key), &zero);
    assert_null(lw_map_get(&map, &zero.key));
    assert_ptr_equal(lw_map_get(&map, &one.key), &one);
    lw_map_done(&map);
}

static void gives_memory_back_after_mass_deletion(void **state)
{
    (void)state;
    static item items[MANY];
    lw_map map;
    lw_map_init(&map, &items_by_name, fixed_seed, MANY);
    fill(&map, items, MANY);
    assert_true(map.slots >= MANY);
    for (int i = 5; i < MANY; i++)
        assert_non_null(lw_map_remove_str(&map, items[i].name));
    assert_in_range(map.slots, 8, 64);
    assert_true(lw_map_check(&map));
    for (int i = 0; i < 5; i++)
        assert_ptr_equal(lw_map_get_str(&map, items[i].name), &items[i]);
    lw_map_done(&map);
}

static void works_on_when_there_is_no_memory_to_shrink(void **state)
{
    (void)state;
    static item items[MANY];
    lw_map map;
    failing_alloc f;
    failing_alloc_begin(&f, SIZE_MAX);
    lw_map_init(&map, &items_by_name, fixed_seed, MANY);
    fill(&map, items, MANY);
    f.allowed = 0;
    for (int i = 0; i < MANY; i++)
        assert_ptr_equal(lw_map_remove_str(&map, items[i].name), &items[i]);
    assert_int_equal(lw_map_count(&map), 0);
    put_new(&map, &items[0]);
    assert_true(lw_map_check(&map));
    lw_map_done(&map);
    failing_alloc_end();
    assert_int_equal(f.live, 0);
}

static void adding_and_removing_one_entry_does_not_allocate_each_time(void **state)
{
    (void)state;
    static item items[MANY];
    failing_alloc f;
    failing_alloc_begin(&f, SIZE_MAX);
    lw_map map;
    lw_map_init(&map, &items_by_name, fixed_seed, MANY);
    fill(&map, items, 100);
    /* Round every border, of growing and of shrinking. */
    for (int left = 100; left > 0; left--) {
        size_t before = f.calls;
        for (int i = 0; i < 50; i++) {
            assert_non_null(lw_map_remove_str(&map, items[left - 1].name));
            put_new(&map, &items[left - 1]);
        }
        assert_in_range(f.calls - before, 0, 1);
        assert_non_null(lw_map_remove_str(&map, items[left - 1].name));
    }
    lw_map_done(&map);
    failing_alloc_end();
}

static void clear_forgets_everything_and_can_go_on(void **state)
{
    (void)state;
    static item items[MANY];
    failing_alloc f;
    failing_alloc_begin(&f, SIZE_MAX);
    lw_map map;
    lw_map_init(&map, &items_by_name, fixed_seed, MANY);
    fill(&map, items, MANY);
    lw_map_clear(&map);
    assert_int_equal(f.live, 0);
    assert_int_equal(lw_map_count(&map), 0);
    assert_null(lw_map_get_str(&map, items[0].name));
    fill(&map, items, 10);
    assert_int_equal(lw_map_count(&map), 10);
    lw_map_done(&map);
    failing_alloc_end();
}

static void a_walk_sees_each_entry_once(void **state)
{
    (void)state;
    static item items[MANY];
    lw_map map;
    lw_map_init(&map, &items_by_name, lw_hash_seed_random(), MANY);
    fill(&map, items, MANY);
    size_t seen = 0;
    lw_map_cursor at = lw_map_begin(&map);
    for (item *it; (it = lw_map_next(&map, &at)); seen++) {
        assert_false(it->seen);
        it->seen = true;
    }
    assert_int_equal(seen, MANY);
    lw_map_done(&map);
}

static void a_walk_may_remove_what_it_sees(void **state)
{
    (void)state;
    static item items[MANY];
    for (uint64_t seed = 0; seed < 50; seed++) {
        lw_map map;
        lw_map_init(&map, &items_by_name, (lw_hash_seed){ seed, 0 }, MANY);
        int count = 20 + (int)seed * 10;
        fill(&map, items, count);
        lw_map_cursor at = lw_map_begin(&map);
        int seen = 0;
        for (item *it; (it = lw_map_next(&map, &at)); seen++) {
            assert_false(it->seen);
            it->seen = true;
            if (it->payload % 3 != 0)
                lw_map_remove_current(&map, &at);
        }
        assert_int_equal(seen, count);
        assert_int_equal(lw_map_count(&map), (count + 2) / 3);
        assert_true(lw_map_check(&map));
        for (int i = 0; i < count; i++)
            assert_ptr_equal(lw_map_get_str(&map, items[i].name), i % 3 ? NULL : &items[i]);
        lw_map_done(&map);
    }
}

/* A run that wraps round the end of the table: closing a gap pulls entries from slot 0 to the last
 * slot, which a walk from slot 0 on would see twice or never. */
static void a_removing_walk_copes_with_a_run_across_the_end(void **state)
{
    (void)state;
    for (unsigned removed = 0; removed < 64; removed++) {
        number n[6] = {
            { .key = 6 }, { .key = 14 }, { .key = 7 }, { .key = 15 }, { .key = 23 }, { .key = 9 },
        };
        lw_map map;
        lw_map_init(&map, &numbers, fixed_seed, 7);
        for (int i = 0; i < 6; i++)
            put_number(&map, &n[i]);
        assert_int_equal(map.slots, 8);
        lw_map_cursor at = lw_map_begin(&map);
        for (number *it; (it = lw_map_next(&map, &at));) {
            assert_false(it->seen);
            it->seen = true;
            if (removed >> (it - n) & 1)
                lw_map_remove_current(&map, &at);
            assert_true(lw_map_check(&map));
        }
        for (int i = 0; i < 6; i++) {
            assert_true(n[i].seen);
            assert_ptr_equal(lw_map_get(&map, &n[i].key), removed >> i & 1 ? NULL : &n[i]);
        }
        lw_map_done(&map);
    }
}

static void a_map_emptied_by_a_walk_shrinks_with_the_next_change(void **state)
{
    (void)state;
    static item items[MANY];
    lw_map map;
    lw_map_init(&map, &items_by_name, fixed_seed, MANY);
    fill(&map, items, MANY);
    lw_map_cursor at = lw_map_begin(&map);
    while (lw_map_next(&map, &at))
        lw_map_remove_current(&map, &at);
    assert_int_equal(lw_map_count(&map), 0);
    put_new(&map, &items[0]);
    assert_int_equal(map.slots, 8);
    lw_map_done(&map);
}

static void entries_may_be_freed_during_a_walk_that_ends_the_map(void **state)
{
    (void)state;
    lw_map map;
    lw_map_init(&map, &items_by_name, fixed_seed, MANY);
    for (int i = 0; i < MANY; i++) {
        item *it = lw_alloc(sizeof(*it));
        assert_non_null(it);
        name_item(it, i);
        put_new(&map, it);
    }
    lw_map_cursor at = lw_map_begin(&map);
    for (item *it; (it = lw_map_next(&map, &at));)
        lw_free(it);
    lw_map_done(&map);
}

/* Many random changes against the plainest model there is: an array of what should be in. */
static void agrees_with_a_model_through_random_changes(void **state)
{
    (void)state;
    static item items[MANY];
    static item twins[MANY];
    static item *inside[MANY];
    lw_random random;
    lw_random_init(&random, 2024);
    lw_map map;
    lw_map_init(&map, &items_by_name, fixed_seed, MANY);
    for (int i = 0; i < MANY; i++) {
        name_item(&items[i], i);
        name_item(&twins[i], i);
    }
    size_t count = 0;
    for (int step = 0; step < 200000; step++) {
        /* Phases of growing and of shrinking. */
        bool grows = step / 10000 % 2 == 0;
        size_t i = (size_t)lw_random_below(&random, MANY);
        if (lw_random_below(&random, 10) < (grows ? 7u : 2u)) {
            item *it = inside[i] == &items[i] ? &twins[i] : &items[i];
            void *replaced;
            assert_int_equal(lw_map_put(&map, &it->name, it, &replaced), LW_OK);
            assert_ptr_equal(replaced, inside[i]);
            count += inside[i] == NULL;
            inside[i] = it;
        } else {
            assert_ptr_equal(lw_map_remove_str(&map, items[i].name), inside[i]);
            count -= inside[i] != NULL;
            inside[i] = NULL;
        }
        size_t j = (size_t)lw_random_below(&random, MANY);
        assert_ptr_equal(lw_map_get_str(&map, items[j].name), inside[j]);
        assert_int_equal(lw_map_count(&map), count);
        if (step % 1000 == 0)
            assert_true(lw_map_check(&map));
    }
    lw_map_done(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(an_empty_map_has_nothing_and_no_memory),
        TEST(finds_what_was_put_and_nothing_else),
        TEST(put_hands_back_the_replaced_entry),
        TEST(removed_entries_are_gone_and_others_stay),
        TEST(keys_may_be_empty_and_hold_nul_bytes),
        TEST(refuses_new_keys_at_its_limit_but_replaces),
        TEST(a_limit_of_zero_holds_nothing),
        TEST(a_failed_growth_changes_nothing),
        TEST(colliding_hashes_are_told_apart_by_key),
        TEST(a_hash_of_zero_is_a_key_like_others),
        TEST(gives_memory_back_after_mass_deletion),
        TEST(works_on_when_there_is_no_memory_to_shrink),
        TEST(adding_and_removing_one_entry_does_not_allocate_each_time),
        TEST(clear_forgets_everything_and_can_go_on),
        TEST(a_walk_sees_each_entry_once),
        TEST(a_walk_may_remove_what_it_sees),
        TEST(a_removing_walk_copes_with_a_run_across_the_end),
        TEST(a_map_emptied_by_a_walk_shrinks_with_the_next_change),
        TEST(entries_may_be_freed_during_a_walk_that_ends_the_map),
        TEST(agrees_with_a_model_through_random_changes),
    };
    return cmocka_run_group_tests_name("map", tests, NULL, NULL);
}
