/* SPDX-License-Identifier: Apache-2.0 */
/* curl_exchange.c -- short requests without TLS, on connections that are kept.
 *
 * curl spends more than 100,000 instructions on a request, however short.  For these it only
 * connects (address, socket options, error messages), as for a tunnel; this file writes the request
 * and reads the reply.  A connection whose reply was complete waits in pool->idle for the next
 * request; the server may close it at any time.
 *
 *   STARTING ─▶ RUNNING ──connected──▶ OPEN ──reply is complete──▶ IDLE ──next request──▶ OPEN
 *      ▲                                 └──broken, timeout, cancelled──▶ closed
 *      └──── once: was idle before, and ended without a byte of a reply (as curl does)
 *
 * Invariant: an idle connection has no byte to be sent or read; a transfer that is idle is counted
 * nowhere and belongs to the pool. */
#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <curl/curl.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "net/h1/h1_parse.h"
#include "transport/curl_internal.h"

enum {
    HEAD_MAX = 8 * 1024 * 1024, /* bytes of the head of a request: 64 headers of 64 KiB */
    HEAD_USUAL = 512,
    READ_SIZE = 16 * 1024,
    READS_MAX = 16, /* per event; then other transfers are served */
    IDLE_MAX = 8,   /* idle connections of a pool */
    TRUST_S = 1,    /* a connection idle for longer is checked before it is used */
    INTERIM_MAX = 100,
};

struct lw_exchange {
    lw_h1_parser parser;
    bool was_idle;    /* the connection has carried another request before */
    bool has_reply;   /* a byte of the reply has arrived */
    bool is_final;    /* the head that was read is not an interim one */
    bool keeps_alive; /* according to the reply */
    bool is_unsendable;
    unsigned interim; /* 1xx replies */
};

bool curl_exchange_is_possible(const lw_curl_pool *pool)
{
    return !pool->upstream.is_tls && !pool->has_proxy;
}

void curl_exchange_free(lw_exchange *exchange)
{
    if (exchange)
        lw_h1_parser_done(&exchange->parser);
    lw_free(exchange);
}

/* Idle connections. */

static void close_idle(lw_transfer *transfer)
{
    lw_curl_pool *pool = transfer->pool;
    pool->idle_count--;
    pool->transfers++;
    pool->transport->transfers++;
    curl_pool_remove(pool, transfer);
    curl_transfer_free(transfer);
}

void curl_exchange_close_idle(lw_curl_pool *pool)
{
    lw_dlist_node *node;
    while ((node = lw_dlist_first(&pool->idle)) != NULL)
        close_idle(LW_DLIST_ITEM(node, lw_transfer, link));
}

/* The server has closed it, or sent something that nobody asked for. */
bool curl_exchange_idle_event(lw_curl_pool *pool, int fd)
{
    LW_DLIST_FOR_EACH(lw_transfer, transfer, &pool->idle, link)
    {
        if (transfer->fd == fd) {
            close_idle(transfer);
            return true;
        }
    }
    return false;
}

static bool is_quiet(const lw_transfer *transfer, int64_t now_ns)
{
    char byte;
    if (now_ns - transfer->active_ns < TRUST_S * LW_NS_PER_S)
        return true;
    ssize_t got = recv(transfer->fd, &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK);
}

lw_transfer *curl_exchange_take_idle(lw_curl_pool *pool, int64_t now_ns)
{
    lw_dlist_node *node;
    while ((node = lw_dlist_first(&pool->idle)) != NULL) {
        lw_transfer *transfer = LW_DLIST_ITEM(node, lw_transfer, link);
        if (!is_quiet(transfer, now_ns)) {
            close_idle(transfer);
            continue;
        }
        lw_dlist_remove(node);
        lw_dlist_push_back(&pool->tunnels, node);
        pool->idle_count--;
        transfer->state = TRANSFER_OPEN;
        transfer->exchange->was_idle = true;
        return transfer;
    }
    return NULL;
}

