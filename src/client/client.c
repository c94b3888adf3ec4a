/* SPDX-License-Identifier: Apache-2.0 */
/* client.c -- life cycle of a client, its pool of sessions, and finding resources.
 *
 * A blocking call takes an idle session, or makes one, and returns it: its connections stay open
 * for the next call.  So calls of different threads never wait for each other. */
#include "client/client.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/options.h"
#include "base/str.h"
#include "client/call.h"
#include "client/session_internal.h"

#include <listwatch/version.h>

enum {
    USER_AGENT_MAX = 1024,
};

/* The names that Go uses, which are common in the logs of servers. */
static const char *machine_name(void)
{
#if defined(__x86_64__)
    return "amd64";
#elif defined(__aarch64__)
    return "arm64";
#else
    return "other";
#endif
}

static lw_status client_set_agent(lw_client *client, lw_error *err)
{
    lw_buf agent;
    lw_buf_init(&agent, USER_AGENT_MAX);
    if (client->options.user_agent)
        lw_buf_append_text(&agent, client->options.user_agent);
    else
        lw_buf_printf(&agent, "listwatch/%s (linux/%s)", lw_version(), machine_name());
    client->user_agent = lw_buf_take_text(&agent);
    lw_status st = agent.st;
    lw_buf_done(&agent);
    if (st == LW_ERR_LIMIT)
        return lw_error_set(err, LW_ERR_INVALID, "the user agent is longer than %d bytes",
                            USER_AGENT_MAX);
    if (!client->user_agent)
        return lw_error_nomem(err);
    client->options.user_agent = client->user_agent;
    for (const char *c = client->user_agent; *c; c++) {
        if ((unsigned char)*c < 0x20 || *c == 0x7F)
            return lw_error_set(err, LW_ERR_INVALID, "the user agent contains a control character");
    }
    return LW_OK;
}

static lw_status client_set_limits(lw_client *client, lw_error *err)
{
    lw_client_options *o = &client->options;
    if (!(o->qps >= 0 && o->qps <= LW_CLIENT_QPS_MAX) || o->burst < 0 ||
        o->burst > LW_CLIENT_QPS_MAX)
        return lw_error_set(err, LW_ERR_INVALID, "qps and burst must be between 0 and %d",
                            LW_CLIENT_QPS_MAX);
    if (o->qps > 0 && o->qps < 1.0 / LW_CLIENT_QPS_MAX)
        return lw_error_set(err, LW_ERR_INVALID, "qps is too small");
    if (o->timeout_s <= 0)
        o->timeout_s = LW_CLIENT_TIMEOUT_S;
    if (o->max_retries == 0)
        o->max_retries = LW_CLIENT_RETRIES;
    else if (o->max_retries < 0)
        o->max_retries = 0;
    if (o->max_retry_wait_s <= 0)
        o->max_retry_wait_s = LW_CLIENT_RETRY_WAIT_S;
    if (o->burst == 0)
        o->burst = (int)(2 * o->qps);
    lw_rate_limit_set(&client->rate_limit, o->qps, o->burst);
    return LW_OK;
}

static lw_status client_set_options(lw_client *client, const lw_client_options *options,
                                    lw_error *err)
{
    client->options = (lw_client_options)LW_CLIENT_OPTIONS_INIT;
    lw_status st = lw_options_read(&client->options, sizeof(client->options), options,
                                   "lw_client_options", err);
    if (st == LW_OK)
        st = client_set_limits(client, err);
    if (st == LW_OK)
        st = client_set_agent(client, err);
    if (st < 0)
        return st;
    if (client->options.clock)
        client->clock = client->options.clock;
    if (client->options.logger)
        client->logger = *client->options.logger;
    if (client->options.proxy_url) {
        client->proxy_url = lw_str_dup(lw_str_of(client->options.proxy_url));
        if (!client->proxy_url)
            return lw_error_nomem(err);
        client->options.proxy_url = client->proxy_url;
    }
    return LW_OK;
}

int64_t lw_client__timeout_ms(const lw_client *client, int timeout_ms)
{
    return timeout_ms > 0 ? timeout_ms : client->options.timeout_s * INT64_C(1000);
}

/* Checks the certificates.  Temporary problems (a plugin fails now) are reported by the first
 * call. */
static lw_status client_try_credentials(lw_client *client, lw_error *err)
{
    lw_session *session = NULL;
    lw_error trouble = LW_ERROR_INIT;
    lw_status st = lw_client__take_session(client, &session, err);
    if (st < 0)
        return st;
    st = lw_session__refresh(session, &trouble);
    lw_client__return_session(client, session);
    if (st != LW_ERR_INVALID && st != LW_ERR_NOMEM)
        return LW_OK;
    if (err)
        *err = trouble;
    return st;
}

lw_status lw_client_new(lw_client **out, lw_config *config, const lw_client_options *options,
                        lw_error *err)
{
    lw_client *client = lw_alloc_zero(1, sizeof(*client));
    if (!client)
        return lw_error_nomem(err);
    lw_ref_init(&client->refs);
    client->config = lw_config_ref(config);
    client->clock = lw_clock_system();
    lw_rate_limit_init(&client->rate_limit);
    lw_request_counts_init(&client->requests);
    lw_mutex_init(&client->mu);
    lw_dlist_init(&client->idle_sessions);
    lw_dlist_init(&client->active_sessions);
    lw_resource_cache_init(&client->resources);
    lw_status st = client_set_options(client, options, err);
    if (st == LW_OK)
        st = client_try_credentials(client, err);
    if (st < 0) {
        lw_client_unref(client);
        return st;
    }
    *out = client;
    return LW_OK;
}

