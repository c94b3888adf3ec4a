/* SPDX-License-Identifier: Apache-2.0 */
/* audit_test.c -- the events of requests, from their headers to the end of their replies, as they
 * are in the log. */
#include "server/audit/audit.h"

#include "base/clock.h"
#include "base/file/files.h"
#include "base/str.h"
#include "server/endpoints/handler.h"
#include "support/api_world.h"
#include "unit/server/scratch_folder.h"
#include "json/fields.h"
#include "json/path.h"

#define HEAD   "apiVersion: audit.k8s.io/v1\nkind: Policy\n"
#define ALL(x) HEAD "rules: [{level: " x "}]\n"

/* A server without sockets whose requests are audited, with a user jane. */
typedef struct site {
    scratch s;
    api_world world;
    lw_server_parts parts;
    lw_http_handler handler;
    lw_tree *events[64]; /* as read by read_events */
    size_t count;
} site;

static void site_begin_on(site *t, const char *policy, lw_audit_mode mode, const char *log)
{
    char policy_path[192], log_path[192];
    lw_error err = LW_ERROR_INIT;
    *t = (site){ .count = 0 };
    scratch_begin(&t->s);
    scratch_write(&t->s, "tokens", "janes-token,jane,1,dev\n");
    scratch_write(&t->s, "policy", policy);
    if (api_world_open(&t->world, &err) < 0)
        fail_msg("%s", err.message);
    t->parts.api = t->world.api;
    t->parts.clock = lw_manual_clock_as_clock(t->world.clock);
    const lw_authn_options authn = { .token_file = scratch_path(&t->s, "tokens"),
                                     .admin_token = LW_STR("secret"),
                                     .clock = t->parts.clock };
    assert_int_equal(lw_authn_new(&t->parts.auth, &authn, &err), LW_OK);
    (void)snprintf(policy_path, sizeof(policy_path), "%s/policy", t->s.folder);
    (void)snprintf(log_path, sizeof(log_path), "%s/log", t->s.folder);
    const lw_audit_options options = {
        .policy_file = policy_path,
        .sink = { .log = { .path = log ? log : log_path, .clock = t->parts.clock }, .mode = mode }
    };
    if (lw_audit_new(&t->parts.audit, &options, &err) < 0)
        fail_msg("%s", err.message);
    t->handler = lw_server_handler(&t->parts);
}

static void site_begin(site *t, const char *policy)
{
    site_begin_on(t, policy, LW_AUDIT_BLOCKING, NULL);
}

static void site_end(site *t)
{
    for (size_t i = 0; i < t->count; i++)
        lw_tree_free(t->events[i]);
    t->world.api->authz = NULL;
    api_world_close(&t->world);
    lw_audit_free(t->parts.audit);
    lw_authz_free(t->parts.authz);
    lw_authn_free(t->parts.auth);
    scratch_end(&t->s);
}

/* Everybody except system:masters is forbidden everything. */
static void deny(site *t)
{
    const lw_authz_mode mode = LW_AUTHZ_MODE_ALWAYS_DENY;
    lw_error err = LW_ERROR_INIT;
    assert_int_equal(lw_authz_new(&t->parts.authz, &mode, 1, &err), LW_OK);
    t->world.api->authz = t->parts.authz;
}

static fake_http *ask(site *t, const fake_http_request *request)
{
    fake_http *http = fake_http_new(t->world.loop, request);
    assert_non_null(http);
    http->peer.is_tls = true;
    http->peer.address = LW_STR("[::1]:4711");
    (void)t->handler.on_head(&http->stream, t->handler.arg);
    if (!http->is_ended)
        t->handler.on_request(&http->stream, t->handler.arg);
    api_world_turns(&t->world, 3);
    return http;
}

static int serve(site *t, const fake_http_request *request)
{
    fake_http *http = ask(t, request);
    int status = http->status;
    fake_http_free(http);
    return status;
}

static int get(site *t, const char *target)
{
    return serve(t, &(fake_http_request){ .method = "GET",
                                          .target = target,
                                          .headers = { "authorization", "Bearer janes-token" } });
}

static void read_events(site *t)
{
    lw_buf text;
    lw_error err = LW_ERROR_INIT;
    lw_str rest, line;
    for (size_t i = 0; i < t->count; i++)
        lw_tree_free(t->events[i]);
    t->count = 0;
    lw_buf_init(&text, 16 << 20);
    assert_int_equal(lw_file_read(scratch_path(&t->s, "log"), &text, &err), LW_OK);
    rest = lw_buf_view(&text);
    while (lw_str_cut(rest, '\n', &line, &rest)) {
        if (lw_tree_parse(&t->events[t->count++], line, 0, &err) < 0)
            fail_msg("%s: %.*s", err.message, LW_STR_ARG(line));
    }
    lw_buf_done(&text);
}

