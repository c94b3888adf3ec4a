/* SPDX-License-Identifier: Apache-2.0 */
/* api_test.c -- the API as a whole: its kinds, its namespaces, its ports. */
#include "base/str.h"
#include "unit/api/asked.h"

static void every_kind_that_is_kept_is_cached(void **state)
{
    api_world *world = *state;
    size_t count = 0;
    const lw_kind *const *kinds = lw_registry_kinds(world->registry, &count);
    assert_true(count > 20);
    for (size_t i = 0; i < count; i++)
        assert_int_equal(lw_api_resource(world->api, kinds[i]) != NULL, kinds[i]->storage.len > 0);
    assert_null(lw_api_resource(world->api, NULL));
}

static void every_kind_can_be_listed(void **state)
{
    api_world *world = *state;
    size_t count = 0, listed = 0;
    const lw_kind *const *kinds = lw_registry_kinds(world->registry, &count);
    for (size_t i = 0; i < count; i++) {
        char path[200];
        if (!(kinds[i]->verbs & LW_VERB_LIST))
            continue;
        (void)snprintf(path, sizeof(path), "/%s%.*s/%.*s/%.*s",
                       kinds[i]->group.len > 0 ? "apis/" : "api", LW_STR_ARG(kinds[i]->group),
                       LW_STR_ARG(kinds[i]->version), LW_STR_ARG(kinds[i]->plural));
        fake_http_free(ask(world, path, 200));
        fake_http_free(ask_as(world, path, "application/json;as=Table;v=v1;g=meta.k8s.io", 200));
        listed++;
    }
    assert_true(listed > 20);
}

static void assert_answer_has(api_world *world, const char *path, const char *text)
{
    fake_http *http = ask(world, path, 200);
    assert_body_has(http, text);
    fake_http_free(http);
}

static void the_priority_classes_of_the_system_are_made(void **state)
{
    api_world *world = *state;
    world->api->advertised.has_classes = true;
    assert_int_equal(lw_api_seed(world->api, NULL), LW_OK);
    assert_answer_has(world, "/apis/scheduling.k8s.io/v1/priorityclasses/system-node-critical",
                      "\"value\":2000001000,");
    assert_answer_has(world, "/apis/scheduling.k8s.io/v1/priorityclasses/system-cluster-critical",
                      "\"value\":2000000000,");
}

#define SERVICE "/api/v1/namespaces/default/services/kubernetes"
#define POINTS  "/api/v1/namespaces/default/endpoints/kubernetes"
#define SLICE   "/apis/discovery.k8s.io/v1/namespaces/default/endpointslices/kubernetes"

static void the_service_of_the_server_leads_to_its_address(void **state)
{
    api_world *world = *state;
    world->api->advertised = (lw_advertised){ .port = 6443, .address = "192.0.2.7" };
    assert_int_equal(lw_api_seed(world->api, NULL), LW_OK);
    assert_answer_has(world, SERVICE, "\"port\":443,\"targetPort\":6443}");
    assert_answer_has(world, SERVICE, "\"clusterIP\":\"10.96.0.1\"");
    assert_answer_has(world, POINTS, "\"addresses\":[{\"ip\":\"192.0.2.7\"}]");
    assert_answer_has(world, SLICE, "\"addresses\":[\"192.0.2.7\"]");
    assert_answer_has(world, "/apis/networking.k8s.io/v1/ipaddresses/10.96.0.1",
                      "\"namespace\":\"default\",\"name\":\"kubernetes\"}");
    assert_answer_has(world, "/apis/networking.k8s.io/v1/servicecidrs/kubernetes",
                      "\"cidrs\":[\"10.96.0.0/16\"]");
}

