/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_validate.c -- checks an authentication configuration and compiles its expressions.  The
 * errors have the field paths and the words of kube-apiserver. */
#include <stdio.h>

#include "base/str.h"
#include "crypto/certificate_bundle.h"
#include "object/api_errors.h"
#include "object/names.h"
#include "server/authn/oidc/oidc_config.h"
#include "server/authn/oidc/oidc_types.h"
#include "server/authn/oidc/oidc_url.h"

enum {
    PATH_SIZE = 256,
    WHY_MAX = 64 * 1024,
    DETAIL_SIZE = 1024,
};

typedef struct checking {
    lw_api_status errors;
    lw_buf path;
    const lw_str *own;
    size_t own_count;
    bool uses_email, uses_email_verified; /* expressions of the current issuer */
    lw_status st;
} checking;

/* Adds an error for |member| (may be empty: "" or ".url") of the current path. */
static void add(checking *c, lw_field_fault fault, const char *member, lw_str value, lw_str detail)
{
    size_t len = c->path.len;
    lw_buf_append_text(&c->path, member);
    lw_api_status_add_field_error(&c->errors, fault, lw_buf_view(&c->path), value, detail);
    lw_buf_truncate(&c->path, len);
}

static void invalid(checking *c, const char *member, lw_str value, const char *detail)
{
    add(c, LW_FIELD_INVALID, member, value, lw_str_of(detail));
}

static void required(checking *c, const char *member, const char *detail)
{
    add(c, LW_FIELD_REQUIRED, member, LW_STR(""), lw_str_of(detail));
}

/* Appends to the path; returns its length before. */
static size_t enter(checking *c, const char *member)
{
    size_t len = c->path.len;
    lw_buf_append_text(&c->path, member);
    return len;
}

static size_t enter_element(checking *c, const char *member, size_t i)
{
    size_t len = enter(c, member);
    lw_buf_printf(&c->path, "[%zu]", i);
    return len;
}

static void leave(checking *c, size_t len)
{
    lw_buf_truncate(&c->path, len);
}

/* Checks that the URL is not an issuer of this server's own tokens. */
static void check_own(checking *c, const char *member, lw_str text)
{
    lw_buf detail;
    bool is_own = false;
    lw_buf_init(&detail, WHY_MAX);
    lw_buf_append_text(&detail, "URL must not overlap with disallowed issuers: [");
    for (size_t i = 0; i < c->own_count; i++) {
        is_own = is_own || lw_str_equal(c->own[i], text);
        lw_buf_printf(&detail, "%s%.*s", i > 0 ? " " : "", LW_STR_ARG(c->own[i]));
    }
    lw_buf_append_text(&detail, "]");
    if (is_own)
        add(c, LW_FIELD_INVALID, member, text, lw_buf_view(&detail));
    lw_buf_done(&detail);
}

static void check_url(checking *c, const char *member, lw_str text)
{
    lw_oidc_url url;
    if (!lw_oidc_url_parse(&url, text)) {
        invalid(c, member, text, "must be a URL such as https://issuer.example.com");
        return;
    }
    if (!lw_str_equal(url.scheme, LW_STR("https")))
        invalid(c, member, text, "URL scheme must be https");
    else if (url.host.len == 0)
        invalid(c, member, text, "URL must have a host");
    if (url.has_user)
        invalid(c, member, text, "URL must not contain a username or password");
    if (url.query.len > 0)
        invalid(c, member, text, "URL must not contain a query");
    if (url.fragment.len > 0)
        invalid(c, member, text, "URL must not contain a fragment");
}

static lw_str without_slashes(lw_str text)
{
    while (text.len > 0 && text.ptr[text.len - 1] == '/')
        text.len--;
    return text;
}

static void check_audiences(checking *c, const lw_oidc_issuer *issuer)
{
    const lw_oidc_list *list = &issuer->audiences;
    lw_str policy = issuer->audience_match_policy;
    bool is_any = lw_str_equal(policy, LW_STR("MatchAny"));
    if (list->count == 0) {
        char detail[DETAIL_SIZE];
        (void)snprintf(detail, sizeof(detail), "at least one %.*s.audiences is required",
                       LW_STR_ARG(lw_buf_view(&c->path)));
        required(c, ".audiences", detail);
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        lw_str audience = lw_oidc_text_at(list, i);
        size_t len = enter_element(c, ".audiences", i);
        if (audience.len == 0)
            required(c, "", "");
        for (size_t k = 0; k < i; k++) {
            if (lw_str_equal(lw_oidc_text_at(list, k), audience)) {
                add(c, LW_FIELD_DUPLICATE, "", audience, LW_STR(""));
                break;
            }
        }
        leave(c, len);
    }
    if (list->count > 1 && !is_any)
        invalid(c, ".audienceMatchPolicy", policy,
                "audienceMatchPolicy must be MatchAny for multiple audiences");
    if (list->count == 1 && policy.len > 0 && !is_any)
        invalid(c, ".audienceMatchPolicy", policy,
                "audienceMatchPolicy must be empty or MatchAny for single audience");
}

