/* SPDX-License-Identifier: Apache-2.0 */
/* apply_custom_test.c -- server-side apply of custom resources: their schema says what is merged.
 */
#include "unit/api/sent.h"

#define APPLY   "application/apply-patch+yaml"
#define CRDS    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define WIDGETS "/apis/example.com/v1/namespaces/default/widgets/"
#define AS(who) WIDGETS "a?fieldManager=" who

/* The second version knows nothing of the objects, the third one only their size. */
static const char definition[] =
    "kind: CustomResourceDefinition\n"
    "apiVersion: apiextensions.k8s.io/v1\n"
    "metadata: {name: widgets.example.com}\n"
    "spec:\n"
    "  group: example.com\n"
    "  scope: Namespaced\n"
    "  names: {plural: widgets, kind: Widget}\n"
    "  versions:\n"
    "  - name: v1\n"
    "    served: true\n"
    "    storage: true\n"
    "    subresources: {status: {}}\n"
    "    schema:\n"
    "      openAPIV3Schema:\n"
    "        type: object\n"
    "        properties:\n"
    "          spec:\n"
    "            type: object\n"
    "            properties:\n"
    "              size: {type: integer}\n"
    "              color: {type: string, default: red}\n"
    "              plain: {type: array, items: {type: string}}\n"
    "              tags: {type: array, x-kubernetes-list-type: set, items: {type: string}}\n"
    "              ports:\n"
    "                type: array\n"
    "                x-kubernetes-list-type: map\n"
    "                x-kubernetes-list-map-keys: [port, protocol]\n"
    "                items:\n"
    "                  type: object\n"
    "                  required: [port]\n"
    "                  properties:\n"
    "                    port: {type: integer}\n"
    "                    protocol: {type: string, default: TCP}\n"
    "                    name: {type: string}\n"
    "              selector:\n"
    "                type: object\n"
    "                x-kubernetes-map-type: atomic\n"
    "                additionalProperties: {type: string}\n"
    "              groups:\n"
    "                type: object\n"
    "                additionalProperties:\n"
    "                  {type: array, x-kubernetes-list-type: set, items: {type: string}}\n"
    "              free: {type: object, x-kubernetes-preserve-unknown-fields: true}\n"
    "          status: {type: object, properties: {ready: {type: boolean}}}\n"
    "  - name: v2\n"
    "    served: true\n"
    "    storage: false\n"
    "    schema:\n"
    "      openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}\n"
    "  - name: v3\n"
    "    served: true\n"
    "    storage: false\n"
    "    schema:\n"
    "      openAPIV3Schema:\n"
    "        type: object\n"
    "        properties: {spec: {type: object, properties: {size: {type: integer}}}}\n";

static int defined_setup(void **state)
{
    if (seeded_setup(state) < 0)
        return -1;
    do_send_as(*state, "POST", CRDS, "application/yaml", definition, 201);
    return 0;
}

#define DEFINED_TEST(function)                                                                     \
    cmocka_unit_test_setup_teardown(function, defined_setup, world_teardown)

/* A widget of |version| with |rest| below its metadata, as YAML reads it. */
#define WIDGET(version, rest)                                                                      \
    "{kind: Widget, apiVersion: example.com/" version ", metadata: {name: a}, " rest "}"

static void assert_applied_at(api_world *world, const char *target, const char *body, int status,
                              const char *part, const char *file, int line)
{
    fake_http *http = send_as_at(world, "PATCH", target, APPLY, body, status, file, line);
    assert_body_has_at(http, part, file, line);
    fake_http_free(http);
}
#define assert_applied(world, target, body, status, part)                                          \
    assert_applied_at((world), (target), (body), (status), (part), __FILE__, __LINE__)

static void items_are_named_by_the_keys_of_the_schema(void **state)
{
    assert_applied(*state, AS("k"), WIDGET("v1", "spec: {ports: [{port: 80}], tags: [x, z]}"), 201,
                   "\"managedFields\":[{\"manager\":\"k\",\"operation\":\"Apply\",\"apiVersion\":"
                   "\"example.com/v1\",\"time\":\"2026-11-15T01:49:24Z\",\"fieldsType\":"
                   "\"FieldsV1\",\"fieldsV1\":{\"f:spec\":{\"f:ports\":{"
                   "\"k:{\\\"port\\\":80,\\\"protocol\\\":\\\"TCP\\\"}\":{\".\":{},\"f:port\":{}}},"
                   "\"f:tags\":{\"v:\\\"x\\\"\":{},\"v:\\\"z\\\"\":{}}}}}]");
}

