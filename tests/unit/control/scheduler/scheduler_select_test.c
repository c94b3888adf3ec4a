/* SPDX-License-Identifier: Apache-2.0 */
/* scheduler_select_test.c -- the best node for a pod, or why there is none. */
#include "control/scheduler/scheduler_select.h"

#include "unit/control/objects.h"

#define CPU(amount) "'containers':[{'resources':{'requests':{'cpu':'" amount "'}}}]"
#define AFFINITY(terms)                                                                            \
    "'affinity':{'nodeAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':{"               \
    "'nodeSelectorTerms':[" terms "]}}}"

static lw_scheduler_cache cache;

static int tear_down(void **state)
{
    (void)state;
    lw_scheduler_cache_done(&cache);
    return 0;
}

static void add_node(const char *name, const char *cpu, int pods, const char *labels,
                     const char *spec)
{
    lw_object *node = node_of(name, cpu, pods, labels, spec);
    assert_int_equal(lw_scheduler_cache_set_node(&cache, node, NULL), LW_OK);
    lw_object_unref(node);
}

/* Places a pod; the name of its node, or the message. */
static const char *place_with(const char *name, const char *more, const char *spec)
{
    static char text[LW_SCHEDULER_SELECT_MESSAGE_SIZE];
    lw_scheduler_select selection;
    lw_object *pod = pod_of(name, more, spec);
    assert_int_equal(lw_scheduler_select_find(&selection, &cache, pod), LW_OK);
    if (selection.node)
        assert_int_equal(lw_scheduler_cache_assume(&cache, pod, selection.node), LW_OK);
    lw_scheduler_select_message(&selection, &cache, text);
    lw_object_unref(pod);
    return selection.node ? selection.node->name : text;
}

static const char *place(const char *name, const char *spec)
{
    return place_with(name, "", spec);
}

static void a_node_is_filled_and_not_overfilled(void **state)
{
    (void)state;
    assert_string_equal(place("a", CPU("1")), "no nodes available to schedule pods");
    add_node("n1", "2", 10, "", "");
    assert_string_equal(place("a", CPU("1")), "n1");
    assert_string_equal(place("b", CPU("1")), "n1");
    assert_string_equal(place("c", CPU("1")), "0/1 nodes are available: 1 Insufficient cpu.");
    assert_string_equal(place("d", "'containers':[{}]"), "n1");
}

static void every_reason_is_counted_and_sorted(void **state)
{
    (void)state;
    add_node("n1", "1", 0, "", "");
    add_node("n2", "1", 10, "", "'unschedulable':true");
    add_node("n3", "1", 10, "", "'unschedulable':true");
    add_node("n4", "8", 10, "", "'taints':[{'key':'a','value':'b','effect':'NoSchedule'}]");
    assert_string_equal(place("p", CPU("2")),
                        "0/4 nodes are available: 1 Insufficient cpu, 1 Too many pods, "
                        "1 node(s) had untolerated taint {a: b}, 2 node(s) were unschedulable.");
}

static void tolerated_taints_keep_nobody_off(void **state)
{
    (void)state;
    add_node("n1", "8", 10, "", "'taints':[{'key':'a','value':'b','effect':'NoExecute'}]");
    assert_string_equal(place("p", "'tolerations':[{'key':'a','value':'c'}]"),
                        "0/1 nodes are available: 1 node(s) had untolerated taint {a: b}.");
    assert_string_equal(place("q", "'tolerations':[{'key':'a','value':'b'}]"), "n1");
    add_node("n1", "8", 10, "", "'taints':[{'key':'a','effect':'PreferNoSchedule'}]");
    assert_string_equal(place("r", ""), "n1");
}

