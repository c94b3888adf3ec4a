/* SPDX-License-Identifier: Apache-2.0 */
/* definition_test.c -- the kinds that definitions make, and registries that have them. */
#include "schema/kinds/definition.h"

#include "base/str.h"
#include "schema/kinds/catalog.h"
#include "schema/kinds/version_order.h"
#include "unit/test.h"

static lw_definition *define(const char *json)
{
    lw_object *crd = NULL;
    lw_definition *definition = NULL;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_object_from_json(&crd, json, strlen(json), &err), LW_OK);
    assert_int_equal(lw_definition_new(&definition, crd, &err), LW_OK);
    lw_object_unref(crd);
    return definition;
}

#define GADGETS(names, versions)                                                                   \
    "{\"kind\":\"CustomResourceDefinition\",\"apiVersion\":\"apiextensions.k8s.io/v1\","           \
    "\"metadata\":{\"name\":\"gadgets.example.com\",\"uid\":\"u\",\"resourceVersion\":\"7\"},"     \
    "\"spec\":{\"group\":\"example.com\",\"scope\":\"Namespaced\",\"names\":{\"plural\":"          \
    "\"gadgets\",\"singular\":\"gadget\",\"kind\":\"Gadget\",\"listKind\":\"GadgetList\"" names    \
    "},\"versions\":[" versions "]}}"

static void a_definition_makes_a_kind_of_each_served_version(void **state)
{
    size_t count;
    lw_field_label field;
    (void)state;
    lw_definition *definition = define(GADGETS(
        ",\"shortNames\":[\"gd\"]",
        "{\"name\":\"v1\",\"served\":true,\"storage\":false,\"subresources\":{\"status\":{},"
        "\"scale\":{\"specReplicasPath\":\".spec.n\",\"statusReplicasPath\":\".status.n\"}},"
        "\"selectableFields\":[{\"jsonPath\":\".spec.color\"}]},"
        "{\"name\":\"v0\",\"served\":false,\"storage\":true},"
        "{\"name\":\"v2\",\"served\":true,\"storage\":false}"));
    const lw_custom *versions = lw_definition_served(definition, &count);
    assert_int_equal(count, 2);
    const lw_kind *kind = &versions[0].kind;
    assert_str_equal(kind->version, "v1");
    assert_str_equal(kind->storage, "example.com/gadgets");
    assert_str_equal(kind->storage_version, "v0");
    assert_str_equal(kind->short_names[0], "gd");
    assert_int_equal(kind->subresources, LW_SUB_STATUS | LW_SUB_SCALE);
    assert_string_equal(kind->scale->replicas, "/spec/n");
    assert_true(lw_kind_find_field(kind, LW_STR("spec.color"), &field));
    assert_int_equal(versions[1].kind.subresources, 0);
    assert_str_equal(lw_definition_storage_kind(definition)->version, "v0");
    assert_int_equal(lw_definition_revision(definition), 7);
    assert_false(lw_definition_is_terminating(definition));
    lw_definition_unref(definition);
}

static void objects_are_shown_in_the_version_that_is_asked_for(void **state)
{
    static const char json[] =
        "{\"kind\":\"Gadget\",\"apiVersion\":\"example.com/v0\",\"metadata\":"
        "{\"name\":\"a\"}}";
    size_t count;
    lw_object *obj = NULL;
    lw_buf out;
    (void)state;
    lw_definition *definition =
        define(GADGETS("", "{\"name\":\"v0\",\"served\":true,\"storage\":true},{\"name\":\"v1\","
                           "\"served\":true,\"storage\":false}"));
    const lw_custom *versions = lw_definition_served(definition, &count);
    assert_int_equal(lw_object_from_json(&obj, json, sizeof(json) - 1, NULL), LW_OK);
    lw_buf_init(&out, 1000);
    lw_kind_append_object(&versions[0].kind, obj, &out);
    assert_str_equal(lw_buf_view(&out), json);
    lw_buf_reset(&out);
    lw_kind_append_object(&versions[1].kind, obj, &out);
    assert_str_equal(lw_buf_view(&out), "{\"kind\":\"Gadget\",\"apiVersion\":\"example.com/v1\","
                                        "\"metadata\":{\"name\":\"a\"}}");
    lw_buf_done(&out);
    lw_object_unref(obj);
    lw_definition_unref(definition);
}

static int released;

static void count_release(void *serving)
{
    (void)serving;
    released++;
}

static void a_registry_holds_its_definitions(void **state)
{
    lw_registry *builtin = NULL, *with = NULL;
    lw_catalog catalog;
    lw_catalog_view view = { .registry = NULL };
    (void)state;
    lw_definition *definition =
        define(GADGETS("", "{\"name\":\"v1beta1\",\"served\":true,\"storage\":true},{\"name\":"
                           "\"v1\",\"served\":true,\"storage\":false}"));
    released = 0;
    lw_definition_set_serving(definition, &released, count_release);
    assert_int_equal(lw_registry_new(&builtin), LW_OK);
    assert_int_equal(lw_registry_new_with(&with, &definition, 1), LW_OK);
    lw_definition_unref(definition);
    lw_catalog_init(&catalog, builtin);
    assert_ptr_equal(lw_catalog_look(&catalog, &view), builtin);
    lw_catalog_swap_take(&catalog, with);
    assert_ptr_equal(lw_catalog_look(&catalog, &view), with);
    const lw_kind *kind =
        lw_registry_find(with, LW_STR("example.com"), LW_STR("v1"), LW_STR("gadgets"));
    assert_non_null(kind);
    assert_ptr_equal(lw_definition_serving(kind->custom->definition), &released);
    size_t count;
    const lw_kind *const *kinds = lw_registry_kinds(with, &count);
    assert_str_equal(kinds[count - 2]->version, "v1"); /* preferred */
    assert_str_equal(kinds[count - 1]->version, "v1beta1");
    lw_catalog_swap_take(&catalog, lw_registry_ref(builtin));
    assert_int_equal(released, 0); /* the view still has it */
    assert_ptr_equal(lw_catalog_look(&catalog, &view), builtin);
    assert_int_equal(released, 1);
    lw_catalog_view_done(&view);
    lw_catalog_done(&catalog);
    lw_registry_unref(builtin);
}

static void versions_are_ordered_by_how_stable_they_are(void **state)
{
    static const char *const ordered[] = { "v10",      "v2",      "v1",        "v11beta2",
                                           "v10beta3", "v3beta1", "v12alpha1", "v11alpha2",
                                           "foo1",     "foo10" };
    (void)state;
    for (size_t i = 0; i + 1 < sizeof(ordered) / sizeof(ordered[0]); i++) {
        lw_str a = lw_str_of(ordered[i]), b = lw_str_of(ordered[i + 1]);
        if (lw_version_order(a, b) >= 0 || lw_version_order(b, a) <= 0)
            fail_msg("%s does not go before %s", ordered[i], ordered[i + 1]);
    }
    assert_int_equal(lw_version_order(LW_STR("v1"), LW_STR("v1")), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_definition_makes_a_kind_of_each_served_version),
        TEST(objects_are_shown_in_the_version_that_is_asked_for),
        TEST(a_registry_holds_its_definitions),
        TEST(versions_are_ordered_by_how_stable_they_are),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
