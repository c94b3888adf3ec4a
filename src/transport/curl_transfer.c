/* SPDX-License-Identifier: Apache-2.0 */
/* curl_transfer.c -- one request from its start to its end. */
#include <assert.h>
#include <string.h>

#include <curl/curl.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "base/sync.h"
#include "transport/curl_internal.h"

enum {
    DOUBT_S = 1,
};

static int64_t later_ns(int64_t from_ns, int seconds)
{
    return seconds > 0 ? from_ns + seconds * LW_NS_PER_S : LW_NEVER_NS;
}

/* curl sends the body without a callback; progress is detected by counting. */
static void notice_sent(lw_transfer *transfer)
{
    curl_off_t sent = 0;
    (void)curl_easy_getinfo(transfer->easy, CURLINFO_SIZE_UPLOAD_T, &sent);
    if (sent != transfer->sent)
        transfer->active_ns = transfer->pool->transport->now_ns;
    transfer->sent = sent;
}

int64_t curl_transfer_due_ns(lw_transfer *transfer)
{
    int64_t timeout_ms = transfer->options.timeout_ms;
    int64_t total = timeout_ms > 0 ? transfer->started_ns + timeout_ms * LW_NS_PER_MS : LW_NEVER_NS;
    if (transfer->options.idle_timeout_s <= 0)
        return total;
    notice_sent(transfer);
    /* A paused transfer is not idle. */
    if (transfer->wants_pause)
        transfer->active_ns = transfer->pool->transport->now_ns;
    int64_t idle = later_ns(transfer->active_ns, transfer->options.idle_timeout_s);
    return idle < total ? idle : total;
}

static void call_on_head(lw_transfer *transfer)
{
    const lw_transfer_options *options = &transfer->options;
    if (options->on_head)
        options->on_head(transfer, transfer->head.status,
                         lw_reply_value_view(&transfer->head.content_type),
                         lw_reply_value_view(&transfer->head.retry_after), options->arg);
}

/* Not for interim responses (1xx) and trailers. */
static void call_on_header(lw_transfer *transfer, lw_str line)
{
    const lw_transfer_options *options = &transfer->options;
    lw_str name, value;
    if (options->on_header && lw_transport_reply_head_is_final(&transfer->head) &&
        lw_str_cut(line, ':', &name, &value))
        options->on_header(transfer, name, lw_str_trim(value), options->arg);
}

size_t curl_transfer_on_header(char *bytes, size_t size, size_t count, void *arg)
{
    lw_transfer *transfer = arg;
    if (transfer->state != TRANSFER_RUNNING)
        return 0;
    lw_transport *transport = transfer->pool->transport;
    transfer->active_ns = transport->now_ns;
    transport->stats.bytes_in += size * count;
    lw_str line = lw_str_make(bytes, size * count);
    switch (lw_transport_reply_head_take(&transfer->head, line)) {
    case LW_HEAD_MORE: call_on_header(transfer, line); return size * count;
    case LW_HEAD_COMPLETE: break;
    case LW_HEAD_INVALID:
        transfer->fault = "its response has an invalid status line, or headers that are too large";
        return 0;
    }
    if (transfer->head.is_http1)
        transfer->pool->is_http1 = true;
    call_on_head(transfer);
    return transfer->state == TRANSFER_RUNNING ? size * count : 0;
}

size_t curl_transfer_on_body(char *bytes, size_t size, size_t count, void *arg)
{
    lw_transfer *transfer = arg;
    size_t len = size * count;
    if (transfer->state != TRANSFER_RUNNING)
        return 0;
    if (transfer->wants_pause) {
        transfer->is_paused = true;
        return CURL_WRITEFUNC_PAUSE;
    }
    lw_transport *transport = transfer->pool->transport;
    transfer->active_ns = transport->now_ns;
    transport->stats.bytes_in += len;
    if (len > 0 && transfer->options.on_body)
        transfer->options.on_body(transfer, bytes, len, transfer->options.arg);
    return transfer->state == TRANSFER_RUNNING ? len : 0;
}

/* curl delivers the bytes it has kept from inside curl_easy_pause. */
void curl_transfer_resume(lw_transfer *transfer)
{
    lw_transport *transport = transfer->pool->transport;
    transfer->is_paused = false;
    transport->is_in_curl = true;
    (void)curl_easy_pause(transfer->easy, CURLPAUSE_CONT);
    transport->is_in_curl = false;
}

void lw_transfer_set_paused(lw_transfer *transfer, bool is_paused)
{
    lw_transport *transport = transfer->pool->transport;
    assert(!transfer->exchange);
    transfer->wants_pause = is_paused;
    transfer->active_ns = lw_clock_now(transport->options.clock);
    bool is_waiting = lw_dlist_node_is_linked(&transfer->resume_link);
    if (is_paused && is_waiting)
        lw_dlist_remove(&transfer->resume_link);
    else if (!is_paused && transfer->is_paused && !is_waiting &&
             transfer->state == TRANSFER_RUNNING)
        lw_dlist_push_back(&transport->resuming, &transfer->resume_link);
}

void curl_transfer_forget(lw_transfer *transfer)
{
    lw_transport *transport = transfer->pool->transport;
    if (lw_dlist_node_is_linked(&transfer->resume_link))
        lw_dlist_remove(&transfer->resume_link);
    if (lw_heap_node_is_in(&transfer->deadline))
        lw_heap_remove(&transport->deadlines, &transfer->deadline);
}

