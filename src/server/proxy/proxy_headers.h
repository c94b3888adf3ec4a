/* SPDX-License-Identifier: Apache-2.0 */
/* proxy_headers.h -- which headers of a request or a reply a proxy passes on. */
#ifndef LW_SERVER_PROXY_PROXY_HEADERS_H
#define LW_SERVER_PROXY_PROXY_HEADERS_H

#include "base/buf.h"
#include "server/proxy/reverse_proxy.h"

enum {
    /* The client's, those of lw_proxy_request, Connection, Upgrade and X-Forwarded-For. */
    LW_PROXY_HEADERS_MAX = LW_HTTP_HEADERS_MAX + LW_REVERSE_PROXY_HEADERS_MAX + 3,
    LW_PROXY_FORWARDED_MAX = 4096, /* bytes of X-Forwarded-For */
};

typedef struct lw_proxy_headers {
    size_t count;
    lw_http_header at[LW_PROXY_HEADERS_MAX];
} lw_proxy_headers;

/* Returns the protocol that |request| wants to be upgraded to; empty: none. */
lw_str lw_proxy_upgrade_of(const lw_http_request *request);

/* Collects the headers of the forwarded request: views of |request| and |wanted|, and of
 * |forwarded|, which has the value of X-Forwarded-For.  |upgrade| is not empty: as
 * lw_proxy_upgrade_of. */
void lw_proxy_headers_of_request(lw_proxy_headers *out, const lw_http_request *request,
                                 const lw_proxy_request *wanted, lw_str upgrade, lw_buf *forwarded);

/* Collects the headers of the reply to the client.  |is_upgraded|: Connection and Upgrade stay. */
void lw_proxy_headers_of_reply(lw_proxy_headers *out, const lw_http_header *headers, size_t count,
                               bool is_upgraded);

#endif
