/* SPDX-License-Identifier: Apache-2.0 */
/* route_test.c -- what paths and methods ask for, as a table. */
#include "api/http/route.h"

#include "base/str.h"
#include "unit/test.h"

enum {
    RES = LW_ROUTE_RESOURCE,
    DISC = LW_ROUTE_DISCOVERY,
    OAPI = LW_ROUTE_OPENAPI,
    VER = LW_ROUTE_VERSION,
    NORES = LW_ROUTE_NO_RESOURCE,
    NOMETH = LW_ROUTE_NO_METHOD,
    NOWHERE = LW_ROUTE_NOWHERE,
    FOREIGN = LW_ROUTE_FOREIGN,
    CREATE = LW_VERB_CREATE,
    DELETE = LW_VERB_DELETE,
    DELALL = LW_VERB_DELETE_COLLECTION,
    GET = LW_VERB_GET,
    LIST = LW_VERB_LIST,
    PATCH = LW_VERB_PATCH,
    UPDATE = LW_VERB_UPDATE,
    WATCH = LW_VERB_WATCH,
};

typedef struct row {
    const char *method, *path;
    int target;
    unsigned verb;
    const char *kind, *ns, *name;
    unsigned sub;
} row;

#define REVIEWS "/apis/authorization.k8s.io/v1/"

