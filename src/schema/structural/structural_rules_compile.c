/* SPDX-License-Identifier: Apache-2.0 */
/* structural_rules_compile.c -- compiles the rules of a schema, and reports errors in the words of
 * Kubernetes when the definition is written. */
#include <stdio.h>

#include "base/alloc.h"
#include "base/str.h"
#include "schema/structural/structural_rules.h"

enum {
    RULES_MAX = 1000, /* limit for one schema */
    WHY_MAX = 64 * 1024,
    DETAIL_SIZE = 512,
    REQUEST_MAX = 3 * 1024 * 1024,
};

typedef struct lw_structural_scope scope;

/* Adds an error for |member| of rule |index|. */
static void add_error(scope *s, size_t index, const char *member, lw_field_fault kind, lw_str value,
                      lw_str detail)
{
    size_t len = s->path->len;
    lw_buf_printf(s->path, ".x-kubernetes-validations[%zu].%s", index, member);
    if (s->path->st == LW_OK)
        lw_api_status_add_field_error(s->errors, kind, lw_buf_view(s->path), value, detail);
    else if (s->st == LW_OK)
        s->st = s->path->st;
    lw_buf_truncate(s->path, len);
}

static lw_str keep(scope *s, const lw_node *from, const char *member)
{
    lw_str text = lw_node_text(lw_node_get(from, lw_str_of(member)));
    return lw_node_text(lw_tree_string(s->texts, text));
}

static bool has_line_break(lw_str text)
{
    return text.len > 0 && (memchr(text.ptr, '\n', text.len) || memchr(text.ptr, '\r', text.len));
}

static void check_texts(scope *s, size_t index, const lw_node *from, lw_structural_rule *rule)
{
    static const char *const reasons[] = { "FieldValueInvalid", "FieldValueForbidden",
                                           "FieldValueRequired", "FieldValueDuplicate" };
    bool is_known = rule->reason.len == 0;
    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        is_known = is_known || lw_str_equal(rule->reason, lw_str_of(reasons[i]));
    lw_str words = lw_node_text(lw_node_get(from, LW_STR("messageExpression")));
    if (lw_str_trim(rule->rule).len == 0)
        add_error(s, index, "rule", LW_FIELD_REQUIRED, LW_STR(""), LW_STR("rule is not specified"));
    if (rule->message.len > 0 && lw_str_trim(rule->message).len == 0)
        add_error(s, index, "message", LW_FIELD_INVALID, rule->message,
                  LW_STR("must be non-empty if specified"));
    else if (has_line_break(lw_str_trim(rule->message)))
        add_error(s, index, "message", LW_FIELD_INVALID, rule->message,
                  LW_STR("must not contain line breaks"));
    else if (rule->message.len == 0 && words.len == 0 && has_line_break(lw_str_trim(rule->rule)))
        add_error(s, index, "message", LW_FIELD_REQUIRED, LW_STR(""),
                  LW_STR("message must be specified if rule contains line breaks"));
    if (words.len > 0 && lw_str_trim(words).len == 0)
        add_error(s, index, "messageExpression", LW_FIELD_REQUIRED, LW_STR(""),
                  LW_STR("messageExpression must be non-empty if specified"));
    if (!is_known)
        add_error(s, index, "reason", LW_FIELD_NOT_SUPPORTED, rule->reason,
                  LW_STR("supported values: \"FieldValueDuplicate\", \"FieldValueForbidden\", "
                         "\"FieldValueInvalid\", \"FieldValueRequired\""));
}

/* Compiles one expression; errors are reported for |member|. */
static lw_cel_program *compile(scope *s, size_t index, const char *member, lw_str text,
                               const lw_structural_rule *rule, lw_cel_kind kind)
{
    lw_cel_program *program = NULL;
    lw_buf why;
    lw_buf_init(&why, WHY_MAX);
    lw_buf_append_text(&why, "compilation failed: ");
    lw_status st = lw_cel_compile(&program, text, rule->names, 2, &why);
    if (st == LW_ERR_NOMEM || why.st == LW_ERR_NOMEM) {
        s->st = LW_ERR_NOMEM;
    } else if (st < 0) {
        add_error(s, index, member, LW_FIELD_INVALID, text, lw_buf_view(&why));
    } else if (lw_cel_program_kind(program) != kind) {
        add_error(s, index, member, LW_FIELD_INVALID, text,
                  kind == LW_CEL_BOOL ? LW_STR("cel expression must evaluate to a bool")
                                      : LW_STR("messageExpression must evaluate to a string"));
        lw_cel_program_free(program);
        program = NULL;
    }
    lw_buf_done(&why);
    return program;
}

