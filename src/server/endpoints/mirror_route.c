/* SPDX-License-Identifier: Apache-2.0 */
/* mirror_route.c -- which requests a mirror answers itself, and how it passes the others on. */
#include "server/endpoints/mirror_route.h"

#include <stdio.h>

#include "api/http/request_info.h"
#include "api/http/route.h"
#include "api/media/query.h"
#include "base/clock.h"
#include "base/str.h"
#include "schema/kinds/kind.h"
#include "server/endpoints/health.h"
#include "server/endpoints/page.h"
#include "server/endpoints/page_session.h"
#include "server/mirror/mirror.h"
#include "server/proxy/proxy_credentials.h"
#include "server/proxy/reverse_proxy.h"

enum {
    TEXT_MAX = 64 * 1024, /* bytes of headers that name a user */
};

#define TIMEOUT_NS (5 * 60 * LW_NS_PER_S) /* of requests that are not long-running */

/* What of a request decides. */
typedef struct question {
    lw_query query;
    lw_route route;
    lw_buf scratch;
    lw_registry *registry;
} question;

static void question_done(question *q)
{
    lw_query_done(&q->query);
    lw_buf_done(&q->scratch);
    lw_registry_unref(q->registry);
}

static bool question_read(question *q, lw_server_parts *parts, const lw_http_request *request)
{
    lw_buf_init(&q->scratch, LW_HTTP_HEAD_MAX);
    q->registry = lw_api_registry_ref(parts->api);
    lw_status st = lw_query_parse(&q->query, request->query);
    if (st == LW_OK)
        st = lw_route_find(&q->route, q->registry, request->method, request->path,
                           lw_query_bool(&q->query, "watch"), &q->scratch);
    return st == LW_OK && q->route.target == LW_ROUTE_RESOURCE && q->route.kind &&
           q->route.subresource == 0;
}

/* True if the field selector names a field that only a mirror can select by. */
static bool has_own_fields(const question *q)
{
    lw_field_selector *fields = NULL;
    lw_field_label label;
    size_t count = 0;
    bool is_own = false;
    lw_str text = lw_query_get(&q->query, "fieldSelector");
    if (text.len == 0 || lw_field_selector_parse(&fields, text, NULL) < 0)
        return false;
    const lw_field_requirement *r = lw_field_selector_requirements(fields, &count);
    for (size_t i = 0; i < count; i++)
        is_own = is_own || !lw_kind_find_field(q->route.kind, r[i].field, &label);
    lw_field_selector_free(fields);
    return is_own;
}

/* Whether memory is good enough for the read. */
static bool is_from_memory(const question *q, lw_server_parts *parts, lw_str view)
{
    lw_str version = lw_query_get(&q->query, "resourceVersion");
    bool is_complete = lw_mirror_is_complete(parts->mirror);
    /* What is pruned, or selected by a field that the upstream cannot select by, only the mirror
     * has. */
    if ((view.len > 0 && lw_mirror_has_view(parts->mirror, view, q->route.kind)) ||
        has_own_fields(q))
        return q->route.verb & (LW_VERB_WATCH | LW_VERB_GET | LW_VERB_LIST);
    switch (q->route.verb) {
    case LW_VERB_WATCH: return true;
    case LW_VERB_GET: return version.len > 0 && is_complete;
    case LW_VERB_LIST:
        return lw_query_get(&q->query, "continue").len == 0 &&
               !lw_str_equal(lw_query_get(&q->query, "resourceVersionMatch"), LW_STR("Exact")) &&
               (version.len > 0 || lw_query_get(&q->query, "limit").len == 0);
    default: return false;
    }
}

static lw_mirror_verdict judge(lw_server_parts *parts, const lw_http_request *request,
                               int64_t *lag_ns)
{
    question q;
    lw_mirror_verdict verdict = LW_MIRROR_PASS;
    if (request->method != LW_HTTP_GET)
        return verdict;
    if (question_read(&q, parts, request) && is_from_memory(&q, parts, request->view))
        verdict = lw_mirror_judge(parts->mirror, q.route.kind, q.route.ns, lag_ns);
    question_done(&q);
    return verdict;
}

