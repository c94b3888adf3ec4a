/* SPDX-License-Identifier: Apache-2.0 */
/* upstreams_test.c -- the addresses of a cluster: which one is used. */
#include "server/webhook/upstreams.h"

#include "base/str.h"
#include "unit/test.h"

static lw_upstreams *made(const char *urls)
{
    lw_upstreams *upstreams = NULL;
    assert_int_equal(lw_upstreams_new(&upstreams, urls, true, NULL), LW_OK);
    return upstreams;
}

static void the_parts_of_urls_are_read(void **state)
{
    (void)state;
    size_t count;
    lw_upstreams *upstreams = made("https://a, b:6443 ,https://[::1]:1/p/q/");
    lw_upstream *all = lw_upstreams_all(upstreams, &count);
    assert_int_equal(count, 3);
    assert_string_equal(all[0].address.host, "a");
    assert_int_equal(all[0].address.port, 443);
    assert_int_equal(all[0].prefix.len, 0);
    assert_string_equal(all[1].address.url, "https://b:6443");
    assert_string_equal(all[2].address.host, "::1");
    assert_int_equal(all[2].address.port, 1);
    assert_true(lw_str_equal(all[2].prefix, LW_STR("/p/q")));
    lw_upstreams_unref(upstreams);
}

static void malformed_urls_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "", ",", "http://a", "ftp://a", "https://a:0", "https://u@a"
    };
    lw_upstreams *upstreams = NULL;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_int_equal(lw_upstreams_new(&upstreams, bad[i], true, NULL), LW_ERR_INVALID);
    assert_int_equal(lw_upstreams_new(&upstreams, "a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a,a", true, NULL),
                     LW_ERR_LIMIT);
}

static void the_current_address_stays_until_it_fails(void **state)
{
    (void)state;
    size_t count;
    lw_upstreams *upstreams = made("a,b,c");
    lw_upstream *all = lw_upstreams_all(upstreams, &count);
    assert_ptr_equal(lw_upstreams_current(upstreams), &all[0]);
    assert_false(lw_upstream_failed(&all[1])); /* not the current one */
    assert_true(lw_upstream_failed(&all[0]));
    assert_ptr_equal(lw_upstreams_current(upstreams), &all[2]); /* b is down */
    assert_false(lw_upstream_failed(&all[0]));                  /* known already */
    lw_upstream_answered(&all[0]);
    assert_ptr_equal(lw_upstreams_current(upstreams), &all[2]);
    assert_int_equal(atomic_load(&all[0].failures), 1);
    lw_upstreams_unref(upstreams);
}

static void if_none_answers_all_are_tried_in_turn(void **state)
{
    (void)state;
    size_t count;
    lw_upstreams *upstreams = made("a,b,c");
    lw_upstream *all = lw_upstreams_all(upstreams, &count);
    for (size_t i = 0; i < 7; i++) {
        assert_ptr_equal(lw_upstreams_current(upstreams), &all[i % 3]);
        assert_true(lw_upstream_failed(&all[i % 3]));
    }
    lw_upstreams_unref(upstreams);
}

static void a_single_address_is_always_used(void **state)
{
    (void)state;
    lw_upstreams *upstreams = made("a");
    lw_upstream *only = lw_upstreams_current(upstreams);
    assert_false(lw_upstream_failed(only));
    assert_false(atomic_load(&only->is_up));
    assert_ptr_equal(lw_upstreams_current(upstreams), only);
    lw_upstreams_unref(upstreams);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(the_parts_of_urls_are_read),
        TEST(malformed_urls_are_refused),
        TEST(the_current_address_stays_until_it_fails),
        TEST(if_none_answers_all_are_tried_in_turn),
        TEST(a_single_address_is_always_used),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
