/* SPDX-License-Identifier: Apache-2.0 */
/* apiservice_check.c -- checks one server behind this one, in the steps and words of
 * kube-apiserver:
 *
 *     Service ──▶ endpoint ──▶ GET /apis/GROUP/VERSION ──▶ GET /apis ──▶ GET /openapi/v3, v2
 *        │ no       │ no         │ no, five times            (discovery)    (OpenAPI)
 *        ▼          ▼            ▼
 *     not available
 *
 * The last ones only say what the server serves: without them it is available all the same. */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "server/aggregator/aggregator_internal.h"
#include "server/aggregator/remote_discovery.h"

enum {
    TRIES_MAX = 5,
    PATH_MAX_BYTES = 1024,
    URL_MAX = 2048,
};

#define TIMEOUT_NS (5 * LW_NS_PER_S) /* of all tries, and of each further question */

static const lw_str accept_discovery =
    LW_STR_INIT("application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,"
                "application/json;g=apidiscovery.k8s.io;v=v2beta1;as=APIGroupDiscoveryList");

static void find(lw_apiservice_entry *entry, const char *status, const char *reason)
{
    entry->finding.status = status;
    entry->finding.reason = reason;
    lw_buf_reset(&entry->finding.message);
}

/* Returns true if the Service has an EndpointSlice, ready or not. */
static bool has_slices(const lw_apiservice_entry *entry)
{
    const lw_apiservice *service = entry->service;
    lw_api *api = lw_apiservice_work_of(entry)->port->api;
    const lw_cache_filter filter = { .ns = service->service_ns };
    lw_cache_list list = { 0 };
    bool is_found = false;
    if (lw_cache_list_now(lw_api_resource(api, &lw_kind_endpointslices), &filter, LW_STR(""), 0,
                          &list, NULL) < 0)
        return false;
    for (size_t i = 0; i < list.count && !is_found; i++)
        is_found =
            lw_str_equal(lw_str_of(lw_object_string(list.objects[i],
                                                    "/metadata/labels/kubernetes.io~1service-name",
                                                    "")),
                         service->service_name);
    lw_cache_list_done(&list);
    return is_found;
}

/* What is wrong with the Service: |st| and |err| are of lw_service_address_find. */
static void find_service_problem(lw_apiservice_entry *entry, lw_status st, const lw_error *err)
{
    const lw_apiservice *service = entry->service;
    lw_buf *message = &entry->finding.message;
    switch (st) {
    case LW_ERR_NOT_FOUND:
        find(entry, "False", "ServiceNotFound");
        lw_buf_printf(message, "service/%.*s in \"%.*s\" is not present",
                      LW_STR_ARG(service->service_name), LW_STR_ARG(service->service_ns));
        break;
    case LW_ERR_INVALID:
        find(entry, "False", "ServicePortError");
        lw_buf_printf(message, "service/%.*s in \"%.*s\" is not listening on port %lld",
                      LW_STR_ARG(service->service_name), LW_STR_ARG(service->service_ns),
                      (long long)service->port);
        break;
    case LW_ERR_UNAVAILABLE: {
        bool has_some = has_slices(entry);
        find(entry, "False", has_some ? "MissingEndpoints" : "EndpointsNotFound");
        lw_buf_printf(message,
                      has_some ? "endpointslices for service/%.*s in \"%.*s\" have no ready "
                                 "addresses for port %lld"
                               : "cannot find endpointslices for service/%.*s in \"%.*s\"",
                      LW_STR_ARG(service->service_name), LW_STR_ARG(service->service_ns),
                      (long long)service->port);
        break;
    }
    default:
        find(entry, "Unknown", "ServiceAccessError");
        lw_buf_printf(message, "service/%.*s in \"%.*s\" cannot be checked due to: %s",
                      LW_STR_ARG(service->service_name), LW_STR_ARG(service->service_ns),
                      err->message);
        break;
    }
}

/* Appends the path that is asked for. */
static void append_path(const lw_apiservice_entry *entry, lw_buf *out)
{
    const lw_apiservice *service = entry->service;
    switch (entry->question) {
    case LW_APISERVICE_ASK_VERSION:
        if (service->group.len == 0)
            lw_buf_printf(out, "/api/%.*s", LW_STR_ARG(service->version));
        else
            lw_buf_printf(out, "/apis/%.*s/%.*s", LW_STR_ARG(service->group),
                          LW_STR_ARG(service->version));
        break;
    case LW_APISERVICE_ASK_DISCOVERY: lw_buf_append_text(out, "/apis"); break;
    case LW_APISERVICE_ASK_OPENAPI: lw_buf_append_text(out, "/openapi/v3"); break;
    case LW_APISERVICE_ASK_OPENAPI_2: lw_buf_append_text(out, "/openapi/v2"); break;
    }
}

