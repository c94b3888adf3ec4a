/* SPDX-License-Identifier: Apache-2.0 */
/* proxy_credentials.h -- what a forwarded request says about its user: nothing that the client has
 * sent as credentials, and to API servers behind this one the identity that was authenticated. */
#ifndef LW_SERVER_PROXY_PROXY_CREDENTIALS_H
#define LW_SERVER_PROXY_PROXY_CREDENTIALS_H

#include "api/context/user.h"
#include "base/buf.h"
#include "net/http.h"

/* True for headers (in lower case) with which a client authenticates, impersonates or could pose as
 * the proxy: Authorization, Cookie, Impersonate-*, X-Remote-*.  For lw_proxy_request.drops. */
bool lw_proxy_drops_credentials(lw_str name);

enum {
    LW_PROXY_IDENTITY_MAX = 48 * 1024, /* bytes of names and values */
};

/* Appends headers to |headers|, which has room for |max|: X-Remote-User, -Uid, -Group and -Extra-*.
 * Their texts are in |text|, which has the limit LW_PROXY_IDENTITY_MAX and must not be changed
 * meanwhile.  Returns how many; 0: they do not fit, or there is no memory. */
size_t lw_proxy_identify(const lw_user *user, lw_http_header *headers, size_t max, lw_buf *text);

/* Sets |header| to the protocols that a WebSocket client offers, without its bearer token.  False:
 * it sends none in them. */
bool lw_proxy_clean_protocols(const lw_http_request *request, lw_http_header *header, lw_buf *text);

#endif