static void check_issuer(checking *c, const lw_oidc_issuer *issuer)
{
    size_t len = enter(c, ".issuer");
    if (issuer->url.len == 0) {
        required(c, ".url", "");
    } else {
        check_own(c, ".url", issuer->url);
        check_url(c, ".url", issuer->url);
    }
    if (issuer->discovery_url.len > 0) {
        if (issuer->url.len > 0 &&
            lw_str_equal(without_slashes(issuer->url), without_slashes(issuer->discovery_url)))
            invalid(c, ".discoveryURL", issuer->discovery_url,
                    "discoveryURL must be different from URL");
        check_url(c, ".discoveryURL", issuer->discovery_url);
    }
    check_audiences(c, issuer);
    if (issuer->certificate_authority.len > 0 &&
        !lw_certificate_bundle_is_valid(issuer->certificate_authority))
        invalid(c, ".certificateAuthority", LW_STR("<omitted>"),
                "data does not contain any valid RSA or ECDSA certificates");
    if (issuer->egress_selector_type.len > 0)
        invalid(c, ".egressSelectorType", issuer->egress_selector_type,
                "egress selectors are not supported: this server connects to issuers directly");
    leave(c, len);
}

/* Compiles an expression over |claims| or |user|; an error is for |member|. */
static lw_cel_program *compile(checking *c, const char *member, lw_str text,
                               const lw_cel_variable *variable, bool must_be_bool)
{
    lw_cel_program *program = NULL;
    lw_buf why;
    lw_buf_init(&why, WHY_MAX);
    lw_buf_append_text(&why, "compilation failed: ");
    lw_status st = lw_cel_compile(&program, text, variable, 1, &why);
    if (st == LW_ERR_NOMEM || why.st == LW_ERR_NOMEM) {
        c->st = LW_ERR_NOMEM;
    } else if (st < 0) {
        add(c, LW_FIELD_INVALID, member, text, lw_buf_view(&why));
    } else if (must_be_bool && lw_cel_program_kind(program) != LW_CEL_BOOL) {
        invalid(c, member, text, "must evaluate to bool");
        lw_cel_program_free(program);
        program = NULL;
    }
    lw_buf_done(&why);
    return program;
}

static lw_cel_program *compile_claims(checking *c, const char *member, lw_str text,
                                      bool must_be_bool)
{
    return compile(c, member, text, &lw_oidc_claims_variable, must_be_bool);
}

static bool selects(const lw_cel_program *program, const char *claim)
{
    return program && lw_cel_program_selects(program, LW_STR("claims"), lw_str_of(claim));
}

/* Returns true if an earlier rule has the same claim or expression. */
static bool is_repeated(const lw_oidc_list *rules, size_t i, bool by_claim)
{
    const lw_oidc_rule *rule = lw_oidc_rule_at(rules, i);
    for (size_t k = 0; k < i; k++) {
        const lw_oidc_rule *other = lw_oidc_rule_at(rules, k);
        if (by_claim ? lw_str_equal(rule->claim, other->claim) && other->expression.len == 0
                     : lw_str_equal(rule->expression, other->expression) && other->claim.len == 0)
            return true;
    }
    return false;
}

static void check_claim_rule(checking *c, const lw_oidc_list *rules, size_t i)
{
    lw_oidc_rule *rule = lw_oidc_rule_at(rules, i);
    if (rule->claim.len > 0 && rule->expression.len > 0) {
        invalid(c, "", rule->claim, "claim and expression can't both be set");
    } else if (rule->claim.len == 0 && rule->expression.len == 0) {
        required(c, "", "claim or expression is required");
    } else if (rule->claim.len > 0) {
        if (rule->message.len > 0)
            invalid(c, ".message", rule->message, "may not be specified when claim is set");
        if (is_repeated(rules, i, true))
            add(c, LW_FIELD_DUPLICATE, ".claim", rule->claim, LW_STR(""));
    } else {
        if (rule->required_value.len > 0)
            invalid(c, ".requiredValue", rule->required_value,
                    "may not be specified when expression is set");
        if (is_repeated(rules, i, false))
            add(c, LW_FIELD_DUPLICATE, ".expression", rule->expression, LW_STR(""));
        else
            rule->program = compile_claims(c, ".expression", rule->expression, true);
        c->uses_email_verified = c->uses_email_verified || selects(rule->program, "email_verified");
    }
}

