/* SPDX-License-Identifier: Apache-2.0 */
/* lease_test.c -- which copy may hold a lease, measured with its own clock. */
#include "control/runtime/election.h"

#include <stdio.h>

#include "unit/test.h"

static lw_object *lease(const char *holder, int seconds, const char *version)
{
    char json[512];
    lw_object *obj = NULL;
    int len = snprintf(json, sizeof(json),
                       "{\"metadata\":{\"name\":\"l\",\"resourceVersion\":\"%s\"},\"spec\":{"
                       "\"holderIdentity\":\"%s\",\"leaseDurationSeconds\":%d}}",
                       version, holder, seconds);
    assert_int_equal(lw_object_from_json(&obj, json, (size_t)len, NULL), LW_OK);
    return obj;
}

static void look(lw_lease_view *view, const char *holder, int seconds, const char *version,
                 int64_t now_s)
{
    lw_object *seen = lease(holder, seconds, version);
    lw_lease_look(view, seen, now_s * LW_NS_PER_S);
    lw_object_unref(seen);
}

static void a_lease_that_is_renewed_stays_with_its_holder(void **state)
{
    (void)state;
    lw_lease_view view = { 0 };
    look(&view, "other", 15, "1", 100);
    assert_false(lw_lease_may_take(&view, "me", 114 * LW_NS_PER_S));
    look(&view, "other", 15, "2", 114);
    assert_false(lw_lease_may_take(&view, "me", 128 * LW_NS_PER_S));
}

static void a_lease_that_is_not_renewed_is_free_after_its_duration(void **state)
{
    (void)state;
    lw_lease_view view = { 0 };
    look(&view, "other", 15, "1", 100);
    look(&view, "other", 15, "1", 110); /* nothing new */
    assert_false(lw_lease_may_take(&view, "me", 115 * LW_NS_PER_S - 1));
    assert_true(lw_lease_may_take(&view, "me", 115 * LW_NS_PER_S));
}

static void a_lease_that_was_given_back_is_free_at_once(void **state)
{
    (void)state;
    lw_lease_view view = { 0 };
    look(&view, "", 1, "1", 100);
    assert_true(lw_lease_may_take(&view, "me", 100 * LW_NS_PER_S));
}

static void a_holder_takes_its_own_lease(void **state)
{
    (void)state;
    lw_lease_view view = { 0 };
    look(&view, "me", 15, "1", 100);
    assert_true(lw_lease_may_take(&view, "me", 100 * LW_NS_PER_S));
    assert_false(lw_lease_may_take(&view, "me too", 100 * LW_NS_PER_S));
}

static void transitions_count_holders_not_renewals(void **state)
{
    (void)state;
    const lw_lease_times times = lw_lease_times_of(0);
    lw_document *doc = NULL;
    assert_int_equal(lw_document_new(&doc, NULL), LW_OK);
    lw_lease_take(doc, "a", &times, 0);
    assert_int_equal(lw_document_int(doc, NULL, "/spec/leaseTransitions", -1), 0);
    lw_lease_take(doc, "a", &times, 2 * LW_NS_PER_S);
    assert_int_equal(lw_document_int(doc, NULL, "/spec/leaseTransitions", -1), 0);
    assert_string_equal(lw_document_string(doc, NULL, "/spec/acquireTime", ""),
                        "1970-01-01T00:00:00.000000Z");
    assert_string_equal(lw_document_string(doc, NULL, "/spec/renewTime", ""),
                        "1970-01-01T00:00:02.000000Z");
    lw_lease_take(doc, "b", &times, 3 * LW_NS_PER_S);
    assert_int_equal(lw_document_int(doc, NULL, "/spec/leaseTransitions", -1), 1);
    assert_int_equal(lw_document_int(doc, NULL, "/spec/leaseDurationSeconds", -1), 15);
    lw_lease_release(doc, 4 * LW_NS_PER_S);
    assert_string_equal(lw_document_string(doc, NULL, "/spec/holderIdentity", "?"), "");
    lw_document_free(doc);
}

static void times_are_those_of_client_go(void **state)
{
    (void)state;
    lw_lease_times times = lw_lease_times_of(0);
    assert_int_equal(times.duration_ns, 15 * LW_NS_PER_S);
    assert_int_equal(times.renew_ns, 10 * LW_NS_PER_S);
    assert_int_equal(times.retry_ns, 2 * LW_NS_PER_S);
    assert_int_equal(lw_lease_times_of(3).renew_ns, 2 * LW_NS_PER_S);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_lease_that_is_renewed_stays_with_its_holder),
        TEST(a_lease_that_is_not_renewed_is_free_after_its_duration),
        TEST(a_lease_that_was_given_back_is_free_at_once),
        TEST(a_holder_takes_its_own_lease),
        TEST(transitions_count_holders_not_renewals),
        TEST(times_are_those_of_client_go),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
