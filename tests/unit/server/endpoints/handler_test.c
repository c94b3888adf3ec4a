/* SPDX-License-Identifier: Apache-2.0 */
/* handler_test.c -- a request is authenticated once, impersonation is refused everywhere, and every
 * reply has an Audit-Id. */
#include "server/endpoints/handler.h"

#include "base/clock.h"
#include "base/str.h"
#include "support/api_world.h"
#include "unit/server/scratch_folder.h"

/* A server without sockets: an API, and a token file with one user, jane. */
typedef struct site {
    scratch s;
    api_world world;
    lw_server_parts parts;
    lw_http_handler handler;
} site;

static void site_begin(site *t)
{
    lw_error err = LW_ERROR_INIT;
    *t = (site){ 0 };
    scratch_begin(&t->s);
    scratch_write(&t->s, "tokens", "janes-token,jane,1\n");
    if (api_world_open(&t->world, &err) < 0)
        fail_msg("%s", err.message);
    t->parts.api = t->world.api;
    t->parts.clock = lw_manual_clock_as_clock(t->world.clock);
    const lw_authn_options options = { .token_file = scratch_path(&t->s, "tokens"),
                                       .admin_token = LW_STR("secret"),
                                       .clock = t->parts.clock };
    assert_int_equal(lw_authn_new(&t->parts.auth, &options, &err), LW_OK);
    t->handler = lw_server_handler(&t->parts);
}

static void site_end(site *t)
{
    lw_authn_free(t->parts.auth);
    api_world_close(&t->world);
    scratch_end(&t->s);
}

/* The head of |request| comes in, over TLS or not. */
static fake_http *head(site *t, const fake_http_request *request, bool is_tls)
{
    fake_http *http = fake_http_new(t->world.loop, request);
    assert_non_null(http);
    http->peer.is_tls = is_tls;
    (void)t->handler.on_head(&http->stream, t->handler.arg);
    return http;
}

/* Head and body, as a protocol hands them on. */
static fake_http *serve(site *t, const fake_http_request *request, bool is_tls)
{
    fake_http *http = head(t, request, is_tls);
    if (!http->is_ended)
        t->handler.on_request(&http->stream, t->handler.arg);
    return http;
}

static void assert_status(fake_http *http, int status, const char *text)
{
    assert_int_equal(http->status, status);
    assert_non_null(strstr(http->body.data, text));
    fake_http_free(http);
}

static void a_group_a_uid_or_extra_without_a_user_is_refused(void **state)
{
    (void)state;
    static const char *const names[] = { "impersonate-group", "impersonate-uid",
                                         "impersonate-extra-scopes" };
    site t;
    site_begin(&t);
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        const fake_http_request plain = { .method = "GET",
                                          .target = "/api/v1/namespaces",
                                          .headers = { "accept", "*/*", names[i], "jane" } };
        const fake_http_request bearer = { .method = "GET",
                                           .target = "/api/v1/namespaces",
                                           .headers = { "authorization", "Bearer secret", names[i],
                                                        "x" } };
        assert_status(serve(&t, &plain, false), 400, "without impersonating a user");
        assert_status(serve(&t, &bearer, true), 400, "without impersonating a user");
    }
    site_end(&t);
}

/* Authentication comes first: a stranger learns nothing but that. */
static void a_stranger_who_impersonates_is_not_authenticated(void **state)
{
    (void)state;
    const fake_http_request request = { .method = "GET",
                                        .target = "/api/v1/pods",
                                        .headers = { "impersonate-user", "system:admin" } };
    site t;
    site_begin(&t);
    assert_status(serve(&t, &request, true), 401, "Unauthorized");
    site_end(&t);
}

static void headers_that_only_look_like_it_are_let_through(void **state)
{
    (void)state;
    const fake_http_request request = { .method = "GET",
                                        .target = "/apis/apps/v1",
                                        .headers = { "impersonate", "x", "x-impersonate-user",
                                                     "y" } };
    site t;
    site_begin(&t);
    fake_http *http = serve(&t, &request, false);
    assert_int_equal(http->status, 200);
    fake_http_free(http);
    site_end(&t);
}

/* A body may take its time: what the head was authenticated as still counts when it is in. */
static void a_request_is_authenticated_once(void **state)
{
    (void)state;
    const fake_http_request request = { .method = "POST",
                                        .target = "/apis/authentication.k8s.io/v1/"
                                                  "selfsubjectreviews",
                                        .headers = { "authorization", "Bearer janes-token" },
                                        .body = LW_STR("{}") };
    site t;
    site_begin(&t);
    fake_http *first = head(&t, &request, true);
    assert_false(first->is_ended);
    scratch_write(&t.s, "tokens", "another-token,somebody,2\n"); /* longer: seen to have changed */
    lw_manual_clock_advance(t.world.clock, 2 * LW_NS_PER_S);
    fake_http *second = head(&t, &request, true);
    assert_int_equal(second->status, 401);
    t.handler.on_request(&first->stream, t.handler.arg);
    assert_int_equal(first->status, 201);
    assert_non_null(strstr(first->body.data, "\"username\":\"jane\""));
    fake_http_free(first);
    fake_http_free(second);
    site_end(&t);
}

/* In the API, outside of it, and where there is nothing. */
static void every_reply_has_an_audit_id(void **state)
{
    (void)state;
    static const char *const targets[] = { "/api/v1/pods", "/nowhere", "/", "/api/v1/nothing" };
    site t;
    site_begin(&t);
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
        fake_http_request request = { .method = "GET", .target = targets[i] };
        lw_str id;
        fake_http *http = serve(&t, &request, false);
        assert_true(fake_http_header(http, "Audit-Id", 0, &id));
        assert_int_equal(id.len, 36);
        fake_http_free(http);
        request.headers[0] = "audit-id";
        request.headers[1] = "my-own";
        http = serve(&t, &request, false);
        assert_true(fake_http_header(http, "Audit-Id", 0, &id));
        assert_str_equal(id, "my-own");
        fake_http_free(http);
    }
    site_end(&t);
}

static void a_page_is_made_when_its_client_takes_data(void **state)
{
    (void)state;
    site t;
    site_begin(&t);
    fake_http *http = head(&t, &(fake_http_request){ .method = "GET", .target = "/" }, false);
    http->takes_nothing = true;
    t.handler.on_request(&http->stream, t.handler.arg);
    assert_int_equal(http->status, 0);
    fake_http_drain(http);
    assert_int_equal(http->status, 200);
    fake_http_free(http);
    http = head(&t, &(fake_http_request){ .method = "GET", .target = "/" }, false);
    http->takes_nothing = true;
    t.handler.on_request(&http->stream, t.handler.arg);
    fake_http_close(http); /* leaves while it waits */
    assert_int_equal(lw_ref_count(&http->stream.refs), 1);
    fake_http_free(http);
    site_end(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_page_is_made_when_its_client_takes_data),
        TEST(a_group_a_uid_or_extra_without_a_user_is_refused),
        TEST(a_stranger_who_impersonates_is_not_authenticated),
        TEST(headers_that_only_look_like_it_are_let_through),
        TEST(a_request_is_authenticated_once),
        TEST(every_reply_has_an_audit_id),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
