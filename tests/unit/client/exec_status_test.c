/* SPDX-License-Identifier: Apache-2.0 */
/* exec_status_test.c -- the exit codes of commands, and failures before they began. */
#include "client/stream/stream_internal.h"

#include "base/str.h"
#include "unit/test.h"

static int exit_code_of(const char *text)
{
    lw_error err = LW_ERROR_INIT;
    int code = -1;
    if (lw_exec_status_read(lw_str_of(text), &code, &err) < 0)
        fail_msg("%s", err.message);
    return code;
}

static void assert_fails(const char *text, lw_status wanted, const char *words)
{
    lw_error err = LW_ERROR_INIT;
    int code = -1;
    assert_int_equal(lw_exec_status_read(lw_str_of(text), &code, &err), wanted);
    assert_int_equal(code, -1);
    if (!strstr(err.message, words))
        fail_msg("\"%s\" is not in \"%s\"", words, err.message);
}

static void success_is_zero(void **state)
{
    (void)state;
    assert_int_equal(exit_code_of("{\"metadata\":{},\"status\":\"Success\"}"), 0);
}

static void the_exit_code_is_among_the_causes(void **state)
{
    (void)state;
    assert_int_equal(exit_code_of("{\"status\":\"Failure\",\"reason\":\"NonZeroExitCode\","
                                  "\"details\":{\"causes\":[{\"reason\":\"Other\",\"message\":\"9\""
                                  "},{\"reason\":\"ExitCode\",\"message\":\"3\"}]}}"),
                     3);
    assert_int_equal(exit_code_of("{\"status\":\"Failure\",\"reason\":\"NonZeroExitCode\","
                                  "\"details\":{\"causes\":[{\"reason\":\"ExitCode\","
                                  "\"message\":\"100000\"}]}}"),
                     255);
}

static void other_failures_are_errors(void **state)
{
    (void)state;
    assert_fails("{\"kind\":\"Status\",\"status\":\"Failure\",\"reason\":\"InternalError\","
                 "\"code\":500,\"message\":\"no such file\"}",
                 LW_ERR_INTERNAL, "no such file");
    assert_fails("{\"status\":\"Failure\",\"reason\":\"NonZeroExitCode\"}", LW_ERR_INTERNAL, "");
    assert_fails("container not running", LW_ERR_INTERNAL, "container not running");
    assert_fails("{\"status\":", LW_ERR_INTERNAL, "{");
    assert_fails("[]", LW_ERR_INTERNAL, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(success_is_zero),
        TEST(the_exit_code_is_among_the_causes),
        TEST(other_failures_are_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