/* "failing or missing response from https://10.0.0.1:443/apis/g/v: ..." */
static void find_failure(lw_apiservice_entry *entry, int status, const lw_error *err)
{
    lw_buf url, path;
    lw_buf *message = &entry->finding.message;
    bool is_v6 = strchr(entry->address.host, ':') != NULL;
    lw_buf_init(&path, PATH_MAX_BYTES);
    lw_buf_init(&url, URL_MAX);
    append_path(entry, &path);
    lw_buf_printf(&url, is_v6 ? "https://[%s]:%u%.*s" : "https://%s:%u%.*s", entry->address.host,
                  (unsigned)entry->address.port, LW_STR_ARG(lw_buf_view(&path)));
    find(entry, "False", "FailedDiscoveryCheck");
    lw_buf_printf(message,
                  "failing or missing response from %.*s: ", LW_STR_ARG(lw_buf_view(&url)));
    if (err)
        lw_buf_printf(message, "Get \"%.*s\": %s", LW_STR_ARG(lw_buf_view(&url)), err->message);
    else
        lw_buf_printf(message, "bad status from %.*s: %d", LW_STR_ARG(lw_buf_view(&url)), status);
    lw_buf_done(&url);
    lw_buf_done(&path);
}

static void ask(lw_apiservice_entry *entry);

static void ask_next(lw_apiservice_entry *entry, lw_apiservice_question question)
{
    lw_loop *loop = lw_apiservice_work_of(entry)->port->loop;
    entry->question = question;
    entry->tries = TRIES_MAX; /* these are not tried again */
    entry->deadline_ns = lw_clock_now(lw_loop_clock(loop)) + TIMEOUT_NS;
    ask(entry);
}

static bool is_success(int status)
{
    return status >= 200 && status < 300;
}

static void version_answered(lw_apiservice_entry *entry, int status, lw_str body,
                             const lw_error *err)
{
    const lw_apiservice *service = entry->service;
    if (err || !is_success(status)) {
        find_failure(entry, status, err);
        ask(entry);
        return;
    }
    find(entry, "True", "Passed");
    lw_buf_append_text(&entry->finding.message, "all checks passed");
    if (lw_remote_discovery_convert(body, service->group, service->version, &entry->discovery) < 0)
        lw_buf_reset(&entry->discovery);
    ask_next(entry, LW_APISERVICE_ASK_DISCOVERY);
}

/* True if the media type is that of aggregated discovery. */
static bool is_aggregated(lw_str type)
{
    while (type.len > 0) {
        lw_str parameter;
        (void)lw_str_cut(type, ';', &parameter, &type);
        if (lw_str_equal(lw_str_trim(parameter), LW_STR("as=APIGroupDiscoveryList")))
            return true;
    }
    return false;
}

static void discovery_answered(lw_apiservice_entry *entry, int status, lw_str type, lw_str body)
{
    const lw_apiservice *service = entry->service;
    lw_buf picked;
    lw_buf_init(&picked, LW_REMOTE_DISCOVERY_MAX);
    if (status == 200 && is_aggregated(type) &&
        lw_remote_discovery_pick(body, service->group, service->version, &picked) == LW_OK) {
        lw_buf_done(&entry->discovery);
        entry->discovery = picked;
    } else {
        lw_buf_done(&picked);
    }
    ask_next(entry, LW_APISERVICE_ASK_OPENAPI);
}

/* The bytes of the OpenAPI documents of all others. */
static size_t other_openapi_bytes(const lw_apiservice_entry *entry)
{
    const lw_map *services = &lw_apiservice_work_of(entry)->services.keys;
    lw_map_cursor at = lw_map_begin(services);
    size_t bytes = 0;
    for (lw_apiservice_entry *other; (other = lw_map_next(services, &at));) {
        if (other != entry && other->service && other->service->openapi)
            bytes += other->service->openapi->json.len;
    }
    return bytes;
}

/* Keeps what the version of |entry| needs from its server's /openapi/v2, unless that is too much.
 */
static void openapi_answered(lw_apiservice_entry *entry, lw_str body)
{
    const lw_apiservice *service = entry->service;
    lw_remote_openapi *now = NULL;
    lw_status st =
        lw_remote_openapi_read(&now, body, service->group, service->version, entry->openapi);
    bool is_too_much = st == LW_OK && now != entry->openapi &&
                       now->json.len + other_openapi_bytes(entry) > LW_REMOTE_OPENAPI_TOTAL_MAX;
    if (is_too_much) {
        lw_remote_openapi_unref(now);
        now = NULL;
    }
    if (st == LW_OK || st == LW_ERR_NOT_FOUND || st == LW_ERR_LIMIT) {
        lw_remote_openapi_unref(entry->openapi);
        entry->openapi = now;
    }
    if (is_too_much || st == LW_ERR_LIMIT)
        lw_log(lw_apiservice_work_of(entry)->aggregator->logger, LW_LOG_WARN, "aggregator",
               "the OpenAPI v2 document of APIService %.*s.%.*s is too large and left out",
               LW_STR_ARG(service->version), LW_STR_ARG(service->group));
}

