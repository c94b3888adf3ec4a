/* SPDX-License-Identifier: Apache-2.0 */
/* http_client_test.c -- calls of the HTTP client on HTTP/1.1 connections; how it shares those is in
 * http_client_pool_test.c. */
#include "unit/net/client/http_client_world.h"

static void sends_a_request_and_reports_the_reply(void **state)
{
    (void)state;
    world w;
    answer a = { 0 };
    char request[256];
    const lw_http_header headers[] = {
        { LW_STR_INIT("Content-Type"), LW_STR_INIT("application/json") },
        { LW_STR_INIT("authorization"), LW_STR_INIT("Bearer x") },
    };
    world_open(&w);
    lw_http_call_options options = { .method = LW_STR("POST"),
                                     .path = LW_STR("/a?b=c"),
                                     .headers = headers,
                                     .header_count = 2,
                                     .body = lw_bytes_static(LW_STR("{}")) };
    assert_int_equal(answer_call(&a, &w, &options), LW_OK);
    int fd = world_accept(&w);
    (void)snprintf(request, sizeof(request),
                   "POST /a?b=c HTTP/1.1\r\nhost: 127.0.0.1:%u\r\n"
                   "content-type: application/json\r\nauthorization: Bearer x\r\n"
                   "content-length: 2\r\n\r\n{}",
                   w.port);
    world_expect(&w, fd, request);
    world_reply(&w, fd,
                "HTTP/1.1 201 Created\r\nContent-Type: text/plain\r\nA: b\r\n"
                "Content-Length: 3\r\n\r\nabc");
    world_until(&w, &a.closes, 1);
    assert_answer(&a, 201, "abc");
    assert_str_equal(lw_buf_view(&a.headers),
                     "Content-Type: text/plain\nA: b\nContent-Length: 3\n");
    answer_done(&a);
    close(fd);
    world_close(&w);
}

/* What becomes of |reply|, after which the server closes if |closes|. */
typedef struct row {
    const char *method, *reply;
    bool closes;
    int status;
    const char *body; /* NULL: the call fails ... */
    lw_status st;     /* ... with this */
    bool is_reusable;
} row;

static void check_row(const row *r)
{
    world w;
    answer a = { 0 };
    world_open(&w);
    lw_http_call_options options = { .method = lw_str_of(r->method), .path = LW_STR("/") };
    assert_int_equal(answer_call(&a, &w, &options), LW_OK);
    int fd = world_accept(&w);
    world_skip_head(&w, fd);
    world_reply(&w, fd, r->reply);
    if (r->closes)
        assert_int_equal(shutdown(fd, SHUT_WR), 0);
    world_until(&w, &a.closes, 1);
    if (r->body) {
        if (a.err.code != LW_OK || a.status != r->status)
            fail_msg("%s: %d %s", r->reply, a.status, a.err.message);
        assert_str_equal(lw_buf_view(&a.body), r->body);
    } else if (a.err.code != r->st) {
        fail_msg("%s: %d, not %d: %s", r->reply, a.err.code, r->st, a.err.message);
    }
    if (r->is_reusable) {
        char c;
        world_settle(&w);
        assert_int_equal(recv(fd, &c, 1, 0), -1);
    } else {
        world_expect_end(&w, fd);
    }
    answer_done(&a);
    close(fd);
    world_close(&w);
}

