/* SPDX-License-Identifier: Apache-2.0 */
/* pod_connect.c -- logs, exec, attach and port forwarding of a pod, by the kubelet of its node. */
#include <stdio.h>

#include "api/http/field_errors.h"
#include "api/http/request_info.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "server/connect/connect_internal.h"
#include "server/proxy/proxy_headers.h"

enum {
    PATH_MAX_BYTES = LW_HTTP_HEAD_MAX,
    CONTAINERS_MAX = 1000, /* of a pod */
    POINTER_SIZE = 64,
    NAMES_MAX = 4096,
};

/* In the order in which kube-apiserver lists them. */
static const char *const lists[] = { "initContainers", "containers", "ephemeralContainers" };

static const char *container_at(const lw_object *pod, const char *list, unsigned at)
{
    char pointer[POINTER_SIZE];
    (void)snprintf(pointer, sizeof(pointer), "/spec/%s/%u/name", list, at);
    return lw_object_string(pod, pointer, NULL);
}

static bool has_container(const lw_object *pod, lw_str name)
{
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        const char *found;
        for (unsigned at = 0; at < CONTAINERS_MAX && (found = container_at(pod, lists[i], at));
             at++) {
            if (lw_str_equal(lw_str_of(found), name))
                return true;
        }
    }
    return false;
}

static void refuse_unnamed(const lw_connect_request *request, const lw_object *pod)
{
    lw_buf names;
    lw_buf_init(&names, NAMES_MAX);
    for (size_t i = 0; i < sizeof(lists) / sizeof(lists[0]); i++) {
        const char *found;
        for (unsigned at = 0; at < CONTAINERS_MAX && (found = container_at(pod, lists[i], at));
             at++)
            lw_buf_printf(&names, "%s%s", names.len > 0 ? " " : "", found);
    }
    lw_connect_refuse_bad(request,
                          "a container name must be specified for pod %s, choose one of: [%.*s]",
                          lw_object_name(pod), LW_STR_ARG(lw_buf_view(&names)));
    lw_buf_done(&names);
}

/* Chooses the container: |*name| is that of the query, or the only one.  False: the request has
 * been answered. */
static bool choose_container(const lw_connect_request *request, const lw_object *pod, lw_str *name)
{
    const char *first = container_at(pod, "containers", 0);
    if (name->len > 0) {
        if (has_container(pod, *name))
            return true;
        lw_connect_refuse_bad(request, "container %.*s is not valid for pod %s", LW_STR_ARG(*name),
                              lw_object_name(pod));
        return false;
    }
    if (!first) {
        lw_connect_refuse_bad(request, "a container name must be specified for pod %s",
                              lw_object_name(pod));
        return false;
    }
    if (container_at(pod, "containers", 1)) {
        refuse_unnamed(request, pod);
        return false;
    }
    *name = lw_str_of(first);
    return true;
}

/* The query of a log for the kubelet. */
typedef struct log_options {
    lw_str query;
    lw_api_status errors;
    bool is_malformed;
} log_options;

/* Checks the parameter |name|, an integer of at least |min|. */
static void check_number(log_options *options, const char *name, int64_t min, const char *detail)
{
    lw_str text;
    int64_t value;
    if (!lw_query_raw(options->query, lw_str_of(name), &text))
        return;
    if (!lw_str_to_int64(text, &value))
        options->is_malformed = true;
    else if (value < min)
        lw_field_error_plain(&options->errors, name, text, detail);
}

/* Refuses parameters that kube-apiserver refuses.  False: the request has been answered. */
static bool check_log(const lw_connect_request *request)
{
    lw_str query = request->stream->request.query;
    const lw_gvk gvk = { LW_STR(""), LW_STR("v1"), LW_STR("PodLogOptions") };
    lw_str text;
    log_options options = { .query = query };
    lw_api_status_init(&options.errors);
    check_number(&options, "tailLines", 0, "must be greater than or equal to 0");
    check_number(&options, "limitBytes", 1, "must be greater than 0");
    if (lw_query_raw(query, LW_STR("sinceSeconds"), &text) &&
        lw_query_raw(query, LW_STR("sinceTime"), &text))
        lw_field_error_forbidden(&options.errors, "",
                                 LW_STR("at most one of `sinceTime` or `sinceSeconds` may be "
                                        "specified"));
    else
        check_number(&options, "sinceSeconds", 1, "must be greater than 0");
    if (options.is_malformed) {
        lw_api_status_done(&options.errors);
        lw_connect_refuse_bad(request, "a parameter of the log is not a number");
        return false;
    }
    if (options.errors.cause_count > 0) {
        lw_api_status_complete_invalid(&options.errors, gvk, request->path.name);
        lw_connect_refuse(request, &options.errors);
        return false;
    }
    lw_api_status_done(&options.errors);
    return true;
}

/* Appends "&NAME=VALUE" as it was sent, if it was. */
static void pass_on(const lw_connect_request *request, lw_buf *path, const char *name)
{
    lw_str value;
    if (lw_query_raw(request->stream->request.query, lw_str_of(name), &value))
        lw_buf_printf(path, "&%s=%.*s", name, LW_STR_ARG(value));
}

static bool is_set(const lw_connect_request *request, const char *name)
{
    return lw_query_raw_bool(request->stream->request.query, lw_str_of(name));
}

static void append_log(const lw_connect_request *request, lw_buf *path)
{
    static const char *const flags[] = { "follow", "previous", "timestamps" };
    static const char *const values[] = { "sinceSeconds", "sinceTime", "tailLines", "limitBytes",
                                          "stream" };
    for (size_t i = 0; i < sizeof(flags) / sizeof(flags[0]); i++) {
        if (is_set(request, flags[i]))
            lw_buf_printf(path, "&%s=true", flags[i]);
    }
    for (size_t i = 0; i < sizeof(values) / sizeof(values[0]); i++)
        pass_on(request, path, values[i]);
}

