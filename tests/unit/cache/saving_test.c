/* SPDX-License-Identifier: Apache-2.0 */
/* saving_test.c -- a cache that starts with a saved copy has what a cache without one has, whatever
 * has become of the store; and when a copy is written. */
#include "base/random.h"
#include "cache/saved/copy_writer.h"
#include "object/compact/compact_internal.h"
#include "support/sanitized.h"
#include "unit/cache/saving_rig.h"

enum {
    FEW = 12,
};

static void nothing_is_parsed_that_is_in_the_copy(void **state)
{
    scene *s = *state;
    fill(s, 40, 1);
    save(s);
    compact(s);
    restart(s);
    assert_int_equal(s->things->saving.copied, 40);
    assert_same_without(s);
    assert_int_equal(s->warnings, 0);
}

static void what_has_changed_since_is_read_from_the_store(void **state)
{
    scene *s = *state;
    fill(s, 40, 1);
    save(s);
    put(s, 3, 2);
    commit(s, LW_STORE_DELETE, 7, 0);
    commit(s, LW_STORE_DELETE, 8, 0);
    put(s, 8, 1); /* the same contents, another revision */
    put(s, 41, 1);
    compact(s);
    restart(s);
    assert_int_equal(s->things->saving.copied, 37);
    assert_same_without(s);
}

static void what_changes_while_it_is_saved_is_left_out(void **state)
{
    scene *s = *state;
    lw_index objects;
    atomic_bool never = false;
    lw_copy_name name;
    fill(s, 40, 1);
    objects = lw_index_snapshot(&s->things->index);
    put(s, 3, 2);
    commit(s, LW_STORE_DELETE, 7, 0);
    put(s, 41, 1);
    assert_true(lw_copy_name_of(s->things, &name));
    const lw_copy_target target = { .path = name.path,
                                    .identity = lw_str_of(name.identity),
                                    .prefix = s->things->prefix,
                                    .store = s->store,
                                    .is_stopping = &never };
    assert_int_equal(lw_copy_write(&target, &objects, NULL), LW_OK);
    lw_copy_name_done(&name);
    lw_index_done(&objects);
    compact(s);
    restart(s);
    assert_int_equal(s->things->saving.copied, 38);
    assert_same_without(s);
}

static void step(scene *s, lw_random *random)
{
    unsigned number = (unsigned)lw_random_below(random, 30);
    switch (lw_random_below(random, 12)) {
    case 0: save(s); break;
    case 1: compact(s); break;
    case 2:
        restart(s);
        assert_same_without(s);
        break;
    case 3:
    case 4: commit(s, LW_STORE_DELETE, number, 0); break;
    default: put(s, number, (unsigned)lw_random_below(random, 3)); break;
    }
}

static void any_history_leads_to_the_same_state(void **state)
{
    scene *s = *state;
    lw_random random;
    lw_random_init(&random, 7);
    for (unsigned i = 0; i < (IS_SANITIZED ? 200 : 1000); i++)
        step(s, &random);
    assert_int_equal(s->warnings, 0);
}

/* A store that was restored has had other changes with the same revisions. */
static void another_store_with_the_same_revisions_is_believed(void **state)
{
    scene *s = *state;
    fill(s, 40, 1);
    save(s);
    close_store(s);
    open_store(s, &s->other);
    open_cache(s, s->copies, LW_COMPACT_ON);
    for (unsigned i = 0; i < 40; i++)
        put(s, i, i % 4 == 0 ? 2 : 1);
    compact(s);
    restart(s);
    assert_int_equal(s->things->saving.copied, 30);
    assert_same_without(s);
    assert_int_equal(s->warnings, 0);
}