static const lw_node *event(site *t, size_t index)
{
    if (index >= t->count)
        fail_msg("there are only %zu events", t->count);
    return lw_tree_root(t->events[index]);
}

/* The value at |pointer|, whose numbers are indexes of arrays; NULL: none. */
static const lw_node *find(const lw_node *node, const char *pointer)
{
    lw_str rest = lw_str_of(pointer), segment;
    size_t index = 0;
    while (lw_json_path_next(&rest, &segment)) {
        if (lw_node_is(node, LW_JSON_ARRAY))
            node = lw_json_path_index(segment, &index) ? lw_node_at(node, index) : NULL;
        else
            node = lw_node_get(node, segment);
    }
    return node;
}

static void assert_field(site *t, size_t index, const char *pointer, const char *text)
{
    lw_str found = lw_node_text(find(event(t, index), pointer));
    if (!lw_str_equal(found, lw_str_of(text)))
        fail_msg("%s of event %zu is \"%.*s\", not \"%s\"", pointer, index, LW_STR_ARG(found),
                 text);
}

static void assert_absent(site *t, size_t index, const char *pointer)
{
    assert_null(find(event(t, index), pointer));
}

static void a_request_has_two_events(void **state)
{
    (void)state;
    site t;
    site_begin(&t, ALL("Metadata"));
    assert_int_equal(serve(&t,
                           &(fake_http_request){
                               .method = "GET",
                               .target = "/apis/apps/v1/namespaces/n/deployments/d?x=%20",
                               .headers = { "authorization", "Bearer janes-token", "user-agent",
                                            "test/1", "x-forwarded-for", "10.1.2.3, nonsense" } }),
                     404);
    read_events(&t);
    assert_int_equal(t.count, 2);
    assert_field(&t, 0, "/stage", "RequestReceived");
    assert_field(&t, 0, "/requestURI", "/apis/apps/v1/namespaces/n/deployments/d?x=%20");
    assert_field(&t, 0, "/objectRef/name", "d");
    assert_field(&t, 0, "/stageTimestamp", "2026-11-15T01:49:24.000000Z");
    assert_absent(&t, 0, "/responseStatus");
    assert_absent(&t, 0, "/annotations");
    assert_field(&t, 1, "/kind", "Event");
    assert_field(&t, 1, "/apiVersion", "audit.k8s.io/v1");
    assert_field(&t, 1, "/level", "Metadata");
    assert_field(&t, 1, "/stage", "ResponseComplete");
    assert_field(&t, 1, "/requestURI", "/apis/apps/v1/namespaces/n/deployments/d?x=%20");
    assert_field(&t, 1, "/verb", "get");
    assert_field(&t, 1, "/user/username", "jane");
    assert_field(&t, 1, "/user/uid", "1");
    assert_int_equal(lw_node_count(lw_fields_find(event(&t, 1), "/sourceIPs")), 2);
    assert_field(&t, 1, "/sourceIPs/0", "10.1.2.3");
    assert_field(&t, 1, "/sourceIPs/1", "::1");
    assert_field(&t, 1, "/userAgent", "test/1");
    assert_field(&t, 1, "/objectRef/resource", "deployments");
    assert_field(&t, 1, "/objectRef/namespace", "n");
    assert_field(&t, 1, "/objectRef/name", "d");
    assert_field(&t, 1, "/objectRef/apiGroup", "apps");
    assert_field(&t, 1, "/objectRef/apiVersion", "v1");
    assert_field(&t, 1, "/responseStatus/status", "Failure");
    assert_field(&t, 1, "/responseStatus/reason", "NotFound");
    assert_field(&t, 1, "/responseStatus/message", "deployments.apps \"d\" not found");
    assert_field(&t, 1, "/responseStatus/code", "404");
    assert_absent(&t, 1, "/responseObject");
    assert_field(&t, 1, "/requestReceivedTimestamp", "2026-11-15T01:49:24.000000Z");
    assert_field(&t, 1, "/stageTimestamp", "2026-11-15T01:49:24.000000Z");
    const lw_node *notes = lw_node_get(event(&t, 1), LW_STR("annotations"));
    assert_true(
        lw_str_equal(lw_fields_text(notes, "authorization.k8s.io/decision"), LW_STR("allow")));
    lw_str first = lw_fields_text(event(&t, 0), "auditID");
    assert_int_equal(first.len, 36);
    assert_true(lw_str_equal(first, lw_fields_text(event(&t, 1), "auditID")));
    site_end(&t);
}

