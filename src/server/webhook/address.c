/* SPDX-License-Identifier: Apache-2.0 */
/* address.c -- splits the URL of a server. */
#include "server/webhook/address.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

enum {
    HTTPS_PORT = 443,
    HTTP_PORT = 80,
};

lw_status lw_webhook_address_read(lw_webhook_address *out, const char *url, lw_error *err)
{
    lw_str all = lw_str_of(url), host, port;
    bool is_tls = lw_str_starts_with(all, LW_STR("https://"));
    lw_str rest = lw_str_skip(all, is_tls ? strlen("https://") : strlen("http://"));
    const char *slash = memchr(rest.ptr, '/', rest.len);
    size_t len = slash ? (size_t)(slash - rest.ptr) : rest.len;
    lw_str authority = lw_str_make(rest.ptr, len), path = lw_str_skip(rest, len);
    uint64_t number = is_tls ? HTTPS_PORT : HTTP_PORT;
    *out = (lw_webhook_address){ .is_tls = is_tls };
    if (lw_str_starts_with(authority, LW_STR("["))) {
        (void)lw_str_cut(lw_str_skip(authority, 1), ']', &host, &port);
        port = lw_str_skip(port, 1);
    } else {
        (void)lw_str_cut(authority, ':', &host, &port);
    }
    if (port.len > 0 && (!lw_str_to_uint64(port, &number) || number == 0 || number > UINT16_MAX))
        return lw_error_set(err, LW_ERR_INVALID, "the URL %s has an invalid port", url);
    out->port = (uint16_t)number;
    out->url = lw_str_dup(all);
    out->host = lw_str_dup(host);
    out->path = lw_str_dup(path.len > 0 ? path : LW_STR("/"));
    return out->url && out->host && out->path ? LW_OK : lw_error_nomem(err);
}

void lw_webhook_address_done(lw_webhook_address *address)
{
    lw_free(address->url);
    lw_free(address->host);
    lw_free(address->path);
    *address = (lw_webhook_address){ .url = NULL };
}