static void keyed_items_and_sets_are_merged(void **state)
{
    api_world *world = *state;
    assert_applied(world, AS("a"), WIDGET("v1", "spec: {ports: [{port: 80}], tags: [x]}"), 201, "");
    assert_applied(world, AS("b"),
                   WIDGET("v1", "spec: {ports: [{port: 80, protocol: UDP, name: u}], tags: [z]}"),
                   200,
                   "\"ports\":[{\"port\":80,\"protocol\":\"TCP\"},{\"port\":80,\"protocol\":"
                   "\"UDP\",\"name\":\"u\"}],\"tags\":[\"x\",\"z\"]");
    assert_applied(world, AS("a"), WIDGET("v1", "spec: {}"), 200,
                   "\"ports\":[{\"port\":80,\"protocol\":\"UDP\",\"name\":\"u\"}],\"tags\":"
                   "[\"z\"]");
}

static void lists_that_say_nothing_are_replaced(void **state)
{
    api_world *world = *state;
    assert_applied(world, AS("a"), WIDGET("v1", "spec: {plain: [x]}"), 201,
                   "\"fieldsV1\":{\"f:spec\":{\"f:plain\":{}}}");
    assert_applied(world, AS("b"), WIDGET("v1", "spec: {plain: [z]}"), 409,
                   "conflict with \\\"a\\\": .spec.plain\"");
    assert_applied(world, AS("b&force=true"), WIDGET("v1", "spec: {plain: [z]}"), 200,
                   "\"plain\":[\"z\"]");
}

static void atomic_maps_are_replaced_and_others_merged(void **state)
{
    api_world *world = *state;
    assert_applied(
        world, AS("a"),
        WIDGET("v1", "spec: {selector: {x: '1'}, free: {x: {w: 1}}, groups: {g: [x]}}"), 201,
        "{\"f:spec\":{\"f:free\":{\"f:x\":{\".\":{},\"f:w\":{}}},\"f:groups\":{\"f:g\":{\".\":{},"
        "\"v:\\\"x\\\"\":{}}},\"f:selector\":{}}}");
    assert_applied(world, AS("b"), WIDGET("v1", "spec: {free: {x: {z: 2}}, groups: {g: [z]}}"), 200,
                   "\"free\":{\"x\":{\"w\":1,\"z\":2}},\"groups\":{\"g\":[\"x\",\"z\"]}");
    assert_applied(world, AS("b"), WIDGET("v1", "spec: {selector: {z: '1'}}"), 409,
                   "conflict with \\\"a\\\": .spec.selector\"");
}

static void defaults_are_nobodys_until_they_are_said(void **state)
{
    api_world *world = *state;
    assert_applied(world, AS("a"), WIDGET("v1", "spec: {size: 1}"), 201,
                   "\"fieldsV1\":{\"f:spec\":{\"f:size\":{}}}}]},\"spec\":{\"size\":1,\"color\":"
                   "\"red\"}");
    assert_applied(world, AS("b"), WIDGET("v1", "spec: {color: blue}"), 200, "\"color\":\"blue\"");
}

static void what_the_schema_does_not_know_is_refused(void **state)
{
    assert_applied(*state, AS("a"), WIDGET("v1", "spec: {sizes: 1}"), 500,
                   "failed to create typed patch object (/a; example.com/v1, Kind=Widget): "
                   ".spec.sizes: field not declared in schema");
    assert_applied(*state, AS("a"), WIDGET("v1", "spec: {ports: [{port: 1}, {port: 1}]}"), 500,
                   ".spec.ports: duplicate entries for key [port=1,protocol=\\\"TCP\\\"]");
}

static void the_version_of_a_write_is_noted(void **state)
{
    api_world *world = *state;
#define V2 "/apis/example.com/v2/namespaces/default/widgets/a?fieldManager="
    assert_applied(world, V2 "k", WIDGET("v2", "spec: {size: 1, color: red}"), 201,
                   "\"manager\":\"k\",\"operation\":\"Apply\",\"apiVersion\":\"example.com/v2\"");
    /* The same again, and in another version, changes nothing but who said it in which. */
    assert_applied(world, V2 "k", WIDGET("v2", "spec: {size: 1, color: red}"), 200,
                   "\"resourceVersion\":\"6\"");
    assert_applied(world, AS("k"), WIDGET("v1", "spec: {size: 1}"), 200,
                   "\"manager\":\"k\",\"operation\":\"Apply\",\"apiVersion\":\"example.com/v1\"");
    assert_applied(world, V2 "other", WIDGET("v2", "spec: {size: 2}"), 409,
                   "conflict with \\\"k\\\": .spec.size\"");
}