static void check_claim_rules(checking *c, const lw_oidc_list *rules)
{
    for (size_t i = 0; i < rules->count; i++) {
        size_t len = enter_element(c, ".claimValidationRules", i);
        check_claim_rule(c, rules, i);
        leave(c, len);
    }
}

static void check_prefixed(checking *c, const char *member, lw_oidc_mapping *m, bool is_required)
{
    size_t len = enter(c, member);
    if (m->expression.len > 0 && m->claim.len > 0) {
        invalid(c, "", LW_STR(""), "claim and expression can't both be set");
    } else if (m->expression.len > 0) {
        if (m->has_prefix)
            invalid(c, ".prefix", m->prefix, "may not be specified when expression is set");
        m->program = compile_claims(c, ".expression", m->expression, false);
    } else if (m->claim.len > 0 && !m->has_prefix) {
        required(c, ".prefix",
                 "prefix is required when claim is set. It can be set to an empty string to "
                 "disable prefixing");
    } else if (m->claim.len == 0 && is_required) {
        required(c, "", "claim or expression is required");
    }
    leave(c, len);
}

static bool is_reserved_key(lw_str key)
{
    lw_str domain, path;
    return lw_str_cut(key, '/', &domain, &path) &&
           (lw_str_equal(domain, LW_STR("kubernetes.io")) ||
            lw_str_ends_with(domain, LW_STR(".kubernetes.io")) ||
            lw_str_equal(domain, LW_STR("k8s.io")) || lw_str_ends_with(domain, LW_STR(".k8s.io")));
}

static bool is_lowercase(lw_str text)
{
    for (size_t i = 0; i < text.len; i++) {
        if (text.ptr[i] >= 'A' && text.ptr[i] <= 'Z')
            return false;
    }
    return true;
}

/* A domain and a path: "example.com/tenant". */
static void check_key(checking *c, lw_str key)
{
    lw_str domain, path;
    lw_name_problems problems;
    if (key.len == 0) {
        required(c, ".key", "");
        return;
    }
    if (!lw_str_cut(key, '/', &domain, &path) || domain.len == 0 || path.len == 0) {
        invalid(c, ".key", key, "must be a domain-prefixed path (such as \"acme.io/foo\")");
    } else if (!lw_name_is_dns1123_subdomain(domain, &problems)) {
        for (size_t i = 0; i < problems.count; i++)
            invalid(c, ".key", domain, problems.text[i]);
    }
    if (!is_lowercase(key))
        invalid(c, ".key", key, "must be lowercase");
    if (is_reserved_key(key))
        invalid(c, ".key", key,
                "k8s.io, kubernetes.io and their subdomains are reserved for Kubernetes use");
}

static void check_extra(checking *c, const lw_oidc_list *extras, size_t i)
{
    lw_oidc_extra *extra = lw_oidc_extra_at(extras, i);
    check_key(c, extra->key);
    for (size_t k = 0; k < i; k++) {
        if (lw_str_equal(lw_oidc_extra_at(extras, k)->key, extra->key)) {
            add(c, LW_FIELD_DUPLICATE, ".key", extra->key, LW_STR(""));
            return;
        }
    }
    if (extra->expression.len == 0) {
        required(c, ".valueExpression", "");
        return;
    }
    extra->program = compile_claims(c, ".valueExpression", extra->expression, false);
    c->uses_email_verified = c->uses_email_verified || selects(extra->program, "email_verified");
}

static void check_mappings(checking *c, lw_oidc_issuer *issuer)
{
    size_t len = enter(c, ".claimMappings");
    check_prefixed(c, ".username", &issuer->username, true);
    c->uses_email = selects(issuer->username.program, "email");
    c->uses_email_verified =
        c->uses_email_verified || selects(issuer->username.program, "email_verified");
    check_prefixed(c, ".groups", &issuer->groups, false);
    if (issuer->uid.claim.len > 0 && issuer->uid.expression.len > 0)
        invalid(c, ".uid", LW_STR(""), "claim and expression can't both be set");
    else if (issuer->uid.expression.len > 0)
        issuer->uid.program = compile_claims(c, ".uid.expression", issuer->uid.expression, false);
    for (size_t i = 0; i < issuer->extra.count; i++) {
        size_t inner = enter_element(c, ".extra", i);
        check_extra(c, &issuer->extra, i);
        leave(c, inner);
    }
    if (c->uses_email && !c->uses_email_verified)
        invalid(c, ".username.expression", issuer->username.expression,
                "claims.email_verified must be used in claimMappings.username.expression or "
                "claimMappings.extra[*].valueExpression or claimValidationRules[*].expression when "
                "claims.email is used in claimMappings.username.expression");
    leave(c, len);
}

