/* SPDX-License-Identifier: Apache-2.0 */
/* buf_test.c -- the capped buffer. */
#include "base/buf.h"

#include "base/alloc.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

static void appends_in_order(void **state)
{
    (void)state;
    lw_buf buf;
    lw_buf_init(&buf, 100);
    lw_buf_append_text(&buf, "rv=");
    lw_buf_append_uint(&buf, UINT64_MAX);
    lw_buf_append_char(&buf, ';');
    lw_buf_printf(&buf, "%s-%d", "x", 7);
    assert_int_equal(buf.st, LW_OK);
    assert_str_equal(lw_buf_view(&buf), "rv=18446744073709551615;x-7");
    lw_buf_done(&buf);
}

static void holds_exactly_its_limit(void **state)
{
    (void)state;
    lw_buf buf;
    lw_buf_init(&buf, 8);
    lw_buf_append_text(&buf, "12345678");
    assert_int_equal(buf.st, LW_OK);
    lw_buf_append_char(&buf, '9');
    assert_int_equal(buf.st, LW_ERR_LIMIT);
    assert_str_equal(lw_buf_view(&buf), "12345678");
    lw_buf_done(&buf);
}

static void remembers_the_first_failure(void **state)
{
    (void)state;
    lw_buf buf;
    lw_buf_init(&buf, 4);
    lw_buf_append_text(&buf, "ab");
    lw_buf_append_text(&buf, "too long");
    lw_buf_append_text(&buf, "c");
    lw_buf_printf(&buf, "%d", 1);
    assert_int_equal(buf.st, LW_ERR_LIMIT);
    assert_str_equal(lw_buf_view(&buf), "ab");
    lw_buf_reset(&buf);
    assert_int_equal(buf.st, LW_OK);
    lw_buf_append_text(&buf, "c");
    assert_str_equal(lw_buf_view(&buf), "c");
    lw_buf_done(&buf);
}

static void hands_over_a_terminated_string(void **state)
{
    (void)state;
    lw_buf buf;
    lw_buf_init(&buf, 100);
    char *text = lw_buf_take_text(&buf);
    assert_string_equal(text, "");
    lw_free(text);
    lw_buf_append_text(&buf, "kept");
    text = lw_buf_take_text(&buf);
    assert_string_equal(text, "kept");
    assert_int_equal(buf.len, 0);
    lw_free(text);
    lw_buf_done(&buf);
}

static void cuts_back(void **state)
{
    (void)state;
    lw_buf buf;
    lw_buf_init(&buf, 100);
    lw_buf_append_text(&buf, "keep,drop");
    lw_buf_truncate(&buf, 4);
    assert_str_equal(lw_buf_view(&buf), "keep");
    lw_buf_done(&buf);
}

static void a_failed_growth_keeps_the_prefix_and_is_remembered(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, 1);
    lw_buf buf;
    lw_buf_init(&buf, 10000);
    lw_buf_append_text(&buf, "kept");
    lw_buf_printf(&buf, "%500d", 1);
    assert_int_equal(buf.st, LW_ERR_NOMEM);
    f.allowed = SIZE_MAX;
    lw_buf_append_text(&buf, "late");
    assert_str_equal(lw_buf_view(&buf), "kept");
    assert_null(lw_buf_take_text(&buf));
    lw_buf_done(&buf);
    failing_alloc_end();
    assert_int_equal(f.live, 0);
}

static void never_takes_more_memory_than_its_limit_and_a_terminator(void **state)
{
    (void)state;
    failing_alloc f;
    failing_alloc_begin(&f, SIZE_MAX);
    lw_buf buf;
    lw_buf_init(&buf, 1000);
    for (int i = 0; i < 1001; i++)
        lw_buf_append_char(&buf, 'x');
    assert_int_equal(buf.st, LW_ERR_LIMIT);
    assert_int_equal(buf.len, 1000);
    assert_int_equal(f.largest, 1001);
    lw_buf_done(&buf);
    failing_alloc_end();
    assert_int_equal(f.live, 0);
}

static void a_reservation_that_would_overflow_is_over_the_limit(void **state)
{
    (void)state;
    lw_buf buf;
    lw_buf_init(&buf, SIZE_MAX - 1);
    lw_buf_append_char(&buf, 'x');
    assert_int_equal(lw_buf_reserve(&buf, SIZE_MAX), LW_ERR_LIMIT);
    lw_buf_done(&buf);
}

static void holds_nul_bytes_and_takes_nothing_from_null(void **state)
{
    (void)state;
    lw_buf buf;
    lw_buf_init(&buf, 10);
    lw_buf_append(&buf, "a\0b", 3);
    lw_buf_append(&buf, NULL, 0);
    lw_buf_append_str(&buf, lw_str_make(NULL, 0));
    assert_int_equal(buf.st, LW_OK);
    assert_int_equal(buf.len, 3);
    assert_memory_equal(buf.data, "a\0b", 3);
    lw_buf_done(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(appends_in_order),
        TEST(holds_exactly_its_limit),
        TEST(remembers_the_first_failure),
        TEST(hands_over_a_terminated_string),
        TEST(cuts_back),
        TEST(a_failed_growth_keeps_the_prefix_and_is_remembered),
        TEST(never_takes_more_memory_than_its_limit_and_a_terminator),
        TEST(a_reservation_that_would_overflow_is_over_the_limit),
        TEST(holds_nul_bytes_and_takes_nothing_from_null),
    };
    return cmocka_run_group_tests_name("buf", tests, NULL, NULL);
}