static void the_audit_id_of_the_client_is_used_and_replied(void **state)
{
    (void)state;
    site t;
    lw_str header;
    site_begin(&t, ALL("Metadata"));
    fake_http *http =
        ask(&t, &(fake_http_request){
                    .method = "GET",
                    .target = "/api/v1/namespaces/x",
                    .headers = { "authorization", "Bearer janes-token", "audit-id", "my-own" } });
    assert_true(fake_http_header(http, "audit-id", 0, &header));
    assert_true(lw_str_equal(header, LW_STR("my-own")));
    fake_http_free(http);
    http = ask(&t, &(fake_http_request){ .method = "GET",
                                         .target = "/api/v1/namespaces/x",
                                         .headers = { "authorization", "Bearer janes-token" } });
    assert_true(fake_http_header(http, "audit-id", 0, &header));
    read_events(&t);
    assert_field(&t, 1, "/auditID", "my-own");
    assert_true(lw_str_equal(header, lw_fields_text(event(&t, 3), "auditID")));
    fake_http_free(http);
    site_end(&t);
}

#define NEW_MAP "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"a\"}}"

static int create(site *t, const char *type, const char *body)
{
    return serve(t, &(fake_http_request){
                        .method = "POST",
                        .target = "/api/v1/namespaces/default/configmaps",
                        .headers = { "authorization", "Bearer janes-token", "content-type", type },
                        .body = lw_str_of(body) });
}

static void a_created_object_is_named_by_its_body(void **state)
{
    (void)state;
    site t;
    site_begin(&t, ALL("Metadata"));
    (void)create(&t, "application/json", NEW_MAP);
    (void)create(&t, "application/yaml", "kind: ConfigMap\napiVersion: v1\nmetadata:\n  name: b\n");
    (void)create(&t, "application/json", "{\"metadata\":{\"name\":\"c\"");
    (void)create(&t, "application/json",
                 "{\"metadata\":{\"n\\u0061me\":\"d\\u002de\",\"labels\":{\"name\":\"x\"},"
                 "\"uid\":\"\\u0075\",\"resourceVersion\":7}}");
    (void)create(&t, "application/json", "{\"metadata\":[{\"name\":\"f\"}]}");
    read_events(&t);
    assert_absent(&t, 0, "/objectRef/name"); /* the body has not arrived yet */
    assert_field(&t, 1, "/objectRef/name", "a");
    assert_field(&t, 3, "/objectRef/name", "b");
    assert_absent(&t, 5, "/objectRef/name");
    assert_field(&t, 5, "/responseStatus/code", "400");
    assert_field(&t, 7, "/objectRef/name", "d-e");
    assert_field(&t, 7, "/objectRef/uid", "u");
    assert_absent(&t, 7, "/objectRef/resourceVersion"); /* is not a text */
    assert_absent(&t, 9, "/objectRef/name");
    site_end(&t);
}

static void levels_decide_which_bodies_are_shown(void **state)
{
    (void)state;
    site t;
    site_begin(&t, HEAD "omitStages: [RequestReceived]\nomitManagedFields: true\nrules:\n"
                        "- {level: Request, verbs: [create]}\n- {level: RequestResponse}\n");
    (void)api_world_put(&t.world, "configmaps/default/z",
                        "{\"kind\":\"ConfigMap\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":"
                        "\"z\",\"namespace\":\"default\",\"managedFields\":[]},\"data\":{\"k\":"
                        "\"v\"}}");
    (void)create(&t, "application/yaml", "kind: ConfigMap\nmetadata: {name: b}\n");
    (void)create(&t, "application/json", "{not json");
    assert_int_equal(get(&t, "/api/v1/namespaces/default/configmaps/z?pretty=1"), 200);
    assert_int_equal(get(&t, "/api/v1/namespaces/default/configmaps"), 200);
    assert_int_equal(serve(&t,
                           &(fake_http_request){
                               .method = "GET",
                               .target = "/api/v1/namespaces/default/configmaps/z",
                               .headers = { "authorization", "Bearer janes-token", "accept",
                                            "application/vnd.kubernetes.protobuf" } }),
                     200);
    read_events(&t);
    assert_field(&t, 0, "/requestObject/metadata/name", "b");
    assert_absent(&t, 0, "/responseObject");
    assert_absent(&t, 1, "/requestObject");
    assert_absent(&t, 2, "/requestObject");
    assert_field(&t, 2, "/responseObject/data/k", "v");
    assert_absent(&t, 2, "/responseObject/metadata/managedFields");
    assert_field(&t, 3, "/responseObject/kind", "ConfigMapList");
    assert_field(&t, 3, "/responseObject/items/0/metadata/name", "z");
    assert_absent(&t, 3, "/responseObject/items/0/metadata/managedFields");
    assert_field(&t, 4, "/responseObject/kind", "ConfigMap");
    assert_field(&t, 4, "/responseObject/data/k", "v");
    site_end(&t);
}

