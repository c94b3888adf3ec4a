/* SPDX-License-Identifier: Apache-2.0 */
/* discovery_test.c -- the documents that tell clients what is served. */
#include "schema/discovery/discovery.h"

#include <stdio.h>

#include "base/str.h"
#include "unit/schema/written.h"

static void core_has_one_version_and_the_address_of_the_server(void **state)
{
    written *all = *state;
    lw_discovery_core_versions(all->registry, LW_STR("127.0.0.1:6443"), &all->w);
    assert_str_equal(written_json(all),
                     "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"],"
                     "\"serverAddressByClientCIDRs\":[{\"clientCIDR\":\"0.0.0.0/0\","
                     "\"serverAddress\":\"127.0.0.1:6443\"}]}");
}

static void groups_are_listed_without_core(void **state)
{
    written *all = *state;
    static const char *const names[] = {
        "apiregistration.k8s.io",
        "apps",
        "events.k8s.io",
        "authentication.k8s.io",
        "authorization.k8s.io",
        "autoscaling",
        "batch",
        "certificates.k8s.io",
        "networking.k8s.io",
        "policy",
        "rbac.authorization.k8s.io",
        "storage.k8s.io",
        "admissionregistration.k8s.io",
        "apiextensions.k8s.io",
        "scheduling.k8s.io",
        "coordination.k8s.io",
        "node.k8s.io",
        "discovery.k8s.io",
        "resource.k8s.io",
        "flowcontrol.apiserver.k8s.io",
        "storagemigration.k8s.io",
    };
    lw_discovery_groups(all->registry, &all->w);
    assert_str_equal(written_at(all, "/kind"), "\"APIGroupList\"");
    assert_str_equal(written_at(all, "/apiVersion"), "\"v1\"");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        char pointer[64], quoted[64];
        (void)snprintf(pointer, sizeof(pointer), "/groups/%zu/name", i);
        (void)snprintf(quoted, sizeof(quoted), "\"%s\"", names[i]);
        assert_str_equal(written_at(all, pointer), quoted);
    }
    assert_str_equal(written_at(all, "/groups/21"), "");
    assert_str_equal(written_at(all, "/groups/1"),
                     "{\"name\":\"apps\",\"versions\":[{\"groupVersion\":\"apps/v1\",\"version\":"
                     "\"v1\"}],\"preferredVersion\":{\"groupVersion\":\"apps/v1\",\"version\":"
                     "\"v1\"}}");
}

static void a_group_is_described_alone(void **state)
{
    written *all = *state;
    assert_true(lw_discovery_group(all->registry, LW_STR("autoscaling"), &all->w));
    assert_str_equal(written_json(all),
                     "{\"kind\":\"APIGroup\",\"apiVersion\":\"v1\",\"name\":\"autoscaling\","
                     "\"versions\":[{\"groupVersion\":\"autoscaling/v2\",\"version\":\"v2\"},"
                     "{\"groupVersion\":\"autoscaling/v1\",\"version\":\"v1\"}],"
                     "\"preferredVersion\":{\"groupVersion\":\"autoscaling/v2\",\"version\":\"v2\"}"
                     "}");
}

static void what_is_not_served_writes_nothing(void **state)
{
    written *all = *state;
    assert_false(lw_discovery_group(all->registry, LW_STR("nope"), &all->w));
    assert_false(lw_discovery_group(all->registry, LW_STR(""), &all->w));
    assert_false(lw_discovery_resources(all->registry, LW_STR("nope"), LW_STR("v1"), &all->w));
    assert_false(lw_discovery_resources(all->registry, LW_STR("apps"), LW_STR("v2"), &all->w));
    assert_false(lw_discovery_resources(all->registry, LW_STR("apps"), LW_STR(""), &all->w));
    assert_int_equal(all->buf.len, 0);
}

