/* SPDX-License-Identifier: Apache-2.0 */
/* client.c -- life cycle of a client, its pool of sessions, and finding resources.
 *
 * A blocking call takes an idle session, or makes one, and returns it: its connections stay open
 * for the next call.  So calls of different threads never wait for each other. */
#include "client/client.h"

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
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

static lw_status client_set_options(lw_client *client, const lw_client_options *options,
                                    lw_error *err)
{
    lw_buf agent;
    if (options)
        client->options = *options;
    if (client->options.timeout_s <= 0)
        client->options.timeout_s = LW_CLIENT_TIMEOUT_S;
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
    client->clock = options && options->clock ? options->clock : lw_clock_system();
    client->closed = (lw_cancel)LW_CANCEL_NONE;
    lw_mutex_init(&client->mu);
    lw_dlist_init(&client->idle_sessions);
    lw_resource_cache_init(&client->resources);
    lw_status st = lw_cancel_init(&client->closed, err);
    if (st == LW_OK)
        st = client_set_options(client, options, err);
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
    lw_cancel_done(&client->closed);
    lw_config_unref(client->config);
    lw_free(client->user_agent);
    lw_free(client);
}

void lw_client_close(lw_client *client)
{
    lw_cancel_fire(&client->closed);
}

const lw_config *lw_client_config(const lw_client *client)
{
    return client->config;
}

lw_status lw_client__take_session(lw_client *client, lw_session **out, lw_error *err)
{
    lw_status st = lw_client__check_cancelled(client, err);
    if (st < 0)
        return st;
    lw_mutex_lock(&client->mu);
    lw_session *session =
        LW_DLIST_ITEM(lw_dlist_pop_front(&client->idle_sessions), lw_session, idle);
    if (session)
        client->idle_count--;
    lw_mutex_unlock(&client->mu);
    if (!session)
        return lw_session__new_pooled(out, client, err);
    *out = session;
    return LW_OK;
}

void lw_client__return_session(lw_client *client, lw_session *session)
{
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
