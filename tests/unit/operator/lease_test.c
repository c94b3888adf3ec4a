/* SPDX-License-Identifier: Apache-2.0 */
/* lease_test.c -- which copy may hold a lease, measured with its own clock. */
#include "operator/lease.h"

#include <stdio.h>

#include "unit/test.h"

static lw_object *lease(const char *holder, int seconds, const char *renewed)
{
    char json[512];
    lw_object *obj = NULL;
    int len = snprintf(json, sizeof(json),
                       "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"renewTime\":\"%s\","
                       "\"holderIdentity\":\"%s\",\"leaseDurationSeconds\":%d}}",
                       renewed, holder, seconds);
    assert_int_equal(lw_object_from_json(&obj, json, (size_t)len, NULL), LW_OK);
    return obj;
}

static void look(lw_lease_view *view, const char *holder, int seconds, const char *renewed,
                 int64_t now_s)
{
    lw_object *seen = lease(holder, seconds, renewed);
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
    const lw_lease_times times = { 15 * LW_NS_PER_S, 10 * LW_NS_PER_S, 2 * LW_NS_PER_S };
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

static lw_lease_times times_of(int duration_ms, int renew_ms, int retry_ms)
{
    lw_election_options options = LW_ELECTION_OPTIONS_INIT;
    lw_lease_times times = { 0 };
    options.lease_duration_ms = duration_ms;
    options.renew_deadline_ms = renew_ms;
    options.retry_period_ms = retry_ms;
    assert_int_equal(lw_lease_times_of(&times, &options, NULL), LW_OK);
    return times;
}

static void times_are_those_of_client_go(void **state)
{
    (void)state;
    lw_lease_times times = times_of(0, 0, 0);
    assert_int_equal(times.duration_ns, 15 * LW_NS_PER_S);
    assert_int_equal(times.renew_ns, 10 * LW_NS_PER_S);
    assert_int_equal(times.retry_ns, 2 * LW_NS_PER_S);
    assert_int_equal(times_of(3000, 0, 0).renew_ns, 2 * LW_NS_PER_S);
    assert_int_equal(times_of(1500, 1000, 100).duration_ns, 2 * LW_NS_PER_S);
}

static void a_duration_of_a_stranger_is_bounded(void **state)
{
    static const char json[] = "{\"metadata\":{\"name\":\"l\"},\"spec\":{\"holderIdentity\":\"x\","
                               "\"leaseDurationSeconds\":9223372036854775807}}";
    (void)state;
    lw_lease_view view = { 0 };
    lw_object *obj = NULL;
    assert_int_equal(lw_object_from_json(&obj, json, sizeof(json) - 1, NULL), LW_OK);
    lw_lease_look(&view, obj, 1);
    assert_int_equal(view.duration_ns, INT32_MAX * LW_NS_PER_S);
    lw_object_unref(obj);
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
        TEST(a_duration_of_a_stranger_is_bounded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
