/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_flags.c -- from the options --oidc-* to a configuration with one issuer. */
#include "server/authn/oidc/oidc_flags.h"

#include <string.h>

#include "base/error.h"
#include "base/file/files.h"
#include "base/str.h"

enum {
    CA_MAX = 1024 * 1024,
    PREFIX_MAX = 4096,
};

static lw_status set_algorithms(lw_oidc_config *config, const char *list, lw_error *err)
{
    lw_str rest = lw_str_of(list ? list : "RS256"), one;
    config->algorithms = 0;
    while (rest.len > 0) {
        (void)lw_str_cut(rest, ',', &one, &rest);
        one = lw_str_trim(one);
        unsigned bit = lw_oidc_algorithm(one);
        if (bit == 0)
            return lw_error_set(err, LW_ERR_INVALID,
                                "oidc: unsupported signing alg: \"%.*s\": use RS256, RS384, RS512, "
                                "ES256, ES384, ES512, PS256, PS384 or PS512",
                                LW_STR_ARG(one));
        config->algorithms |= bit;
    }
    return config->algorithms != 0
               ? LW_OK
               : lw_error_set(err, LW_ERR_INVALID, "the list of signing algorithms is empty");
}

/* Without a prefix, names other than addresses are those of their issuer: they must not clash with
 * the users of others. */
static void set_username(lw_oidc_config *config, lw_oidc_issuer *issuer, const lw_oidc_flags *flags)
{
    const char *claim = flags->username_claim ? flags->username_claim : "sub";
    const char *prefix = flags->username_prefix ? flags->username_prefix : "";
    lw_buf text;
    lw_buf_init(&text, PREFIX_MAX);
    if (*prefix == '\0' && strcmp(claim, "email") != 0)
        lw_buf_printf(&text, "%s#", flags->issuer_url);
    else if (strcmp(prefix, "-") != 0)
        lw_buf_append_text(&text, prefix);
    issuer->username.claim = lw_arena_copy(&config->arena, lw_str_of(claim));
    issuer->username.prefix = lw_arena_copy(&config->arena, lw_buf_view(&text));
    issuer->username.has_prefix = true;
    if (text.st < 0 && config->arena.st == LW_OK)
        config->arena.st = text.st;
    lw_buf_done(&text);
}

static void set_groups(lw_oidc_config *config, lw_oidc_issuer *issuer, const lw_oidc_flags *flags)
{
    if (!flags->groups_claim || *flags->groups_claim == '\0')
        return;
    issuer->groups.claim = lw_arena_copy(&config->arena, lw_str_of(flags->groups_claim));
    issuer->groups.prefix = lw_arena_copy(&config->arena, lw_str_of(flags->groups_prefix));
    issuer->groups.has_prefix = true;
}

/* Of two values of a claim, the last one counts. */
static lw_status set_required(lw_oidc_config *config, lw_oidc_issuer *issuer,
                              const char *const *required, lw_error *err)
{
    size_t count = 0;
    while (required && required[count])
        count++;
    lw_oidc_rule *rules = lw_arena_take_zero(&config->arena, count + 1, sizeof(*rules));
    if (!rules)
        return lw_error_nomem(err);
    issuer->claim_rules.items = rules;
    for (size_t i = 0; i < count; i++) {
        lw_str name, value;
        if (!lw_str_cut(lw_str_of(required[i]), '=', &name, &value) || name.len == 0)
            return lw_error_set(err, LW_ERR_INVALID,
                                "malformed pair \"%s\" in --oidc-required-claim: use name=value",
                                required[i]);
        size_t at = 0;
        while (at < issuer->claim_rules.count && !lw_str_equal(rules[at].claim, name))
            at++;
        rules[at].claim = lw_arena_copy(&config->arena, name);
        rules[at].required_value = lw_arena_copy(&config->arena, value);
        issuer->claim_rules.count += at == issuer->claim_rules.count;
    }
    return LW_OK;
}

static lw_status set_ca(lw_oidc_config *config, lw_oidc_issuer *issuer, const char *path,
                        lw_error *err)
{
    lw_buf pem;
    if (!path || *path == '\0')
        return LW_OK;
    lw_buf_init(&pem, CA_MAX);
    lw_status st = lw_file_read(path, &pem, err);
    if (st == LW_OK && pem.len == 0)
        st = lw_error_set(err, LW_ERR_INVALID, "%s: the file has no certificates", path);
    issuer->certificate_authority = lw_arena_copy(&config->arena, lw_buf_view(&pem));
    lw_buf_done(&pem);
    return st;
}

static lw_status set_issuer(lw_oidc_config *config, const lw_oidc_flags *flags, lw_error *err)
{
    lw_oidc_issuer *issuer = lw_arena_take_zero(&config->arena, 1, sizeof(*issuer));
    lw_str *audience = lw_arena_take_zero(&config->arena, 1, sizeof(*audience));
    if (!issuer || !audience)
        return lw_error_nomem(err);
    config->issuers = (lw_oidc_list){ issuer, 1 };
    *audience = lw_arena_copy(&config->arena, lw_str_of(flags->client_id));
    issuer->url = lw_arena_copy(&config->arena, lw_str_of(flags->issuer_url));
    issuer->audiences = (lw_oidc_list){ audience, 1 };
    set_username(config, issuer, flags);
    set_groups(config, issuer, flags);
    lw_status st = set_required(config, issuer, flags->required_claims, err);
    if (st == LW_OK)
        st = set_ca(config, issuer, flags->ca_file, err);
    if (st == LW_OK)
        st = set_algorithms(config, flags->signing_algs, err);
    if (st == LW_OK && config->arena.st < 0)
        st = lw_error_nomem(err);
    return st;
}

lw_status lw_oidc_config_of_flags(lw_oidc_config **out, const lw_oidc_flags *flags, lw_error *err)
{
    lw_oidc_config *config = NULL;
    if (!flags->issuer_url || !*flags->issuer_url || !flags->client_id || !*flags->client_id)
        return lw_error_set(err, LW_ERR_INVALID,
                            "oidc-issuer-url and oidc-client-id must be specified together when "
                            "any oidc-* flags are set");
    lw_status st = lw_oidc_config_new(&config, err);
    if (st == LW_OK)
        st = set_issuer(config, flags, err);
    if (st < 0) {
        lw_oidc_config_unref(config);
        return st;
    }
    *out = config;
    return LW_OK;
}
