/* SPDX-License-Identifier: Apache-2.0 */
/* oidc_user.c -- maps claims to a user, in the order of kube-apiserver: username, groups, uid,
 * extra; then the rules for claims and for the user. */
#include "server/authn/oidc/oidc_user.h"

#include "base/error.h"
#include "base/str.h"
#include "server/authn/oidc/oidc_types.h"
#include "json/fields.h"

enum {
    TEXTS_MAX = 1024 * 1024, /* bytes of the strings of one user */
    TREE_MAX = 8 * 1024 * 1024,
    SHOWN = 128, /* characters of a name or expression in a message */
};

#define CREDENTIAL_KEY "authentication.kubernetes.io/credential-id"

/* A user that is being made. */
typedef struct making {
    const lw_oidc_issuer *issuer;
    const lw_node *claims;
    lw_arena arena;
    lw_str groups[LW_USER_GROUPS_MAX];
    lw_user_extra extras[LW_USER_EXTRAS_MAX];
    lw_user user;
    lw_error *err;
} making;

static int shown(lw_str text)
{
    return (int)(text.len < SHOWN ? text.len : SHOWN);
}

static const lw_node *claim_of(const making *m, lw_str name)
{
    return lw_node_get(m->claims, name);
}

static lw_status memory_of(const making *m)
{
    if (m->arena.st == LW_OK)
        return LW_OK;
    return m->arena.st == LW_ERR_NOMEM
               ? lw_error_nomem(m->err)
               : lw_error_set(m->err, LW_ERR_INVALID, "its user is too large");
}

/* Sets |*out| to |prefix| and |text|. */
static lw_status join(making *m, lw_str prefix, lw_str text, lw_str *out)
{
    lw_buf both;
    lw_buf_init(&both, TEXTS_MAX);
    lw_buf_append_str(&both, prefix);
    lw_buf_append_str(&both, text);
    *out = lw_arena_copy(&m->arena, lw_buf_view(&both));
    lw_status st = both.st == LW_ERR_NOMEM ? lw_error_nomem(m->err) : memory_of(m);
    lw_buf_done(&both);
    return st;
}

static lw_status claim_text(making *m, lw_str name, lw_str *out)
{
    const lw_node *node = claim_of(m, name);
    if (!node)
        return lw_error_set(m->err, LW_ERR_INVALID, "it has no claim %.*s", shown(name), name.ptr);
    if (!lw_node_is(node, LW_JSON_STRING))
        return lw_error_set(m->err, LW_ERR_INVALID, "its claim %.*s is not a string", shown(name),
                            name.ptr);
    *out = lw_node_text(node);
    return LW_OK;
}

/* Evaluates |program| with |value|; on success |outcome| has a value. */
static lw_status evaluate(making *m, const lw_cel_program *program, lw_str text,
                          const lw_node *value, lw_cel_outcome *outcome)
{
    const lw_cel_binding binding = { value, true };
    lw_status st = lw_cel_eval(program, &binding, LW_CEL_CALL_COST_MAX, outcome);
    if (st < 0)
        return lw_error_nomem(m->err);
    if (outcome->verdict == LW_CEL_VALUE)
        return LW_OK;
    lw_str why = lw_buf_view(&outcome->text);
    st = lw_error_set(m->err, LW_ERR_INVALID, "the expression '%.*s' failed: %.*s", shown(text),
                      text.ptr, shown(why), why.ptr ? why.ptr : "");
    lw_cel_outcome_done(outcome);
    return st;
}

/* Evaluates an expression that must be a string. */
static lw_status evaluate_text(making *m, const lw_oidc_mapping *mapping, lw_str *out)
{
    lw_cel_outcome outcome;
    lw_status st = evaluate(m, mapping->program, mapping->expression, m->claims, &outcome);
    if (st < 0)
        return st;
    *out = lw_arena_copy(&m->arena, lw_buf_view(&outcome.text));
    st = memory_of(m);
    if (st == LW_OK && outcome.kind != LW_CEL_STRING)
        st = lw_error_set(m->err, LW_ERR_INVALID, "the expression '%.*s' is not a string",
                          shown(mapping->expression), mapping->expression.ptr);
    lw_cel_outcome_done(&outcome);
    return st;
}

