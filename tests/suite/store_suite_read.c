/* SPDX-License-Identifier: Apache-2.0 */
/* store_suite_read.c -- get and range: limits, counts, prefixes, old revisions. */
#include "base/alloc.h"
#include "base/error.h"
#include "suite/store_suite_parts.h"

static void put_abc(store_fixture *f)
{
    put(f, "/a/2", "two");
    put(f, "/a/1", "one");
    put(f, "/b/1", "three");
    put(f, "/a/3", "four");
    put(f, "/a", "five");
}

static void assert_range(store_fixture *f, lw_store_range range, const char *expected)
{
    char *text = range_text(f, &range, NULL);
    assert_string_equal(text, expected);
    lw_free(text);
}

static void gets_a_key_with_its_revisions(void **state)
{
    store_fixture *f = *state;
    put_abc(f);
    put(f, "/a/1", "uno");
    lw_buf value;
    lw_buf_init(&value, 100);
    lw_store_record record;
    assert_int_equal(lw_store_get(f->store, LW_STR("/a/1"), 0, &value, &record, NULL), LW_OK);
    assert_str_equal(lw_buf_view(&value), "uno");
    assert_int_equal(record.create_revision, 2);
    assert_int_equal(record.mod_revision, 6);
    lw_buf_reset(&value);
    assert_int_equal(lw_store_get(f->store, LW_STR("/a/1"), 3, &value, &record, NULL), LW_OK);
    assert_str_equal(lw_buf_view(&value), "one");
    assert_int_equal(record.mod_revision, 2);
    lw_buf_done(&value);
}

static void an_absent_key_is_not_found(void **state)
{
    store_fixture *f = *state;
    put_abc(f);
    lw_buf value;
    lw_buf_init(&value, 100);
    static const char *const absent[] = { "/a/", "/a/0", "/a/11", "/", "/c", "" };
    for (size_t i = 0; i < sizeof(absent) / sizeof(absent[0]); i++) {
        lw_error err = LW_ERROR_INIT;
        assert_int_equal(lw_store_get(f->store, lw_str_of(absent[i]), 0, &value, NULL, &err),
                         LW_ERR_NOT_FOUND);
        assert_int_equal(err.code, LW_ERR_NOT_FOUND);
    }
    assert_int_equal(lw_store_get(f->store, LW_STR("/a/3"), 3, &value, NULL, NULL),
                     LW_ERR_NOT_FOUND);
    assert_int_equal(value.len, 0);
    lw_buf_done(&value);
}

static void ranges_are_in_the_order_of_bytes(void **state)
{
    store_fixture *f = *state;
    put_abc(f);
    assert_state(f, 0, "/a=five@5/5 /a/1=one@2/2 /a/2=two@1/1 /a/3=four@4/4 /b/1=three@3/3");
    put(f, "/a\xff", "x");
    put(f, "/a\x01", "y");
    assert_range(f, (lw_store_range){ .start = LW_STR("/a"), .end = LW_STR("/a/2") },
                 "/a=five@5/5 /a\x01=y@7/7 /a/1=one@2/2");
    assert_range(f, (lw_store_range){ .start = LW_STR("/a/4") }, "/a\xff=x@6/6 /b/1=three@3/3");
}

static void a_range_begins_with_its_start_and_ends_before_its_end(void **state)
{
    store_fixture *f = *state;
    put_abc(f);
    assert_range(f, (lw_store_range){ .start = LW_STR("/a/1"), .end = LW_STR("/a/3") },
                 "/a/1=one@2/2 /a/2=two@1/1");
    assert_range(f, (lw_store_range){ .start = LW_STR("/a/1"), .end = LW_STR("/a/1") }, "");
    assert_range(f, (lw_store_range){ .start = LW_STR("/b"), .end = LW_STR("/a") }, "");
    assert_range(f, (lw_store_range){ .end = LW_STR("/a/1") }, "/a=five@5/5");
    assert_range(f, (lw_store_range){ .start = LW_STR("/b/2") }, "");
}

static void a_prefix_is_a_range(void **state)
{
    store_fixture *f = *state;
    put_abc(f);
    char storage[LW_STORE_KEY_MAX];
    lw_store_range range = { .start = LW_STR("/a/") };
    lw_store_prefix_end(range.start, storage, &range.end);
    assert_range(f, range, "/a/1=one@2/2 /a/2=two@1/1 /a/3=four@4/4");
    range.start = LW_STR("\xff\xff");
    lw_store_prefix_end(range.start, storage, &range.end);
    assert_int_equal(range.end.len, 0);
    put(f, "\xff\xff", "last");
    assert_range(f, range, "\xff\xff=last@6/6");
    range.start = LW_STR("/\xff");
    lw_store_prefix_end(range.start, storage, &range.end);
    assert_str_equal(range.end, "0");
}