static void drop_body(lw_transfer *transfer)
{
    if (transfer->body)
        explicit_bzero(transfer->body, transfer->body_len); /* has a token */
    lw_free(transfer->body);
    transfer->body = NULL;
    transfer->body_len = transfer->body_sent = 0;
}

static void reset(lw_exchange *exchange)
{
    lw_h1_parser_done(&exchange->parser);
    *exchange = (lw_exchange){ .was_idle = false };
    lw_h1_parser_init_reply(&exchange->parser);
}

static void keep_idle(lw_transfer *transfer)
{
    lw_curl_pool *pool = transfer->pool;
    curl_transfer_forget(transfer);
    lw_dlist_remove(&transfer->link);
    lw_dlist_push_front(&pool->idle, &transfer->link);
    pool->idle_count++;
    pool->transfers--;
    pool->transport->transfers--;
    drop_body(transfer);
    reset(transfer->exchange);
    transfer->state = TRANSFER_IDLE;
    transfer->head = (lw_transport_reply_head){ 0 };
    transfer->sent = 0;
}

/* The request. */

static bool has_host(const lw_transfer_options *options)
{
    for (const char *const *header = options->headers; header && *header; header++)
        if (strncasecmp(*header, "Host:", strlen("Host:")) == 0)
            return true;
    return false;
}

/* curl_setup.c has checked target and headers. */
static lw_status write_request(lw_transfer *transfer, const lw_transfer_options *options)
{
    const lw_origin *origin = &transfer->pool->origin;
    lw_buf text;
    lw_buf_init(&text, HEAD_MAX + options->body.len);
    (void)lw_buf_reserve(&text, HEAD_USUAL + options->body.len);
    lw_buf_append_text(&text, options->method);
    lw_buf_append_char(&text, ' ');
    lw_buf_append_str(&text, origin->path);
    lw_buf_append_text(&text, options->target);
    lw_buf_append_text(&text, " HTTP/1.1\r\n");
    if (!has_host(options)) {
        lw_buf_append_text(&text, "Host: ");
        lw_buf_append_str(&text, origin->authority);
        lw_buf_append_text(&text, "\r\n");
    }
    for (const char *const *header = options->headers; header && *header; header++) {
        lw_buf_append_text(&text, *header);
        lw_buf_append_text(&text, "\r\n");
    }
    if (options->body.len > 0 || strcmp(options->method, "DELETE") != 0) {
        lw_buf_append_text(&text, "Content-Length: ");
        lw_buf_append_uint(&text, options->body.len);
        lw_buf_append_text(&text, "\r\n");
    }
    lw_buf_append_text(&text, "\r\n");
    lw_buf_append_str(&text, options->body);
    if (text.st < 0) {
        lw_buf_done(&text);
        return LW_ERR_NOMEM;
    }
    transfer->body = text.data;
    transfer->body_len = text.len;
    return LW_OK;
}

lw_status curl_exchange_setup(lw_transfer *transfer, const lw_transfer_options *options,
                              lw_error *err)
{
    lw_status st = curl_setup_check(options, err);
    if (st < 0)
        return st;
    if (!transfer->exchange) {
        transfer->exchange = lw_alloc_zero(1, sizeof(lw_exchange));
        if (!transfer->exchange)
            return lw_error_nomem(err);
        reset(transfer->exchange);
        transfer->fd = -1;
    }
    if ((!transfer->easy && curl_setup_connection(transfer, err) < 0) ||
        write_request(transfer, options) < 0)
        return lw_error_nomem(err);
    return LW_OK;
}

/* The end. */

static void end(lw_transfer *transfer, int code)
{
    lw_transfer_result result;
    curl_result_of_code(transfer, code, &result);
    curl_pool_remove(transfer->pool, transfer);
    curl_transfer_finish(transfer, &result);
}

static bool is_sending(const lw_transfer *transfer)
{
    return transfer->body_sent < transfer->body_len;
}

