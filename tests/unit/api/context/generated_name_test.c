/* SPDX-License-Identifier: Apache-2.0 */
/* generated_name_test.c -- names that the server makes up. */
#include "api/context/generated_name.h"
#include "base/str.h"
#include "unit/test.h"

static void base_is_followed_by_five_characters(void **state)
{
    char name[LW_GENERATED_NAME_SIZE];
    lw_random random;
    (void)state;
    lw_random_init(&random, 1);
    lw_name_generate(name, LW_STR("pod-"), &random);
    assert_int_equal(strlen(name), 9);
    assert_int_equal(strspn(name + 4, "bcdfghjklmnpqrstvwxz2456789"), 5);
    lw_name_generate(name, LW_STR(""), &random);
    assert_int_equal(strlen(name), 5);
}

static void long_base_is_cut(void **state)
{
    char name[LW_GENERATED_NAME_SIZE], base[100];
    lw_random random;
    (void)state;
    memset(base, 'a', sizeof(base));
    lw_random_init(&random, 1);
    lw_name_generate(name, lw_str_make(base, sizeof(base)), &random);
    assert_int_equal(strlen(name), 63);
    assert_int_equal(strspn(name, "a"), 58);
}

static void names_differ(void **state)
{
    char one[LW_GENERATED_NAME_SIZE], two[LW_GENERATED_NAME_SIZE];
    lw_random random;
    (void)state;
    lw_random_init(&random, 1);
    lw_name_generate(one, LW_STR("a"), &random);
    lw_name_generate(two, LW_STR("a"), &random);
    assert_string_not_equal(one, two);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(base_is_followed_by_five_characters),
        TEST(long_base_is_cut),
        TEST(names_differ),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