static void a_limit_truncates_and_reports_more(void **state)
{
    store_fixture *f = *state;
    put_abc(f);
    assert_range(f, (lw_store_range){ .limit = 2 }, "/a=five@5/5 /a/1=one@2/2...");
    assert_range(f, (lw_store_range){ .limit = 2, .is_counting = true },
                 "/a=five@5/5 /a/1=one@2/2...+3");
    assert_range(f, (lw_store_range){ .start = LW_STR("/a/3"), .limit = 2 },
                 "/a/3=four@4/4 /b/1=three@3/3");
    assert_range(f, (lw_store_range){ .limit = 5, .is_counting = true },
                 "/a=five@5/5 /a/1=one@2/2 /a/2=two@1/1 /a/3=four@4/4 /b/1=three@3/3");
    assert_range(f, (lw_store_range){ .end = LW_STR("/a/2"), .limit = 1, .is_counting = true },
                 "/a=five@5/5...+1");
}

static void deleted_keys_are_neither_returned_nor_counted(void **state)
{
    store_fixture *f = *state;
    put_abc(f);
    del(f, "/a/1");
    del(f, "/b/1");
    assert_range(f, (lw_store_range){ .limit = 1, .is_counting = true }, "/a=five@5/5...+2");
    assert_range(f, (lw_store_range){ .limit = 3, .is_counting = true },
                 "/a=five@5/5 /a/2=two@1/1 /a/3=four@4/4");
    assert_range(f, (lw_store_range){ .start = LW_STR("/a/1"), .limit = 1 }, "/a/2=two@1/1...");
    assert_range(f, (lw_store_range){ .limit = 1, .is_counting = true, .revision = 5 },
                 "/a=five@5/5...+4");
}

static void an_old_revision_can_be_read(void **state)
{
    store_fixture *f = *state;
    put(f, "/a", "1");
    put(f, "/b", "1");
    put(f, "/a", "2");
    del(f, "/b");
    put(f, "/c", "1");
    put(f, "/b", "2");
    assert_state(f, 1, "/a=1@1/1");
    assert_state(f, 2, "/a=1@1/1 /b=1@2/2");
    assert_state(f, 3, "/a=2@1/3 /b=1@2/2");
    assert_state(f, 4, "/a=2@1/3");
    assert_state(f, 5, "/a=2@1/3 /c=1@5/5");
    assert_state(f, 6, "/a=2@1/3 /b=2@6/6 /c=1@5/5");
    assert_state(f, 0, "/a=2@1/3 /b=2@6/6 /c=1@5/5");
}

static void reports_the_revision_that_was_read(void **state)
{
    store_fixture *f = *state;
    put_abc(f);
    lw_store_range_result result;
    lw_store_range range = { .limit = 1 };
    lw_free(range_text(f, &range, &result));
    assert_int_equal(result.revision, 5);
    assert_true(result.has_more);
    assert_int_equal(result.remaining, 0);
    range = (lw_store_range){ .revision = 2 };
    lw_free(range_text(f, &range, &result));
    assert_int_equal(result.revision, 2);
    assert_false(result.has_more);
}

static void a_future_revision_cannot_be_read(void **state)
{
    store_fixture *f = *state;
    assert_int_equal(read_status(f, 1), LW_ERR_TOO_LARGE_RV);
    put(f, "/a", "1");
    assert_int_equal(read_status(f, 1), LW_OK);
    assert_int_equal(read_status(f, 2), LW_ERR_TOO_LARGE_RV);
    assert_int_equal(read_status(f, UINT64_MAX), LW_ERR_TOO_LARGE_RV);
}

static lw_status stop_at_second(const lw_store_record *record, void *arg, lw_error *err)
{
    (void)record;
    int *calls = arg;
    return ++*calls < 2 ? LW_OK : lw_error_set(err, LW_ERR_STOPPED, "enough");
}

static void the_callback_can_stop_the_range(void **state)
{
    store_fixture *f = *state;
    put_abc(f);
    int calls = 0;
    lw_store_range all = { .limit = 0 };
    lw_store_range_result result = { .revision = 77 };
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_store_read(f->store, &all, stop_at_second, &calls, &result, &err),
                     LW_ERR_STOPPED);
    assert_string_equal(err.message, "enough");
    assert_int_equal(calls, 2);
    assert_int_equal(result.revision, 77);
    put(f, "/z", "it goes on");
}

static void reports_the_size_of_the_store(void **state)
{
    store_fixture *f = *state;
    char value[2000];
    memset(value, 'x', sizeof(value));
    value[sizeof(value) - 1] = '\0';
    size_t before = lw_store_bytes(f->store);
    for (int i = 0; i < 100; i++)
        put(f, "/a", value);
    assert_true(lw_store_bytes(f->store) >= before + 100 * 2000);
}

void store_suite_read(store_tests *table)
{
    const struct CMUnitTest own[] = {
        STORE_TEST(gets_a_key_with_its_revisions),
        STORE_TEST(an_absent_key_is_not_found),
        STORE_TEST(ranges_are_in_the_order_of_bytes),
        STORE_TEST(a_range_begins_with_its_start_and_ends_before_its_end),
        STORE_TEST(a_prefix_is_a_range),
        STORE_TEST(a_limit_truncates_and_reports_more),
        STORE_TEST(deleted_keys_are_neither_returned_nor_counted),
        STORE_TEST(an_old_revision_can_be_read),
        STORE_TEST(reports_the_revision_that_was_read),
        STORE_TEST(a_future_revision_cannot_be_read),
        STORE_TEST(the_callback_can_stop_the_range),
        STORE_TEST(reports_the_size_of_the_store),
    };
    STORE_TESTS_ADD(table, own);
}
