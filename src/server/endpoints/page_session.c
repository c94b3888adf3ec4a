/* SPDX-License-Identifier: Apache-2.0 */
/* page_session.c -- signs users in to the page and out of it. */
#include "server/endpoints/page_session.h"

#include "base/str.h"
#include "server/authn/authn_origin.h"
#include "server/authn/sessions.h"
#include "server/core/reply.h"

bool lw_page_session_is_path(lw_str path)
{
    return lw_str_equal(path, LW_STR("/ui/session"));
}

static void reply_with_cookie(lw_http_stream *stream, int status, const char *cookie)
{
    const lw_http_header headers[] = {
        { LW_STR("Cache-Control"), LW_STR("no-store") },
        { LW_STR("Content-Type"), LW_STR("application/json") },
        { LW_STR("Set-Cookie"), lw_str_of(cookie) },
        { LW_STR("X-Content-Type-Options"), LW_STR("nosniff") },
    };
    const lw_http_reply head = { status, headers, sizeof(headers) / sizeof(headers[0]) };
    lw_str body = LW_STR("{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"metadata\":{},"
                         "\"status\":\"Success\"}\n");
    (void)lw_http_reply_whole(stream, &head, lw_bytes_static(body)); /* the client may be gone */
}

static void sign_in(lw_server_parts *parts, lw_http_stream *stream)
{
    char cookie[LW_SESSION_COOKIE_SIZE];
    lw_status st = lw_sessions_begin(parts->sessions, stream->request.body, cookie);
    if (st == LW_OK)
        reply_with_cookie(stream, 201, cookie);
    else if (st == LW_ERR_UNAUTHORIZED)
        lw_api_refuse(parts->api, stream, 401,
                      LW_STR("The link is not valid: it was used before, or it is older than 5 "
                             "minutes. Send SIGUSR1 to the server: it prints a new one."));
    else
        lw_api_refuse(parts->api, stream, 500,
                      LW_STR("no memory or no random bytes for a session"));
}

static void sign_out(lw_server_parts *parts, lw_http_stream *stream)
{
    char cookie[LW_SESSION_COOKIE_SIZE];
    lw_sessions_end(parts->sessions, &stream->request, cookie);
    reply_with_cookie(stream, 200, cookie);
}

static void tell(lw_server_parts *parts, lw_http_stream *stream)
{
    const lw_user *user = NULL;
    bool is_signed_in = lw_sessions_find(parts->sessions, &stream->request, &user) == LW_OK;
    lw_user_unref(user);
    lw_reply_json(stream, 200,
                  is_signed_in ? "{\"isSignedIn\":true}\n" : "{\"isSignedIn\":false}\n");
}

void lw_page_session_serve(lw_server_parts *parts, lw_http_stream *stream)
{
    const lw_http_request *request = &stream->request;
    if (request->method == LW_HTTP_GET)
        tell(parts, stream);
    else if (request->method != LW_HTTP_POST && request->method != LW_HTTP_DELETE)
        lw_reply_text(stream, 405, "Method Not Allowed\n");
    else if (!request->peer->is_tls)
        lw_api_refuse(parts->api, stream, 400, LW_STR("plain HTTP needs no sign-in"));
    else if (!lw_authn_origin_is_own(request))
        lw_api_refuse(parts->api, stream, 403, LW_STR("only the server's own page may sign in"));
    else if (request->method == LW_HTTP_POST)
        sign_in(parts, stream);
    else
        sign_out(parts, stream);
}
