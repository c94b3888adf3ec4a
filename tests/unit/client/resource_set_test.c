/* SPDX-License-Identifier: Apache-2.0 */
/* resource_set_test.c -- resources by what people type. */
#include "client/resource_set.h"

#include <stdio.h>

#include "base/str.h"
#include "unit/test.h"

static void add(lw_resource_set *set, uint64_t rank, lw_gvr gvr, const char *kind,
                const char *singular, const char *short_name)
{
    lw_resource_entry entry = {
        .resource = { .gvr = gvr, .kind = lw_str_of(kind), .is_namespaced = true },
        .singular = lw_str_of(singular),
    };
    if (short_name)
        entry.short_names[entry.short_name_count++] = lw_str_of(short_name);
    assert_int_equal(lw_resource_set_add(set, rank, &entry), LW_OK);
}

/* Added the worst first: the ranks decide. */
static lw_resource_set *cluster(void)
{
    lw_resource_set *set = NULL;
    assert_int_equal(lw_resource_set_new(&set), LW_OK);
    add(set, 90, lw_gvr_make("example.com", "v1", "po"), "Po", "", NULL);
    add(set, 31, lw_gvr_make("apps", "v1beta1", "deployments"), "Deployment", "deployment",
        "deploy");
    add(set, 30, lw_gvr_make("apps", "v1", "deployments"), "Deployment", "deployment", "deploy");
    add(set, 40, lw_gvr_make("events.k8s.io", "v1", "events"), "Event", "event", "ev");
    add(set, 50, lw_gvr_make("v1.example.org", "v2", "widgets"), "Widget", "widget", NULL);
    add(set, 51, lw_gvr_make("example.org", "v1", "widgets"), "Widget", "widget", NULL);
    add(set, 60, lw_gvr_make("metrics.k8s.io", "v1beta1", "pods"), "PodMetrics", "", NULL);
    add(set, 10, lw_gvr_make("", "v1", "pods"), "Pod", "pod", "po");
    add(set, 10, lw_gvr_make("", "v1", "events"), "Event", "event", "ev");
    add(set, 10, lw_gvr_make("", "v1", "endpoints"), "Endpoints", "endpoints", "ep");
    lw_resource_set_order(set);
    return set;
}

/* |expected| is "resource.version.group"; NULL: nothing is found. */
static void assert_found(const char *text, const char *expected)
{
    char found[256] = "";
    lw_resource_set *set = cluster();
    const lw_resource *resource = lw_resource_set_find(set, lw_str_of(text));
    if (resource)
        (void)snprintf(found, sizeof(found), "%.*s.%.*s.%.*s", LW_STR_ARG(resource->gvr.resource),
                       LW_STR_ARG(resource->gvr.version), LW_STR_ARG(resource->gvr.group));
    assert_string_equal(found, expected ? expected : "");
    lw_resource_set_free(set);
}

static void names_singulars_short_names_and_kinds_are_found(void **state)
{
    (void)state;
    assert_found("pods", "pods.v1.");
    assert_found("pod", "pods.v1.");
    assert_found("Pod", "pods.v1.");
    assert_found("PODS", "pods.v1.");
    assert_found("deploy", "deployments.v1.apps");
    assert_found("Deployment", "deployments.v1.apps");
    assert_found("PodMetrics", "pods.v1beta1.metrics.k8s.io");
    assert_found("Endpoints", "endpoints.v1.");
}

static void a_resource_goes_before_a_short_name(void **state)
{
    (void)state;
    assert_found("po", "po.v1.example.com");
}

static void the_core_group_and_the_preferred_version_win(void **state)
{
    (void)state;
    assert_found("events", "events.v1.");
    assert_found("ev", "events.v1.");
    assert_found("deployments", "deployments.v1.apps");
}

static void a_group_and_a_version_are_obeyed(void **state)
{
    (void)state;
    assert_found("events.events.k8s.io", "events.v1.events.k8s.io");
    assert_found("deployments.apps", "deployments.v1.apps");
    assert_found("deployments.v1beta1.apps", "deployments.v1beta1.apps");
    assert_found("deploy.v1beta1.apps", "deployments.v1beta1.apps");
    assert_found("pods.v1.", "pods.v1.");
    assert_found("pods.metrics.k8s.io", "pods.v1beta1.metrics.k8s.io");
}

/* As kubectl: the reading with a version goes first. */
static void resource_version_group_goes_before_resource_group(void **state)
{
    (void)state;
    assert_found("widgets.v1.example.org", "widgets.v1.example.org");
    assert_found("widgets.v2.v1.example.org", "widgets.v2.v1.example.org");
}

static void the_beginning_of_a_group_will_do(void **state)
{
    (void)state;
    assert_found("events.events", "events.v1.events.k8s.io");
    assert_found("pods.metrics", "pods.v1beta1.metrics.k8s.io");
}

static void what_is_not_there_is_not_found(void **state)
{
    (void)state;
    assert_found("", NULL);
    assert_found(".", NULL);
    assert_found("pods.", "pods.v1.");
    assert_found("podz", NULL);
    assert_found("pods.v2.", NULL);
    assert_found("pods.apps", NULL);
    assert_found("deployments.v2.apps", NULL);
}

static void kinds_are_found_with_and_without_a_version(void **state)
{
    (void)state;
    lw_resource_set *set = cluster();
    const lw_resource *found =
        lw_resource_set_find_kind(set, lw_gvk_make("apps", "v1beta1", "Deployment"));
    assert_non_null(found);
    assert_str_equal(found->gvr.version, "v1beta1");
    found = lw_resource_set_find_kind(set, lw_gvk_make("apps", "", "Deployment"));
    assert_non_null(found);
    assert_str_equal(found->gvr.version, "v1");
    assert_null(lw_resource_set_find_kind(set, lw_gvk_make("", "v1", "Deployment")));
    assert_null(lw_resource_set_find_kind(set, lw_gvk_make("apps", "v1", "deployment")));
    lw_resource_set_free(set);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(names_singulars_short_names_and_kinds_are_found),
        TEST(a_resource_goes_before_a_short_name),
        TEST(the_core_group_and_the_preferred_version_win),
        TEST(a_group_and_a_version_are_obeyed),
        TEST(resource_version_group_goes_before_resource_group),
        TEST(the_beginning_of_a_group_will_do),
        TEST(what_is_not_there_is_not_found),
        TEST(kinds_are_found_with_and_without_a_version),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
