/* SPDX-License-Identifier: Apache-2.0 */
/* h2_client.c -- the lifecycle of an HTTP/2 client connection, and its timer.
 *
 *     dialling ─▶ securing ─▶ greeting ──lw_h2_client__is_up──▶ up
 *     any ──lw_h2_client__fail──▶ (end of the batch) ──go_down──▶ down
 *     any ──lw_h2_client_free──▶ (end of the batch) ──▶ deleted
 *
 * Calls are submitted only after the server's SETTINGS have arrived.  That costs one round trip,
 * and makes it certain that a server which refused the connection has seen none of them. */
#include "net/h2/h2_client.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/str.h"
#include "net/h2/h2_client_internal.h"

enum {
    AUTHORITY_MAX = 512, /* maximum length of host and authority */
};

void lw_h2_client__settle_soon(lw_h2_client *client)
{
    if (!lw_dlist_node_is_linked(&client->settling.link))
        lw_loop_defer(client->loop, &client->settling);
}

void lw_h2_client__fail(lw_h2_client *client, lw_status st, const char *format, ...)
{
    char text[LW_ERROR_MESSAGE_SIZE];
    va_list args;
    if (client->err.code != LW_OK || lw_h2_client__is_over(client))
        return;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    (void)lw_error_set(&client->err, st, "%s: %s", client->authority, text);
    lw_h2_client__settle_soon(client);
}

void lw_h2_client__is_up(lw_h2_client *client)
{
    client->stage = LW_H2_CLIENT_UP;
    client->quiet_since_ns = lw_loop_now(client->loop);
    lw_h2_client__settle_soon(client);
    if (client->options.on_up)
        client->options.on_up(client, client->options.arg);
}

static void client_delete(lw_h2_client *client)
{
    nghttp2_session_del(client->session);
    lw_h2_client__disconnect(client);
    lw_conn_queue_done(&client->queue);
    lw_h2_head_done(&client->head);
    lw_tls_context_free(client->options.tls);
    lw_free(client->read);
    lw_free(client->host);
    lw_free(client->authority);
    lw_free(client->name);
    lw_free(client);
}

static lw_h2_call *first_call(const lw_h2_client *client)
{
    lw_dlist_node *node = lw_dlist_first(&client->under_way);
    return LW_DLIST_ITEM(node ? node : lw_dlist_first(&client->waiting), lw_h2_call, link);
}

static void go_down(lw_h2_client *client)
{
    client->stage = LW_H2_CLIENT_DOWN;
    lw_timer_cancel(client->loop, &client->timer);
    lw_dial_cancel(client->dial);
    client->dial = NULL;
    lw_h2_client__disconnect(client);
    for (lw_h2_call *call; !client->is_freed && (call = first_call(client));)
        lw_h2_call__close(call, &client->err, !call->is_sent);
    if (!client->is_freed && client->options.on_down)
        client->options.on_down(client, &client->err, client->options.arg);
}

/* The server accepts no new streams: those that wait will never start. */
static void refuse_waiting(lw_h2_client *client)
{
    for (lw_dlist_node *node; !client->is_freed && (node = lw_dlist_first(&client->waiting));)
        lw_h2_call__close(LW_DLIST_ITEM(node, lw_h2_call, link), &client->goaway, true);
    if (!client->is_freed && client->call_count == 0)
        lw_h2_client__fail(client, client->goaway.code, "%s", client->goaway.message);
}

/* Returns when the timer has to fire; 0: never. */
static int64_t next_deadline(const lw_h2_client *client)
{
    if (client->stage != LW_H2_CLIENT_UP)
        return client->connect_deadline_ns;
    if (client->options.ping_idle_ms <= 0 || client->call_count == 0)
        return 0;
    if (client->is_pinged)
        return client->pinged_ns + client->options.ping_timeout_ms * LW_NS_PER_MS;
    return client->quiet_since_ns + client->options.ping_idle_ms * LW_NS_PER_MS;
}

/* A timer that fires early is cheaper than one that is moved whenever bytes arrive. */
static void update_timer(lw_h2_client *client)
{
    int64_t deadline = next_deadline(client);
    bool is_set = lw_heap_node_is_in(&client->timer.node);
    if (deadline == 0 || (is_set && client->timer.deadline_ns <= deadline))
        return;
    if (lw_timer_set(client->loop, &client->timer, deadline) < 0)
        lw_h2_client__fail(client, LW_ERR_NOMEM, "out of memory");
}