static void core_resources_have_no_api_version(void **state)
{
    written *all = *state;
    static const char start[] =
        "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":[{\"name\":"
        "\"bindings\",\"singularName\":\"binding\",\"namespaced\":true,\"kind\":\"Binding\","
        "\"verbs\":[\"create\"]},{\"name\":\"componentstatuses\",\"singularName\":"
        "\"componentstatus\",\"namespaced\":false,\"kind\":\"ComponentStatus\",\"verbs\":["
        "\"get\",\"list\"],\"shortNames\":[\"cs\"]},{\"name\":"
        "\"configmaps\",\"singularName\":\"configmap\",\"namespaced\":true,\"kind\":\"ConfigMap\","
        "\"verbs\":[\"create\",\"delete\",\"deletecollection\",\"get\",\"list\",\"patch\","
        "\"update\",\"watch\"],\"shortNames\":[\"cm\"],\"storageVersionHash\":\""
        "qFsyl6wFWjQ=\"";
    assert_true(lw_discovery_resources(all->registry, LW_STR(""), LW_STR("v1"), &all->w));
    lw_str json = written_json(all);
    assert_str_equal(lw_str_make(json.ptr, sizeof(start) - 1), start);
}

static lw_str resource_of(const written *all, const char *name)
{
    char pointer[32];
    for (size_t i = 0; i < 100; i++) {
        (void)snprintf(pointer, sizeof(pointer), "/resources/%zu", i);
        lw_str resource = written_at(all, pointer), found;
        if (resource.len > 0 && lw_json_path_find(resource, LW_STR("/name"), &found) == LW_OK &&
            lw_str_equal(lw_str_make(found.ptr + 1, found.len - 2), lw_str_of(name)))
            return resource;
    }
    fail_msg("%s is not listed", name);
    return LW_STR("");
}

static void subresources_are_listed_with_what_they_take(void **state)
{
    written *all = *state;
    assert_true(lw_discovery_resources(all->registry, LW_STR(""), LW_STR("v1"), &all->w));
    assert_str_equal(resource_of(all, "pods/status"),
                     "{\"name\":\"pods/status\",\"singularName\":\"\",\"namespaced\":true,"
                     "\"kind\":\"Pod\",\"verbs\":[\"get\",\"patch\",\"update\"]}");
    assert_str_equal(resource_of(all, "pods/binding"),
                     "{\"name\":\"pods/binding\",\"singularName\":\"\",\"namespaced\":true,"
                     "\"kind\":\"Binding\",\"verbs\":[\"create\"]}");
    assert_str_equal(resource_of(all, "pods/eviction"),
                     "{\"name\":\"pods/eviction\",\"singularName\":\"\",\"namespaced\":true,"
                     "\"group\":\"policy\",\"version\":\"v1\",\"kind\":\"Eviction\",\"verbs\":["
                     "\"create\"]}");
    assert_str_equal(resource_of(all, "namespaces/finalize"),
                     "{\"name\":\"namespaces/finalize\",\"singularName\":\"\",\"namespaced\":false,"
                     "\"kind\":\"Namespace\",\"verbs\":[\"update\"]}");
    written_reset(all);
    assert_true(lw_discovery_resources(all->registry, LW_STR("apps"), LW_STR("v1"), &all->w));
    assert_str_equal(written_at(all, "/apiVersion"), "\"v1\"");
    assert_str_equal(written_at(all, "/groupVersion"), "\"apps/v1\"");
    assert_str_equal(resource_of(all, "deployments/scale"),
                     "{\"name\":\"deployments/scale\",\"singularName\":\"\",\"namespaced\":true,"
                     "\"group\":\"autoscaling\",\"version\":\"v1\",\"kind\":\"Scale\",\"verbs\":["
                     "\"get\",\"patch\",\"update\"]}");
}

static void namespaces_cannot_be_deleted_as_a_collection(void **state)
{
    written *all = *state;
    assert_true(lw_discovery_resources(all->registry, LW_STR(""), LW_STR("v1"), &all->w));
    lw_str verbs;
    assert_int_equal(lw_json_path_find(resource_of(all, "namespaces"), LW_STR("/verbs"), &verbs),
                     LW_OK);
    assert_str_equal(verbs,
                     "[\"create\",\"delete\",\"get\",\"list\",\"patch\",\"update\",\"watch\"]");
}

static void aggregated_discovery_holds_a_resource_with_its_subresources(void **state)
{
    written *all = *state;
    lw_discovery_aggregated(all->registry, true, &all->w);
    assert_str_equal(written_at(all, "/apiVersion"), "\"apidiscovery.k8s.io/v2\"");
    assert_str_equal(written_at(all, "/items/0/metadata"), "{}");
    assert_str_equal(written_at(all, "/items/0/versions/0/version"), "\"v1\"");
    assert_str_equal(written_at(all, "/items/0/versions/0/freshness"), "\"Current\"");
    assert_str_equal(written_at(all, "/items/1"), "");
    assert_str_equal(
        written_at(all, "/items/0/versions/0/resources/6"),
        "{\"resource\":\"namespaces\",\"responseKind\":{\"group\":\"\",\"version\":\"v1\",\"kind\":"
        "\"Namespace\"},\"scope\":\"Cluster\",\"singularResource\":\"namespace\",\"verbs\":["
        "\"create\",\"delete\",\"get\",\"list\",\"patch\",\"update\",\"watch\"],\"shortNames\":["
        "\"ns\"],\"subresources\":[{\"subresource\":\"finalize\",\"responseKind\":{\"group\":\"\","
        "\"version\":\"v1\",\"kind\":\"Namespace\"},\"verbs\":[\"update\"]},{\"subresource\":"
        "\"status\",\"responseKind\":{\"group\":\"\",\"version\":\"v1\",\"kind\":\"Namespace\"},"
        "\"verbs\":[\"get\",\"patch\",\"update\"]}]}");
    written_reset(all);
    lw_discovery_aggregated(all->registry, false, &all->w);
    assert_str_equal(written_at(all, "/items/1/metadata"), "{\"name\":\"apps\"}");
    assert_str_equal(written_at(all, "/items/1/versions/0/resources/2/categories"), "[\"all\"]");
    assert_str_equal(written_at(all, "/items/1/versions/0/resources/2/scope"), "\"Namespaced\"");
}

static void every_group_and_version_has_its_resources(void **state)
{
    written *all = *state;
    size_t count;
    const lw_kind *const *kinds = lw_registry_kinds(all->registry, &count);
    for (size_t i = 0; i < count; i++) {
        assert_true(
            lw_discovery_resources(all->registry, kinds[i]->group, kinds[i]->version, &all->w));
        (void)written_json(all);
        written_reset(all);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DOCUMENT_TEST(core_has_one_version_and_the_address_of_the_server),
        DOCUMENT_TEST(groups_are_listed_without_core),
        DOCUMENT_TEST(a_group_is_described_alone),
        DOCUMENT_TEST(what_is_not_served_writes_nothing),
        DOCUMENT_TEST(core_resources_have_no_api_version),
        DOCUMENT_TEST(subresources_are_listed_with_what_they_take),
        DOCUMENT_TEST(namespaces_cannot_be_deleted_as_a_collection),
        DOCUMENT_TEST(aggregated_discovery_holds_a_resource_with_its_subresources),
        DOCUMENT_TEST(every_group_and_version_has_its_resources),
    };
    return cmocka_run_group_tests_name("discovery", tests, NULL, NULL);
}
