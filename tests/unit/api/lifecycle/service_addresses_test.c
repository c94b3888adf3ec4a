/* SPDX-License-Identifier: Apache-2.0 */
/* service_addresses_test.c -- the IPAddress objects of services. */
#include "api/lifecycle/service_addresses.h"

#include "unit/api/lived.h"

#define SERVICES  DEFAULT "services"
#define ADDRESSES "/apis/networking.k8s.io/v1/ipaddresses"
#define SERVICE(name, ip)                                                                          \
    "{\"metadata\":{\"name\":\"" name "\"},\"spec\":{\"clusterIP\":\"" ip                          \
    "\",\"ports\":[{\"port\":80}]}}"

static int cluster_setup(void **state)
{
    if (world_setup(state) < 0)
        return -1;
    api_world *world = *state;
    world->api->advertised = (lw_advertised){ .port = 6443 };
    return lw_api_seed(world->api, NULL) == LW_OK && api_world_live(world, 0) == LW_OK ? 0 : -1;
}

#define CLUSTER_TEST(function)                                                                     \
    cmocka_unit_test_setup_teardown(function, cluster_setup, world_teardown)

static void create_service(api_world *world)
{
    fake_http_free(send(world, "POST", SERVICES, SERVICE("s", "10.96.3.3"), 201));
    await_rest(world);
}

static void a_service_has_an_address_object(void **state)
{
    create_service(*state);
    assert_shows(
        *state, ADDRESSES "/10.96.3.3",
        "\"parentRef\":{\"resource\":\"services\",\"namespace\":\"default\",\"name\":\"s\"}", true);
    assert_shows(*state, ADDRESSES "/10.96.3.3",
                 "\"ipaddress.kubernetes.io/managed-by\":\"ipallocator.k8s.io\"", true);
}

static void the_object_goes_with_the_service(void **state)
{
    create_service(*state);
    fake_http_free(send(*state, "DELETE", SERVICES "/s", "", 200));
    await_rest(*state);
    assert_false(is_there(*state, ADDRESSES "/10.96.3.3"));
    create_service(*state);
    assert_true(is_there(*state, ADDRESSES "/10.96.3.3"));
}

static void the_object_goes_when_the_service_has_no_address(void **state)
{
    create_service(*state);
    fake_http_free(send_as(*state, "PATCH", SERVICES "/s", MERGE_PATCH,
                           "{\"spec\":{\"type\":\"ExternalName\",\"externalName\":\"a.b\"}}", 200));
    await_rest(*state);
    assert_false(is_there(*state, ADDRESSES "/10.96.3.3"));
}

static void a_deleted_object_is_made_again(void **state)
{
    create_service(*state);
    fake_http_free(send(*state, "DELETE", ADDRESSES "/10.96.3.3", "", 200));
    await_rest(*state);
    assert_true(is_there(*state, ADDRESSES "/10.96.3.3"));
}

static void a_reserved_address_is_not_given_to_a_service(void **state)
{
    fake_http_free(send(*state, "POST", ADDRESSES,
                        "{\"metadata\":{\"name\":\"10.96.3.3\"},\"spec\":{\"parentRef\":{"
                        "\"group\":\"x.io\",\"resource\":\"gateways\",\"name\":\"g\"}}}",
                        201));
    await_rest(*state);
    fake_http *http = send(*state, "POST", SERVICES, SERVICE("s", "10.96.3.3"), 422);
    assert_body_has(http, "failed to allocate IP 10.96.3.3: provided IP is already allocated");
    fake_http_free(http);
    assert_true(is_there(*state, ADDRESSES "/10.96.3.3"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLUSTER_TEST(a_service_has_an_address_object),
        CLUSTER_TEST(the_object_goes_with_the_service),
        CLUSTER_TEST(the_object_goes_when_the_service_has_no_address),
        CLUSTER_TEST(a_deleted_object_is_made_again),
        CLUSTER_TEST(a_reserved_address_is_not_given_to_a_service),
    };
    return cmocka_run_group_tests_name("service_addresses", tests, NULL, NULL);
}
