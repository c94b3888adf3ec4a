/* SPDX-License-Identifier: Apache-2.0 */
/* quote_test.c -- strings quoted as Go's %q quotes them. */
#include "object/quote.h"

#include "base/str.h"
#include "unit/test.h"

static void quotes_as_go_does(void **state)
{
    (void)state;
    static const struct {
        lw_str text;
        const char *expected;
    } cases[] = {
        { LW_STR_INIT(""), "\"\"" },
        { LW_STR_INIT("a b"), "\"a b\"" },
        { LW_STR_INIT("\"\\'"), "\"\\\"\\\\'\"" },
        { LW_STR_INIT("\a\b\f\n\r\t\v"), "\"\\a\\b\\f\\n\\r\\t\\v\"" },
        { LW_STR_INIT("\0\x01\x1f\x7f"), "\"\\x00\\x01\\x1f\\x7f\"" },
        { LW_STR_INIT("\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80"),
          "\"\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80\"" },
        { LW_STR_INIT("\xc2\xa0\xc2\x80\xe2\x80\xa8\xef\xbb\xbf"),
          "\"\\u00a0\\u0080\\u2028\\ufeff\"" },
        { LW_STR_INIT("\xf4\x8f\xbf\xbf"), "\"\\U0010ffff\"" },
        { LW_STR_INIT("\xff\xc3"), "\"\\xff\\xc3\"" },
        { LW_STR_INIT("\xc0\x80\xed\xa0\x80"), "\"\\xc0\\x80\\xed\\xa0\\x80\"" },
        { LW_STR_INIT("\xf4\x90\x80\x80\xe2\x82"), "\"\\xf4\\x90\\x80\\x80\\xe2\\x82\"" },
        { LW_STR_INIT("\xef\xbf\xbd"), "\"\xef\xbf\xbd\"" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_buf buf;
        lw_buf_init(&buf, 1000);
        lw_quote_append(&buf, cases[i].text);
        assert_str_equal(lw_buf_view(&buf), cases[i].expected);
        lw_buf_done(&buf);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(quotes_as_go_does),
    };
    return cmocka_run_group_tests_name("quote", tests, NULL, NULL);
}
