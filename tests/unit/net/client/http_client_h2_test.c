/* SPDX-License-Identifier: Apache-2.0 */
/* http_client_h2_test.c -- the HTTP client when ALPN selects HTTP/2. */
#include "support/h2_peer.h"
#include "unit/net/client/http_client_scene.h"

typedef struct reply {
    lw_http_call *call; /* NULL: over */
    int status;
    unsigned heads, closes, drains;
    lw_buf body;
    lw_error err;
    bool cancels_on_data;
} reply;

static void on_head(lw_http_call *call, int status, const lw_http_header *headers, size_t count,
                    void *arg)
{
    (void)call, (void)headers, (void)count;
    reply *r = arg;
    r->heads++;
    r->status = status;
}

static void on_data(lw_http_call *call, const char *bytes, size_t len, void *arg)
{
    reply *r = arg;
    lw_buf_append(&r->body, bytes, len);
    if (r->cancels_on_data) {
        lw_http_call_cancel(call);
        r->call = NULL;
    }
}

static void on_drained(lw_http_call *call, void *arg)
{
    reply *r = arg;
    assert_int_equal(lw_http_call_pending(call), 0);
    r->drains++;
}

static void on_close(lw_http_call *call, const lw_error *err, void *arg)
{
    reply *r = arg;
    assert_ptr_equal(call, r->call);
    r->call = NULL;
    r->closes++;
    if (err)
        r->err = *err;
}

static void call(scene *s, reply *r, lw_tls_context *tls, lw_http_call_options *options)
{
    const lw_http_call_sink sink = { on_head, on_data, on_drained, on_close, r };
    lw_buf_init(&r->body, 16 * 1024 * 1024);
    options->target = (lw_http_target){ .host = "127.0.0.1", .port = s->site.port, .tls = tls };
    if (options->method.len == 0)
        options->method = LW_STR("GET");
    if (lw_http_client_call(&r->call, s->client, options, &sink, &r->err) < 0)
        fail_msg("%s", r->err.message);
}

static void open_all(scene *s, lw_tls_context **tls)
{
    scene_open(s, true);
    const lw_tls_pem_options pem = { .ca = lw_buf_view(&s->ca) };
    *tls = scene_make_client(&pem);
}

static void close_all(scene *s, lw_tls_context *tls)
{
    lw_tls_context_free(tls);
    scene_close(s);
}

static void calls_share_one_connection(void **state)
{
    (void)state;
    enum {
        COUNT = 5
    };
    scene s;
    reply r[COUNT] = { { 0 } };
    lw_tls_context *tls;
    open_all(&s, &tls);
    for (int i = 0; i < COUNT; i++) {
        lw_http_call_options options = { .path = LW_STR("/later") };
        call(&s, &r[i], tls, &options);
    }
    site_wait(&s.site, &s.site.requests, COUNT);
    site_wait_connections(&s.site, 1);
    for (size_t i = 0; i < COUNT; i++) {
        assert_int_equal(s.site.kept[i]->request.version_major, 2);
        site_answer(&s.site, i, "hi");
        site_wait(&s.site, &r[i].closes, 1);
        assert_string_equal(r[i].err.message, "");
        assert_int_equal(r[i].status, 200);
        assert_str_equal(lw_buf_view(&r[i].body), "hi");
        lw_buf_done(&r[i].body);
    }
    close_all(&s, tls);
}

