/* SPDX-License-Identifier: Apache-2.0 */
/* authn_users_test.c -- each user once, kept while it is used. */
#include "server/authn/authn_users.h"

#include <stdio.h>

#include "base/str.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

static void a_user_is_kept_once(void **state)
{
    (void)state;
    lw_authn_users users;
    const lw_user *first, *again, *other;
    char text[] = "jane";
    lw_authn_users_init(&users);
    assert_int_equal(lw_authn_users_keep(&users, &(lw_user){ .name = lw_str_of(text) }, &first),
                     LW_OK);
    text[0] = 'J';
    assert_str_equal(first->name, "jane");
    assert_int_equal(lw_authn_users_keep(&users, &(lw_user){ .name = LW_STR("jane") }, &again),
                     LW_OK);
    assert_ptr_equal(first, again);
    assert_int_equal(lw_authn_users_keep(&users, &(lw_user){ .name = LW_STR("") }, &other), LW_OK);
    assert_int_equal(other->name.len, 0);
    lw_authn_users_done(&users);
    assert_str_equal(first->name, "jane"); /* it is still held */
    lw_user_unref(first);
    lw_user_unref(again);
    lw_user_unref(other);
}

static void users_of_one_name_differ_by_uid_groups_and_extras(void **state)
{
    (void)state;
    lw_authn_users users;
    const lw_str dev[] = { LW_STR("dev") }, ops[] = { LW_STR("ops") };
    const lw_user_extra extra = { LW_STR("key"), ops, 1 };
    const lw_user given[] = {
        { .name = LW_STR("jane"), .extras = &extra, .extra_count = 1 },
        { .name = LW_STR("jane") },
        { .name = LW_STR("jane"), .uid = LW_STR("1") },
        { .name = LW_STR("jane"), .groups = dev, .group_count = 1 },
        { .name = LW_STR("jane"), .groups = ops, .group_count = 1 },
    };
    const lw_user *kept[5], *again;
    lw_authn_users_init(&users);
    for (size_t i = 0; i < 5; i++)
        assert_int_equal(lw_authn_users_keep(&users, &given[i], &kept[i]), LW_OK);
    for (size_t i = 0; i < 5; i++) {
        assert_int_equal(lw_authn_users_keep(&users, &given[i], &again), LW_OK);
        assert_ptr_equal(again, kept[i]);
        lw_user_unref(again);
        for (size_t j = 0; j < i; j++)
            assert_ptr_not_equal(kept[i], kept[j]);
    }
    assert_str_equal(kept[0]->extras[0].key, "key");
    assert_str_equal(kept[0]->extras[0].values[0], "ops");
    assert_str_equal(kept[2]->uid, "1");
    assert_str_equal(kept[3]->groups[0], "dev");
    for (size_t i = 0; i < 5; i++)
        lw_user_unref(kept[i]);
    lw_authn_users_done(&users);
}

static void whoever_is_kept_is_in_the_group_of_the_known(void **state)
{
    (void)state;
    lw_authn_users users;
    lw_str groups[LW_USER_GROUPS_MAX + 1];
    const lw_user *kept;
    lw_authn_users_init(&users);
    groups[0] = LW_STR("system:authenticated");
    groups[1] = LW_STR("dev");
    lw_user jane = { .name = LW_STR("jane"), .groups = groups, .group_count = 2 };
    assert_int_equal(lw_authn_users_keep(&users, &jane, &kept), LW_OK);
    assert_int_equal(kept->group_count, 2);
    assert_str_equal(kept->groups[0], "dev");
    assert_str_equal(kept->groups[1], "system:authenticated");
    lw_user_unref(kept);
    for (size_t i = 0; i < LW_USER_GROUPS_MAX + 1; i++)
        groups[i] = LW_STR("dev");
    jane.group_count = LW_USER_GROUPS_MAX + 1;
    assert_int_equal(lw_authn_users_keep(&users, &jane, &kept), LW_OK);
    assert_int_equal(kept->group_count, LW_USER_GROUPS_MAX);
    assert_str_equal(kept->groups[LW_USER_GROUPS_MAX - 1], "system:authenticated");
    lw_user_unref(kept);
    lw_authn_users_done(&users);
}

static void users_without_requests_make_room_when_the_table_is_full(void **state)
{
    (void)state;
    lw_authn_users users;
    static const lw_user *kept[LW_USERS_MAX];
    const lw_user *more;
    char text[16];
    lw_authn_users_init(&users);
    for (int i = 0; i < LW_USERS_MAX; i++) {
        (void)snprintf(text, sizeof(text), "%d", i);
        assert_int_equal(lw_authn_users_keep(&users, &(lw_user){ .name = lw_str_of(text) },
                                             &kept[i]),
                         LW_OK);
    }
    assert_int_equal(lw_authn_users_keep(&users, &(lw_user){ .name = LW_STR("more") }, &more),
                     LW_ERR_LIMIT);
    assert_int_equal(lw_authn_users_keep(&users, &(lw_user){ .name = LW_STR("17") }, &more), LW_OK);
    lw_user_unref(more);
    lw_user_unref(kept[18]);
    assert_int_equal(lw_authn_users_keep(&users, &(lw_user){ .name = LW_STR("more") }, &more),
                     LW_OK);
    lw_user_unref(more);
    for (int i = 0; i < LW_USERS_MAX; i++) {
        if (i != 18)
            lw_user_unref(kept[i]);
    }
    lw_authn_users_done(&users);
}

static void without_memory_it_says_so(void **state)
{
    (void)state;
    for (size_t allowed = 0; allowed < 2; allowed++) {
        failing_alloc f;
        lw_authn_users users;
        const lw_user *kept;
        lw_authn_users_init(&users);
        failing_alloc_begin(&f, allowed);
        assert_int_equal(lw_authn_users_keep(&users, &(lw_user){ .name = LW_STR("jane") }, &kept),
                         LW_ERR_NOMEM);
        failing_alloc_end();
        lw_authn_users_done(&users);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_user_is_kept_once),
        TEST(users_of_one_name_differ_by_uid_groups_and_extras),
        TEST(whoever_is_kept_is_in_the_group_of_the_known),
        TEST(users_without_requests_make_room_when_the_table_is_full),
        TEST(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
