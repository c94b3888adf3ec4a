/* SPDX-License-Identifier: Apache-2.0 */
/* call.c -- blocking calls on non-blocking sessions. */
#include "client/call.h"

#include <poll.h>

#include "base/error.h"
#include "base/str.h"
#include "base/thread/cancel.h"
#include "client/session_internal.h"

lw_status lw_client__check_cancelled(const lw_client *client, lw_error *err)
{
    if (atomic_load(&client->is_closed))
        return lw_error_set(err, LW_ERR_STOPPED, "the client was closed");
    if (lw_cancel_is_due())
        return lw_error_set(err, LW_ERR_STOPPED,
                            "the request was cancelled: its reconciler or factory was stopped");
    return LW_OK;
}

/* After lw_client_cancel_all. */
static lw_status check_cancel_all(const lw_session *session, lw_error *err)
{
    if (!lw_cancel_is_fired(&session->cancel))
        return LW_OK;
    return lw_error_set(err, LW_ERR_STOPPED, "the request was cancelled by lw_client_cancel_all");
}

/* Fills the poll set of a call: its session first, then everything that may cancel it. */
static size_t poll_set(const lw_session *session, struct pollfd set[2 + LW_CANCEL_SCOPES_MAX])
{
    int fds[LW_CANCEL_SCOPES_MAX];
    size_t scopes = lw_cancel_fds(fds), count = 0;
    set[count++] = (struct pollfd){ .fd = lw_session_fd(session), .events = POLLIN };
    set[count++] = (struct pollfd){ .fd = session->cancel.fd, .events = POLLIN };
    for (size_t i = 0; i < scopes; i++)
        set[count++] = (struct pollfd){ .fd = fds[i], .events = POLLIN };
    return count;
}

void lw_client__drive(lw_session *session, lw_client_wait *wait)
{
    struct pollfd set[2 + LW_CANCEL_SCOPES_MAX];
    size_t count = poll_set(session, set);
    lw_error err = LW_ERROR_INIT;
    while (!wait->is_done) {
        if (lw_client__check_cancelled(session->client, &err) < 0 ||
            check_cancel_all(session, &err) < 0) {
            lw_client__end(wait, &err);
            wait->is_cancelled = true;
            return;
        }
        /* The result does not matter: dispatch checks what there is to do. */
        int timeout_ms = lw_session_timeout_ms(session);
        if (timeout_ms != 0)
            (void)poll(set, (nfds_t)count, timeout_ms);
        lw_session_dispatch(session);
    }
}

void lw_client__leave_session(lw_client *client, lw_session *session, const lw_client_wait *wait)
{
    if (!wait->is_cancelled) {
        lw_client__return_session(client, session);
        return;
    }
    lw_client__deactivate(client, session);
    lw_session_free(session);
}

void lw_client__end(lw_client_wait *wait, const lw_error *err)
{
    wait->is_done = true;
    wait->st = err ? err->code : LW_OK;
    if (err)
        wait->err = *err;
}

lw_status lw_client__result(const lw_client_wait *wait, lw_error *err)
{
    if (wait->st < 0 && err)
        *err = wait->err;
    return wait->st;
}

/* One object. */

typedef struct object_wait {
    lw_client_wait wait;
    lw_object **out;
} object_wait;

static void exchange_on_body(lw_str body, void *arg)
{
    object_wait *waiting = arg;
    lw_error err = LW_ERROR_INIT;
    lw_status st = LW_OK;
    if (waiting->out)
        st = lw_object_from_json(waiting->out, body.ptr ? body.ptr : "", body.len, &err);
    lw_client__end(&waiting->wait, st < 0 ? &err : NULL);
}

static void exchange_on_fail(const lw_error *err, void *arg)
{
    object_wait *waiting = arg;
    lw_client__end(&waiting->wait, err);
}

lw_status lw_client__start(lw_session *session, const lw_prepared *p, lw_session_body_fn on_body,
                           const lw_source_sink *sink, lw_session_call **out, lw_error *err)
{
    const lw_session_request request = {
        .kind = LW_SESSION_PLAIN,
        .method = p->method,
        .target = p->target,
        .accept = p->accept,
        .content_type = p->content_type,
        .body = p->body,
        .timeout_ms = p->timeout_ms,
        .on_body = on_body,
    };
    return lw_session__start(session, &request, sink, out, err);
}

lw_status lw_client__exchange(lw_client *client, const lw_prepared *p, lw_object **out,
                              lw_error *err)
{
    object_wait waiting = { .out = out };
    const lw_source_sink sink = { .on_fail = exchange_on_fail, .arg = &waiting };
    lw_session *session = NULL;
    lw_session_call *call = NULL;
    lw_status st = lw_client__take_session(client, &session, err);
    if (st < 0)
        return st;
    st = lw_client__start(session, p, exchange_on_body, &sink, &call, err);
    if (st == LW_OK) {
        lw_client__drive(session, &waiting.wait);
        st = lw_client__result(&waiting.wait, err);
    }
    lw_client__leave_session(client, session, &waiting.wait);
    return st;
}

/* Discovery. */

typedef struct discovery_wait {
    lw_client_wait wait;
    lw_client *client;
} discovery_wait;

static void discover_on_done(lw_resource_set *set, const lw_error *gap, void *arg)
{
    discovery_wait *waiting = arg;
    if (set)
        lw_resource_cache_replace_take(&waiting->client->resources, set, gap);
    lw_client__end(&waiting->wait, set ? NULL : gap);
}

lw_status lw_client__discover(lw_client *client, lw_error *err)
{
    discovery_wait waiting = { .client = client };
    lw_discovery *discovery = NULL;
    lw_session *session = NULL;
    lw_status st = lw_client__take_session(client, &session, err);
    if (st < 0)
        return st;
    st = lw_discovery_start(&discovery, session, discover_on_done, &waiting, err);
    if (st == LW_OK) {
        lw_client__drive(session, &waiting.wait);
        st = lw_client__result(&waiting.wait, err);
        lw_discovery_free(discovery);
    }
    lw_client__leave_session(client, session, &waiting.wait);
    return st;
}
