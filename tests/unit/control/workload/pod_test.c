/* SPDX-License-Identifier: Apache-2.0 */
/* pod_test.c -- facts of Pods, and which goes first. */
#include "control/workload/pod.h"

#include "unit/control/things.h"

static void a_pod_is_active_until_it_ends_or_is_deleted(void **state)
{
    (void)state;
    static const struct {
        const char *json;
        bool is_active;
    } cases[] = {
        { "{'metadata':{'name':'a'}}", true },
        { "{'metadata':{'name':'a'},'status':{'phase':'Running'}}", true },
        { "{'metadata':{'name':'a'},'status':{'phase':'Succeeded'}}", false },
        { "{'metadata':{'name':'a'},'status':{'phase':'Failed'}}", false },
        { "{'metadata':{'name':'a','deletionTimestamp':'2026-01-01T00:00:00Z'}}", false },
        { "{'metadata':{'name':'a','deletionTimestamp':null}}", true },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_object *pod = object_of(cases[i].json);
        lw_pod_facts facts;
        lw_pod_read(&facts, pod);
        assert_int_equal(lw_pod_is_active(&facts), cases[i].is_active);
        lw_object_unref(pod);
    }
}

static void a_pod_is_available_when_it_was_ready_for_long_enough(void **state)
{
    (void)state;
    int64_t left = -1;
    lw_pod_facts facts;
    lw_object *pod = object_of("{'status':{'conditions':[{'type':'Initialized','status':'True'},"
                               "{'type':'Ready','status':'True',"
                               "'lastTransitionTime':'1970-01-01T00:01:40Z'}]}}");
    lw_pod_read(&facts, pod);
    assert_true(lw_pod_is_available(&facts, 0, 100 * LW_NS_PER_S, &left));
    assert_true(lw_pod_is_available(&facts, 10, 110 * LW_NS_PER_S, &left));
    assert_int_equal(left, -1);
    assert_false(lw_pod_is_available(&facts, 10, 107 * LW_NS_PER_S, &left));
    assert_int_equal(left, 3 * LW_NS_PER_S);
    lw_object_unref(pod);
    pod = object_of("{'status':{'conditions':[{'type':'Ready','status':'False'}]}}");
    lw_pod_read(&facts, pod);
    assert_false(lw_pod_is_available(&facts, 0, 0, &left));
    lw_object_unref(pod);
}

#define READY(since)                                                                               \
    "'conditions':[{'type':'Ready','status':'True','lastTransitionTime':'1970-01-01T00:00:" since  \
    "Z'}]"

/* In the order they are to go. */
static const char *const in_order[] = {
    "{'metadata':{'name':'unbound'},'status':{'phase':'Running'}}",
    "{'metadata':{'name':'pending'},'spec':{'nodeName':'n1'},'status':{'phase':'Pending'}}",
    "{'metadata':{'name':'unknown'},'spec':{'nodeName':'n1'},'status':{'phase':'Unknown'}}",
    "{'metadata':{'name':'not-ready'},'spec':{'nodeName':'n1'},'status':{'phase':'Running'}}",
    "{'metadata':{'name':'cheap','annotations':{'controller.kubernetes.io/pod-deletion-cost':'-5'}}"
    ",'spec':{'nodeName':'n2'},'status':{'phase':'Running'," READY("01") "}}",
    "{'metadata':{'name':'crowded'},'spec':{'nodeName':'n1'},'status':{'phase':'Running'," READY(
        "01") "}}",
    "{'metadata':{'name':'ready-late'},'spec':{'nodeName':'n3'},'status':{'phase':'Running'," READY(
        "09") "}}",
    "{'metadata':{'name':'restarted'},'spec':{'nodeName':'n4'},'status':{'phase':'Running',"
    "'containerStatuses':[{'restartCount':3}]," READY("05") "}}",
    "{'metadata':{'name':'young','creationTimestamp':'1970-01-01T00:00:04Z'},'spec':{'nodeName':"
    "'n5'},'status':{'phase':'Running'," READY("05") "}}",
    "{'metadata':{'name':'old','creationTimestamp':'1970-01-01T00:00:03Z'},'spec':{'nodeName':'n6'}"
    ",'status':{'phase':'Running'," READY("05") "}}",
};

enum {
    PODS = sizeof(in_order) / sizeof(in_order[0]),
};

static void those_go_first_whose_deletion_hurts_least(void **state)
{
    (void)state;
    lw_object *made[PODS];
    lw_pod_facts pods[PODS];
    for (size_t i = 0; i < PODS; i++)
        made[i] = object_of(in_order[i]);
    for (size_t turn = 0; turn < PODS; turn++) { /* from whatever order they come in */
        for (size_t i = 0; i < PODS; i++)
            lw_pod_read(&pods[i], made[(i * 7 + turn) % PODS]);
        lw_pod_sort_for_deletion(pods, PODS);
        for (size_t i = 0; i < PODS; i++)
            assert_string_equal(lw_object_name(pods[i].pod), lw_object_name(made[i]));
    }
    for (size_t i = 0; i < PODS; i++)
        lw_object_unref(made[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_pod_is_active_until_it_ends_or_is_deleted),
        TEST(a_pod_is_available_when_it_was_ready_for_long_enough),
        TEST(those_go_first_whose_deletion_hurts_least),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
