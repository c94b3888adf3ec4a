/* SPDX-License-Identifier: Apache-2.0 */
/* percent_test.c -- %xx in paths and queries. */
#include "api/media/percent.h"

#include "base/str.h"
#include "unit/test.h"

static void assert_decodes(const char *raw, bool plus_is_blank, const char *expected)
{
    lw_buf out;
    lw_buf_init(&out, 100);
    assert_true(lw_percent_decode(lw_str_of(raw), plus_is_blank, &out));
    assert_str_equal(lw_buf_view(&out), expected);
    lw_buf_done(&out);
}

static void decodes_hex_of_either_case(void **state)
{
    (void)state;
    assert_decodes("a%2Fb%2fc%41", false, "a/b/cA");
    assert_decodes("%C3%A4", false, "\xc3\xa4");
    assert_decodes("", false, "");
}

static void a_plus_is_a_space_only_in_queries(void **state)
{
    (void)state;
    assert_decodes("a+b%2B", true, "a b+");
    assert_decodes("a+b", false, "a+b");
}

static void refuses_malformed_escapes(void **state)
{
    (void)state;
    static const char *const bad[] = { "%", "a%4", "%zz", "%4g", "%%41", "abc%" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        lw_buf out;
        lw_buf_init(&out, 100);
        if (lw_percent_decode(lw_str_of(bad[i]), false, &out))
            fail_msg("%s was taken", bad[i]);
        lw_buf_done(&out);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(decodes_hex_of_either_case),
        TEST(a_plus_is_a_space_only_in_queries),
        TEST(refuses_malformed_escapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