static void a_restart_at_another_address_changes_the_endpoints_only(void **state)
{
    api_world *world = *state;
    world->api->advertised = (lw_advertised){ .port = 6443, .address = "192.0.2.7" };
    assert_int_equal(lw_api_seed(world->api, NULL), LW_OK);
    uint64_t revision = lw_cache_revision(world->cache);
    assert_int_equal(lw_api_seed(world->api, NULL), LW_OK);
    assert_int_equal(lw_cache_revision(world->cache), revision);
    world->api->advertised = (lw_advertised){ .port = 7443, .address = "192.0.2.8" };
    assert_int_equal(lw_api_seed(world->api, NULL), LW_OK);
    assert_int_equal(lw_cache_revision(world->cache), revision + 3);
    assert_answer_has(world, SERVICE, "\"targetPort\":7443}");
    assert_answer_has(world, POINTS, "\"addresses\":[{\"ip\":\"192.0.2.8\"}]");
    assert_answer_has(world, SLICE, "\"port\":7443}");
}

static void a_server_without_an_address_has_a_service_without_endpoints(void **state)
{
    api_world *world = *state;
    world->api->advertised = (lw_advertised){ .port = 6443 };
    assert_int_equal(lw_api_seed(world->api, NULL), LW_OK);
    fake_http_free(ask(world, SERVICE, 200));
    fake_http_free(ask(world, POINTS, 404));
    fake_http_free(ask(world, SLICE, 404));
}

static void the_namespaces_that_always_exist_are_made_once(void **state)
{
    api_world *world = *state;
    assert_int_equal(lw_api_seed(world->api, NULL), LW_OK);
    assert_int_equal(lw_cache_revision(world->cache), 4);
    assert_int_equal(lw_api_seed(world->api, NULL), LW_OK);
    assert_int_equal(lw_cache_revision(world->cache), 4);
    static const char *const names[] = { "default", "kube-node-lease", "kube-public",
                                         "kube-system" };
    for (size_t i = 0; i < 4; i++) {
        char path[100];
        (void)snprintf(path, sizeof(path), "/api/v1/namespaces/%s", names[i]);
        fake_http_free(ask(world, path, 200));
    }
    fake_http *http = ask(world, "/api/v1/namespaces/default", 200);
    assert_body_has(http, "{\"kind\":\"Namespace\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                          "\"default\",\"uid\":\"");
    assert_body_has(http, "\",\"resourceVersion\":\"1\",\"creationTimestamp\":"
                          "\"2026-11-15T01:49:24Z\",\"labels\":{\"kubernetes.io/metadata.name\":"
                          "\"default\"},\"managedFields\":[{\"manager\":\"kube-apiserver\","
                          "\"operation\":\"Update\",\"apiVersion\":\"v1\",\"time\":"
                          "\"2026-11-15T01:49:24Z\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{"
                          "\"f:metadata\":{\"f:labels\":{\".\":{},"
                          "\"f:kubernetes.io/metadata.name\":{}}}}}]},"
                          "\"spec\":{\"finalizers\":[\"kubernetes\"]},\"status\":{"
                          "\"phase\":\"Active\"}}\n");
    fake_http_free(http);
}

/* A wake that was posted and not run yet finds its port gone. */
static void a_port_can_go_while_it_is_being_woken(void **state)
{
    api_world *world = *state;
    fake_http *http = ask(world, "/api/v1/configmaps?watch=1", 200);
    assert_true(api_world_put_config(world, "default", "a", NULL, NULL) > 0);
    lw_api_drain(world->api, world->loop);
    fake_http_free(http);
    lw_api_unbind(world->api, world->loop);
    api_world_turns(world, 2);
    world->is_bound = false;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(every_kind_that_is_kept_is_cached),
        WORLD_TEST(every_kind_can_be_listed),
        WORLD_TEST(the_namespaces_that_always_exist_are_made_once),
        WORLD_TEST(the_priority_classes_of_the_system_are_made),
        WORLD_TEST(the_service_of_the_server_leads_to_its_address),
        WORLD_TEST(a_restart_at_another_address_changes_the_endpoints_only),
        WORLD_TEST(a_server_without_an_address_has_a_service_without_endpoints),
        WORLD_TEST(a_port_can_go_while_it_is_being_woken),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
