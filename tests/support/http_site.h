/* SPDX-License-Identifier: Apache-2.0 */
/* http_site.h -- an HTTP server and its clients in one thread; functions that wait run the loop.
 *
 * The clock is manual and starts at 1970: dates are known, and timeouts fire when the test wants
 * them.  The path of a request selects what the handler does:
 *
 *     /hello      answers "hello\n" at once
 *     /known      as /hello, and the client has authenticated
 *     /echo       answers with the request's body
 *     /stream     answers with three messages, "one\n", "two\n", "three\n"
 *     /later...   keeps the stream for the test to answer
 *     /forget     neither answers nor keeps it
 *     /denied     answers 401 after the head
 *     /small      accepts ten bytes of body; the server answers 413 to more
 *     /refusing   accepts ten bytes, and answers 413 itself */
#ifndef LW_TESTS_SUPPORT_HTTP_SITE_H
#define LW_TESTS_SUPPORT_HTTP_SITE_H

#include "base/buf.h"
#include "net/http_server.h"

enum {
    SITE_KEPT_MAX = 64,
    SITE_DATE_LEN = 37,
};

#define SITE_DATE "Date: Thu, 01 Jan 1970 00:00:00 GMT\r\n"

typedef struct http_site {
    lw_manual_clock *clock;
    lw_loop *loop;
    lw_http_server *server;
    uint16_t port;
    lw_http_stream *kept[SITE_KEPT_MAX]; /* references */
    size_t kept_count;
    unsigned heads, requests, closed, drained;
    bool is_drained; /* the server has drained */
    char peer[256];  /* the sender of the last request, as text */
} http_site;

/* NULL |limits|: the defaults; |tls| NULL: plain. */
void site_open(http_site *site, const lw_http_limits *limits, lw_tls_context *tls);
void site_close(http_site *site);

/* Handles one batch of events, with a short wait. */
void site_turn(http_site *site);

/* Turns until |*flag| is at least |value|. */
void site_wait(http_site *site, const unsigned *count, unsigned value);

/* Turns until the server has |count| connections. */
void site_wait_connections(http_site *site, uint64_t count);

/* Advances the clock and fires the timers. */
void site_pass(http_site *site, int64_t seconds);

/* Starts to drain; is_drained is set when it is done. */
void site_drain(http_site *site);

lw_http_stats site_stats(const http_site *site);

/* Connects a client socket; the test closes it. */
int site_connect(http_site *site);

/* Sends all of |text|, running the loop while the server is slow. */
void site_send(http_site *site, int fd, lw_str text);

/* Fails unless the client receives exactly |text| next. */
void site_expect(http_site *site, int fd, const char *text);

/* Fails unless the server closes next. */
void site_expect_end(http_site *site, int fd);

/* Fails if anything is received within a few batches. */
void site_expect_silence(http_site *site, int fd);

/* Receives |len| bytes. */
void site_receive(http_site *site, int fd, char *out, size_t len);

/* Receives until the server closes. */
void site_receive_all(http_site *site, int fd, lw_buf *out);

/* Answers a kept stream and releases it. */
void site_answer(http_site *site, size_t index, const char *text);

/* Begins the answer of a kept stream; sends a message on it. */
void site_begin(http_site *site, size_t index);
lw_status site_write(http_site *site, size_t index, const char *text);

#endif