static void a_node_that_is_not_ready_takes_nothing(void **state)
{
    (void)state;
    lw_object *node = object_of("{'kind':'Node','metadata':{'name':'n1'},'status':{'conditions':["
                                "{'type':'Ready','status':'Unknown'}]}}");
    assert_int_equal(lw_scheduler_cache_set_node(&cache, node, NULL), LW_OK);
    assert_string_equal(place("p", ""), "0/1 nodes are available: 1 node(s) had untolerated taint "
                                        "{node.kubernetes.io/not-ready: }.");
    lw_object_unref(node);
}

static void the_node_selector_must_match(void **state)
{
    static const char message[] =
        "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.";
    (void)state;
    add_node("n1", "8", 10, "'disk':'hdd'", "");
    add_node("n2", "8", 10, "'disk':'ssd','zone':'a'", "");
    assert_string_equal(place("a", "'nodeSelector':{'disk':'ssd'}"), "n2");
    assert_string_equal(place("b", "'nodeSelector':{'disk':'ssd','zone':'b'}"), message);
    assert_string_equal(place("c", "'nodeSelector':{'disk':'not a value!'}"), message);
}

static void one_term_of_the_affinity_must_match(void **state)
{
    static const char message[] =
        "0/2 nodes are available: 2 node(s) didn't match Pod's node affinity/selector.";
    (void)state;
    add_node("n1", "8", 20, "'disk':'hdd','size':'10'", "");
    add_node("n2", "8", 20, "'disk':'ssd','size':'20','old':''", "");
    assert_string_equal(place("a", AFFINITY("{'matchExpressions':[{'key':'disk','operator':'In',"
                                            "'values':['ssd','nvme']}]}")),
                        "n2");
    assert_string_equal(place("b", AFFINITY("{'matchExpressions':[{'key':'disk','operator':"
                                            "'NotIn','values':['ssd']}]}")),
                        "n1");
    assert_string_equal(place("c", AFFINITY("{'matchExpressions':[{'key':'size','operator':'Gt',"
                                            "'values':['10']}]}")),
                        "n2");
    assert_string_equal(place("d", AFFINITY("{'matchExpressions':[{'key':'size','operator':'Lt',"
                                            "'values':['20']}]}")),
                        "n1");
    assert_string_equal(place("e", AFFINITY("{'matchExpressions':[{'key':'old','operator':"
                                            "'DoesNotExist'}]}")),
                        "n1");
    assert_string_equal(place("f", AFFINITY("{'matchExpressions':[{'key':'old','operator':"
                                            "'Exists'}]}")),
                        "n2");
    assert_string_equal(place("g", AFFINITY("{'matchFields':[{'key':'metadata.name','operator':"
                                            "'In','values':['n1']}]}")),
                        "n1");
    assert_string_equal(place("h", AFFINITY("{'matchExpressions':[{'key':'none','operator':"
                                            "'Exists'}]},{'matchFields':[{'key':'metadata.name',"
                                            "'operator':'In','values':['n2']}]}")),
                        "n2");
    assert_string_equal(place("i", AFFINITY("{}")), message);
    assert_string_equal(place("j", AFFINITY("{'matchExpressions':[{'key':'disk','operator':"
                                            "'Like','values':['s']}]}")),
                        message);
}

static void a_host_port_is_had_once_a_node(void **state)
{
    static const char port[] = "'containers':[{'ports':[{'hostPort':80}]}]";
    (void)state;
    add_node("n1", "8", 10, "", "");
    add_node("n2", "8", 10, "", "");
    const char *first = place("a", port);
    char other[8];
    (void)snprintf(other, sizeof(other), "%s", strcmp(first, "n1") == 0 ? "n2" : "n1");
    assert_string_equal(place("b", port), other);
    assert_string_equal(place("c", port), "0/2 nodes are available: 2 node(s) didn't have free "
                                          "ports for the requested pod ports.");
}

