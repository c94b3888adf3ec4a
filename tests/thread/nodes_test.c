/* SPDX-License-Identifier: Apache-2.0 */
/* nodes_test.c -- scheduler and hollow nodes on a server of our own, all on threads of theirs. */
#include <stdio.h>

#include "support/control_world.h"
#include "unit/test.h"

#define POD                                                                                        \
    "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s','namespace':'default'%s},"            \
    "'spec':{'containers':[{'name':'c','image':'i'%s}]%s}}"

/* A pod that leaves a node at once that is not heard of, on servers too that give it more time. */
#define LEAVES                                                                                     \
    ",'tolerations':[{'key':'node.kubernetes.io/unreachable','operator':'Exists','effect':"        \
    "'NoExecute','tolerationSeconds':0}]"

enum {
    PATIENT_S = 40,
    QUICK_S = 2, /* a node that is stopped is soon missed */
};

static control_world world;

static int open_world(void **state)
{
    (void)state;
    control_world_open(&world, "scheduler,hollow-nodes,node-lifecycle", 3, PATIENT_S);
    return 0;
}

static int open_quick_world(void **state)
{
    (void)state;
    control_world_open(&world, "scheduler,hollow-nodes,node-lifecycle", 3, QUICK_S);
    return 0;
}

static int close_world(void **state)
{
    (void)state;
    control_world_close(&world);
    return 0;
}

static void await(const char *resource, const char *name, control_world_fn is_so, const char *arg)
{
    const char *ns = strcmp(resource, "nodes") == 0 ? "" : "default";
    lw_object_unref(control_world_await(&world, resource, ns, name, is_so, arg));
}

static void pods_are_bound_and_run(void **state)
{
    (void)state;
    for (int i = 1; i <= 3; i++) { /* else those that are there first could get all pods */
        char name[16];
        (void)snprintf(name, sizeof(name), "node-%d", i);
        await("nodes", name, control_world_has, "'KubeletReady'");
    }
    for (int i = 0; i < 12; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "p%d", i);
        control_world_create(&world, "pods", POD, name, ",'labels':{'app':'web'}", "", "");
    }
    size_t counts[3] = { 0, 0, 0 };
    for (int i = 0; i < 12; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "p%d", i);
        lw_object *pod = control_world_await(&world, "pods", "default", name, control_world_has,
                                             "'phase':'Running'");
        const char *node = lw_object_string(pod, "/spec/nodeName", "");
        assert_memory_equal(node, "node-", 5);
        if (node[5] >= '1' && node[5] <= '3')
            counts[node[5] - '1']++;
        assert_memory_equal(lw_object_string(pod, "/status/podIP", ""), "10.128.", 7);
        lw_object_unref(pod);
    }
    for (int i = 0; i < 3; i++)
        assert_in_range(counts[i], 1, 11); /* the scheduler may have seen one node later */
}

static void a_pod_that_finds_no_place_says_why_and_waits_for_one(void **state)
{
    (void)state;
    for (int i = 1; i <= 3; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "node-%d", i);
        await("nodes", name, control_world_exists, NULL);
        control_world_patch(&world, "nodes", "", name,
                            "{'spec':{'taints':[{'key':'k','value':'v','effect':'NoSchedule'}]}}");
    }
    control_world_create(&world, "pods", POD, "p", "", "", "");
    await("pods", "p", control_world_has,
          "0/3 nodes are available: 3 node(s) had untolerated taint {k: v}.");
    control_world_patch(&world, "nodes", "", "node-2", "{'spec':{'taints':null}}");
    await("pods", "p", control_world_has, "'nodeName':'node-2'");
}

static void a_pod_that_is_deleted_goes(void **state)
{
    (void)state;
    control_world_create(&world, "pods", POD, "p", "", "", "");
    await("pods", "p", control_world_has, "'phase':'Running'");
    control_world_delete(&world, "pods", "default", "p");
    await("pods", "p", control_world_is_gone, NULL);
}

static void a_pod_ends_when_its_time_is_over(void **state)
{
    (void)state;
    control_world_create(&world, "pods", POD, "p",
                         ",'annotations':{'listwatch.io/run-seconds':'0'}", "",
                         ",'restartPolicy':'Never'");
    await("pods", "p", control_world_has, "'phase':'Succeeded'");
    control_world_create(&world, "pods", POD, "q",
                         ",'annotations':{'listwatch.io/run-seconds':'0','listwatch.io/exit-code':"
                         "'3'}",
                         "", ",'restartPolicy':'Never'");
    await("pods", "q", control_world_has, "'phase':'Failed'");
}

static void stop_node(const char *name)
{
    control_world_patch(&world, "nodes", "", name,
                        "{'metadata':{'annotations':{'listwatch.io/hollow':'stopped'}}}");
}

static void a_stopped_node_starts_no_pods(void **state)
{
    (void)state;
    await("nodes", "node-1", control_world_exists, NULL);
    stop_node("node-1");
    control_world_create(&world, "pods", POD, "p", "", "", ",'nodeName':'node-1'");
    control_world_create(&world, "pods", POD, "q", "", "", ",'nodeName':'node-2'");
    await("pods", "q", control_world_has, "'phase':'Running'");
    await("pods", "p", control_world_has, "'phase':'Pending'");
    control_world_patch(&world, "nodes", "", "node-1",
                        "{'metadata':{'annotations':{'listwatch.io/hollow':null}}}");
    await("pods", "p", control_world_has, "'phase':'Running'");
}

