/* SPDX-License-Identifier: Apache-2.0 */
/* account_authn.c -- authenticates service accounts by their tokens. */
#include "server/authn/account_authn.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "server/authn/account_cache.h"
#include "server/authn/account_check.h"
#include "server/authn/account_claims.h"
#include "server/authn/refusal_log.h"
#include "json/fields.h"

enum {
    CLAIMS_MAX = LW_ACCOUNT_TOKEN_MAX / 4 * 3,
    EXTRAS_MAX = 5,
    NAME_SIZE = 640, /* "system:serviceaccount:", a namespace and a name */
    CREDENTIAL_SIZE = 256,
};

#define EXTRA_PREFIX "authentication.kubernetes.io/"

struct lw_account_authn {
    const lw_account_keys *keys;
    const lw_str *issuers;
    size_t issuer_count;
    const lw_audiences *audiences;
    const lw_clock *clock;
    lw_token_objects objects;
    lw_digester *digester;
    lw_account_cache cache;
    lw_refusal_log refusals;
    bool has_others;
};

lw_status lw_account_authn_new(lw_account_authn **out, const lw_account_authn_options *options,
                               lw_error *err)
{
    lw_digester *digester = NULL;
    lw_status st = lw_digester_new(&digester, err);
    if (st < 0)
        return st;
    lw_account_authn *accounts = lw_alloc_zero(1, sizeof(*accounts));
    if (!accounts) {
        lw_digester_free(digester);
        return lw_error_nomem(err);
    }
    accounts->keys = options->keys;
    accounts->issuers = options->issuers;
    accounts->issuer_count = options->issuer_count;
    accounts->audiences = options->audiences;
    accounts->clock = options->clock;
    accounts->digester = digester;
    lw_account_cache_init(&accounts->cache);
    lw_refusal_log_init(&accounts->refusals, options->clock, options->logger);
    accounts->has_others = options->has_others;
    *out = accounts;
    return LW_OK;
}

void lw_account_authn_free(lw_account_authn *accounts)
{
    if (!accounts)
        return;
    lw_account_cache_done(&accounts->cache);
    lw_digester_free(accounts->digester);
    lw_free(accounts);
}

void lw_account_authn_connect(lw_account_authn *accounts, const lw_token_objects *objects)
{
    accounts->objects = *objects;
}

static bool audiences_have(const lw_audiences *audiences, lw_str audience)
{
    for (size_t i = 0; i < audiences->count; i++) {
        if (lw_str_equal(audiences->at[i], audience))
            return true;
    }
    return false;
}

void lw_audiences_intersect(lw_audiences *out, const lw_audiences *a, const lw_audiences *b)
{
    out->count = 0;
    for (size_t i = 0; i < a->count; i++) {
        if (audiences_have(b, a->at[i]))
            out->at[out->count++] = a->at[i];
    }
}

static bool is_issuer(const lw_account_authn *accounts, lw_str issuer)
{
    for (size_t i = 0; i < accounts->issuer_count; i++) {
        if (lw_str_equal(accounts->issuers[i], issuer))
            return true;
    }
    return false;
}

/* Verifies the signature with the key that the token names, or with any if it names none. */
static bool is_signed(const lw_account_authn *accounts, const lw_jwt *jwt)
{
    lw_str id = lw_jwt_key_id(jwt);
    for (size_t i = 0; i < accounts->keys->count; i++) {
        const lw_signing_key *key = accounts->keys->keys[i];
        if ((id.len == 0 || lw_str_equal(id, lw_str_of(lw_signing_key_id(key)))) &&
            lw_jwt_is_signed_by(jwt, key))
            return true;
    }
    return false;
}

static void add_extra(lw_user_extra extras[EXTRAS_MAX], size_t *count, const char *key,
                      const lw_str *value)
{
    if (value->len > 0)
        extras[(*count)++] = (lw_user_extra){ lw_str_of(key), value, 1 };
}

