/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_custom_test.c -- custom resources in the OpenAPI documents. */
#include "schema/openapi/openapi.h"

#include <stdio.h>

#include "base/str.h"
#include "unit/schema/written.h"

#define MODEL "com.example.v1.Gadget"

static lw_definition *define(const char *revision, const char *schema)
{
    char json[4096];
    lw_object *crd = NULL;
    lw_definition *definition = NULL;
    (void)snprintf(json, sizeof(json),
                   "{\"kind\":\"CustomResourceDefinition\",\"apiVersion\":"
                   "\"apiextensions.k8s.io/v1\",\"metadata\":{\"name\":\"gadgets.example.com\","
                   "\"uid\":\"u\",\"resourceVersion\":\"%s\"},\"spec\":{\"group\":\"example.com\","
                   "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"gadgets\",\"singular\":"
                   "\"gadget\",\"kind\":\"Gadget\",\"listKind\":\"GadgetList\"},\"versions\":[{"
                   "\"name\":\"v1\",\"served\":true,\"storage\":true%s%s%s}]},\"status\":{"
                   "\"conditions\":[{\"type\":\"Established\",\"status\":\"True\"}]}}",
                   revision, schema[0] ? ",\"schema\":{\"openAPIV3Schema\":" : "", schema,
                   schema[0] ? "}" : "");
    assert_int_equal(lw_object_from_json(&crd, json, strlen(json), NULL), LW_OK);
    assert_int_equal(lw_definition_new(&definition, crd, NULL), LW_OK);
    lw_object_unref(crd);
    return definition;
}

static void use(written *all, const char *revision, const char *schema)
{
    lw_definition *definition = define(revision, schema);
    lw_registry_unref(all->registry);
    assert_int_equal(lw_registry_new_with(&all->registry, &definition, 1), LW_OK);
    lw_definition_unref(definition);
    written_reset(all);
}

static lw_kind_span gadgets(const written *all)
{
    return lw_kind_span_of_version(all->registry, LW_STR("example.com"), LW_STR("v1"));
}

/* What the model of a gadget with |schema| has at |pointer| in each version of OpenAPI. */
static void assert_model(written *all, const char *schema, const char *pointer, const char *v2,
                         const char *v3)
{
    char at[200];
    use(all, "1", schema);
    lw_openapi_v3(gadgets(all), &all->w);
    (void)snprintf(at, sizeof(at), "/components/schemas/" MODEL "%s", pointer);
    assert_str_equal(written_at(all, at), v3);
    written_reset(all);
    lw_openapi_v2(all->registry, &all->w);
    (void)snprintf(at, sizeof(at), "/definitions/" MODEL "%s", pointer);
    assert_str_equal(written_at(all, at), v2);
}

static void the_words_of_the_definition_are_kept(void **state)
{
    static const char schema[] =
        "{\"type\":\"object\",\"description\":\"a thing\",\"properties\":{\"spec\":{\"type\":"
        "\"object\",\"required\":[\"size\"],\"properties\":{\"size\":{\"type\":\"integer\","
        "\"minimum\":1,\"description\":\"how large\"}}}}}";
    static const char spec[] =
        "{\"properties\":{\"size\":{\"description\":\"how large\",\"minimum\":1,\"type\":"
        "\"integer\"}},\"required\":[\"size\"],\"type\":\"object\"}";
    assert_model(*state, schema, "/description", "\"a thing\"", "\"a thing\"");
    assert_model(*state, schema, "/properties/spec", spec, spec);
    assert_model(*state, schema, "/x-kubernetes-group-version-kind",
                 "[{\"group\":\"example.com\",\"kind\":\"Gadget\",\"version\":\"v1\"}]",
                 "[{\"group\":\"example.com\",\"kind\":\"Gadget\",\"version\":\"v1\"}]");
}

static void objects_have_their_metadata(void **state)
{
    static const char schema[] = "{\"type\":\"object\",\"properties\":{\"metadata\":{\"type\":"
                                 "\"object\"}}}";
#define META "io.k8s.apimachinery.pkg.apis.meta.v1."
    assert_model(*state, schema, "/properties/metadata/$ref",
                 "\"#/definitions/" META "ObjectMeta\"", "");
    assert_model(*state, schema, "/properties/metadata/allOf/0/$ref", "",
                 "\"#/components/schemas/" META "ObjectMeta\"");
    assert_model(*state, schema, "/properties/kind/type", "\"string\"", "\"string\"");
}

