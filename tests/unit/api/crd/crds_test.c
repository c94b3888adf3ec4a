/* SPDX-License-Identifier: Apache-2.0 */
/* crds_test.c -- custom resources from the moment they are defined until they are gone. */
#include "api/crd/crds.h"
#include "unit/api/lived.h"

#define CRDS    "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
#define WIDGETS "/apis/example.com/v1/namespaces/default/widgets"

#define DEFINITION(plural, kind, rest)                                                             \
    "{\"metadata\":{\"name\":\"" plural ".example.com\"},\"spec\":{\"group\":\"example.com\","     \
    "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"" plural "\",\"kind\":\"" kind "\"" rest     \
    "},\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true,\"schema\":{"               \
    "\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{\"spec\":{\"type\":\"object\","      \
    "\"properties\":{\"size\":{\"type\":\"integer\",\"default\":1}}}}}}},{\"name\":\"v2\","        \
    "\"served\":true,\"storage\":false,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\","      \
    "\"x-kubernetes-preserve-unknown-fields\":true}}}]}}"

static void define_widgets(api_world *world)
{
    do_send(world, "POST", CRDS, DEFINITION("widgets", "Widget", ""), 201);
}

static void make_widget(api_world *world, const char *name, const char *rest)
{
    char body[300];
    (void)snprintf(body, sizeof(body),
                   "{\"metadata\":{\"name\":\"%s\"%s},\"spec\":{\"size\":2,\"odd\":1}}", name,
                   rest);
    do_send(world, "POST", WIDGETS, body, 201);
}

/* Runs the loop until what |target| shows has |text| in it. */
static void await_text(api_world *world, const char *target, const char *text)
{
    int64_t deadline = patience_end();
    for (;;) {
        fake_http *http = ask(world, target, 200);
        bool is_so = memmem(http->body.data, http->body.len, text, strlen(text)) != NULL;
        fake_http_free(http);
        if (is_so)
            return;
        turn_until(world, deadline);
    }
}

static void a_patch_to_a_wrong_type_is_refused(void **state)
{
    define_widgets(*state);
    assert_sent_has_as(
        *state, "PATCH", CRDS "/widgets.example.com", MERGE_PATCH, "{\"spec\":7}", 422,
        "cannot unmarshal number into Go struct field CustomResourceDefinition.spec");
}

static void objects_are_served_when_the_definition_is_created(void **state)
{
    api_world *world = *state;
    lw_crds_unfollow(lw_loop_data(world->loop)); /* as on a loop that does not watch them */
    do_send(world, "POST", WIDGETS, "{}", 404);
    define_widgets(world);
    assert_sent_has(world, "POST", WIDGETS, "{\"metadata\":{\"name\":\"a\"},\"spec\":{\"odd\":1}}",
                    201,
                    ",\"generation\":1,\"creationTimestamp\":\"2026-11-15T01:49:24Z\"},\"spec\":{"
                    "\"size\":1}}\n");
    fake_http *http = ask(world, "/apis/example.com/v1", 200);
    assert_body_has(http, "\"name\":\"widgets\",\"singularName\":\"widget\",\"namespaced\":true");
    fake_http_free(http);
}

static void objects_are_found_under_another_key_prefix(void **state)
{
    (void)state;
    api_world world;
    assert_int_equal(api_world_open_under(&world, LW_STR("/elsewhere/"), NULL), LW_OK);
    assert_int_equal(lw_api_seed(world.api, NULL), LW_OK);
    define_widgets(&world);
    make_widget(&world, "a", "");
    fake_http_free(ask(&world, WIDGETS "/a", 200));
    api_world_close(&world);
}

static void the_status_says_that_it_is_established(void **state)
{
    define_widgets(*state);
    await_text(*state, CRDS "/widgets.example.com",
               "\"reason\":\"InitialNamesAccepted\",\"message\":\"the initial names have been "
               "accepted\"}],\"acceptedNames\":{");
    await_text(*state, CRDS "/widgets.example.com", "\"storedVersions\":[\"v1\"]");
}

static void names_in_use_are_not_accepted(void **state)
{
    api_world *world = *state;
    define_widgets(world);
    do_send(world, "POST", CRDS, DEFINITION("gadgets", "Widget", ",\"singular\":\"gadget\""), 201);
    await_text(world, CRDS "/gadgets.example.com",
               "\"reason\":\"KindConflict\",\"message\":\"\\\"Widget\\\" is already in use\"");
    do_send(world, "GET", "/apis/example.com/v1/gadgets", "", 404);
    do_send(world, "DELETE", CRDS "/widgets.example.com", "", 200);
    await_status(world, CRDS "/widgets.example.com", 404);
    await_status(world, "/apis/example.com/v1/gadgets", 200);
}

