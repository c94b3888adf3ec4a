/* SPDX-License-Identifier: Apache-2.0 */
/* error_test.c -- statuses and errors. */
#include "base/error.h"

#include "unit/test.h"

static void every_status_has_a_name_of_its_own(void **state)
{
    (void)state;
    for (int st = LW_OK; st >= LW_ERR_NO_SPACE; st--) {
        const char *name = lw_status_name((lw_status)st);
        assert_non_null(name);
        assert_string_not_equal(name, "unknown status");
        for (int other = LW_OK; other > st; other--)
            assert_string_not_equal(name, lw_status_name((lw_status)other));
    }
}

static void an_unknown_status_has_a_name_too(void **state)
{
    (void)state;
    assert_string_equal(lw_status_name((lw_status)-1000), "unknown status");
    assert_string_equal(lw_status_name((lw_status)1), "unknown status");
}

static void records_status_and_message(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_error_set(&err, LW_ERR_NOT_FOUND, "pod %s not found", "web-0"),
                     LW_ERR_NOT_FOUND);
    assert_int_equal(err.code, LW_ERR_NOT_FOUND);
    assert_string_equal(err.message, "pod web-0 not found");
    assert_int_equal(err.offset, LW_NO_OFFSET);
    assert_false(err.retriable);
}

static void records_where_in_the_document(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_error_set_at(&err, LW_ERR_SYNTAX, 12, "unexpected '%c'", '}'),
                     LW_ERR_SYNTAX);
    assert_int_equal(err.offset, 12);
    assert_string_equal(err.message, "unexpected '}'");
}

static void returns_the_status_without_an_error_to_fill(void **state)
{
    (void)state;
    assert_int_equal(lw_error_set(NULL, LW_ERR_IO, "x"), LW_ERR_IO);
    assert_int_equal(lw_error_set_at(NULL, LW_ERR_SYNTAX, 1, "x"), LW_ERR_SYNTAX);
    assert_int_equal(lw_error_nomem(NULL), LW_ERR_NOMEM);
}

static void forgets_what_an_earlier_failure_said(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    err.http_status = 429;
    err.retry_after_s = 3;
    (void)lw_error_set_at(&err, LW_ERR_TOO_MANY, 7, "slow down, please");
    memcpy(err.reason, "TooMany", 8);
    err.http_status = 429;
    err.retry_after_s = 3;
    (void)lw_error_nomem(&err);
    assert_int_equal(err.code, LW_ERR_NOMEM);
    assert_int_equal(err.http_status, 0);
    assert_int_equal(err.retry_after_s, 0);
    assert_int_equal(err.offset, LW_NO_OFFSET);
    assert_string_equal(err.reason, "");
    assert_string_equal(err.message, "out of memory");
    assert_false(err.retriable);
}

static void throttling_and_absence_are_retriable_faults_are_not(void **state)
{
    (void)state;
    static const lw_status retriable[] = { LW_ERR_TOO_MANY, LW_ERR_TIMEOUT, LW_ERR_UNAVAILABLE,
                                           LW_ERR_TOO_LARGE_RV };
    static const lw_status final[] = { LW_ERR_NOMEM,    LW_ERR_INVALID,   LW_ERR_SYNTAX,
                                       LW_ERR_CONFLICT, LW_ERR_FORBIDDEN, LW_ERR_STOPPED };
    lw_error err = LW_ERROR_INIT;
    for (size_t i = 0; i < sizeof(retriable) / sizeof(retriable[0]); i++) {
        (void)lw_error_set(&err, retriable[i], "x");
        assert_true(err.retriable);
    }
    for (size_t i = 0; i < sizeof(final) / sizeof(final[0]); i++) {
        (void)lw_error_set(&err, final[i], "x");
        assert_false(err.retriable);
    }
}

static void an_error_may_be_wrapped_in_itself(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    (void)lw_error_set(&err, LW_ERR_SYNTAX, "bad token");
    (void)lw_error_set(&err, LW_ERR_INVALID, "kubeconfig: %s", err.message);
    assert_int_equal(err.code, LW_ERR_INVALID);
    assert_string_equal(err.message, "kubeconfig: bad token");
}

static void a_long_message_ends_in_dots(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    char longer[2 * LW_ERROR_MESSAGE_SIZE];
    memset(longer, 'x', sizeof(longer) - 1);
    longer[sizeof(longer) - 1] = '\0';
    (void)lw_error_set(&err, LW_ERR_INVALID, "%s", longer);
    assert_int_equal(strlen(err.message), LW_ERROR_MESSAGE_SIZE - 1);
    assert_string_equal(err.message + LW_ERROR_MESSAGE_SIZE - 5, "x...");
}

static void a_message_is_one_line(void **state)
{
    (void)state;
    lw_error err = LW_ERROR_INIT;
    (void)lw_error_set(&err, LW_ERR_INVALID, "denied:\n%s", "no\tlabels\r\n");
    assert_string_equal(err.message, "denied: no labels  ");
}

static void copies_a_field_with_its_cut_marked(void **state)
{
    (void)state;
    char field[8];
    lw_error_copy_text(field, sizeof(field), "NotFound", 3);
    assert_string_equal(field, "Not");
    lw_error_copy_text(field, sizeof(field), "NotFound", 8);
    assert_string_equal(field, "NotF...");
    lw_error_copy_text(field, sizeof(field), NULL, 0);
    assert_string_equal(field, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(every_status_has_a_name_of_its_own),
        TEST(an_unknown_status_has_a_name_too),
        TEST(records_status_and_message),
        TEST(records_where_in_the_document),
        TEST(returns_the_status_without_an_error_to_fill),
        TEST(forgets_what_an_earlier_failure_said),
        TEST(throttling_and_absence_are_retriable_faults_are_not),
        TEST(an_error_may_be_wrapped_in_itself),
        TEST(a_long_message_ends_in_dots),
        TEST(a_message_is_one_line),
        TEST(copies_a_field_with_its_cut_marked),
    };
    return cmocka_run_group_tests_name("error", tests, NULL, NULL);
}