/* What old kubectls would misunderstand is not said to them. */
static void version_two_says_less(void **state)
{
#define SPEC(text) "{\"type\":\"object\",\"properties\":{\"spec\":" text "}}"
    static const struct {
        const char *spec, *at, *v2, *v3;
    } rows[] = {
        { SPEC("{\"type\":\"string\",\"nullable\":true}"), "", "{}",
          "{\"nullable\":true,\"type\":\"string\"}" },
        { SPEC("{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true,"
               "\"properties\":{\"a\":{\"type\":\"string\"}}}"),
          "", "{\"x-kubernetes-preserve-unknown-fields\":true}",
          "{\"properties\":{\"a\":{\"type\":\"string\"}},\"type\":\"object\","
          "\"x-kubernetes-preserve-unknown-fields\":true}" },
        { SPEC("{\"type\":\"array\",\"items\":{\"type\":\"string\"},\"anyOf\":[{\"minItems\":1}]}"),
          "", "{\"items\":{\"type\":\"string\"},\"type\":\"array\"}",
          "{\"anyOf\":[{\"minItems\":1}],\"items\":{\"type\":\"string\"},\"type\":\"array\"}" },
        { SPEC("{\"type\":\"object\",\"required\":[\"a\",\"b\"],\"properties\":{\"a\":{\"type\":"
               "\"string\",\"nullable\":true},\"b\":{\"type\":\"string\"}}}"),
          "/required", "[\"b\"]", "[\"a\",\"b\"]" },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        char at[100];
        (void)snprintf(at, sizeof(at), "/properties/spec%s", rows[i].at);
        assert_model(*state, rows[i].spec, at, rows[i].v2, rows[i].v3);
    }
}

static void objects_that_take_anything_say_so(void **state)
{
    static const char any[] = "{\"type\":\"object\",\"x-kubernetes-preserve-unknown-fields\":true}";
    assert_model(
        *state, any, "/properties", "",
        "{\"apiVersion\":{\"description\":\"APIVersion defines the group and version of the "
        "object.\","
        "\"type\":\"string\"},"
        "\"kind\":{\"description\":\"Kind of the object.\",\"type\":\"string\"},\"metadata\":{"
        "\"allOf\":[{\"$ref\":\"#/components/schemas/" META "ObjectMeta\"}],"
        "\"description\":\"Standard object's metadata.\"}}");
    assert_model(*state, any, "/x-kubernetes-preserve-unknown-fields", "", "true");
    assert_model(*state, any, "/type", "\"object\"", "\"object\"");
    assert_model(*state, "", "/type", "\"object\"", "\"object\"");
    assert_model(*state, "", "/properties", "", "");
}

static void embedded_objects_have_their_metadata(void **state)
{
    static const char schema[] =
        SPEC("{\"type\":\"object\",\"x-kubernetes-embedded-resource\":true,\"properties\":{\"a\":{"
             "\"type\":\"string\"}}}");
    assert_model(*state, schema, "/properties/spec/properties/metadata/$ref",
                 "\"#/definitions/" META "ObjectMeta\"", "");
    assert_model(*state, schema, "/properties/spec/properties/kind/type", "\"string\"",
                 "\"string\"");
}

static void lists_of_them_have_a_model(void **state)
{
    written *all = *state;
    use(all, "1", "");
    lw_openapi_v3(gadgets(all), &all->w);
    assert_str_equal(written_at(all, "/components/schemas/" MODEL "List/properties/items/items"),
                     "{\"$ref\":\"#/components/schemas/" MODEL "\"}");
    assert_str_equal(written_at(all, "/components/schemas/" MODEL
                                     "List/x-kubernetes-group-version-kind/0/kind"),
                     "\"GadgetList\"");
    assert_true(written_at(all, "/components/schemas/" META "ListMeta").len > 0);
}

static void their_patches_are_not_strategic(void **state)
{
    written *all = *state;
#define PATCH                                                                                      \
    "/paths/~1apis~1example.com~1v1~1namespaces~1{namespace}~1gadgets~1{name}/patch/requestBody/"  \
    "content/application~1"
    use(all, "1", "");
    lw_openapi_v3(gadgets(all), &all->w);
    assert_true(written_at(all, PATCH "merge-patch+json").len > 0);
    assert_str_equal(written_at(all, PATCH "strategic-merge-patch+json"), "");
}

static void the_stamp_changes_with_the_definition(void **state)
{
    written *all = *state;
    uint64_t builtin = lw_openapi_stamp(lw_kind_span_all(all->registry));
    uint64_t core =
        lw_openapi_stamp(lw_kind_span_of_version(all->registry, LW_STR(""), LW_STR("v1")));
    use(all, "1", "");
    uint64_t first = lw_openapi_stamp(gadgets(all));
    uint64_t whole = lw_openapi_stamp(lw_kind_span_all(all->registry));
    assert_true(whole != builtin);
    use(all, "1", "");
    assert_true(lw_openapi_stamp(gadgets(all)) == first);
    use(all, "2", "");
    assert_true(lw_openapi_stamp(gadgets(all)) != first);
    assert_true(lw_openapi_stamp(lw_kind_span_all(all->registry)) != whole);
    assert_true(
        lw_openapi_stamp(lw_kind_span_of_version(all->registry, LW_STR(""), LW_STR("v1"))) == core);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        DOCUMENT_TEST(the_words_of_the_definition_are_kept),
        DOCUMENT_TEST(objects_have_their_metadata),
        DOCUMENT_TEST(version_two_says_less),
        DOCUMENT_TEST(objects_that_take_anything_say_so),
        DOCUMENT_TEST(embedded_objects_have_their_metadata),
        DOCUMENT_TEST(lists_of_them_have_a_model),
        DOCUMENT_TEST(their_patches_are_not_strategic),
        DOCUMENT_TEST(the_stamp_changes_with_the_definition),
    };
    return cmocka_run_group_tests_name("openapi_custom", tests, NULL, NULL);
}