static void reads_every_form_of_reply(void **state)
{
    (void)state;
    static const row rows[] = {
        { "GET", "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n", false, 200, "", LW_OK, true },
        { "GET", "HTTP/1.1 404\r\nContent-Length: 1\r\n\r\nx", false, 404, "x", LW_OK, true },
        { "GET",
          "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1\r\nc\r\n0\r\n\r\n",
          false, 200, "abc", LW_OK, true },
        { "GET", "HTTP/1.1 200 OK\r\n\r\nto the end", true, 200, "to the end", LW_OK, false },
        { "GET", "HTTP/1.0 200 OK\r\nContent-Length: 1\r\n\r\nx", false, 200, "x", LW_OK, false },
        { "GET", "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 1\r\n\r\nx", false, 200,
          "x", LW_OK, false },
        { "GET", "HTTP/1.1 204 No Content\r\n\r\n", false, 204, "", LW_OK, true },
        { "GET", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\n", false, 204, "", LW_OK,
          false },
        { "GET", "HTTP/1.1 304 Not Modified\r\nContent-Length: 5\r\n\r\n", false, 304, "", LW_OK,
          true },
        { "HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n", false, 200, "", LW_OK, true },
        { "HEAD", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", false, 200, "", LW_OK,
          true },
        { "HEAD", "HTTP/1.1 200 OK\r\n\r\n", false, 200, "", LW_OK, true },
        { "POST", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early\r\nA: b\r\n\r\n" OK_HELLO, false,
          200, "hello", LW_OK, true },
        { "GET", OK_HELLO "HTTP", false, 200, "hello", LW_OK, false },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_row(&rows[i]);
}

static void refuses_replies_that_are_not_http(void **state)
{
    (void)state;
    static const row rows[] = {
        { "GET", "hello\r\n", false, 0, NULL, LW_ERR_INVALID, false },
        { "GET", "\r\nHTTP/1.1 200 OK\r\n", false, 0, NULL, LW_ERR_INVALID, false },
        { "GET", "HTTP/2.0 200 OK\r\n", false, 0, NULL, LW_ERR_INVALID, false },
        { "GET", "HTTP/1.1 099 OK\r\n", false, 0, NULL, LW_ERR_INVALID, false },
        { "GET", "HTTP/1.1 600 OK\r\n", false, 0, NULL, LW_ERR_INVALID, false },
        { "GET", "HTTP/1.1 2000 OK\r\n", false, 0, NULL, LW_ERR_INVALID, false },
        { "GET", "HTTP/1.1 200 OK\nA: b\n\n", false, 0, NULL, LW_ERR_INVALID, false },
        { "GET", "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n", false, 0, NULL, LW_ERR_INVALID, false },
        { "GET", "HTTP/1.1 200 OK\r\nA : b\r\n\r\n", false, 0, NULL, LW_ERR_INVALID, false },
        { "GET", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n", false, 0,
          NULL, LW_ERR_INVALID, false },
        { "GET", "HTTP/1.1 200 OK\r\nContent-Length: -1\r\n\r\n", false, 0, NULL, LW_ERR_INVALID,
          false },
        { "GET", "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
          false, 0, NULL, LW_ERR_INVALID, false },
        { "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n", false, 0, NULL,
          LW_ERR_INVALID, false },
        { "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", false, 0, NULL,
          LW_ERR_INVALID, false },
        { "GET", "HTTP/1.1 101 Switching Protocols\r\n\r\n", false, 0, NULL, LW_ERR_INVALID,
          false },
        /* Truncated. */
        { "GET", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhell", true, 0, NULL,
          LW_ERR_UNAVAILABLE, false },
        { "GET", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", true, 0,
          NULL, LW_ERR_UNAVAILABLE, false },
        { "GET", "HTTP/1.1 200 OK\r\nContent-Le", true, 0, NULL, LW_ERR_UNAVAILABLE, false },
        { "GET", "HTTP/1.1 100 Continue\r\n\r\n", true, 0, NULL, LW_ERR_UNAVAILABLE, false },
        { "GET", "", true, 0, NULL, LW_ERR_UNAVAILABLE, false },
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
        check_row(&rows[i]);
}

static void endless_informational_replies_end_the_call(void **state)
{
    (void)state;
    world w;
    answer a = { 0 };
    world_open(&w);
    answer_get(&a, &w, "/");
    int fd = world_accept(&w);
    world_skip_head(&w, fd);
    for (int i = 0; i <= 100; i++)
        world_reply(&w, fd, "HTTP/1.1 102 Processing\r\n\r\n");
    world_until(&w, &a.closes, 1);
    assert_int_equal(a.err.code, LW_ERR_INVALID);
    answer_done(&a);
    close(fd);
    world_close(&w);
}

static void a_reply_above_the_limit_ends_the_call(void **state)
{
    (void)state;
    static const char *const replies[] = {
        "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
        "HTTP/1.1 200 OK\r\n\r\nhello",
    };
    for (size_t i = 0; i < 2; i++) {
        world w;
        answer a = { 0 };
        world_open(&w);
        lw_http_call_options options = { .path = LW_STR("/"), .reply_max = 4 };
        assert_int_equal(answer_call(&a, &w, &options), LW_OK);
        int fd = world_accept(&w);
        world_skip_head(&w, fd);
        world_reply(&w, fd, replies[i]);
        world_until(&w, &a.closes, 1);
        assert_int_equal(a.err.code, LW_ERR_LIMIT);
        world_expect_end(&w, fd);
        answer_done(&a);
        close(fd);
        world_close(&w);
    }
}

static void a_deadline_ends_a_call_that_waits_for_its_reply(void **state)
{
    (void)state;
    world w;
    answer a = { 0 };
    world_open(&w);
    lw_http_call_options options = { .path = LW_STR("/"), .deadline_ns = world_in(&w, 1000) };
    assert_int_equal(answer_call(&a, &w, &options), LW_OK);
    int fd = world_accept(&w);
    world_skip_head(&w, fd);
    world_pass(&w, 999);
    assert_int_equal(a.closes, 0);
    world_pass(&w, 1);
    assert_int_equal(a.closes, 1);
    assert_int_equal(a.err.code, LW_ERR_TIMEOUT);
    assert_non_null(strstr(a.err.message, "the server did not reply before the deadline"));
    world_expect_end(&w, fd);
    answer_done(&a);
    close(fd);
    world_close(&w);
}

static void a_call_without_a_deadline_gives_up_connecting(void **state)
{
    (void)state;
    world w;
    answer a = { 0 };
    world_open(&w);
    /* A TLS handshake that nobody answers stands for any connection that is not established. */
    const lw_tls_pem_options pem = { .skips_verification = true };
    lw_tls_context *tls = NULL;
    assert_int_equal(lw_tls_client_context_new_pem(&tls, &pem, NULL), LW_OK);
    lw_http_call_options options = { .path = LW_STR("/"), .target.tls = tls };
    assert_int_equal(answer_call(&a, &w, &options), LW_OK);
    int fd = world_accept(&w);
    world_pass(&w, LW_HTTP_CLIENT_CONNECT_TIMEOUT_S * 1000 - 1);
    assert_int_equal(a.closes, 0);
    world_pass(&w, 1);
    world_until(&w, &a.closes, 1);
    assert_int_equal(a.err.code, LW_ERR_TIMEOUT);
    assert_false(world_has_connection(&w));
    answer_done(&a);
    close(fd);
    lw_tls_context_free(tls);
    world_close(&w);
}

static void a_cancelled_call_is_not_heard_of_again(void **state)
{
    (void)state;
    world w;
    answer a[3] = { { 0 } };
    world_open(&w);
    answer_get(&a[0], &w, "/waiting");
    lw_http_call_cancel(a[0].call);
    answer_get(&a[1], &w, "/sent");
    int fd = world_accept(&w);
    world_skip_head(&w, fd);
    lw_http_call_cancel(a[1].call);
    world_expect_end(&w, fd);
    close(fd);
    a[2].cancels_on_data = true;
    answer_get(&a[2], &w, "/data");
    fd = world_accept(&w);
    world_skip_head(&w, fd);
    world_reply(&w, fd, OK_HELLO);
    world_expect_end(&w, fd);
    close(fd);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(a[i].closes, 0);
        answer_done(&a[i]);
    }
    assert_int_equal(a[2].pieces, 1);
    world_close(&w);
}

static void callbacks_may_free_the_client(void **state)
{
    (void)state;
    for (int i = 0; i < 4; i++) {
        world w;
        answer a = { .frees_on_head = i == 0, .frees_on_data = i == 1, .frees_on_close = i == 2 };
        world_open(&w);
        answer_get(&a, &w, "/");
        int fd = world_accept(&w);
        world_skip_head(&w, fd);
        world_reply(&w, fd, i == 3 ? "HTTP/1.1 200 OK\r\n" : OK_HELLO);
        world_settle(&w);
        if (i == 3)
            world_free_client(&w);
        world_expect_end(&w, fd);
        assert_int_equal(a.closes, i == 2);
        answer_done(&a);
        close(fd);
        world_close(&w);
    }
}

static void callbacks_may_call_again(void **state)
{
    (void)state;
    world w;
    answer b = { 0 };
    answer a = { .asks_on_close = true, .cancels_on_close = true, .next = &b };
    world_open(&w);
    answer_get(&a, &w, "/");
    int fd = world_accept(&w);
    world_skip_head(&w, fd);
    world_reply(&w, fd, OK_HELLO);
    world_skip_head(&w, fd);
    world_reply(&w, fd, OK_HELLO);
    world_until(&w, &b.closes, 1);
    assert_answer(&b, 200, "hello");
    answer_done(&a);
    answer_done(&b);
    close(fd);
    world_close(&w);
}

static void refuses_requests_that_could_be_read_as_more(void **state)
{
    (void)state;
    static const struct {
        const char *method, *path, *name, *value;
    } rows[] = {
        { "G T", "/", "a", "b" },
        { "GET", "", "a", "b" },
        { "GET", "a", "a", "b" },
        { "GET", "/ b", "a", "b" },
        { "GET", "/\r\n", "a", "b" },
        { "GET", "/#a", "a", "b" },
        { "GET", "/", "a b", "b" },
        { "GET", "/", "", "b" },
        { "GET", "/", "a", "b\r\nc: d" },
        { "GET", "/", "Host", "b" },
        { "GET", "/", "Content-Length", "1" },
        { "GET", "/", "Transfer-Encoding", "chunked" },
        { "GET", "/", "Connection", "close" },
        { "GET", "/", "Upgrade", "websocket" },
    };
    world w;
    world_open(&w);
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        answer a = { 0 };
        const lw_http_header header = { lw_str_of(rows[i].name), lw_str_of(rows[i].value) };
        lw_http_call_options options = { .method = lw_str_of(rows[i].method),
                                         .path = lw_str_of(rows[i].path),
                                         .headers = &header,
                                         .header_count = 1 };
        if (answer_call(&a, &w, &options) != LW_ERR_INVALID)
            fail_msg("row %zu is accepted", i);
        answer_done(&a);
    }
    static const lw_http_target targets[] = { { .host = "a b", .port = 1 },
                                              { .host = "a", .port = 1, .authority = "a\r\nb: c" },
                                              { .host = "", .port = 1 } };
    for (size_t i = 0; i < sizeof(targets) / sizeof(targets[0]); i++) {
        answer a = { 0 };
        lw_http_call_options options = { .target = targets[i], .path = LW_STR("/") };
        assert_int_equal(answer_call(&a, &w, &options), LW_ERR_INVALID);
        answer_done(&a);
    }
    world_close(&w);
}