static void a_body_that_is_too_large_is_left_out(void **state)
{
    (void)state;
    site t;
    static char body[LW_AUDIT_BODY_MAX + 200];
    site_begin(&t, HEAD "omitStages: [RequestReceived]\nrules: [{level: Request}]\n");
    int len = snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"a\"},\"data\":{\"k\":\"");
    memset(body + len, 'x', LW_AUDIT_BODY_MAX);
    (void)snprintf(body + len + LW_AUDIT_BODY_MAX, 10, "\"}}");
    (void)create(&t, "application/json", body);
    read_events(&t);
    assert_absent(&t, 0, "/requestObject");
    assert_field(&t, 0, "/objectRef/name", "a");
    const lw_node *notes = lw_node_get(event(&t, 0), LW_STR("annotations"));
    assert_true(lw_str_equal(lw_fields_text(notes, "audit.k8s.io/truncated"), LW_STR("true")));
    site_end(&t);
}

static void a_watch_has_a_started_event_and_ends_when_it_is_closed(void **state)
{
    (void)state;
    site t;
    site_begin(&t, ALL("RequestResponse"));
    fake_http *http =
        ask(&t, &(fake_http_request){ .method = "GET",
                                      .target = "/api/v1/pods?watch=1",
                                      .headers = { "authorization", "Bearer janes-token" } });
    read_events(&t);
    assert_int_equal(t.count, 2);
    assert_field(&t, 1, "/stage", "ResponseStarted");
    assert_field(&t, 1, "/verb", "watch");
    assert_field(&t, 1, "/responseStatus/code", "200");
    lw_manual_clock_advance(t.world.clock, 5 * LW_NS_PER_S);
    fake_http_free(http);
    api_world_turns(&t.world, 3);
    read_events(&t);
    assert_int_equal(t.count, 3);
    assert_field(&t, 2, "/stage", "ResponseComplete");
    assert_field(&t, 2, "/requestReceivedTimestamp", "2026-11-15T01:49:24.000000Z");
    assert_field(&t, 2, "/stageTimestamp", "2026-11-15T01:49:29.000000Z");
    assert_absent(&t, 2, "/responseObject");
    site_end(&t);
}

static void failed_authentication_is_recorded_without_a_user(void **state)
{
    (void)state;
    site t;
    site_begin(&t, ALL("Metadata"));
    assert_int_equal(serve(&t,
                           &(fake_http_request){ .method = "GET",
                                                 .target = "/api/v1/pods",
                                                 .headers = { "authorization", "Bearer wrong" } }),
                     401);
    read_events(&t);
    assert_int_equal(t.count, 1);
    assert_field(&t, 0, "/stage", "ResponseStarted");
    assert_int_equal(lw_node_count(lw_fields_find(event(&t, 0), "/user")), 0);
    assert_field(&t, 0, "/responseStatus/reason", "Unauthorized");
    assert_field(&t, 0, "/responseStatus/code", "401");
    assert_absent(&t, 0, "/annotations");
    site_end(&t);
}

static void a_forbidden_request_says_why_and_shows_no_body(void **state)
{
    (void)state;
    site t;
    site_begin(&t, HEAD "omitStages: [RequestReceived]\nrules: [{level: Request}]\n");
    deny(&t);
    assert_int_equal(create(&t, "application/json", NEW_MAP), 403);
    read_events(&t);
    const lw_node *notes = lw_node_get(event(&t, 0), LW_STR("annotations"));
    assert_true(
        lw_str_equal(lw_fields_text(notes, "authorization.k8s.io/decision"), LW_STR("forbid")));
    assert_true(lw_str_equal(lw_fields_text(notes, "authorization.k8s.io/reason"),
                             LW_STR("alwaysdeny: Everything is forbidden.")));
    assert_field(&t, 0, "/responseStatus/reason", "Forbidden");
    assert_absent(&t, 0, "/requestObject");
    assert_absent(&t, 0, "/objectRef/name");
    site_end(&t);
}

