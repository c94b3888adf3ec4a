/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler_cache_test.c -- the records the scheduler counts by. */
#include "control/scheduler/scheduler_cache.h"

#include "unit/control/objects.h"

#define ONE_CPU "'containers':[{'resources':{'requests':{'cpu':'1'}}}]"

static lw_scheduler_cache cache;

static int tear_down(void **state)
{
    (void)state;
    lw_scheduler_cache_done(&cache);
    return 0;
}

static lw_node_record *node_named(const char *name)
{
    return lw_names_get(&cache.node_names, lw_str_of(name));
}

static void set_node(const char *name)
{
    lw_object *node = node_of(name, "4", 10, "", "");
    assert_int_equal(lw_scheduler_cache_set_node(&cache, node, NULL), LW_OK);
    lw_object_unref(node);
}

static bool set_pod(const char *name, const char *spec)
{
    bool is_better = false;
    lw_object *pod = pod_of(name, "'labels':{'app':'a'}", spec);
    assert_int_equal(lw_scheduler_cache_set_pod(&cache, pod, &is_better), LW_OK);
    assert_true(lw_scheduler_cache_check(&cache));
    lw_object_unref(pod);
    return is_better;
}

static void a_pod_counts_while_it_is_on_a_node(void **state)
{
    (void)state;
    set_node("n1");
    assert_false(set_pod("p", ONE_CPU));
    assert_int_equal(node_named("n1")->pod_count, 0);
    assert_false(set_pod("p", ONE_CPU ",'nodeName':'n1'"));
    assert_false(set_pod("p", ONE_CPU ",'nodeName':'n1'"));
    assert_int_equal(node_named("n1")->pod_count, 1);
    assert_int_equal(node_named("n1")->used.cpu, 1000);
    assert_true(set_pod("p", ONE_CPU ",'nodeName':'n1'},'status':{'phase':'Succeeded'"));
    assert_int_equal(node_named("n1")->pod_count, 0);
    assert_int_equal(node_named("n1")->used.cpu, 0);
}

static void an_assumed_pod_counts_until_it_is_seen_or_forgotten(void **state)
{
    (void)state;
    set_node("n1");
    lw_object *pod = pod_of("p", "", ONE_CPU);
    assert_int_equal(lw_scheduler_cache_assume(&cache, pod, node_named("n1")), LW_OK);
    assert_int_equal(node_named("n1")->pod_count, 1);
    (void)set_pod("p", ONE_CPU); /* an event from before the binding */
    assert_int_equal(node_named("n1")->pod_count, 1);
    lw_scheduler_cache_forget(&cache, pod);
    assert_int_equal(node_named("n1")->pod_count, 0);
    assert_int_equal(lw_scheduler_cache_assume(&cache, pod, node_named("n1")), LW_OK);
    (void)set_pod("p", ONE_CPU ",'nodeName':'n1'");
    lw_scheduler_cache_forget(&cache, pod); /* too late: it was seen there */
    assert_int_equal(node_named("n1")->pod_count, 1);
    assert_true(lw_scheduler_cache_check(&cache));
    lw_object_unref(pod);
}

static void pods_may_be_seen_before_their_node_and_after_it(void **state)
{
    (void)state;
    (void)set_pod("p", ONE_CPU ",'nodeName':'n1'");
    assert_int_equal(cache.known_count, 0);
    set_node("n1");
    assert_int_equal(cache.known_count, 1);
    assert_int_equal(node_named("n1")->used.cpu, 1000);
    lw_scheduler_cache_remove_node(&cache, lw_str_of("n1"));
    assert_int_equal(cache.known_count, 0);
    assert_true(lw_scheduler_cache_check(&cache));
    lw_object *pod = pod_of("p", "", "");
    bool is_better = false;
    lw_scheduler_cache_remove_pod(&cache, pod, &is_better);
    assert_true(is_better);
    assert_int_equal(cache.node_count, 0);
    assert_int_equal(cache.group_names.count, 0);
    lw_object_unref(pod);
}

static void counts_of_groups_follow_nodes_that_go(void **state)
{
    (void)state;
    set_node("n1");
    set_node("n2");
    set_node("n3");
    (void)set_pod("a", "'nodeName':'n3'");
    (void)set_pod("b", "'nodeName':'n3'");
    lw_scheduler_cache_remove_node(&cache, lw_str_of("n1"));
    assert_true(lw_scheduler_cache_check(&cache));
    lw_object *pod = pod_of("c", "'labels':{'app':'a'}", "");
    const lw_spread_group *group = lw_scheduler_cache_group_of(&cache, pod);
    assert_non_null(group);
    assert_int_equal(group->counts[node_named("n3")->index], 2);
    assert_int_equal(group->counts[node_named("n2")->index], 0);
    lw_object_unref(pod);
}

static void only_what_matters_makes_a_node_better(void **state)
{
    bool is_better = false;
    (void)state;
    lw_object *first = node_of("n1", "4", 10, "", "");
    lw_object *beat = node_of("n1", "4", 10, "", "'podCIDR':'10.0.0.0/24'");
    lw_object *larger = node_of("n1", "8", 10, "", "");
    lw_object *tainted = node_of("n1", "8", 10, "", "'taints':[{'key':'a','effect':'NoSchedule'}]");
    assert_int_equal(lw_scheduler_cache_set_node(&cache, first, &is_better), LW_OK);
    assert_true(is_better);
    assert_int_equal(lw_scheduler_cache_set_node(&cache, beat, &is_better), LW_OK);
    assert_false(is_better);
    assert_int_equal(lw_scheduler_cache_set_node(&cache, larger, &is_better), LW_OK);
    assert_true(is_better);
    assert_int_equal(lw_scheduler_cache_set_node(&cache, tainted, &is_better), LW_OK);
    assert_true(is_better);
    lw_object_unref(tainted);
    lw_object_unref(larger);
    lw_object_unref(beat);
    lw_object_unref(first);
}

#define CASE(function) cmocka_unit_test_teardown(function, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_pod_counts_while_it_is_on_a_node),
        CASE(an_assumed_pod_counts_until_it_is_seen_or_forgotten),
        CASE(pods_may_be_seen_before_their_node_and_after_it),
        CASE(counts_of_groups_follow_nodes_that_go),
        CASE(only_what_matters_makes_a_node_better),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
