/* SPDX-License-Identifier: Apache-2.0 */
/* http_client_tls_test.c -- the HTTP client with TLS: which servers it trusts, who it says it is,
 * and which protocol it uses.  The server is the project's own. */
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <unistd.h>

#include "net/tls/tls_stream.h"
#include "unit/net/client/http_client_scene.h"

static void trusts_a_server_whose_certificate_the_bundle_signed(void **state)
{
    (void)state;
    scene s;
    told t;
    scene_open(&s, false);
    const lw_tls_pem_options pem = { .ca = lw_buf_view(&s.ca) };
    lw_tls_context *tls = scene_make_client(&pem);
    for (int i = 0; i < 2; i++) {
        scene_ask(&s, &t, tls, i == 0 ? NULL : "localhost");
        assert_string_equal(t.err.message, "");
        assert_int_equal(t.status, 200);
        assert_string_equal(t.body, "secret");
    }
    assert_string_equal(s.site.peer, "tls unknown CN=");
    lw_tls_context_free(tls);
    scene_close(&s);
}

static void a_bundle_of_several_authorities_is_read_completely(void **state)
{
    (void)state;
    scene s;
    told t;
    lw_buf other, other_key;
    const lw_tls_subject subject = { .common_name = "other", .is_ca = true, .days = 1 };
    scene_open(&s, false);
    scene_make(&subject, LW_STR(""), LW_STR(""), &other, &other_key);
    lw_buf_append_str(&other, lw_buf_view(&s.ca));
    const lw_tls_pem_options pem = { .ca = lw_buf_view(&other) };
    lw_tls_context *tls = scene_make_client(&pem);
    scene_ask(&s, &t, tls, NULL);
    assert_int_equal(t.status, 200);
    lw_tls_context_free(tls);
    lw_buf_done(&other);
    lw_buf_done(&other_key);
    scene_close(&s);
}

static void refuses_a_server_that_another_authority_signed(void **state)
{
    (void)state;
    scene s;
    told t;
    lw_buf other, other_key;
    const lw_tls_subject subject = { .common_name = "other", .is_ca = true, .days = 1 };
    scene_open(&s, false);
    scene_make(&subject, LW_STR(""), LW_STR(""), &other, &other_key);
    const lw_tls_pem_options pem = { .ca = lw_buf_view(&other) };
    lw_tls_context *tls = scene_make_client(&pem);
    scene_ask(&s, &t, tls, NULL);
    assert_int_equal(t.err.code, LW_ERR_INVALID);
    assert_non_null(strstr(t.err.message, "cannot verify the certificate"));
    assert_int_equal(s.site.requests, 0);
    lw_tls_context_free(tls);
    lw_buf_done(&other);
    lw_buf_done(&other_key);
    scene_close(&s);
}

static void refuses_a_certificate_for_another_name(void **state)
{
    (void)state;
    scene s;
    told t;
    scene_open(&s, false);
    const lw_tls_pem_options pem = { .ca = lw_buf_view(&s.ca) };
    lw_tls_context *tls = scene_make_client(&pem);
    scene_ask(&s, &t, tls, "example.org");
    assert_int_equal(t.err.code, LW_ERR_INVALID);
    assert_non_null(strstr(t.err.message, "hostname mismatch"));
    assert_int_equal(s.site.requests, 0);
    lw_tls_context_free(tls);
    scene_close(&s);
}

static void skips_verification_if_it_is_told_to(void **state)
{
    (void)state;
    scene s;
    told t;
    scene_open(&s, false);
    const lw_tls_pem_options pem = { .skips_verification = true };
    lw_tls_context *tls = scene_make_client(&pem);
    scene_ask(&s, &t, tls, "example.org");
    assert_string_equal(t.err.message, "");
    assert_int_equal(t.status, 200);
    lw_tls_context_free(tls);
    scene_close(&s);
}

static void shows_its_certificate(void **state)
{
    (void)state;
    scene s;
    told t;
    scene_open(&s, false);
    const lw_tls_pem_options pem = { .ca = lw_buf_view(&s.ca),
                                     .cert = lw_buf_view(&s.client_cert),
                                     .key = lw_buf_view(&s.client_key) };
    lw_tls_context *tls = scene_make_client(&pem);
    scene_ask(&s, &t, tls, NULL);
    assert_int_equal(t.status, 200);
    assert_string_equal(s.site.peer, "tls verified CN=me");
    lw_tls_context_free(tls);
    scene_close(&s);
}

