/* SPDX-License-Identifier: Apache-2.0 */
/* map_walk_test.c -- iterating over a hash table, and removing entries during an iteration. */
#include "base/map.h"

#include "base/alloc.h"
#include "unit/base/map_items.h"
#include "unit/test.h"

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

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_walk_sees_each_entry_once),
        TEST(a_walk_may_remove_what_it_sees),
        TEST(a_removing_walk_copes_with_a_run_across_the_end),
        TEST(a_map_emptied_by_a_walk_shrinks_with_the_next_change),
        TEST(entries_may_be_freed_during_a_walk_that_ends_the_map),
    };
    return cmocka_run_group_tests_name("map_walk", tests, NULL, NULL);
}