lw_client *lw_client_ref(lw_client *client)
{
    lw_ref_inc(&client->refs);
    return client;
}

void lw_client_unref(lw_client *client)
{
    if (!client || !lw_ref_dec(&client->refs))
        return;
    LW_DLIST_FOR_EACH_SAFE(lw_session, session, &client->idle_sessions, idle)
    {
        lw_dlist_remove(&session->idle);
        lw_session_free(session);
    }
    lw_resource_cache_done(&client->resources);
    lw_mutex_done(&client->mu);
    lw_config_unref(client->config);
    lw_rate_limit_done(&client->rate_limit);
    lw_request_counts_done(&client->requests);
    lw_free(client->proxy_url);
    lw_free(client->user_agent);
    lw_free(client);
}

/* The server without its scheme, as in client-go. */
static const char *host_of(const lw_client *client)
{
    const char *server = lw_config_server(client->config), *mark = strstr(server, "://");
    return mark ? mark + 3 : server;
}

size_t lw_client_metrics(const lw_client *client, char *dst, size_t size)
{
    lw_metrics_text t = { dst, size, 0 };
    /* Reading changes only the lock. */
    lw_request_counts *counts = &((lw_client *)(uintptr_t)client)->requests;
    lw_request_counts_write(counts, host_of(client), &t);
    return lw_metrics_end(&t);
}

void lw_client__activate(lw_client *client, lw_session *session)
{
    lw_mutex_lock(&client->mu);
    lw_dlist_push_back(&client->active_sessions, &session->idle);
    lw_mutex_unlock(&client->mu);
}

void lw_client__deactivate(lw_client *client, lw_session *session)
{
    lw_mutex_lock(&client->mu);
    if (lw_dlist_node_is_linked(&session->idle))
        lw_dlist_remove(&session->idle);
    lw_mutex_unlock(&client->mu);
    if (lw_cancel_is_fired(&session->cancel))
        lw_cancel_reset(&session->cancel);
}

void lw_client_cancel_all(lw_client *client)
{
    lw_mutex_lock(&client->mu);
    LW_DLIST_FOR_EACH(lw_session, session, &client->active_sessions, idle)
    lw_cancel_fire(&session->cancel);
    lw_mutex_unlock(&client->mu);
}

void lw_client_close(lw_client *client)
{
    atomic_store(&client->is_closed, true);
    lw_client_cancel_all(client);
}

const lw_config *lw_client_config(const lw_client *client)
{
    return client->config;
}

lw_status lw_client__take_session(lw_client *client, lw_session **out, lw_error *err)
{
    lw_mutex_lock(&client->mu);
    lw_session *session =
        LW_DLIST_ITEM(lw_dlist_pop_front(&client->idle_sessions), lw_session, idle);
    if (session)
        client->idle_count--;
    lw_mutex_unlock(&client->mu);
    lw_status st = session ? LW_OK : lw_session__new_pooled(&session, client, err);
    if (st < 0)
        return st;
    /* First, so that a close at the same time is noticed here, or cancels the session. */
    lw_client__activate(client, session);
    st = lw_client__check_cancelled(client, err);
    if (st < 0) {
        lw_client__return_session(client, session);
        return st;
    }
    *out = session;
    return LW_OK;
}

void lw_client__return_session(lw_client *client, lw_session *session)
{
    lw_client__deactivate(client, session);
    lw_mutex_lock(&client->mu);
    bool is_kept = client->idle_count < LW_CLIENT_IDLE_SESSIONS;
    if (is_kept) {
        /* The session used last is reused first: its connections are the least likely to be
         * closed. */
        lw_dlist_push_front(&client->idle_sessions, &session->idle);
        client->idle_count++;
    }
    lw_mutex_unlock(&client->mu);
    if (!is_kept)
        lw_session_free(session);
}

/* Finding resources. */

static lw_status client_find(lw_client *client, const lw_resource_question *question,
                             lw_resource *out, lw_error *err)
{
    lw_error trouble = LW_ERROR_INIT;
    lw_status st = lw_resource_cache_find(&client->resources, question, out, &trouble);
    if (st == LW_OK)
        return st;
    if (st == LW_ERR_NOMEM || st == LW_ERR_LIMIT) {
        if (err)
            *err = trouble;
        return st;
    }
    st = lw_client__discover(client, err);
    return st < 0 ? st : lw_resource_cache_find(&client->resources, question, out, err);
}

lw_status lw_client_find_resource(lw_client *client, const char *name, lw_resource *out,
                                  lw_error *err)
{
    lw_resource_question question = { .name = name };
    return client_find(client, &question, out, err);
}

lw_status lw_client_find_kind(lw_client *client, lw_gvk gvk, lw_resource *out, lw_error *err)
{
    lw_resource_question question = { .gvk = gvk };
    return client_find(client, &question, out, err);
}
