/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_test.c -- what clients read in the OpenAPI documents of built-in kinds. */
#include "schema/openapi/openapi.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/str.h"
#include "unit/schema/written.h"
#include "json/tree.h"

/* The paths of pods, as JSON Pointers. */
#define PODS "/paths/~1api~1v1~1namespaces~1{namespace}~1pods"
#define POD  PODS "~1{name}"
#define CORE "io.k8s.api.core.v1."
#define META "io.k8s.apimachinery.pkg.apis.meta.v1."

static void write_version(written *all, const char *group, const char *version)
{
    lw_kind_span span =
        lw_kind_span_of_version(all->registry, lw_str_of(group), lw_str_of(version));
    assert_true(span.count > 0);
    written_reset(all);
    lw_openapi_v3(span, &all->w);
}

static void the_index_names_each_document_with_its_hash(void **state)
{
    written *all = *state;
    lw_openapi_index_begin(&all->w);
    lw_openapi_index_add(lw_kind_span_of_version(all->registry, LW_STR(""), LW_STR("v1")),
                         LW_STR("AB"), &all->w);
    lw_openapi_index_add(lw_kind_span_of_version(all->registry, LW_STR("apps"), LW_STR("v1")),
                         LW_STR("CD"), &all->w);
    lw_openapi_index_end(&all->w);
    assert_str_equal(
        written_json(all),
        "{\"paths\":{\"api/v1\":{\"serverRelativeURL\":\"/openapi/v3/api/v1?hash=AB\"},"
        "\"apis/apps/v1\":{\"serverRelativeURL\":\"/openapi/v3/apis/apps/v1?hash=CD\"}"
        "}}");
}

static void a_patch_says_for_what_it_is_and_how_it_is_checked(void **state)
{
    written *all = *state;
    write_version(all, "", "v1");
    assert_str_equal(written_at(all, POD "/patch/x-kubernetes-group-version-kind"),
                     "{\"group\":\"\",\"kind\":\"Pod\",\"version\":\"v1\"}");
    assert_str_equal(written_at(all, POD "/patch/x-kubernetes-action"), "\"patch\"");
    assert_str_equal(written_at(all, POD "/patch/parameters/2"),
                     "{\"name\":\"fieldValidation\",\"in\":\"query\",\"schema\":{\"type\":"
                     "\"string\",\"uniqueItems\":true}}");
    assert_str_equal(
        written_at(all,
                   POD "/patch/requestBody/content/application~1strategic-merge-patch+json/schema"),
        "{\"$ref\":\"#/components/schemas/" META "Patch\"}");
}

static void paths_have_the_methods_of_their_kind(void **state)
{
    written *all = *state;
    write_version(all, "", "v1");
    assert_str_equal(written_at(all, "/paths/~1api~1v1~1pods/get/x-kubernetes-action"), "\"list\"");
    assert_str_equal(written_at(all, "/paths/~1api~1v1~1pods/post"), "");
    assert_str_equal(written_at(all, PODS "/post/x-kubernetes-action"), "\"post\"");
    assert_str_equal(written_at(all, PODS "/delete/x-kubernetes-action"), "\"deletecollection\"");
    assert_str_equal(written_at(all, POD "/post"), "");
    assert_str_equal(written_at(all, POD "/put/x-kubernetes-action"), "\"put\"");
    assert_str_equal(written_at(all, POD "~1binding/post/x-kubernetes-group-version-kind/kind"),
                     "\"Binding\"");
    assert_str_equal(written_at(all, POD "~1binding/get"), "");
    assert_str_equal(written_at(all, "/paths/~1api~1v1~1namespaces/delete"), "");
    assert_str_equal(
        written_at(all, "/paths/~1api~1v1~1namespaces~1{name}~1finalize/put/x-kubernetes-action"),
        "\"put\"");
}

static void operations_name_what_they_answer_with(void **state)
{
    written *all = *state;
    static const struct {
        const char *at, *model;
    } rows[] = {
        { PODS "/get/responses/200", CORE "PodList" },
        { PODS "/post/responses/201", CORE "Pod" },
        { PODS "/delete/responses/200", META "Status" },
        { POD "/delete/responses/200", CORE "Pod" },
        { "/paths/~1api~1v1~1nodes~1{name}/delete/responses/200", META "Status" },
    };
    for (int dialect = 2; dialect <= 3; dialect++) {
        if (dialect == 3)
            write_version(all, "", "v1");
        else
            lw_openapi_v2(all->registry, &all->w);
        for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
            char at[200], model[200];
            (void)snprintf(at, sizeof(at), "%s%s/schema/$ref", rows[i].at,
                           dialect == 2 ? "" : "/content/application~1json");
            (void)snprintf(model, sizeof(model), "\"#/%s/%s\"",
                           dialect == 2 ? "definitions" : "components/schemas", rows[i].model);
            assert_str_equal(written_at(all, at), model);
        }
    }
}

