/* SPDX-License-Identifier: Apache-2.0 */
/* structural_rules.c -- evaluates the rules of a schema on objects.
 *
 * A rule that uses oldSelf is evaluated if there is an old value.  Another rule that fails is
 * ignored if the value is unchanged ("ratcheting").  All rules of an object share one cost
 * budget. */
#include "schema/structural/structural_rules.h"

#include "base/str.h"
#include "schema/structural/structural_index.h"

enum {
    TEXT_MAX = 64 * 1024,
    MESSAGE_MAX = 5 * 1024, /* bytes of the result of a messageExpression */
    COST_PER_STEP = 4,    /* units of CEL's cost in the time of one step of the request's budget */
    EVALUATION_STEPS = 8, /* of an evaluation, whatever it costs */
};

/* The evaluation of the rules on one object. */
typedef struct evaluation {
    lw_structural_check *check;
    uint64_t left; /* remaining budget */
    bool is_over;  /* the budget is used up: no more rules are evaluated */
} evaluation;

static void evaluate_value(evaluation *e, const lw_structural_node *schema, const lw_node *value,
                           const lw_node *old);

static lw_str shown_type(const lw_structural_node *schema)
{
    static const lw_str shown[] = {
        [LW_STRUCTURAL_ANY] = LW_STR_INIT("\"\""),
        [LW_STRUCTURAL_OBJECT] = LW_STR_INIT("\"object\""),
        [LW_STRUCTURAL_ARRAY] = LW_STR_INIT("\"array\""),
        [LW_STRUCTURAL_STRING] = LW_STR_INIT("\"string\""),
        [LW_STRUCTURAL_INTEGER] = LW_STR_INIT("\"integer\""),
        [LW_STRUCTURAL_NUMBER] = LW_STR_INIT("\"number\""),
        [LW_STRUCTURAL_BOOLEAN] = LW_STR_INIT("\"boolean\""),
    };
    return shown[schema->type];
}

/* Adds an error whose detail is |before|, |text| and |after|. */
static void add_error(evaluation *e, const lw_structural_node *schema, const char *before,
                      lw_str text, const char *after, const lw_structural_rule *rule)
{
    lw_buf detail;
    lw_str name = lw_str_trim(rule->message.len > 0 ? rule->message : rule->rule);
    lw_buf_init(&detail, TEXT_MAX);
    lw_buf_printf(&detail, "%s%.*s%s%.*s", before, LW_STR_ARG(text), after, LW_STR_ARG(name));
    lw_buf_append_char(&detail, '\0');
    if (detail.st == LW_OK)
        lw_structural_error(e->check, "FieldValueInvalid", "Invalid value", shown_type(schema),
                            detail.data);
    else if (e->check->errors->st == LW_OK)
        e->check->errors->st = detail.st;
    lw_buf_done(&detail);
}

/* Adds the error that |rule| failed, with its reason and path. */
static void add_error_rule(evaluation *e, const lw_structural_node *schema,
                           const lw_structural_rule *rule, const lw_node *value,
                           const char *message)
{
    lw_structural_check *c = e->check;
    bool is_large = schema->type == LW_STRUCTURAL_OBJECT || schema->type == LW_STRUCTURAL_ARRAY;
    lw_str shown = is_large ? LW_STR("") : lw_structural_show(c, value);
    size_t len = c->path.len;
    if (rule->field_path.len > 0) {
        if (len > 0 && rule->field_path.ptr[0] != '[')
            lw_buf_append_char(&c->path, '.');
        lw_buf_append_str(&c->path, rule->field_path);
    }
    if (lw_str_equal(rule->reason, LW_STR("FieldValueForbidden")))
        lw_structural_error(c, "FieldValueForbidden", "Forbidden", LW_STR(""), message);
    else if (lw_str_equal(rule->reason, LW_STR("FieldValueRequired")))
        lw_structural_error(c, "FieldValueRequired", "Required value", LW_STR(""), message);
    else if (lw_str_equal(rule->reason, LW_STR("FieldValueDuplicate")))
        lw_structural_error(c, "FieldValueDuplicate", "Duplicate value", shown, "");
    else
        lw_structural_error(c, "FieldValueInvalid", "Invalid value", shown, message);
    lw_buf_truncate(&c->path, len);
}

/* Charges |cost| to the budget of the rules and to that of the request. */
static void charge(evaluation *e, uint64_t cost)
{
    e->left -= cost > e->left ? e->left : cost;
    if (!lw_budget_charge(e->check->budget, EVALUATION_STEPS + cost / COST_PER_STEP))
        e->is_over = true;
}

/* Evaluates |program|.  False: there is no result, and the reason was reported. */
static bool evaluate_program(evaluation *e, const lw_structural_node *schema,
                             const lw_structural_rule *rule, const lw_cel_program *program,
                             const lw_cel_binding *values, lw_cel_outcome *outcome)
{
    lw_status st = lw_cel_eval(program, values, LW_CEL_CALL_COST_MAX, outcome);
    if (st < 0) {
        e->is_over = true;
        if (e->check->errors->st == LW_OK)
            e->check->errors->st = st;
        return false;
    }
    bool is_known = outcome->verdict == LW_CEL_VALUE;
    lw_str text = lw_buf_view(&outcome->text);
    if (outcome->verdict == LW_CEL_TOO_COSTLY) {
        add_error(e, schema, "'", text,
                  "': no further validation rules will be run due to call cost exceeds limit for "
                  "rule: ",
                  rule);
        e->is_over = true;
    } else if (outcome->cost > e->left) {
        lw_structural_error(e->check, "FieldValueInvalid", "Invalid value", shown_type(schema),
                            "validation failed due to running out of cost budget, no further "
                            "validation rules will be run");
        e->is_over = true;
        is_known = false;
    } else if (lw_str_starts_with(text, LW_STR("no such overload")) && !is_known) {
        add_error(
            e, schema, "'", text,
            "': call arguments did not match a supported operator, function or macro signature "
            "for rule: ",
            rule);
    } else if (!is_known) {
        add_error(e, schema, "", text, " evaluating rule: ", rule);
    }
    charge(e, outcome->cost);
    if (!is_known)
        lw_cel_outcome_done(outcome);
    return is_known;
}

