/* SPDX-License-Identifier: Apache-2.0 */
/* connect.c -- decides which request is passed on, and how it is refused. */
#include "server/connect/connect.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "api/authz/authz.h"
#include "api/authz/forbidden.h"
#include "api/context/port.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "server/connect/connect_internal.h"
#include "server/proxy/proxy_credentials.h"

enum {
    MESSAGE_MAX = 8192,
    FAILURE_MAX = LW_HTTP_HEAD_MAX + 512, /* a path and an address */
};

static lw_status read_types(lw_connect *connect, lw_str text, lw_error *err)
{
    connect->types_text = lw_str_dup(text);
    if (!connect->types_text)
        return lw_error_nomem(err);
    for (lw_str rest = lw_str_of(connect->types_text), type; rest.len > 0;) {
        (void)lw_str_cut(rest, ',', &type, &rest);
        if (connect->type_count == LW_CONNECT_TYPES_MAX)
            return lw_error_set(err, LW_ERR_INVALID,
                                "--kubelet-preferred-address-types: more than %d types",
                                LW_CONNECT_TYPES_MAX);
        connect->types[connect->type_count++] = lw_str_trim(type);
    }
    return LW_OK;
}

lw_status lw_connect_new(lw_connect **out, const lw_connect_options *options, lw_error *err)
{
    lw_connect *connect = lw_alloc_zero(1, sizeof(*connect));
    if (!connect)
        return lw_error_nomem(err);
    lw_mutex_init(&connect->mu);
    connect->proxy = options->proxy;
    connect->kubelet_timeout_ns = options->kubelet_timeout_ns;
    connect->reaches_any_address = options->reaches_any_address;
    lw_status st = read_types(connect, options->address_types, err);
    if (st == LW_OK)
        st = lw_connect_tls_open(connect, options, err);
    if (st < 0)
        lw_connect_free(connect);
    else
        *out = connect;
    return st;
}

void lw_connect_use(lw_connect *connect, lw_api *api)
{
    connect->api = api;
}

void lw_connect_free(lw_connect *connect)
{
    if (!connect)
        return;
    lw_connect_tls_close(connect);
    lw_mutex_done(&connect->mu);
    lw_free(connect->types_text);
    lw_free(connect);
}

void lw_connect_refuse(const lw_connect_request *request, lw_api_status *status)
{
    lw_api_refuse_with(request->connect->api, request->stream, status);
}

void lw_connect_refuse_bad(const lw_connect_request *request, const char *format, ...)
{
    char text[MESSAGE_MAX];
    lw_api_status status;
    va_list args;
    va_start(args, format);
    (void)vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    lw_api_status_bad_request(&status, lw_str_of(text));
    lw_connect_refuse(request, &status);
}

void lw_connect_refuse_missing(const lw_connect_request *request, const lw_kind *kind, lw_str name)
{
    lw_api_status status;
    lw_api_status_not_found(&status, lw_kind_gvr(kind), name);
    lw_connect_refuse(request, &status);
}

lw_object *lw_connect_get_ref(const lw_connect_request *request, const lw_kind *kind, lw_str ns,
                              lw_str name)
{
    lw_object *object = lw_cache_get_ref(lw_api_resource(request->connect->api, kind), ns, name);
    if (!object)
        lw_connect_refuse_missing(request, kind, name);
    return object;
}