static void objects_are_returned_in_the_requested_version(void **state)
{
    api_world *world = *state;
    define_widgets(world);
    make_widget(world, "a", "");
    fake_http *http = ask(world, "/apis/example.com/v2/namespaces/default/widgets/a", 200);
    assert_body_has(http, "\"apiVersion\":\"example.com/v2\"");
    fake_http_free(http);
    http = ask(world, "/apis/example.com/v2/widgets", 200);
    assert_body_has(http, "[{\"kind\":\"Widget\",\"apiVersion\":\"example.com/v2\"");
    fake_http_free(http);
    assert_sent_has_as(world, "PATCH", "/apis/example.com/v2/namespaces/default/widgets/a",
                       MERGE_PATCH, "{\"spec\":{\"new\":1}}", 200,
                       "\"apiVersion\":\"example.com/v2\"");
    http = ask(world, WIDGETS "/a", 200);
    assert_body_has(http, "\"apiVersion\":\"example.com/v1\"");
    assert_body_has(http, "\"generation\":2");
    fake_http_free(http);
}

static void a_changed_definition_takes_effect(void **state)
{
    api_world *world = *state;
    define_widgets(world);
    make_widget(world, "a", "");
    do_send_as(world, "PATCH", CRDS "/widgets.example.com", JSON_PATCH,
               "[{\"op\":\"replace\",\"path\":\"/spec/versions/1/served\",\"value\":false},"
               "{\"op\":\"add\",\"path\":\"/spec/names/shortNames\",\"value\":[\"wd\"]}]",
               200);
    do_send(world, "GET", "/apis/example.com/v2/widgets", "", 404);
    fake_http *http = ask(world, "/apis/example.com/v1", 200);
    assert_body_has(http, "\"shortNames\":[\"wd\"]");
    fake_http_free(http);
    do_send(world, "GET", WIDGETS "/a", "", 200);
}

static void new_defaults_are_filled_in_on_reads(void **state)
{
    api_world *world = *state;
    define_widgets(world);
    make_widget(world, "a", "");
    do_send_as(
        world, "PATCH", CRDS "/widgets.example.com", JSON_PATCH,
        "[{\"op\":\"add\",\"path\":\"/spec/versions/0/schema/openAPIV3Schema/properties/spec/"
        "properties/colour\",\"value\":{\"type\":\"string\",\"default\":\"red\"}}]",
        200);
    static const char *const targets[] = { WIDGETS "/a", WIDGETS };
    for (size_t i = 0; i < 2; i++) {
        fake_http *http = ask(world, targets[i], 200);
        assert_body_has(http, "\"spec\":{\"size\":2,\"colour\":\"red\"}");
        fake_http_free(http);
    }
    make_widget(world, "b", "");
    fake_http *http = ask(world, WIDGETS "/b", 200);
    assert_body_has(http, "\"spec\":{\"size\":2,\"colour\":\"red\"}");
    fake_http_free(http);
}

static void defaults_are_those_of_the_stored_version_and_others_are_pruned(void **state)
{
    api_world *world = *state;
    define_widgets(world);
    do_send_as(
        world, "PATCH", CRDS "/widgets.example.com", JSON_PATCH,
        "[{\"op\":\"add\",\"path\":\"/spec/versions/0/schema/openAPIV3Schema/properties/spec/"
        "properties/colour\",\"value\":{\"type\":\"string\",\"default\":\"red\"}},"
        "{\"op\":\"add\",\"path\":\"/spec/versions/-\",\"value\":{\"name\":\"v9\",\"served\":true,"
        "\"storage\":false,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\",\"properties\":{"
        "\"spec\":{\"type\":\"object\",\"properties\":{\"size\":{\"type\":\"integer\"},\"shape\":{"
        "\"type\":\"string\",\"default\":\"round\"}}}}}}}}]",
        200);
    make_widget(world, "a", "");
    assert_sent_has(world, "GET", "/apis/example.com/v9/namespaces/default/widgets/a", "", 200,
                    "\"spec\":{\"size\":2}");
    do_send(world, "POST", "/apis/example.com/v9/namespaces/default/widgets",
            "{\"apiVersion\":\"example.com/v9\",\"kind\":\"Widget\",\"metadata\":{\"name\":\"b\"},"
            "\"spec\":{\"size\":3}}",
            201);
    assert_sent_has(world, "GET", WIDGETS "/b", "", 200,
                    "\"spec\":{\"size\":3,\"colour\":\"red\"}");
}