/* The reply is complete; |is_exact|: nothing came after it. */
static void complete(lw_transfer *transfer, bool is_exact)
{
    const lw_exchange *exchange = transfer->exchange;
    lw_curl_pool *pool = transfer->pool;
    if (!is_exact || !exchange->keeps_alive || exchange->is_unsendable || is_sending(transfer) ||
        pool->idle_count == IDLE_MAX || pool != pool->transport->current) {
        end(transfer, CURLE_OK);
        return;
    }
    const lw_transfer_options options = transfer->options;
    lw_transfer_result result;
    curl_result_of_code(transfer, CURLE_OK, &result);
    keep_idle(transfer); /* first: the callback may start the next request */
    if (options.on_done)
        options.on_done(transfer, &result, options.arg);
}

static void connect_again(lw_transfer *transfer)
{
    lw_error err;
    curl_pool_remove(transfer->pool, transfer);
    curl_easy_cleanup(transfer->easy);
    transfer->easy = NULL;
    reset(transfer->exchange);
    transfer->body_sent = 0;
    transfer->wants_read = transfer->wants_write = false;
    lw_dlist_remove(&transfer->link);
    lw_dlist_push_back(&transfer->pool->transport->starting, &transfer->link);
    transfer->state = TRANSFER_STARTING;
    if (curl_setup_connection(transfer, &err) < 0) {
        lw_transfer_result result;
        curl_result_of_code(transfer, CURLE_OUT_OF_MEMORY, &result);
        curl_transfer_finish(transfer, &result);
    }
}

/* The connection has ended; |number| is why, 0: the server has closed it.  The messages are those
 * of curl. */
static void broken(lw_transfer *transfer, int number)
{
    const lw_exchange *exchange = transfer->exchange;
    if (exchange->was_idle && !exchange->has_reply) {
        connect_again(transfer);
        return;
    }
    if (number == 0 && transfer->head.is_complete &&
        lw_h1_parser_finish(&transfer->exchange->parser) == LW_H1_END) {
        complete(transfer, false);
        return;
    }
    char *trouble = transfer->trouble;
    int code = CURLE_RECV_ERROR;
    if (number != 0) {
        (void)snprintf(trouble, CURL_TROUBLE_SIZE, "Recv failure: %s", strerror(number));
    } else if (!transfer->head.is_complete) {
        code = CURLE_GOT_NOTHING;
        (void)snprintf(trouble, CURL_TROUBLE_SIZE, "Empty reply from server");
    } else {
        code = CURLE_PARTIAL_FILE;
        (void)snprintf(trouble, CURL_TROUBLE_SIZE,
                       "transfer closed with outstanding read data remaining");
    }
    end(transfer, code);
}

static void refused(lw_transfer *transfer, const char *reason)
{
    (void)snprintf(transfer->trouble, CURL_TROUBLE_SIZE, "%s", reason);
    transfer->head.is_complete = false;
    end(transfer, CURLE_WEIRD_SERVER_REPLY);
}

/* The reply. */

static lw_str header_of(const lw_h1_head *head, lw_str name)
{
    for (size_t i = 0; i < head->header_count; i++)
        if (lw_http_name_is(head->headers[i].name, name) &&
            head->headers[i].value.len <= LW_REPLY_VALUE_MAX)
            return head->headers[i].value;
    return lw_str_make("", 0);
}

/* Calls back as from curl: a transfer that is cancelled meanwhile is freed later. */
static void call_on_head(lw_transfer *transfer, const lw_h1_head *head)
{
    const lw_transfer_options *options = &transfer->options;
    lw_transport *transport = transfer->pool->transport;
    transport->is_in_curl = true;
    for (size_t i = 0; options->on_header && i < head->header_count; i++)
        options->on_header(transfer, head->headers[i].name, head->headers[i].value, options->arg);
    if (options->on_head)
        options->on_head(transfer, head->status, header_of(head, LW_STR("content-type")),
                         header_of(head, LW_STR("retry-after")), options->arg);
    transport->is_in_curl = false;
}

