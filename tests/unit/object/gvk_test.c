/* SPDX-License-Identifier: Apache-2.0 */
/* gvk_test.c -- groups, versions, kinds, resources and the paths they are served at. */
#include "object/gvk.h"

#include "base/str.h"
#include "unit/test.h"

static void reads_api_versions(void **state)
{
    (void)state;
    static const struct {
        const char *text, *group, *version;
    } cases[] = {
        { "v1", "", "v1" }, { "apps/v1", "apps", "v1" }, { "a.b/v2", "a.b", "v2" }, { "", "", "" },
        { "/", "", "" },    { "/v1", "", "v1" },         { "apps/", "apps", "" },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_str group, version;
        assert_int_equal(lw_api_version_parse(lw_str_of(cases[i].text), &group, &version, NULL),
                         LW_OK);
        assert_str_equal(group, cases[i].group);
        assert_str_equal(version, cases[i].version);
    }
}

static void refuses_api_versions_with_two_slashes(void **state)
{
    (void)state;
    lw_str group, version;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_api_version_parse(LW_STR("a/b/c"), &group, &version, &err), LW_ERR_INVALID);
    assert_string_equal(err.message, "unexpected GroupVersion string: a/b/c");
}

static void reads_what_a_person_types(void **state)
{
    (void)state;
    lw_gvr plain, versioned;
    assert_false(lw_gvr_parse(LW_STR("pods"), &plain, &versioned));
    assert_true(lw_gvr_equal(plain, lw_gvr_make("", "", "pods")));
    assert_false(lw_gvr_parse(LW_STR("deployments.apps"), &plain, &versioned));
    assert_true(lw_gvr_equal(plain, lw_gvr_make("apps", "", "deployments")));
    assert_true(lw_gvr_parse(LW_STR("deployments.v1.apps"), &plain, &versioned));
    assert_true(lw_gvr_equal(plain, lw_gvr_make("v1.apps", "", "deployments")));
    assert_true(lw_gvr_equal(versioned, lw_gvr_make("apps", "v1", "deployments")));
    assert_true(lw_gvr_parse(LW_STR("leases.v1.coordination.k8s.io"), &plain, &versioned));
    assert_true(lw_gvr_equal(versioned, lw_gvr_make("coordination.k8s.io", "v1", "leases")));
}

static void tells_kinds_apart(void **state)
{
    (void)state;
    lw_gvk a = lw_gvk_make("apps", "v1", "Deployment");
    assert_true(lw_gvk_equal(a, lw_gvk_make("apps", "v1", "Deployment")));
    assert_false(lw_gvk_equal(a, lw_gvk_make("", "v1", "Deployment")));
    assert_false(lw_gvk_equal(a, lw_gvk_make("apps", "v2", "Deployment")));
    assert_false(lw_gvk_equal(a, lw_gvk_make("apps", "v1", "ReplicaSet")));
}

static void prints_api_versions_and_grouped_names(void **state)
{
    (void)state;
    lw_buf buf;
    lw_buf_init(&buf, 100);
    lw_api_version_append(&buf, LW_STR("apps"), LW_STR("v1"));
    lw_buf_append_char(&buf, ' ');
    lw_api_version_append(&buf, LW_STR(""), LW_STR("v1"));
    lw_buf_append_char(&buf, ' ');
    lw_grouped_append(&buf, LW_STR("deployments"), LW_STR("apps"));
    lw_buf_append_char(&buf, ' ');
    lw_grouped_append(&buf, LW_STR("pods"), LW_STR(""));
    assert_str_equal(lw_buf_view(&buf), "apps/v1 v1 deployments.apps pods");
    lw_buf_done(&buf);
}