static bool is_own_path(const lw_http_request *request)
{
    return lw_health_is_path(request->path) || lw_page_is_for(request) ||
           lw_page_session_is_path(request->path) ||
           lw_str_equal(request->path, LW_STR("/metrics")) ||
           lw_str_starts_with(request->path, LW_STR("/debug/listwatch"));
}

void lw_mirror_route_strip_view(lw_server_parts *parts, lw_http_stream *stream)
{
    static const lw_str mark = LW_STR_INIT("/mirror/");
    lw_http_request *request = &stream->request;
    lw_str rest = request->path;
    size_t len = 0;
    if (!lw_str_starts_with(rest, mark))
        return;
    rest = lw_str_skip(rest, mark.len);
    while (len < rest.len && rest.ptr[len] != '/')
        len++;
    lw_str view = lw_str_make(rest.ptr, len);
    if (!lw_mirror_has_view(parts->mirror, view, NULL))
        return;
    request->view = view;
    request->path = len < rest.len ? lw_str_skip(rest, len) : LW_STR("/");
}

bool lw_mirror_route_is_local(lw_server_parts *parts, const lw_http_stream *stream)
{
    int64_t lag_ns;
    return is_own_path(&stream->request) ||
           judge(parts, &stream->request, &lag_ns) == LW_MIRROR_LOCAL;
}

/* Headers that are believed if the mirror says them, so no client may. */
static bool is_of_proxies(lw_str name)
{
    return lw_str_starts_with(name, LW_STR("x-remote-")) || lw_str_equal(name, LW_STR("cookie"));
}

/* The headers that say who asks. */
typedef struct identity {
    lw_http_header at[LW_REVERSE_PROXY_HEADERS_MAX];
    size_t count;
    bool is_mirror;       /* the mirror asks, for itself or as somebody else */
    lw_buf text;          /* names of headers */
    lw_buf authorization; /* the mirror's own; a secret */
} identity;

static void add(identity *who, lw_str name, lw_str value)
{
    if (who->count < LW_REVERSE_PROXY_HEADERS_MAX)
        who->at[who->count] = (lw_http_header){ name, value };
    who->count++;
}

/* "impersonate-extra-scopes.example.com%2fa": the key with all but letters, digits, '-' and '.'
 * escaped.  Reserved before: the text does not move. */
static lw_str extra_name(identity *who, lw_str key)
{
    size_t from = who->text.len;
    lw_buf_append_text(&who->text, "impersonate-extra-");
    for (size_t i = 0; i < key.len; i++) {
        unsigned char c = (unsigned char)key.ptr[i];
        bool is_plain = lw_char_is_digit((char)c) || (c >= 'a' && c <= 'z') || c == '-' || c == '.';
        if (is_plain)
            lw_buf_append_char(&who->text, (char)c);
        else
            lw_buf_printf(&who->text, "%%%02x", c);
    }
    return lw_str_skip(lw_buf_view(&who->text), from);
}

/* False: the user has more groups and other attributes than fit. */
static bool impersonate(identity *who, const lw_user *user)
{
    add(who, LW_STR("impersonate-user"), user->name);
    if (user->uid.len > 0)
        add(who, LW_STR("impersonate-uid"), user->uid);
    for (size_t i = 0; i < user->group_count; i++) {
        /* The upstream adds it, and need not be asked for the permission. */
        if (!lw_str_equal(user->groups[i], LW_STR(LW_GROUP_AUTHENTICATED)))
            add(who, LW_STR("impersonate-group"), user->groups[i]);
    }
    if (lw_buf_reserve(&who->text, TEXT_MAX) < 0)
        return false;
    for (size_t i = 0; i < user->extra_count; i++) {
        lw_str name = extra_name(who, user->extras[i].key);
        for (size_t j = 0; j < user->extras[i].count; j++)
            add(who, name, user->extras[i].values[j]);
    }
    return who->count <= LW_REVERSE_PROXY_HEADERS_MAX && who->text.st == LW_OK;
}

/* Sets the headers of |who|, which of the client's are dropped, and whether the connection uses the
 * certificate of the mirror: with it, the client would be the mirror.  False: it cannot be said who
 * asks. */
