/* SPDX-License-Identifier: Apache-2.0 */
/* service_address_test.c -- Services are resolved to the addresses of their endpoints. */
#include "api/services/service_address.h"

#include <string.h>

#include "support/api_world.h"
#include "unit/test.h"

#define SERVICE                                                                                    \
    "{\"kind\":\"Service\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"hook\",\"namespace\":"   \
    "\"prod\"},\"spec\":{\"ports\":[{\"name\":\"web\",\"port\":80,\"targetPort\":8080},{\"name\":" \
    "\"tls\",\"port\":443,\"targetPort\":8443}]}}"

static int setup(void **state)
{
    static api_world world;
    assert_int_equal(api_world_open(&world, NULL), LW_OK);
    *state = &world;
    return 0;
}

static int teardown(void **state)
{
    api_world_close(*state);
    return 0;
}

static lw_status find(api_world *world, const char *name, int64_t port, lw_service_address *out,
                      lw_error *err)
{
    return lw_service_address_find(lw_loop_data(world->loop), LW_STR("prod"), lw_str_of(name), port,
                                   out, err);
}

static void endpoints_of_the_named_port_are_found(void **state)
{
    api_world *world = *state;
    lw_service_address found;
    lw_error err = LW_ERROR_INIT;
    api_world_put(world, "services/specs/prod/hook", SERVICE);
    api_world_put(world, "services/endpoints/prod/hook",
                  "{\"kind\":\"Endpoints\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"hook\","
                  "\"namespace\":\"prod\"},\"subsets\":[{\"addresses\":[{\"ip\":\"10.0.0.7\"}],"
                  "\"notReadyAddresses\":[{\"ip\":\"10.0.0.8\"}],\"ports\":[{\"name\":\"web\","
                  "\"port\":8080},{\"name\":\"tls\",\"port\":8443}]}]}");
    assert_int_equal(find(world, "hook", 443, &found, &err), LW_OK);
    assert_string_equal(found.host, "10.0.0.7");
    assert_int_equal(found.port, 8443);
}

static void slices_are_used_without_endpoints(void **state)
{
    api_world *world = *state;
    lw_service_address found;
    lw_error err = LW_ERROR_INIT;
    api_world_put(world, "services/specs/prod/hook", SERVICE);
    api_world_put(world, "endpointslices/prod/hook-1",
                  "{\"kind\":\"EndpointSlice\",\"apiVersion\":\"discovery.k8s.io/v1\","
                  "\"metadata\":{\"name\":\"hook-1\",\"namespace\":\"prod\",\"labels\":{"
                  "\"kubernetes.io/service-name\":\"hook\"}},\"addressType\":\"IPv6\","
                  "\"endpoints\":[{\"addresses\":[\"fd00::1\"],\"conditions\":{\"ready\":false}},"
                  "{\"addresses\":[\"fd00::2\"]}],\"ports\":[{\"name\":\"tls\",\"port\":9443}]}");
    for (int i = 0; i < 20; i++) {
        assert_int_equal(find(world, "hook", 443, &found, &err), LW_OK);
        assert_string_equal(found.host, "fd00::2");
        assert_int_equal(found.port, 9443);
    }
}

static void external_names_are_hosts(void **state)
{
    lw_service_address found;
    api_world *world = *state;
    lw_error err = LW_ERROR_INIT;
    api_world_put(world, "services/specs/prod/away",
                  "{\"kind\":\"Service\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"away\","
                  "\"namespace\":\"prod\"},\"spec\":{\"type\":\"ExternalName\",\"externalName\":"
                  "\"hooks.example.com\"}}");
    assert_int_equal(find(world, "away", 8443, &found, &err), LW_OK);
    assert_string_equal(found.host, "hooks.example.com");
    assert_int_equal(found.port, 8443);
}

static void failures_say_what_is_missing(void **state)
{
    api_world *world = *state;
    lw_service_address found;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(find(world, "hook", 443, &found, &err), LW_ERR_NOT_FOUND);
    assert_string_equal(err.message, "service \"hook\" not found");
    api_world_put(world, "services/specs/prod/hook", SERVICE);
    assert_int_equal(find(world, "hook", 444, &found, &err), LW_ERR_INVALID);
    assert_string_equal(err.message, "no service port 444 found for service \"hook\"");
    assert_int_equal(find(world, "hook", 443, &found, &err), LW_ERR_UNAVAILABLE);
    assert_string_equal(err.message, "no endpoints available for service \"hook\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(endpoints_of_the_named_port_are_found, setup, teardown),
        cmocka_unit_test_setup_teardown(slices_are_used_without_endpoints, setup, teardown),
        cmocka_unit_test_setup_teardown(external_names_are_hosts, setup, teardown),
        cmocka_unit_test_setup_teardown(failures_say_what_is_missing, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
