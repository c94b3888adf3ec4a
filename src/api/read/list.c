/* SPDX-License-Identifier: Apache-2.0 */
/* list.c -- GET of a collection: which state, which page; how it is written is
 * reply_list.c's.
 *
 * A state of the past that the cache no longer has comes from the store.  Where that is reached
 * over a network a reader thread asks it, and the loop goes on meanwhile:
 *
 *     list_now ──cache cannot tell──▶ a reader ──▶ read_over, on the loop again ──▶ reply
 */
#include "api/http/call.h"
#include "api/read/read.h"

#include "api/conversion/call_conversion.h"
#include "api/http/failures.h"
#include "api/http/list_options.h"
#include "api/http/wait.h"
#include "base/alloc.h"
#include "base/container_of.h"
#include "base/str.h"
#include "cache/feed.h"

typedef struct list_request {
    lw_call_wait wait; /* holds the call */
    lw_api_list_options options;
    lw_list_plan plan;
    lw_cache_filter filter;

    /* While a reader has it. */
    lw_work work;
    lw_task task;
    bool is_gone; /* the client is */
    lw_status st;
    lw_error err;
    lw_cache_list list;

    lw_call_conversion conversion;   /* of the objects of |list| */
    const lw_field_selector *fields; /* that select converted objects; NULL: none */
} list_request;

static void request_free(list_request *request)
{
    lw_api_list_options_done(&request->options);
    lw_list_plan_done(&request->plan);
    lw_free(request);
}

/* Where the list begins, as the cache counts: a token's start is relative to the list, the cache's
 * to all namespaces. */
static void write_start(const list_request *request, lw_buf *start)
{
    const lw_api_call *call = request->wait.call;
    if (!request->plan.is_page)
        return;
    if (call->route.ns.len > 0) {
        lw_buf_append_str(start, call->route.ns);
        lw_buf_append_char(start, '/');
    }
    lw_buf_append_str(start, lw_buf_view(&request->plan.token.start));
}

/* Fills in st and list.  False: that would wait for a network. */
static bool read_list(list_request *request, bool may_wait)
{
    const lw_list_plan *plan = &request->plan;
    lw_cache_resource *cache = request->wait.call->cache;
    const lw_cache_filter *filter = &request->filter;
    bool is_read = true;
    lw_buf start;
    lw_buf_init(&start, LW_PAGE_TOKEN_MAX + LW_HTTP_HEAD_MAX);
    write_start(request, &start);
    lw_str from = lw_buf_view(&start);
    if (start.st < 0)
        request->st = start.st;
    else if (!plan->is_exact)
        request->st =
            lw_cache_list_now(cache, filter, from, plan->limit, &request->list, &request->err);
    else if (may_wait)
        request->st = lw_cache_list_at(cache, filter, from, plan->limit, plan->revision,
                                       &request->list, &request->err);
    else
        is_read = lw_cache_list_try_at(cache, filter, from, plan->limit, plan->revision,
                                       &request->list, &request->st, &request->err);
    lw_buf_done(&start);
    return is_read;
}

/* 410, with a token that goes on from the newest state where a page was asked for. */
static void reply_expired(lw_api_call *call, const lw_list_plan *plan)
{
    lw_api_status status;
    if (!plan->is_page) {
        lw_api_status_list_expired(&status);
        lw_call_reply_status(call, &status);
        return;
    }
    lw_buf token;
    lw_buf_init(&token, 2 * LW_PAGE_TOKEN_MAX);
    lw_page_token_write(&token, -1, lw_buf_view(&plan->token.start));
    lw_api_status_page_expired(&status, lw_buf_view(&token));
    if (token.st < 0)
        status.st = token.st;
    lw_buf_done(&token);
    lw_call_reply_status(call, &status);
}

static void reply_failure(lw_api_call *call, const lw_list_plan *plan, lw_status st,
                          const lw_error *err)
{
    if (st == LW_ERR_EXPIRED)
        reply_expired(call, plan);
    else if (st == LW_ERR_TOO_LARGE_RV)
        lw_call_reply_too_large_rv(call, plan->revision);
    else
        lw_call_reply_error(call, st, err);
}

/* Appends the token of the page after |list|. */
static void write_token(const lw_api_call *call, const lw_cache_list *list, lw_buf *token)
{
    const lw_object *last = list->objects[list->count - 1];
    lw_buf key;
    lw_buf_init(&key, LW_STORE_KEY_MAX);
    if (call->route.ns.len == 0 && call->route.kind->is_namespaced) {
        lw_buf_append_text(&key, lw_object_namespace(last));
        lw_buf_append_char(&key, '/');
    }
    lw_buf_append_text(&key, lw_object_name(last));
    if (key.st < 0)
        token->st = key.st;
    else
        lw_page_token_write_after(token, (int64_t)list->revision, lw_buf_view(&key));
    lw_buf_done(&key);
}

/* Drops the converted objects that the field selector does not choose.  A page may then be shorter
 * than its limit. */
