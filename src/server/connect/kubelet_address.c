/* SPDX-License-Identifier: Apache-2.0 */
/* kubelet_address.c -- the address of a node's kubelet, from the status of the node. */
#include <stdio.h>

#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "server/connect/connect_internal.h"

enum {
    ADDRESSES_MAX = 64, /* of a node; further ones are not looked at */
    POINTER_SIZE = 64,
    MESSAGE_MAX = 8192,
};

/* Returns member |name| of the address number |at|; NULL: there is none. */
static const char *member(const lw_object *node, unsigned at, const char *name)
{
    char pointer[POINTER_SIZE];
    (void)snprintf(pointer, sizeof(pointer), "/status/addresses/%u/%s", at, name);
    return lw_object_string(node, pointer, NULL);
}

static const char *find_address(const lw_connect *connect, const lw_object *node)
{
    for (size_t i = 0; i < connect->type_count; i++) {
        const char *type;
        for (unsigned at = 0; at < ADDRESSES_MAX && (type = member(node, at, "type")); at++) {
            const char *address = member(node, at, "address");
            if (address && *address && lw_str_equal(lw_str_of(type), connect->types[i]))
                return address;
        }
    }
    return NULL;
}

static void refuse(const lw_connect_request *request, const lw_object *node)
{
    lw_api_status status;
    lw_buf message;
    const char *type;
    lw_buf_init(&message, MESSAGE_MAX);
    lw_buf_append_text(&message, "no preferred addresses found; known addresses: [");
    for (unsigned at = 0; at < ADDRESSES_MAX && (type = member(node, at, "type")); at++) {
        const char *address = member(node, at, "address");
        lw_buf_printf(&message, "%s{%s %s}", at > 0 ? " " : "", type, address ? address : "");
    }
    lw_buf_append_char(&message, ']');
    lw_api_status_internal(&status, lw_buf_view(&message));
    lw_buf_done(&message);
    lw_connect_refuse(request, &status);
}

/* A hollow node only pretends: at its address is nobody, or somebody else.  True: it is one, and
 * the request has been answered. */
static bool refuse_hollow(const lw_connect_request *request, const lw_object *node)
{
    lw_api_status status;
    lw_buf message;
    if (!lw_object_string(node, "/metadata/annotations/listwatch.io~1hollow", NULL))
        return false;
    lw_buf_init(&message, MESSAGE_MAX);
    lw_buf_printf(&message, "%s is a hollow node, which runs no containers and has no kubelet",
                  lw_object_name(node));
    lw_api_status_unavailable(&status, lw_buf_view(&message));
    lw_buf_done(&message);
    lw_connect_refuse(request, &status);
    return true;
}

bool lw_kubelet_address_find(const lw_connect_request *request, lw_str name,
                             lw_service_address *out)
{
    lw_object *node = lw_connect_get_ref(request, &lw_kind_nodes, LW_STR(""), name);
    if (!node || refuse_hollow(request, node)) {
        lw_object_unref(node);
        return false;
    }
    const char *address = find_address(request->connect, node);
    int64_t port = lw_object_int(node, "/status/daemonEndpoints/kubeletEndpoint/Port", 0);
    if (port <= 0 || port > UINT16_MAX)
        port = LW_CONNECT_KUBELET_PORT;
    int len = address ? snprintf(out->host, sizeof(out->host), "%s", address) : -1;
    bool is_found = len > 0 && (size_t)len < sizeof(out->host);
    out->port = (uint16_t)port;
    if (!is_found)
        refuse(request, node);
    lw_object_unref(node);
    return is_found;
}