static void an_impersonated_user_stands_beside_the_real_one(void **state)
{
    (void)state;
    site t;
    site_begin(&t, HEAD "omitStages: [RequestReceived]\n"
                        "rules: [{level: Metadata, users: ['system:admin']}]\n");
    assert_int_equal(serve(&t, &(fake_http_request){ .method = "GET",
                                                     .target = "/api/v1/namespaces/x",
                                                     .headers = { "authorization", "Bearer secret",
                                                                  "impersonate-user", "bob" } }),
                     404);
    read_events(&t);
    assert_field(&t, 0, "/user/username", "system:admin");
    assert_field(&t, 0, "/impersonatedUser/username", "bob");
    site_end(&t);
}

static void a_client_that_goes_away_before_the_reply_is_recorded(void **state)
{
    (void)state;
    site t;
    site_begin(&t, HEAD "omitStages: [RequestReceived]\nrules: [{level: Metadata}]\n");
    const fake_http_request request = { .method = "POST",
                                        .target = "/api/v1/namespaces/default/configmaps",
                                        .headers = { "authorization", "Bearer janes-token" } };
    fake_http *http = fake_http_new(t.world.loop, &request);
    http->peer.is_tls = true;
    (void)t.handler.on_head(&http->stream, t.handler.arg);
    fake_http_free(http); /* its body never comes */
    read_events(&t);
    assert_field(&t, 0, "/stage", "ResponseComplete");
    assert_field(&t, 0, "/responseStatus/message", "Connection closed early");
    site_end(&t);
}

static void level_none_writes_nothing(void **state)
{
    (void)state;
    site t;
    lw_audit_stats stats;
    site_begin(&t, HEAD "rules: [{level: None, users: [jane]}, {level: Metadata}]\n");
    assert_int_equal(get(&t, "/api/v1/namespaces/x"), 404);
    read_events(&t);
    assert_int_equal(t.count, 0);
    lw_audit_read_stats(t.parts.audit, &stats);
    assert_int_equal(stats.events, 0);
    assert_int_equal(stats.levels[LW_AUDIT_NONE], 1);
    site_end(&t);
}

static void strict_mode_refuses_what_it_cannot_record(void **state)
{
    (void)state;
    site t;
    lw_audit_stats stats;
    if (access("/dev/full", W_OK) < 0)
        skip();
    site_begin_on(&t, ALL("Metadata"), LW_AUDIT_BLOCKING_STRICT, "/dev/full");
    assert_int_equal(get(&t, "/api/v1/namespaces/x"), 500);
    lw_audit_read_stats(t.parts.audit, &stats);
    assert_int_equal(stats.rejected, 1);
    assert_int_equal(stats.sink.failed, 2);
    site_end(&t);
    site_begin_on(&t, ALL("Metadata"), LW_AUDIT_BLOCKING, "/dev/full");
    assert_int_equal(get(&t, "/api/v1/namespaces/x"), 404);
    site_end(&t);
}

static void metrics_are_named_as_in_kube_apiserver(void **state)
{
    (void)state;
    site t;
    lw_buf out;
    site_begin(&t, ALL("Metadata"));
    (void)get(&t, "/api/v1/namespaces/x");
    lw_buf_init(&out, 1 << 16);
    lw_audit_write_metrics(t.parts.audit, &out);
    lw_buf_append_char(&out, '\0');
    assert_non_null(strstr(out.data, "\napiserver_audit_event_total 2\n"));
    assert_non_null(strstr(out.data, "\napiserver_audit_error_total{plugin=\"buffered\"} 0\n"));
    assert_non_null(strstr(out.data, "\napiserver_audit_level_total{level=\"Metadata\"} 1\n"));
    assert_non_null(strstr(out.data, "\napiserver_audit_requests_rejected_total 0\n"));
    lw_buf_done(&out);
    site_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_request_has_two_events),
        TEST(the_audit_id_of_the_client_is_used_and_replied),
        TEST(a_created_object_is_named_by_its_body),
        TEST(levels_decide_which_bodies_are_shown),
        TEST(a_body_that_is_too_large_is_left_out),
        TEST(a_watch_has_a_started_event_and_ends_when_it_is_closed),
        TEST(failed_authentication_is_recorded_without_a_user),
        TEST(a_forbidden_request_says_why_and_shows_no_body),
        TEST(an_impersonated_user_stands_beside_the_real_one),
        TEST(a_client_that_goes_away_before_the_reply_is_recorded),
        TEST(level_none_writes_nothing),
        TEST(strict_mode_refuses_what_it_cannot_record),
        TEST(metrics_are_named_as_in_kube_apiserver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