static void timer_fired(lw_timer *timer)
{
    lw_h2_client *client = LW_CONTAINER_OF(timer, lw_h2_client, timer);
    static const char *const steps[] = {
        [LW_H2_CLIENT_DIALLING] = "no connection",
        [LW_H2_CLIENT_SECURING] = "no TLS handshake",
        [LW_H2_CLIENT_GREETING] = "no HTTP/2 SETTINGS frame",
    };
    int64_t deadline = next_deadline(client);
    lw_h2_client__settle_soon(client);
    if (deadline == 0 || deadline > lw_loop_now(client->loop))
        return;
    if (client->stage != LW_H2_CLIENT_UP) {
        lw_h2_client__fail(client, LW_ERR_TIMEOUT, "%s within %d ms", steps[client->stage],
                           client->options.connect_timeout_ms);
    } else if (client->is_pinged) {
        lw_h2_client__fail(client, LW_ERR_TIMEOUT,
                           "no data for %d ms and no reply to a PING within %d ms",
                           client->options.ping_idle_ms, client->options.ping_timeout_ms);
    } else {
        client->is_pinged = true;
        client->pinged_ns = lw_loop_now(client->loop);
        lw_h2_client__check(client, nghttp2_submit_ping(client->session, NGHTTP2_FLAG_NONE, NULL));
    }
}

static void update_wanted(lw_h2_client *client)
{
    if (client->io.fd >= 0)
        lw_loop_change(client->loop, &client->io,
                       LW_IO_READ | (client->is_blocked ? LW_IO_WRITE : 0));
}

static void tell_drained(lw_h2_client *client)
{
    for (lw_dlist_node *node; !client->is_freed && (node = lw_dlist_pop_front(&client->drained));) {
        lw_h2_call *call = LW_DLIST_ITEM(node, lw_h2_call, drained);
        if (call->queue.bytes == 0)
            call->sink.on_drained(call, call->sink.arg);
    }
}

static void settle(lw_task *task)
{
    lw_h2_client *client = LW_DLIST_ITEM(&task->link, lw_h2_client, settling.link);
    if (client->is_freed) {
        client_delete(client);
        return;
    }
    if (client->stage == LW_H2_CLIENT_DOWN)
        return;
    if (client->stage >= LW_H2_CLIENT_GREETING)
        lw_h2_client__flush(client);
    tell_drained(client);
    if (!client->is_freed && client->is_closing)
        refuse_waiting(client);
    if (!client->is_freed && client->err.code == LW_OK)
        update_timer(client);
    if (client->is_freed)
        return; /* it is queued again, to be deleted */
    if (client->err.code != LW_OK)
        go_down(client);
    else
        update_wanted(client);
}

static void dialled(int fd, const lw_error *err, void *arg)
{
    lw_h2_client *client = arg;
    client->dial = NULL;
    if (fd < 0)
        lw_h2_client__fail(client, err->code, "%s", err->message);
    else
        lw_h2_client__connected(client, fd);
}

/* Returns the host of an authority such as "host" or "[host]:port". */
static lw_str host_of(lw_str authority)
{
    lw_str host, rest;
    if (lw_str_starts_with(authority, LW_STR("["))) {
        (void)lw_str_cut(lw_str_skip(authority, 1), ']', &host, &rest);
        return host;
    }
    (void)lw_str_cut(authority, ':', &host, &rest);
    return host;
}

static char *make_authority(const lw_h2_client_options *options)
{
    lw_buf text;
    lw_buf_init(&text, AUTHORITY_MAX);
    if (options->authority)
        lw_buf_append_text(&text, options->authority);
    else if (strchr(options->host, ':'))
        lw_buf_printf(&text, "[%s]:%u", options->host, (unsigned)options->port);
    else
        lw_buf_printf(&text, "%s:%u", options->host, (unsigned)options->port);
    char *made = lw_buf_take_text(&text);
    lw_buf_done(&text);
    return made;
}

