/* SPDX-License-Identifier: Apache-2.0 */
/* registry_test.c -- kinds are found by where they are served. */
#include "schema/kinds/registry.h"

#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "unit/failing_alloc.h"
#include "unit/test.h"

static int set_up(void **state)
{
    lw_registry *registry = NULL;
    if (lw_registry_new(&registry) < 0)
        return -1;
    *state = registry;
    return 0;
}

static int tear_down(void **state)
{
    lw_registry_unref(*state);
    return 0;
}

static void finds_kinds_by_group_version_and_plural(void **state)
{
    lw_registry *registry = *state;
    assert_ptr_equal(lw_registry_find(registry, LW_STR(""), LW_STR("v1"), LW_STR("pods")),
                     &lw_kind_pods);
    assert_ptr_equal(lw_registry_find(registry, LW_STR("apps"), LW_STR("v1"),
                                      LW_STR("deployments")),
                     &lw_kind_deployments);
}

static void tells_the_two_sorts_of_events_apart(void **state)
{
    lw_registry *registry = *state;
    assert_ptr_equal(lw_registry_find(registry, LW_STR(""), LW_STR("v1"), LW_STR("events")),
                     &lw_kind_events);
    assert_ptr_equal(lw_registry_find(registry, LW_STR("events.k8s.io"), LW_STR("v1"),
                                      LW_STR("events")),
                     &lw_kind_events_k8s_io);
}

static void finds_nothing_under_other_names(void **state)
{
    lw_registry *registry = *state;
    assert_null(lw_registry_find(registry, LW_STR(""), LW_STR("v1"), LW_STR("pod")));
    assert_null(lw_registry_find(registry, LW_STR(""), LW_STR("v2"), LW_STR("pods")));
    assert_null(lw_registry_find(registry, LW_STR("apps"), LW_STR("v1"), LW_STR("pods")));
    assert_null(lw_registry_find(registry, LW_STR(""), LW_STR(""), LW_STR("")));
}

static void knows_its_groups(void **state)
{
    lw_registry *registry = *state;
    assert_true(lw_registry_has_group(registry, LW_STR(""), LW_STR("v1")));
    assert_true(lw_registry_has_group(registry, LW_STR("apps"), LW_STR("")));
    assert_true(lw_registry_has_group(registry, LW_STR("autoscaling"), LW_STR("v2")));
    assert_false(lw_registry_has_group(registry, LW_STR("autoscaling"), LW_STR("v3")));
    assert_false(lw_registry_has_group(registry, LW_STR("app"), LW_STR("")));
}

static void lists_every_builtin_kind(void **state)
{
    lw_registry *registry = *state;
    size_t count, builtin;
    const lw_kind *const *kinds = lw_registry_kinds(registry, &count);
    const lw_kind *const *expected = lw_kinds_builtin(&builtin);
    assert_int_equal(count, builtin);
    for (size_t i = 0; i < count; i++) {
        assert_ptr_equal(kinds[i], expected[i]);
        assert_ptr_equal(lw_registry_find(registry, kinds[i]->group, kinds[i]->version,
                                          kinds[i]->plural),
                         kinds[i]);
    }
}

static lw_registry *with_definition(const char *status)
{
    char json[700];
    lw_object *crd = NULL;
    lw_definition *definition = NULL;
    lw_registry *registry = NULL;
    (void)snprintf(json, sizeof(json),
                   "{\"kind\":\"CustomResourceDefinition\",\"apiVersion\":"
                   "\"apiextensions.k8s.io/v1\",\"metadata\":{\"name\":\"gadgets.example.com\","
                   "\"uid\":\"u\",\"resourceVersion\":\"1\"},\"spec\":{\"group\":\"example.com\","
                   "\"scope\":\"Namespaced\",\"names\":{\"plural\":\"gadgets\",\"singular\":"
                   "\"gadget\",\"kind\":\"Gadget\",\"listKind\":\"GadgetList\"},\"versions\":[{"
                   "\"name\":\"v1\",\"served\":true,\"storage\":true}]},\"status\":{%s}}",
                   status);
    assert_int_equal(lw_object_from_json(&crd, json, strlen(json), NULL), LW_OK);
    assert_int_equal(lw_definition_new(&definition, crd, NULL), LW_OK);
    assert_int_equal(lw_registry_new_with(&registry, &definition, 1), LW_OK);
    lw_definition_unref(definition);
    lw_object_unref(crd);
    return registry;
}

static void what_is_defined_is_served_before_it_is_told_of(void **state)
{
    const lw_str group = LW_STR("example.com"), version = LW_STR("v1");
    size_t kinds, told;
    (void)state;
    lw_registry *fresh = with_definition("");
    (void)lw_registry_kinds(fresh, &kinds);
    (void)lw_registry_told(fresh, &told);
    assert_int_equal(told + 1, kinds);
    assert_non_null(lw_registry_find(fresh, group, version, LW_STR("gadgets")));
    assert_true(lw_registry_has_group(fresh, group, version));
    assert_false(lw_registry_tells_of_group(fresh, group, version));
    lw_registry_unref(fresh);

    lw_registry *established =
        with_definition("\"conditions\":[{\"type\":\"Established\",\"status\":\"True\"}]");
    (void)lw_registry_told(established, &told);
    assert_int_equal(told, kinds);
    assert_true(lw_registry_tells_of_group(established, group, version));
    lw_registry_unref(established);
}

static void says_when_there_is_no_memory(void **state)
{
    (void)state;
    lw_status st = LW_ERR_NOMEM;
    for (size_t allowed = 0; st == LW_ERR_NOMEM; allowed++) {
        failing_alloc memory;
        lw_registry *registry = NULL;
        failing_alloc_begin(&memory, allowed);
        st = lw_registry_new(&registry);
        lw_registry_unref(registry);
        assert_int_equal(memory.live, 0);
        failing_alloc_end();
    }
    assert_int_equal(st, LW_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(finds_kinds_by_group_version_and_plural),
        TEST(tells_the_two_sorts_of_events_apart),
        TEST(finds_nothing_under_other_names),
        TEST(knows_its_groups),
        TEST(lists_every_builtin_kind),
        TEST(what_is_defined_is_served_before_it_is_told_of),
        TEST(says_when_there_is_no_memory),
    };
    return cmocka_run_group_tests_name("registry", tests, set_up, tear_down);
}
