/* SPDX-License-Identifier: Apache-2.0 */
/* serve_test.c -- a request becomes a call, or is refused; what every reply carries. */
#include "api/context/port.h"
#include "api/http/call.h"
#include "base/alloc.h"
#include "base/str.h"
#include "unit/api/asked.h"
#include "unit/failing_alloc.h"

#define STATUS(message, reason, rest)                                                              \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},\"status\":\"Failure\","           \
    "\"message\":\"" message "\",\"reason\":\"" reason "\"" rest "}\n"

static fake_http *ask_method(api_world *world, const char *method, const char *target)
{
    fake_http_request request = { .method = method, .target = target };
    return api_world_ask(world, &request);
}

static void an_unknown_resource_is_404_as_a_status(void **state)
{
    assert_answer(*state, "/api/v1/foos", 404,
                  STATUS("the server could not find the requested resource", "NotFound",
                         ",\"details\":{},\"code\":404"));
}

static void an_unknown_group_is_404_as_text(void **state)
{
    fake_http *http = ask(*state, "/apis/nope/v1/foos", 404);
    assert_header(http, "content-type", "text/plain; charset=utf-8");
    assert_came(http, "404 page not found\n");
    fake_http_free(http);
}

static void methods_nobody_serves_are_405(void **state)
{
    static const char *const methods[] = { "HEAD", "OPTIONS", "BREW" };
    for (size_t i = 0; i < 3; i++) {
        fake_http *http = ask_method(*state, methods[i], "/api/v1/pods");
        assert_int_equal(http->status, 405);
        assert_came(http, STATUS("the server does not allow this method on the requested resource",
                                 "MethodNotAllowed", ",\"details\":{},\"code\":405"));
        fake_http_free(http);
    }
}

static void paths_of_others_are_left_to_them(void **state)
{
    api_world *world = *state;
    fake_http_request request = { .method = "GET", .target = "/healthz" };
    fake_http *http = fake_http_new(world->loop, &request);
    assert_false(lw_api_serve(world->api, &http->stream, NULL));
    assert_int_equal(http->status, 0);
    assert_int_equal(lw_ref_count(&http->stream.refs), 1);
    fake_http_free(http);
}

static void malformed_paths_and_too_many_parameters_are_400(void **state)
{
    fake_http *http = ask(*state, "/api/v1/pods%zz", 400);
    assert_body_has(http, "the path has a malformed escape");
    fake_http_free(http);
    char target[400] = "/api/v1/pods?";
    for (int i = 0; i < 65; i++)
        strncat(target, "a=1&", 5);
    http = ask(*state, target, 400);
    assert_body_has(http, "the request has too many parameters");
    fake_http_free(http);
}

static void what_cannot_be_had_is_406(void **state)
{
    fake_http *http = ask_as(*state, "/api/v1/pods", "text/html", 406);
    assert_header(http, "content-type", "application/json");
    assert_body_has(http, "406: Not Acceptable\\n\\nAvailable representations: application/json");
    fake_http_free(http);
    static const char table[] =
        "application/vnd.kubernetes.protobuf;as=Table;v=v1;g=meta.k8s.io,application/json";
    http = ask_as(*state, "/apis", "application/vnd.kubernetes.protobuf;as=Table", 406);
    fake_http_free(http);
    http = ask_as(*state, "/apis", table, 200);
    assert_header(http, "content-type", "application/json");
    fake_http_free(http);
}

static void a_timeout_must_be_a_duration(void **state)
{
    assert_answer(*state, "/api/v1/pods?timeout=invalid", 400,
                  STATUS("invalid timeout specified in the request URL - time: invalid duration "
                         "\\\"invalid\\\"",
                         "BadRequest", ",\"code\":400"));
    fake_http *http = ask(*state, "/api/v1/pods?timeout=32s", 200);
    fake_http_free(http);
    http = ask(*state, "/api/v1/pods?watch=1&timeout=whatever", 200);
    fake_http_free(http);
    http = ask(*state, "/apis?timeout=x", 400);
    fake_http_free(http);
}