/* The kubelet has other names for the streams. */
static void append_streams(const lw_connect_request *request, lw_buf *path)
{
    static const struct {
        const char *ours, *kubelets;
    } names[] = {
        { "stdin", "input" }, { "stdout", "output" }, { "stderr", "error" }, { "tty", "tty" }
    };
    lw_str pair, name, value, rest = request->stream->request.query;
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (is_set(request, names[i].ours))
            lw_buf_printf(path, "&%s=1", names[i].kubelets);
    }
    while (request->path.action == LW_CONNECT_EXEC && rest.len > 0) {
        (void)lw_str_cut(rest, '&', &pair, &rest);
        if (lw_str_cut(pair, '=', &name, &value) && lw_str_equal(name, LW_STR("command")))
            lw_buf_printf(path, "&command=%.*s", LW_STR_ARG(value));
    }
}

/* ?ports=80&ports=81 is ?port=80,81 for a kubelet. */
static void append_ports(const lw_connect_request *request, lw_buf *path)
{
    lw_str pair, name, value, rest = request->stream->request.query;
    while (rest.len > 0) {
        (void)lw_str_cut(rest, '&', &pair, &rest);
        if (lw_str_cut(pair, '=', &name, &value) && lw_str_equal(name, LW_STR("ports")))
            lw_buf_printf(path, "%s%.*s", path->len > 0 ? "," : "&port=", LW_STR_ARG(value));
    }
}

/* Appends the path of the kubelet, which has no characters that need escapes: they are names. */
static void append_path(const lw_connect_request *request, const lw_object *pod, lw_str container,
                        lw_buf *path)
{
    static const char *const words[] = { [LW_CONNECT_LOG] = "containerLogs",
                                         [LW_CONNECT_EXEC] = "exec",
                                         [LW_CONNECT_ATTACH] = "attach",
                                         [LW_CONNECT_PORTFORWARD] = "portForward" };
    lw_connect_action action = request->path.action;
    lw_buf query;
    lw_buf_init(&query, PATH_MAX_BYTES);
    lw_buf_printf(path, "/%s/%s/%s", words[action], lw_object_namespace(pod), lw_object_name(pod));
    if (action != LW_CONNECT_PORTFORWARD)
        lw_buf_printf(path, "/%.*s", LW_STR_ARG(container));
    if (action == LW_CONNECT_LOG)
        append_log(request, &query);
    else if (action == LW_CONNECT_PORTFORWARD)
        append_ports(request, &query);
    else
        append_streams(request, &query);
    if (query.len > 0)
        lw_buf_printf(path, "?%.*s", LW_STR_ARG(lw_str_skip(lw_buf_view(&query), 1)));
    if (query.st < 0)
        path->st = query.st;
    lw_buf_done(&query);
}

/* A pod that has no node yet: its log is empty, and nothing else is possible. */
static void answer_unassigned(const lw_connect_request *request)
{
    static const lw_http_header type = { LW_STR_INIT("Content-Type"), LW_STR_INIT("text/plain") };
    const lw_http_reply reply = { 200, &type, 1 };
    if (request->path.action == LW_CONNECT_LOG)
        (void)lw_http_reply_whole(request->stream, &reply, lw_bytes_static(LW_STR("")));
    else
        lw_connect_refuse_bad(request, "pod %.*s does not have a host assigned",
                              LW_STR_ARG(request->path.name));
}

static void connect_to(const lw_connect_request *request, const lw_object *pod, lw_str container)
{
    lw_connect *connect = request->connect;
    bool is_log = request->path.action == LW_CONNECT_LOG;
    lw_service_address address;
    lw_buf path;
    lw_str node = lw_str_of(lw_object_string(pod, "/spec/nodeName", ""));
    if (node.len == 0) {
        answer_unassigned(request);
        return;
    }
    if (!lw_kubelet_address_find(request, node, &address))
        return;
    if (!is_log && lw_proxy_upgrade_of(&request->stream->request).len == 0) {
        lw_connect_refuse_bad(request, "Upgrade request required");
        return;
    }
    bool is_insecure = is_log && is_set(request, "insecureSkipTLSVerifyBackend");
    lw_http_target target = { .host = address.host, .port = address.port };
    if (!lw_connect_tls_find(request,
                             is_insecure ? LW_CONNECT_KUBELET_UNVERIFIED : LW_CONNECT_KUBELET,
                             &target.tls))
        return;
    lw_buf_init(&path, PATH_MAX_BYTES);
    append_path(request, pod, container, &path);
    if (path.st < 0)
        lw_connect_refuse_bad(request, "the query is too long to be passed on");
    else
        lw_connect_forward(request, &target, lw_buf_view(&path),
                           !is_log || is_set(request, "follow"), connect->kubelet_timeout_ns);
    lw_buf_done(&path);
}

void lw_pod_connect(const lw_connect_request *request)
{
    lw_connect_action action = request->path.action;
    lw_str container; /* names have no escapes */
    lw_object *pod = NULL;
    (void)lw_query_raw(request->stream->request.query, LW_STR("container"), &container);
    if (action != LW_CONNECT_LOG || check_log(request))
        pod = lw_connect_get_ref(request, &lw_kind_pods, request->path.ns, request->path.name);
    if (pod && (action == LW_CONNECT_PORTFORWARD || choose_container(request, pod, &container)))
        connect_to(request, pod, container);
    lw_object_unref(pod);
}