static void null_inside_a_default_is_kept(void **state)
{
    api_world *world = *state;
    define_widgets(world);
    do_send_as(
        world, "PATCH", CRDS "/widgets.example.com", JSON_PATCH,
        "[{\"op\":\"add\",\"path\":\"/spec/versions/0/schema/openAPIV3Schema/properties/spec/"
        "properties/o\",\"value\":{\"type\":\"object\",\"default\":{\"x\":null},"
        "\"properties\":{\"x\":{\"type\":\"string\",\"nullable\":true}}}}]",
        200);
    make_widget(world, "a", "");
    fake_http *http = ask(world, WIDGETS "/a", 200);
    assert_body_has(http, "\"o\":{\"x\":null}");
    fake_http_free(http);
}

/* A client cannot write the status with the object, but its default is there. */
static void the_status_has_its_default(void **state)
{
    api_world *world = *state;
    define_widgets(world);
    do_send_as(
        world, "PATCH", CRDS "/widgets.example.com", JSON_PATCH,
        "[{\"op\":\"add\",\"path\":\"/spec/versions/0/subresources\",\"value\":{\"status\":{}}},"
        "{\"op\":\"add\",\"path\":\"/spec/versions/0/schema/openAPIV3Schema/properties/"
        "status\",\"value\":{\"type\":\"object\",\"default\":{\"seen\":-1},"
        "\"properties\":{\"seen\":{\"type\":\"integer\"}}}}]",
        200);
    assert_sent_has(world, "POST", WIDGETS,
                    "{\"metadata\":{\"name\":\"a\"},\"status\":{\"seen\":7}}", 201,
                    "\"status\":{\"seen\":-1}");
    assert_sent_has_as(world, "PATCH", WIDGETS "/a", MERGE_PATCH, "{\"spec\":{\"size\":3}}", 200,
                       "\"spec\":{\"size\":3},\"status\":{\"seen\":-1}");
}

static void deleting_a_definition_removes_its_objects_and_ends_its_watches(void **state)
{
    api_world *world = *state;
    define_widgets(world);
    make_widget(world, "a", "");
    fake_http *watch = api_world_get(world, "/apis/example.com/v1/widgets?watch=1", NULL);
    assert_sent_has(world, "DELETE", CRDS "/widgets.example.com", "", 200,
                    "\"finalizers\":[\"customresourcecleanup.apiextensions.k8s.io\"]");
    await_status(world, CRDS "/widgets.example.com", 404);
    await(world, watch);
    assert_body_has(watch, "{\"type\":\"DELETED\"");
    assert_int_equal(watch->status, 200);
    fake_http_free(watch);
    await_status(world, "/apis/example.com", 404);
    do_send(world, "GET", WIDGETS "/a", "", 404);
    define_widgets(world);
    assert_sent_has(world, "GET", WIDGETS, "", 200, "\"items\":[]");
}

static void a_collection_of_definitions_without_objects_goes_at_once(void **state)
{
    api_world *world = *state;
    define_widgets(world);
    do_send(world, "DELETE", CRDS, "", 200);
    do_send(world, "GET", CRDS "/widgets.example.com", "", 404);
    define_widgets(world);
    make_widget(world, "a", ",\"finalizers\":[\"example.com/wait\"]");
    do_send(world, "DELETE", CRDS, "", 200);
    do_send(world, "GET", CRDS "/widgets.example.com", "", 200);
}

static void objects_with_finalizers_delay_the_deletion_of_the_definition(void **state)
{
    api_world *world = *state;
    define_widgets(world);
    make_widget(world, "a", ",\"finalizers\":[\"example.com/wait\"]");
    do_send(world, "DELETE", CRDS "/widgets.example.com", "", 200);
    await_text(world, WIDGETS "/a", "deletionTimestamp");
    assert_sent_has(world, "POST", WIDGETS, "{\"metadata\":{\"name\":\"b\"}}", 405,
                    "create not allowed while custom resource definition is terminating");
    do_send(world, "GET", CRDS "/widgets.example.com", "", 200);
    do_send_as(world, "PATCH", WIDGETS "/a", MERGE_PATCH, "{\"metadata\":{\"finalizers\":null}}",
               200);
    await_status(world, CRDS "/widgets.example.com", 404);
    await_status(world, WIDGETS, 404);
}