/* Adds |text| to |texts|, which has room for |max|. */
static lw_status add_text(making *m, lw_str *texts, size_t *count, size_t max, lw_str prefix,
                          lw_str text, const char *what)
{
    if (*count == max)
        return lw_error_set(m->err, LW_ERR_INVALID, "it has too many %s; the limit is %zu", what,
                            max);
    lw_status st = join(m, prefix, text, &texts[*count]);
    *count += st == LW_OK;
    return st;
}

/* Adds the strings of a JSON array; empty ones are left out if |skips_empty|. */
static lw_status add_list(making *m, const lw_node *list, lw_str prefix, bool skips_empty,
                          lw_str *texts, size_t *count, size_t max, const char *what)
{
    lw_status st = LW_OK;
    for (size_t i = 0; i < lw_node_count(list) && st == LW_OK; i++) {
        const lw_node *item = lw_node_at(list, i);
        if (!lw_node_is(item, LW_JSON_STRING))
            return lw_error_set(m->err, LW_ERR_INVALID, "one of its %s is not a string", what);
        if (!skips_empty || lw_node_text(item).len > 0)
            st = add_text(m, texts, count, max, prefix, lw_node_text(item), what);
    }
    return st;
}

/* Adds what an expression returns: a string, a list of strings, or null.  Empty strings are as if
 * they were absent. */
static lw_status add_outcome(making *m, const lw_cel_program *program, lw_str expression,
                             lw_str *texts, size_t *count, size_t max, const char *what)
{
    static const lw_str none = { NULL, 0 };
    lw_cel_outcome outcome;
    lw_tree *list = NULL;
    lw_status st = evaluate(m, program, expression, m->claims, &outcome);
    if (st < 0)
        return st;
    lw_str text = lw_buf_view(&outcome.text);
    if (outcome.kind == LW_CEL_STRING) {
        st = text.len > 0 ? add_text(m, texts, count, max, none, text, what) : LW_OK;
    } else if (outcome.kind == LW_CEL_LIST && outcome.is_strings) {
        st = lw_tree_parse(&list, text, TREE_MAX, m->err);
        if (st == LW_OK)
            st = add_list(m, lw_tree_root(list), none, true, texts, count, max, what);
        lw_tree_free(list);
    } else if (outcome.kind != LW_CEL_NULL) {
        st = lw_error_set(m->err, LW_ERR_INVALID,
                          "the expression '%.*s' is not a string or a list of strings",
                          shown(expression), expression.ptr);
    }
    lw_cel_outcome_done(&outcome);
    return st;
}

/* OpenID Connect Core, section 5.1: an address that is known not to be verified does not prove who
 * the user is. */
static lw_status check_email(making *m)
{
    const lw_node *verified = claim_of(m, LW_STR("email_verified"));
    if (!verified)
        return LW_OK;
    if (!lw_node_is(verified, LW_JSON_BOOL))
        return lw_error_set(m->err, LW_ERR_INVALID, "its claim email_verified is not a boolean");
    return lw_node_bool(verified)
               ? LW_OK
               : lw_error_set(m->err, LW_ERR_INVALID, "its email address is not verified");
}

static lw_status set_name(making *m)
{
    const lw_oidc_mapping *mapping = &m->issuer->username;
    lw_str text = { NULL, 0 };
    lw_status st;
    if (mapping->program) {
        st = evaluate_text(m, mapping, &m->user.name);
    } else {
        st = claim_text(m, mapping->claim, &text);
        if (st == LW_OK && lw_str_equal(mapping->claim, LW_STR("email")))
            st = check_email(m);
        if (st == LW_OK)
            st = join(m, mapping->prefix, text, &m->user.name);
    }
    if (st == LW_OK && m->user.name.len == 0)
        st = lw_error_set(m->err, LW_ERR_INVALID, "its username is empty");
    return st;
}