static void fields_have_their_type_and_their_words(void **state)
{
    written *all = *state;
    write_version(all, "", "v1");
#define POD_SPEC "/components/schemas/" CORE "PodSpec"
#define PORT     "/components/schemas/" CORE "ContainerPort"
    assert_str_equal(written_at(all, PORT "/properties/containerPort"),
                     "{\"description\":\"Port number in the container, 1 to 65535.\",\"type\":"
                     "\"integer\",\"format\":\"int32\"}");
    assert_str_equal(written_at(all, PORT "/properties/protocol/default"), "\"TCP\"");
    assert_str_equal(written_at(all, PORT "/required"), "[\"containerPort\"]");
    assert_str_equal(written_at(all, POD_SPEC "/required"), "[\"containers\"]");
    assert_str_equal(written_at(all, POD_SPEC "/properties/nodeSelector/additionalProperties"),
                     "{\"type\":\"string\"}");
    assert_str_equal(written_at(all, POD_SPEC "/properties/nodeSelector/x-kubernetes-map-type"),
                     "\"atomic\"");
    assert_str_equal(written_at(all, "/components/schemas/" CORE
                                     "Volume/properties/emptyDir/allOf/0/$ref"),
                     "\"#/components/schemas/" CORE "EmptyDirVolumeSource\"");
    assert_str_equal(written_at(all, "/components/schemas/" CORE "Volume/properties/VolumeSource"),
                     "");
    assert_str_equal(written_at(all, "/components/schemas/" CORE
                                     "ResourceRequirements/properties/limits/additionalProperties"),
                     "{\"$ref\":\"#/components/schemas/"
                     "io.k8s.apimachinery.pkg.api.resource.Quantity\"}");
}

static void lists_say_how_they_are_merged(void **state)
{
    written *all = *state;
    write_version(all, "", "v1");
#define PORTS "/components/schemas/" CORE "Container/properties/ports"
    assert_str_equal(written_at(all, PORTS "/x-kubernetes-list-map-keys"),
                     "[\"containerPort\",\"protocol\"]");
    assert_str_equal(written_at(all, PORTS "/x-kubernetes-list-type"), "\"map\"");
    assert_str_equal(written_at(all, PORTS "/x-kubernetes-patch-merge-key"), "\"containerPort\"");
    assert_str_equal(written_at(all, PORTS "/x-kubernetes-patch-strategy"), "\"merge\"");
    assert_str_equal(written_at(all, POD_SPEC "/properties/volumes/x-kubernetes-patch-strategy"),
                     "\"merge,retainKeys\"");
    assert_str_equal(written_at(all, "/components/schemas/" META
                                     "ObjectMeta/properties/finalizers/x-kubernetes-list-type"),
                     "\"set\"");
}

static void a_list_that_is_a_message_in_protobuf_is_a_list(void **state)
{
    written *all = *state;
    write_version(all, "authorization.k8s.io", "v1");
    assert_str_equal(written_at(all, "/components/schemas/io.k8s.api.authorization.v1."
                                     "SubjectAccessReviewSpec/properties/extra/"
                                     "additionalProperties"),
                     "{\"items\":{\"type\":\"string\"},\"type\":\"array\"}");
    assert_str_equal(written_at(all, "/components/schemas/io.k8s.api.authorization.v1.ExtraValue"),
                     "");
}

static void models_of_objects_are_found_by_their_kind(void **state)
{
    written *all = *state;
    write_version(all, "apps", "v1");
    assert_str_equal(written_at(all, "/components/schemas/io.k8s.api.apps.v1.Deployment/"
                                     "x-kubernetes-group-version-kind"),
                     "[{\"group\":\"apps\",\"kind\":\"Deployment\",\"version\":\"v1\"}]");
    assert_true(written_at(all, "/components/schemas/io.k8s.api.autoscaling.v1.Scale").len > 0);
    assert_true(written_at(all, "/components/schemas/" CORE "PodSpec").len > 0);
    assert_str_equal(written_at(all, "/components/schemas/" CORE "Secret"), "");
}