static void pods_of_one_owner_are_spread(void **state)
{
    static const char owned[] = "'ownerReferences':[{'uid':'u1','controller':true}]";
    size_t counts[4] = { 0, 0, 0, 0 };
    (void)state;
    for (int i = 0; i < 4; i++) {
        char name[8], cpu[8];
        (void)snprintf(name, sizeof(name), "n%d", i);
        (void)snprintf(cpu, sizeof(cpu), "%d", 4 + 8 * i); /* the largest must not take all */
        add_node(name, cpu, 100, "", "");
    }
    for (int i = 0; i < 40; i++) {
        char name[8];
        (void)snprintf(name, sizeof(name), "p%d", i);
        counts[place_with(name, owned, CPU("100m"))[1] - '0']++;
    }
    for (int i = 0; i < 4; i++)
        assert_int_equal(counts[i], 10);
    assert_true(lw_scheduler_cache_check(&cache));
}

static void a_node_that_has_more_of_the_owner_waits_its_turn(void **state)
{
    static const char owned[] = "'ownerReferences':[{'uid':'u1','controller':true}]";
    char name[8];
    (void)state;
    add_node("n1", "64", 100, "", ""); /* the largest */
    add_node("n2", "4", 100, "", "");
    add_node("n3", "4", 100, "", "");
    for (int i = 0; i < 3; i++) {
        (void)snprintf(name, sizeof(name), "q%d", i);
        lw_object *pod = pod_of(name, owned, "'nodeName':'n1'");
        assert_int_equal(lw_scheduler_cache_set_pod(&cache, pod, NULL), LW_OK);
        lw_object_unref(pod);
    }
    for (int i = 0; i < 6; i++) {
        (void)snprintf(name, sizeof(name), "p%d", i);
        assert_string_not_equal(place_with(name, owned, CPU("100m")), "n1");
    }
    assert_string_equal(place_with("p6", owned, CPU("100m")), "n1");
}

static void others_go_where_least_is_allocated(void **state)
{
    (void)state;
    add_node("n1", "8", 100, "", "");
    add_node("n2", "8", 100, "", "");
    const char *first = place("a", CPU("4"));
    char other[8];
    (void)snprintf(other, sizeof(other), "%s", strcmp(first, "n1") == 0 ? "n2" : "n1");
    assert_string_equal(place("b", CPU("1")), other);
    assert_string_equal(place("c", CPU("1")), other);
}

static void pods_that_want_to_be_apart_are(void **state)
{
    static const char apart[] =
        "'affinity':{'podAntiAffinity':{'requiredDuringSchedulingIgnoredDuringExecution':[{"
        "'labelSelector':{'matchLabels':{'app':'db'}},'topologyKey':'kubernetes.io/hostname'}]}}";
    static const char db[] = "'labels':{'app':'db'}";
    (void)state;
    add_node("n1", "8", 100, "", "");
    add_node("n2", "8", 100, "", "");
    assert_int_equal(place_with("a", db, apart)[0], 'n');
    assert_int_equal(place_with("b", db, apart)[0], 'n');
    assert_string_equal(place_with("c", db, apart),
                        "0/2 nodes are available: 2 node(s) didn't match pod anti-affinity rules.");
    assert_string_equal(place_with("d", db, ""), "0/2 nodes are available: 2 node(s) didn't "
                                                 "satisfy existing pods anti-affinity rules.");
    assert_int_equal(place_with("e", "'labels':{'app':'web'}", "")[0], 'n');
}

#define CASE(function) cmocka_unit_test_teardown(function, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_node_is_filled_and_not_overfilled),
        CASE(every_reason_is_counted_and_sorted),
        CASE(tolerated_taints_keep_nobody_off),
        CASE(a_node_that_is_not_ready_takes_nothing),
        CASE(the_node_selector_must_match),
        CASE(one_term_of_the_affinity_must_match),
        CASE(a_host_port_is_had_once_a_node),
        CASE(pods_of_one_owner_are_spread),
        CASE(a_node_that_has_more_of_the_owner_waits_its_turn),
        CASE(others_go_where_least_is_allocated),
        CASE(pods_that_want_to_be_apart_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
