/* SPDX-License-Identifier: Apache-2.0 */
/* aggregate_proxy.c -- passes requests on to other API servers, with the identity of the user. */
#include "server/aggregator/aggregate_proxy.h"

#include "api/http/request_info.h"
#include "api/services/service_address.h"
#include "base/clock.h"
#include "base/str.h"
#include "server/proxy/proxy_credentials.h"

#define TIMEOUT_NS (60 * LW_NS_PER_S) /* as requests of kube-apiserver */

static lw_str take_segment(lw_str *path)
{
    lw_str segment;
    (void)lw_str_cut(*path, '/', &segment, path);
    return segment;
}

/* Finds the service that |path| is for. */
static const lw_apiservice *find_service(const lw_apiservice_table *table, lw_str path)
{
    path = lw_str_skip(path, 1);
    lw_str root = take_segment(&path);
    bool is_openapi = lw_str_equal(root, LW_STR("openapi"));
    if (is_openapi && !lw_str_equal(take_segment(&path), LW_STR("v3")))
        return NULL;
    if (is_openapi)
        root = take_segment(&path);
    lw_str group = LW_STR("");
    if (lw_str_equal(root, LW_STR("apis")))
        group = take_segment(&path);
    else if (!lw_str_equal(root, LW_STR("api")))
        return NULL;
    lw_str version = take_segment(&path);
    return version.len > 0 ? lw_apiservice_find(table, group, version) : NULL;
}

/* As http.Error of Go. */
static void reply_error(lw_http_stream *stream, int status, lw_str message)
{
    static const lw_http_header headers[] = {
        { LW_STR_INIT("Content-Type"), LW_STR_INIT("text/plain; charset=utf-8") },
        { LW_STR_INIT("X-Content-Type-Options"), LW_STR_INIT("nosniff") },
    };
    const lw_http_reply reply = { status, headers, 2 };
    lw_buf body;
    lw_buf_init(&body, 2 * LW_ERROR_MESSAGE_SIZE);
    lw_buf_append_str(&body, message);
    lw_buf_append_char(&body, '\n');
    (void)lw_http_reply_whole(stream, &reply, lw_buf_take_bytes(&body));
    lw_buf_done(&body);
}

static void forward(const lw_apiservice *service, lw_reverse_proxy *proxy, lw_http_stream *stream,
                    const lw_user *user, const lw_service_address *address)
{
    lw_http_header headers[LW_REVERSE_PROXY_HEADERS_MAX];
    lw_request_info info;
    lw_buf text, protocols;
    lw_buf_init(&text, LW_PROXY_IDENTITY_MAX);
    lw_buf_init(&protocols, LW_HTTP_HEAD_MAX);
    size_t count = lw_proxy_identify(user, headers, LW_REVERSE_PROXY_HEADERS_MAX - 1, &text);
    if (count > 0 && lw_proxy_clean_protocols(&stream->request, &headers[count], &protocols))
        count++;
    lw_request_info_read(&info, &stream->request);
    bool is_long_running =
        lw_str_equal(info.verb, LW_STR("watch")) || lw_request_info_is_long_running(&info);
    const lw_proxy_request request = {
        .target = { .host = address->host,
                    .port = address->port,
                    .tls = service->tls,
                    .server_name = service->server_name },
        .headers = headers,
        .header_count = count,
        .drops = lw_proxy_drops_credentials,
        .is_long_running = is_long_running,
        .timeout_ns = is_long_running ? 0 : TIMEOUT_NS,
    };
    if (count == 0 || protocols.st < 0) {
        reply_error(stream, 500, LW_STR("the user has too many groups to be passed on"));
    } else {
        if (is_long_running)
            lw_http_stream_settled(stream);
        lw_reverse_proxy_forward(proxy, stream, &request);
    }
    lw_buf_done(&protocols);
    lw_buf_done(&text);
}

bool lw_aggregate_serve(lw_aggregator *aggregator, lw_reverse_proxy *proxy, lw_http_stream *stream,
                        const lw_user *user)
{
    lw_service_address address;
    lw_error err = LW_ERROR_INIT;
    lw_apiservice_table *table = lw_aggregator_table_ref(aggregator);
    const lw_apiservice *service = table ? find_service(table, stream->request.path) : NULL;
    if (service && !service->is_available)
        reply_error(stream, 503, LW_STR("service unavailable"));
    else if (service && !service->tls)
        reply_error(stream, 500, lw_str_of(service->tls_error));
    else if (service &&
             lw_service_address_find(lw_loop_data(stream->loop), service->service_ns,
                                     service->service_name, service->port, &address, &err) < 0)
        reply_error(stream, 503, LW_STR("service unavailable"));
    else if (service)
        forward(service, proxy, stream, user, &address);
    lw_apiservice_table_unref(table);
    return service != NULL;
}