static void malformed_pem_is_refused(void **state)
{
    (void)state;
    scene s;
    scene_open(&s, false);
    lw_str ca = lw_buf_view(&s.ca), cert = lw_buf_view(&s.client_cert);
    lw_str key = lw_buf_view(&s.client_key);
    const lw_tls_pem_options rows[] = {
        { .ca = LW_STR("x") },
        { .ca = lw_str_make(ca.ptr, ca.len / 2) },
        { .ca = ca, .cert = cert },
        { .ca = ca, .key = key },
        { .ca = ca, .cert = LW_STR("x"), .key = key },
        { .ca = ca, .cert = cert, .key = LW_STR("x") },
        { .ca = ca, .cert = cert, .key = lw_buf_view(&s.key) }, /* of another certificate */
    };
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        lw_tls_context *tls = NULL;
        lw_error err = LW_ERROR_INIT;
        if (lw_tls_client_context_new_pem(&tls, &rows[i], &err) != LW_ERR_INVALID)
            fail_msg("row %zu is accepted", i);
        assert_true(err.message[0] != '\0');
    }
    scene_close(&s);
}

/* A server of the test's own, which says what no proper server would. */
typedef struct raw_server {
    int listener, fd;
    uint16_t port;
    lw_tls_stream *tls;
} raw_server;

static void raw_listen(raw_server *r)
{
    struct sockaddr_in address = { .sin_family = AF_INET,
                                   .sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
    socklen_t len = sizeof(address);
    r->listener = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    assert_int_equal(bind(r->listener, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(r->listener, 4), 0);
    assert_int_equal(getsockname(r->listener, (struct sockaddr *)&address, &len), 0);
    r->port = ntohs(address.sin_port);
}

/* Turns the loop until there is a connection; -1: |t| was answered before. */
static int raw_accept(const raw_server *r, scene *s, const told *t)
{
    int fd = -1, on = 1;
    while (t->count == 0 && (fd = accept4(r->listener, NULL, NULL, SOCK_NONBLOCK)) < 0)
        assert_int_equal(lw_loop_turn(s->site.loop, 10, NULL), LW_OK);
    /* Both replies are sent at once. */
    assert_true(fd < 0 || setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) == 0);
    return fd;
}

/* Reads the request, and replies twice. */
static void raw_reply_twice(raw_server *r, scene *s)
{
    static const char *const replies[] = { "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\none",
                                           "HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\ntwo" };
    char request[1024];
    size_t len = 0;
    assert_int_equal(lw_tls_stream_new(&r->tls, s->server, r->fd), LW_OK);
    while (lw_tls_stream_handshake(r->tls) != LW_TLS_OK)
        assert_int_equal(lw_loop_turn(s->site.loop, 10, NULL), LW_OK);
    while (lw_tls_stream_read(r->tls, request, sizeof(request), &len) != LW_TLS_OK)
        assert_int_equal(lw_loop_turn(s->site.loop, 10, NULL), LW_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(lw_tls_stream_write(r->tls, replies[i], strlen(replies[i]), &len),
                         LW_TLS_OK);
}

static void a_second_reply_is_not_taken_for_that_of_the_next_request(void **state)
{
    (void)state;
    scene s;
    told first = { 0 }, second = { 0 };
    raw_server r;
    scene_open(&s, false);
    raw_listen(&r);
    const lw_tls_pem_options pem = { .ca = lw_buf_view(&s.ca) };
    lw_http_call_options options = {
        .target = { .host = "127.0.0.1", .port = r.port, .tls = scene_make_client(&pem) },
        .method = LW_STR("GET"),
        .path = LW_STR("/"),
        .deadline_ns = lw_clock_now(lw_loop_clock(s.site.loop)) + LW_NS_PER_S,
    };
    assert_int_equal(lw_http_client_ask(NULL, s.client, &options, scene_on_done, &first, NULL),
                     LW_OK);
    r.fd = raw_accept(&r, &s, &first);
    assert_true(r.fd >= 0);
    raw_reply_twice(&r, &s);
    site_wait(&s.site, &first.count, 1);
    assert_string_equal(first.body, "one");
    assert_int_equal(lw_http_client_ask(NULL, s.client, &options, scene_on_done, &second, NULL),
                     LW_OK);
    int fd = raw_accept(&r, &s, &second);
    assert_string_equal(second.body, "");
    assert_true(fd >= 0); /* a new connection */
    close(fd);
    lw_tls_stream_free(r.tls);
    close(r.fd);
    close(r.listener);
    lw_tls_context_free(options.target.tls);
    scene_close(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(trusts_a_server_whose_certificate_the_bundle_signed),
        TEST(a_bundle_of_several_authorities_is_read_completely),
        TEST(refuses_a_server_that_another_authority_signed),
        TEST(refuses_a_certificate_for_another_name),
        TEST(skips_verification_if_it_is_told_to),
        TEST(shows_its_certificate),
        TEST(malformed_pem_is_refused),
        TEST(a_second_reply_is_not_taken_for_that_of_the_next_request),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