static const row rows[] = {
    /* collections and objects */
    { "GET", "/api/v1/pods", RES, LIST, "Pod", "", "", 0 },
    { "GET", "/api/v1/pods/", RES, LIST, "Pod", "", "", 0 },
    { "GET", "/api/v1/namespaces/a/pods", RES, LIST, "Pod", "a", "", 0 },
    { "POST", "/api/v1/namespaces/a/pods", RES, CREATE, "Pod", "a", "", 0 },
    { "DELETE", "/api/v1/namespaces/a/pods", RES, DELALL, "Pod", "a", "", 0 },
    { "GET", "/api/v1/namespaces/a/pods/b", RES, GET, "Pod", "a", "b", 0 },
    { "PUT", "/api/v1/namespaces/a/pods/b", RES, UPDATE, "Pod", "a", "b", 0 },
    { "PATCH", "/api/v1/namespaces/a/pods/b", RES, PATCH, "Pod", "a", "b", 0 },
    { "DELETE", "/api/v1/namespaces/a/pods/b", RES, DELETE, "Pod", "a", "b", 0 },
    { "GET", "/apis/apps/v1/deployments", RES, LIST, "Deployment", "", "", 0 },
    { "GET", "/apis/apps/v1/namespaces/x/deployments/d", RES, GET, "Deployment", "x", "d", 0 },
    { "GET", "/api/v1/nodes/n1", RES, GET, "Node", "", "n1", 0 },
    { "POST", "/api/v1/nodes", RES, CREATE, "Node", "", "", 0 },
    { "DELETE", "/api/v1/nodes", RES, DELALL, "Node", "", "", 0 },
    /* namespaces are a resource and a scope */
    { "GET", "/api/v1/namespaces", RES, LIST, "Namespace", "", "", 0 },
    { "POST", "/api/v1/namespaces", RES, CREATE, "Namespace", "", "", 0 },
    { "GET", "/api/v1/namespaces/a", RES, GET, "Namespace", "", "a", 0 },
    { "GET", "/api/v1/namespaces/a/status", RES, GET, "Namespace", "", "a", LW_SUB_STATUS },
    { "PUT", "/api/v1/namespaces/a/status", RES, UPDATE, "Namespace", "", "a", LW_SUB_STATUS },
    { "PUT", "/api/v1/namespaces/a/finalize", RES, UPDATE, "Namespace", "", "a", LW_SUB_FINALIZE },
    { "GET", "/api/v1/namespaces/a/finalize", NOMETH, 0, NULL, NULL, NULL, 0 },
    { "GET", "/api/v1/namespaces/a/foo", NORES, 0, NULL, NULL, NULL, 0 },
    /* what is only asked has neither objects nor lists */
    { "POST", REVIEWS "selfsubjectaccessreviews", RES, CREATE, "SelfSubjectAccessReview", "", "",
      0 },
    { "GET", REVIEWS "selfsubjectaccessreviews", NOMETH, 0, NULL, NULL, NULL, 0 },
    { "GET", REVIEWS "selfsubjectaccessreviews/x", NORES, 0, NULL, NULL, NULL, 0 },
    { "POST", REVIEWS "namespaces/a/localsubjectaccessreviews", RES, CREATE,
      "LocalSubjectAccessReview", "a", "", 0 },
    { "POST", REVIEWS "localsubjectaccessreviews", NORES, 0, NULL, NULL, NULL, 0 },
    { "GET", REVIEWS "localsubjectaccessreviews", NORES, 0, NULL, NULL, NULL, 0 },
    /* subresources */
    { "GET", "/api/v1/namespaces/a/pods/b/status", RES, GET, "Pod", "a", "b", LW_SUB_STATUS },
    { "PATCH", "/api/v1/namespaces/a/pods/b/status", RES, PATCH, "Pod", "a", "b", LW_SUB_STATUS },
    { "DELETE", "/api/v1/namespaces/a/pods/b/status", NOMETH, 0, NULL, NULL, NULL, 0 },
    { "POST", "/api/v1/namespaces/a/pods/b/status", NOMETH, 0, NULL, NULL, NULL, 0 },
    { "POST", "/api/v1/namespaces/a/pods/b/binding", RES, CREATE, "Pod", "a", "b", LW_SUB_BINDING },
    { "POST", "/api/v1/namespaces/a/pods/b/eviction", RES, CREATE, "Pod", "a", "b",
      LW_SUB_EVICTION },
    { "GET", "/api/v1/namespaces/a/pods/b/binding", NOMETH, 0, NULL, NULL, NULL, 0 },
    { "GET", "/api/v1/namespaces/a/pods/b/scale", NORES, 0, NULL, NULL, NULL, 0 },
    { "GET", "/api/v1/namespaces/a/pods/b/log", NORES, 0, NULL, NULL, NULL, 0 },
    { "GET", "/apis/apps/v1/namespaces/a/deployments/b/scale", RES, GET, "Deployment", "a", "b",
      LW_SUB_SCALE },
    { "PUT", "/apis/apps/v1/namespaces/a/deployments/b/scale", RES, UPDATE, "Deployment", "a", "b",
      LW_SUB_SCALE },
    { "GET", "/api/v1/namespaces/a/pods/b/status/c", NORES, 0, NULL, NULL, NULL, 0 },
    /* the old watch paths */
    { "GET", "/api/v1/watch/pods", RES, WATCH, "Pod", "", "", 0 },
    { "GET", "/api/v1/watch/namespaces/a/pods", RES, WATCH, "Pod", "a", "", 0 },
    { "GET", "/api/v1/watch/namespaces/a/pods/b", RES, WATCH, "Pod", "a", "b", 0 },
    { "GET", "/api/v1/watch/namespaces/a", RES, WATCH, "Namespace", "", "a", 0 },
    { "GET", "/api/v1/watch/nodes/n", RES, WATCH, "Node", "", "n", 0 },
    { "DELETE", "/api/v1/watch/namespaces/a/pods", NOMETH, 0, NULL, NULL, NULL, 0 },
    { "POST", "/api/v1/watch/namespaces/a/pods", NOMETH, 0, NULL, NULL, NULL, 0 },
    { "GET", "/api/v1/watch", NORES, 0, NULL, NULL, NULL, 0 },
    /* nothing there */
    { "GET", "/api/v1/foos", NORES, 0, NULL, NULL, NULL, 0 },
    { "GET", "/api/v1/deployments", NORES, 0, NULL, NULL, NULL, 0 },
    { "GET", "/api/v1/pods/b", NORES, 0, NULL, NULL, NULL, 0 },
    { "GET", "/api/v1/namespaces/a/nodes", NORES, 0, NULL, NULL, NULL, 0 },
    { "GET", "/api/v1/namespaces/a/pods/b/c/d/e", NORES, 0, NULL, NULL, NULL, 0 },
    { "GET", "/api/v2", NORES, 0, NULL, NULL, NULL, 0 },
    { "GET", "/api/v2/pods", NORES, 0, NULL, NULL, NULL, 0 },
    { "GET", "/apis/nope", NOWHERE, 0, NULL, NULL, NULL, 0 },
    { "GET", "/apis/nope/v1/pods", NOWHERE, 0, NULL, NULL, NULL, 0 },
    { "GET", "/apis/apps/v9/deployments", NORES, 0, NULL, NULL, NULL, 0 },
    { "GET", "/api/v1//pods", NOWHERE, 0, NULL, NULL, NULL, 0 },
    { "GET", "/api/v1/pods//", NOWHERE, 0, NULL, NULL, NULL, 0 },
    /* methods nobody serves */
    { "HEAD", "/api/v1/pods", NOMETH, 0, NULL, NULL, NULL, 0 },
    { "OPTIONS", "/api/v1/namespaces/a/pods/b", NOMETH, 0, NULL, NULL, NULL, 0 },
    { "BREW", "/api/v1/pods", NOMETH, 0, NULL, NULL, NULL, 0 },
    { "PUT", "/api/v1/namespaces/a/pods", NOMETH, 0, NULL, NULL, NULL, 0 },
    { "POST", "/api/v1/namespaces/a/pods/b", NOMETH, 0, NULL, NULL, NULL, 0 },
    { "POST", "/api/v1/pods", NOMETH, 0, NULL, NULL, NULL, 0 },
    { "DELETE", "/api/v1/pods", NOMETH, 0, NULL, NULL, NULL, 0 },
    { "POST", "/api", NOMETH, 0, NULL, NULL, NULL, 0 },
    { "POST", "/version", NOMETH, 0, NULL, NULL, NULL, 0 },
    /* documents */
    { "GET", "/api", DISC, 0, NULL, NULL, NULL, 0 },
    { "GET", "/api/", DISC, 0, NULL, NULL, NULL, 0 },
    { "GET", "/api/v1", DISC, 0, NULL, NULL, NULL, 0 },
    { "GET", "/apis", DISC, 0, NULL, NULL, NULL, 0 },
    { "GET", "/apis/apps", DISC, 0, NULL, NULL, NULL, 0 },
    { "GET", "/apis/apps/v1/", DISC, 0, NULL, NULL, NULL, 0 },
    { "GET", "/openapi/v2", OAPI, 0, NULL, NULL, NULL, 0 },
    { "GET", "/openapi/v3", OAPI, 0, NULL, NULL, NULL, 0 },
    { "GET", "/openapi/v3/api/v1", OAPI, 0, NULL, NULL, NULL, 0 },
    { "GET", "/openapi/v3/apis/apps/v1", OAPI, 0, NULL, NULL, NULL, 0 },
    { "GET", "/openapi/v3/apis/apps", NOWHERE, 0, NULL, NULL, NULL, 0 },
    { "GET", "/openapi/v3/foo/bar", NOWHERE, 0, NULL, NULL, NULL, 0 },
    { "GET", "/openapi/v2/x", NOWHERE, 0, NULL, NULL, NULL, 0 },
    { "GET", "/openapi", NOWHERE, 0, NULL, NULL, NULL, 0 },
    { "GET", "/version", VER, 0, NULL, NULL, NULL, 0 },
    /* somebody else's */
    { "GET", "/", FOREIGN, 0, NULL, NULL, NULL, 0 },
    { "GET", "/healthz", FOREIGN, 0, NULL, NULL, NULL, 0 },
    { "GET", "/apiv1", FOREIGN, 0, NULL, NULL, NULL, 0 },
    { "GET", "/version/x", FOREIGN, 0, NULL, NULL, NULL, 0 },
    { "GET", "*", FOREIGN, 0, NULL, NULL, NULL, 0 },
    { "GET", "", FOREIGN, 0, NULL, NULL, NULL, 0 },
    /* escapes */
    { "GET", "/api/v1/namespaces/a/pods/b%2Dc", RES, GET, "Pod", "a", "b-c", 0 },
    { "GET", "/api/v1/namespaces/%61/%70ods", RES, LIST, "Pod", "a", "", 0 },
    { "GET", "/api/v1/namespaces/a/pods/b%2Fc", NOWHERE, 0, NULL, NULL, NULL, 0 },
    { "GET", "/api/v1/namespaces/a/pods/%2E%2e", NOWHERE, 0, NULL, NULL, NULL, 0 },
    { "GET", "/api/v1/namespaces/../pods", NOWHERE, 0, NULL, NULL, NULL, 0 },
};

