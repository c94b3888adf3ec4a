/* SPDX-License-Identifier: Apache-2.0 */
/* connect_admission.c -- CONNECT requests and admission: mutating webhooks, validating policies,
 * validating webhooks; then the request is passed on.
 *
 *     admit ──▶ nothing to ask ──▶ go_on
 *       └──▶ waits for webhooks ──▶ go_on, refused, or the client disconnects
 *
 * What is connected cannot be changed: a webhook that patches the options is refused. */
#include "server/connect/connect_internal.h"

#include "api/admission/validating_policy.h"
#include "api/context/port.h"
#include "api/http/failures.h"
#include "api/webhooks/dispatch.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "server/connect/connect_options.h"

enum {
    OPTIONS_MAX = 1024 * 1024,
};

/* A request that waits; the path is read again, because the caller's views end with it. */
typedef struct admission {
    lw_hook_subject subject;
    lw_connect_request request;
    lw_buf path_text;
    lw_buf options; /* the object: PodExecOptions, ... */
    lw_tree *tree;  /* of the options */
    lw_api_port *port;
    lw_hook_run *run;
    lw_api_status status;
    bool is_mutating;
    void (*go_on)(const lw_connect_request *request);
} admission;

static const lw_kind *kind_of(lw_connect_resource resource)
{
    switch (resource) {
    case LW_CONNECT_PODS: return &lw_kind_pods;
    case LW_CONNECT_SERVICES: return &lw_kind_services;
    case LW_CONNECT_NODES: return &lw_kind_nodes;
    }
    return &lw_kind_pods;
}

static lw_str subresource_of(lw_connect_action action)
{
    switch (action) {
    case LW_CONNECT_EXEC: return LW_STR("exec");
    case LW_CONNECT_ATTACH: return LW_STR("attach");
    case LW_CONNECT_PORTFORWARD: return LW_STR("portforward");
    case LW_CONNECT_LOG: return LW_STR("log");
    case LW_CONNECT_PROXY: break;
    }
    return LW_STR("proxy");
}

static lw_status subject_write(lw_hook_subject *subject, const lw_kind *as, bool is_mutating,
                               lw_buf *out)
{
    const admission *a = LW_CONTAINER_OF(subject, admission, subject);
    (void)as;
    (void)is_mutating;
    lw_buf_append_str(out, lw_buf_view(&a->options));
    return out->st;
}

static const lw_node *subject_metadata(lw_hook_subject *subject)
{
    (void)subject;
    return NULL;
}

static void admission_free(admission *a)
{
    lw_hook_run_cancel(a->run);
    lw_tree_free(a->tree);
    lw_buf_done(&a->options);
    lw_buf_done(&a->path_text);
    lw_user_unref(a->request.user);
    lw_http_stream_unref(a->request.stream);
    lw_free(a);
}

static bool pass_policies(const admission *a, lw_api_status *status)
{
    const lw_connect_request *request = &a->request;
    if (!lw_api_has_plugin(a->port->api, LW_PLUGIN_VALIDATING_POLICY) ||
        !lw_policies_look(a->port, LW_POLICY_VALIDATING))
        return true;
    lw_policy_request asked = { .port = a->port,
                                .user = request->user,
                                .stream = request->stream,
                                .name = request->path.name,
                                .match = { .kind = kind_of(request->path.resource),
                                           .operation = LW_OPERATION_CONNECT,
                                           .subresource = subresource_of(request->path.action),
                                           .ns = request->path.ns,
                                           .name = request->path.name,
                                           .object = lw_tree_root(a->tree) } };
    return lw_validating_policies_admit(&asked, status);
}

static void hooks_over(void *arg, bool is_passed);

static lw_hook_outcome begin(admission *a)
{
    const lw_connect_request *request = &a->request;
    const lw_hook_request asked = {
        .port = a->port,
        .is_mutating = a->is_mutating,
        .review = { .kind = kind_of(request->path.resource),
                    .gvk = { LW_STR(""), LW_STR("v1"), lw_connect_options_kind(&request->path) },
                    .subresource = subresource_of(request->path.action),
                    .ns = request->path.ns,
                    .name = request->path.name,
                    .operation = LW_OPERATION_CONNECT,
                    .user = request->user },
        .subject = &a->subject,
        .stream = request->stream,
        .deadline_ns =
            lw_clock_now(lw_loop_clock(a->port->loop)) + LW_HOOK_REQUEST_TIMEOUT_S * LW_NS_PER_S,
        .status = &a->status,
        .over = hooks_over,
        .arg = a,
    };
    return a->port->api->hooks ? lw_hook_run_begin(&a->run, &asked) : LW_HOOK_PASSED;
}