/* Makes the user of verified |claims|. */
static lw_status make_user(const lw_account_claims *claims, const lw_user **out)
{
    char name[NAME_SIZE], group[NAME_SIZE], id[CREDENTIAL_SIZE];
    lw_user_extra extras[EXTRAS_MAX];
    size_t extra_count = 0;
    int name_len = snprintf(name, sizeof(name), LW_ACCOUNT_USER_PREFIX "%.*s:%.*s",
                            LW_STR_ARG(claims->ns), LW_STR_ARG(claims->account.name));
    int group_len =
        snprintf(group, sizeof(group), "system:serviceaccounts:%.*s", LW_STR_ARG(claims->ns));
    int id_len = snprintf(id, sizeof(id), "JTI=%.*s", LW_STR_ARG(claims->id));
    if (name_len >= NAME_SIZE || group_len >= NAME_SIZE || id_len >= CREDENTIAL_SIZE)
        return LW_ERR_INVALID;
    const lw_str groups[] = { LW_STR("system:serviceaccounts"),
                              { group, (size_t)group_len },
                              LW_STR(LW_GROUP_AUTHENTICATED) };
    const lw_str credential = { id, claims->id.len > 0 ? (size_t)id_len : 0 };
    add_extra(extras, &extra_count, EXTRA_PREFIX "credential-id", &credential);
    add_extra(extras, &extra_count, EXTRA_PREFIX "node-name", &claims->node.name);
    add_extra(extras, &extra_count, EXTRA_PREFIX "node-uid", &claims->node.uid);
    add_extra(extras, &extra_count, EXTRA_PREFIX "pod-name", &claims->pod.name);
    add_extra(extras, &extra_count, EXTRA_PREFIX "pod-uid", &claims->pod.uid);
    const lw_user user = { .name = { name, (size_t)name_len },
                           .uid = claims->account.uid,
                           .groups = groups,
                           .group_count = sizeof(groups) / sizeof(groups[0]),
                           .extras = extras,
                           .extra_count = extra_count };
    return lw_user_copy(out, &user);
}

/* Makes the entry of a token whose signature is verified. */
static lw_status make_entry(const lw_account_authn *accounts, const lw_jwt *jwt, bool is_legacy,
                            const uint8_t digest[LW_DIGEST_SIZE], lw_verified_token **out,
                            lw_error *err)
{
    lw_account_claims claims;
    const lw_user *user = NULL;
    lw_status st = is_legacy ? lw_account_claims_read_legacy(&claims, jwt, err)
                             : lw_account_claims_read(&claims, jwt, err);
    if (st == LW_OK && claims.audiences.count == 0)
        claims.audiences = *accounts->audiences; /* of tokens in Secrets */
    if (st == LW_OK)
        st = make_user(&claims, &user);
    if (st == LW_OK)
        st = lw_verified_token_new(out, digest, &claims, is_legacy, user);
    lw_user_unref(user);
    return st;
}

/* Verifies issuer and signature.  LW_ERR_INVALID, LW_ERR_LIMIT: |err| has the reason.
 * LW_ERR_NOT_FOUND: the issuer is unknown here, and other authenticators may know it. */
static lw_status verify(const lw_account_authn *accounts, lw_str token,
                        const uint8_t digest[LW_DIGEST_SIZE], lw_verified_token **out,
                        lw_error *err)
{
    lw_jwt jwt;
    lw_status st = lw_jwt_read(&jwt, token, err);
    if (st == LW_OK) {
        lw_str issuer = lw_fields_text(lw_tree_root(jwt.claims), "iss");
        bool is_legacy = lw_str_equal(issuer, LW_STR(LW_LEGACY_ISSUER));
        if (!is_legacy && !is_issuer(accounts, issuer))
            st = lw_error_set(err, accounts->has_others ? LW_ERR_NOT_FOUND : LW_ERR_INVALID,
                              "its issuer is not one of this server");
        else if (!is_signed(accounts, &jwt))
            st = lw_error_set(err, LW_ERR_INVALID, "it is not signed by a key of this server");
        else
            st = make_entry(accounts, &jwt, is_legacy, digest, out, err);
    }
    lw_jwt_done(&jwt);
    return st;
}