static void builds_paths(void **state)
{
    (void)state;
    static const struct {
        const char *group, *version, *resource, *ns, *name, *subresource, *expected;
    } cases[] = {
        { "", "v1", "pods", "", "", "", "/api/v1/pods" },
        { "", "v1", "pods", "ns", "", "", "/api/v1/namespaces/ns/pods" },
        { "", "v1", "pods", "ns", "p", "", "/api/v1/namespaces/ns/pods/p" },
        { "", "v1", "pods", "ns", "p", "status", "/api/v1/namespaces/ns/pods/p/status" },
        { "", "v1", "namespaces", "", "ns", "finalize", "/api/v1/namespaces/ns/finalize" },
        { "apps", "v1", "deployments", "", "", "", "/apis/apps/v1/deployments" },
        { "a.b.io", "v1beta1", "x", "n", "y", "scale",
          "/apis/a.b.io/v1beta1/namespaces/n/x/y/scale" },
        { "", "v1", "pods", "", "a/b?c#d%e f", "", "/api/v1/pods/a%2Fb%3Fc%23d%25e%20f" },
        { "", "v1", "pods", "", "system:x~y_z", "", "/api/v1/pods/system%3Ax~y_z" },
        { "", "v1", "pods", "", "\xc3\xa9\n", "", "/api/v1/pods/%C3%A9%0A" },
        { "", "v1", "pods", "../x", "...", "", "/api/v1/namespaces/..%2Fx/pods/..." },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_api_path path = {
            .gvr = lw_gvr_make(cases[i].group, cases[i].version, cases[i].resource),
            .ns = lw_str_of(cases[i].ns),
            .name = lw_str_of(cases[i].name),
            .subresource = lw_str_of(cases[i].subresource),
        };
        lw_buf buf;
        lw_buf_init(&buf, 1000);
        assert_int_equal(lw_api_path_append(&buf, &path), LW_OK);
        assert_str_equal(lw_buf_view(&buf), cases[i].expected);
        lw_buf_done(&buf);
    }
}

static void refuses_paths_that_lead_elsewhere(void **state)
{
    (void)state;
    static const struct {
        const char *group, *version, *resource, *ns, *name, *subresource;
    } cases[] = {
        { "", "", "pods", "", "", "" },      { "", "v1", "", "", "", "" },
        { "", "v1", "pods", "", "", "log" }, { "", "v1", "pods", "..", "", "" },
        { "", "v1", "pods", "", ".", "" },   { "", "v1", "pods", "", "..", "" },
        { "..", "v1", "pods", "", "", "" },  { "", "..", "pods", "", "", "" },
        { "", "v1", "..", "", "", "" },      { "", "v1", "pods", "", "p", ".." },
    };
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        lw_api_path path = {
            .gvr = lw_gvr_make(cases[i].group, cases[i].version, cases[i].resource),
            .ns = lw_str_of(cases[i].ns),
            .name = lw_str_of(cases[i].name),
            .subresource = lw_str_of(cases[i].subresource),
        };
        lw_buf buf;
        lw_buf_init(&buf, 1000);
        assert_int_equal(lw_api_path_append(&buf, &path), LW_ERR_INVALID);
        assert_int_equal(buf.len, 0);
        lw_buf_done(&buf);
    }
}

static void tells_when_the_buffer_is_full(void **state)
{
    (void)state;
    lw_api_path path = { .gvr = lw_gvr_make("", "v1", "pods") };
    lw_buf buf;
    lw_buf_init(&buf, 8);
    assert_int_equal(lw_api_path_append(&buf, &path), LW_ERR_LIMIT);
    lw_buf_done(&buf);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(reads_api_versions),
        TEST(refuses_api_versions_with_two_slashes),
        TEST(reads_what_a_person_types),
        TEST(tells_kinds_apart),
        TEST(prints_api_versions_and_grouped_names),
        TEST(builds_paths),
        TEST(refuses_paths_that_lead_elsewhere),
        TEST(tells_when_the_buffer_is_full),
    };
    return cmocka_run_group_tests_name("gvk", tests, NULL, NULL);
}
