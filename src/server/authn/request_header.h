/* SPDX-License-Identifier: Apache-2.0 */
/* request_header.h -- users whom an authenticating proxy names in headers.
 *
 * The headers are believed only from a client certificate that the proxy's CA has signed and that
 * has an allowed common name; from others they are ignored.  Immutable; any thread. */
#ifndef LW_SERVER_AUTHN_REQUEST_HEADER_H
#define LW_SERVER_AUTHN_REQUEST_HEADER_H

#include <listwatch/server.h>

#include "api/context/user.h"
#include "base/buf.h"
#include "net/http.h"

enum {
    LW_REQUEST_HEADER_NAMES_MAX = 16, /* of each list */
};

/* Names separated by commas in the options. */
typedef struct lw_request_header_names {
    lw_str at[LW_REQUEST_HEADER_NAMES_MAX]; /* as given */
    size_t count;
} lw_request_header_names;

/* Views of the options, which must outlive it. */
typedef struct lw_request_headers {
    lw_request_header_names allowed_names, users, uids, groups, extra_prefixes;
} lw_request_headers;

/* Reads the options; |*is_used| is false if there is no proxy.  LW_ERR_INVALID: they contradict
 * each other, or a list is too long. */
LW_MUST_CHECK lw_status lw_request_headers_read(lw_request_headers *headers,
                                                const lw_server_webhooks *options, bool *is_used,
                                                lw_error *err);

/* The user of a request, until lw_request_user_done. */
typedef struct lw_request_user {
    lw_user user;
    lw_str groups[LW_USER_GROUPS_MAX];
    lw_user_extra extras[LW_USER_EXTRAS_MAX];
    lw_str values[LW_USER_EXTRAS_MAX];
    lw_buf keys; /* of the extras, decoded */
} lw_request_user;

/* Sets |out| to the user that |request| names, in views of it.  False: the client is not the proxy,
 * or names nobody.  Call done in any case. */
bool lw_request_headers_find(const lw_request_headers *headers, const lw_http_request *request,
                             lw_request_user *out);
void lw_request_user_done(lw_request_user *user);

#endif
