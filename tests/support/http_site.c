/* SPDX-License-Identifier: Apache-2.0 */
/* http_site.c -- an HTTP server and its clients in one thread. */
#include "support/http_site.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"
#include "unit/test.h"

/* Longer than any operation takes; a test that waits this long has failed. */
#define PATIENCE_NS (10 * LW_NS_PER_S)

enum {
    TURN_MS = 5,
    SILENT_TURNS = 4,
};

static void on_closed(lw_http_stream *stream, void *arg)
{
    http_site *site = arg;
    (void)stream;
    site->closed++;
}

static void on_drained(lw_http_stream *stream, void *arg)
{
    http_site *site = arg;
    (void)stream;
    site->drained++;
}

static void answer(lw_http_stream *stream, int status, lw_bytes body)
{
    lw_http_reply reply = { .status = status };
    (void)lw_http_reply_whole(stream, &reply, body);
}

static size_t on_head(lw_http_stream *stream, void *arg)
{
    http_site *site = arg;
    lw_str path = stream->request.path;
    site->heads++;
    stream->arg = site;
    stream->on_closed = on_closed;
    stream->on_drained = on_drained;
    stream->is_authenticated = lw_str_equal(path, LW_STR("/known"));
    if (lw_str_equal(path, LW_STR("/denied")))
        answer(stream, 401, lw_bytes_static(LW_STR("denied\n")));
    bool is_small = lw_str_equal(path, LW_STR("/small")) || lw_str_equal(path, LW_STR("/refusing"));
    return is_small ? 10 : LW_HTTP_BODY_MAX;
}

static void on_too_large(lw_http_stream *stream, void *arg)
{
    (void)arg;
    if (lw_str_equal(stream->request.path, LW_STR("/refusing")))
        answer(stream, 413, lw_bytes_static(LW_STR("too much\n")));
}

static void echo(lw_http_stream *stream)
{
    char *copy = lw_str_dup(stream->request.body);
    assert_non_null(copy);
    answer(stream, 200, (lw_bytes){ copy, stream->request.body.len, lw_free, copy });
}

static void stream_three(lw_http_stream *stream)
{
    static const lw_str words[] = { LW_STR_INIT("one"), LW_STR_INIT("two"), LW_STR_INIT("three") };
    lw_http_reply reply = { .status = 200 };
    (void)lw_http_reply_begin(stream, &reply);
    for (size_t i = 0; i < 3; i++) {
        const lw_bytes pieces[] = { lw_bytes_static(words[i]), lw_bytes_static(LW_STR("\n")) };
        (void)lw_http_write(stream, pieces, 2);
    }
    lw_http_end(stream);
}

static void note_peer(http_site *site, const lw_peer *peer)
{
    int len =
        snprintf(site->peer, sizeof(site->peer), "%s %s CN=%.*s", peer->is_tls ? "tls" : "plain",
                 peer->is_verified ? "verified" : "unknown", LW_STR_ARG(peer->common_name));
    for (size_t i = 0; i < peer->organization_count; i++)
        len += snprintf(site->peer + len, sizeof(site->peer) - (size_t)len, " O=%.*s",
                        LW_STR_ARG(peer->organizations[i]));
}

static void on_request(lw_http_stream *stream, void *arg)
{
    http_site *site = arg;
    lw_str path = stream->request.path;
    site->requests++;
    note_peer(site, stream->request.peer);
    if (lw_str_starts_with(path, LW_STR("/later"))) {
        assert_true(site->kept_count < SITE_KEPT_MAX);
        site->kept[site->kept_count++] = lw_http_stream_ref(stream);
    } else if (lw_str_equal(path, LW_STR("/stream"))) {
        stream_three(stream);
    } else if (lw_str_equal(path, LW_STR("/echo"))) {
        echo(stream);
    } else if (!lw_str_equal(path, LW_STR("/forget"))) {
        answer(stream, 200, lw_bytes_static(LW_STR("hello\n")));
    }
}

void site_open(http_site *site, const lw_http_limits *limits, lw_tls_context *tls)
{
    memset(site, 0, sizeof(*site));
    assert_int_equal(lw_manual_clock_new(&site->clock, 0), LW_OK);
    assert_int_equal(lw_loop_new(&site->loop, lw_manual_clock_as_clock(site->clock), NULL), LW_OK);
    lw_http_server_options options = {
        .loops = &site->loop,
        .loop_count = 1,
        .handler = { on_head, on_too_large, on_request, site },
    };
    if (limits)
        options.limits = *limits;
    assert_int_equal(lw_http_server_new(&site->server, &options, NULL), LW_OK);
    assert_int_equal(lw_http_server_listen(site->server, LW_STR("127.0.0.1:0"), tls, &site->port,
                                           NULL),
                     LW_OK);
    assert_int_not_equal(site->port, 0);
}