/* One group is left free for system:authenticated. */
static lw_status set_groups(making *m)
{
    static const size_t max = LW_USER_GROUPS_MAX - 1;
    const lw_oidc_mapping *mapping = &m->issuer->groups;
    size_t *count = &m->user.group_count;
    lw_status st = LW_OK;
    const lw_node *claim = mapping->claim.len > 0 ? claim_of(m, mapping->claim) : NULL;
    if (lw_node_is(claim, LW_JSON_STRING))
        st = add_text(m, m->groups, count, max, mapping->prefix, lw_node_text(claim), "groups");
    else if (lw_node_is(claim, LW_JSON_ARRAY))
        st = add_list(m, claim, mapping->prefix, false, m->groups, count, max, "groups");
    else if (claim && !lw_node_is(claim, LW_JSON_NULL))
        st = lw_error_set(m->err, LW_ERR_INVALID,
                          "its claim %.*s is not a string or a list of strings",
                          shown(mapping->claim), mapping->claim.ptr);
    else if (mapping->program)
        st = add_outcome(m, mapping->program, mapping->expression, m->groups, count, max, "groups");
    m->user.groups = m->groups;
    return st;
}

static lw_status set_uid(making *m)
{
    const lw_oidc_mapping *mapping = &m->issuer->uid;
    if (mapping->program)
        return evaluate_text(m, mapping, &m->user.uid);
    return mapping->claim.len > 0 ? claim_text(m, mapping->claim, &m->user.uid) : LW_OK;
}

/* Adds an extra with the |count| values of |values|. */
static lw_status add_extra(making *m, lw_str key, const lw_str *values, size_t count)
{
    if (m->user.extra_count == LW_USER_EXTRAS_MAX)
        return lw_error_set(m->err, LW_ERR_INVALID, "it has too many extras; the limit is %d",
                            LW_USER_EXTRAS_MAX);
    m->extras[m->user.extra_count++] = (lw_user_extra){ key, values, count };
    return LW_OK;
}

static lw_status set_credential_id(making *m)
{
    lw_str id = lw_fields_text(m->claims, "jti");
    lw_str *value = lw_arena_take_zero(&m->arena, 1, sizeof(*value));
    if (!value)
        return memory_of(m);
    if (id.len == 0)
        return LW_OK;
    lw_status st = join(m, LW_STR("JTI="), id, value);
    return st < 0 ? st : add_extra(m, LW_STR(CREDENTIAL_KEY), value, 1);
}

static lw_status set_extras(making *m)
{
    lw_status st = set_credential_id(m);
    for (size_t i = 0; i < m->issuer->extra.count && st == LW_OK; i++) {
        const lw_oidc_extra *extra = lw_oidc_extra_at(&m->issuer->extra, i);
        size_t count = 0;
        lw_str *values = lw_arena_take_zero(&m->arena, LW_USER_EXTRAS_MAX, sizeof(*values));
        if (!values)
            return memory_of(m);
        st = add_outcome(m, extra->program, extra->expression, values, &count, LW_USER_EXTRAS_MAX,
                         "values of an extra");
        if (st == LW_OK && count > 0)
            st = add_extra(m, extra->key, values, count);
    }
    m->user.extras = m->extras;
    return st;
}

static lw_status check_required(making *m, const lw_oidc_rule *rule)
{
    lw_str value = { NULL, 0 };
    lw_status st = claim_text(m, rule->claim, &value);
    if (st == LW_OK && !lw_str_equal(value, rule->required_value))
        st = lw_error_set(m->err, LW_ERR_INVALID, "its claim %.*s is \"%.*s\"; must be \"%.*s\"",
                          shown(rule->claim), rule->claim.ptr, shown(value),
                          value.ptr ? value.ptr : "", shown(rule->required_value),
                          rule->required_value.ptr ? rule->required_value.ptr : "");
    return st;
}

