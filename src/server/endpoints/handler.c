/* SPDX-License-Identifier: Apache-2.0 */
/* handler.c -- authenticates a request and dispatches it by its path.
 *
 *     on_head      authenticate ─▶ 401, 403, or the size limit of the body
 *     on_request   is there a webhook to be asked? ─▶ again when it has answered (asker.h)
 *                  faults of a test ─▶ an error, or later
 *                  flow control ─▶ 429, or later, or now:
 *                  ─▶ /, /healthz, /livez, /readyz, /metrics, /debug/listwatch  here
 *                  ─▶ / and /ui/ for browsers                                 page.c
 *                  ─▶ /ui/session                                             page_session.c
 *                  ─▶ /.well-known/openid-configuration, /openid/v1/jwks      accounts.c
 *                  ─▶ groups of other API servers               aggregator/aggregate_proxy.c
 *                  ─▶ kubelets, proxies to pods, services, nodes            connect/connect.c
 *                  ─▶ /api, /apis, /openapi, /version                         lw_api_serve
 *                  ─▶ 404
 *
 * A request is authenticated once, when its headers have arrived; the stream carries the user from
 * there to on_request, however long the body takes. */
#include "server/endpoints/handler.h"

#include "api/context/asker.h"
#include "api/http/request_info.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/str.h"
#include "server/aggregator/aggregate_proxy.h"
#include "server/core/reply.h"
#include "server/endpoints/debug_watches.h"
#include "server/endpoints/health.h"
#include "server/endpoints/impersonation.h"
#include "server/endpoints/metrics.h"
#include "server/endpoints/mirror_route.h"
#include "server/endpoints/page.h"
#include "server/endpoints/page_session.h"
#include "server/endpoints/store_backup.h"
#include "server/flowcontrol/flow_report.h"
#include "json/writer.h"

enum {
    INDEX_MAX = 1 << 20, /* maximum size of the reply to / in bytes */
};

/* Paths that need no credentials: health checks, as in kube-apiserver, because probes and load
 * balancers have none; and the page, which asks the user for a token. */
static bool is_public(const lw_http_request *request)
{
    return lw_health_is_path(request->path) || lw_str_equal(request->path, LW_STR("/version")) ||
           lw_page_is_for(request);
}

static const lw_str nobodys_groups[] = { LW_STR_INIT(LW_GROUP_UNAUTHENTICATED) };
static const lw_user nobody = { .name = LW_STR_INIT(LW_USER_ANONYMOUS),
                                .groups = nobodys_groups,
                                .group_count = 1 };

/* True if |request|, which has no credentials, may be served as that of system:anonymous. */
static bool allows_anonymous(const lw_server_parts *parts, const lw_http_request *request)
{
    const lw_oidc_anonymous *rule = parts->anonymous;
    if (!rule || lw_page_is_for(request))
        return parts->allows_anonymous || is_public(request);
    for (size_t i = 0; i < rule->paths.count; i++) {
        if (lw_str_equal(lw_oidc_text_at(&rule->paths, i), request->path))
            return rule->is_enabled;
    }
    return rule->is_enabled && rule->paths.count == 0 &&
           (parts->allows_anonymous || is_public(request));
}

/* Returns 0 and sets |*user|; or returns the HTTP status of the refusal and sets |*why|.  It is not
 * final while the stream waits for an answer (asker.h). */
static int authenticate(lw_server_parts *parts, lw_http_stream *stream, const lw_user **user,
                        lw_str *why)
{
    const lw_http_request *request = &stream->request;
    int refusal = lw_authn_identify(parts->auth, request, user, why);
    if (refusal == 401 && parts->token_webhook)
        refusal = lw_token_webhook_identify(parts->token_webhook, stream, user, why);
    /* A wrong token is refused everywhere, health checks included, as by kube-apiserver. */
    if (refusal == 401 && !lw_authn_has_token(request) && allows_anonymous(parts, request)) {
        *user = &nobody;
        refusal = 0;
    }
    return refusal;
}

/* Begins to audit the request; |user| is NULL if authentication has failed.  False: the request
 * must be refused. */
static bool audit(lw_server_parts *parts, lw_http_stream *stream, const lw_user *user)
{
    lw_api_port *port = lw_loop_data(stream->loop);
    if (user)
        return lw_audit_begin(parts->audit, stream, user, &port->random);
    lw_audit_begin_unauthenticated(parts->audit, stream, &port->random);
    return true;
}

static void release_user(const void *caller)
{
    lw_user_unref(caller);
}

/* Sets the caller of the stream: authentication, auditing, impersonation.  False: it has its reply,
 * or waits for the answer of a webhook; then call it again. */