void site_close(http_site *site)
{
    lw_http_server_free(site->server); /* NULL: the test has done it */
    for (size_t i = 0; i < site->kept_count; i++)
        lw_http_stream_unref(site->kept[i]);
    lw_loop_free(site->loop);
    lw_manual_clock_free(site->clock);
}

void site_turn(http_site *site)
{
    assert_int_equal(lw_loop_turn(site->loop, TURN_MS, NULL), LW_OK);
}

/* Runs a turn; fails the test if it has waited too long. */
static void turn_until(http_site *site, int64_t *since)
{
    int64_t now = lw_clock_now(lw_clock_system());
    if (*since == 0)
        *since = now;
    if (now - *since > PATIENCE_NS)
        fail_msg("timed out waiting for the server");
    site_turn(site);
}

void site_wait(http_site *site, const unsigned *count, unsigned value)
{
    int64_t since = 0;
    while (*count < value)
        turn_until(site, &since);
    assert_int_equal(*count, value);
}

void site_wait_connections(http_site *site, uint64_t count)
{
    int64_t since = 0;
    while (site_stats(site).connections_open != count)
        turn_until(site, &since);
}

void site_pass(http_site *site, int64_t seconds)
{
    lw_manual_clock_advance(site->clock, seconds * LW_NS_PER_S);
    site_turn(site);
}

static void drained(void *arg)
{
    http_site *site = arg;
    site->is_drained = true;
}

void site_drain(http_site *site)
{
    lw_http_server_drain(site->server, drained, site);
    site_turn(site);
}

lw_http_stats site_stats(const http_site *site)
{
    lw_http_stats stats;
    lw_http_server_stats(site->server, &stats);
    return stats;
}

int site_connect(http_site *site)
{
    struct sockaddr_in address = { .sin_family = AF_INET, .sin_port = htons(site->port) };
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (struct sockaddr *)&address, sizeof(address)), 0);
    return fd;
}

void site_send(http_site *site, int fd, lw_str text)
{
    int64_t since = 0;
    while (text.len > 0) {
        ssize_t sent = send(fd, text.ptr, text.len, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent > 0)
            text = lw_str_skip(text, (size_t)sent);
        else if (errno != EAGAIN)
            return; /* the server has closed; what it sent before counts */
        if (text.len > 0)
            turn_until(site, &since);
    }
}

/* Receives at most |cap| bytes; 0 at the end of the connection. */
static size_t receive_some(http_site *site, int fd, char *out, size_t cap)
{
    int64_t since = 0;
    for (;;) {
        ssize_t got = recv(fd, out, cap, MSG_DONTWAIT);
        if (got > 0)
            return (size_t)got;
        if (got == 0 || errno != EAGAIN)
            return 0;
        turn_until(site, &since);
    }
}

void site_receive(http_site *site, int fd, char *out, size_t len)
{
    while (len > 0) {
        size_t got = receive_some(site, fd, out, len);
        if (got == 0)
            fail_msg("the connection closed too early");
        out += got;
        len -= got;
    }
}

void site_expect(http_site *site, int fd, const char *text)
{
    size_t len = strlen(text);
    lw_buf got;
    lw_buf_init(&got, len + 1);
    while (got.len < len) {
        char piece[4096];
        size_t want = len - got.len < sizeof(piece) ? len - got.len : sizeof(piece);
        size_t more = receive_some(site, fd, piece, want);
        if (more == 0)
            break;
        lw_buf_append(&got, piece, more);
        if (memcmp(got.data, text, got.len) != 0)
            break;
    }
    assert_str_equal(lw_buf_view(&got), text);
    lw_buf_done(&got);
}

void site_expect_end(http_site *site, int fd)
{
    char piece[256];
    size_t got = receive_some(site, fd, piece, sizeof(piece));
    assert_str_equal(lw_str_make(piece, got), "");
}

void site_expect_silence(http_site *site, int fd)
{
    char piece[256];
    for (int i = 0; i < SILENT_TURNS; i++) {
        site_turn(site);
        ssize_t got = recv(fd, piece, sizeof(piece), MSG_DONTWAIT);
        if (got >= 0)
            fail_msg("unexpected bytes: \"%.*s\"", (int)got, piece);
    }
}

void site_receive_all(http_site *site, int fd, lw_buf *out)
{
    char piece[65536];
    size_t got;
    while ((got = receive_some(site, fd, piece, sizeof(piece))) > 0)
        lw_buf_append(out, piece, got);
}

void site_answer(http_site *site, size_t index, const char *text)
{
    assert_true(index < site->kept_count);
    answer(site->kept[index], 200, lw_bytes_static(lw_str_of(text)));
}

void site_begin(http_site *site, size_t index)
{
    lw_http_reply reply = { .status = 200 };
    assert_true(index < site->kept_count);
    assert_int_equal(lw_http_reply_begin(site->kept[index], &reply), LW_OK);
}

lw_status site_write(http_site *site, size_t index, const char *text)
{
    lw_bytes bytes = lw_bytes_static(lw_str_of(text));
    return lw_http_write(site->kept[index], &bytes, 1);
}