static lw_status check_true(making *m, const lw_oidc_rule *rule, const lw_node *value)
{
    lw_cel_outcome outcome;
    lw_status st = evaluate(m, rule->program, rule->expression, value, &outcome);
    if (st < 0)
        return st;
    if (outcome.kind != LW_CEL_BOOL || !outcome.boolean)
        st = lw_error_set(m->err, LW_ERR_INVALID, "validation expression '%.*s' failed: %.*s",
                          shown(rule->expression), rule->expression.ptr, shown(rule->message),
                          rule->message.ptr ? rule->message.ptr : "");
    lw_cel_outcome_done(&outcome);
    return st;
}

static lw_status check_claims(making *m)
{
    lw_status st = LW_OK;
    for (size_t i = 0; i < m->issuer->claim_rules.count && st == LW_OK; i++) {
        const lw_oidc_rule *rule = lw_oidc_rule_at(&m->issuer->claim_rules, i);
        st = rule->program ? check_true(m, rule, m->claims) : check_required(m, rule);
    }
    return st;
}

static lw_node *write_texts(lw_tree *tree, const lw_str *texts, size_t count)
{
    lw_node *list = lw_tree_array(tree);
    for (size_t i = 0; i < count; i++)
        lw_node_append(tree, list, lw_tree_string(tree, texts[i]));
    return list;
}

/* The user as a value for expressions. */
static lw_node *write_user(const making *m, lw_tree *tree)
{
    lw_node *root = lw_tree_object(tree), *extra = lw_tree_object(tree);
    for (size_t i = 0; i < m->user.extra_count; i++)
        lw_node_put(tree, extra, m->extras[i].key,
                    write_texts(tree, m->extras[i].values, m->extras[i].count));
    lw_fields_set_text(tree, root, "username", m->user.name);
    lw_fields_set_text(tree, root, "uid", m->user.uid);
    lw_node_put(tree, root, LW_STR("groups"),
                write_texts(tree, m->user.groups, m->user.group_count));
    lw_node_put(tree, root, LW_STR("extra"), extra);
    return root;
}

static lw_status check_user(making *m)
{
    lw_tree *tree = NULL;
    if (m->issuer->user_rules.count == 0)
        return LW_OK;
    if (lw_tree_new(&tree, TREE_MAX) < 0)
        return lw_error_nomem(m->err);
    const lw_node *root = write_user(m, tree);
    lw_status st = lw_tree_status(tree);
    if (st < 0)
        (void)lw_error_set(m->err, st, "its user is too large to be checked");
    for (size_t i = 0; i < m->issuer->user_rules.count && st == LW_OK; i++)
        st = check_true(m, lw_oidc_rule_at(&m->issuer->user_rules, i), root);
    lw_tree_free(tree);
    return st;
}

static lw_status copy_user(making *m, const lw_user **out)
{
    lw_str everybody = LW_STR(LW_GROUP_AUTHENTICATED);
    bool is_there = false;
    for (size_t i = 0; i < m->user.group_count; i++)
        is_there = is_there || lw_str_equal(m->groups[i], everybody);
    if (!is_there)
        m->groups[m->user.group_count++] = everybody;
    return lw_user_copy(out, &m->user) < 0 ? lw_error_nomem(m->err) : LW_OK;
}

lw_status lw_oidc_user_make(const lw_user **out, const lw_oidc_issuer *issuer,
                            const lw_node *claims, lw_error *err)
{
    making m = { .issuer = issuer, .claims = claims, .err = err };
    lw_arena_init(&m.arena, TEXTS_MAX);
    lw_status st = set_name(&m);
    if (st == LW_OK)
        st = set_groups(&m);
    if (st == LW_OK)
        st = set_uid(&m);
    if (st == LW_OK)
        st = set_extras(&m);
    if (st == LW_OK)
        st = check_claims(&m);
    if (st == LW_OK)
        st = check_user(&m);
    if (st == LW_OK)
        st = copy_user(&m, out);
    lw_arena_done(&m.arena);
    return st;
}
