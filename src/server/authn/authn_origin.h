/* SPDX-License-Identifier: Apache-2.0 */
/* authn_origin.h -- refuses requests that a browser sends for a page of another site.
 *
 * A browser on the user's machine can reach the server for any page that it shows: over plain HTTP
 * without credentials, over HTTPS with the user's client certificate.  The browser names the page's
 * origin (RFC 6454) in Origin, and its relation to the server in Sec-Fetch-Site.  Other clients
 * send neither.
 *
 *                 plain HTTP                                    HTTPS
 *     Host        must be an IP address or localhost            any
 *     Origin      must be the server's own, or allowed          the same, for writes and WebSockets
 *     Sec-Fetch-  must be same-origin or none, except for       any
 *       Site      links that open the server's page */
#ifndef LW_SERVER_AUTHN_AUTHN_ORIGIN_H
#define LW_SERVER_AUTHN_AUTHN_ORIGIN_H

#include "net/http.h"

/* Returns true if |request| may be served; otherwise sets |*why|.  |allowed| are the origins that
 * are allowed besides the server's own, separated by commas: "https://ui.example.com". */
bool lw_authn_origin_check(const lw_http_request *request, lw_str allowed, lw_str *why);

/* Returns true if |request| comes from the server's own page or, if it only reads, from the address
 * bar of a browser or from a client that is not a browser.  Cookies authenticate only such
 * requests: browsers send them for pages of other ports of the host, too. */
bool lw_authn_origin_is_own(const lw_http_request *request);

/* Returns true if |allowed| is a list of origins: scheme, host and port, without a path. */
bool lw_authn_origins_are_valid(lw_str allowed);

#endif
