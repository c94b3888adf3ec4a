/* SPDX-License-Identifier: Apache-2.0 */
/* user_names_test.c -- each user's name once, kept as long as the server lives. */
#include "server/user_names.h"

#include <stdio.h>

#include "base/str.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

static void a_name_is_kept_once(void **state)
{
    (void)state;
    lw_user_names names;
    lw_str first, again, other;
    char text[] = "jane";
    lw_user_names_init(&names);
    assert_int_equal(lw_user_names_keep(&names, lw_str_of(text), &first), LW_OK);
    text[0] = 'J';
    assert_str_equal(first, "jane");
    assert_int_equal(lw_user_names_keep(&names, LW_STR("jane"), &again), LW_OK);
    assert_ptr_equal(first.ptr, again.ptr);
    assert_int_equal(lw_user_names_keep(&names, LW_STR(""), &other), LW_OK);
    assert_int_equal(other.len, 0);
    lw_user_names_done(&names);
}

static void there_is_an_end_to_them(void **state)
{
    (void)state;
    lw_user_names names;
    lw_str kept;
    char text[16];
    lw_user_names_init(&names);
    for (int i = 0; i < LW_USER_NAMES_MAX; i++) {
        (void)snprintf(text, sizeof(text), "%d", i);
        assert_int_equal(lw_user_names_keep(&names, lw_str_of(text), &kept), LW_OK);
    }
    assert_int_equal(lw_user_names_keep(&names, LW_STR("more"), &kept), LW_ERR_LIMIT);
    assert_int_equal(lw_user_names_keep(&names, LW_STR("17"), &kept), LW_OK);
    lw_user_names_done(&names);
}

static void without_memory_it_says_so(void **state)
{
    (void)state;
    for (size_t allowed = 0; allowed < 2; allowed++) {
        failing_alloc f;
        lw_user_names names;
        lw_str kept;
        lw_user_names_init(&names);
        failing_alloc_begin(&f, allowed);
        assert_int_equal(lw_user_names_keep(&names, LW_STR("jane"), &kept), LW_ERR_NOMEM);
        failing_alloc_end();
        lw_user_names_done(&names);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_name_is_kept_once),
        TEST(there_is_an_end_to_them),
        TEST(without_memory_it_says_so),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