/* Returns true if the sweeps pack with the dictionary that the objects have been packed with. */
static bool goes_on_with_its_packer(const scene *s)
{
    lw_index_cursor at = lw_index_seek(&s->things->index, 0);
    const lw_object *obj;
    while ((obj = lw_index_next(&s->things->index, &at)) && !obj->is_packed)
        continue;
    const lw_compact_origin *origin = (const lw_compact_origin *)(const void *)obj->origin;
    return origin->compact == s->things->packing.compact;
}

static void objects_of_a_copy_are_packed_if_they_are_not(void **state)
{
    scene *s = *state;
    lw_cache_stats before, after;
    fill(s, 40, 1);
    save(s); /* open, as they were put */
    compact(s);
    lw_cache_resource_stats(s->things, &before);
    restart(s);
    lw_cache_resource_stats(s->things, &after);
    assert_int_equal(s->things->saving.copied, 40);
    assert_int_equal(before.packed_objects, 0);
    assert_int_equal(after.packed_objects, 32);
    save(s);
    restart(s);
    lw_cache_resource_stats(s->things, &after);
    assert_int_equal(s->things->saving.copied, 40);
    assert_int_equal(after.packed_objects, 32);
    assert_true(goes_on_with_its_packer(s));
    assert_same_without(s);
}

static lw_status see_open(const lw_object *obj, void *arg)
{
    unsigned *seen = arg;
    *seen += !lw_compact_is_packed(obj);
    return LW_OK;
}

static void an_observer_gets_the_objects_of_the_copy(void **state)
{
    scene *s = *state;
    unsigned seen = 0;
    fill(s, 40, 1);
    save(s);
    compact(s);
    close_cache(s);
    const lw_cache_options options = {
        .store = s->store, .compact = LW_COMPACT_ON, .saved_folder = s->copies, .saved_min_bytes = 1
    };
    assert_int_equal(lw_cache_new(&s->cache, &options, NULL), LW_OK);
    assert_int_equal(lw_cache_add(s->cache, LW_STR("/registry/things/"), true, &s->things, NULL),
                     LW_OK);
    lw_cache_observe(s->things, &(lw_cache_observer){ .put = see_open, .arg = &seen });
    assert_int_equal(lw_cache_start(s->cache, NULL), LW_OK);
    assert_int_equal(s->things->saving.copied, 40);
    assert_int_equal(seen, 40);
}

/* When. */

static bool is_due(const scene *s)
{
    lw_mutex_lock(&s->cache->apply_mu);
    bool is_linked = lw_dlist_node_is_linked(&s->things->saving.due_link);
    lw_mutex_unlock(&s->cache->apply_mu);
    return is_linked;
}

static void a_quarter_of_changes_makes_a_copy_due(void **state)
{
    scene *s = *state;
    fill(s, 40, 1);
    save(s);
    compact(s);
    restart(s);
    assert_false(is_due(s));
    for (unsigned i = 1; i < 10; i++)
        put(s, i, 2);
    assert_false(is_due(s));
    for (unsigned i = 11; i < 15; i++)
        commit(s, LW_STORE_DELETE, i, 2);
    assert_true(is_due(s));
}

static void a_load_without_a_copy_makes_one_due(void **state)
{
    scene *s = *state;
    fill(s, FEW, 1);
    compact(s);
    restart(s);
    assert_true(is_due(s));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SCENE_TEST(nothing_is_parsed_that_is_in_the_copy),
        SCENE_TEST(what_has_changed_since_is_read_from_the_store),
        SCENE_TEST(what_changes_while_it_is_saved_is_left_out),
        SCENE_TEST(any_history_leads_to_the_same_state),
        SCENE_TEST(another_store_with_the_same_revisions_is_believed),
        SCENE_TEST(objects_of_a_copy_are_packed_if_they_are_not),
        SCENE_TEST(an_observer_gets_the_objects_of_the_copy),
        SCENE_TEST(a_quarter_of_changes_makes_a_copy_due),
        SCENE_TEST(a_load_without_a_copy_makes_one_due),
    };
    return cmocka_run_group_tests_name("saving", tests, NULL, NULL);
}
