/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_open.c -- sets up the trust in other issuers of tokens. */
#include "server/setup/oidc_open.h"

#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "server/authn/oidc/oidc_authn.h"

struct lw_oidc_parts {
    lw_oidc_http *http;
    lw_oidc_fetcher fetcher;
    lw_oidc_authn *authn;
};

static lw_oidc_flags flags_of(const lw_server_options *options)
{
    return (lw_oidc_flags){
        .issuer_url = options->oidc_issuer_url,
        .client_id = options->oidc_client_id,
        .username_claim = options->oidc_username_claim,
        .username_prefix = options->oidc_username_prefix,
        .groups_claim = options->oidc_groups_claim,
        .groups_prefix = options->oidc_groups_prefix,
        .required_claims = options->oidc_required_claims,
        .ca_file = options->oidc_ca_file,
        .signing_algs = options->oidc_signing_algs,
    };
}

static bool has_flags(const lw_oidc_flags *f)
{
    return f->issuer_url || f->client_id || f->username_claim || f->username_prefix ||
           f->groups_claim || f->groups_prefix || (f->required_claims && f->required_claims[0]) ||
           f->ca_file || f->signing_algs;
}

/* Sets the rule of --anonymous-auth. */
static lw_status read_anonymous(lw_server_parts *parts, const char *text, lw_error *err)
{
    static const lw_oidc_anonymous never = { .is_set = true };
    bool is_false = text && strcmp(text, "false") == 0;
    if (text && !is_false && strcmp(text, "true") != 0)
        return lw_error_set(err, LW_ERR_INVALID,
                            "\"%s\" is not a valid value of anonymous-auth: use true or false",
                            text);
    parts->anonymous = is_false ? &never : NULL;
    return LW_OK;
}

static lw_status recall(void *arg, lw_str token, const lw_user **user)
{
    return lw_oidc_authn_recall(arg, token, user);
}

static lw_status find(void *arg, lw_str token, const lw_user **user)
{
    return lw_oidc_authn_find(arg, token, user);
}

static lw_status connect(lw_server_parts *parts, const lw_server_options *options, lw_error *err)
{
    lw_oidc_authn *authn = parts->oidc->authn;
    const lw_oidc_anonymous *anonymous = lw_oidc_authn_anonymous(authn);
    const lw_authn_issuers issuers = { recall, find, authn };
    if (anonymous->is_set && options->anonymous_auth)
        return lw_error_set(err, LW_ERR_INVALID,
                            "anonymous: Forbidden: --anonymous-auth flag cannot be set when "
                            "anonymous field is configured in authentication configuration file");
    if (anonymous->is_set)
        parts->anonymous = anonymous;
    lw_authn_set_issuers(parts->auth, &issuers);
    return LW_OK;
}

lw_status lw_server_open_oidc(lw_server_parts *parts, const lw_server_options *options,
                              lw_loop *loop, lw_error *err)
{
    const lw_oidc_flags flags = flags_of(options);
    lw_status st = read_anonymous(parts, options->anonymous_auth, err);
    if (st < 0 || (!options->authentication_config_file && !has_flags(&flags)))
        return st;
    if (options->authentication_config_file && has_flags(&flags))
        return lw_error_set(err, LW_ERR_INVALID,
                            "authentication-config file and oidc-* flags are mutually exclusive");
    lw_oidc_parts *oidc = lw_alloc_zero(1, sizeof(*oidc));
    if (!oidc)
        return lw_error_nomem(err);
    parts->oidc = oidc;
    st = lw_oidc_http_new(&oidc->http, loop, err);
    if (st < 0)
        return st;
    oidc->fetcher = lw_oidc_http_fetcher(oidc->http);
    lw_oidc_authn_options wanted = {
        .config_file = options->authentication_config_file,
        .flags = &flags,
        .loop = loop,
        .fetcher = &oidc->fetcher,
        .clock = parts->clock,
        .logger = options->logger,
    };
    wanted.own_issuers = lw_accounts_issuers(parts->accounts, &wanted.own_issuer_count);
    st = lw_oidc_authn_new(&oidc->authn, &wanted, err);
    return st < 0 ? st : connect(parts, options, err);
}

void lw_server_start_oidc(lw_oidc_parts *oidc)
{
    if (oidc)
        lw_oidc_authn_start(oidc->authn);
}

void lw_server_stop_oidc(lw_oidc_parts *oidc)
{
    if (!oidc)
        return;
    lw_oidc_authn_stop(oidc->authn);
    lw_oidc_http_free(oidc->http);
    oidc->http = NULL;
}

void lw_server_free_oidc(lw_oidc_parts *oidc)
{
    if (!oidc)
        return;
    lw_oidc_authn_free(oidc->authn);
    lw_free(oidc);
}