/* "exceeds budget by factor of 2.5x", or "more than 100x". */
static void add_error_cost(scope *s, size_t index, const char *member, const char *what,
                           uint64_t cost, uint64_t most)
{
    char factor[32], detail[DETAIL_SIZE];
    double times = (double)cost / (double)most;
    if (times > 100)
        (void)snprintf(factor, sizeof(factor), "more than 100x");
    else
        (void)snprintf(factor, sizeof(factor), times < 1.5 ? "%fx" : "%.1fx", times);
    (void)snprintf(detail, sizeof(detail),
                   "%s exceeds budget by factor of %s (try simplifying the rule, or adding "
                   "maxItems, maxProperties, and maxLength where arrays, maps, and strings are "
                   "declared)",
                   what, factor);
    if (index != SIZE_MAX)
        add_error(s, index, member, LW_FIELD_FORBIDDEN, LW_STR(""), lw_str_of(detail));
    else
        lw_api_status_add_field_error(s->errors, LW_FIELD_FORBIDDEN, lw_buf_view(s->path),
                                      LW_STR(""), lw_str_of(detail));
}

/* Remembers the path of an expression that is a good part of the limit of the whole schema. */
static void note_expensive(scope *s, size_t index, const char *member, uint64_t cost)
{
    size_t at = s->expensive_count, len = s->path->len;
    while (at > 0 && s->expensive[at - 1].cost < cost)
        at--;
    if (cost < LW_STRUCTURAL_SCHEMA_COST_MAX / 100 || at == LW_STRUCTURAL_EXPENSIVE_MAX)
        return;
    if (s->expensive_count < LW_STRUCTURAL_EXPENSIVE_MAX)
        s->expensive_count++;
    for (size_t i = s->expensive_count - 1; i > at; i--)
        s->expensive[i] = s->expensive[i - 1];
    lw_buf_printf(s->path, ".x-kubernetes-validations[%zu].%s", index, member);
    s->expensive[at].path = lw_arena_copy(s->types, lw_buf_view(s->path));
    s->expensive[at].cost = cost;
    lw_buf_truncate(s->path, len);
}

/* Checks the cost of a program on an object.  A rule is evaluated for each value of its schema, its
 * message at most once. */
static void check_cost(scope *s, size_t index, const char *member, const lw_structural_node *node,
                       const lw_cel_program *program)
{
    uint64_t each = lw_cel_program_max_cost(program), times = s->cardinality;
    if (times == LW_CEL_UNBOUNDED)
        times = REQUEST_MAX / (node->min_size + 1);
    if (member[0] == 'm')
        times = 1;
    uint64_t cost = times != 0 && each > UINT64_MAX / times ? UINT64_MAX : each * times;
    if (cost > LW_STRUCTURAL_RULE_COST_MAX)
        add_error_cost(s, index, member,
                       member[0] == 'r' ? "estimated rule cost"
                                        : "estimated messageExpression cost",
                       cost, LW_STRUCTURAL_RULE_COST_MAX);
    s->cost = cost > UINT64_MAX - s->cost ? UINT64_MAX : s->cost + cost;
    note_expensive(s, index, member, cost);
}

void lw_structural_check_total(lw_structural_scope *s)
{
    if (s->cost <= LW_STRUCTURAL_SCHEMA_COST_MAX)
        return;
    for (size_t i = 0; i < s->expensive_count; i++)
        lw_api_status_add_field_error(s->errors, LW_FIELD_FORBIDDEN, s->expensive[i].path,
                                      LW_STR(""),
                                      LW_STR("contributed to estimated rule cost total exceeding "
                                             "cost limit for entire OpenAPIv3 schema"));
    add_error_cost(s, SIZE_MAX, "",
                   "x-kubernetes-validations estimated rule cost total for entire OpenAPIv3 schema",
                   s->cost, LW_STRUCTURAL_SCHEMA_COST_MAX);
}

