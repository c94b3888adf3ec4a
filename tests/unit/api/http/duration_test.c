/* SPDX-License-Identifier: Apache-2.0 */
/* duration_test.c -- Go's error messages about durations. */
#include "api/http/duration.h"

#include "base/str.h"
#include "unit/test.h"

static void complains_as_go_does(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } rows[] = {
        { "", "time: invalid duration \"\"" },
        { "invalid", "time: invalid duration \"invalid\"" },
        { "-", "time: invalid duration \"-\"" },
        { ".s", "time: invalid duration \".s\"" },
        { "3", "time: missing unit in duration \"3\"" },
        { "1m3", "time: missing unit in duration \"1m3\"" },
        { "5x", "time: unknown unit \"x\" in duration \"5x\"" },
        { "5 s", "time: unknown unit \" s\" in duration \"5 s\"" },
        { "99999999999999h", "time: invalid duration \"99999999999999h\"" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        int64_t ns = -1;
        lw_buf message;
        lw_buf_init(&message, 1000);
        assert_false(lw_duration_parse(lw_str_of(rows[i].text), &ns, &message));
        assert_str_equal(lw_buf_view(&message), rows[i].message);
        lw_buf_done(&message);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(complains_as_go_does),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
