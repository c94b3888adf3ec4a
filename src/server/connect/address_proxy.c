/* SPDX-License-Identifier: Apache-2.0 */
/* address_proxy.c -- proxies to pods, services and nodes.
 *
 * Who may write a Pod, an EndpointSlice or a Node could make the server reach any address that it
 * can reach itself, so as in kube-apiserver only global unicast addresses are allowed, and of
 * services only those of pods. */
#include <arpa/inet.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "object/quote.h"
#include "schema/kinds/kinds.h"
#include "server/connect/connect_internal.h"

enum {
    PORTS_MAX = 1000, /* of a service, and containers of a pod */
    POINTER_SIZE = 64,
    MESSAGE_MAX = 4096,
    PATH_MAX_BYTES = LW_HTTP_HEAD_MAX,
    HTTP_PORT = 80,
    HTTPS_PORT = 443,
};

static bool is_global_v4(const struct in_addr *address)
{
    uint32_t ip = ntohl(address->s_addr);
    return ip != 0 && ip != UINT32_MAX && ip >> 24 != 127 && ip >> 28 != 14 && ip >> 16 != 0xa9fe;
}

static bool is_global_v6(const struct in6_addr *address)
{
    return !IN6_IS_ADDR_UNSPECIFIED(address) && !IN6_IS_ADDR_LOOPBACK(address) &&
           !IN6_IS_ADDR_MULTICAST(address) && !IN6_IS_ADDR_LINKLOCAL(address);
}

/* True for IP addresses that a proxy may reach, and host names other than this machine's. */
static bool is_allowed(const lw_connect *connect, const char *host)
{
    struct in_addr v4;
    struct in6_addr v6;
    if (connect->reaches_any_address)
        return true;
    if (inet_pton(AF_INET, host, &v4) == 1)
        return is_global_v4(&v4);
    if (inet_pton(AF_INET6, host, &v6) != 1)
        return !lw_http_name_is(lw_str_of(host), LW_STR("localhost"));
    if (!IN6_IS_ADDR_V4MAPPED(&v6))
        return is_global_v6(&v6);
    memcpy(&v4, v6.s6_addr + 12, sizeof(v4));
    return is_global_v4(&v4);
}

static void refuse_unavailable(const lw_connect_request *request, const char *what, lw_str name)
{
    lw_api_status status;
    lw_buf message;
    lw_buf_init(&message, MESSAGE_MAX);
    lw_buf_append_text(&message, what);
    lw_quote_append(&message, name);
    lw_api_status_unavailable(&status, lw_buf_view(&message));
    lw_buf_done(&message);
    lw_connect_refuse(request, &status);
}

/* A port number in |text|; |fallback| if it is empty.  False: it is something else. */
static bool read_port(lw_str text, uint16_t fallback, uint16_t *out)
{
    int64_t port = fallback;
    if (text.len > 0 && (!lw_str_to_int64(text, &port) || port < 1 || port > UINT16_MAX))
        return false;
    *out = (uint16_t)port;
    return true;
}

/* The first port of the first container that has one; 0: none. */
static int64_t first_port(const lw_object *pod)
{
    for (unsigned at = 0; at < PORTS_MAX; at++) {
        char pointer[POINTER_SIZE];
        (void)snprintf(pointer, sizeof(pointer), "/spec/containers/%u/name", at);
        if (!lw_object_string(pod, pointer, NULL))
            break;
        (void)snprintf(pointer, sizeof(pointer), "/spec/containers/%u/ports/0/containerPort", at);
        int64_t port = lw_object_int(pod, pointer, 0);
        if (port > 0 && port <= UINT16_MAX)
            return port;
    }
    return 0;
}

