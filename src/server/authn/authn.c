/* SPDX-License-Identifier: Apache-2.0 */
/* authn.c -- authenticates requests. */
#include "server/authn/authn.h"

#include <strings.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "server/authn/authn_origin.h"
#include "server/authn/authn_tokens.h"

static const lw_str admin_groups[] = { LW_STR_INIT(LW_GROUP_MASTERS),
                                       LW_STR_INIT(LW_GROUP_AUTHENTICATED) };
static const lw_user admin = { .name = LW_STR_INIT(LW_USER_ADMIN),
                               .groups = admin_groups,
                               .group_count = 2 };

struct lw_authn {
    lw_authn_users users;
    char *admin_token;               /* NULL: none */
    char *allowed_origins;           /* NULL: none */
    lw_authn_tokens *tokens;         /* NULL: no file */
    lw_account_authn *accounts;      /* NULL: none */
    const lw_audiences *audiences;   /* NULL: none */
    const lw_request_headers *proxy; /* NULL: none */
    lw_sessions *sessions;           /* NULL: none */
    lw_authn_finder find_bootstrap;  /* NULL: bootstrap tokens are not accepted */
    void *bootstrap_arg;
    lw_authn_issuers issuers;
};

lw_status lw_authn_new(lw_authn **out, const lw_authn_options *options, lw_error *err)
{
    lw_authn *auth = lw_alloc_zero(1, sizeof(*auth));
    if (!auth)
        return lw_error_nomem(err);
    lw_authn_users_init(&auth->users);
    auth->accounts = options->accounts;
    auth->audiences = options->audiences;
    auth->sessions = options->sessions;
    auth->proxy = options->proxy;
    lw_status st = LW_OK;
    if (options->admin_token.len > 0) {
        auth->admin_token = lw_str_dup(options->admin_token);
        if (!auth->admin_token)
            st = lw_error_nomem(err);
    }
    if (st == LW_OK && options->allowed_origins.len > 0) {
        auth->allowed_origins = lw_str_dup(options->allowed_origins);
        if (!auth->allowed_origins)
            st = lw_error_nomem(err);
    }
    if (st == LW_OK && options->token_file)
        st = lw_authn_tokens_open(&auth->tokens, options->token_file, options->clock,
                                  options->logger, err);
    if (st < 0) {
        lw_authn_free(auth);
        return st;
    }
    *out = auth;
    return LW_OK;
}

void lw_authn_free(lw_authn *auth)
{
    if (!auth)
        return;
    lw_authn_tokens_close(auth->tokens);
    lw_free(auth->admin_token);
    lw_free(auth->allowed_origins);
    lw_authn_users_done(&auth->users);
    lw_free(auth);
}

/* Finds the token of the header, however long it is. */
static bool bearer_of_header(const lw_http_request *request, lw_str *token)
{
    static const size_t scheme_len = sizeof("Bearer ") - 1;
    lw_str value;
    if (!lw_http_request_header(request, "authorization", &value))
        return false;
    value = lw_str_trim(value);
    if (value.len <= scheme_len || strncasecmp(value.ptr, "Bearer ", scheme_len) != 0)
        return false;
    *token = lw_str_trim(lw_str_skip(value, scheme_len));
    return token->len > 0;
}

/* Finds the encoded token among the subprotocols that a WebSocket offers. */
static bool bearer_of_websocket(const lw_http_request *request, lw_str *encoded)
{
    static const lw_str prefix = LW_STR_INIT("base64url.bearer.authorization.k8s.io.");
    lw_str offered, one;
    if (!request->is_websocket ||
        !lw_http_request_header(request, "sec-websocket-protocol", &offered))
        return false;
    while (offered.len > 0) {
        (void)lw_str_cut(offered, ',', &one, &offered);
        one = lw_str_trim(one);
        if (lw_str_starts_with(one, prefix)) {
            *encoded = lw_str_skip(one, prefix.len);
            return true;
        }
    }
    return false;
}

/* Finds the user of a token that names no audience. */
static lw_status find_static_token(lw_authn *auth, lw_str token, const lw_user **user)
{
    if (auth->admin_token && lw_token_equal(token, lw_str_of(auth->admin_token))) {
        *user = &admin;
        return LW_OK;
    }
    lw_status st = LW_ERR_UNAUTHORIZED;
    if (auth->tokens)
        st = lw_authn_tokens_find(auth->tokens, token, &auth->users, user);
    if (st == LW_ERR_UNAUTHORIZED && auth->find_bootstrap)
        st = auth->find_bootstrap(auth->bootstrap_arg, token, &auth->users, user);
    return st;
}

void lw_authn_set_bootstrap_finder(lw_authn *auth, lw_authn_finder find, void *arg)
{
    auth->find_bootstrap = find;
    auth->bootstrap_arg = arg;
}

void lw_authn_set_issuers(lw_authn *auth, const lw_authn_issuers *issuers)
{
    auth->issuers = *issuers;
}

/* Returns true if this server is among |wanted|; |*matched| is the intersection. */
static bool is_for_us(const lw_authn *auth, const lw_audiences *wanted, lw_audiences *matched)
{
    static const lw_audiences none = { .count = 0 };
    const lw_audiences *ours = auth->audiences ? auth->audiences : &none;
    if (!wanted)
        wanted = ours;
    lw_audiences_intersect(matched, wanted, ours);
    return matched->count > 0 || wanted->count == 0;
}

