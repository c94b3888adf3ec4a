/* SPDX-License-Identifier: Apache-2.0 */
/* discovery_test.c -- asking servers of all ages what they serve. */
#include "client/discovery.h"

#include "base/str.h"
#include "support/session_world.h"
#include "unit/test.h"

#define OK   "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
#define AWAY "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n"
#define NONE "HTTP/1.1 404 Not Found\r\nConnection: close\r\n\r\n"

#define CORE_LIST                                                                                  \
    OK "{\"kind\":\"APIResourceList\",\"groupVersion\":\"v1\",\"resources\":[{\"name\":\"pods\","  \
       "\"singularName\":\"pod\",\"namespaced\":true,\"kind\":\"Pod\",\"shortNames\":[\"po\"]}]}"
#define GROUPS                                                                                     \
    OK "{\"kind\":\"APIGroupList\",\"groups\":[{\"name\":\"apps\",\"versions\":[{\"version\":"     \
       "\"v1\"},{\"version\":\"v2\"}],\"preferredVersion\":{\"version\":\"v2\"}},{\"name\":"       \
       "\"metrics.k8s.io\",\"versions\":[{\"version\":\"v1\"}]}]}"
#define APPS(version)                                                                              \
    OK "{\"kind\":\"APIResourceList\",\"groupVersion\":\"apps/" version                            \
       "\",\"resources\":[{\"name\":\"deployments\",\"kind\":\"Deployment\",\"namespaced\":true}]" \
       "}"
#define AGGREGATED(group, resource, kind)                                                          \
    OK "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/v2\",\"items\":[" \
       "{\"metadata\":{\"name\":\"" group "\"},\"versions\":[{\"version\":\"v1\",\"resources\":["  \
       "{\"resource\":\"" resource "\",\"responseKind\":{\"kind\":\"" kind                         \
       "\"},\"scope\":\"Namespaced\"}]}]}]}"

static session_world world;

static int set_up(void **state)
{
    (void)state;
    session_world_open(&world);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    session_world_close(&world);
    return 0;
}

static void answer(const char *request, const char *text)
{
    const script_step steps[] = { { SCRIPT_SEND, text, 0 }, { SCRIPT_CLOSE, NULL, 0 }, { 0 } };
    script_server_play_always(world.server, request, steps);
}

static void expect(const char *name, const char *version)
{
    lw_resource found;
    lw_error err = LW_ERROR_INIT;
    if (lw_client_find_resource(world.client, name, &found, &err) < 0)
        fail_msg("%s: %s", name, err.message);
    assert_str_equal(found.gvr.version, version);
}

static void expect_not(const char *name, lw_status st)
{
    lw_resource found;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_client_find_resource(world.client, name, &found, &err), st);
}

static void two_requests_are_enough_where_discovery_is_aggregated(void **state)
{
    (void)state;
    answer("GET /api ", AGGREGATED("", "pods", "Pod"));
    answer("GET /apis ", AGGREGATED("apps", "deployments", "Deployment"));
    expect("pods", "v1");
    expect("deployments.apps", "v1");
    expect("Pod", "v1");
    assert_int_equal(script_server_counts(world.server).requests, 2);
    session_world_expect_request(&world, 0,
                                 "Accept: application/json;g=apidiscovery.k8s.io;v=v2;"
                                 "as=APIGroupDiscoveryList,");
    /* Somebody may have added it since. */
    expect_not("widgets", LW_ERR_NOT_FOUND);
    assert_int_equal(script_server_counts(world.server).requests, 4);
}

static void a_server_of_old_is_asked_version_by_version(void **state)
{
    (void)state;
    answer("GET /api ", OK "{\"kind\":\"APIVersions\",\"versions\":[\"v1\"]}");
    answer("GET /apis ", GROUPS);
    answer("GET /api/v1 ", CORE_LIST);
    answer("GET /apis/apps/v1 ", APPS("v1"));
    answer("GET /apis/apps/v2 ", APPS("v2"));
    answer("GET /apis/metrics.k8s.io/v1 ", AWAY);
    expect("po", "v1");
    expect("deployments", "v2");
    expect("deployments.v1.apps", "v1");
    assert_int_equal(script_server_counts(world.server).requests, 6);
    /* The resource may be in the group that is unavailable, so the error is not "not found". */
    expect_not("widgets", LW_ERR_UNAVAILABLE);
}

static void a_server_without_a_root_serves_the_other(void **state)
{
    (void)state;
    answer("GET /api ", NONE);
    answer("GET /apis ", AGGREGATED("apps", "deployments", "Deployment"));
    expect("deployments", "v1");
    expect_not("pods", LW_ERR_NOT_FOUND);
}

static void what_is_no_api_server_is_told_so(void **state)
{
    (void)state;
    lw_resource found;
    lw_error err = LW_ERROR_INIT;
    answer(NULL, NONE);
    assert_int_equal(lw_client_find_resource(world.client, "pods", &found, &err), LW_ERR_NOT_FOUND);
    assert_non_null(strstr(err.message, "is it an API server?"));
}

static void a_server_that_is_away_is_not_a_missing_resource(void **state)
{
    (void)state;
    answer(NULL, AWAY);
    expect_not("pods", LW_ERR_UNAVAILABLE);
}

