/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_config.c -- memory and lists of an authentication configuration. */
#include "server/authn/oidc/oidc_config.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "server/authn/oidc/oidc_source.h"

enum {
    ARENA_MAX = 16 * 1024 * 1024,
};

lw_status lw_oidc_config_new(lw_oidc_config **out, lw_error *err)
{
    lw_oidc_config *config = lw_alloc_zero(1, sizeof(*config));
    if (!config)
        return lw_error_nomem(err);
    lw_ref_init(&config->refs);
    lw_arena_init(&config->arena, ARENA_MAX);
    config->algorithms = LW_OIDC_ALGORITHMS;
    *out = config;
    return LW_OK;
}

lw_oidc_config *lw_oidc_config_ref(lw_oidc_config *config)
{
    lw_ref_inc(&config->refs);
    return config;
}

static void free_rules(const lw_oidc_list *rules)
{
    for (size_t i = 0; i < rules->count; i++)
        lw_cel_program_free(lw_oidc_rule_at(rules, i)->program);
}

static void issuer_done(lw_oidc_issuer *issuer)
{
    lw_cel_program_free(issuer->username.program);
    lw_cel_program_free(issuer->groups.program);
    lw_cel_program_free(issuer->uid.program);
    for (size_t i = 0; i < issuer->extra.count; i++)
        lw_cel_program_free(lw_oidc_extra_at(&issuer->extra, i)->program);
    free_rules(&issuer->claim_rules);
    free_rules(&issuer->user_rules);
    lw_oidc_source_unref(issuer->source);
}

void lw_oidc_config_unref(lw_oidc_config *config)
{
    if (!config || !lw_ref_dec(&config->refs))
        return;
    for (size_t i = 0; i < config->issuers.count; i++)
        issuer_done(lw_oidc_issuer_at(config, i));
    lw_arena_done(&config->arena);
    lw_free(config);
}

lw_oidc_issuer *lw_oidc_issuer_at(const lw_oidc_config *config, size_t i)
{
    return (lw_oidc_issuer *)config->issuers.items + i;
}

lw_oidc_rule *lw_oidc_rule_at(const lw_oidc_list *rules, size_t i)
{
    return (lw_oidc_rule *)rules->items + i;
}

lw_oidc_extra *lw_oidc_extra_at(const lw_oidc_list *extras, size_t i)
{
    return (lw_oidc_extra *)extras->items + i;
}

lw_str lw_oidc_text_at(const lw_oidc_list *texts, size_t i)
{
    return ((const lw_str *)texts->items)[i];
}

unsigned lw_oidc_algorithm(lw_str name)
{
    static const lw_str names[] = { LW_STR_INIT("RS256"), LW_STR_INIT("RS384"),
                                    LW_STR_INIT("RS512"), LW_STR_INIT("ES256"),
                                    LW_STR_INIT("ES384"), LW_STR_INIT("ES512"),
                                    LW_STR_INIT("PS256"), LW_STR_INIT("PS384"),
                                    LW_STR_INIT("PS512") };
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (lw_str_equal(names[i], name))
            return 1u << i;
    }
    return 0;
}

bool lw_oidc_anonymous_equal(const lw_oidc_anonymous *a, const lw_oidc_anonymous *b)
{
    if (a->is_set != b->is_set || a->is_enabled != b->is_enabled ||
        a->paths.count != b->paths.count)
        return false;
    for (size_t i = 0; i < a->paths.count; i++) {
        if (!lw_str_equal(lw_oidc_text_at(&a->paths, i), lw_oidc_text_at(&b->paths, i)))
            return false;
    }
    return true;
}
