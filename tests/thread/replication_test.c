/* SPDX-License-Identifier: Apache-2.0 */
/* replication_test.c -- ReplicationControllers have their Pods, on a server of our own. */
#include "support/control_world.h"
#include "unit/test.h"

#define CONTROLLER                                                                                 \
    "{'apiVersion':'v1','kind':'ReplicationController','metadata':{'name':'web','namespace':"      \
    "'default'},'spec':{'replicas':%d,'selector':{'app':'web'},'template':{'metadata':{'labels':{" \
    "'app':'web'}},'spec':{'containers':[{'name':'c','image':'i'}]}}}}"
#define POD                                                                                        \
    "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'alone','namespace':'default','labels':{"  \
    "'app':'web'}},'spec':{'containers':[{'name':'c','image':'i'}]}}"

static control_world world;

static int open_world(void **state)
{
    (void)state;
    control_world_open(&world, "replication", 0, 0);
    return 0;
}

static int close_world(void **state)
{
    (void)state;
    control_world_close(&world);
    return 0;
}

static void await_replicas(const char *text)
{
    lw_object_unref(control_world_await(&world, "replicationcontrollers", "default", "web",
                                        control_world_has, text));
}

static size_t count_pods(void)
{
    lw_object_list *pods = NULL;
    const lw_list_options options = { .size = sizeof(lw_list_options), .ns = "default" };
    assert_int_equal(lw_client_list_all(world.base.client, lw_gvr_make("", "v1", "pods"), &options,
                                        &pods, NULL),
                     LW_OK);
    size_t count = lw_object_list_count(pods);
    lw_object_list_free(pods);
    return count;
}

static void makes_as_many_pods_as_are_wanted(void **state)
{
    (void)state;
    control_world_create(&world, "replicationcontrollers", CONTROLLER, 3);
    await_replicas("'replicas':3,'fullyLabeledReplicas':3");
    assert_int_equal(count_pods(), 3);
    control_world_patch(&world, "replicationcontrollers", "default", "web",
                        "{'spec':{'replicas':1}}");
    await_replicas("'replicas':1,'fullyLabeledReplicas':1");
    assert_int_equal(count_pods(), 1);
}

static void adopts_what_its_map_of_labels_selects(void **state)
{
    (void)state;
    control_world_create(&world, "pods", POD);
    control_world_create(&world, "replicationcontrollers", CONTROLLER, 1);
    await_replicas("'replicas':1,'fullyLabeledReplicas':1");
    lw_object *pod = control_world_await(&world, "pods", "default", "alone", control_world_has,
                                         "'kind':'ReplicationController','name':'web'");
    lw_object_unref(pod);
    assert_int_equal(count_pods(), 1);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(makes_as_many_pods_as_are_wanted),
        CASE(adopts_what_its_map_of_labels_selects),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
