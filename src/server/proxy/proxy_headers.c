/* SPDX-License-Identifier: Apache-2.0 */
/* proxy_headers.c -- which headers of a request or a reply a proxy passes on. */
#include "server/proxy/proxy_headers.h"

#include <strings.h>

#include "base/str.h"
#include "net/h1/h1_head.h"

static bool is_one_of(lw_str name, const lw_str *names, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (lw_http_name_is(name, names[i]))
            return true;
    }
    return false;
}

/* True if |name| belongs to one connection (RFC 9110, 7.6.1), also because the header Connection
 * lists it. */
static bool is_hop_by_hop(lw_str name, const lw_http_header *headers, size_t count)
{
    static const lw_str always[] = {
        LW_STR_INIT("connection"),
        LW_STR_INIT("keep-alive"),
        LW_STR_INIT("proxy-connection"),
        LW_STR_INIT("proxy-authenticate"),
        LW_STR_INIT("proxy-authorization"),
        LW_STR_INIT("te"),
        LW_STR_INIT("trailer"),
        LW_STR_INIT("transfer-encoding"),
        LW_STR_INIT("upgrade"),
    };
    if (is_one_of(name, always, sizeof(always) / sizeof(always[0])))
        return true;
    for (size_t i = 0; i < count; i++) {
        lw_str value = headers[i].value;
        if (!lw_http_name_is(headers[i].name, LW_STR("connection")))
            continue;
        while (value.len > 0) {
            lw_str item;
            (void)lw_str_cut(value, ',', &item, &value);
            item = lw_str_trim(item);
            if (item.len == name.len && strncasecmp(item.ptr, name.ptr, item.len) == 0)
                return true;
        }
    }
    return false;
}

static void add(lw_proxy_headers *out, lw_str name, lw_str value)
{
    if (out->count < LW_PROXY_HEADERS_MAX)
        out->at[out->count++] = (lw_http_header){ name, value };
}

lw_str lw_proxy_upgrade_of(const lw_http_request *request)
{
    lw_str protocol = { NULL, 0 };
    bool is_wanted = false;
    for (size_t i = 0; i < request->header_count; i++) {
        const lw_http_header *header = &request->headers[i];
        if (lw_http_name_is(header->name, LW_STR("connection")))
            is_wanted = is_wanted || lw_h1_list_has(header->value, LW_STR("upgrade"));
        else if (lw_http_name_is(header->name, LW_STR("upgrade")))
            protocol = header->value;
    }
    return is_wanted && request->version_major == 1 ? protocol : lw_str_make(NULL, 0);
}

/* The address without its port. */
static lw_str host_of(lw_str address)
{
    size_t len = address.len;
    while (len > 0 && address.ptr[len - 1] != ':')
        len--;
    return len > 0 ? lw_str_make(address.ptr, len - 1) : address;
}

static bool is_set(const lw_proxy_request *wanted, lw_str name)
{
    for (size_t i = 0; i < wanted->header_count; i++) {
        if (lw_http_name_is(wanted->headers[i].name, name))
            return true;
    }
    return false;
}

void lw_proxy_headers_of_request(lw_proxy_headers *out, const lw_http_request *request,
                                 const lw_proxy_request *wanted, lw_str upgrade, lw_buf *forwarded)
{
    /* Set by the HTTP client; the body is already here, so nothing is expected. */
    static const lw_str own[] = { LW_STR_INIT("host"), LW_STR_INIT("content-length"),
                                  LW_STR_INIT("expect"), LW_STR_INIT("x-forwarded-for") };
    out->count = 0;
    for (size_t i = 0; i < request->header_count; i++) {
        const lw_http_header *header = &request->headers[i];
        if (lw_str_equal(header->name, LW_STR("x-forwarded-for"))) {
            lw_buf_append_str(forwarded, header->value);
            lw_buf_append_text(forwarded, ", ");
        }
        if (!is_one_of(header->name, own, sizeof(own) / sizeof(own[0])) &&
            !is_hop_by_hop(header->name, request->headers, request->header_count) &&
            !is_set(wanted, header->name) && !(wanted->drops && wanted->drops(header->name)))
            add(out, header->name, header->value);
    }
    for (size_t i = 0; i < wanted->header_count && i < LW_REVERSE_PROXY_HEADERS_MAX; i++)
        add(out, wanted->headers[i].name, wanted->headers[i].value);
    if (upgrade.len > 0) {
        add(out, LW_STR("connection"), LW_STR("Upgrade"));
        add(out, LW_STR("upgrade"), upgrade);
    }
    if (request->peer && request->peer->address.len > 0) {
        lw_buf_append_str(forwarded, host_of(request->peer->address));
        if (forwarded->st == LW_OK)
            add(out, LW_STR("x-forwarded-for"), lw_buf_view(forwarded));
    }
}

void lw_proxy_headers_of_reply(lw_proxy_headers *out, const lw_http_header *headers, size_t count,
                               bool is_upgraded)
{
    /* The server's protocol adds its own. */
    static const lw_str own[] = { LW_STR_INIT("content-length"), LW_STR_INIT("date") };
    out->count = 0;
    for (size_t i = 0; i < count; i++) {
        lw_str name = headers[i].name;
        bool is_kept = is_upgraded && (lw_http_name_is(name, LW_STR("connection")) ||
                                       lw_http_name_is(name, LW_STR("upgrade")));
        if (is_kept || (!is_one_of(name, own, sizeof(own) / sizeof(own[0])) &&
                        !is_hop_by_hop(name, headers, count)))
            add(out, name, headers[i].value);
    }
}