static bool identify(lw_server_parts *parts, lw_http_stream *stream)
{
    const lw_user *user = NULL;
    lw_api_status status;
    lw_str why = LW_STR("");
    int refusal = authenticate(parts, stream, &user, &why);
    if (refusal != 0 && lw_asker_is_waiting(stream))
        return false;
    const lw_user *real = user ? lw_user_ref(user) : NULL;
    const lw_impersonation how = { parts->authz, parts->auth, &parts->impersonation };
    bool is_impersonated = refusal == 0 && lw_impersonate(&how, stream, &user, &status);
    bool is_denied = refusal == 0 && !is_impersonated;
    bool is_waiting = is_denied && lw_asker_is_waiting(stream);
    if (!is_waiting)
        lw_access_count_authentication(&parts->access, refusal);
    if (is_waiting) {
        lw_api_status_done(&status);
    } else if (parts->audit && !audit(parts, stream, real)) {
        if (is_denied)
            lw_api_status_done(&status);
        lw_api_refuse(parts->api, stream, 500, LW_STR("the audit event could not be written"));
        refusal = 500;
    } else if (refusal != 0) {
        lw_api_refuse(parts->api, stream, refusal, why);
    } else if (is_denied) {
        lw_api_refuse_with(parts->api, stream, &status);
    }
    lw_user_unref(real);
    if (refusal != 0 || is_denied) {
        lw_user_unref(user);
        return false;
    }
    lw_audit_impersonate(stream, user);
    stream->caller = user;
    stream->is_authenticated = user != &nobody;
    stream->caller_free = release_user;
    return true;
}

static size_t on_head(lw_http_stream *stream, void *arg)
{
    if (((lw_server_parts *)arg)->mirror)
        lw_mirror_route_strip_view(arg, stream);
    /* A request that waits for a webhook is read meanwhile; on_request goes on with it. */
    return identify(arg, stream) || lw_asker_is_waiting(stream) ? LW_HTTP_BODY_MAX : 0;
}

static void on_too_large(lw_http_stream *stream, void *arg)
{
    lw_server_parts *parts = arg;
    lw_api_refuse(parts->api, stream, 413, LW_STR("limit is 3145728"));
}

static void write_path(lw_json_writer *w, lw_buf *scratch, const char *format, lw_str a, lw_str b)
{
    lw_buf_reset(scratch);
    if (b.len > 0)
        lw_buf_printf(scratch, "%s/%.*s/%.*s", format, LW_STR_ARG(a), LW_STR_ARG(b));
    else
        lw_buf_printf(scratch, "%s/%.*s", format, LW_STR_ARG(a));
    lw_json_write_string(w, lw_buf_view(scratch));
}

/* Writes each group and version once: the registry is sorted by them. */
static void write_groups(const lw_registry *registry, lw_json_writer *w)
{
    size_t count = 0;
    const lw_kind *const *kinds = lw_registry_kinds(registry, &count);
    lw_str none = { NULL, 0 };
    lw_buf scratch;
    lw_buf_init(&scratch, INDEX_MAX);
    for (size_t i = 0; i < count; i++) {
        const lw_kind *kind = kinds[i], *before = i > 0 ? kinds[i - 1] : NULL;
        bool is_new_group = !before || !lw_str_equal(before->group, kind->group);
        if (kind->group.len > 0 && is_new_group)
            write_path(w, &scratch, "/apis", kind->group, none);
        if (!is_new_group && lw_str_equal(before->version, kind->version))
            continue;
        if (kind->group.len > 0)
            write_path(w, &scratch, "/apis", kind->group, kind->version);
        else
            write_path(w, &scratch, "/api", kind->version, none);
    }
    lw_buf_done(&scratch);
}

static void serve_index(lw_server_parts *parts, lw_http_stream *stream)
{
    static const lw_str before[] = { LW_STR_INIT("/.well-known/openid-configuration"),
                                     LW_STR_INIT("/api"), LW_STR_INIT("/apis") };
    static const lw_str after[] = { LW_STR_INIT("/debug/listwatch"), LW_STR_INIT("/healthz"),
                                    LW_STR_INIT("/livez"),           LW_STR_INIT("/metrics"),
                                    LW_STR_INIT("/openapi/v2"),      LW_STR_INIT("/openapi/v3"),
                                    LW_STR_INIT("/openid/v1/jwks"),  LW_STR_INIT("/readyz"),
                                    LW_STR_INIT("/version") };
    lw_buf body;
    lw_json_writer w;
    lw_buf_init(&body, INDEX_MAX);
    lw_json_writer_init(&w, &body, LW_JSON_INDENTED);
    lw_json_write_object_begin(&w);
    lw_json_write_key(&w, LW_STR("paths"));
    lw_json_write_array_begin(&w);
    for (size_t i = 0; i < sizeof(before) / sizeof(before[0]); i++)
        lw_json_write_string(&w, before[i]);
    lw_registry *registry = lw_api_registry_ref(parts->api);
    write_groups(registry, &w);
    lw_registry_unref(registry);
    for (size_t i = 0; i < sizeof(after) / sizeof(after[0]); i++)
        lw_json_write_string(&w, after[i]);
    lw_json_write_array_end(&w);
    lw_json_write_object_end(&w);
    lw_reply_buf(stream, 200, "application/json", &body);
}