/* False: the transfer has ended. */
static bool take_head(lw_transfer *transfer, const lw_h1_head *head)
{
    lw_exchange *exchange = transfer->exchange;
    exchange->is_final = head->status >= 200;
    if (!exchange->is_final && head->status != 101 && ++exchange->interim <= INTERIM_MAX)
        return true;
    if (!exchange->is_final) {
        refused(transfer, "it sent an interim response that was not expected");
        return false;
    }
    exchange->keeps_alive = head->keeps_alive && !head->runs_to_end;
    transfer->head =
        (lw_transport_reply_head){ .status = head->status, .is_http1 = true, .is_complete = true };
    call_on_head(transfer, head);
    return transfer->state == TRANSFER_OPEN;
}

static bool take_body(lw_transfer *transfer, lw_str body)
{
    lw_transport *transport = transfer->pool->transport;
    transport->is_in_curl = true;
    if (body.len > 0 && transfer->options.on_body)
        transfer->options.on_body(transfer, body.ptr, body.len, transfer->options.arg);
    transport->is_in_curl = false;
    return transfer->state == TRANSFER_OPEN;
}

/* False: the transfer has ended. */
static bool feed(lw_transfer *transfer, lw_str input)
{
    lw_exchange *exchange = transfer->exchange;
    lw_h1_head head;
    lw_str body;
    for (;;) {
        switch (lw_h1_parser_next(&exchange->parser, &input, &head, &body)) {
        case LW_H1_MORE: return true;
        case LW_H1_HEAD:
            if (!take_head(transfer, &head))
                return false;
            break;
        case LW_H1_BODY:
            if (!take_body(transfer, body))
                return false;
            break;
        case LW_H1_END:
            if (!exchange->is_final)
                break;
            complete(transfer, input.len == 0);
            return false;
        case LW_H1_REFUSED: refused(transfer, exchange->parser.refusal); return false;
        case LW_H1_NO_MEMORY: end(transfer, CURLE_OUT_OF_MEMORY); return false;
        }
    }
}

static void receive(lw_transfer *transfer)
{
    lw_transport *transport = transfer->pool->transport;
    char room[READ_SIZE];
    for (int i = 0; i < READS_MAX; i++) {
        ssize_t got = recv(transfer->fd, room, sizeof(room), 0);
        if (got < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
            return; /* the descriptor is polled by level */
        if (got <= 0) {
            broken(transfer, got < 0 ? errno : 0);
            return;
        }
        transfer->active_ns = transport->now_ns;
        transport->stats.bytes_in += (uint64_t)got;
        transfer->exchange->has_reply = true;
        if (!feed(transfer, lw_str_make(room, (size_t)got)) || (size_t)got < sizeof(room))
            return;
    }
}

/* Running. */

static void send_rest(lw_transfer *transfer)
{
    while (is_sending(transfer)) {
        ssize_t sent = send(transfer->fd, transfer->body + transfer->body_sent,
                            transfer->body_len - transfer->body_sent, MSG_NOSIGNAL);
        if (sent < 0 && (errno == EAGAIN || errno == EWOULDBLOCK || errno == EINTR))
            return;
        if (sent < 0) { /* the reply, or the end of the connection, says why */
            transfer->exchange->is_unsendable = true;
            return;
        }
        transfer->body_sent += (size_t)sent;
        transfer->active_ns = transfer->pool->transport->now_ns;
    }
}

static bool poll_exchange(lw_transfer *transfer)
{
    lw_curl_pool *pool = transfer->pool;
    bool writes = is_sending(transfer) && !transfer->exchange->is_unsendable;
    if (transfer->wants_read && transfer->wants_write == writes)
        return true;
    transfer->wants_read = true;
    transfer->wants_write = writes;
    return curl_watch_poll(pool->transport, transfer->fd,
                           (uint64_t)pool->id << 32 | (uint32_t)transfer->fd, true, writes);
}

void curl_exchange_run(lw_transfer *transfer)
{
    bool was_sending = is_sending(transfer);
    send_rest(transfer);
    if (!poll_exchange(transfer)) {
        (void)snprintf(transfer->trouble, CURL_TROUBLE_SIZE, "epoll_ctl: %s", strerror(errno));
        end(transfer, CURLE_RECV_ERROR);
    } else if (!was_sending || is_sending(transfer)) {
        receive(transfer);
    }
}