static lw_status check_options(const lw_h2_client_options *options, lw_error *err)
{
    if (!options->host || !options->host[0] || strlen(options->host) > AUTHORITY_MAX / 2)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the host name or IP address of the server is missing or too long");
    if (options->port == 0)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the port of the server is missing: use 1 to 65535");
    if (options->authority && (host_of(lw_str_of(options->authority)).len == 0 ||
                               strlen(options->authority) >= AUTHORITY_MAX))
        return lw_error_set(err, LW_ERR_INVALID, "the authority \"%s\" has no host or is too long",
                            options->authority);
    if (options->connect_timeout_ms <= 0 || options->ping_idle_ms < 0 ||
        (options->ping_idle_ms > 0 && options->ping_timeout_ms <= 0))
        return lw_error_set(err, LW_ERR_INVALID, "connection timeouts must be greater than 0 ms");
    return LW_OK;
}

static lw_status copy_options(lw_h2_client *client, const lw_h2_client_options *options)
{
    client->options = *options;
    client->options.tls = options->tls ? lw_tls_context_ref(options->tls) : NULL;
    client->host = lw_str_dup(lw_str_of(options->host));
    client->authority = make_authority(options);
    client->name = lw_str_dup(options->authority ? host_of(lw_str_of(options->authority))
                                                 : lw_str_of(options->host));
    client->read = lw_alloc(LW_H2_CLIENT_READ_SIZE + LW_H2_CLIENT_GATHER_SIZE);
    client->options.host = client->host;
    client->options.authority = client->authority;
    if (!client->host || !client->authority || !client->name || !client->read)
        return LW_ERR_NOMEM;
    client->gather = client->read + LW_H2_CLIENT_READ_SIZE;
    return LW_OK;
}

/* Creates a client that is not connected; its timer is set. */
static lw_status client_new(lw_h2_client **out, lw_loop *loop, const lw_h2_client_options *options,
                            lw_error *err)
{
    lw_status st = check_options(options, err);
    if (st < 0)
        return st;
    lw_h2_client *client = lw_alloc_zero(1, sizeof(*client));
    if (!client)
        return lw_error_nomem(err);
    client->loop = loop;
    client->io.fd = -1;
    client->timer.fire = timer_fired;
    client->settling.run = settle;
    client->connect_deadline_ns =
        lw_clock_now(lw_loop_clock(loop)) + options->connect_timeout_ms * LW_NS_PER_MS;
    lw_conn_queue_init(&client->queue);
    lw_h2_head_init(&client->head);
    lw_dlist_init(&client->waiting);
    lw_dlist_init(&client->under_way);
    lw_dlist_init(&client->drained);
    if (copy_options(client, options) < 0 ||
        lw_timer_set(loop, &client->timer, client->connect_deadline_ns) < 0) {
        client_delete(client);
        return lw_error_nomem(err);
    }
    *out = client;
    return LW_OK;
}

lw_status lw_h2_client_open(lw_h2_client **out, lw_loop *loop, const lw_h2_client_options *options,
                            lw_error *err)
{
    lw_h2_client *client = NULL;
    lw_status st = client_new(&client, loop, options, err);
    if (st < 0)
        return st;
    st = lw_dial_start(&client->dial, loop, client->host, options->port,
                       client->connect_deadline_ns, dialled, client, err);
    if (st < 0) {
        lw_timer_cancel(loop, &client->timer);
        client_delete(client);
        return st;
    }
    *out = client;
    return LW_OK;
}

lw_status lw_h2_client_adopt(lw_h2_client **out, lw_loop *loop, const lw_h2_client_options *options,
                             int fd, lw_tls_stream *tls, lw_error *err)
{
    lw_h2_client *client = NULL;
    lw_status st = client_new(&client, loop, options, err);
    if (st < 0) {
        lw_tls_stream_free(tls);
        close(fd);
        return st;
    }
    lw_h2_client__secured(client, fd, tls);
    *out = client;
    return LW_OK;
}

void lw_h2_client_free(lw_h2_client *client)
{
    if (!client || client->is_freed)
        return;
    client->is_freed = true;
    lw_timer_cancel(client->loop, &client->timer);
    lw_dial_cancel(client->dial);
    client->dial = NULL;
    for (lw_h2_call *call; (call = first_call(client));)
        lw_h2_call__drop(call);
    lw_h2_client__settle_soon(client);
}

bool lw_h2_client_is_closing(const lw_h2_client *client)
{
    return client->is_closing || lw_h2_client__is_over(client);
}