static void sends_a_body_whole_or_piece_by_piece(void **state)
{
    (void)state;
    scene s;
    reply r[2] = { { 0 } };
    lw_tls_context *tls;
    open_all(&s, &tls);
    lw_http_call_options whole = { .method = LW_STR("POST"),
                                   .path = LW_STR("/echo"),
                                   .body = lw_bytes_static(LW_STR("whole")) };
    call(&s, &r[0], tls, &whole);
    site_wait(&s.site, &r[0].closes, 1);
    assert_str_equal(lw_buf_view(&r[0].body), "whole");
    lw_http_call_options pieces = { .method = LW_STR("PUT"),
                                    .path = LW_STR("/echo"),
                                    .is_body_streamed = true };
    call(&s, &r[1], tls, &pieces);
    assert_int_equal(lw_http_call_send(r[1].call, lw_bytes_static(LW_STR("one,")), false), LW_OK);
    assert_int_equal(lw_http_call_pending(r[1].call), 4);
    site_wait(&s.site, &r[1].drains, 1);
    assert_int_equal(lw_http_call_send(r[1].call, lw_bytes_static(LW_STR("two")), true), LW_OK);
    assert_int_equal(lw_http_call_send(r[1].call, lw_bytes_static(LW_STR("x")), true),
                     LW_ERR_STOPPED);
    site_wait(&s.site, &r[1].closes, 1);
    assert_string_equal(r[1].err.message, "");
    assert_str_equal(lw_buf_view(&r[1].body), "one,two");
    for (int i = 0; i < 2; i++)
        lw_buf_done(&r[i].body);
    close_all(&s, tls);
}

static void one_call_ends_without_the_others(void **state)
{
    (void)state;
    scene s;
    reply stays = { 0 }, cancelled = { .cancels_on_data = true }, large = { 0 }, late = { 0 };
    lw_tls_context *tls;
    open_all(&s, &tls);
    lw_http_call_options later = { .path = LW_STR("/later") };
    call(&s, &stays, tls, &later);
    site_wait(&s.site, &s.site.requests, 1);
    lw_http_call_options hello = { .path = LW_STR("/hello") };
    call(&s, &cancelled, tls, &hello);
    lw_http_call_options small = { .path = LW_STR("/hello"), .reply_max = 5 };
    call(&s, &large, tls, &small);
    site_wait(&s.site, &large.closes, 1);
    assert_int_equal(large.err.code, LW_ERR_LIMIT);
    lw_http_call_options timed = { .path = LW_STR("/later"),
                                   .deadline_ns =
                                       lw_clock_now(lw_loop_clock(s.site.loop)) + LW_NS_PER_S };
    call(&s, &late, tls, &timed);
    site_wait(&s.site, &s.site.requests, 4);
    site_pass(&s.site, 2);
    site_wait(&s.site, &late.closes, 1);
    assert_int_equal(late.err.code, LW_ERR_TIMEOUT);
    assert_int_equal(cancelled.closes, 0);
    assert_null(cancelled.call);
    site_answer(&s.site, 0, "hi");
    site_wait(&s.site, &stays.closes, 1);
    assert_string_equal(stays.err.message, "");
    site_wait_connections(&s.site, 1);
    lw_buf_done(&stays.body);
    lw_buf_done(&cancelled.body);
    lw_buf_done(&large.body);
    lw_buf_done(&late.body);
    close_all(&s, tls);
}

static void an_idle_connection_is_closed_after_a_while(void **state)
{
    (void)state;
    scene s;
    reply r = { 0 };
    lw_tls_context *tls;
    open_all(&s, &tls);
    lw_http_call_options options = { .path = LW_STR("/later") };
    call(&s, &r, tls, &options);
    site_wait(&s.site, &s.site.requests, 1);
    site_answer(&s.site, 0, "hi");
    site_wait(&s.site, &r.closes, 1);
    site_wait_connections(&s.site, 1);
    site_pass(&s.site, LW_HTTP_CLIENT_IDLE_S - 1);
    site_turn(&s.site);
    site_wait_connections(&s.site, 1);
    site_pass(&s.site, 1);
    site_wait_connections(&s.site, 0);
    lw_buf_done(&r.body);
    close_all(&s, tls);
}

static void an_upgrade_uses_http_1(void **state)
{
    (void)state;
    static const lw_http_header headers[] = {
        { LW_STR_INIT("Connection"), LW_STR_INIT("Upgrade") },
        { LW_STR_INIT("Upgrade"), LW_STR_INIT("websocket") },
        { LW_STR_INIT("Sec-WebSocket-Version"), LW_STR_INIT("13") },
        { LW_STR_INIT("Sec-WebSocket-Key"), LW_STR_INIT("dGhlIHNhbXBsZSBub25jZQ==") },
    };
    scene s;
    reply r = { 0 };
    lw_tls_context *tls;
    open_all(&s, &tls);
    lw_http_call_options options = {
        .path = LW_STR("/stream"), .headers = headers, .header_count = 4, .is_upgrade = true
    };
    call(&s, &r, tls, &options);
    site_wait(&s.site, &r.closes, 1);
    assert_string_equal(r.err.message, "");
    assert_int_equal(r.status, 101);
    /* The first frame: text, four bytes, not masked. */
    assert_true(r.body.len > 6);
    assert_memory_equal(r.body.data, "\x81\x04one\n", 6);
    lw_buf_done(&r.body);
    close_all(&s, tls);
}