/* Without waiting. */

typedef struct finder {
    unsigned found, missed;
    lw_status last;
} finder;

static void on_found(const lw_resource *resource, const lw_error *err, void *arg)
{
    finder *f = arg;
    if (resource) {
        f->found++;
        assert_str_equal(resource->gvr.resource, "pods");
    } else {
        f->missed++;
        f->last = err->code;
    }
}

static void those_who_look_at_once_share_one_discovery(void **state)
{
    (void)state;
    finder f = { 0 };
    lw_session_find *finds[3];
    answer("GET /api ", AGGREGATED("", "pods", "Pod"));
    answer("GET /apis ", AGGREGATED("apps", "deployments", "Deployment"));
    for (int i = 0; i < 2; i++)
        assert_int_equal(lw_session_find_resource(world.session, "pods", on_found, &f, &finds[i],
                                                  NULL),
                         LW_OK);
    assert_int_equal(lw_session_find_resource(world.session, "widgets", on_found, &f, &finds[2],
                                              NULL),
                     LW_OK);
    assert_int_equal(f.found + f.missed, 0);
    session_world_await(&world, &f.found, 2);
    session_world_await(&world, &f.missed, 1);
    assert_int_equal(f.last, LW_ERR_NOT_FOUND);
    assert_int_equal(script_server_counts(world.server).requests, 2);
    /* The resource is known now: no request is sent, and the callback still comes from dispatch. */
    assert_int_equal(lw_session_find_resource(world.session, "Pod", on_found, &f, &finds[0], NULL),
                     LW_OK);
    assert_int_equal(f.found, 2);
    assert_int_equal(lw_session_timeout_ms(world.session), 0);
    session_world_await(&world, &f.found, 3);
    assert_int_equal(script_server_counts(world.server).requests, 2);
}

static void who_no_longer_looks_is_not_told(void **state)
{
    (void)state;
    finder f = { 0 };
    lw_session_find *first = NULL;
    lw_session_find *second = NULL;
    answer("GET /api ", AGGREGATED("", "pods", "Pod"));
    answer("GET /apis ", NONE);
    assert_int_equal(lw_session_find_resource(world.session, "pods", on_found, &f, &first, NULL),
                     LW_OK);
    assert_int_equal(lw_session_find_resource(world.session, "pods", on_found, &f, &second, NULL),
                     LW_OK);
    lw_session_find_cancel(first);
    session_world_await(&world, &f.found, 1);
    assert_int_equal(lw_session_find_resource(world.session, "podz", on_found, &f, &first, NULL),
                     LW_OK);
    /* The session is freed while discovery is in progress. */
}

static void a_failed_discovery_is_told_and_tried_again(void **state)
{
    (void)state;
    finder f = { 0 };
    lw_session_find *find = NULL;
    script_server_say(world.server, "GET /api ", AWAY);
    script_server_say(world.server, "GET /apis ", AWAY);
    assert_int_equal(lw_session_find_resource(world.session, "pods", on_found, &f, &find, NULL),
                     LW_OK);
    session_world_await(&world, &f.missed, 1);
    assert_int_equal(f.last, LW_ERR_UNAVAILABLE);
    answer("GET /api ", AGGREGATED("", "pods", "Pod"));
    answer("GET /apis ", NONE);
    assert_int_equal(lw_session_find_resource(world.session, "pods", on_found, &f, &find, NULL),
                     LW_OK);
    session_world_await(&world, &f.found, 1);
}

/* What was remembered is wrong. */
static void who_looks_anew_is_told_what_the_server_has_now(void **state)
{
    (void)state;
    finder f = { 0 };
    lw_session_find *find = NULL;
    script_server_play(world.server, "GET /api ",
                       (const script_step[]){ { SCRIPT_SEND, AGGREGATED("", "pods", "Pod"), 0 },
                                              { SCRIPT_CLOSE, NULL, 0 },
                                              { 0 } });
    answer("GET /api ", AGGREGATED("", "nodes", "Node"));
    answer("GET /apis ", NONE);
    expect("pods", "v1");
    assert_int_equal(lw_session_find_resource(world.session, "pods", on_found, &f, &find, NULL),
                     LW_OK);
    session_world_await(&world, &f.found, 1); /* as it remembers */
    assert_int_equal(lw_session_find_resource_anew(world.session, "pods", on_found, &f, &find,
                                                   NULL),
                     LW_OK);
    session_world_await(&world, &f.missed, 1);
    assert_int_equal(f.last, LW_ERR_NOT_FOUND);
}

#define CASE(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(two_requests_are_enough_where_discovery_is_aggregated),
        CASE(a_server_of_old_is_asked_version_by_version),
        CASE(a_server_without_a_root_serves_the_other),
        CASE(what_is_no_api_server_is_told_so),
        CASE(a_server_that_is_away_is_not_a_missing_resource),
        CASE(those_who_look_at_once_share_one_discovery),
        CASE(who_no_longer_looks_is_not_told),
        CASE(a_failed_discovery_is_told_and_tried_again),
        CASE(who_looks_anew_is_told_what_the_server_has_now),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