static lw_registry *registry;

static int make_registry(void **state)
{
    (void)state;
    return lw_registry_new(&registry) == LW_OK ? 0 : -1;
}

static int free_registry(void **state)
{
    (void)state;
    lw_registry_unref(registry);
    return 0;
}

static bool is_as_expected(const row *r, const lw_route *route)
{
    if ((int)route->target != r->target)
        return false;
    if (r->target != RES)
        return true;
    return route->verb == r->verb && lw_str_equal(route->kind->kind, lw_str_of(r->kind)) &&
           lw_str_equal(route->ns, lw_str_of(r->ns)) &&
           lw_str_equal(route->name, lw_str_of(r->name)) && route->subresource == r->sub;
}

static void paths_and_methods_name_what_is_meant(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lw_route route;
        lw_buf scratch;
        lw_buf_init(&scratch, 1000);
        assert_int_equal(lw_route_find(&route, registry,
                                       lw_http_method_of(lw_str_of(rows[i].method)),
                                       lw_str_of(rows[i].path), false, &scratch),
                         LW_OK);
        if (!is_as_expected(&rows[i], &route))
            fail_msg("%s %s: target %d, verb %u, ns %.*s, name %.*s, sub %u", rows[i].method,
                     rows[i].path, (int)route.target, route.verb, LW_STR_ARG(route.ns),
                     LW_STR_ARG(route.name), route.subresource);
        lw_buf_done(&scratch);
    }
}