static bool find_pod(const lw_connect_request *request, const lw_connect_id *id,
                     lw_service_address *out)
{
    lw_object *pod = lw_connect_get_ref(request, &lw_kind_pods, request->path.ns, id->name);
    if (!pod)
        return false;
    bool is_tls = lw_str_equal(id->scheme, LW_STR("https"));
    int64_t first = first_port(pod);
    uint16_t fallback = first > 0 ? (uint16_t)first : is_tls ? HTTPS_PORT : HTTP_PORT;
    const char *ip = lw_object_string(pod, "/status/podIPs/0/ip", NULL);
    if (!ip)
        ip = lw_object_string(pod, "/status/podIP", "");
    int len = snprintf(out->host, sizeof(out->host), "%s", ip);
    bool is_found =
        len > 0 && (size_t)len < sizeof(out->host) && is_allowed(request->connect, out->host);
    if (!is_found)
        lw_connect_refuse_bad(request, "address not allowed");
    if (is_found && !read_port(id->port, fallback, &out->port)) {
        lw_connect_refuse_bad(request, "invalid pod request \"%.*s\"",
                              LW_STR_ARG(request->path.name));
        is_found = false;
    }
    lw_object_unref(pod);
    return is_found;
}

/* Returns the number of the service's port that |text| names by number or name; 0: none. */
static int64_t service_port(const lw_object *service, lw_str text)
{
    int64_t wanted = 0;
    bool is_number = lw_str_to_int64(text, &wanted);
    for (unsigned at = 0; at < PORTS_MAX; at++) {
        char pointer[POINTER_SIZE];
        (void)snprintf(pointer, sizeof(pointer), "/spec/ports/%u/port", at);
        int64_t port = lw_object_int(service, pointer, 0);
        if (port == 0)
            break;
        (void)snprintf(pointer, sizeof(pointer), "/spec/ports/%u/name", at);
        lw_str name = lw_str_of(lw_object_string(service, pointer, ""));
        if (is_number ? port == wanted : lw_str_equal(name, text))
            return port;
    }
    return 0;
}

/* True if a pod of the namespace has the address. */
static bool is_pod(const lw_connect_request *request, const char *host)
{
    lw_cache_resource *pods = lw_api_resource(request->connect->api, &lw_kind_pods);
    const lw_cache_filter filter = { .ns = request->path.ns };
    lw_cache_list list = { 0 };
    bool is_found = false;
    if (lw_cache_list_now(pods, &filter, LW_STR(""), 0, &list, NULL) < 0)
        return false;
    for (size_t i = 0; i < list.count && !is_found; i++) {
        lw_str first = lw_str_of(lw_object_string(list.objects[i], "/status/podIP", ""));
        lw_str second = lw_str_of(lw_object_string(list.objects[i], "/status/podIPs/1/ip", ""));
        is_found = lw_str_equal(first, lw_str_of(host)) || lw_str_equal(second, lw_str_of(host));
    }
    lw_cache_list_done(&list);
    return is_found;
}

static bool find_service(const lw_connect_request *request, const lw_connect_id *id,
                         lw_service_address *out)
{
    static const char no_endpoints[] = "no endpoints available for service ";
    const lw_connect *connect = request->connect;
    lw_error err = LW_ERROR_INIT;
    int64_t number;
    lw_object *service = lw_connect_get_ref(request, &lw_kind_services, request->path.ns, id->name);
    if (!service)
        return false;
    int64_t port = service_port(service, id->port);
    lw_object_unref(service);
    if (port == 0 && lw_str_to_int64(id->port, &number)) {
        char text[MESSAGE_MAX];
        (void)snprintf(text, sizeof(text), "no service port %lld found for service ",
                       (long long)number);
        refuse_unavailable(request, text, id->name);
        return false;
    }
    bool is_found = port > 0 &&
                    lw_service_address_find(lw_loop_data(request->stream->loop), request->path.ns,
                                            id->name, port, out, &err) == LW_OK &&
                    (connect->reaches_any_address ||
                     (is_allowed(connect, out->host) && is_pod(request, out->host)));
    if (!is_found)
        refuse_unavailable(request, no_endpoints, port > 0 ? id->name : request->path.name);
    return is_found;
}