static void serve_health(lw_server_parts *parts, lw_http_stream *stream)
{
    lw_query query;
    lw_health_facts facts;
    lw_buf body;
    lw_buf_init(&body, LW_HEALTH_TEXT_MAX);
    if (lw_query_parse(&query, stream->request.query) == LW_OK) {
        lw_health_look(parts, &facts);
        int status = lw_health_write(stream->request.path, &query, &facts, &body);
        lw_reply_buf(stream, status, "text/plain; charset=utf-8", &body);
    } else {
        lw_reply_text(stream, 400, "the query string is malformed\n");
    }
    lw_query_done(&query);
}

static void serve_metrics(lw_server_parts *parts, lw_http_stream *stream)
{
    lw_buf body;
    lw_buf_init(&body, LW_METRICS_MAX);
    lw_metrics_write(parts, &body);
    lw_reply_buf(stream, 200, LW_METRICS_CONTENT_TYPE, &body);
}

static void serve_flow_dump(lw_server_parts *parts, lw_http_stream *stream)
{
    lw_buf body;
    if (!parts->flow) {
        lw_reply_text(stream, 404, "404 page not found\n");
        return;
    }
    lw_buf_init(&body, LW_FLOW_DUMP_MAX);
    lw_flow_write_dump(lw_flow_control_of(parts->flow), stream->request.path, stream->request.query,
                       &body);
    lw_reply_buf(stream, 200, "text/plain; charset=utf-8", &body);
}

static void serve_page(lw_server_parts *parts, lw_http_stream *stream)
{
    (void)parts;
    lw_page_serve(stream);
}

typedef void (*page_fn)(lw_server_parts *parts, lw_http_stream *stream);

static void serve_accounts(lw_server_parts *parts, lw_http_stream *stream)
{
    lw_accounts_serve(parts->accounts, stream);
}

static page_fn find_page(const lw_server_parts *parts, const lw_http_request *request)
{
    if (lw_page_is_for(request))
        return serve_page;
    if (lw_str_equal(request->path, LW_STR("/")))
        return serve_index;
    if (lw_str_equal(request->path, LW_STR("/metrics")))
        return serve_metrics;
    if (lw_str_equal(request->path, LW_STR("/debug/listwatch")))
        return lw_debug_watches_serve;
    if (lw_flow_is_dump(request->path))
        return serve_flow_dump;
    if (lw_accounts_have_document(parts->accounts, request->path))
        return serve_accounts;
    return lw_health_is_path(request->path) ? serve_health : NULL;
}

static void client_reads(lw_http_stream *stream, void *arg)
{
    stream->on_drained = NULL;
    stream->on_closed = NULL;
    page_fn page = find_page(arg, &stream->request);
    page(arg, stream);
    lw_http_stream_unref(stream);
}

static void client_gone(lw_http_stream *stream, void *arg)
{
    (void)arg;
    lw_http_stream_unref(stream);
}

/* Serves the page, or waits until the client takes data: until then the page is not made. */
static void serve_when_read(lw_server_parts *parts, lw_http_stream *stream, page_fn page)
{
    if (lw_health_is_path(stream->request.path) || stream->is_closed ||
        lw_http_wants_more(stream)) {
        page(parts, stream);
        return;
    }
    (void)lw_http_stream_ref(stream);
    stream->on_drained = client_reads;
    stream->on_closed = client_gone;
    stream->arg = parts;
}

static bool is_informers(const lw_http_request *request)
{
    return lw_str_equal(request->path, LW_STR("/debug/listwatch/informers"));
}

/* Stores the informer report in the request body. */
static void take_report(lw_server_parts *parts, lw_http_stream *stream)
{
    lw_error err = LW_ERROR_INIT;
    if (stream->request.method != LW_HTTP_POST) {
        lw_reply_text(stream, 405, "Method Not Allowed\n");
        return;
    }
    lw_status st = lw_informer_reports_take(&parts->informers, stream->request.body,
                                            lw_clock_now(parts->clock), &err);
    if (st == LW_OK)
        lw_reply_json(stream, 200,
                      "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                      "\"status\":\"Success\"}\n");
    else
        lw_api_refuse(parts->api, stream,
                      st == LW_ERR_NOMEM   ? 500
                      : st == LW_ERR_LIMIT ? 413
                                           : 400,
                      lw_str_of(err.message));
}