static void definitions_stored_by_other_servers_are_served(void **state)
{
    api_world *world = *state;
    static const char key[] = "apiextensions.k8s.io/customresourcedefinitions/things.example.com";
    assert_true(
        api_world_put(world, key,
                      "{\"kind\":\"CustomResourceDefinition\",\"apiVersion\":"
                      "\"apiextensions.k8s.io/v1\",\"metadata\":{\"name\":\"things.example.com\","
                      "\"uid\":\"1\",\"resourceVersion\":\"\"},\"spec\":{\"group\":\"example.com\","
                      "\"scope\":\"Cluster\",\"names\":{\"plural\":\"things\",\"kind\":\"Thing\"},"
                      "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true}]}}") > 0);
    await_status(world, "/apis/example.com/v1/things", 200);
    do_send(world, "POST", "/apis/example.com/v1/things", "{\"metadata\":{\"name\":\"a\"},\"x\":1}",
            201);
    await_text(world, CRDS "/things.example.com", "\"type\":\"Established\"");
    assert_true(api_world_delete(world, key) > 0);
    await_status(world, "/apis/example.com/v1/things", 404);
}

/* Whoever reads of a definition in a watch, and then asks on a connection of another loop, must not
 * depend on which loop syncs first. */
static void discovery_shows_a_definition_that_no_loop_has_synced_yet(void **state)
{
    api_world *world = *state;
    static const char key[] = "apiextensions.k8s.io/customresourcedefinitions/things.example.com";
    lw_crds_unfollow(lw_loop_data(world->loop)); /* nobody syncs */
    do_send(world, "GET", "/apis/example.com/v1", "", 404);
    assert_true(api_world_put(
                    world, key,
                    "{\"kind\":\"CustomResourceDefinition\",\"apiVersion\":"
                    "\"apiextensions.k8s.io/v1\",\"metadata\":{\"name\":\"things.example.com\","
                    "\"uid\":\"1\",\"resourceVersion\":\"\"},\"spec\":{\"group\":\"example.com\","
                    "\"scope\":\"Cluster\",\"names\":{\"plural\":\"things\",\"kind\":\"Thing\"},"
                    "\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":true}]},"
                    "\"status\":{\"conditions\":[{\"type\":\"NamesAccepted\",\"status\":\"True\"},"
                    "{\"type\":\"Established\",\"status\":\"True\"}]}}") > 0);
    fake_http *http = ask(world, "/apis/example.com/v1", 200);
    assert_body_has(http, "\"name\":\"things\"");
    fake_http_free(http);
    do_send(world, "GET", "/apis/example.com/v1/things", "", 200);
}

/* As kube-apiserver stores them: the schema is where v1 does not look for it. */
static void a_v1beta1_definition_is_served_and_not_rewritten(void **state)
{
    api_world *world = *state;
    static const char key[] = "apiextensions.k8s.io/customresourcedefinitions/things.example.com";
    assert_true(api_world_put(
                    world, key,
                    "{\"kind\":\"CustomResourceDefinition\",\"apiVersion\":"
                    "\"apiextensions.k8s.io/v1beta1\",\"metadata\":{\"name\":"
                    "\"things.example.com\",\"uid\":\"1\",\"resourceVersion\":\"\"},\"spec\":{"
                    "\"group\":\"example.com\",\"scope\":\"Cluster\",\"names\":{\"plural\":"
                    "\"things\",\"kind\":\"Thing\"},\"validation\":{\"openAPIV3Schema\":{\"type\":"
                    "\"object\"}},\"versions\":[{\"name\":\"v1\",\"served\":true,\"storage\":"
                    "true}]}}") > 0);
    await_status(world, "/apis/example.com/v1/things", 200);
    do_send(world, "POST", "/apis/example.com/v1/things", "{\"metadata\":{\"name\":\"a\"}}", 201);
    assert_shows(world, CRDS "/things.example.com", "Established", false);
}