static void the_object_must_be_valid_in_the_versions_of_its_managers(void **state)
{
    api_world *world = *state;
    assert_applied(world, "/apis/example.com/v3/namespaces/default/widgets/a?fieldManager=old",
                   WIDGET("v3", "spec: {size: 1}"), 201, "\"size\":1");
    assert_applied(world, AS("k"), WIDGET("v1", "spec: {size: 1}"), 500,
                   "\"message\":\".spec.color: field not declared in schema\"");
    do_send_as(world, "PATCH", WIDGETS "a", MERGE_PATCH, "{\"metadata\":{\"managedFields\":[{}]}}",
               200);
    assert_applied(world, AS("k"), WIDGET("v1", "spec: {size: 1}"), 200, "\"color\":\"red\"");
}

static void metadata_is_merged_as_of_any_object(void **state)
{
    api_world *world = *state;
    assert_applied(
        world, AS("a"),
        "{kind: Widget, apiVersion: example.com/v1, metadata: {name: a, finalizers: [x.y/a]}}", 201,
        "\"f:metadata\":{\"f:finalizers\":{\"v:\\\"x.y/a\\\"\":{}}}");
    assert_applied(
        world, AS("b"),
        "{kind: Widget, apiVersion: example.com/v1, metadata: {name: a, finalizers: [x.y/b]}}", 200,
        "\"finalizers\":[\"x.y/a\",\"x.y/b\"]");
}

static void status_is_applied_by_itself(void **state)
{
    api_world *world = *state;
    assert_applied(world, AS("a"), WIDGET("v1", "spec: {size: 1}, status: {ready: true}"), 201,
                   "\"fieldsV1\":{\"f:spec\":{\"f:size\":{}}}}]},\"spec\":{\"size\":1,\"color\":"
                   "\"red\"}}");
    assert_applied(world, WIDGETS "a/status?fieldManager=c",
                   WIDGET("v1", "spec: {size: 5}, status: {ready: true}"), 200,
                   "\"fieldsV1\":{\"f:status\":{\"f:ready\":{}}},\"subresource\":\"status\"}");
    assert_applied(world, AS("a"), WIDGET("v1", "spec: {size: 1}"), 200,
                   "\"size\":1,\"color\":\"red\"},\"status\":{\"ready\":true}");
}

static void patches_are_updates_of_their_manager(void **state)
{
    api_world *world = *state;
    assert_applied(world, AS("a"), WIDGET("v1", "spec: {ports: [{port: 80}]}"), 201, "");
    do_send_as(world, "PATCH", AS("m"), MERGE_PATCH,
               "{\"spec\":{\"ports\":[{\"port\":80,\"protocol\":\"TCP\",\"name\":\"n\"}]}}", 200);
    assert_applied(world, AS("a"), WIDGET("v1", "spec: {ports: [{port: 80}]}"), 200,
                   "{\"manager\":\"m\",\"operation\":\"Update\",\"apiVersion\":\"example.com/v1\","
                   "\"time\":\"2026-11-15T01:49:24Z\",\"fieldsType\":\"FieldsV1\",\"fieldsV1\":{"
                   "\"f:spec\":{\"f:ports\":{\"k:{\\\"port\\\":80,\\\"protocol\\\":\\\"TCP\\\"}\":{"
                   "\"f:name\":{}}}}}}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DEFINED_TEST(items_are_named_by_the_keys_of_the_schema),
        DEFINED_TEST(keyed_items_and_sets_are_merged),
        DEFINED_TEST(lists_that_say_nothing_are_replaced),
        DEFINED_TEST(atomic_maps_are_replaced_and_others_merged),
        DEFINED_TEST(defaults_are_nobodys_until_they_are_said),
        DEFINED_TEST(what_the_schema_does_not_know_is_refused),
        DEFINED_TEST(the_version_of_a_write_is_noted),
        DEFINED_TEST(the_object_must_be_valid_in_the_versions_of_its_managers),
        DEFINED_TEST(metadata_is_merged_as_of_any_object),
        DEFINED_TEST(status_is_applied_by_itself),
        DEFINED_TEST(patches_are_updates_of_their_manager),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