static void every_reply_has_an_audit_id(void **state)
{
    static const char *const targets[] = { "/api/v1/pods", "/api/v1/foos", "/nope", "/version",
                                           "/api/v1/pods?watch=1" };
    for (size_t i = 0; i < 5; i++) {
        lw_str value;
        fake_http *http = api_world_get(*state, targets[i], NULL);
        if (i != 2)
            assert_true(fake_http_header(http, "audit-id", 0, &value) && value.len == 36);
        fake_http_free(http);
    }
}

static void the_clients_audit_id_comes_back_unless_it_is_odd(void **state)
{
    fake_http_request request = { .method = "GET",
                                  .target = "/api/v1/pods",
                                  .headers = { "audit-id", "my-own-id" } };
    fake_http *http = api_world_ask(*state, &request);
    assert_header(http, "Audit-Id", "my-own-id");
    fake_http_free(http);
    request.headers[1] = "a\nSet-Cookie: b";
    http = api_world_ask(*state, &request);
    lw_str value;
    assert_true(fake_http_header(http, "Audit-Id", 0, &value));
    assert_int_equal(value.len, 36);
    fake_http_free(http);
}

static void errors_come_in_the_form_that_is_wanted(void **state)
{
    fake_http *http = ask_as(*state, "/api/v1/namespaces/a/pods/b", "application/yaml", 404);
    assert_header(http, "content-type", "application/yaml");
    assert_body_has(http, "apiVersion: v1\ncode: 404\ndetails:\n");
    fake_http_free(http);
    http = ask(*state, "/api/v1/namespaces/a/pods/b?pretty=1", 404);
    assert_body_has(http, "{\n  \"kind\": \"Status\",");
    fake_http_free(http);
}

static void outsiders_can_refuse_in_the_same_words(void **state)
{
    api_world *world = *state;
    static const struct {
        int code;
        const char *message, *body;
    } rows[] = {
        { 401, "", STATUS("Unauthorized", "Unauthorized", ",\"code\":401") },
        { 413, "limit is 3145728",
          STATUS("Request entity too large: limit is 3145728", "RequestEntityTooLarge",
                 ",\"code\":413") },
        { 400, "nonsense", STATUS("nonsense", "BadRequest", ",\"code\":400") },
        { 503, "stopping", STATUS("stopping", "ServiceUnavailable", ",\"code\":503") },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        fake_http_request request = { .method = "GET", .target = "/api/v1/pods" };
        fake_http *http = fake_http_new(world->loop, &request);
        lw_api_refuse(world->api, &http->stream, rows[i].code, lw_str_of(rows[i].message));
        assert_int_equal(http->status, rows[i].code);
        assert_came(http, rows[i].body);
        fake_http_free(http);
    }
}

/* How many requests of a kind were answered with |code|. */
static uint64_t counted(const lw_request_metrics *sum, const char *plural, lw_request_verb verb,
                        lw_request_scope scope, int code)
{
    for (const lw_resource_metrics *r = atomic_load(&sum->resources); r; r = r->next) {
        if (!lw_str_equal(r->plural, lw_str_of(plural)))
            continue;
        for (const lw_request_series *s = atomic_load(&r->series); s; s = s->next) {
            for (size_t i = 0; i < LW_REQUEST_CODES; i++) {
                if (s->way.verb == verb && s->way.scope == scope &&
                    atomic_load(&s->codes[i].code) == code)
                    return lw_counter_read(&s->codes[i].count);
            }
        }
    }
    return 0;
}