static void deleting_a_namespace_deletes_its_custom_resources(void **state)
{
    api_world *world = *state;
    define_widgets(world);
    do_send(world, "POST", "/api/v1/namespaces", "{\"metadata\":{\"name\":\"t\"}}", 201);
    do_send(world, "POST", "/apis/example.com/v1/namespaces/t/widgets",
            "{\"metadata\":{\"name\":\"a\"}}", 201);
    do_send(world, "DELETE", "/api/v1/namespaces/t", "", 200);
    await_end(world, "/api/v1/namespaces/t");
    do_send(world, "GET", "/apis/example.com/v1/namespaces/t/widgets/a", "", 404);
}

static void invalid_definitions_are_refused(void **state)
{
    static const struct {
        const char *body, *fault;
    } bad[] = {
        { "{\"metadata\":{\"name\":\"a.example.com\"}}", "spec.group: Required value" },
        { DEFINITION("widgets", "Widget", ",\"listKind\":\"Widget\""),
          "kind and listKind may not be the same" },
        { DEFINITION("Widgets", "Widget", ""), "spec.names.plural: Invalid value: " },
        { "{\"metadata\":{\"name\":\"a.b\"},\"spec\":{\"group\":\"nodot\",\"names\":{\"plural\":"
          "\"a\",\"kind\":\"A\"}}}",
          "should be a domain with at least one dot" },
        { "{\"metadata\":{\"name\":\"a.b.c\"},\"spec\":{\"group\":\"b.c\",\"scope\":\"Cluster\","
          "\"names\":{\"plural\":\"a\",\"kind\":\"A\"},\"versions\":[]}}",
          "must have exactly one version marked as storage version" },
        { "{\"metadata\":{\"name\":\"a.b.c\"},\"spec\":{\"group\":\"b.c\",\"scope\":\"Cluster\","
          "\"names\":{\"plural\":\"a\",\"kind\":\"A\"},\"versions\":[{\"name\":\"v1\",\"served\":"
          "true,\"storage\":true}]}}",
          "spec.versions[0].schema.openAPIV3Schema: Required value" },
        { "{\"metadata\":{\"name\":\"a.b.c\"},\"spec\":{\"group\":\"b.c\",\"scope\":\"Cluster\","
          "\"names\":{\"plural\":\"a\",\"kind\":\"A\"},\"versions\":[{\"name\":\"\",\"served\":"
          "true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":\"object\"}}}]}}",
          " is invalid: spec.versions[0].name: Invalid value: " },
        { "{\"metadata\":{\"name\":\"a.x.k8s.io\"},\"spec\":{\"group\":\"x.k8s.io\",\"names\":{"
          "\"plural\":\"a\",\"kind\":\"A\"}}}",
          "protected groups must have approval annotation" },
        { "{\"metadata\":{\"name\":\"x.y\"},\"spec\":{\"group\":\"b.c\",\"names\":{\"plural\":"
          "\"a\","
          "\"kind\":\"A\"}}}",
          "metadata.name: Invalid value: " },
    };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
        assert_sent_has(*state, "POST", CRDS, bad[i].body, 422, bad[i].fault);
}

/* "aGVsbG8=" is no PEM. */
static void a_definition_whose_ca_bundle_is_useless_is_not_established(void **state)
{
    api_world *world = *state;
    do_send(world, "POST", CRDS,
            "{\"metadata\":{\"name\":\"a.b.c\"},\"spec\":{\"group\":\"b.c\",\"scope\":\"Cluster\","
            "\"names\":{\"plural\":\"a\",\"kind\":\"A\"},\"conversion\":{\"strategy\":\"Webhook\","
            "\"webhook\":{\"conversionReviewVersions\":[\"v1\"],\"clientConfig\":{\"url\":"
            "\"https://127.0.0.1:1/x\",\"caBundle\":\"aGVsbG8=\"}}},\"versions\":[{\"name\":\"v1\","
            "\"served\":true,\"storage\":true,\"schema\":{\"openAPIV3Schema\":{\"type\":"
            "\"object\"}}}]}}",
            201);
    await_rest(world);
    assert_shows(world, CRDS "/a.b.c",
                 "\"reason\":\"InvalidCABundle\",\"message\":\"The conversion webhook CABundle is "
                 "invalid\"",
                 true);
    assert_false(is_there(world, "/apis/b.c/v1/a"));
    do_send_as(world, "PATCH", CRDS "/a.b.c", JSON_PATCH,
               "[{\"op\":\"remove\",\"path\":\"/spec/conversion/webhook/clientConfig/caBundle\"}]",
               200);
    await_rest(world);
    assert_true(is_there(world, "/apis/b.c/v1/a"));
    assert_sent_has_as(
        world, "PATCH", CRDS "/a.b.c", JSON_PATCH,
        "[{\"op\":\"add\",\"path\":\"/spec/conversion/webhook/clientConfig/caBundle\",\"value\":"
        "\"aGVsbG8=\"}]",
        422,
        "spec.conversion.webhookClientConfig.caBundle: Invalid value: "
        "\\\"aGVsbG8=\\\": unable to load root certificates: unable to parse bytes as "
        "PEM block");
}