static void client_left(lw_http_stream *stream, void *arg)
{
    stream->on_closed = NULL;
    stream->arg = NULL;
    admission_free(arg);
}

/* Goes on until something waits, or the request is passed on or refused. */
static void advance(admission *a, lw_hook_outcome outcome)
{
    lw_http_stream *stream = a->request.stream;
    if (outcome == LW_HOOK_PASSED && a->is_mutating) {
        a->is_mutating = false;
        outcome = pass_policies(a, &a->status) ? begin(a) : LW_HOOK_REFUSED;
    }
    if (outcome == LW_HOOK_WAITING) {
        stream->on_closed = client_left;
        stream->arg = a;
        return;
    }
    if (outcome == LW_HOOK_PASSED)
        a->go_on(&a->request);
    else
        lw_connect_refuse(&a->request, &a->status);
    admission_free(a);
}

static void hooks_over(void *arg, bool is_passed)
{
    admission *a = arg;
    a->run = NULL;
    a->request.stream->on_closed = NULL;
    a->request.stream->arg = NULL;
    advance(a, is_passed ? LW_HOOK_PASSED : LW_HOOK_REFUSED);
}

/* Takes |options|. */
static lw_status open_admission(admission *a, const lw_connect_request *request, lw_buf *options)
{
    const lw_user *user = NULL;
    lw_status st = lw_user_copy(&user, request->user);
    a->request = *request;
    a->request.user = user;
    (void)lw_http_stream_ref(request->stream);
    lw_buf_init(&a->path_text, LW_HTTP_HEAD_MAX);
    a->options = *options;
    lw_buf_init(options, OPTIONS_MAX);
    if (st == LW_OK &&
        !lw_connect_path_read(&a->request.path, request->stream->request.path, &a->path_text))
        st = a->path_text.st < 0 ? a->path_text.st : LW_ERR_INVALID;
    if (st == LW_OK)
        st = lw_tree_parse(&a->tree, lw_buf_view(&a->options), 0, NULL);
    return st;
}

/* True if webhooks or policies may have something to say. */
static lw_status is_asked(lw_api_port *port, const lw_connect_request *request, bool *out)
{
    const lw_hook_matches *matches = NULL;
    lw_status st =
        lw_hooks_find(port, kind_of(request->path.resource), subresource_of(request->path.action),
                      LW_OPERATION_CONNECT, &matches);
    *out = matches || (lw_api_has_plugin(port->api, LW_PLUGIN_VALIDATING_POLICY) &&
                       lw_policies_look(port, LW_POLICY_VALIDATING));
    return st;
}

static void refuse_failure(const lw_connect_request *request, lw_status st)
{
    lw_api_status status;
    lw_api_status_of_failure(&status, st);
    lw_connect_refuse(request, &status);
}

static void ask(lw_api_port *port, const lw_connect_request *request, lw_buf *options,
                void (*go_on)(const lw_connect_request *request))
{
    admission *a = lw_alloc_zero(1, sizeof(*a));
    if (!a) {
        refuse_failure(request, LW_ERR_NOMEM);
        return;
    }
    a->port = port;
    a->go_on = go_on;
    a->is_mutating = true;
    a->subject = (lw_hook_subject){ .write = subject_write, .metadata = subject_metadata };
    lw_status st = open_admission(a, request, options);
    if (st < 0) {
        refuse_failure(request, st);
        admission_free(a);
        return;
    }
    advance(a, begin(a));
}

void lw_connect_admit(const lw_connect_request *request,
                      void (*go_on)(const lw_connect_request *request))
{
    lw_api_port *port = lw_loop_data(request->stream->loop);
    bool asks = false;
    lw_buf options, why;
    lw_buf_init(&options, OPTIONS_MAX);
    lw_buf_init(&why, OPTIONS_MAX);
    lw_status st =
        lw_connect_options_write(&request->path, request->stream->request.query, &options, &why);
    if (st == LW_OK && request->user)
        st = is_asked(port, request, &asks);
    if (st == LW_ERR_INVALID && why.len > 0)
        lw_connect_refuse_bad(request, "%.*s", LW_STR_ARG(lw_buf_view(&why)));
    else if (st < 0)
        refuse_failure(request, st);
    else if (!asks)
        go_on(request);
    else
        ask(port, request, &options, go_on);
    lw_buf_done(&why);
    lw_buf_done(&options);
}