static void answered(int status, lw_str type, lw_str body, const lw_error *err, void *arg)
{
    lw_apiservice_entry *entry = arg;
    const lw_apiservice *service = entry->service;
    entry->call = NULL;
    if (!service) { /* deleted meanwhile */
        lw_apiservice_checked(entry);
        return;
    }
    switch (entry->question) {
    case LW_APISERVICE_ASK_VERSION: version_answered(entry, status, body, err); break;
    case LW_APISERVICE_ASK_DISCOVERY: discovery_answered(entry, status, type, body); break;
    case LW_APISERVICE_ASK_OPENAPI:
        if (status != 200 ||
            lw_remote_openapi_pick(body, service->group, service->version, &entry->openapi_url) < 0)
            lw_buf_reset(&entry->openapi_url);
        ask_next(entry, LW_APISERVICE_ASK_OPENAPI_2);
        break;
    case LW_APISERVICE_ASK_OPENAPI_2:
        if (status == 200)
            openapi_answered(entry, body);
        lw_apiservice_checked(entry);
        break;
    }
}

/* Sends the question; each try of the first one may go to another endpoint. */
static lw_status send_question(lw_apiservice_entry *entry, lw_error *err)
{
    static const lw_str json = LW_STR_INIT("application/json");
    const lw_apiservice *service = entry->service;
    lw_apiservice_work *work = lw_apiservice_work_of(entry);
    const lw_http_header headers[] = {
        { LW_STR("X-Remote-User"), LW_STR("system:kube-aggregator") },
        { LW_STR("X-Remote-Group"), LW_STR(LW_GROUP_MASTERS) },
        { LW_STR("Accept"),
          entry->question == LW_APISERVICE_ASK_DISCOVERY ? accept_discovery : json },
    };
    lw_buf path;
    lw_buf_init(&path, PATH_MAX_BYTES);
    append_path(entry, &path);
    lw_http_call_options options = {
        .target = { .host = entry->address.host,
                    .port = entry->address.port,
                    .tls = service->tls,
                    .server_name = service->server_name },
        .method = LW_STR("GET"),
        .path = lw_buf_view(&path),
        .headers = headers,
        .header_count = sizeof(headers) / sizeof(headers[0]),
        .deadline_ns = entry->deadline_ns,
        .reply_max = entry->question == LW_APISERVICE_ASK_OPENAPI_2 ? LW_REMOTE_OPENAPI_MAX
                                                                    : LW_REMOTE_DISCOVERY_MAX,
    };
    lw_status st = path.st < 0 ? lw_error_nomem(err)
                               : lw_http_client_ask(&entry->call, work->client, &options, answered,
                                                    entry, err);
    lw_buf_done(&path);
    return st;
}

/* Asks the question once more, unless that was tried often enough: then the check is over. */
static void ask(lw_apiservice_entry *entry)
{
    lw_apiservice_work *work = lw_apiservice_work_of(entry);
    const lw_apiservice *service = entry->service;
    lw_error err = LW_ERROR_INIT;
    bool is_first = entry->question == LW_APISERVICE_ASK_VERSION;
    bool is_late = lw_clock_now(lw_loop_clock(work->port->loop)) >= entry->deadline_ns;
    lw_status st = LW_ERR_TIMEOUT;
    if (!is_first || (entry->tries < TRIES_MAX && !is_late)) {
        entry->tries++;
        st = LW_OK;
        if (is_first)
            st = lw_service_address_find(work->port, service->service_ns, service->service_name,
                                         service->port, &entry->address, &err);
        if (st < 0)
            find_service_problem(entry, st, &err);
        else
            st = send_question(entry, &err);
        if (st < 0 && is_first && err.code != LW_OK && !entry->finding.reason)
            find_failure(entry, 0, &err);
    }
    if (st < 0)
        lw_apiservice_checked(entry);
}

void lw_apiservice_check(lw_apiservice_entry *entry)
{
    lw_loop *loop = lw_apiservice_work_of(entry)->port->loop;
    lw_buf_done(&entry->discovery);
    lw_buf_done(&entry->openapi_url);
    lw_buf_init(&entry->discovery, LW_REMOTE_DISCOVERY_MAX);
    lw_buf_init(&entry->openapi_url, LW_REMOTE_URL_MAX);
    lw_remote_openapi_unref(entry->openapi);
    entry->openapi = lw_remote_openapi_ref(entry->service->openapi);
    entry->finding.reason = NULL;
    entry->question = LW_APISERVICE_ASK_VERSION;
    entry->tries = 0;
    entry->deadline_ns = lw_clock_now(lw_loop_clock(loop)) + TIMEOUT_NS;
    if (!entry->service->tls) {
        find(entry, "False", "FailedDiscoveryCheck");
        lw_buf_append_text(&entry->finding.message, entry->service->tls_error);
        lw_apiservice_checked(entry);
        return;
    }
    ask(entry);
}

void lw_apiservice_check_cancel(lw_apiservice_entry *entry)
{
    if (!entry->call)
        return;
    lw_http_call_cancel(entry->call);
    entry->call = NULL;
    lw_apiservice_checked(entry);
}
