/* SPDX-License-Identifier: Apache-2.0 */
/* eviction_test.c -- which pods must leave a node, and when. */
#include "control/node/eviction.h"

#include "unit/control/objects.h"

#define UNREACHABLE                                                                                \
    "{'key':'node.kubernetes.io/unreachable','effect':'NoExecute','timeAdded':"                    \
    "'2026-01-01T00:00:00Z'}"

enum {
    NEVER = -1,
};

static int64_t start_ns(void)
{
    int64_t start = 0;
    assert_true(lw_time_parse_ns(lw_str_of("2026-01-01T00:00:00Z"), &start));
    return start;
}

/* Returns what happens to a pod |after_s| seconds after the node was tainted; |*wait_s| is the time
 * until it is checked again. */
static lw_eviction decide(const char *taints, bool is_unreachable, const char *pod_spec,
                          const char *pod_meta, int after_s, int64_t *wait_s)
{
    int64_t after_ns = 0;
    lw_object *node = object_of("{'kind':'Node','spec':{'taints':[%s]}}", taints);
    lw_object *pod = pod_of("p", pod_meta, pod_spec);
    const lw_eviction_rules rules = { node, is_unreachable, start_ns(), 5 * LW_NS_PER_S };
    lw_eviction what =
        lw_eviction_decide(&rules, pod, start_ns() + after_s * LW_NS_PER_S, &after_ns);
    *wait_s = after_ns > 0 ? after_ns / LW_NS_PER_S : NEVER;
    lw_object_unref(pod);
    lw_object_unref(node);
    return what;
}

static void a_pod_that_tolerates_nothing_goes_after_the_patience(void **state)
{
    int64_t wait_s = 0;
    (void)state;
    assert_int_equal(decide(UNREACHABLE, true, "", "", 1, &wait_s), LW_EVICTION_STAY);
    assert_int_equal(wait_s, 4);
    assert_int_equal(decide(UNREACHABLE, true, "", "", 5, &wait_s), LW_EVICTION_DELETE);
    assert_int_equal(decide("", false, "", "", 100, &wait_s), LW_EVICTION_STAY);
    assert_int_equal(wait_s, NEVER);
}

static void a_toleration_lasts_as_long_as_it_says(void **state)
{
    static const char some[] = "'tolerations':[{'operator':'Exists','tolerationSeconds':300}]";
    static const char all[] = "'tolerations':[{'operator':'Exists'}]";
    int64_t wait_s = 0;
    (void)state;
    assert_int_equal(decide(UNREACHABLE, true, some, "", 100, &wait_s), LW_EVICTION_STAY);
    assert_int_equal(wait_s, 200);
    assert_int_equal(decide(UNREACHABLE, true, some, "", 300, &wait_s), LW_EVICTION_DELETE);
    assert_int_equal(decide(UNREACHABLE, true, all, "", 100000, &wait_s), LW_EVICTION_STAY);
    assert_int_equal(wait_s, NEVER);
}

static void what_every_pod_is_given_counts_only_where_nothing_else_is_said(void **state)
{
    static const char given[] = "'tolerations':[{'key':'node.kubernetes.io/unreachable','operator':"
                                "'Exists','effect':'NoExecute','tolerationSeconds':300}]";
    int64_t after_ns = 0, wait_s = 0;
    (void)state;
    assert_int_equal(decide(UNREACHABLE, true, given, "", 5, &wait_s), LW_EVICTION_DELETE);
    lw_object *node = object_of("{'kind':'Node','spec':{'taints':[" UNREACHABLE "]}}");
    lw_object *pod = pod_of("p", "", given);
    const lw_eviction_rules rules = { node, true, start_ns(), 0 };
    assert_int_equal(lw_eviction_decide(&rules, pod, start_ns() + LW_NS_PER_S, &after_ns),
                     LW_EVICTION_STAY);
    assert_int_equal(after_ns / LW_NS_PER_S, 299);
    lw_object_unref(pod);
    lw_object_unref(node);
}

static void a_pod_that_nobody_can_end_is_forced_when_its_grace_is_over(void **state)
{
    static const char deleted[] = "'deletionTimestamp':'2026-01-01T00:00:30Z'";
    int64_t wait_s = 0;
    (void)state;
    assert_int_equal(decide(UNREACHABLE, true, "", deleted, 20, &wait_s), LW_EVICTION_STAY);
    assert_int_equal(wait_s, 10);
    assert_int_equal(decide(UNREACHABLE, true, "", deleted, 30, &wait_s), LW_EVICTION_FORCE);
    assert_int_equal(decide(UNREACHABLE, false, "", deleted, 30, &wait_s), LW_EVICTION_STAY);
}

static void pods_of_a_node_that_is_gone_are_forced(void **state)
{
    int64_t after_ns = 0;
    const lw_eviction_rules rules = { .node = NULL };
    (void)state;
    lw_object *pod = pod_of("p", "", "'tolerations':[{'operator':'Exists'}]");
    assert_int_equal(lw_eviction_decide(&rules, pod, 0, &after_ns), LW_EVICTION_FORCE);
    lw_object_unref(pod);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_pod_that_tolerates_nothing_goes_after_the_patience),
        TEST(a_toleration_lasts_as_long_as_it_says),
        TEST(what_every_pod_is_given_counts_only_where_nothing_else_is_said),
        TEST(a_pod_that_nobody_can_end_is_forced_when_its_grace_is_over),
        TEST(pods_of_a_node_that_is_gone_are_forced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
