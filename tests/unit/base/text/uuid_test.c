/* SPDX-License-Identifier: Apache-2.0 */
/* uuid_test.c -- random identifiers. */
#include "base/text/uuid.h"

#include "unit/test.h"

static void has_the_format_of_version_4(void **state)
{
    (void)state;
    lw_random random;
    lw_random_init(&random, 7);
    for (int i = 0; i < 1000; i++) {
        char text[LW_UUID_SIZE];
        lw_uuid_format(text, &random);
        assert_int_equal(strlen(text), 36);
        for (size_t at = 0; at < 36; at++) {
            bool is_dash = at == 8 || at == 13 || at == 18 || at == 23;
            assert_int_equal(text[at] == '-', is_dash);
            assert_true(is_dash || strchr("0123456789abcdef", text[at]));
        }
        assert_int_equal(text[14], '4');
        assert_true(strchr("89ab", text[19]));
    }
}

static void no_two_are_the_same(void **state)
{
    (void)state;
    lw_random random;
    char first[LW_UUID_SIZE], second[LW_UUID_SIZE];
    lw_random_init(&random, 7);
    lw_uuid_format(first, &random);
    lw_uuid_format(second, &random);
    assert_string_not_equal(first, second);
    assert_memory_not_equal(first + 24, second + 24, 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(has_the_format_of_version_4),
        TEST(no_two_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
