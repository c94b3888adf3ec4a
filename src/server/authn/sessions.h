/* SPDX-License-Identifier: Apache-2.0 */
/* sessions.h -- how browsers sign in to the page: links that work once, and sessions.
 *
 *     lw_sessions_make_link ──secret in the link──▶ lw_sessions_begin ──secret in a cookie──▶
 *     lw_sessions_find, for each request, until lw_sessions_end or the session expires
 *
 * Both are in memory only: a restart of the server ends all of them.  There is a fixed number of
 * each; a new one takes the place of the one that would expire first.  Any thread. */
#ifndef LW_SERVER_AUTHN_SESSIONS_H
#define LW_SERVER_AUTHN_SESSIONS_H

#include <listwatch/sys/clock.h>

#include "api/context/user.h"
#include "net/http.h"

enum {
    LW_SESSION_LINKS_MAX = 8,
    LW_SESSIONS_MAX = 64,
    LW_SESSION_LINK_S = 5 * 60, /* how long a link is valid */
    LW_SESSION_S = 12 * 3600,   /* how long a session lasts */
    LW_SESSION_SECRET_SIZE = 44,
    LW_SESSION_COOKIE_SIZE = 160,
};

typedef struct lw_sessions lw_sessions;

/* LW_ERR_NOMEM. */
lw_status lw_sessions_new(lw_sessions **out, const lw_clock *clock, lw_error *err);
void lw_sessions_free(lw_sessions *sessions);

/* Makes |port| part of the name of the cookie: browsers send cookies to all ports of a host, and
 * several servers may run on one.  Before the first request. */
void lw_sessions_set_port(lw_sessions *sessions, unsigned port);

/* Makes the secret of a link that signs in |user|.  LW_ERR_IO: the system has no random bytes. */
lw_status lw_sessions_make_link(lw_sessions *sessions, const lw_user *user,
                                char secret[LW_SESSION_SECRET_SIZE], lw_error *err);

/* Begins a session of the user of the link with this |secret|, which is invalid from now on.
 * Writes the value of the Set-Cookie header.  LW_ERR_UNAUTHORIZED: there is no such link, it was
 * used, or it has expired; LW_ERR_IO. */
lw_status lw_sessions_begin(lw_sessions *sessions, lw_str secret,
                            char cookie[LW_SESSION_COOKIE_SIZE]);

/* Finds the user of the session of |request|, whom the caller unrefs.  A cookie counts only over
 * TLS, and only if the request comes from the server's own page or from the address bar of the
 * browser.  LW_ERR_UNAUTHORIZED. */
lw_status lw_sessions_find(lw_sessions *sessions, const lw_http_request *request,
                           const lw_user **user);

/* Ends the session of |request|, if it has one (see lw_sessions_find).  Writes the value of the
 * Set-Cookie header that deletes the cookie. */
void lw_sessions_end(lw_sessions *sessions, const lw_http_request *request,
                     char cookie[LW_SESSION_COOKIE_SIZE]);

#endif
