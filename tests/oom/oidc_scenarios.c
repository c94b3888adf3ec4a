/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_scenarios.c -- tokens of other issuers with every allocation failing in turn: a
 * configuration and a key set are read completely or not at all, and a token is never mistaken for
 * another. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "oom/oom.h"
#include "server/authn/jwt.h"
#include "server/authn/oidc/oidc_authn.h"
#include "server/authn/oidc/oidc_user.h"

#define URL "https://issuer.example"
#define CONFIG                                                                                     \
    "{\"apiVersion\":\"apiserver.config.k8s.io/v1\",\"kind\":\"AuthenticationConfiguration\","     \
    "\"jwt\":[{\"issuer\":{\"url\":\"" URL "\",\"audiences\":[\"x\"]},\"claimValidationRules\":"   \
    "[{\"claim\":\"hd\",\"requiredValue\":\"e\"},{\"expression\":\"claims.n > 5\"}],"              \
    "\"claimMappings\":{\"username\":{\"claim\":\"sub\",\"prefix\":\"p:\"},\"groups\":{"           \
    "\"expression\":\"claims.g\"},\"extra\":[{\"key\":\"a.b/c\",\"valueExpression\":"              \
    "\"claims.sub\"}]},\"userValidationRules\":[{\"expression\":\"user.groups == ['a', "           \
    "'b']\"}]}]}"
#define CLAIMS "{\"sub\":\"ann\",\"hd\":\"e\",\"n\":6,\"g\":[\"a\",\"b\"],\"jti\":\"1\"}"

static lw_status wrong(lw_error *err, const char *what)
{
    return lw_error_set(err, LW_ERR_INTERNAL, "wrong: %s", what);
}

static lw_status read_config(lw_oidc_config **out, lw_error *err)
{
    lw_buf why;
    lw_buf_init(&why, 4096);
    lw_status st = lw_oidc_config_read(out, LW_STR(CONFIG), err);
    if (st == LW_OK)
        st = lw_oidc_config_validate(*out, NULL, 0, &why);
    if (st == LW_ERR_NOMEM)
        (void)lw_error_nomem(err);
    else if (st < 0)
        st = wrong(err, "the configuration is valid");
    lw_buf_done(&why);
    return st;
}

static lw_status maps_claims(lw_error *err)
{
    lw_oidc_config *config = NULL;
    lw_tree *tree = NULL;
    const lw_user *user = NULL;
    lw_status st = read_config(&config, err);
    if (st == LW_OK)
        st = lw_tree_parse(&tree, LW_STR(CLAIMS), 0, err);
    if (st == LW_OK)
        st = lw_oidc_user_make(&user, lw_oidc_issuer_at(config, 0), lw_tree_root(tree), err);
    if (st == LW_OK && (!lw_str_equal(user->name, LW_STR("p:ann")) || user->group_count != 3 ||
                        user->extra_count != 2))
        st = wrong(err, "the user");
    lw_user_unref(user);
    lw_tree_free(tree);
    lw_oidc_config_unref(config);
    return st;
}

/* The fetch in progress. */
typedef struct fetching {
    lw_oidc_fetched done;
    void *arg;
} fetching;

static lw_status get(void *arg, lw_str url, lw_str ca, lw_oidc_fetched done, void *done_arg,
                     void **call, lw_error *err)
{
    fetching *f = arg;
    (void)url;
    (void)ca;
    (void)err;
    *f = (fetching){ done, done_arg };
    *call = f;
    return LW_OK;
}

static void cancel(void *arg, void *call)
{
    (void)call;
    ((fetching *)arg)->done = NULL;
}

static void answer(fetching *f, const char *body)
{
    lw_oidc_fetched done = f->done;
    f->done = NULL;
    if (done)
        done(f->arg, lw_str_of(body), NULL);
}

/* Verifies |token|; keys that could not be read for lack of memory make it unknown. */
static lw_status verify(lw_oidc_authn *authn, lw_str token, lw_error *err)
{
    const lw_user *user = NULL;
    lw_status st = lw_oidc_authn_recall(authn, token, &user);
    if (st == LW_ERR_UNAUTHORIZED)
        st = lw_oidc_authn_find(authn, token, &user);
    if (st == LW_OK && !lw_str_equal(user->name, LW_STR(URL "#ann")))
        st = wrong(err, "the user");
    else if (st < 0)
        st = lw_error_nomem(err); /* refused, because a key could not be read */
    lw_user_unref(user);
    return st;
}

static lw_status verifies_tokens(lw_error *err)
{
    const lw_oidc_flags flags = { .issuer_url = URL, .client_id = "k", .signing_algs = "ES256" };
    static const char claims[] = "{\"iss\":\"" URL "\",\"aud\":\"k\",\"sub\":\"ann\","
                                 "\"exp\":4000000000}";
    fetching f = { NULL, NULL };
    const lw_oidc_fetcher fetcher = { get, cancel, &f };
    lw_loop *loop = NULL;
    lw_oidc_authn *authn = NULL;
    lw_signing_key *key = NULL;
    lw_buf keys, token;
    lw_buf_init(&keys, 4096);
    lw_buf_init(&token, 4096);
    lw_status st = lw_signing_key_generate(&key, false, err);
    if (st == LW_OK)
        st = lw_loop_new(&loop, NULL, err);
    const lw_oidc_authn_options options = {
        .flags = &flags, .loop = loop, .fetcher = &fetcher, .clock = lw_clock_system()
    };
    if (st == LW_OK)
        st = lw_oidc_authn_new(&authn, &options, err);
    if (st == LW_OK) {
        lw_buf_append_text(&keys, "{\"keys\":[{");
        st = lw_signing_key_write_jwk(key, &keys);
        lw_buf_append_text(&keys, "}]}");
    }
    if (st == LW_OK)
        st = lw_jwt_write(&token, LW_STR(claims), key);
    lw_buf_append_char(&keys, '\0');
    if (st == LW_OK)
        st = keys.st;
    if (st == LW_OK) {
        lw_oidc_authn_start(authn);
        answer(&f, "{\"issuer\":\"" URL "\",\"jwks_uri\":\"" URL "/keys\"}");
        answer(&f, lw_buf_view(&keys).ptr);
        st = verify(authn, lw_buf_view(&token), err);
        if (st == LW_OK)
            st = verify(authn, lw_buf_view(&token), err);
        lw_oidc_authn_stop(authn);
    }
    lw_loop_free(loop);
    lw_oidc_authn_free(authn);
    lw_signing_key_unref(key);
    lw_buf_done(&keys);
    lw_buf_done(&token);
    return st;
}

const oom_scenario oidc_scenarios[] = {
    { "maps_claims", maps_claims },
    { "verifies_tokens", verifies_tokens },
};
const size_t oidc_scenario_count = sizeof(oidc_scenarios) / sizeof(oidc_scenarios[0]);