/* oldSelf is allowed only where the old value can be correlated. */
static void check_old(scope *s, size_t index, const lw_node *from, const lw_structural_rule *rule)
{
    char detail[DETAIL_SIZE];
    bool says_optional = lw_node_get(from, LW_STR("optionalOldSelf")) != NULL;
    if (!rule->uses_old && says_optional)
        add_error(s, index, "optionalOldSelf", LW_FIELD_INVALID,
                  rule->takes_new ? LW_STR("true") : LW_STR("false"),
                  LW_STR("may not be set if oldSelf is not used in rule"));
    if (!rule->uses_old || s->uncorrelated_len == 0)
        return;
    (void)snprintf(detail, sizeof(detail),
                   "oldSelf cannot be used on the uncorrelatable portion of the schema within %.*s",
                   (int)s->uncorrelated_len, s->path->data);
    add_error(s, index, "rule", LW_FIELD_INVALID, rule->rule, lw_str_of(detail));
}

/* Reads fieldPath, names below the value: ".spec.size", or "['a-b']". */
static void read_field_path(scope *s, size_t index, const lw_structural_node *node,
                            lw_structural_rule *rule)
{
    lw_str rest = rule->field_path, name;
    if (rest.len == 0)
        return;
    if (rest.ptr[0] == '.')
        rule->field_path = rest = lw_str_skip(rest, 1);
    while (node && rest.len > 0 && rest.ptr[0] != '[') {
        (void)lw_str_cut(rest, '.', &name, &rest);
        size_t bracket = 0;
        while (bracket < name.len && name.ptr[bracket] != '[')
            bracket++;
        if (bracket < name.len)
            return;
        node = node->additional ? node->additional : lw_structural_property_of(node, name);
    }
    if (!node)
        add_error(s, index, "fieldPath", LW_FIELD_INVALID, rule->field_path,
                  LW_STR("fieldPath must be a valid path"));
}

static void read_rule(scope *s, size_t index, const lw_node *from, const lw_structural_node *node,
                      lw_structural_rule *rule)
{
    rule->rule = keep(s, from, "rule");
    rule->message = keep(s, from, "message");
    rule->reason = keep(s, from, "reason");
    rule->field_path = keep(s, from, "fieldPath");
    rule->takes_new = lw_node_bool(lw_node_get(from, LW_STR("optionalOldSelf")));
    lw_str words = keep(s, from, "messageExpression");
    check_texts(s, index, from, rule);
    read_field_path(s, index, node, rule);
    const lw_cel_type *old = node->rule_type;
    if (rule->takes_new) {
        lw_cel_type *optional = lw_arena_take_zero(s->types, 1, sizeof(*optional));
        if (!optional)
            return;
        *optional =
            (lw_cel_type){ .kind = LW_CEL_OPTIONAL, .elem = old, .max_size = old->max_size };
        old = optional;
    }
    rule->names[0] = (lw_cel_variable){ LW_STR("self"), node->rule_type };
    rule->names[1] = (lw_cel_variable){ LW_STR("oldSelf"), old };
    if (lw_str_trim(rule->rule).len == 0)
        return;
    rule->program = compile(s, index, "rule", rule->rule, rule, LW_CEL_BOOL);
    if (rule->program)
        check_cost(s, index, "rule", node, rule->program);
    if (lw_str_trim(words).len > 0)
        rule->words = compile(s, index, "messageExpression", words, rule, LW_CEL_STRING);
    if (rule->words)
        check_cost(s, index, "messageExpression", node, rule->words);
    rule->uses_old = rule->program && lw_cel_program_uses(rule->program, 1);
    if (rule->program)
        check_old(s, index, from, rule);
}

void lw_structural_read_rules(lw_structural_scope *s, const lw_node *schema,
                              lw_structural_node *node)
{
    const lw_node *list = lw_node_get(schema, LW_STR("x-kubernetes-validations"));
    size_t count = lw_node_count(list);
    if (!lw_node_is(list, LW_JSON_ARRAY) || count == 0 || s->st < 0)
        return;
    if (!node->rule_type || count > RULES_MAX) {
        add_error(s, 0, "rule", LW_FIELD_FORBIDDEN, LW_STR(""),
                  node->rule_type
                      ? LW_STR("too many rules: the limit is 1000")
                      : LW_STR("rules require a schema that declares the type of the value"));
        return;
    }
    node->rules = lw_alloc_zero(count, sizeof(*node->rules));
    if (!node->rules) {
        s->st = LW_ERR_NOMEM;
        return;
    }
    node->has_rules = true;
    for (size_t i = 0; i < count && s->st == LW_OK; i++)
        read_rule(s, i, lw_node_at(list, i), node, &node->rules[node->rule_count++]);
}