static void pods_leave_a_node_that_is_not_heard_of(void **state)
{
    (void)state;
    for (int i = 1; i <= 3; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "node-%d", i);
        await("nodes", name, control_world_exists, NULL);
    }
    control_world_create(&world, "pods", POD, "p", "", "",
                         ",'nodeName':'node-1','terminationGracePeriodSeconds':1" LEAVES);
    control_world_create(&world, "pods", POD, "q", "", "",
                         ",'nodeName':'node-1','tolerations':[{'operator':'Exists'}]");
    control_world_create(&world, "pods", POD, "r", "", "", ",'nodeName':'node-2'");
    await("pods", "p", control_world_has, "'phase':'Running'");
    await("pods", "q", control_world_has, "'phase':'Running'");
    stop_node("node-1");
    await("nodes", "node-1", control_world_has, "node.kubernetes.io/unreachable");
    await("nodes", "node-1", control_world_has, "'NodeStatusUnknown'");
    await("pods", "q", control_world_has, "'NodeNotReady'");
    await("pods", "p", control_world_is_gone, NULL);
    await("pods", "q", control_world_exists, NULL);
    await("pods", "r", control_world_has, "'phase':'Running'");
    control_world_patch(&world, "nodes", "", "node-1",
                        "{'metadata':{'annotations':{'listwatch.io/hollow':null}}}");
    await("nodes", "node-1", control_world_has_not, "node.kubernetes.io/unreachable");
    await("nodes", "node-1", control_world_has, "'KubeletReady'");
    await("pods", "q", control_world_has_not, "'NodeNotReady'");
}

static void pods_of_a_node_that_was_deleted_go(void **state)
{
    (void)state;
    await("nodes", "node-1", control_world_exists, NULL);
    control_world_create(&world, "pods", POD, "p", "", "", ",'nodeName':'node-1'");
    await("pods", "p", control_world_has, "'phase':'Running'");
    control_world_delete(&world, "nodes", "", "node-1");
    await("pods", "p", control_world_is_gone, NULL);
}

/* Then it is rather us who hear nothing. */
static void nothing_is_evicted_while_no_node_is_heard_of(void **state)
{
    (void)state;
    for (int i = 1; i <= 3; i++) {
        char name[16];
        (void)snprintf(name, sizeof(name), "node-%d", i);
        await("nodes", name, control_world_exists, NULL);
    }
    control_world_create(&world, "pods", POD, "p", "", "", ",'nodeName':'node-1'" LEAVES);
    lw_object *before =
        control_world_await(&world, "pods", "default", "p", control_world_has, "'phase':'Running'");
    stop_node("node-1");
    stop_node("node-2");
    stop_node("node-3");
    await("nodes", "node-1", control_world_has, "node.kubernetes.io/unreachable");
    await("nodes", "node-2", control_world_has, "node.kubernetes.io/unreachable");
    await("nodes", "node-3", control_world_has, "node.kubernetes.io/unreachable");
    await("pods", "p", control_world_has, "'NodeNotReady'");
    control_world_patch(&world, "nodes", "", "node-1",
                        "{'metadata':{'annotations':{'listwatch.io/hollow':null}}}");
    await("nodes", "node-1", control_world_has_not, "node.kubernetes.io/unreachable");
    lw_object *after = control_world_await(&world, "pods", "default", "p", control_world_has_not,
                                           "'NodeNotReady'");
    assert_string_equal(lw_object_uid(after), lw_object_uid(before));
    assert_true(control_world_has_not(after, "deletionTimestamp"));
    lw_object_unref(after);
    lw_object_unref(before);
}

static void a_taint_drives_pods_off(void **state)
{
    (void)state;
    await("nodes", "node-1", control_world_exists, NULL);
    control_world_create(&world, "pods", POD, "p", "", "", ",'nodeName':'node-1'");
    await("pods", "p", control_world_has, "'phase':'Running'");
    control_world_patch(&world, "nodes", "", "node-1",
                        "{'spec':{'taints':[{'key':'k','effect':'NoExecute'}]}}");
    await("pods", "p", control_world_is_gone, NULL);
}

#define CASE(function)  cmocka_unit_test_setup_teardown(function, open_world, close_world)
#define QUICK(function) cmocka_unit_test_setup_teardown(function, open_quick_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(pods_are_bound_and_run),
        CASE(a_pod_that_finds_no_place_says_why_and_waits_for_one),
        CASE(a_pod_that_is_deleted_goes),
        CASE(a_pod_ends_when_its_time_is_over),
        CASE(a_stopped_node_starts_no_pods),
        QUICK(pods_leave_a_node_that_is_not_heard_of),
        QUICK(pods_of_a_node_that_was_deleted_go),
        QUICK(nothing_is_evicted_while_no_node_is_heard_of),
        CASE(a_taint_drives_pods_off),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
