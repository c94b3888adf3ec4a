/* SPDX-License-Identifier: Apache-2.0 */
/* net_scenarios.c -- the parser, the send queue, a server and its requests, with every allocation
 * failing in turn.  A connection that finds no memory is closed, and its client sees the end. */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "net/conn_queue.h"
#include "net/h1/h1_parse.h"
#include "net/http_server.h"
#include "net/relay.h"
#include "net/tls/tls_make.h"
#include "oom/oom.h"
#include "support/fake_http.h"

enum {
    TURNS_MAX = 5000,
};

static lw_status wrong(lw_error *err, const char *what)
{
    return lw_error_set(err, LW_ERR_INTERNAL, "wrong: %s", what);
}

static lw_status a_head_arrives_in_pieces(lw_error *err)
{
    static const char request[] = "GET /a HTTP/1.1\r\nHost: b\r\nAccept: */*\r\n\r\n";
    lw_h1_parser parser;
    lw_h1_head head;
    lw_str body;
    lw_h1_event event = LW_H1_MORE;
    lw_h1_parser_init(&parser);
    for (size_t i = 0; i < sizeof(request) - 1 && event == LW_H1_MORE; i++) {
        lw_str piece = lw_str_make(request + i, 1);
        event = lw_h1_parser_next(&parser, &piece, &head, &body);
    }
    lw_status st = LW_OK;
    if (event == LW_H1_NO_MEMORY)
        st = LW_ERR_NOMEM;
    else if (event != LW_H1_HEAD || !lw_str_equal(head.path, LW_STR("/a")) ||
             head.header_count != 2)
        st = wrong(err, "the head");
    lw_h1_parser_done(&parser);
    return st;
}

static void count_release(void *owner)
{
    ++*(unsigned *)owner;
}

static lw_status buffers_are_queued_and_released(lw_error *err)
{
    enum {
        COUNT = 40
    };
    unsigned released = 0, pushed = 0;
    lw_conn_queue queue;
    lw_status st = LW_OK;
    lw_conn_queue_init(&queue);
    for (; pushed < COUNT && st == LW_OK; pushed++) {
        st = lw_conn_queue_push(&queue, (lw_bytes){ "shared", 6, count_release, &released });
        if (st == LW_OK)
            st = lw_conn_queue_push_copy(&queue, "a piece that needs a block of its own", 37);
    }
    if (st == LW_OK && queue.pending != COUNT * 43)
        st = wrong(err, "the number of pending bytes");
    lw_conn_queue_done(&queue);
    return released == pushed ? st : wrong(err, "the number of released buffers");
}

static size_t on_head(lw_http_stream *stream, void *arg)
{
    (void)stream, (void)arg;
    return 100;
}

/* Streams the body back. */
static void on_request(lw_http_stream *stream, void *arg)
{
    lw_http_reply reply = { .status = 200 };
    (void)arg;
    char *copy = lw_str_dup(stream->request.body);
    if (!copy) {
        lw_http_abort(stream);
        return;
    }
    lw_bytes piece = { copy, stream->request.body.len, lw_free, copy };
    if (lw_http_reply_begin(stream, &reply) < 0)
        lw_bytes_release(piece);
    else if (lw_http_write(stream, &piece, 1) == LW_OK)
        lw_http_end(stream);
}

static int connect_to(uint16_t port)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(port) };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Sends |request| and runs the loop until the reply ends with |end|, or the connection closes. */
static lw_status converse(lw_loop *loop, uint16_t port, lw_str request, lw_str end, lw_error *err)
{
    char reply[1024];
    size_t len = 0;
    int fd = connect_to(port);
    lw_status st = LW_ERR_INTERNAL;
    if (fd >= 0)
        (void)!send(fd, request.ptr, request.len, MSG_NOSIGNAL);
    for (int i = 0; i < TURNS_MAX && fd >= 0 && st == LW_ERR_INTERNAL; i++) {
        (void)lw_loop_turn(loop, 1, NULL);
        ssize_t got = recv(fd, reply + len, sizeof(reply) - len, MSG_DONTWAIT);
        if (got > 0)
            len += (size_t)got;
        if (lw_str_ends_with(lw_str_make(reply, len), end))
            st = LW_OK;
        else if (got == 0 || (got < 0 && errno != EAGAIN))
            st = LW_ERR_NOMEM;
    }
    if (fd >= 0)
        close(fd);
    return st == LW_ERR_INTERNAL ? wrong(err, "the client is left waiting") : st;
}

static lw_status serve(lw_str request, lw_str end, lw_error *err)
{
    lw_loop *loop = NULL;
    lw_http_server *server = NULL;
    uint16_t port = 0;
    lw_status st = lw_loop_new(&loop, NULL, err);
    lw_http_server_options options = { .loops = &loop, .loop_count = 1 };
    options.handler = (lw_http_handler){ on_head, NULL, on_request, NULL };
    if (st == LW_OK)
        st = lw_http_server_new(&server, &options, err);
    if (st == LW_OK)
        st = lw_http_server_listen(server, LW_STR("127.0.0.1:0"), NULL, &port, err);
    if (st == LW_OK)
        st = converse(loop, port, request, end, err);
    lw_http_server_free(server);
    lw_loop_free(loop);
    return st;
}