/* Checks the audiences; tokens without any are for this server. */
static lw_status check_audiences(const lw_account_authn *accounts, const lw_verified_token *entry,
                                 const lw_audiences *wanted, lw_audiences *matched, lw_error *err)
{
    lw_audiences_intersect(matched, wanted ? wanted : accounts->audiences,
                           &entry->claims.audiences);
    return matched->count > 0 ? LW_OK
                              : lw_error_set(err, LW_ERR_INVALID, "it is for another audience");
}

/* Checks what may change between two uses of a token. */
static lw_status check_entry(lw_account_authn *accounts, lw_verified_token *entry, lw_str token,
                             const lw_audiences *wanted, lw_audiences *matched, lw_error *err)
{
    lw_audiences scratch;
    int64_t now_s = lw_clock_wall(accounts->clock) / LW_NS_PER_S;
    lw_status st = lw_account_check_times(&entry->claims, now_s, err);
    if (st == LW_OK)
        st = check_audiences(accounts, entry, wanted, matched ? matched : &scratch, err);
    return st == LW_OK ? lw_account_check_objects(&accounts->objects, entry, token, now_s, err)
                       : st;
}

lw_status lw_account_authn_find(lw_account_authn *accounts, lw_str token,
                                const lw_audiences *wanted, const lw_user **user,
                                lw_audiences *matched)
{
    uint8_t digest[LW_DIGEST_SIZE];
    lw_error why = LW_ERROR_INIT;
    if (!accounts->objects.find || !lw_jwt_looks_like(token))
        return LW_ERR_UNAUTHORIZED;
    lw_status st = lw_digest(accounts->digester, token, digest);
    if (st < 0)
        return st;
    lw_verified_token *entry = lw_account_cache_get_ref(&accounts->cache, digest);
    bool is_known = entry != NULL;
    if (!is_known)
        st = verify(accounts, token, digest, &entry, &why);
    if (st == LW_OK)
        st = check_entry(accounts, entry, token, wanted, matched, &why);
    if (st == LW_OK && !is_known)
        lw_account_cache_put(&accounts->cache, entry);
    if (st == LW_OK)
        *user = lw_user_ref(entry->user);
    if (st == LW_ERR_EXPIRED && is_known)
        lw_account_cache_drop(&accounts->cache, entry);
    lw_verified_token_unref(entry);
    if (st == LW_ERR_NOT_FOUND)
        return LW_ERR_UNAUTHORIZED;
    bool is_unknown = st == LW_ERR_NOMEM || st == LW_ERR_UNAVAILABLE || st == LW_ERR_IO;
    return st == LW_OK || is_unknown
               ? st
               : lw_refusal_log_write(&accounts->refusals, "a service account token", &why);
}

/* Signs the claims in |json|, which is left done. */
static lw_status sign(const lw_account_authn *accounts, lw_buf *json, lw_buf *token)
{
    lw_status st = json->st;
    if (st == LW_OK)
        st = lw_jwt_write(token, lw_buf_view(json), accounts->keys->signer);
    lw_buf_done(json);
    return st;
}

lw_status lw_account_authn_issue(const lw_account_authn *accounts, const lw_account_claims *claims,
                                 lw_buf *token)
{
    lw_buf json;
    lw_buf_init(&json, CLAIMS_MAX);
    lw_account_claims_write(claims, accounts->issuers[0], &json);
    return sign(accounts, &json, token);
}

lw_status lw_account_authn_issue_for_secret(const lw_account_authn *accounts,
                                            const lw_account_claims *claims, lw_buf *token)
{
    lw_buf json;
    lw_buf_init(&json, CLAIMS_MAX);
    lw_account_claims_write_legacy(claims, &json);
    return sign(accounts, &json, token);
}