/* Passes the request on to another server, if it is for one. */
static bool pass_on(lw_server_parts *parts, lw_http_stream *stream, const lw_user *user)
{
    return (parts->aggregator &&
            lw_aggregate_serve(parts->aggregator, parts->forwarding, stream, user)) ||
           (parts->connect && lw_connect_serve(parts->connect, stream, user));
}

/* Index, metrics and health are sent whatever the method is, the documents of service accounts for
 * GET only, as by kube-apiserver. */
static bool takes_method(page_fn page, const lw_http_request *request)
{
    bool is_get = request->method == LW_HTTP_GET;
    if (page == serve_accounts)
        return is_get;
    return page == serve_index || page == serve_metrics || page == serve_health || is_get ||
           request->method == LW_HTTP_HEAD;
}

/* Serves an admitted request. */
static void serve(lw_server_parts *parts, lw_http_stream *stream, const lw_request_info *info)
{
    const lw_user *user = stream->caller;
    lw_log(parts->logger, LW_LOG_DEBUG, "http", "%.*s %.*s by %.*s",
           LW_STR_ARG(stream->request.method_text), LW_STR_ARG(stream->request.path),
           LW_STR_ARG(user->name));
    lw_audit_authorize(stream, parts->authz, user);
    if (!lw_page_is_for(&stream->request)) {
        bool is_allowed = lw_api_authorize(parts->api, stream, info, user);
        lw_access_count_authorization(&parts->access, is_allowed);
        if (!is_allowed)
            return;
    }
    page_fn page = find_page(parts, &stream->request);
    if (lw_page_session_is_path(stream->request.path)) {
        lw_page_session_serve(parts, stream);
    } else if (is_informers(&stream->request)) {
        take_report(parts, stream);
    } else if (lw_str_equal(stream->request.path, LW_STR(LW_STORE_BACKUP_PATH))) {
        lw_store_backup_serve(parts, stream, user);
    } else if (!page) {
        if (!pass_on(parts, stream, user) && !lw_api_serve(parts->api, stream, user))
            lw_reply_text(stream, 404, "404 page not found\n");
    } else if (takes_method(page, &stream->request)) {
        serve_when_read(parts, stream, page);
    } else if (page == serve_accounts) {
        lw_api_refuse(parts->api, stream, 405, LW_STR(""));
    } else {
        lw_reply_text(stream, 405, "Method Not Allowed\n");
    }
}

void lw_server_serve(lw_http_stream *stream, void *arg)
{
    lw_request_info info;
    lw_request_info_read(&info, &stream->request);
    serve(arg, stream, &info);
}

/* Serves an authenticated request when flow control admits it. */
static void admit(lw_http_stream *stream, void *arg)
{
    lw_server_parts *parts = arg;
    const lw_user *user = stream->caller;
    lw_request_info info;
    lw_request_info_read(&info, &stream->request);
    bool is_admitted = parts->flow ? lw_flow_admit(parts->flow, stream, &info, user)
                                   : lw_in_flight_admit(&parts->in_flight, stream, &info, user);
    if (is_admitted)
        serve(parts, stream, &info);
}

static void on_request(lw_http_stream *stream, void *arg)
{
    lw_server_parts *parts = arg;
    lw_request_info info;
    if (!stream->caller && !identify(parts, stream)) {
        if (lw_asker_is_waiting(stream))
            lw_asker_wait(stream, on_request, parts);
        return;
    }
    const lw_user *user = stream->caller;
    if (parts->mirror && !lw_mirror_route_is_local(parts, stream)) {
        /* The upstream decides whether it is allowed. */
        lw_request_info_read(&info, &stream->request);
        if (lw_in_flight_admit(&parts->in_flight, stream, &info, user))
            lw_mirror_route_forward(parts, stream);
        return;
    }
    /* Before flow control: a webhook that hangs must not hold the seats of others. */
    if (lw_authz_has_hooks(parts->authz) && !lw_page_is_for(&stream->request) &&
        lw_api_awaits_authorization(parts->api, stream, user)) {
        lw_asker_wait(stream, on_request, parts);
        return;
    }
    if (!lw_faults_take(&parts->faults, parts->api, stream, admit, parts))
        admit(stream, parts);
}

lw_http_handler lw_server_handler(lw_server_parts *parts)
{
    return (lw_http_handler){ on_head, on_too_large, on_request, parts };
}
