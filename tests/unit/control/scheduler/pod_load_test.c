/* SPDX-License-Identifier: Apache-2.0 */
/* pod_load_test.c -- what a pod takes from its node. */
#include "control/scheduler/pod_load.h"

#include "unit/control/objects.h"

static lw_pod_load load_of(const char *spec)
{
    lw_pod_load load;
    lw_object *pod = pod_of("p", "", spec);
    assert_int_equal(lw_pod_load_read(&load, pod), LW_OK);
    lw_object_unref(pod);
    return load;
}

static void containers_add_up(void **state)
{
    (void)state;
    lw_pod_load load =
        load_of("'containers':[{'resources':{'requests':{'cpu':'250m','memory':'64Mi'}}},"
                "{'resources':{'requests':{'cpu':1}}},{}],'overhead':{'cpu':'50m'}");
    assert_int_equal(load.requests.cpu, 1300);
    assert_int_equal(load.requests.memory, 64 << 20);
    lw_pod_load_done(&load);
}

static void an_init_container_counts_where_it_is_larger(void **state)
{
    (void)state;
    lw_pod_load load =
        load_of("'containers':[{'resources':{'requests':{'cpu':'1','memory':'10M'}}}],"
                "'initContainers':[{'resources':{'requests':{'cpu':'3'}}},"
                "{'resources':{'requests':{'cpu':'2'}}}]");
    assert_int_equal(load.requests.cpu, 3000);
    assert_int_equal(load.requests.memory, 10000000);
    lw_pod_load_done(&load);
}

static void a_sidecar_runs_beside_what_comes_after_it(void **state)
{
    (void)state;
    lw_pod_load load =
        load_of("'containers':[{'resources':{'requests':{'cpu':'1'}}}],"
                "'initContainers':[{'restartPolicy':'Always','resources':{'requests':"
                "{'cpu':'500m'}}},{'resources':{'requests':{'cpu':'2'}}}]");
    assert_int_equal(load.requests.cpu, 2500);
    lw_pod_load_done(&load);
}

static void ports_collide_by_number_protocol_and_address(void **state)
{
    (void)state;
    lw_pod_load load =
        load_of("'containers':[{'ports':[{'hostPort':80},{'hostPort':80,'protocol':'UDP'},"
                "{'hostPort':81,'hostIP':'10.0.0.1'},{'hostPort':81,'hostIP':'0.0.0.0'},"
                "{'containerPort':9}]}]");
    assert_int_equal(load.port_count, 4);
    assert_true(lw_host_port_collides(&load.ports[0], &load.ports[0]));
    assert_false(lw_host_port_collides(&load.ports[0], &load.ports[1]));
    assert_false(lw_host_port_collides(&load.ports[0], &load.ports[2]));
    assert_true(lw_host_port_collides(&load.ports[2], &load.ports[3]));
    lw_pod_load_done(&load);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(containers_add_up),
        TEST(an_init_container_counts_where_it_is_larger),
        TEST(a_sidecar_runs_beside_what_comes_after_it),
        TEST(ports_collide_by_number_protocol_and_address),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