static void requests_are_counted_by_verb_and_outcome(void **state)
{
    api_world *world = *state;
    lw_request_metrics sum;
    lw_request_metrics_init(&sum);
    fake_http_free(ask(world, "/api/v1/pods", 200));
    fake_http_free(ask(world, "/api/v1/pods?limit=x", 400));
    fake_http_free(ask(world, "/api/v1/namespaces/a/pods/b", 404));
    fake_http_free(ask(world, "/api/v1/pods?watch=1", 200));
    fake_http_free(ask(world, "/version", 200));
    fake_http_free(ask(world, "/api/v1/nonsense", 404));
    assert_int_equal(lw_api_add_request_metrics(world->loop, &sum), LW_OK);
    assert_int_equal(counted(&sum, "pods", LW_REQUEST_LIST, LW_REQUEST_SCOPE_CLUSTER, 200), 1);
    assert_int_equal(counted(&sum, "pods", LW_REQUEST_LIST, LW_REQUEST_SCOPE_CLUSTER, 400), 1);
    assert_int_equal(counted(&sum, "pods", LW_REQUEST_GET, LW_REQUEST_SCOPE_RESOURCE, 404), 1);
    /* A watch is counted when it ends, which is when its client goes. */
    assert_int_equal(counted(&sum, "pods", LW_REQUEST_WATCH, LW_REQUEST_SCOPE_CLUSTER, 200), 1);
    /* What is not of a served resource has no names. */
    assert_int_equal(counted(&sum, "", LW_REQUEST_GET, LW_REQUEST_SCOPE_NONE, 200), 1);
    assert_int_equal(counted(&sum, "", LW_REQUEST_GET, LW_REQUEST_SCOPE_NONE, 404), 1);
    assert_int_equal(lw_counter_read(&sum.in_flight[0]), 0);
    lw_request_metrics_done(&sum);
}

/* A call as the verbs see it. */
static lw_api_call *make_call(api_world *world, fake_http *http)
{
    lw_api_call *call = lw_alloc_zero(1, sizeof(*call));
    call->api = world->api;
    call->port = lw_loop_data(world->loop);
    call->stream = lw_http_stream_ref(&http->stream);
    lw_buf_init(&call->query.text, 100);
    lw_buf_init(&call->warnings, LW_CALL_WARNING_BYTES);
    lw_buf_init(&call->path_text, 100);
    return call;
}

static void warnings_are_quoted_and_told_once(void **state)
{
    api_world *world = *state;
    fake_http_request request = { .method = "GET", .target = "/" };
    fake_http *http = fake_http_new(world->loop, &request);
    lw_api_call *call = make_call(world, http);
    lw_str value;
    lw_call_warn(call, LW_STR("unknown field \"dtaa\""));
    lw_call_warn(call, LW_STR("unknown field \"dtaa\""));
    lw_call_warn(call, LW_STR("line\nbreak \\"));
    lw_call_warn(call, LW_STR(""));
    lw_call_reply_text(call, 200, "text/plain", LW_STR("x"));
    assert_true(fake_http_header(http, "warning", 0, &value));
    assert_str_equal(value, "299 - \"unknown field \\\"dtaa\\\"\"");
    assert_true(fake_http_header(http, "warning", 1, &value));
    assert_str_equal(value, "299 - \"line break \\\\\"");
    assert_false(fake_http_header(http, "warning", 2, &value));
    fake_http_free(http);
}

static void many_warnings_are_cut_short_and_take_4_kib_at_most(void **state)
{
    api_world *world = *state;
    fake_http_request request = { .method = "GET", .target = "/" };
    fake_http *http = fake_http_new(world->loop, &request);
    lw_api_call *call = make_call(world, http);
    lw_str value;
    size_t count = 0, total = 0;
    for (int i = 0; i < 100; i++) {
        char text[1000];
        memset(text, 'w', sizeof(text));
        (void)snprintf(text, 20, "%d", i);
        text[2] = 'w';
        lw_call_warn(call, lw_str_make(text, sizeof(text)));
    }
    lw_call_reply_text(call, 200, "text/plain", LW_STR("x"));
    while (fake_http_header(http, "warning", count, &value)) {
        assert_true(value.len <= 256 + 9);
        total += value.len - strlen("299 - \"\"");
        count++;
    }
    /* What Kubernetes sends at most. */
    assert_in_range(total, 4096 - 256, 4096);
    fake_http_free(http);
}

