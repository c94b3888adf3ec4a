/* SPDX-License-Identifier: Apache-2.0 */
/* http_client.c -- the client: all its calls, and the pools of its targets. */
#include "net/client/http_client.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "net/client/http_internal.h"

enum {
    POOLS_MAX =
        LW_HTTP_CLIENT_CALLS_MAX * 2, /* those with calls, and those with idle connections */
};

static const lw_map_type pools_by_key = LW_MAP_STR_TYPE(lw_http_pool, key);

static void client_delete(lw_http_client *client)
{
    lw_map_cursor at = lw_map_begin(&client->pools);
    for (lw_http_pool *pool; (pool = lw_map_next(&client->pools, &at));)
        lw_http_pool__delete(pool);
    lw_map_done(&client->pools);
    lw_free(client->read);
    lw_free(client);
}

static void run_delete(lw_task *task)
{
    client_delete(LW_DLIST_ITEM(&task->link, lw_http_client, deleting.link));
}

lw_status lw_http_client_new(lw_http_client **out, lw_loop *loop, lw_error *err)
{
    lw_http_client *client = lw_alloc_zero(1, sizeof(*client));
    if (!client)
        return lw_error_nomem(err);
    client->loop = loop;
    client->deleting.run = run_delete;
    lw_map_init(&client->pools, &pools_by_key, lw_hash_seed_random(), POOLS_MAX);
    lw_dlist_init(&client->calls);
    client->read = lw_alloc(LW_HTTP_CLIENT_READ_SIZE + LW_HTTP_CLIENT_GATHER_SIZE);
    if (!client->read) {
        client_delete(client);
        return lw_error_nomem(err);
    }
    client->gather = client->read + LW_HTTP_CLIENT_READ_SIZE;
    *out = client;
    return LW_OK;
}

static void close_all(lw_dlist *conns)
{
    for (lw_dlist_node *node; (node = lw_dlist_first(conns));)
        lw_http_conn__close(LW_DLIST_ITEM(node, lw_http_conn, link));
}

void lw_http_client_free(lw_http_client *client)
{
    if (!client || client->is_freed)
        return;
    client->is_freed = true;
    for (lw_dlist_node *node; (node = lw_dlist_first(&client->calls));)
        lw_http_call__drop(LW_DLIST_ITEM(node, lw_http_call, all));
    lw_map_cursor at = lw_map_begin(&client->pools);
    for (lw_http_pool *pool; (pool = lw_map_next(&client->pools, &at));) {
        close_all(&pool->conns);
        close_all(&pool->idle);
    }
    lw_loop_defer(client->loop, &client->deleting);
}

static lw_status start(lw_http_call *call, lw_http_client *client,
                       const lw_http_call_options *options, lw_error *err)
{
    lw_status st = lw_http_pool__of(&call->pool, client, &options->target, err);
    if (st < 0)
        return st;
    int64_t now = lw_clock_now(lw_loop_clock(client->loop));
    call->client = client;
    call->timer.fire = lw_http_call__timer_fired;
    call->ending.run = lw_http_call__end;
    call->wait_until_ns = call->deadline_ns ? call->deadline_ns
                                            : now + LW_HTTP_CLIENT_CONNECT_TIMEOUT_S * LW_NS_PER_S;
    if (lw_http_call__set_timer(call) < 0) {
        lw_http_pool__settle_soon(call->pool);
        return lw_error_nomem(err);
    }
    lw_dlist_push_back(&client->calls, &call->all);
    client->call_count++;
    call->pool->call_count++;
    lw_http_pool__wait(call->pool, call, false);
    return LW_OK;
}

lw_status lw_http_client_call(lw_http_call **out, lw_http_client *client,
                              lw_http_call_options *options, const lw_http_call_sink *sink,
                              lw_error *err)
{
    lw_http_call *call = NULL;
    if (client->call_count >= LW_HTTP_CLIENT_CALLS_MAX) {
        lw_bytes_release(options->body);
        return lw_error_set(err, LW_ERR_TOO_MANY,
                            "%d requests to other servers are in progress: try again later",
                            LW_HTTP_CLIENT_CALLS_MAX);
    }
    lw_status st = lw_http_request__new(&call, options, err);
    if (st < 0)
        return st;
    st = start(call, client, options, err);
    if (st < 0) {
        lw_http_request__free(call);
        return st;
    }
    call->sink = *sink;
    if (out)
        *out = call;
    return LW_OK;
}