static unsigned verb_of(const char *path, bool is_watch)
{
    lw_route route;
    lw_buf scratch;
    lw_buf_init(&scratch, 1000);
    assert_int_equal(lw_route_find(&route, registry, LW_HTTP_GET, lw_str_of(path), is_watch,
                                   &scratch),
                     LW_OK);
    lw_buf_done(&scratch);
    return route.verb;
}

static void watch_counts_on_collections_only(void **state)
{
    (void)state;
    assert_int_equal(verb_of("/api/v1/pods", true), WATCH);
    assert_int_equal(verb_of("/api/v1/namespaces/a/pods", true), WATCH);
    assert_int_equal(verb_of("/api/v1/namespaces/a/pods/b", true), GET);
    assert_int_equal(verb_of("/api/v1/namespaces/a/pods/b/status", true), GET);
}

static void discovery_knows_its_group_and_version(void **state)
{
    (void)state;
    lw_route route;
    lw_buf scratch;
    lw_buf_init(&scratch, 1000);
    assert_int_equal(lw_route_find(&route, registry, LW_HTTP_GET, LW_STR("/apis/apps/v1"), false,
                                   &scratch),
                     LW_OK);
    assert_str_equal(route.root, "apis");
    assert_str_equal(route.group, "apps");
    assert_str_equal(route.version, "v1");
    assert_int_equal(lw_route_find(&route, registry, LW_HTTP_GET,
                                   LW_STR("/openapi/v3/apis/apps/v1"), false, &scratch),
                     LW_OK);
    assert_str_equal(route.root, "v3");
    assert_str_equal(route.group, "apps");
    assert_str_equal(route.version, "v1");
    lw_buf_done(&scratch);
}

static void malformed_escapes_are_refused(void **state)
{
    (void)state;
    static const char *const bad[] = { "/api/v1/pods%", "/api/v1/%zz", "/api/v1/pods%00" };
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        lw_route route;
        lw_buf scratch;
        lw_buf_init(&scratch, 1000);
        assert_int_equal(lw_route_find(&route, registry, LW_HTTP_GET, lw_str_of(bad[i]), false,
                                       &scratch),
                         LW_ERR_INVALID);
        lw_buf_done(&scratch);
    }
}

static void several_escaped_segments_keep_apart(void **state)
{
    (void)state;
    lw_route route;
    lw_buf scratch;
    lw_buf_init(&scratch, 1000);
    lw_str path = LW_STR("/api/v1/namespaces/%61%62%63%64%65%66%67%68/pods/%69%6a%6b");
    assert_int_equal(lw_route_find(&route, registry, LW_HTTP_GET, path, false, &scratch), LW_OK);
    assert_str_equal(route.ns, "abcdefgh");
    assert_str_equal(route.name, "ijk");
    lw_buf_done(&scratch);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(paths_and_methods_name_what_is_meant),  TEST(watch_counts_on_collections_only),
        TEST(discovery_knows_its_group_and_version), TEST(malformed_escapes_are_refused),
        TEST(several_escaped_segments_keep_apart),
    };
    return cmocka_run_group_tests(tests, make_registry, free_registry);
}
