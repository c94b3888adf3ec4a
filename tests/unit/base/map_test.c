/* SPDX-License-Identifier: Apache-2.0 */
/* map_test.c -- the hash table. */
#include "base/map.h"

#include "base/random.h"
#include "base/str.h"
#include "unit/base/map_items.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

static uint64_t same_hash(const void *key, lw_hash_seed seed)
{
    (void)key;
    (void)seed;
    return 5;
}

static const lw_map_type colliding_numbers = { same_hash, number_has_key, 0 };

static int comparisons;

static bool counted_has_key(const lw_map_type *type, const void *entry, const void *key)
{
    comparisons++;
    return number_has_key(type, entry, key);
}

static const lw_map_type counted_numbers = { number_hash, counted_has_key, 0 };

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

static void keys_are_compared_only_where_the_hash_agrees(void **state)
{
    (void)state;
    number n[6];
    lw_map map;
    lw_map_init(&map, &counted_numbers, fixed_seed, 100);
    for (uint32_t i = 0; i < 6; i++) {
        n[i].key = i * 8 + 8; /* one home slot, six hashes */
        put_number(&map, &n[i]);
    }
    assert_int_equal(map.slots, 8);
    comparisons = 0;
    assert_ptr_equal(lw_map_get(&map, &n[5].key), &n[5]);
    assert_int_equal(comparisons, 1);
    uint32_t absent = 800;
    assert_null(lw_map_get(&map, &absent));
    assert_int_equal(comparisons, 1);
    lw_map_done(&map);
}

static void always_keeps_an_eighth_of_its_slots_empty(void **state)
{
    (void)state;
    static item items[MANY];
    lw_map map;
    lw_map_init(&map, &items_by_name, fixed_seed, MANY);
    for (int i = 0; i < MANY; i++) {
        name_item(&items[i], i);
        put_new(&map, &items[i]);
        assert_true(lw_map_count(&map) <= map.slots / 8 * 7);
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

static void a_shrunk_table_has_room_for_as_many_again(void **state)
{
    (void)state;
    static item items[MANY];
    failing_alloc f;
    failing_alloc_begin(&f, SIZE_MAX);
    lw_map map;
    lw_map_init(&map, &items_by_name, fixed_seed, MANY);
    fill(&map, items, MANY);
    int left = MANY;
    for (size_t before = f.calls; f.calls == before; left--)
        assert_non_null(lw_map_remove_str(&map, items[left - 1].name));
    size_t shrunk = f.calls;
    for (int i = left; i < 2 * left; i++)
        put_new(&map, &items[i]);
    assert_int_equal(f.calls, shrunk);
    lw_map_done(&map);
    failing_alloc_end();
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

static void adds_only_what_is_absent(void **state)
{
    (void)state;
    item first, second, third;
    void *present = &first;
    lw_map map;
    name_item(&first, 1);
    name_item(&second, 1);
    name_item(&third, 3);
    lw_map_init(&map, &items_by_name, fixed_seed, 1);
    assert_int_equal(lw_map_add(&map, &first.name, &first, &present), LW_OK);
    assert_null(present);
    assert_int_equal(lw_map_add(&map, &second.name, &second, &present), LW_OK);
    assert_ptr_equal(present, &first);
    assert_ptr_equal(lw_map_get_str(&map, first.name), &first);
    assert_int_equal(lw_map_add(&map, &third.name, &third, &present), LW_ERR_LIMIT);
    assert_ptr_equal(present, &first); /* untouched */
    assert_int_equal(lw_map_count(&map), 1);
    assert_true(lw_map_check(&map));
    lw_map_done(&map);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(adds_only_what_is_absent),
        TEST(an_empty_map_has_nothing_and_no_memory),
        TEST(finds_what_was_put_and_nothing_else),
        TEST(put_hands_back_the_replaced_entry),
        TEST(removed_entries_are_gone_and_others_stay),
        TEST(keys_may_be_empty_and_hold_nul_bytes),
        TEST(refuses_new_keys_at_its_limit_but_replaces),
        TEST(a_limit_of_zero_holds_nothing),
        TEST(a_failed_growth_changes_nothing),
        TEST(colliding_hashes_are_told_apart_by_key),
        TEST(keys_are_compared_only_where_the_hash_agrees),
        TEST(always_keeps_an_eighth_of_its_slots_empty),
        TEST(a_hash_of_zero_is_a_key_like_others),
        TEST(gives_memory_back_after_mass_deletion),
        TEST(a_shrunk_table_has_room_for_as_many_again),
        TEST(works_on_when_there_is_no_memory_to_shrink),
        TEST(adding_and_removing_one_entry_does_not_allocate_each_time),
        TEST(clear_forgets_everything_and_can_go_on),
        TEST(agrees_with_a_model_through_random_changes),
    };
    return cmocka_run_group_tests_name("map", tests, NULL, NULL);
}