static lw_status a_request_is_answered_or_its_connection_closed(lw_error *err)
{
    return serve(LW_STR("POST /a HTTP/1.1\r\nHost: b\r\nTransfer-Encoding: chunked\r\n\r\n"
                        "5\r\nhello\r\n1\r\n!\r\n0\r\n\r\n"),
                 LW_STR("\r\n\r\n6\r\nhello!\r\n0\r\n\r\n"), err);
}

static lw_status an_error_reply_is_sent_or_the_connection_closed(lw_error *err)
{
    return serve(LW_STR("GET /a HTTP/1.1\nHost: b\r\n"),
                 LW_STR("a line feed without its carriage return\n"), err);
}

static lw_status a_websocket_is_upgraded_or_closed(lw_error *err)
{
    return serve(LW_STR("GET /a HTTP/1.1\r\nHost: b\r\nUpgrade: websocket\r\n"
                        "Connection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                        "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n\r\n"),
                 LW_STR("\x88\x02\x03\xe8"), err);
}

static lw_status a_certificate_is_made(lw_error *err)
{
    const lw_tls_subject subject = { .common_name = "ca", .is_ca = true, .days = 1 };
    lw_str none = { NULL, 0 };
    lw_buf cert, key;
    lw_buf_init(&cert, 8192);
    lw_buf_init(&key, 8192);
    lw_status st = lw_tls_make(&subject, none, none, &cert, &key, err);
    if (st == LW_OK && (cert.len == 0 || key.len == 0))
        st = wrong(err, "the certificate");
    lw_buf_done(&cert);
    lw_buf_done(&key);
    return st;
}

static void note_freed(void *arg)
{
    *(bool *)arg = true;
}

/* The worker's reply, in parts or at once. */
static void serve_relayed(lw_http_stream *stream, bool is_streamed)
{
    static const lw_http_header headers[] = { { LW_STR_INIT("a"), LW_STR_INIT("b") } };
    static const lw_http_reply reply = { 200, headers, 1 };
    lw_bytes body = lw_bytes_static(LW_STR("whole"));
    lw_status st = LW_OK;
    if (!is_streamed) {
        st = lw_http_reply_whole(stream, &reply, body);
    } else {
        st = lw_http_reply_begin(stream, &reply);
        if (st == LW_OK)
            st = lw_http_write(stream, &body, 1);
        if (st == LW_OK)
            lw_http_end(stream);
    }
    if (st < 0)
        lw_http_abort(stream);
}

static lw_status relay_one(lw_loop *near, lw_loop *far, bool is_streamed, lw_error *err)
{
    static const fake_http_request request = { .method = "GET", .target = "/" };
    bool is_freed = false;
    fake_http *http = fake_http_new(near, &request);
    if (!http)
        return lw_error_nomem(err);
    lw_relay *relay = lw_relay_new(&http->stream, (lw_relay_owner){ note_freed, &is_freed });
    if (!relay) {
        fake_http_free(http);
        return lw_error_nomem(err);
    }
    serve_relayed(lw_relay_take(relay, far), is_streamed);
    lw_status st = lw_loop_turn(near, 0, err);
    if (st == LW_OK && http->is_aborted)
        st = lw_error_nomem(err);
    else if (st == LW_OK && (!http->is_ended || http->body.len != 5))
        st = wrong(err, "the reply is neither complete nor aborted");
    fake_http_free(http);
    (void)lw_loop_turn(far, 0, NULL);
    return is_freed ? st : wrong(err, "the relay is not freed");
}

static lw_status a_relayed_reply_arrives_or_is_aborted(lw_error *err)
{
    lw_loop *near = NULL, *far = NULL;
    lw_status st = lw_loop_new(&near, NULL, err);
    if (st == LW_OK)
        st = lw_loop_new(&far, NULL, err);
    if (st == LW_OK)
        st = relay_one(near, far, false, err);
    if (st == LW_OK)
        st = relay_one(near, far, true, err);
    lw_loop_free(near);
    lw_loop_free(far);
    return st;
}

const oom_scenario net_scenarios[] = {
    { "a head arrives in pieces", a_head_arrives_in_pieces },
    { "buffers are queued and released", buffers_are_queued_and_released },
    { "a request is answered or its connection closed",
      a_request_is_answered_or_its_connection_closed },
    { "an error reply is sent or the connection closed",
      an_error_reply_is_sent_or_the_connection_closed },
    { "a websocket is upgraded or closed", a_websocket_is_upgraded_or_closed },
    { "a certificate is made", a_certificate_is_made },
    { "a relayed reply arrives or is aborted", a_relayed_reply_arrives_or_is_aborted },
};
const size_t net_scenario_count = sizeof(net_scenarios) / sizeof(net_scenarios[0]);
