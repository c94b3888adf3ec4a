/* SPDX-License-Identifier: Apache-2.0 */
/* async.c -- a session that the program dispatches, and its requests.
 *
 * A request is freed before its callback is called, so the callback may do anything except dispatch
 * and free.  lw_client_cancel_all and lw_client_close come from other threads: they set the flag of
 * the session, whose descriptor is in the epoll, and the next dispatch ends all requests. */
#include <listwatch/async.h>

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/error.h"
#include "client/async_internal.h"
#include "client/call.h"

static lw_status open_epoll(lw_async *async, lw_error *err)
{
    const int fds[] = { lw_session_fd(async->session), async->session->cancel.fd };
    async->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    for (size_t i = 0; async->epoll_fd >= 0 && i < 2; i++) {
        struct epoll_event event = { .events = EPOLLIN, .data = { .fd = fds[i] } };
        if (epoll_ctl(async->epoll_fd, EPOLL_CTL_ADD, fds[i], &event) < 0)
            return lw_error_set(err, LW_ERR_IO, "epoll_ctl: %s", strerror(errno));
    }
    if (async->epoll_fd < 0)
        return lw_error_set(err, LW_ERR_IO, "epoll_create1: %s", strerror(errno));
    return LW_OK;
}

lw_status lw_async_new(lw_async **out, lw_client *client, lw_error *err)
{
    lw_async *async = lw_alloc_zero(1, sizeof(*async));
    if (!async)
        return lw_error_nomem(err);
    async->client = lw_client_ref(client);
    async->epoll_fd = -1;
    lw_dlist_init(&async->requests);
    lw_status st = lw_session__new_pooled(&async->session, client, err);
    if (st == LW_OK) {
        lw_client__activate(client, async->session);
        st = open_epoll(async, err);
    }
    if (st < 0) {
        lw_async_free(async);
        return st;
    }
    *out = async;
    return LW_OK;
}

static void request_free(lw_request *request)
{
    if (lw_dlist_node_is_linked(&request->node)) {
        lw_dlist_remove(&request->node);
        request->async->count--;
    }
    lw_session_cancel(request->call);
    lw_session_find_cancel(request->find);
    lw_object_list_free(request->list);
    lw_free(request);
}

void lw_async_free(lw_async *async)
{
    if (!async)
        return;
    LW_DLIST_FOR_EACH_SAFE(lw_request, request, &async->requests, node)
    request_free(request);
    if (async->epoll_fd >= 0)
        (void)close(async->epoll_fd);
    if (async->session)
        lw_client__deactivate(async->client, async->session);
    lw_session_free(async->session);
    lw_client_unref(async->client);
    lw_free(async);
}

int lw_async_fd(const lw_async *async)
{
    return async->epoll_fd;
}

int lw_async_timeout_ms(const lw_async *async)
{
    return lw_session_timeout_ms(async->session);
}

size_t lw_async_pending(const lw_async *async)
{
    return async->count + async->session->stream_count;
}

/* Ends the requests that there are now; a callback may start others. */
static void cancel_all(lw_async *async, const char *caller)
{
    lw_error err;
    if (lw_client__check_cancelled(async->client, &err) == LW_OK)
        (void)lw_error_set(&err, LW_ERR_STOPPED, "the request was cancelled by %s", caller);
    for (size_t left = async->count; left > 0 && !lw_dlist_is_empty(&async->requests); left--) {
        lw_request *request = LW_DLIST_ITEM(lw_dlist_first(&async->requests), lw_request, node);
        lw_session_cancel(request->call);
        request->call = NULL;
        lw_request__end(request, &err, &(lw_result){ .st = LW_OK });
    }
    lw_session__end_streams(async->session, &err);
}

void lw_async_cancel_all(lw_async *async)
{
    cancel_all(async, "lw_async_cancel_all");
}

void lw_async_dispatch(lw_async *async)
{
    if (lw_cancel_is_fired(&async->session->cancel)) {
        lw_client__deactivate(async->client, async->session); /* resets the flag */
        lw_client__activate(async->client, async->session);
        cancel_all(async, "lw_client_cancel_all");
    }
    lw_session_dispatch(async->session);
}

void lw_async_wait(lw_async *async, int timeout_ms)
{
    struct pollfd wanted = { .fd = async->epoll_fd, .events = POLLIN };
    int due_ms = lw_async_timeout_ms(async);
    if (timeout_ms < 0 || (due_ms >= 0 && due_ms < timeout_ms))
        timeout_ms = due_ms;
    /* The result does not matter: dispatch checks what there is to do. */
    (void)poll(&wanted, 1, timeout_ms);
    lw_async_dispatch(async);
}

/* Requests. */

lw_status lw_request__new(lw_request **out, lw_async *async, lw_result_fn on_result, void *arg,
                          lw_error *err)
{
    lw_status st = lw_client__check_cancelled(async->client, err);
    if (st < 0)
        return st;
    if (async->count == LW_ASYNC_REQUESTS_MAX)
        return lw_error_set(err, LW_ERR_LIMIT,
                            "%d requests are already in progress, which is the limit",
                            LW_ASYNC_REQUESTS_MAX);
    lw_request *request = lw_alloc_zero(1, sizeof(*request));
    if (!request)
        return lw_error_nomem(err);
    request->async = async;
    request->on_result = on_result;
    request->arg = arg;
    *out = request;
    return LW_OK;
}

lw_status lw_request__started(lw_request *request, lw_status st, lw_request **out)
{
    if (st < 0) {
        request_free(request);
        return st;
    }
    lw_dlist_push_back(&request->async->requests, &request->node);
    request->async->count++;
    if (out)
        *out = request;
    return LW_OK;
}

void lw_request__end(lw_request *request, const lw_error *err, lw_result *result)
{
    lw_result_fn on_result = request->on_result;
    void *arg = request->arg;
    lw_object_list *list = request->list; /* the result may point to it */
    request->list = NULL;
    request_free(request);
    if (err) {
        result->st = err->code;
        result->err = err;
    }
    if (on_result)
        on_result(result, arg);
    lw_object_list_free(list);
}

void lw_request_cancel(lw_request *request)
{
    if (request)
        request_free(request);
}
