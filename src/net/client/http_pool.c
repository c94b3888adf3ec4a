/* SPDX-License-Identifier: Apache-2.0 */
/* http_pool.c -- the connections of one target: gives them to waiting calls, oldest first, and
 * dials when there are too few.
 *
 * As long as the protocol of a TLS server is not known, one connection is dialled at a time: with
 * HTTP/2 it serves all calls. */
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "net/client/http_internal.h"
#include "net/h1/h1_head.h"

enum {
    NAME_MAX_LEN = 512, /* of host, authority and server name */
    KEY_USUAL = 160,
};

void lw_http_pool__delete(lw_http_pool *pool)
{
    if (lw_dlist_node_is_linked(&pool->settling.link))
        lw_dlist_remove(&pool->settling.link);
    lw_tls_context_free(pool->tls);
    lw_free(pool->key_text);
    lw_free(pool->host);
    lw_free(pool->authority);
    lw_free(pool->name);
    lw_free(pool);
}

void lw_http_pool__settle_soon(lw_http_pool *pool)
{
    if (!pool->client->is_freed && !lw_dlist_node_is_linked(&pool->settling.link))
        lw_loop_defer(pool->client->loop, &pool->settling);
}

void lw_http_pool__wait(lw_http_pool *pool, lw_http_call *call, bool is_first)
{
    if (is_first)
        lw_dlist_push_front(&pool->waiting, &call->link);
    else
        lw_dlist_push_back(&pool->waiting, &call->link);
    pool->waiting_count++;
    lw_http_pool__settle_soon(pool);
}

void lw_http_pool__stop_waiting(lw_http_call *call)
{
    lw_dlist_remove(&call->link);
    call->pool->waiting_count--;
}

static lw_http_call *first_waiting(const lw_http_pool *pool)
{
    return LW_DLIST_ITEM(lw_dlist_first(&pool->waiting), lw_http_call, link);
}

/* Returns an idle connection for |call|; NULL: none. */
static lw_http_conn *find_idle(const lw_http_pool *pool, const lw_http_call *call)
{
    LW_DLIST_FOR_EACH(lw_http_conn, conn, &pool->idle, link)
    {
        if (!call->needs_new_conn || !conn->was_used)
            return conn;
    }
    return NULL;
}

/* Returns whether another connection may be opened; closes the longest idle one for it. */
static bool make_room(lw_http_pool *pool)
{
    lw_dlist_node *last = lw_dlist_last(&pool->idle);
    if (pool->conn_count < LW_HTTP_CLIENT_CONNECTIONS_MAX)
        return true;
    if (last)
        lw_http_conn__close(LW_DLIST_ITEM(last, lw_http_conn, link));
    return last != NULL;
}

/* Dials a connection that belongs to |call|, which waits. */
static void dial_for(lw_http_pool *pool, lw_http_call *call)
{
    lw_error err = LW_ERROR_INIT;
    lw_http_pool__stop_waiting(call);
    lw_status st = lw_http_conn__new(pool, call, call->wait_until_ns, &err);
    if (st < 0)
        lw_http_call__fail_soon(call, st, err.message);
}

/* Gives connections to waiting calls. */
static void assign(lw_http_pool *pool)
{
    LW_DLIST_FOR_EACH_SAFE(lw_http_call, call, &pool->waiting, link)
    {
        bool is_shared = !call->is_upgrade && pool->h2 && lw_http_conn__accepts_h2(pool->h2);
        lw_http_conn *conn = call->is_upgrade || is_shared ? NULL : find_idle(pool, call);
        if (is_shared) {
            lw_http_pool__stop_waiting(call);
            lw_http_conn__start_h2(pool->h2, call);
        } else if (conn) {
            lw_http_pool__stop_waiting(call);
            lw_http_conn__leave_idle(conn);
            lw_http_conn__start(conn, call);
        } else if (call->is_upgrade && make_room(pool)) {
            dial_for(pool, call);
        } else if (!call->needs_new_conn) {
            return;
        }
    }
}

static void dial_more(lw_http_pool *pool)
{
    while (pool->dialling_count < pool->waiting_count &&
           (!pool->tls || pool->is_h1 || pool->dialling_count == 0) && make_room(pool)) {
        lw_error err = LW_ERROR_INIT;
        if (lw_http_conn__new(pool, NULL, first_waiting(pool)->wait_until_ns, &err) < 0) {
            lw_http_pool__dial_failed(pool, &err);
            return;
        }
    }
}

static void settle(lw_task *task)
{
    lw_http_pool *pool = LW_DLIST_ITEM(&task->link, lw_http_pool, settling.link);
    if (pool->call_count == 0 && pool->conn_count == 0) {
        if (pool->client->last == pool)
            pool->client->last = NULL;
        (void)lw_map_remove_str(&pool->client->pools, pool->key);
        lw_http_pool__delete(pool);
        return;
    }
    assign(pool);
    dial_more(pool);
}