void lw_connect_forward(const lw_connect_request *request, const lw_http_target *target,
                        lw_str path, bool is_long_running, int64_t head_timeout_ns)
{
    lw_http_header protocols;
    lw_buf text, failure;
    lw_buf_init(&text, LW_HTTP_HEAD_MAX);
    lw_buf_init(&failure, FAILURE_MAX);
    bool is_log = request->path.action == LW_CONNECT_LOG;
    if (is_log) {
        lw_buf_append_text(&failure, "Get \"https://");
        lw_buf_printf(&failure, strchr(target->host, ':') ? "[%s]:%u" : "%s:%u", target->host,
                      (unsigned)target->port);
        lw_buf_append_str(&failure, path);
        lw_buf_append_char(&failure, '"');
        lw_buf_append_char(&failure, '\0');
    }
    bool has_token = lw_proxy_clean_protocols(&request->stream->request, &protocols, &text);
    const lw_proxy_request wanted = {
        .target = *target,
        .path = path,
        .headers = &protocols,
        .header_count = has_token ? 1 : 0,
        .drops = lw_proxy_drops_credentials,
        .is_long_running = is_long_running,
        .makes_status = is_log,
        .failure = is_log && failure.st == LW_OK ? failure.data : NULL,
        .failure_code = is_log ? 500 : 0,
        .head_timeout_ns = head_timeout_ns,
    };
    if (is_long_running)
        lw_http_stream_settled(request->stream);
    lw_reverse_proxy_forward(request->connect->proxy, request->stream, &wanted);
    lw_buf_done(&failure);
    lw_buf_done(&text);
}

/* GET is what browsers can upgrade; it needs the permission to create as well, as in kube-apiserver
 * since 1.35: a user who may only read must not run commands. */
static bool may_create(const lw_connect_request *request)
{
    lw_authz *authz = request->connect->api->authz;
    lw_http_stream *stream = request->stream;
    lw_authz_attributes attributes;
    lw_buf scratch;
    if (lw_authz_allows_everything(authz))
        return true;
    lw_buf_init(&scratch, 3 * LW_HTTP_HEAD_MAX);
    lw_status st = lw_authz_read_request(&attributes, &stream->request, request->user, &scratch);
    attributes.verb = LW_STR("create");
    attributes.stream = stream;
    bool is_allowed = st == LW_OK && lw_authz_allows(authz, &attributes);
    if (!is_allowed) {
        lw_api_status status;
        lw_buf reason, error;
        lw_buf_init(&reason, LW_AUTHZ_REASON_MAX);
        lw_buf_init(&error, LW_AUTHZ_REASON_MAX);
        if (st == LW_OK)
            (void)lw_authz_explain(authz, &attributes, &reason, &error);
        lw_authz_forbid(&status, &attributes, lw_buf_view(&reason));
        lw_connect_refuse(request, &status);
        lw_buf_done(&error);
        lw_buf_done(&reason);
    }
    lw_buf_done(&scratch);
    return is_allowed;
}

static bool has_method(lw_connect_action action, lw_http_method method)
{
    switch (action) {
    case LW_CONNECT_PROXY: return method != LW_HTTP_OTHER;
    case LW_CONNECT_LOG: return method == LW_HTTP_GET;
    case LW_CONNECT_EXEC:
    case LW_CONNECT_ATTACH:
    case LW_CONNECT_PORTFORWARD: return method == LW_HTTP_GET || method == LW_HTTP_POST;
    }
    return false;
}

bool lw_connect_serve(lw_connect *connect, lw_http_stream *stream, const lw_user *user)
{
    lw_connect_request request = { connect, stream, user, { .ns = LW_STR("") } };
    lw_buf text;
    lw_buf_init(&text, LW_HTTP_HEAD_MAX);
    bool is_ours = lw_connect_path_read(&request.path, stream->request.path, &text);
    if (is_ours && !has_method(request.path.action, stream->request.method)) {
        lw_api_refuse(connect->api, stream, 405, LW_STR(""));
    } else if (is_ours && request.path.action == LW_CONNECT_PROXY) {
        lw_connect_admit(&request, lw_address_proxy);
    } else if (is_ours && request.path.action == LW_CONNECT_LOG) {
        lw_pod_connect(&request); /* a log is read: no admission */
    } else if (is_ours) {
        bool is_get = stream->request.method == LW_HTTP_GET;
        if (!is_get || may_create(&request))
            lw_connect_admit(&request, lw_pod_connect);
    }
    lw_buf_done(&text);
    return is_ours;
}