/* A path that cannot be read leaves its column empty, as in Kubernetes. */
static void columns_are_evaluated_as_json_paths(void **state)
{
    api_world *world = *state;
    define_widgets(world);
    do_send_as(world, "PATCH", CRDS "/widgets.example.com", JSON_PATCH,
               "[{\"op\":\"add\",\"path\":\"/spec/versions/0/additionalPrinterColumns\",\"value\":["
               "{\"name\":\"A\",\"type\":\"string\",\"jsonPath\":"
               "\".metadata.labels['example\\\\.com/name']\"},"
               "{\"name\":\"B\",\"type\":\"string\",\"jsonPath\":"
               "\".metadata.finalizers[-1:]\"},"
               "{\"name\":\"C\",\"type\":\"string\",\"jsonPath\":\".spec[?(@.size>1)]\"}]}]",
               200);
    make_widget(
        world, "a",
        ",\"labels\":{\"example.com/name\":\"n\"},\"finalizers\":[\"e.com/f\",\"e.com/g\"]");
    fake_http *http = ask_as(world, WIDGETS, "application/json;as=Table;v=v1;g=meta.k8s.io", 200);
    assert_body_has(http, "\"cells\":[\"a\",\"n\",\"e.com/g\",null]");
    fake_http_free(http);
    assert_sent_has_as(world, "PATCH", CRDS "/widgets.example.com", JSON_PATCH,
                       "[{\"op\":\"replace\",\"path\":\"/spec/versions/0/"
                       "additionalPrinterColumns/0/jsonPath\",\"value\":\"spec.size\"}]",
                       422, "must be a simple json path starting with .");
}

static void the_scope_of_a_definition_is_immutable(void **state)
{
    define_widgets(*state);
    await_text(*state, CRDS "/widgets.example.com", "InitialNamesAccepted");
    assert_sent_has_as(*state, "PATCH", CRDS "/widgets.example.com", MERGE_PATCH,
                       "{\"spec\":{\"scope\":\"Cluster\"}}", 422, "field is immutable");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SEEDED_TEST(a_patch_to_a_wrong_type_is_refused),
        SEEDED_TEST(objects_are_served_when_the_definition_is_created),
        cmocka_unit_test(objects_are_found_under_another_key_prefix),
        SEEDED_TEST(the_status_says_that_it_is_established),
        SEEDED_TEST(names_in_use_are_not_accepted),
        SEEDED_TEST(objects_are_returned_in_the_requested_version),
        SEEDED_TEST(a_changed_definition_takes_effect),
        SEEDED_TEST(new_defaults_are_filled_in_on_reads),
        SEEDED_TEST(defaults_are_those_of_the_stored_version_and_others_are_pruned),
        SEEDED_TEST(null_inside_a_default_is_kept),
        SEEDED_TEST(the_status_has_its_default),
        SEEDED_TEST(deleting_a_definition_removes_its_objects_and_ends_its_watches),
        SEEDED_TEST(a_collection_of_definitions_without_objects_goes_at_once),
        SEEDED_TEST(objects_with_finalizers_delay_the_deletion_of_the_definition),
        SEEDED_TEST(definitions_stored_by_other_servers_are_served),
        SEEDED_TEST(discovery_shows_a_definition_that_no_loop_has_synced_yet),
        SEEDED_TEST(a_v1beta1_definition_is_served_and_not_rewritten),
        LIVED_TEST(deleting_a_namespace_deletes_its_custom_resources),
        SEEDED_TEST(invalid_definitions_are_refused),
        LIVED_TEST(a_definition_whose_ca_bundle_is_useless_is_not_established),
        SEEDED_TEST(columns_are_evaluated_as_json_paths),
        SEEDED_TEST(the_scope_of_a_definition_is_immutable),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
