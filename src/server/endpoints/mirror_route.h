/* SPDX-License-Identifier: Apache-2.0 */
/* mirror_route.h -- which requests a mirror answers itself, and how it passes the others on.
 *
 *     health, metrics, the page                            the mirror's own
 *     watch of a mirrored resource                         from memory
 *     list, without a limit or with a resourceVersion      from memory
 *     get with a resourceVersion                           from memory
 *     everything else                                      the upstream
 *
 * With the path /mirror/VIEW in front, objects are those of the view, which only the mirror has.
 *
 * A get without a resourceVersion, and a page of a list without one, ask for the newest state.  The
 * mirror would have to ask the upstream which that is; so the upstream answers at once.
 *
 * Who the upstream sees:
 *
 *     a client with a bearer token                         the client: its token is passed on
 *     a client of the plain port, or the administrator     the mirror
 *     any other authenticated client (certificate)         the mirror, which impersonates the
 * client an anonymous client                                  nobody */
#ifndef LW_SERVER_ENDPOINTS_MIRROR_ROUTE_H
#define LW_SERVER_ENDPOINTS_MIRROR_ROUTE_H

#include "server/core/server_internal.h"

/* Takes "/mirror/VIEW" from the path, if there is that view, and notes the view in the request. */
void lw_mirror_route_strip_view(lw_server_parts *parts, lw_http_stream *stream);

/* Returns true if the mirror answers the request itself. */
bool lw_mirror_route_is_local(lw_server_parts *parts, const lw_http_stream *stream);

/* Passes the request on; or refuses it because the mirror is too far behind. */
void lw_mirror_route_forward(lw_server_parts *parts, lw_http_stream *stream);

#endif
