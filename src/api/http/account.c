/* SPDX-License-Identifier: Apache-2.0 */
/* account.c -- what a request costs. */
#include "api/http/account.h"

#include "api/http/call.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"

static int64_t now(const lw_account *account)
{
    return lw_clock_now(lw_loop_clock(account->port->loop));
}

void lw_account_begin(lw_account *account, lw_api_port *port, const lw_http_stream *stream)
{
    lw_http_method method = stream->request.method;
    account->port = port;
    account->series = NULL;
    account->started_ns = now(account);
    account->waited_ns = account->queued_ns = account->paused_ns = 0;
    account->sent_bytes = 0;
    account->code = 0;
    account->is_mutating =
        method != LW_HTTP_GET && method != LW_HTTP_HEAD && method != LW_HTTP_OPTIONS;
    lw_audit_id_choose(account->audit_id, stream, &port->random);
    lw_counter_add(&port->metrics.in_flight[account->is_mutating], 1);
}

void lw_account_pause(lw_account *account)
{
    if (account->paused_ns == 0)
        account->paused_ns = now(account);
}

void lw_account_resume(lw_account *account)
{
    if (account->paused_ns != 0)
        account->waited_ns += now(account) - account->paused_ns;
    account->paused_ns = 0;
}

void lw_account_move(lw_account *to, lw_account *from)
{
    *to = *from;
    from->port = NULL;
}

/* One line.  The steps of a budget belong here too, once requests have one. */
static void log_cost(const lw_account *account, const lw_http_request *request, const lw_user *user,
                     int64_t ns)
{
    lw_str name = user ? user->name : LW_STR("nobody");
    int64_t waited = account->waited_ns + account->queued_ns;
    lw_log(account->port->api->logger, LW_LOG_DEBUG, "http",
           "%.*s %.*s by %.*s: %d, %zu bytes in, %llu bytes out, %lld us (%lld us running, %lld us "
           "waiting), audit-id %s",
           LW_STR_ARG(request->method_text), LW_STR_ARG(request->path), LW_STR_ARG(name),
           account->code, request->body.len, (unsigned long long)account->sent_bytes,
           (long long)(ns / LW_NS_PER_US), (long long)((ns - waited) / LW_NS_PER_US),
           (long long)(waited / LW_NS_PER_US), account->audit_id);
}

void lw_account_end(lw_account *account, const lw_http_stream *stream, const lw_user *user)
{
    lw_api_port *port = account->port;
    if (!port)
        return;
    lw_counter_add(&port->metrics.in_flight[account->is_mutating], (uint64_t)-1);
    if (account->code != 0) {
        int64_t ns = now(account) - account->started_ns;
        lw_request_series_count(account->series, account->code, ns, account->queued_ns,
                                account->sent_bytes);
        if (lw_log_is_enabled(port->api->logger, LW_LOG_DEBUG))
            log_cost(account, &stream->request, user, ns);
    }
    account->port = NULL;
}

void lw_long_running_begin(lw_request_series *series)
{
    if (series)
        lw_counter_add(&series->long_running, 1);
}

void lw_long_running_end(lw_request_series *series, int64_t ns)
{
    enum {
        OK = 200,
    };
    if (!series)
        return;
    lw_counter_add(&series->long_running, (uint64_t)-1);
    lw_request_series_count(series, OK, ns, 0, 0);
}

static lw_request_verb verb_of_method(lw_http_method method)
{
    switch (method) {
    case LW_HTTP_GET:
    case LW_HTTP_HEAD: return LW_REQUEST_GET;
    case LW_HTTP_POST: return LW_REQUEST_POST;
    case LW_HTTP_PUT: return LW_REQUEST_PUT;
    case LW_HTTP_PATCH: return LW_REQUEST_PATCH;
    case LW_HTTP_DELETE: return LW_REQUEST_DELETE;
    case LW_HTTP_OPTIONS:
    case LW_HTTP_OTHER: break;
    }
    return LW_REQUEST_OTHER;
}

static bool is_apply(const lw_http_request *request)
{
    lw_str type;
    return lw_http_request_header(request, "content-type", &type) &&
           lw_str_starts_with(type, LW_STR("application/apply-patch"));
}

static lw_request_verb verb_of(const lw_api_call *call)
{
    const lw_http_request *request = &call->stream->request;
    switch (call->route.verb) {
    case LW_VERB_LIST: return LW_REQUEST_LIST;
    case LW_VERB_WATCH: return LW_REQUEST_WATCH;
    case LW_VERB_DELETE_COLLECTION: return LW_REQUEST_DELETE_COLLECTION;
    case LW_VERB_PATCH: return is_apply(request) ? LW_REQUEST_APPLY : LW_REQUEST_PATCH;
    default: return verb_of_method(request->method);
    }
}

static lw_request_scope scope_of(const lw_route *route)
{
    if (!route->kind)
        return LW_REQUEST_SCOPE_NONE;
    if (route->name.len > 0 || route->verb == LW_VERB_CREATE)
        return LW_REQUEST_SCOPE_RESOURCE;
    return route->ns.len > 0 ? LW_REQUEST_SCOPE_NAMESPACE : LW_REQUEST_SCOPE_CLUSTER;
}

void lw_call_answered(struct lw_api_call *call, int code, uint64_t bytes)
{
    lw_account *account = &call->account;
    const lw_request_way way = {
        .verb = verb_of(call),
        .scope = scope_of(&call->route),
        .subresource = call->route.kind ? call->route.subresource : 0,
        .is_dry_run = account->is_mutating && lw_query_get(&call->query, "dryRun").len > 0,
    };
    account->series = lw_request_metrics_series(&call->port->metrics, call->route.kind, way);
    account->code = code;
    account->sent_bytes = bytes;
}
