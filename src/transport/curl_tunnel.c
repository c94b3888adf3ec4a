/* SPDX-License-Identifier: Apache-2.0 */
/* curl_tunnel.c -- connections for protocols that begin as an HTTP request and go on as something
 * else, such as WebSocket.
 *
 * curl connects (name, proxy, TLS, credentials) and then leaves the connection alone
 * (CURLOPT_CONNECT_ONLY); it exists as long as the easy handle is in the multi handle.  The
 * transport writes the head of the request, and its caller does the rest with lw_transfer_read and
 * lw_transfer_write.  curl of Debian 12 has no WebSocket of its own.
 *
 *   RUNNING ──curl_tunnel_open──▶ OPEN, sends the request ──▶ OPEN, on_ready ──▶ cancelled
 *                                   └──on_done◀──broken, timeout──┘ */
#include <string.h>

#include <curl/curl.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "transport/curl_internal.h"

enum {
    REQUEST_MAX = 1024 * 1024, /* bytes of the head of a request */
    RECORD_SIZE = 16 * 1024,   /* bytes of one write: those of a record of TLS */
};

/* The request.  curl_setup.c has checked its target and its headers. */

static lw_status write_request(lw_transfer *transfer, const lw_transfer_options *options,
                               lw_error *err)
{
    const lw_upstream *upstream = &transfer->pool->upstream;
    lw_origin origin;
    lw_buf text;
    lw_status st = lw_origin_parse(&origin, lw_str_of(upstream->server), err);
    if (st < 0)
        return st;
    lw_buf_init(&text, REQUEST_MAX);
    (void)lw_buf_reserve(&text, RECORD_SIZE);
    lw_buf_printf(&text, "%s %.*s%s HTTP/1.1\r\nHost: %.*s\r\n", options->method,
                  LW_STR_ARG(origin.path), options->target, LW_STR_ARG(origin.authority));
    for (const char *const *header = options->headers; header && *header; header++)
        lw_buf_printf(&text, "%s\r\n", *header);
    lw_buf_append_text(&text, "\r\n");
    if (text.st < 0) {
        lw_buf_done(&text);
        return lw_error_nomem(err);
    }
    transfer->body = text.data;
    transfer->body_len = text.len;
    return LW_OK;
}

lw_status curl_tunnel_setup(lw_transfer *transfer, const lw_transfer_options *options,
                            lw_error *err)
{
    CURL *easy = transfer->easy;
    unsigned bad = 0;
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_CONNECT_ONLY, 1L);
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_FRESH_CONNECT, 1L);
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_PIPEWAIT, 0L);
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
    bad |= (unsigned)curl_easy_setopt(easy, CURLOPT_HTTPPROXYTUNNEL, 1L);
    if (bad != 0)
        return lw_error_nomem(err);
    transfer->fd = -1;
    return write_request(transfer, options, err);
}

/* Polling. */

static bool poll_tunnel(lw_transfer *transfer)
{
    lw_curl_pool *pool = transfer->pool;
    return curl_watch_poll(pool->transport, transfer->fd,
                           (uint64_t)pool->id << 32 | (uint32_t)transfer->fd,
                           transfer->wants_read && transfer->is_asked,
                           transfer->wants_write || transfer->body_sent < transfer->body_len);
}

void lw_transfer_want_again(lw_transfer *transfer)
{
    if (!lw_dlist_node_is_linked(&transfer->resume_link))
        lw_dlist_push_back(&transfer->pool->transport->resuming, &transfer->resume_link);
}

void lw_transfer_want(lw_transfer *transfer, bool reads, bool writes)
{
    bool had_read = transfer->wants_read, had_write = transfer->wants_write;
    transfer->wants_read = reads;
    transfer->wants_write = writes;
    if (transfer->state != TRANSFER_OPEN)
        return;
    if (reads && !had_read)
        lw_transfer_want_again(transfer);
    if (reads != had_read || writes != had_write)
        (void)poll_tunnel(transfer);
}

/* Reading and writing. */

/* curl keeps its first message, which may be about the address of a peer that has gone; those of
 * TLS say why. */
static lw_status broken(lw_transfer *transfer, CURLcode code, lw_error *err)
{
    bool is_tls = strstr(transfer->trouble, "SSL") != NULL;
    return lw_error_set(err, LW_ERR_UNAVAILABLE, "the connection to %s failed: %s",
                        transfer->pool->upstream.server,
                        is_tls ? transfer->trouble : curl_easy_strerror(code));
}