static void without_memory_the_answer_is_500(void **state)
{
    api_world *world = *state;
    bool was_500 = false;
    for (size_t allowed = 0; allowed < 20; allowed++) {
        failing_alloc f;
        fake_http_request request = { .method = "GET", .target = "/api/v1/namespaces/a/pods/b" };
        fake_http *http = fake_http_new(world->loop, &request);
        (void)lw_buf_reserve(&http->headers, 4096);
        (void)lw_buf_reserve(&http->body, 4096);
        failing_alloc_begin(&f, allowed);
        (void)lw_api_serve(world->api, &http->stream, NULL);
        failing_alloc_end();
        assert_true(http->status == 500 || http->status == 404);
        was_500 = was_500 || http->status == 500;
        if (http->status == 500 && http->body.len > 0)
            assert_body_has(http, "Internal error occurred: out of memory");
        assert_int_equal(lw_ref_count(&http->stream.refs), 1);
        fake_http_free(http);
    }
    assert_true(was_500);
}

static void a_reply_to_somebody_who_left_leaks_nothing(void **state)
{
    api_world *world = *state;
    fake_http_request request = { .method = "GET", .target = "/api/v1/pods" };
    fake_http *http = fake_http_new(world->loop, &request);
    fake_http_close(http);
    assert_true(lw_api_serve(world->api, &http->stream, NULL));
    assert_int_equal(lw_ref_count(&http->stream.refs), 1);
    fake_http_free(http);
    request.target = "/api/v1/pods?watch=1";
    http = fake_http_new(world->loop, &request);
    fake_http_close(http);
    assert_true(lw_api_serve(world->api, &http->stream, NULL));
    assert_int_equal(lw_ref_count(&http->stream.refs), 1);
    fake_http_free(http);
}

static void component_statuses_are_made_when_asked_for(void **state)
{
    fake_http *http = ask(*state, "/api/v1/componentstatuses/etcd-0", 200);
    assert_body_has(http, "{\"kind\":\"ComponentStatus\",\"apiVersion\":\"v1\",\"metadata\":{"
                          "\"name\":\"etcd-0\"},\"conditions\":[{\"type\":\"Healthy\",\"status\":"
                          "\"True\",\"message\":\"ok\"}]}");
    fake_http_free(http);
    http = ask(*state, "/api/v1/componentstatuses?fieldSelector=metadata.name%3Dscheduler", 200);
    assert_body_has(http, "\"metadata\":{},\"items\":[{\"metadata\":{\"name\":\"scheduler\"},"
                          "\"conditions\":[{\"type\":\"Healthy\",\"status\":\"False\",");
    fake_http_free(http);
    fake_http_free(ask(*state, "/api/v1/componentstatuses/none", 404));
    fake_http_free(ask(*state, "/api/v1/componentstatuses?watch=1", 405));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        WORLD_TEST(an_unknown_resource_is_404_as_a_status),
        WORLD_TEST(an_unknown_group_is_404_as_text),
        WORLD_TEST(methods_nobody_serves_are_405),
        WORLD_TEST(paths_of_others_are_left_to_them),
        WORLD_TEST(malformed_paths_and_too_many_parameters_are_400),
        WORLD_TEST(component_statuses_are_made_when_asked_for),
        WORLD_TEST(what_cannot_be_had_is_406),
        WORLD_TEST(a_timeout_must_be_a_duration),
        WORLD_TEST(every_reply_has_an_audit_id),
        WORLD_TEST(the_clients_audit_id_comes_back_unless_it_is_odd),
        WORLD_TEST(errors_come_in_the_form_that_is_wanted),
        WORLD_TEST(outsiders_can_refuse_in_the_same_words),
        WORLD_TEST(requests_are_counted_by_verb_and_outcome),
        WORLD_TEST(warnings_are_quoted_and_told_once),
        WORLD_TEST(many_warnings_are_cut_short_and_take_4_kib_at_most),
        WORLD_TEST(without_memory_the_answer_is_500),
        WORLD_TEST(a_reply_to_somebody_who_left_leaks_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