lw_status lw_authn_find_token(lw_authn *auth, lw_str token, const lw_audiences *wanted,
                              const lw_user **user, lw_audiences *matched)
{
    lw_audiences scratch;
    lw_status st = find_static_token(auth, token, user);
    if (st == LW_ERR_UNAUTHORIZED && auth->issuers.recall)
        st = auth->issuers.recall(auth->issuers.arg, token, user);
    if (st == LW_ERR_UNAUTHORIZED && auth->accounts) {
        st = lw_account_authn_find(auth->accounts, token, wanted, user, matched);
        if (st != LW_ERR_UNAUTHORIZED)
            return st;
    }
    if (st == LW_ERR_UNAUTHORIZED && auth->issuers.find)
        st = auth->issuers.find(auth->issuers.arg, token, user);
    if (st == LW_OK && (wanted || matched) &&
        !is_for_us(auth, wanted, matched ? matched : &scratch)) {
        lw_user_unref(*user);
        *user = NULL;
        return LW_ERR_UNAUTHORIZED;
    }
    return st;
}

bool lw_authn_has_user(lw_authn *auth, lw_str name)
{
    return lw_str_equal(name, admin.name) ||
           (auth->accounts && lw_str_starts_with(name, LW_STR(LW_ACCOUNT_USER_PREFIX))) ||
           (auth->tokens && lw_authn_tokens_has_user(auth->tokens, name));
}

bool lw_authn_bearer(const lw_http_request *request, lw_buf *scratch, lw_str *token)
{
    lw_str encoded;
    if (bearer_of_header(request, token))
        return token->len <= LW_AUTHN_TOKEN_MAX;
    if (!bearer_of_websocket(request, &encoded) || !lw_base64url_decode(scratch, encoded) ||
        scratch->st < 0)
        return false;
    *token = lw_buf_view(scratch);
    return token->len > 0;
}

static lw_status find_bearer(lw_authn *auth, const lw_http_request *request, const lw_user **user)
{
    lw_str token;
    lw_buf scratch;
    lw_buf_init(&scratch, LW_AUTHN_TOKEN_MAX);
    lw_status st = lw_authn_bearer(request, &scratch, &token)
                       ? lw_authn_find_token(auth, token, NULL, user, NULL)
                       : LW_ERR_UNAUTHORIZED;
    lw_buf_done(&scratch);
    return st;
}

/* The organizations of a client certificate are the user's groups. */
static lw_status keep_peer(lw_authn *auth, const lw_peer *peer, const lw_user **user)
{
    const lw_user found = { .name = peer->common_name,
                            .groups = peer->organizations,
                            .group_count = peer->organization_count };
    return lw_authn_users_keep(&auth->users, &found, user);
}

/* The user that an authenticating proxy names. */
static lw_status find_of_proxy(lw_authn *auth, const lw_http_request *request, const lw_user **user)
{
    lw_request_user found;
    lw_status st = lw_request_headers_find(auth->proxy, request, &found)
                       ? lw_authn_users_keep(&auth->users, &found.user, user)
                       : LW_ERR_UNAUTHORIZED;
    lw_request_user_done(&found);
    return st;
}

int lw_authn_identify(lw_authn *auth, const lw_http_request *request, const lw_user **user,
                      lw_str *why)
{
    const lw_peer *peer = request->peer;
    lw_status st = LW_ERR_UNAUTHORIZED;
    if (!lw_authn_origin_check(request, lw_str_of(auth->allowed_origins), why))
        return 403;
    if (!peer->is_tls) {
        *user = &admin;
        return 0;
    }
    if (auth->proxy)
        st = find_of_proxy(auth, request, user);
    if (st == LW_ERR_UNAUTHORIZED && peer->is_verified && peer->common_name.len > 0)
        st = keep_peer(auth, peer, user);
    if (st == LW_ERR_UNAUTHORIZED)
        st = find_bearer(auth, request, user);
    if (st == LW_ERR_UNAUTHORIZED && auth->sessions && !lw_authn_has_token(request))
        st = lw_sessions_find(auth->sessions, request, user);
    if (st == LW_OK)
        return 0;
    *why = st == LW_ERR_UNAUTHORIZED
               ? LW_STR("Unauthorized")
               : LW_STR("the user cannot be found at the moment: too many users, out of "
                        "memory, or the watch cache is being loaded");
    return st == LW_ERR_UNAUTHORIZED ? 401 : 503;
}

const lw_user *lw_authn_admin(void)
{
    return &admin;
}

bool lw_authn_has_token(const lw_http_request *request)
{
    lw_str text;
    return bearer_of_header(request, &text) || bearer_of_websocket(request, &text);
}

lw_status lw_authn_keep_authenticated(lw_authn *auth, const lw_user *user, const lw_user **kept)
{
    return lw_authn_users_keep(&auth->users, user, kept);
}

lw_status lw_authn_keep(lw_authn *auth, const lw_user *user, const lw_user **kept)
{
    return lw_authn_users_keep_exactly(&auth->users, user, kept);
}