static void check_user_rules(checking *c, const lw_oidc_list *rules)
{
    for (size_t i = 0; i < rules->count; i++) {
        lw_oidc_rule *rule = lw_oidc_rule_at(rules, i);
        size_t len = enter_element(c, ".userValidationRules", i);
        if (rule->expression.len == 0)
            required(c, ".expression", "");
        else if (is_repeated(rules, i, false))
            add(c, LW_FIELD_DUPLICATE, ".expression", rule->expression, LW_STR(""));
        else
            rule->program =
                compile(c, ".expression", rule->expression, &lw_oidc_user_variable, true);
        leave(c, len);
    }
}

/* Checks that no earlier issuer has the same URLs. */
static void check_unique(checking *c, const lw_oidc_config *config, size_t i)
{
    const lw_oidc_issuer *issuer = lw_oidc_issuer_at(config, i);
    bool has_url = false, has_discovery = false;
    for (size_t k = 0; k < i; k++) {
        const lw_oidc_issuer *other = lw_oidc_issuer_at(config, k);
        has_url = has_url || lw_str_equal(issuer->url, other->url);
        has_discovery =
            has_discovery || (issuer->discovery_url.len > 0 &&
                              lw_str_equal(issuer->discovery_url, other->discovery_url));
    }
    if (has_url)
        add(c, LW_FIELD_DUPLICATE, ".issuer.url", issuer->url, LW_STR(""));
    if (has_discovery)
        add(c, LW_FIELD_DUPLICATE, ".issuer.discoveryURL", issuer->discovery_url, LW_STR(""));
}

static void check_config(checking *c, lw_oidc_config *config)
{
    if (config->issuers.count > LW_OIDC_ISSUERS_MAX) {
        char detail[DETAIL_SIZE];
        (void)snprintf(detail, sizeof(detail), "must have at most %d items", LW_OIDC_ISSUERS_MAX);
        add(c, LW_FIELD_TOO_LONG, "jwt", LW_STR(""), lw_str_of(detail));
        return;
    }
    for (size_t i = 0; i < config->issuers.count; i++) {
        lw_oidc_issuer *issuer = lw_oidc_issuer_at(config, i);
        size_t len = enter_element(c, "jwt", i);
        c->uses_email = c->uses_email_verified = false;
        check_issuer(c, issuer);
        check_claim_rules(c, &issuer->claim_rules);
        check_mappings(c, issuer);
        check_user_rules(c, &issuer->user_rules);
        check_unique(c, config, i);
        leave(c, len);
    }
    if (config->anonymous.is_set && !config->anonymous.is_enabled &&
        config->anonymous.paths.count > 0)
        invalid(c, "anonymous.conditions", lw_oidc_text_at(&config->anonymous.paths, 0),
                "enabled should be set to true when conditions are defined");
}

/* Writes the errors: "[first, second]", or the only one. */
static void write_errors(const lw_api_status *errors, lw_buf *why)
{
    if (errors->cause_count > 1)
        lw_buf_append_char(why, '[');
    for (size_t i = 0; i < errors->cause_count; i++) {
        const lw_api_cause *cause = &errors->causes[i];
        lw_buf_printf(why, "%s%.*s: %.*s", i > 0 ? ", " : "",
                      LW_STR_ARG(lw_api_status_str(errors, cause->field)),
                      LW_STR_ARG(lw_api_status_str(errors, cause->message)));
    }
    if (errors->cause_count > 1)
        lw_buf_append_char(why, ']');
}

lw_status lw_oidc_config_validate(lw_oidc_config *config, const lw_str *own, size_t own_count,
                                  lw_buf *why)
{
    checking c = { .own = own, .own_count = own_count };
    lw_api_status_init(&c.errors);
    lw_buf_init(&c.path, PATH_SIZE);
    check_config(&c, config);
    write_errors(&c.errors, why);
    lw_status st = c.st;
    if (st == LW_OK && c.errors.cause_count > 0)
        st = LW_ERR_INVALID;
    if (lw_api_status_state(&c.errors) == LW_ERR_NOMEM || c.path.st == LW_ERR_NOMEM)
        st = LW_ERR_NOMEM;
    lw_buf_done(&c.path);
    lw_api_status_done(&c.errors);
    return st;
}
