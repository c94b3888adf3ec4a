/* SPDX-License-Identifier: Apache-2.0 */
/* hollow_pod_test.c -- the life of a pod on a node that only pretends, and the addresses there. */
#include "control/node/hollow.h"

#include "unit/control/objects.h"

static int64_t start_ns(void)
{
    int64_t start = 0;
    assert_true(lw_time_parse_ns(lw_str_of("2026-01-01T00:00:00Z"), &start));
    return start;
}

static lw_hollow_action decide(const char *meta, const char *spec, const char *status, int after_s,
                               int64_t *wait_s)
{
    int64_t after_ns = 0;
    char text[1024];
    (void)snprintf(text, sizeof(text), "%s},'status':{%s", spec, status);
    lw_object *pod = pod_of("p", meta, text);
    lw_hollow_action action = lw_hollow_decide(pod, start_ns() + after_s * LW_NS_PER_S, &after_ns);
    *wait_s = after_ns / LW_NS_PER_S;
    lw_object_unref(pod);
    return action;
}

#define RUNNING                                                                                    \
    "'phase':'Running','startTime':'2026-01-01T00:00:00Z','conditions':[{'type':'Ready',"          \
    "'status':'True'}]"

static void a_pod_is_started_once_and_runs_for_ever(void **state)
{
    int64_t wait_s = 0;
    (void)state;
    assert_int_equal(decide("", "", "'phase':'Pending'", 0, &wait_s), LW_HOLLOW_START);
    assert_int_equal(decide("", "", "", 0, &wait_s), LW_HOLLOW_START);
    assert_int_equal(decide("", "", RUNNING, 100000, &wait_s), LW_HOLLOW_NOTHING);
    assert_int_equal(wait_s, 0);
    assert_int_equal(decide("'annotations':{'listwatch.io/run-seconds':'1'}", "", RUNNING, 100000,
                            &wait_s),
                     LW_HOLLOW_NOTHING); /* it would be started again */
    assert_int_equal(decide("", "", "'phase':'Failed'", 0, &wait_s), LW_HOLLOW_NOTHING);
}

static void a_pod_that_may_end_does_after_its_time(void **state)
{
    static const char never[] = "'restartPolicy':'Never'";
    static const char seven[] = "'annotations':{'listwatch.io/run-seconds':'7'}";
    static const char job[] = "'ownerReferences':[{'kind':'Job','uid':'j','controller':true}]";
    int64_t wait_s = 0;
    (void)state;
    assert_int_equal(decide(seven, never, RUNNING, 3, &wait_s), LW_HOLLOW_NOTHING);
    assert_int_equal(wait_s, 4);
    assert_int_equal(decide(seven, never, RUNNING, 7, &wait_s), LW_HOLLOW_FINISH);
    assert_int_equal(decide("", never, RUNNING, 7, &wait_s), LW_HOLLOW_NOTHING);
    assert_int_equal(decide(job, never, RUNNING, 0, &wait_s), LW_HOLLOW_NOTHING);
    assert_int_equal(wait_s, 1);
    assert_int_equal(decide(job, never, RUNNING, 1, &wait_s), LW_HOLLOW_FINISH);
}

static void readiness_follows_the_annotation(void **state)
{
    static const char not_ready[] = "'annotations':{'listwatch.io/ready':'false'}";
    int64_t wait_s = 0;
    (void)state;
    assert_int_equal(decide(not_ready, "", RUNNING, 0, &wait_s), LW_HOLLOW_SET_READY);
    assert_int_equal(decide("", "", "'phase':'Running'", 0, &wait_s), LW_HOLLOW_SET_READY);
}

static void a_pod_that_is_being_deleted_goes_whatever_it_does(void **state)
{
    int64_t wait_s = 0;
    (void)state;
    assert_int_equal(decide("'deletionTimestamp':'2026-01-01T00:00:30Z'", "", RUNNING, 0, &wait_s),
                     LW_HOLLOW_DELETE);
}