void lw_http_pool__dial_failed(lw_http_pool *pool, const lw_error *err)
{
    /* Calls have their own timers; others may have more time. */
    if (err->code != LW_ERR_TIMEOUT) {
        bool is_last = pool->conn_count == 0;
        for (lw_http_call *call; (call = first_waiting(pool));) {
            lw_http_call__fail_soon(call, err->code, err->message);
            if (!is_last)
                break;
        }
    }
    lw_http_pool__settle_soon(pool);
}

static lw_status check_target(const lw_http_target *target, lw_error *err)
{
    const char *const names[] = { target->host, target->authority, target->server_name };
    if (!target->host || target->port == 0)
        return lw_error_set(err, LW_ERR_INVALID, "the host or the port of the server is missing");
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (names[i] && (!lw_h1_is_visible(lw_str_of(names[i])) || strlen(names[i]) > NAME_MAX_LEN))
            return lw_error_set(err, LW_ERR_INVALID, "\"%s\" is not a valid host name", names[i]);
    }
    return LW_OK;
}

/* All that distinguishes targets; no name contains a space.  Made for each call: printf would be a
 * good part of its cost. */
static char *make_key(const lw_http_target *target)
{
    lw_buf text;
    lw_buf_init(&text, 4 * NAME_MAX_LEN);
    (void)lw_buf_reserve(&text, KEY_USUAL);
    lw_buf_append_text(&text, target->host);
    lw_buf_append_char(&text, ' ');
    lw_buf_append_uint(&text, target->port);
    lw_buf_append_char(&text, ' ');
    lw_buf_append_uint(&text, (uintptr_t)target->tls);
    lw_buf_append_char(&text, ' ');
    lw_buf_append_text(&text, target->authority ? target->authority : "");
    lw_buf_append_char(&text, ' ');
    lw_buf_append_text(&text, target->server_name ? target->server_name : "");
    char *made = lw_buf_take_text(&text);
    lw_buf_done(&text);
    return made;
}

static char *make_authority(const lw_http_target *target)
{
    lw_buf text;
    bool is_v6 = strchr(target->host, ':') != NULL;
    lw_buf_init(&text, 2 * NAME_MAX_LEN);
    if (target->authority) {
        lw_buf_append_text(&text, target->authority);
    } else {
        lw_buf_printf(&text, "%s%s%s", is_v6 ? "[" : "", target->host, is_v6 ? "]" : "");
        if (target->port != (target->tls ? 443 : 80))
            lw_buf_printf(&text, ":%u", (unsigned)target->port);
    }
    char *made = lw_buf_take_text(&text);
    lw_buf_done(&text);
    return made;
}

/* Creates a pool; takes |key|.  NULL: out of memory. */
static lw_http_pool *pool_new(lw_http_client *client, const lw_http_target *target, char *key)
{
    lw_http_pool *pool = lw_alloc_zero(1, sizeof(*pool));
    if (!pool) {
        lw_free(key);
        return NULL;
    }
    pool->client = client;
    pool->key_text = key;
    pool->key = lw_str_of(key);
    pool->host = lw_str_dup(lw_str_of(target->host));
    pool->authority = make_authority(target);
    pool->name = lw_str_dup(lw_str_of(target->server_name ? target->server_name : target->host));
    pool->port = target->port;
    pool->has_names = target->authority && target->server_name;
    pool->tls = target->tls ? lw_tls_context_ref(target->tls) : NULL;
    pool->settling.run = settle;
    lw_dlist_init(&pool->waiting);
    lw_dlist_init(&pool->conns);
    lw_dlist_init(&pool->idle);
    if (pool->host && pool->authority && pool->name)
        return pool;
    lw_http_pool__delete(pool);
    return NULL;
}

/* True if |pool| is certainly that of |target|. */
static bool is_of(const lw_http_pool *pool, const lw_http_target *target)
{
    return pool && target->host && target->authority && target->server_name &&
           pool->tls == target->tls && pool->port == target->port && pool->has_names &&
           strcmp(pool->host, target->host) == 0 &&
           strcmp(pool->authority, target->authority) == 0 &&
           strcmp(pool->name, target->server_name) == 0;
}

lw_status lw_http_pool__of(lw_http_pool **out, lw_http_client *client, const lw_http_target *target,
                           lw_error *err)
{
    if (is_of(client->last, target)) {
        *out = client->last;
        return LW_OK;
    }
    lw_status st = check_target(target, err);
    if (st < 0)
        return st;
    char *key = make_key(target);
    if (!key)
        return lw_error_nomem(err);
    lw_http_pool *pool = lw_map_get_str(&client->pools, lw_str_of(key));
    if (pool) {
        lw_free(key);
        *out = client->last = pool;
        return LW_OK;
    }
    void *present = NULL;
    pool = pool_new(client, target, key);
    st = pool ? lw_map_add(&client->pools, &pool->key, pool, &present) : LW_ERR_NOMEM;
    if (st < 0) {
        if (pool)
            lw_http_pool__delete(pool);
        return lw_error_set(err, st, "cannot add the target %s: %s", target->host,
                            lw_status_name(st));
    }
    *out = client->last = pool;
    return LW_OK;
}