static void the_client_is_freed_with_calls_in_progress(void **state)
{
    (void)state;
    scene s;
    reply r = { 0 };
    lw_tls_context *tls;
    open_all(&s, &tls);
    lw_http_call_options options = { .path = LW_STR("/later") };
    call(&s, &r, tls, &options);
    site_wait(&s.site, &s.site.requests, 1);
    lw_http_client_free(s.client);
    s.client = NULL;
    site_wait_connections(&s.site, 0);
    assert_int_equal(r.closes, 0);
    lw_buf_done(&r.body);
    close_all(&s, tls);
}

/* Turns until the server of the test has |requests| requests and the call has ended |closes| times.
 */
static void peer_until(scene *s, h2_peer *peer, unsigned requests, const reply *r, unsigned closes)
{
    for (int i = 0; peer->requests < requests || r->closes < closes; i++) {
        if (i == 2000)
            fail_msg("%u requests, %u ends: %s", peer->requests, r->closes, r->err.message);
        h2_peer_flush(peer);
        site_turn(&s->site);
    }
}

static void peer_call(scene *s, h2_peer *peer, reply *r, lw_tls_context *tls, const char *path)
{
    uint16_t port = s->site.port;
    lw_http_call_options options = { .method = LW_STR("POST"),
                                     .path = lw_str_of(path),
                                     .body = lw_bytes_static(LW_STR("body")) };
    s->site.port = peer->port;
    call(s, r, tls, &options);
    s->site.port = port;
}

static void a_call_that_the_server_has_not_seen_is_sent_once_more(void **state)
{
    (void)state;
    static h2_peer peer;
    scene s;
    reply r = { 0 };
    lw_tls_context *tls;
    open_all(&s, &tls);
    assert_true(h2_peer_open(&peer, s.site.loop, "127.0.0.1:0"));
    peer.tls = s.server;
    peer_call(&s, &peer, &r, tls, "/refuse");
    peer_until(&s, &peer, 2, &r, 1);
    assert_int_equal(peer.requests, 2);
    assert_int_equal(r.err.code, LW_ERR_UNAVAILABLE);
    lw_buf_done(&r.body);
    h2_peer_close(&peer);
    close_all(&s, tls);
}

static void a_call_that_the_server_has_seen_is_not_sent_again(void **state)
{
    (void)state;
    static h2_peer peer;
    scene s;
    reply r = { 0 };
    lw_tls_context *tls;
    open_all(&s, &tls);
    assert_true(h2_peer_open(&peer, s.site.loop, "127.0.0.1:0"));
    peer.tls = s.server;
    peer_call(&s, &peer, &r, tls, "/hold");
    peer_until(&s, &peer, 1, &r, 0);
    h2_peer_hang_up(&peer);
    peer_until(&s, &peer, 1, &r, 1);
    assert_int_equal(peer.requests, 1);
    assert_int_equal(r.err.code, LW_ERR_UNAVAILABLE);
    lw_buf_done(&r.body);
    h2_peer_close(&peer);
    close_all(&s, tls);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(calls_share_one_connection),
        TEST(sends_a_body_whole_or_piece_by_piece),
        TEST(one_call_ends_without_the_others),
        TEST(an_idle_connection_is_closed_after_a_while),
        TEST(an_upgrade_uses_http_1),
        TEST(a_call_that_the_server_has_not_seen_is_sent_once_more),
        TEST(a_call_that_the_server_has_seen_is_not_sent_again),
        TEST(the_client_is_freed_with_calls_in_progress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
