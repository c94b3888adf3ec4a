/* SPDX-License-Identifier: Apache-2.0 */
/* page_session.h -- /ui/session, where the page signs in and out:
 *
 *     POST     the body is the secret of a link (see sessions.h) ─▶ 201 with a cookie, or 401
 *     GET      {"isSignedIn":true} if the request has a session
 *     DELETE   ends the session
 *
 * It is for the server's own page only, over HTTPS: plain HTTP needs no sign-in. */
#ifndef LW_SERVER_ENDPOINTS_PAGE_SESSION_H
#define LW_SERVER_ENDPOINTS_PAGE_SESSION_H

#include "server/core/server_internal.h"

bool lw_page_session_is_path(lw_str path);

void lw_page_session_serve(lw_server_parts *parts, lw_http_stream *stream);

#endif