void curl_transfer_free(lw_transfer *transfer)
{
    lw_curl_pool *pool = transfer->pool;
    pool->tunnel_count -= transfer->options.on_ready != NULL;
    curl_transfer_forget(transfer);
    if (lw_dlist_node_is_linked(&transfer->link))
        lw_dlist_remove(&transfer->link);
    if (transfer->easy)
        curl_easy_cleanup(transfer->easy);
    curl_slist_free_all(transfer->headers);
    curl_slist_free_all(transfer->connect_to);
    curl_exchange_free(transfer->exchange);
    if (transfer->body)
        explicit_bzero(transfer->body, transfer->body_len); /* has a token */
    lw_free(transfer->body);
    pool->transfers--;
    pool->transport->transfers--;
    lw_free(transfer);
}

void curl_transfer_finish(lw_transfer *transfer, const lw_transfer_result *result)
{
    curl_transfer_forget(transfer);
    lw_dlist_remove(&transfer->link);
    transfer->state = TRANSFER_DONE;
    if (transfer->options.on_done)
        transfer->options.on_done(transfer, result, transfer->options.arg);
    curl_transfer_free(transfer);
}

/* A caller that gives up a request without a response has waited long enough: its connection, which
 * over HTTP/2 others share, may be dead. */
static void doubt_connection(lw_transfer *transfer)
{
    int64_t waited_ns =
        lw_clock_now(transfer->pool->transport->options.clock) - transfer->started_ns;
    if (transfer->state == TRANSFER_RUNNING && transfer->head.status == 0 &&
        !transfer->options.on_ready && waited_ns >= DOUBT_S * LW_NS_PER_S)
        transfer->pool->is_suspect = transfer->pool->upstream.is_tls;
}

void lw_transfer_cancel(lw_transfer *transfer)
{
    if (!transfer || transfer->state == TRANSFER_DOOMED || transfer->state == TRANSFER_DONE)
        return;
    doubt_connection(transfer);
    lw_transport *transport = transfer->pool->transport;
    bool is_in_multi = transfer->state == TRANSFER_RUNNING || transfer->state == TRANSFER_OPEN;
    if (is_in_multi && transport->is_in_curl) {
        curl_transfer_forget(transfer);
        lw_dlist_remove(&transfer->link);
        lw_dlist_push_back(&transport->doomed, &transfer->link);
        transfer->state = TRANSFER_DOOMED;
        return;
    }
    if (is_in_multi)
        curl_pool_remove(transfer->pool, transfer);
    curl_transfer_free(transfer);
}

static lw_status set_deadline(lw_transfer *transfer)
{
    transfer->deadline_ns = curl_transfer_due_ns(transfer);
    if (transfer->deadline_ns == LW_NEVER_NS)
        return LW_OK;
    return lw_heap_push(&transfer->pool->transport->deadlines, &transfer->deadline);
}

lw_status lw_transfer_set_timeouts(lw_transfer *transfer, int64_t timeout_ms, int idle_timeout_s)
{
    lw_heap *deadlines = &transfer->pool->transport->deadlines;
    transfer->options.timeout_ms = timeout_ms;
    transfer->options.idle_timeout_s = idle_timeout_s;
    transfer->active_ns = lw_clock_now(transfer->pool->transport->options.clock);
    if (lw_heap_node_is_in(&transfer->deadline))
        lw_heap_remove(deadlines, &transfer->deadline);
    return set_deadline(transfer);
}

lw_status lw_transport_start(lw_transport *transport, const lw_transfer_options *options,
                             lw_transfer **out, lw_error *err)
{
    if (!transport->current)
        return lw_error_set(err, LW_ERR_INVALID, "no server was specified");
    if (transport->transfers == LW_TRANSPORT_TRANSFERS_MAX)
        return lw_error_set(err, LW_ERR_LIMIT,
                            "%d requests are already in progress, which is the limit",
                            LW_TRANSPORT_TRANSFERS_MAX);
    lw_curl_pool *pool = curl_transport_pool(transport);
    int64_t now_ns = lw_clock_now(transport->options.clock);
    bool is_exchange = options->is_short && curl_exchange_is_possible(pool);
    lw_transfer *transfer = is_exchange ? curl_exchange_take_idle(pool, now_ns) : NULL;
    bool is_open = transfer != NULL;
    if (!transfer)
        transfer = lw_alloc_zero(1, sizeof(*transfer));
    if (!transfer)
        return lw_error_nomem(err);
    transfer->pool = pool;
    transfer->pool->transfers++;
    transfer->pool->tunnel_count += options->on_ready != NULL;
    transport->transfers++;
    transfer->started_ns = transfer->active_ns = now_ns;
    transfer->options = (lw_transfer_options){ .timeout_ms = options->timeout_ms,
                                               .idle_timeout_s = options->idle_timeout_s,
                                               .on_header = options->on_header,
                                               .on_head = options->on_head,
                                               .on_body = options->on_body,
                                               .on_done = options->on_done,
                                               .on_ready = options->on_ready,
                                               .arg = options->arg };
    lw_status st = is_exchange ? curl_exchange_setup(transfer, options, err)
                               : curl_setup_transfer(transfer, options, err);
    if (st == LW_OK && options->on_ready)
        st = curl_tunnel_setup(transfer, options, err);
    if (st == LW_OK && set_deadline(transfer) < 0)
        st = lw_error_nomem(err);
    if (st < 0) {
        if (is_open)
            curl_pool_remove(pool, transfer);
        curl_transfer_free(transfer);
        return st;
    }
    if (is_open)
        lw_transfer_want_again(transfer);
    else
        lw_dlist_push_back(&transport->starting, &transfer->link);
    transport->stats.transfers++;
    *out = transfer;
    return LW_OK;
}