static void the_status_says_how_it_ended(void **state)
{
    lw_document *doc = NULL;
    (void)state;
    lw_object *pod = pod_of("p", "'annotations':{'listwatch.io/exit-code':'3'}",
                            "'containers':[{'name':'a','image':'i'},{'name':'b','image':'j'}]},"
                            "'status':{" RUNNING);
    assert_int_equal(lw_document_new(&doc, NULL), LW_OK);
    lw_hollow_write_status(doc, pod, LW_HOLLOW_FINISH, "172.16.0.2", "10.128.0.2", start_ns());
    assert_string_equal(lw_document_string(doc, NULL, "/status/phase", ""), "Failed");
    assert_int_equal(lw_document_count(lw_document_find(doc, NULL, "/status/containerStatuses")),
                     2);
    assert_string_equal(lw_document_string(doc, NULL, "/status/containerStatuses/1/name", ""), "b");
    assert_int_equal(lw_document_int(doc, NULL,
                                     "/status/containerStatuses/0/state/terminated/exitCode", -1),
                     3);
    assert_string_equal(lw_document_string(doc, NULL, "/status/startTime", ""),
                        "2026-01-01T00:00:00Z");
    assert_int_equal(lw_document_status(doc), LW_OK);
    lw_document_free(doc);
    lw_object_unref(pod);
}

/* The patch is merged into the status, so members that no longer apply must be removed. */
static void a_condition_that_holds_takes_the_last_reason_out(void **state)
{
    lw_document *doc = NULL;
    (void)state;
    lw_object *pod =
        pod_of("p", "'labels':{}", "'containers':[{'name':'a','image':'i'}]},'status':{" RUNNING);
    assert_int_equal(lw_document_new(&doc, NULL), LW_OK);
    lw_hollow_write_status(doc, pod, LW_HOLLOW_SET_READY, "172.16.0.2", "10.128.0.2", start_ns());
    assert_string_equal(lw_document_string(doc, NULL, "/status/conditions/1/type", ""), "Ready");
    lw_str json = { NULL, 0 };
    assert_int_equal(lw_document_json(doc, lw_document_find(doc, NULL, "/status/conditions/1"),
                                      &json, NULL),
                     LW_OK);
    assert_non_null(strstr(json.ptr, "\"status\":\"True\",\"reason\":null"));
    lw_document_free(doc);
    lw_object_unref(pod);
}

static void an_address_is_had_by_one_pod_at_a_time(void **state)
{
    static lw_hollow_range range;
    char first[LW_HOLLOW_ADDRESS_SIZE], text[LW_HOLLOW_ADDRESS_SIZE], uid[16];
    (void)state;
    lw_hollow_range_note(&range, 300, "seen", lw_str_of("10.129.44.2"));
    lw_hollow_range_note(&range, 300, "of another node", lw_str_of("10.129.45.3"));
    assert_true(lw_hollow_range_take(&range, 300, "a", first));
    assert_string_equal(first, "10.129.44.3");
    assert_true(lw_hollow_range_take(&range, 300, "a", text));
    assert_string_equal(text, first);
    for (int i = 0; i < 251; i++) {
        (void)snprintf(uid, sizeof(uid), "u%d", i);
        assert_true(lw_hollow_range_take(&range, 300, uid, text));
    }
    assert_string_equal(text, "10.129.44.254");
    assert_false(lw_hollow_range_take(&range, 300, "one too many", text));
    lw_hollow_range_release(&range, "seen");
    assert_true(lw_hollow_range_take(&range, 300, "next", text));
    assert_string_equal(text, "10.129.44.2");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_pod_is_started_once_and_runs_for_ever),
        TEST(a_pod_that_may_end_does_after_its_time),
        TEST(readiness_follows_the_annotation),
        TEST(a_pod_that_is_being_deleted_goes_whatever_it_does),
        TEST(the_status_says_how_it_ended),
        TEST(a_condition_that_holds_takes_the_last_reason_out),
        TEST(an_address_is_had_by_one_pod_at_a_time),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