/* Evaluates messageExpression into |message|; false: it has no usable result. */
static bool evaluate_message(evaluation *e, const lw_structural_rule *rule,
                             const lw_cel_binding *values, lw_buf *message)
{
    lw_cel_outcome outcome;
    if (!rule->words)
        return false;
    lw_status st = lw_cel_eval(rule->words, values, LW_CEL_CALL_COST_MAX, &outcome);
    if (st < 0) {
        if (e->check->errors->st == LW_OK)
            e->check->errors->st = st;
        return false;
    }
    charge(e, outcome.cost);
    lw_str text = lw_str_trim(lw_buf_view(&outcome.text));
    bool is_good = outcome.verdict == LW_CEL_VALUE && text.len > 0 && text.len <= MESSAGE_MAX &&
                   !memchr(text.ptr, '\n', text.len);
    if (is_good)
        lw_buf_append_str(message, text);
    lw_cel_outcome_done(&outcome);
    return is_good;
}

static void report_failure(evaluation *e, const lw_structural_node *schema,
                           const lw_structural_rule *rule, const lw_cel_binding *values)
{
    lw_buf message;
    lw_buf_init(&message, TEXT_MAX);
    if (!evaluate_message(e, rule, values, &message)) {
        if (rule->message.len == 0)
            lw_buf_append_text(&message, "failed rule: ");
        lw_buf_append_str(&message,
                          lw_str_trim(rule->message.len > 0 ? rule->message : rule->rule));
    }
    lw_buf_append_char(&message, '\0');
    if (message.st == LW_OK)
        add_error_rule(e, schema, rule, values[0].node, message.data);
    else if (e->check->errors->st == LW_OK)
        e->check->errors->st = message.st;
    lw_buf_done(&message);
}

static void evaluate_rules(evaluation *e, const lw_structural_node *schema, const lw_node *value,
                           const lw_node *old)
{
    lw_cel_binding values[2] = { { value, true }, { old, old != NULL } };
    for (size_t i = 0; i < schema->rule_count && !e->is_over; i++) {
        const lw_structural_rule *rule = &schema->rules[i];
        lw_cel_outcome outcome;
        if (!rule->program || (rule->uses_old && !old && !rule->takes_new) ||
            !evaluate_program(e, schema, rule, rule->program, values, &outcome))
            continue;
        bool holds = outcome.boolean;
        lw_cel_outcome_done(&outcome);
        if (!holds &&
            (rule->uses_old || !old || !lw_node_equal_within(value, old, e->check->budget)))
            report_failure(e, schema, rule, values);
    }
}

static void evaluate_members(evaluation *e, const lw_structural_node *schema, const lw_node *value,
                             const lw_node *old)
{
    lw_structural_check *c = e->check;
    size_t len = c->path.len;
    for (size_t i = 0; i < lw_node_count(value) && !e->is_over; i++) {
        lw_str name = lw_node_key_at(value, i);
        const lw_structural_node *member = lw_structural_property_of(schema, name);
        bool is_key = !member;
        member = member ? member : schema->additional;
        if (!member || !member->has_rules)
            continue;
        if (is_key)
            lw_buf_printf(&c->path, "[%.*s]", LW_STR_ARG(name));
        else
            lw_structural_enter(c, name);
        evaluate_value(e, member, lw_node_at(value, i),
                       lw_node_is(old, LW_JSON_OBJECT) ? lw_node_get(old, name) : NULL);
        lw_buf_truncate(&c->path, len);
    }
}

static void evaluate_items(evaluation *e, const lw_structural_node *schema, const lw_node *value,
                           const lw_node *old)
{
    lw_structural_check *c = e->check;
    size_t len = c->path.len;
    lw_structural_olds olds;
    lw_structural_olds_init(&olds, c, schema, old);
    for (size_t i = 0; i < lw_node_count(value) && !e->is_over; i++) {
        const lw_node *element = lw_node_at(value, i);
        lw_structural_enter_item(&c->path, i);
        evaluate_value(e, schema->items, element, lw_structural_olds_find(&olds, element));
        lw_buf_truncate(&c->path, len);
    }
    lw_structural_olds_done(&olds);
}

static void evaluate_value(evaluation *e, const lw_structural_node *schema, const lw_node *value,
                           const lw_node *old)
{
    if (!schema->has_rules || e->is_over || lw_node_type(value) == LW_JSON_NULL ||
        e->check->errors->cause_count >= LW_STRUCTURAL_ERRORS_MAX)
        return;
    evaluate_rules(e, schema, value, old);
    if (lw_node_is(value, LW_JSON_OBJECT))
        evaluate_members(e, schema, value, old);
    else if (lw_node_is(value, LW_JSON_ARRAY) && schema->items && schema->items->has_rules)
        evaluate_items(e, schema, value, old);
}

void lw_structural_check_rules(lw_structural_check *c, const lw_structural_node *schema,
                               const lw_node *object, const lw_node *old)
{
    evaluation e = { .check = c, .left = LW_STRUCTURAL_OBJECT_COST_MAX };
    lw_budget_enter(c->budget, LW_BUDGET_RULES);
    evaluate_value(&e, schema, object, old);
}
