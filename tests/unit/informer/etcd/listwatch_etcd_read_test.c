/* SPDX-License-Identifier: Apache-2.0 */
/* listwatch_etcd_read_test.c -- lists on etcd, as the reflector asks for them. */
#include "unit/informer/etcd/etcd_fixture.h"

static void list_shows_what_is_below_the_prefix(void **state)
{
    fixture t;
    (void)state;
    fake_etcd_put_text("/app", "0");
    fake_etcd_put_text("/app/b", "1");
    fake_etcd_put_text("/app/ns/a", "2");
    fake_etcd_put_text("/app0", "3");
    fake_etcd_put_text("/app/gone", "4");
    fake_etcd_delete("/app/gone");
    fixture_open_on(&t, "/app/");
    list(&t, &(lw_source_request){ .resource_version = "0" });
    assert_said(&t, "item:b@3 item:ns/a@4 end");
    assert_string_equal(t.list_rv, "7");
    fixture_close(&t);
}

static void pages_are_of_one_revision(void **state)
{
    fixture t;
    (void)state;
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_put_text("/a/2", "x");
    fake_etcd_put_text("/a/3", "x");
    fixture_open_on(&t, "/a/");
    list(&t, &(lw_source_request){ .resource_version = "0", .limit = 2 });
    assert_said(&t, "item:1@2 item:2@3 more");
    assert_int_equal(t.remaining, 1);
    fake_etcd_put_text("/a/3", "later");
    fake_etcd_put_text("/a/4", "later");
    list(&t, &(lw_source_request){ .continue_token = t.token, .limit = 2 });
    assert_said(&t, "item:3@4 end");
    assert_string_equal(t.list_rv, "4");
    fixture_close(&t);
}

static void page_that_was_compacted_is_expired(void **state)
{
    fixture t;
    (void)state;
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_put_text("/a/2", "x");
    fixture_open_on(&t, "/a/");
    list(&t, &(lw_source_request){ .resource_version = "", .limit = 1 });
    fake_etcd_compact(fake_etcd_put_text("/a/3", "x"));
    list(&t, &(lw_source_request){ .continue_token = t.token, .limit = 1 });
    assert_said(&t, "item:1@2 more expired");
    fixture_close(&t);
}

static void token_of_another_list_is_refused(void **state)
{
    static const char *const tokens[] = { "x", "7", "7.!", "0.L2EvMQ", ".L2EvMQ", "7.L2IvMQ" };
    fixture t;
    (void)state;
    fixture_open_on(&t, "/a/");
    for (size_t i = 0; i < sizeof(tokens) / sizeof(tokens[0]); i++) {
        lw_error err = LW_ERROR_INIT;
        const lw_source_request request = { .continue_token = tokens[i] };
        assert_int_equal(t.source->ops->list(t.source, &request, sink_of(&t), &t.call, &err),
                         LW_ERR_INVALID);
    }
    fixture_close(&t);
}

static void long_lists_are_read_in_pages(void **state)
{
    fixture t;
    char key[32];
    (void)state;
    for (int i = 0; i < 2345; i++) {
        snprintf(key, sizeof(key), "/a/%05d", i);
        fake_etcd_put_text(key, "x");
    }
    fixture_open_on(&t, "/a/");
    list(&t, &(lw_source_request){ .resource_version = "5" });
    assert_int_equal(t.objects, 2345);
    assert_string_equal(t.list_rv, "2346");
    assert_true(fake_etcd_range_count() > 1);
    fixture_close(&t);
}

static void replies_that_are_too_large_are_asked_for_in_parts(void **state)
{
    fixture t;
    char key[32];
    (void)state;
    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof(key), "/a/%05d", i);
        fake_etcd_put_text(key, "0123456789");
    }
    fake_etcd_set_reply_max(100);
    fixture_open_on(&t, "/a/");
    list(&t, &(lw_source_request){ .resource_version = "", .limit = 90 });
    assert_int_equal(t.objects, 90);
    assert_true(t.token[0] != '\0');
    fixture_close(&t);
}

static void one_value_that_is_too_large_is_an_error(void **state)
{
    fixture t;
    (void)state;
    fake_etcd_put_text("/a/1", "0123456789");
    fake_etcd_set_reply_max(5);
    fixture_open_on(&t, "/a/");
    list(&t, &(lw_source_request){ .resource_version = "" });
    assert_int_equal(t.error.code, LW_ERR_LIMIT);
    fixture_close(&t);
}

static void revision_to_come_is_too_large(void **state)
{
    fixture t;
    (void)state;
    fixture_open_on(&t, "/a/");
    list(&t, &(lw_source_request){ .resource_version = "50" });
    assert_int_equal(t.error.code, LW_ERR_TOO_LARGE_RV);
    fixture_close(&t);
}

static void exact_revision_is_shown(void **state)
{
    fixture t;
    (void)state;
    fake_etcd_put_text("/a/1", "x");
    fake_etcd_put_text("/a/2", "x");
    fixture_open_on(&t, "/a/");
    list(&t, &(lw_source_request){ .resource_version = "2", .resource_version_match = "Exact" });
    assert_said(&t, "item:1@2 end");
    assert_string_equal(t.list_rv, "2");
    fixture_close(&t);
}

static void failure_of_a_list_is_told(void **state)
{
    fixture t;
    (void)state;
    fake_etcd_fail_ranges(LW_ERR_UNAVAILABLE);
    fixture_open_on(&t, "/a/");
    list(&t, &(lw_source_request){ .resource_version = "" });
    assert_int_equal(t.error.code, LW_ERR_UNAVAILABLE);
    fixture_close(&t);
}

static void revision_that_is_no_number_is_refused(void **state)
{
    fixture t;
    lw_error err = LW_ERROR_INIT;
    const lw_source_request request = { .resource_version = "x" };
    (void)state;
    fixture_open_on(&t, "/a/");
    assert_int_equal(t.source->ops->list(t.source, &request, sink_of(&t), &t.call, &err),
                     LW_ERR_INVALID);
    assert_int_equal(t.source->ops->watch(t.source, &request, sink_of(&t), &t.call, &err),
                     LW_ERR_INVALID);
    fixture_close(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(list_shows_what_is_below_the_prefix),
        TEST(pages_are_of_one_revision),
        TEST(page_that_was_compacted_is_expired),
        TEST(token_of_another_list_is_refused),
        TEST(long_lists_are_read_in_pages),
        TEST(replies_that_are_too_large_are_asked_for_in_parts),
        TEST(one_value_that_is_too_large_is_an_error),
        TEST(revision_to_come_is_too_large),
        TEST(exact_revision_is_shown),
        TEST(failure_of_a_list_is_told),
        TEST(revision_that_is_no_number_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