/* |*is_kubelet|: the port is the kubelet's. */
static bool find_node(const lw_connect_request *request, const lw_connect_id *id,
                      lw_service_address *out, bool *is_kubelet)
{
    uint16_t port;
    if (!lw_kubelet_address_find(request, id->name, out))
        return false;
    if (!is_allowed(request->connect, out->host)) {
        lw_connect_refuse_bad(request, "address not allowed");
        return false;
    }
    if (!read_port(id->port, out->port, &port)) {
        lw_connect_refuse_bad(request, "invalid node request \"%.*s\"",
                              LW_STR_ARG(request->path.name));
        return false;
    }
    *is_kubelet = port == out->port;
    out->port = port;
    return true;
}

/* The links of a page are relative to a path that ends with a slash: redirects to it. */
static void redirect(const lw_connect_request *request)
{
    const lw_http_request *from = &request->stream->request;
    lw_buf location;
    lw_buf_init(&location, PATH_MAX_BYTES);
    lw_buf_printf(&location, "%.*s/", LW_STR_ARG(from->path));
    if (from->query.len > 0)
        lw_buf_printf(&location, "?%.*s", LW_STR_ARG(from->query));
    const lw_http_header header = { LW_STR("Location"), lw_buf_view(&location) };
    const lw_http_reply reply = { 301, &header, 1 };
    (void)lw_http_reply_whole(request->stream, &reply, lw_bytes_static(LW_STR("")));
    lw_buf_done(&location);
}

static bool find_target(const lw_connect_request *request, const lw_connect_id *id,
                        lw_service_address *address, bool *is_kubelet)
{
    switch (request->path.resource) {
    case LW_CONNECT_PODS: return find_pod(request, id, address);
    case LW_CONNECT_SERVICES: return find_service(request, id, address);
    case LW_CONNECT_NODES: return find_node(request, id, address, is_kubelet);
    }
    return false;
}

void lw_address_proxy(const lw_connect_request *request)
{
    static const char *const words[] = {
        [LW_CONNECT_PODS] = "pod", [LW_CONNECT_SERVICES] = "service", [LW_CONNECT_NODES] = "node"
    };
    const lw_http_request *from = &request->stream->request;
    lw_connect *connect = request->connect;
    lw_connect_id id;
    lw_service_address address;
    lw_buf path;
    bool is_kubelet = false;
    if (!lw_connect_id_split(&id, request->path.name)) {
        lw_connect_refuse_bad(request, "invalid %s request \"%.*s\"", words[request->path.resource],
                              LW_STR_ARG(request->path.name));
        return;
    }
    if (!find_target(request, &id, &address, &is_kubelet))
        return;
    if (request->path.rest.len == 0 &&
        (from->method == LW_HTTP_GET || from->method == LW_HTTP_HEAD)) {
        redirect(request);
        return;
    }
    bool is_tls = lw_str_equal(id.scheme, LW_STR("https"));
    lw_http_target target = { .host = address.host, .port = address.port };
    if ((is_kubelet || is_tls) &&
        !lw_connect_tls_find(request, is_kubelet ? LW_CONNECT_KUBELET : LW_CONNECT_ANYONE,
                             &target.tls))
        return;
    lw_buf_init(&path, PATH_MAX_BYTES);
    lw_buf_append_str(&path, request->path.rest.len > 0 ? request->path.rest : LW_STR("/"));
    if (from->query.len > 0)
        lw_buf_printf(&path, "?%.*s", LW_STR_ARG(from->query));
    if (path.st < 0)
        lw_connect_refuse_bad(request, "the path is too long to be passed on");
    else
        lw_connect_forward(request, &target, lw_buf_view(&path), true,
                           is_kubelet ? connect->kubelet_timeout_ns : 0);
    lw_buf_done(&path);
}