/* Fails where |node| or something in it refers to a model that |models| does not have. */
static void assert_refs_lead_somewhere(const lw_node *node, const lw_node *models, lw_str prefix)
{
    for (size_t i = 0; i < lw_node_count(node); i++) {
        const lw_node *value = lw_node_at(node, i);
        if (lw_node_is(node, LW_JSON_OBJECT) &&
            lw_str_equal(lw_node_key_at(node, i), LW_STR("$ref")) &&
            lw_node_is(value, LW_JSON_STRING)) {
            lw_str ref = lw_node_text(value);
            assert_true(lw_str_starts_with(ref, prefix));
            if (!lw_node_get(models, lw_str_skip(ref, prefix.len)))
                fail_msg("there is no %.*s", LW_STR_ARG(ref));
        }
        assert_refs_lead_somewhere(value, models, prefix);
    }
}

static void every_reference_leads_to_a_model(void **state)
{
    written *all = *state;
    lw_kind_span rest = lw_kind_span_all(all->registry), group, version;
    lw_tree *tree = NULL;
    while (lw_kind_span_next_group(&rest, &group)) {
        while (lw_kind_span_next_version(&group, &version)) {
            written_reset(all);
            lw_openapi_v3(version, &all->w);
            assert_int_equal(lw_tree_parse(&tree, written_json(all), 0, NULL), LW_OK);
            const lw_node *components = lw_node_get(lw_tree_root(tree), LW_STR("components"));
            assert_refs_lead_somewhere(lw_tree_root(tree),
                                       lw_node_get(components, LW_STR("schemas")),
                                       LW_STR("#/components/schemas/"));
            lw_tree_free(tree);
        }
    }
    written_reset(all);
    lw_openapi_v2(all->registry, &all->w);
    assert_int_equal(lw_tree_parse(&tree, written_json(all), 0, NULL), LW_OK);
    assert_refs_lead_somewhere(lw_tree_root(tree),
                               lw_node_get(lw_tree_root(tree), LW_STR("definitions")),
                               LW_STR("#/definitions/"));
    lw_tree_free(tree);
}

/* kubectl up to 1.26 asks these of version two. */
static void version_two_has_bodies_among_the_parameters(void **state)
{
    written *all = *state;
    lw_openapi_v2(all->registry, &all->w);
    assert_str_equal(written_at(all, "/swagger"), "\"2.0\"");
    assert_str_equal(written_at(all, POD "/patch/parameters/0"),
                     "{\"name\":\"body\",\"in\":\"body\",\"required\":true,\"schema\":{\"$ref\":"
                     "\"#/definitions/" META "Patch\"}}");
    assert_str_equal(written_at(all, POD "/patch/parameters/1"),
                     "{\"name\":\"dryRun\",\"in\":\"query\",\"type\":\"string\",\"uniqueItems\":"
                     "true}");
    assert_str_equal(written_at(all, POD "/patch/consumes/3"),
                     "\"application/strategic-merge-patch+json\"");
    assert_str_equal(written_at(all, "/definitions/" CORE "Pod/properties/spec"),
                     "{\"description\":\"Desired state of the Pod.\",\"$ref\":\"#/definitions/" CORE
                     "PodSpec\"}");
    assert_str_equal(written_at(all, "/definitions/io.k8s.apimachinery.pkg.util.intstr.IntOrString/"
                                     "format"),
                     "\"int-or-string\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DOCUMENT_TEST(the_index_names_each_document_with_its_hash),
        DOCUMENT_TEST(a_patch_says_for_what_it_is_and_how_it_is_checked),
        DOCUMENT_TEST(paths_have_the_methods_of_their_kind),
        DOCUMENT_TEST(operations_name_what_they_answer_with),
        DOCUMENT_TEST(fields_have_their_type_and_their_words),
        DOCUMENT_TEST(lists_say_how_they_are_merged),
        DOCUMENT_TEST(a_list_that_is_a_message_in_protobuf_is_a_list),
        DOCUMENT_TEST(models_of_objects_are_found_by_their_kind),
        DOCUMENT_TEST(every_reference_leads_to_a_model),
        DOCUMENT_TEST(version_two_has_bodies_among_the_parameters),
    };
    return cmocka_run_group_tests_name("openapi", tests, NULL, NULL);
}
