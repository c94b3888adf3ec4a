/* SPDX-License-Identifier: Apache-2.0 */
/* sessions.c -- two tables of secrets: those of links, and those of sessions. */
#include "server/authn/sessions.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/random.h"
#include "base/str.h"
#include "base/sync.h"
#include "base/text/base64.h"
#include "server/authn/authn_origin.h"
#include "server/authn/token_table.h"

enum {
    SECRET_BYTES = 32,
    SECRET_LEN = LW_SESSION_SECRET_SIZE - 1, /* of its text */
    NAME_SIZE = 40,
};

/* A secret and the user whose it is. */
typedef struct ticket {
    const lw_user *user; /* one reference; NULL: the ticket is free */
    int64_t expires_ns;
    char secret[LW_SESSION_SECRET_SIZE];
} ticket;

struct lw_sessions {
    const lw_clock *clock;
    char name[NAME_SIZE]; /* of the cookie */
    lw_mutex mu;          /* guards links and open */
    ticket links[LW_SESSION_LINKS_MAX];
    ticket open[LW_SESSIONS_MAX];
};

lw_status lw_sessions_new(lw_sessions **out, const lw_clock *clock, lw_error *err)
{
    lw_sessions *sessions = lw_alloc_zero(1, sizeof(*sessions));
    if (!sessions)
        return lw_error_nomem(err);
    sessions->clock = clock;
    lw_mutex_init(&sessions->mu);
    lw_sessions_set_port(sessions, 0);
    *out = sessions;
    return LW_OK;
}

/* Frees the ticket and returns its user, with the reference. */
static const lw_user *ticket_clear(ticket *t)
{
    const lw_user *user = t->user;
    explicit_bzero(t->secret, sizeof(t->secret));
    t->user = NULL;
    return user;
}

void lw_sessions_free(lw_sessions *sessions)
{
    if (!sessions)
        return;
    for (size_t i = 0; i < LW_SESSION_LINKS_MAX; i++)
        lw_user_unref(ticket_clear(&sessions->links[i]));
    for (size_t i = 0; i < LW_SESSIONS_MAX; i++)
        lw_user_unref(ticket_clear(&sessions->open[i]));
    lw_mutex_done(&sessions->mu);
    lw_free(sessions);
}

/* Browsers accept a cookie with the prefix "__Host-" only from this host itself, over TLS, and for
 * all paths: no other site can set it. */
void lw_sessions_set_port(lw_sessions *sessions, unsigned port)
{
    (void)snprintf(sessions->name, sizeof(sessions->name), "__Host-listwatch-%u", port);
}

static lw_status make_secret(char secret[LW_SESSION_SECRET_SIZE])
{
    char bytes[SECRET_BYTES];
    lw_buf text;
    if (lw_entropy_fill(bytes, sizeof(bytes)) < 0)
        return LW_ERR_IO;
    lw_buf_init(&text, LW_SESSION_SECRET_SIZE);
    lw_base64url_encode(&text, lw_str_make(bytes, sizeof(bytes)));
    lw_status st = text.st;
    if (st == LW_OK) {
        memcpy(secret, text.data, SECRET_LEN);
        secret[SECRET_LEN] = '\0';
        explicit_bzero(text.data, text.len);
    }
    lw_buf_done(&text);
    explicit_bzero(bytes, sizeof(bytes));
    return st;
}

/* Puts the secret into a free ticket, or into that which expires first.  Returns the user who was
 * in it before, whom the caller unrefs without the lock. */
static const lw_user *put_locked(ticket *tickets, size_t count, const lw_user *user,
                                 int64_t expires_ns, const char *secret)
{
    ticket *place = &tickets[0];
    for (size_t i = 0; i < count && place->user; i++) {
        if (!tickets[i].user || tickets[i].expires_ns < place->expires_ns)
            place = &tickets[i];
    }
    const lw_user *before = ticket_clear(place);
    place->user = lw_user_ref(user);
    place->expires_ns = expires_ns;
    memcpy(place->secret, secret, LW_SESSION_SECRET_SIZE);
    return before;
}

/* Compares all of them, so that the time it takes says nothing about a guess. */
static ticket *find_locked(ticket *tickets, size_t count, lw_str secret, int64_t now_ns)
{
    ticket *found = NULL;
    for (size_t i = 0; i < count; i++) {
        ticket *t = &tickets[i];
        bool is_valid = t->user && t->expires_ns > now_ns;
        if (lw_token_equal(secret, lw_str_make(t->secret, SECRET_LEN)) && is_valid)
            found = t;
    }
    return found;
}

