/* SPDX-License-Identifier: Apache-2.0 */
/* services_test.c -- Endpoints and EndpointSlices follow services and pods, on a server of our own.
 */
#include <stdio.h>

#include "support/control_world.h"
#include "unit/test.h"

#define POD                                                                                        \
    "{'apiVersion':'v1','kind':'Pod','metadata':{'name':'%s','namespace':'default','labels':{"     \
    "'app':'web'}},'spec':{'nodeName':'node-1','containers':[{'name':'c','image':'i'}]}}"
#define SERVICE                                                                                    \
    "{'apiVersion':'v1','kind':'Service','metadata':{'name':'web','namespace':'default'},'spec':{" \
    "'selector':{'app':'web'},'ports':[{'name':'http','port':80,'targetPort':8080}]}}"

static control_world world;

static int open_world(void **state)
{
    (void)state;
    control_world_open(&world, "hollow-nodes,endpoints,endpointslice", 1, 0);
    return 0;
}

static int close_world(void **state)
{
    (void)state;
    control_world_close(&world);
    return 0;
}

static void await_endpoints(control_world_fn is_so, const char *arg)
{
    lw_object_unref(control_world_await(&world, "endpoints", "default", "web", is_so, arg));
}

/* The name of the only slice of the service "web"; "" where there is none. */
static void slice_name(char name[300])
{
    lw_object_list *list = NULL;
    const lw_list_options options = { .size = sizeof(lw_list_options),
                                      .ns = "default",
                                      .label_selector = "kubernetes.io/service-name=web" };
    assert_int_equal(lw_client_list_all(world.base.client,
                                        lw_gvr_make("discovery.k8s.io", "v1", "endpointslices"),
                                        &options, &list, NULL),
                     LW_OK);
    assert_in_range(lw_object_list_count(list), 0, 1);
    (void)snprintf(name, 300, "%s",
                   lw_object_list_count(list) > 0 ? lw_object_name(lw_object_list_at(list, 0))
                                                  : "");
    lw_object_list_free(list);
}

static bool is_slice_ready(const lw_object *obj, const char *arg)
{
    return obj && lw_object_bool(obj, "/endpoints/0/conditions/ready", false) == (arg != NULL) &&
           strcmp(lw_object_string(obj, "/endpoints/0/targetRef/name", ""), "p") == 0;
}

static void endpoints_follow_readiness(void **state)
{
    char name[300] = "";
    (void)state;
    control_world_create(&world, "services", SERVICE);
    control_world_create(&world, "pods", POD, "p");
    await_endpoints(control_world_has, "'addresses':[{'ip':'10.128.0.2'");
    await_endpoints(control_world_has, "'ports':[{'name':'http','port':8080,'protocol':'TCP'}]");
    while (name[0] == '\0')
        slice_name(name);
    lw_object_unref(
        control_world_await(&world, "endpointslices", "default", name, is_slice_ready, "yes"));
    control_world_patch(&world, "pods", "default", "p",
                        "{'metadata':{'annotations':{'listwatch.io/ready':'false'}}}");
    await_endpoints(control_world_has, "'notReadyAddresses':[{'ip':'10.128.0.2'");
    lw_object_unref(
        control_world_await(&world, "endpointslices", "default", name, is_slice_ready, NULL));
    control_world_delete(&world, "pods", "default", "p");
    await_endpoints(control_world_has_not, "10.128.0.2");
    control_world_delete(&world, "services", "default", "web");
    await_endpoints(control_world_is_gone, NULL);
    lw_object_unref(control_world_await(&world, "endpointslices", "default", name,
                                        control_world_is_gone, NULL));
}

static void endpoints_of_others_are_left_alone(void **state)
{
    (void)state;
    control_world_create(&world, "endpoints",
                         "{'apiVersion':'v1','kind':'Endpoints','metadata':{'name':'mine',"
                         "'namespace':'default'},'subsets':[{'addresses':[{'ip':'10.9.9.9'}]}]}");
    control_world_create(&world, "services", SERVICE);
    await_endpoints(control_world_exists, NULL); /* it works, and has seen the others */
    lw_object *mine =
        control_world_await(&world, "endpoints", "default", "mine", control_world_exists, NULL);
    assert_string_equal(lw_object_string(mine, "/subsets/0/addresses/0/ip", ""), "10.9.9.9");
    lw_object_unref(mine);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, open_world, close_world)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(endpoints_follow_readiness),
        CASE(endpoints_of_others_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