static void select_converted(const list_request *request, lw_cache_list *list)
{
    const lw_cache_filter *filter = &request->filter;
    size_t kept = 0;
    for (size_t i = 0; i < list->count; i++) {
        if (filter->fields_match(request->fields, list->objects[i], filter->fields_arg))
            list->objects[kept++] = list->objects[i];
        else
            lw_object_unref(list->objects[i]);
    }
    list->count = kept;
}

static void reply_list(list_request *request)
{
    lw_api_call *call = request->wait.call;
    const lw_cache_filter *filter = &request->filter;
    lw_cache_list *list = &request->list;
    lw_buf token;
    int64_t remaining = -1;
    lw_buf_init(&token, 2 * LW_PAGE_TOKEN_MAX);
    if (list->has_more && list->count > 0) {
        write_token(call, list, &token);
        if (!filter->labels && !filter->fields && !request->fields)
            remaining = (int64_t)list->remaining;
    }
    if (request->fields)
        select_converted(request, list);
    if (token.st < 0) {
        lw_cache_list_done(list);
        lw_call_reply_nomem(call);
    } else {
        lw_call_reply_list(call, list, lw_buf_view(&token), remaining);
    }
    lw_buf_done(&token);
}

static void list_converted(lw_call_conversion *conversion, bool is_converted)
{
    list_request *request = LW_CONTAINER_OF(conversion, list_request, conversion);
    if (is_converted)
        reply_list(request);
    else
        lw_cache_list_done(&request->list);
    request_free(request);
}

/* Answers with what was read, and frees the request. */
static void answer(list_request *request)
{
    lw_api_call *call = request->wait.call;
    if (request->st < 0) {
        reply_failure(call, &request->plan, request->st, &request->err);
        request_free(request);
        return;
    }
    request->conversion = (lw_call_conversion){ .call = call,
                                                .objects = request->list.objects,
                                                .count = request->list.count,
                                                .over = list_converted };
    lw_call_conversion_begin(&request->conversion);
}

/* On the loop again. */
static void read_over(lw_task *task)
{
    list_request *request = LW_DLIST_ITEM(&task->link, list_request, task.link);
    lw_api_call *call = request->wait.call;
    call->port->under_way--;
    lw_account_resume(&call->account);
    if (!request->is_gone) {
        call->stream->on_closed = NULL;
        call->stream->arg = NULL;
        answer(request);
        return;
    }
    if (request->st == LW_OK)
        lw_cache_list_done(&request->list);
    request_free(request);
    lw_call_free(call);
}

/* On a reader's thread. */
static void read_past(lw_work *work)
{
    list_request *request = LW_DLIST_ITEM(&work->link, list_request, work.link);
    lw_api_port *port = request->wait.call->port;
    (void)read_list(request, true);
    lw_loop_post(port->loop, &request->task);
}

static void client_gone(lw_http_stream *stream, void *arg)
{
    (void)stream;
    ((list_request *)arg)->is_gone = true;
}

static void ask_reader(list_request *request)
{
    lw_api_call *call = request->wait.call;
    request->work = (lw_work){ .run = read_past };
    request->task = (lw_task){ .run = read_over };
    call->port->under_way++;
    if (lw_workers_take(call->api->readers, &request->work) == LW_OK) {
        call->stream->on_closed = client_gone;
        call->stream->arg = request;
        lw_account_pause(&call->account);
        return;
    }
    lw_api_status status;
    call->port->under_way--;
    request_free(request);
    lw_api_status_too_many(
        &status,
        LW_STR("too many concurrent lists of old resource versions, please try again later."), 1);
    lw_call_reply_status(call, &status);
}

static void wait_over(lw_call_wait *wait, lw_wait_outcome outcome)
{
    list_request *request = (list_request *)(void *)wait;
    if (lw_call_wait_refuses(wait, outcome))
        request_free(request);
    else if (read_list(request, !wait->call->api->readers))
        answer(request);
    else
        ask_reader(request);
}

void lw_rest_list(lw_api_call *call)
{
    const lw_route *route = &call->route;
    lw_api_status status;
    list_request *request = lw_alloc_zero(1, sizeof(*request));
    if (!request) {
        lw_call_reply_nomem(call);
        return;
    }
    request->wait.call = call;
    request->wait.over = wait_over;
    if (!lw_api_list_options_read(&request->options, &call->query, route->kind, false,
                                  lw_feed_is_fed(call->cache), &status) ||
        !lw_list_plan_make(&request->plan, &request->options, &status) ||
        !lw_api_list_options_filter(&request->options, route->kind, route->ns, route->name,
                                    &request->filter, &status)) {
        request_free(request);
        lw_call_reply_status(call, &status);
        return;
    }
    if (lw_convert_selects(route->kind, &request->filter)) {
        request->fields = request->filter.fields;
        request->filter.fields = NULL;
    }
    request->filter.takes_packed = !lw_convert_has_webhook(route->kind);
    if (request->plan.is_newest)
        lw_call_wait_newest(&request->wait);
    else
        lw_call_wait_begin(&request->wait, request->plan.revision);
}
