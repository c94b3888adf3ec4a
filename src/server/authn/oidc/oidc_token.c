/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_token.c -- verifies tokens of other issuers (OpenID Connect Core 1.0, section 3.1.3.7). */
#include "server/authn/oidc/oidc_token.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "server/authn/oidc/oidc_source.h"
#include "server/authn/oidc/oidc_user.h"
#include "json/fields.h"

enum {
    SHOWN = 128,
};

lw_status lw_oidc_times_check(const lw_oidc_times *times, int64_t wall_ns, lw_error *err)
{
    int64_t now_s = wall_ns / LW_NS_PER_S;
    bool is_within = now_s == times->expires_s && wall_ns % LW_NS_PER_S > 0;
    if (now_s > times->expires_s || is_within)
        return lw_error_set(err, LW_ERR_EXPIRED, "it has expired");
    if (times->not_before_s != 0 && now_s + LW_OIDC_LEEWAY_S < times->not_before_s)
        return lw_error_set(err, LW_ERR_INVALID, "it is not valid yet");
    return LW_OK;
}

/* Google calls itself by two names (OpenID Connect Core 1.0, section 15.6.2). */
static lw_str issuer_of(const lw_jwt *jwt)
{
    lw_str issuer = lw_fields_text(lw_tree_root(jwt->claims), "iss");
    return lw_str_equal(issuer, LW_STR("accounts.google.com"))
               ? LW_STR("https://accounts.google.com")
               : issuer;
}

static const lw_oidc_issuer *find_issuer(const lw_oidc_config *config, const lw_jwt *jwt)
{
    lw_str url = issuer_of(jwt);
    for (size_t i = 0; i < config->issuers.count; i++) {
        const lw_oidc_issuer *issuer = lw_oidc_issuer_at(config, i);
        if (lw_str_equal(issuer->url, url))
            return issuer;
    }
    return NULL;
}

static lw_status check_signature(const lw_oidc_config *config, const lw_oidc_issuer *issuer,
                                 const lw_jwt *jwt, lw_error *err)
{
    lw_str algorithm = lw_jwt_algorithm(jwt), id = lw_jwt_key_id(jwt);
    if ((lw_oidc_algorithm(algorithm) & config->algorithms) == 0)
        return lw_error_set(err, LW_ERR_INVALID, "its algorithm %.*s is not allowed",
                            (int)(algorithm.len < SHOWN ? algorithm.len : SHOWN), algorithm.ptr);
    lw_oidc_keys *keys = lw_oidc_source_keys_ref(issuer->source);
    bool is_signed = keys && lw_oidc_keys_verify(keys, jwt);
    bool has_keys = keys != NULL;
    lw_oidc_keys_unref(keys);
    if (is_signed)
        return LW_OK;
    lw_oidc_source_want(issuer->source);
    if (!has_keys)
        return lw_error_set(err, LW_ERR_INVALID,
                            "the keys of its issuer %.*s have not been fetched yet",
                            LW_STR_ARG(issuer->url));
    return lw_error_set(err, LW_ERR_INVALID,
                        "it is not signed by a key of its issuer %.*s (key \"%.*s\"); the keys are "
                        "fetched again",
                        LW_STR_ARG(issuer->url), (int)(id.len < SHOWN ? id.len : SHOWN),
                        id.ptr ? id.ptr : "");
}

/* "aud" is a string or a list of strings; one of them must be configured. */
static lw_status check_audience(const lw_oidc_issuer *issuer, const lw_jwt *jwt, lw_error *err)
{
    const lw_node *node = lw_node_get(lw_tree_root(jwt->claims), LW_STR("aud"));
    for (size_t i = 0; lw_node_is(node, LW_JSON_ARRAY) && i < lw_node_count(node); i++) {
        if (!lw_node_is(lw_node_at(node, i), LW_JSON_STRING))
            return lw_error_set(err, LW_ERR_INVALID, "one of its audiences is not a string");
    }
    for (size_t i = 0; i < issuer->audiences.count; i++) {
        if (lw_jwt_has_audience(jwt, lw_oidc_text_at(&issuer->audiences, i)))
            return LW_OK;
    }
    return lw_error_set(err, LW_ERR_INVALID, "it is for another audience");
}

static lw_status read_times(const lw_jwt *jwt, lw_oidc_times *times, lw_error *err)
{
    int64_t issued = 0;
    lw_status expires = lw_jwt_time(jwt, "exp", &times->expires_s);
    lw_status before = lw_jwt_time(jwt, "nbf", &times->not_before_s);
    if (before == LW_ERR_NOT_FOUND)
        times->not_before_s = 0;
    if (expires == LW_ERR_NOT_FOUND)
        return lw_error_set(err, LW_ERR_INVALID, "it has no expiration time");
    if (expires == LW_ERR_INVALID || before == LW_ERR_INVALID ||
        lw_jwt_time(jwt, "iat", &issued) == LW_ERR_INVALID)
        return lw_error_set(err, LW_ERR_INVALID, "one of its claims exp, nbf, iat is not a time");
    return LW_OK;
}

static lw_status verify(const lw_oidc_config *config, const lw_jwt *jwt, int64_t wall_ns,
                        lw_oidc_times *times, const lw_user **user, lw_error *err)
{
    const lw_oidc_issuer *issuer = find_issuer(config, jwt);
    if (!issuer)
        return lw_error_set(err, LW_ERR_INVALID, "its issuer is not one of the configured issuers");
    lw_status st = check_signature(config, issuer, jwt, err);
    if (st == LW_OK)
        st = check_audience(issuer, jwt, err);
    if (st == LW_OK)
        st = read_times(jwt, times, err);
    if (st == LW_OK)
        st = lw_oidc_times_check(times, wall_ns, err);
    if (st == LW_OK)
        st = lw_oidc_user_make(user, issuer, lw_tree_root(jwt->claims), err);
    return st;
}

lw_status lw_oidc_token_verify(const lw_oidc_config *config, lw_str token, int64_t wall_ns,
                               lw_oidc_times *times, const lw_user **user, lw_error *err)
{
    lw_jwt jwt;
    lw_status st = lw_jwt_read(&jwt, token, err);
    if (st == LW_OK)
        st = verify(config, &jwt, wall_ns, times, user, err);
    lw_jwt_done(&jwt);
    return st;
}
