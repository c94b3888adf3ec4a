/* SPDX-License-Identifier: Apache-2.0 */
/* decision_cache_test.c -- only exactly what was added is found, for its generation and user. */
#include "api/context/decision_cache.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/context/user.h"
#include "base/str.h"
#include "unit/test.h"

static const lw_decision_key get_pods = { .generation = 7,
                                          .user = 3,
                                          .verb = LW_STR_INIT("get"),
                                          .group = LW_STR_INIT(""),
                                          .resource = LW_STR_INIT("pods"),
                                          .subresource = LW_STR_INIT(""),
                                          .ns = LW_STR_INIT("prod") };

static int set_up(void **state)
{
    *state = calloc(1, sizeof(lw_decision_cache));
    return *state ? 0 : -1;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

static void an_empty_cache_has_nothing(void **state)
{
    assert_false(lw_decision_cache_has(*state, &get_pods));
}

static void a_key_is_found_by_its_contents(void **state)
{
    char verb[] = "get", resource[] = "pods", ns[] = "prod";
    lw_decision_key other = get_pods;
    lw_decision_cache_add(*state, &get_pods);
    other.verb = lw_str_of(verb);
    other.resource = lw_str_of(resource);
    other.ns = lw_str_of(ns);
    assert_true(lw_decision_cache_has(*state, &other));
}

/* Makes all slots hold |key|: what is found depends on the comparison alone. */
static void fill(lw_decision_cache *cache, const lw_decision_key *key)
{
    const size_t count = sizeof(cache->slots) / sizeof(cache->slots[0]);
    lw_decision_slot added;
    size_t at = 0;
    lw_decision_cache_add(cache, key);
    while (cache->slots[at].generation == 0)
        at++;
    added = cache->slots[at];
    for (size_t i = 0; i < count; i++)
        cache->slots[i] = added;
}

static void a_key_that_differs_in_one_part_is_not_found(void **state)
{
    lw_decision_key keys[9];
    fill(*state, &get_pods);
    for (size_t i = 0; i < 9; i++)
        keys[i] = get_pods;
    keys[0].generation++;
    keys[1].user++;
    keys[2].verb = LW_STR("put");
    keys[3].group = LW_STR("apps");
    keys[4].resource = LW_STR("jobs");
    keys[5].subresource = LW_STR("log");
    keys[6].ns = LW_STR("prop");
    keys[7].ns = LW_STR("");
    keys[8].ns = LW_STR("prod2");
    assert_true(lw_decision_cache_has(*state, &get_pods));
    for (size_t i = 0; i < 9; i++)
        assert_false(lw_decision_cache_has(*state, &keys[i]));
}

static void texts_are_not_taken_for_their_neighbours(void **state)
{
    lw_decision_key moved = get_pods;
    fill(*state, &get_pods);
    moved.resource = LW_STR("pod");
    moved.subresource = LW_STR("s");
    assert_false(lw_decision_cache_has(*state, &moved));
    moved = get_pods;
    moved.group = moved.verb;
    moved.verb = LW_STR("");
    assert_false(lw_decision_cache_has(*state, &moved));
}

static void a_key_that_is_too_long_is_not_added(void **state)
{
    char ns[400];
    lw_decision_key key = get_pods;
    const size_t others = key.verb.len + key.resource.len;
    memset(ns, 'n', sizeof(ns));
    key.ns = lw_str_make(ns, LW_DECISION_TEXT_MAX - others);
    lw_decision_cache_add(*state, &key);
    assert_true(lw_decision_cache_has(*state, &key));
    key.ns.len++;
    lw_decision_cache_add(*state, &key);
    assert_false(lw_decision_cache_has(*state, &key));
    key.ns.len = 256 + LW_DECISION_TEXT_MAX - others;
    assert_false(lw_decision_cache_has(*state, &key));
}

static void namespaces_of_a_user_have_slots_of_their_own(void **state)
{
    enum {
        NAMESPACES = 100
    };
    char ns[NAMESPACES][16];
    size_t found = 0;
    lw_decision_key key = get_pods;
    for (int i = 0; i < NAMESPACES; i++) {
        (void)snprintf(ns[i], sizeof(ns[i]), "ns-%d", i);
        key.ns = lw_str_of(ns[i]);
        lw_decision_cache_add(*state, &key);
    }
    for (int i = 0; i < NAMESPACES; i++) {
        key.ns = lw_str_of(ns[i]);
        found += lw_decision_cache_has(*state, &key);
    }
    assert_true(found > NAMESPACES / 2);
}

static void each_copy_of_a_user_has_its_own_id(void **state)
{
    static const lw_user ann = { .name = LW_STR_INIT("ann") };
    const lw_user *one = NULL, *two = NULL;
    (void)state;
    assert_int_equal(lw_user_copy(&one, &ann), LW_OK);
    assert_int_equal(lw_user_copy(&two, one), LW_OK);
    assert_int_not_equal(lw_user_id(one), 0);
    assert_int_not_equal(lw_user_id(two), 0);
    assert_int_not_equal(lw_user_id(one), lw_user_id(two));
    uint64_t first = lw_user_id(one), second = lw_user_id(two);
    lw_user_unref(one);
    assert_int_equal(lw_user_copy(&one, &ann), LW_OK);
    assert_true(lw_user_id(one) != first && lw_user_id(one) != second);
    lw_user_unref(one);
    lw_user_unref(two);
}

static void a_changed_struct_of_a_user_has_no_id(void **state)
{
    static const lw_user ann = { .name = LW_STR_INIT("ann") };
    const lw_user *kept = NULL;
    (void)state;
    assert_int_equal(lw_user_id(&ann), 0);
    assert_int_equal(lw_user_copy(&kept, &ann), LW_OK);
    lw_user changed = *kept;
    changed.name = LW_STR("eve");
    assert_int_equal(lw_user_id(&changed), 0);
    lw_user_unref(kept);
}

int main(void)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(an_empty_cache_has_nothing, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_key_is_found_by_its_contents, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_key_that_differs_in_one_part_is_not_found, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(texts_are_not_taken_for_their_neighbours, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_key_that_is_too_long_is_not_added, set_up, tear_down),
        cmocka_unit_test_setup_teardown(namespaces_of_a_user_have_slots_of_their_own, set_up,
                                        tear_down),
        cmocka_unit_test(each_copy_of_a_user_has_its_own_id),
        cmocka_unit_test(a_changed_struct_of_a_user_has_no_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
