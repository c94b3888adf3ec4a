/* SPDX-License-Identifier: Apache-2.0 */
/* taint_test.c -- taints and tolerations. */
#include "control/runtime/taint.h"

#include "unit/control/objects.h"

/* How long a pod with |tolerations| may stay on a node with |taints|. */
static int64_t stay_of(const char *taints, const char *tolerations)
{
    lw_taint on_node[LW_TAINTS_MAX];
    lw_toleration of_pod[LW_TOLERATIONS_MAX];
    lw_object *node = object_of("{'kind':'Node','spec':{'taints':[%s]}}", taints);
    lw_object *pod = object_of("{'kind':'Pod','spec':{'tolerations':[%s]}}", tolerations);
    size_t taint_count = lw_taints_read(node, on_node, LW_TAINTS_MAX);
    size_t count = lw_tolerations_read(pod, of_pod, LW_TOLERATIONS_MAX);
    int64_t stay_s = lw_taints_stay_s(on_node, taint_count, of_pod, count);
    lw_object_unref(pod);
    lw_object_unref(node);
    return stay_s;
}

static void only_no_execute_ends_a_stay(void **state)
{
    (void)state;
    assert_int_equal(stay_of("", ""), -1);
    assert_int_equal(stay_of("{'key':'a','effect':'NoSchedule'}", ""), -1);
    assert_int_equal(stay_of("{'key':'a','effect':'NoExecute'}", ""), 0);
}

static void a_toleration_matches_key_value_and_effect(void **state)
{
    static const char taint[] = "{'key':'a','value':'1','effect':'NoExecute'}";
    (void)state;
    assert_int_equal(stay_of(taint, "{'key':'a','operator':'Exists'}"), -1);
    assert_int_equal(stay_of(taint, "{'key':'a','value':'1'}"), -1);
    assert_int_equal(stay_of(taint, "{'key':'a','value':'2'}"), 0);
    assert_int_equal(stay_of(taint, "{'key':'b','operator':'Exists'}"), 0);
    assert_int_equal(stay_of(taint, "{'operator':'Exists'}"), -1);
    assert_int_equal(stay_of(taint, "{'operator':'Exists','effect':'NoSchedule'}"), 0);
    assert_int_equal(stay_of(taint, "{'value':'1'}"), 0);
}

static void the_longest_toleration_of_the_shortest_taint_counts(void **state)
{
    (void)state;
    assert_int_equal(stay_of("{'key':'a','effect':'NoExecute'},{'key':'b','effect':'NoExecute'}",
                             "{'key':'a','operator':'Exists','tolerationSeconds':300},"
                             "{'key':'b','operator':'Exists','tolerationSeconds':10},"
                             "{'key':'b','operator':'Exists','tolerationSeconds':60}"),
                     60);
    assert_int_equal(stay_of("{'key':'a','effect':'NoExecute'}",
                             "{'key':'a','operator':'Exists','tolerationSeconds':-1}"),
                     0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(only_no_execute_ends_a_stay),
        TEST(a_toleration_matches_key_value_and_effect),
        TEST(the_longest_toleration_of_the_shortest_taint_counts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