lw_status lw_transfer_read(lw_transfer *transfer, char *dst, size_t size, size_t *got, bool *is_end,
                           lw_error *err)
{
    lw_transport *transport = transfer->pool->transport;
    *got = 0;
    *is_end = false;
    CURLcode code = curl_easy_recv(transfer->easy, dst, size, got);
    if (code == CURLE_AGAIN)
        return LW_OK;
    if (code != CURLE_OK)
        return broken(transfer, code, err);
    *is_end = *got == 0;
    transfer->active_ns = transport->now_ns;
    transport->stats.bytes_in += *got;
    return LW_OK;
}

static bool is_sending(const lw_transfer *transfer)
{
    return transfer->body_sent < transfer->body_len;
}

/* TLS demands that a write which would block is repeated with the same bytes at the same address:
 * that is what |body| is for. */
static lw_status send_rest(lw_transfer *transfer, lw_error *err)
{
    while (is_sending(transfer)) {
        size_t sent = 0;
        CURLcode code = curl_easy_send(transfer->easy, transfer->body + transfer->body_sent,
                                       transfer->body_len - transfer->body_sent, &sent);
        if (code != CURLE_OK && code != CURLE_AGAIN)
            return broken(transfer, code, err);
        if (sent == 0)
            return LW_OK;
        transfer->body_sent += sent;
        transfer->active_ns = transfer->pool->transport->now_ns;
    }
    return LW_OK;
}

lw_status lw_transfer_write(lw_transfer *transfer, const char *bytes, size_t len, size_t *sent,
                            lw_error *err)
{
    *sent = 0;
    lw_status st = send_rest(transfer, err);
    while (st == LW_OK && *sent < len && !is_sending(transfer)) {
        size_t here = len - *sent < RECORD_SIZE ? len - *sent : RECORD_SIZE;
        memcpy(transfer->body, bytes + *sent, here);
        transfer->body_len = here;
        transfer->body_sent = 0;
        *sent += here;
        st = send_rest(transfer, err);
    }
    (void)poll_tunnel(transfer);
    return st;
}

/* Running. */

static void fail(lw_transfer *transfer, const lw_error *err)
{
    lw_transfer_result result = { .st = err->code, .err = *err };
    curl_pool_remove(transfer->pool, transfer);
    curl_transfer_finish(transfer, &result);
}

void curl_tunnel_open(lw_transfer *transfer)
{
    lw_curl_pool *pool = transfer->pool;
    curl_socket_t fd = CURL_SOCKET_BAD;
    lw_error err;
    (void)curl_easy_getinfo(transfer->easy, CURLINFO_ACTIVESOCKET, &fd);
    transfer->fd = fd;
    transfer->wants_read = !transfer->exchange;
    lw_dlist_remove(&transfer->link);
    lw_dlist_push_back(&pool->tunnels, &transfer->link);
    transfer->state = TRANSFER_OPEN;
    if (fd != CURL_SOCKET_BAD && (transfer->exchange || poll_tunnel(transfer))) {
        curl_tunnel_run(transfer);
        return;
    }
    (void)lw_error_set(&err, LW_ERR_IO, "the connection to %s could not be added to epoll",
                       pool->upstream.server);
    fail(transfer, &err);
}

void curl_tunnel_run(lw_transfer *transfer)
{
    lw_error err = LW_ERROR_INIT;
    if (transfer->exchange) {
        curl_exchange_run(transfer);
        return;
    }
    if (!transfer->is_asked) {
        if (send_rest(transfer, &err) < 0) {
            fail(transfer, &err);
            return;
        }
        if (is_sending(transfer))
            return;
        transfer->is_asked = true;
        explicit_bzero(transfer->body, transfer->body_len);
        (void)poll_tunnel(transfer);
    }
    transfer->options.on_ready(transfer, transfer->options.arg);
}

bool curl_tunnel_event(lw_curl_pool *pool, int fd)
{
    LW_DLIST_FOR_EACH(lw_transfer, transfer, &pool->tunnels, link)
    {
        if (transfer->fd == fd) {
            curl_tunnel_run(transfer);
            return true;
        }
    }
    return false;
}