static bool identify(identity *who, const lw_mirror_source *upstream, const lw_http_stream *stream,
                     lw_proxy_request *request)
{
    const lw_user *user = stream->caller;
    bool is_tls = stream->request.peer->is_tls;
    request->drops = lw_proxy_drops_credentials;
    if (lw_str_equal(user->name, LW_STR(LW_USER_ANONYMOUS)))
        return true;
    if (user != lw_authn_admin() && is_tls && lw_authn_has_token(&stream->request)) {
        request->drops = is_of_proxies;
        return true;
    }
    who->is_mirror = true;
    lw_mirror_source_append_authorization(upstream, &who->authorization);
    if (who->authorization.len > 0)
        add(who, LW_STR("authorization"), lw_buf_view(&who->authorization));
    return user == lw_authn_admin() || impersonate(who, user);
}

static bool is_long_running(const lw_http_request *request)
{
    lw_request_info info;
    lw_request_info_read(&info, request);
    return lw_str_equal(info.verb, LW_STR("watch")) || lw_request_info_is_long_running(&info);
}

static void refuse_old(lw_http_stream *stream, int64_t lag_ns)
{
    char message[128];
    int len = snprintf(message, sizeof(message),
                       "the mirror has not followed its upstream for %lld seconds, longer than it "
                       "may (--max-lag)",
                       (long long)(lag_ns / LW_NS_PER_S));
    lw_reverse_proxy_refuse(stream, 503, lw_str_make(message, (size_t)len));
}

/* A request that fails shows the others that the address does not answer. */
static void note_reply(int status, void *arg)
{
    if (status == 0)
        (void)lw_upstream_failed(arg);
    else
        lw_upstream_answered(arg);
}

void lw_mirror_route_forward(lw_server_parts *parts, lw_http_stream *stream)
{
    const lw_mirror_source *upstream = lw_mirror_upstream(parts->mirror);
    lw_upstream *at = lw_upstreams_current(upstream->addresses);
    const lw_http_request *request = &stream->request;
    int64_t lag_ns = 0;
    if (judge(parts, request, &lag_ns) == LW_MIRROR_TOO_OLD) {
        refuse_old(stream, lag_ns);
        return;
    }
    identity who = { .count = 0 };
    lw_buf path;
    lw_proxy_request wanted = {
        .target = { .host = at->address.host,
                    .port = at->address.port,
                    .server_name = upstream->config.server_name },
        .is_long_running = is_long_running(request),
        .failure = "cannot reach the upstream API server",
        .may_retry = true,
        .replied = note_reply,
        .arg = at,
    };
    wanted.timeout_ns = wanted.is_long_running ? 0 : TIMEOUT_NS;
    lw_buf_init(&who.text, TEXT_MAX);
    lw_buf_init(&who.authorization, LW_HTTP_CLIENT_HEAD_MAX);
    lw_buf_init(&path, 2 * LW_HTTP_HEAD_MAX);
    lw_buf_append_str(&path, at->prefix);
    lw_buf_append_str(&path, request->path);
    if (request->query.len > 0) {
        lw_buf_append_char(&path, '?');
        lw_buf_append_str(&path, request->query);
    }
    if (!identify(&who, upstream, stream, &wanted)) {
        lw_reverse_proxy_refuse(stream, 403,
                                LW_STR("the user has too many groups to be impersonated at the "
                                       "upstream: use a bearer token"));
    } else if (path.st < 0 || who.authorization.st < 0) {
        lw_reverse_proxy_refuse(stream, 500, LW_STR("out of memory"));
    } else {
        wanted.path = lw_buf_view(&path);
        wanted.target.tls = lw_webhook_config_tls_ref(&upstream->config, who.is_mirror);
        wanted.headers = who.at;
        wanted.header_count = who.count;
        lw_reverse_proxy_forward(parts->forwarding, stream, &wanted);
        lw_tls_context_free(wanted.target.tls);
    }
    lw_buf_done(&path);
    lw_buf_done(&who.text);
    lw_mirror_source_wipe(&who.authorization);
}