typedef struct told {
    unsigned count;
    int status;
    char text[256];
    lw_error err;
} told;

static void on_done(int status, lw_str content_type, lw_str body, const lw_error *err, void *arg)
{
    told *t = arg;
    t->count++;
    t->status = status;
    (void)snprintf(t->text, sizeof(t->text), "%.*s|%.*s", LW_STR_ARG(content_type),
                   LW_STR_ARG(body));
    if (err)
        t->err = *err;
}

static void ask_gives_the_whole_reply_at_once(void **state)
{
    (void)state;
    world w;
    told t[2] = { { 0 } };
    lw_http_call *call = NULL;
    world_open(&w);
    lw_http_call_options options = { .target = { .host = "127.0.0.1", .port = w.port },
                                     .method = LW_STR("GET"),
                                     .path = LW_STR("/keys") };
    assert_int_equal(lw_http_client_ask(&call, w.client, &options, on_done, &t[0], NULL), LW_OK);
    int fd = world_accept(&w);
    world_skip_head(&w, fd);
    world_reply(&w, fd,
                "HTTP/1.1 200 OK\r\ncontent-Type: a/b\r\nTransfer-Encoding: chunked\r\n\r\n"
                "1\r\nx\r\n");
    world_reply(&w, fd, "1\r\ny\r\n0\r\n\r\n");
    world_until(&w, &t[0].count, 1);
    assert_int_equal(t[0].status, 200);
    assert_string_equal(t[0].text, "a/b|xy");
    assert_int_equal(t[0].err.code, LW_OK);
    assert_int_equal(lw_http_client_ask(&call, w.client, &options, on_done, &t[1], NULL), LW_OK);
    world_skip_head(&w, fd);
    world_reply(&w, fd, "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc");
    close(fd);
    world_until(&w, &t[1].count, 1);
    assert_int_equal(t[1].status, 0);
    assert_string_equal(t[1].text, "|");
    assert_int_equal(t[1].err.code, LW_ERR_UNAVAILABLE);
    /* Cancelled, and still in progress when the client is freed. */
    assert_int_equal(lw_http_client_ask(&call, w.client, &options, on_done, &t[1], NULL), LW_OK);
    lw_http_call_cancel(call);
    assert_int_equal(lw_http_client_ask(NULL, w.client, &options, on_done, &t[1], NULL), LW_OK);
    world_settle(&w);
    world_close(&w);
    assert_int_equal(t[1].count, 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(sends_a_request_and_reports_the_reply),
        TEST(reads_every_form_of_reply),
        TEST(refuses_replies_that_are_not_http),
        TEST(endless_informational_replies_end_the_call),
        TEST(a_reply_above_the_limit_ends_the_call),
        TEST(a_deadline_ends_a_call_that_waits_for_its_reply),
        TEST(a_call_without_a_deadline_gives_up_connecting),
        TEST(a_cancelled_call_is_not_heard_of_again),
        TEST(callbacks_may_free_the_client),
        TEST(callbacks_may_call_again),
        TEST(refuses_requests_that_could_be_read_as_more),
        TEST(ask_gives_the_whole_reply_at_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