lw_status lw_sessions_make_link(lw_sessions *sessions, const lw_user *user,
                                char secret[LW_SESSION_SECRET_SIZE], lw_error *err)
{
    lw_status st = make_secret(secret);
    if (st == LW_ERR_NOMEM)
        return lw_error_nomem(err);
    if (st < 0)
        return lw_error_set(err, st, "cannot get random bytes from the system");
    int64_t expires_ns = lw_clock_now(sessions->clock) + LW_SESSION_LINK_S * LW_NS_PER_S;
    lw_mutex_lock(&sessions->mu);
    const lw_user *before =
        put_locked(sessions->links, LW_SESSION_LINKS_MAX, user, expires_ns, secret);
    lw_mutex_unlock(&sessions->mu);
    lw_user_unref(before);
    return LW_OK;
}

static void write_cookie(const lw_sessions *sessions, const char *value, int max_age_s,
                         char cookie[LW_SESSION_COOKIE_SIZE])
{
    (void)snprintf(cookie, LW_SESSION_COOKIE_SIZE,
                   "%s=%s; Path=/; Max-Age=%d; HttpOnly; Secure; SameSite=Strict", sessions->name,
                   value, max_age_s);
}

lw_status lw_sessions_begin(lw_sessions *sessions, lw_str secret,
                            char cookie[LW_SESSION_COOKIE_SIZE])
{
    char fresh[LW_SESSION_SECRET_SIZE];
    const lw_user *user = NULL, *before = NULL;
    lw_status st = make_secret(fresh);
    if (st < 0)
        return st;
    int64_t now_ns = lw_clock_now(sessions->clock);
    lw_mutex_lock(&sessions->mu);
    ticket *link = find_locked(sessions->links, LW_SESSION_LINKS_MAX, secret, now_ns);
    if (link) {
        user = ticket_clear(link);
        before = put_locked(sessions->open, LW_SESSIONS_MAX, user,
                            now_ns + LW_SESSION_S * LW_NS_PER_S, fresh);
    }
    lw_mutex_unlock(&sessions->mu);
    if (link)
        write_cookie(sessions, fresh, LW_SESSION_S, cookie);
    explicit_bzero(fresh, sizeof(fresh));
    lw_user_unref(user);
    lw_user_unref(before);
    return link ? LW_OK : LW_ERR_UNAUTHORIZED;
}

/* Finds our cookie in the value of a Cookie header (RFC 6265, section 4.2.1). */
static bool find_in(lw_str cookies, lw_str name, lw_str *value)
{
    while (cookies.len > 0) {
        lw_str one, found;
        (void)lw_str_cut(cookies, ';', &one, &cookies);
        if (lw_str_cut(lw_str_trim(one), '=', &found, value) && lw_str_equal(found, name))
            return true;
    }
    return false;
}

/* HTTP/2 clients may send several Cookie headers (RFC 9113, section 8.2.3). */
static bool find_cookie(const lw_sessions *sessions, const lw_http_request *request, lw_str *value)
{
    lw_str name = lw_str_of(sessions->name);
    if (!request->peer->is_tls || !lw_authn_origin_is_own(request))
        return false;
    for (size_t i = 0; i < request->header_count; i++) {
        const lw_http_header *header = &request->headers[i];
        if (lw_str_equal(header->name, LW_STR("cookie")) && find_in(header->value, name, value))
            return true;
    }
    return false;
}

lw_status lw_sessions_find(lw_sessions *sessions, const lw_http_request *request,
                           const lw_user **user)
{
    lw_str secret;
    if (!find_cookie(sessions, request, &secret))
        return LW_ERR_UNAUTHORIZED;
    int64_t now_ns = lw_clock_now(sessions->clock);
    lw_mutex_lock(&sessions->mu);
    const ticket *found = find_locked(sessions->open, LW_SESSIONS_MAX, secret, now_ns);
    if (found)
        *user = lw_user_ref(found->user);
    lw_mutex_unlock(&sessions->mu);
    return found ? LW_OK : LW_ERR_UNAUTHORIZED;
}

void lw_sessions_end(lw_sessions *sessions, const lw_http_request *request,
                     char cookie[LW_SESSION_COOKIE_SIZE])
{
    const lw_user *user = NULL;
    lw_str secret;
    write_cookie(sessions, "", 0, cookie);
    if (!find_cookie(sessions, request, &secret))
        return;
    int64_t now_ns = lw_clock_now(sessions->clock);
    lw_mutex_lock(&sessions->mu);
    ticket *found = find_locked(sessions->open, LW_SESSIONS_MAX, secret, now_ns);
    if (found)
        user = ticket_clear(found);
    lw_mutex_unlock(&sessions->mu);
    lw_user_unref(user);
}
