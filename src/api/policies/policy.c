/* SPDX-License-Identifier: Apache-2.0 */
/* policy.c -- compiles stored policies and bindings. */
#include "api/policies/policy.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    ERROR_MAX = 64 * 1024,
};

static size_t count_of(const lw_node *list)
{
    return lw_node_is(list, LW_JSON_ARRAY) ? lw_node_count(list) : 0;
}

/* Reads the members |key| of a list of objects, and their |name|, as expressions. */
static void read_expressions(lw_arena *arena, const lw_node *list, const char *key,
                             const char *name, lw_policy_expressions *out)
{
    out->count = count_of(list);
    out->list = lw_arena_take_zero(arena, out->count + 1, sizeof(*out->list));
    for (size_t i = 0; out->list && i < out->count; i++) {
        const lw_node *item = lw_node_at(list, i);
        out->list[i].text = lw_arena_copy(arena, lw_fields_text_at(item, key));
        if (name)
            out->list[i].name = lw_arena_copy(arena, lw_fields_text(item, name));
    }
}

static lw_status compile_one(lw_policy *policy, lw_policy_expression *expression,
                             lw_policy_place place, lw_policy_wanted wanted)
{
    lw_buf why;
    if (lw_str_trim(expression->text).len == 0)
        return LW_OK;
    lw_buf_init(&why, ERROR_MAX);
    lw_status st = lw_policy_env_compile(&policy->env, expression->text, place, wanted,
                                         &expression->program, &why);
    if (st < 0 && st != LW_ERR_NOMEM) {
        expression->error = lw_arena_copy(&policy->arena, lw_buf_view(&why));
        st = policy->arena.st;
    }
    lw_buf_done(&why);
    return st;
}

static lw_status compile_all(lw_policy *policy, lw_policy_expressions *list, lw_policy_place place,
                             lw_policy_wanted wanted)
{
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < list->count; i++)
        st = compile_one(policy, &list->list[i], place, wanted);
    return st;
}

static lw_status compile_variables(lw_policy *policy)
{
    lw_policy_expressions *list = &policy->variables;
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < list->count; i++) {
        st = compile_one(policy, &list->list[i], LW_POLICY_IN_VALIDATION, LW_POLICY_WANTS_ANY);
        lw_policy_env_declare(&policy->env, list->list[i].name, list->list[i].program);
        policy->composed[i] = (lw_cel_composed){ list->list[i].name, list->list[i].program };
    }
    return st;
}

static lw_status compile_mutations(lw_policy *policy)
{
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < policy->mutations.count; i++)
        st = compile_one(policy, &policy->mutations.list[i], LW_POLICY_IN_MUTATION,
                         policy->applies[i] ? LW_POLICY_WANTS_OBJECT : LW_POLICY_WANTS_PATCHES);
    return st;
}

static lw_status compile(lw_policy *policy)
{
    lw_status st = compile_variables(policy);
    if (st == LW_OK)
        st = compile_all(policy, &policy->conditions, LW_POLICY_IN_CONDITION, LW_POLICY_WANTS_BOOL);
    if (st == LW_OK)
        st = compile_all(policy, &policy->validations, LW_POLICY_IN_VALIDATION,
                         LW_POLICY_WANTS_BOOL);
    if (st == LW_OK)
        st = compile_all(policy, &policy->messages, LW_POLICY_IN_MESSAGE, LW_POLICY_WANTS_STRING);
    if (st == LW_OK)
        st = compile_all(policy, &policy->annotations, LW_POLICY_IN_VALIDATION,
                         LW_POLICY_WANTS_STRING_OR_NULL);
    return st == LW_OK ? compile_mutations(policy) : st;
}

static void read_validations(lw_policy *policy, const lw_node *list)
{
    lw_arena *arena = &policy->arena;
    read_expressions(arena, list, "/expression", NULL, &policy->validations);
    read_expressions(arena, list, "/messageExpression", NULL, &policy->messages);
    policy->details =
        lw_arena_take_zero(arena, policy->validations.count + 1, sizeof(*policy->details));
    for (size_t i = 0; policy->details && i < policy->validations.count; i++) {
        const lw_node *item = lw_node_at(list, i);
        policy->details[i].message =
            lw_arena_copy(arena, lw_str_trim(lw_fields_text(item, "message")));
        policy->details[i].reason = lw_arena_copy(arena, lw_fields_text(item, "reason"));
    }
}

static void read_mutations(lw_policy *policy, const lw_node *list)
{
    lw_arena *arena = &policy->arena;
    read_expressions(arena, list, "/jsonPatch/expression", NULL, &policy->mutations);
    policy->applies = lw_arena_take_zero(arena, policy->mutations.count + 1, sizeof(bool));
    for (size_t i = 0; policy->applies && policy->mutations.list && i < policy->mutations.count;
         i++) {
        const lw_node *item = lw_node_at(list, i);
        policy->applies[i] =
            lw_str_equal(lw_fields_text(item, "patchType"), LW_STR("ApplyConfiguration"));
        if (policy->applies[i])
            policy->mutations.list[i].text =
                lw_arena_copy(arena, lw_fields_text_at(item, "/applyConfiguration/expression"));
    }
}

/* Compiles rules; those that cannot be compiled leave the reason. */
static lw_status read_rules(lw_arena *arena, const lw_node *node, lw_match_rules **rules,
                            lw_str *error)
{
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_match_rules_of_resources(rules, node, &err);
    if (st == LW_ERR_INVALID || st == LW_ERR_SYNTAX) {
        *error = lw_arena_copy(arena, lw_str_of(err.message));
        st = arena->st;
    }
    return st;
}

static lw_status read_policy(lw_policy *policy, const lw_node *root)
{
    lw_arena *arena = &policy->arena;
    const lw_node *spec = lw_node_get(root, LW_STR("spec"));
    const lw_node *param = lw_node_get(spec, LW_STR("paramKind"));
    policy->name = lw_arena_copy(arena, lw_fields_text_at(root, "/metadata/name"));
    policy->ignores_failures =
        lw_str_equal(lw_fields_text(spec, "failurePolicy"), LW_STR("Ignore"));
    policy->is_reinvoked =
        lw_str_equal(lw_fields_text(spec, "reinvocationPolicy"), LW_STR("IfNeeded"));
    policy->has_params = lw_node_is(param, LW_JSON_OBJECT);
    policy->param_version = lw_arena_copy(arena, lw_fields_text(param, "apiVersion"));
    policy->param_kind = lw_arena_copy(arena, lw_fields_text(param, "kind"));
    read_expressions(arena, lw_node_get(spec, LW_STR("matchConditions")), "/expression", "name",
                     &policy->conditions);
    read_expressions(arena, lw_node_get(spec, LW_STR("variables")), "/expression", "name",
                     &policy->variables);
    read_expressions(arena, lw_node_get(spec, LW_STR("auditAnnotations")), "/valueExpression",
                     "key", &policy->annotations);
    read_validations(policy, lw_node_get(spec, LW_STR("validations")));
    read_mutations(policy, lw_node_get(spec, LW_STR("mutations")));
    policy->composed =
        lw_arena_take_zero(arena, policy->variables.count + 1, sizeof(*policy->composed));
    if (arena->st < 0)
        return arena->st;
    lw_status st = read_rules(arena, lw_node_get(spec, LW_STR("matchConstraints")), &policy->rules,
                              &policy->rules_error);
    if (st == LW_OK)
        st = lw_policy_env_init(&policy->env, arena, policy->has_params, true,
                                policy->variables.count);
    return st == LW_OK ? compile(policy) : st;
}

lw_status lw_policy_new(lw_policy **out, lw_policy_type type, const lw_node *root)
{
    lw_policy *policy = lw_alloc_zero(1, sizeof(*policy));
    if (!policy)
        return LW_ERR_NOMEM;
    lw_ref_init(&policy->refs);
    lw_arena_init(&policy->arena, LW_POLICY_BYTES_MAX);
    policy->type = type;
    lw_status st = read_policy(policy, root);
    if (st < 0)
        lw_policy_unref(policy);
    else
        *out = policy;
    return st;
}

lw_policy *lw_policy_ref(lw_policy *policy)
{
    lw_ref_inc(&policy->refs);
    return policy;
}

static void free_programs(const lw_policy_expressions *list)
{
    for (size_t i = 0; list->list && i < list->count; i++)
        lw_cel_program_free(list->list[i].program);
}

void lw_policy_unref(lw_policy *policy)
{
    if (!policy || !lw_ref_dec(&policy->refs))
        return;
    free_programs(&policy->conditions);
    free_programs(&policy->validations);
    free_programs(&policy->messages);
    free_programs(&policy->annotations);
    free_programs(&policy->mutations);
    free_programs(&policy->variables);
    lw_match_rules_free(policy->rules);
    lw_arena_done(&policy->arena);
    lw_free(policy);
}

static void read_actions(lw_policy_binding *binding, const lw_node *list)
{
    static const struct {
        const char *name;
        unsigned action;
    } actions[] = { { "Deny", LW_POLICY_DENY },
                    { "Warn", LW_POLICY_WARN },
                    { "Audit", LW_POLICY_AUDIT } };
    for (size_t i = 0; i < count_of(list); i++) {
        for (size_t k = 0; k < sizeof(actions) / sizeof(actions[0]); k++) {
            if (lw_str_equal(lw_node_text(lw_node_at(list, i)), lw_str_of(actions[k].name)))
                binding->actions |= actions[k].action;
        }
    }
    lw_buf json;
    lw_json_writer w;
    lw_buf_init(&json, ERROR_MAX);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    lw_node_write(list, &w);
    binding->actions_json = lw_arena_copy(&binding->arena, lw_buf_view(&json));
    lw_buf_done(&json);
}

static lw_status read_selector(lw_policy_binding *binding, const lw_node *node)
{
    lw_buf json;
    lw_json_writer w;
    if (!node)
        return LW_OK;
    lw_buf_init(&json, LW_POLICY_BYTES_MAX);
    lw_json_writer_init(&w, &json, LW_JSON_COMPACT);
    lw_node_write(node, &w);
    lw_status st = json.st < 0 ? json.st
                               : lw_label_selector_from_json(&binding->param_selector,
                                                             lw_buf_view(&json), NULL);
    lw_buf_done(&json);
    return st;
}

static lw_status read_binding(lw_policy_binding *binding, const lw_node *root)
{
    lw_arena *arena = &binding->arena;
    const lw_node *spec = lw_node_get(root, LW_STR("spec"));
    const lw_node *param = lw_node_get(spec, LW_STR("paramRef"));
    const lw_node *match = lw_node_get(spec, LW_STR("matchResources"));
    binding->name = lw_arena_copy(arena, lw_fields_text_at(root, "/metadata/name"));
    binding->policy = lw_arena_copy(arena, lw_fields_text(spec, "policyName"));
    binding->has_param_ref = lw_node_is(param, LW_JSON_OBJECT);
    binding->param_ns = lw_arena_copy(arena, lw_fields_text(param, "namespace"));
    binding->param_name = lw_arena_copy(arena, lw_fields_text(param, "name"));
    binding->denies_without_params =
        lw_str_equal(lw_fields_text(param, "parameterNotFoundAction"), LW_STR("Deny"));
    read_actions(binding, lw_node_get(spec, LW_STR("validationActions")));
    lw_status st = arena->st;
    if (st == LW_OK)
        st = read_selector(binding, lw_node_get(param, LW_STR("selector")));
    if (st == LW_OK && lw_node_is(match, LW_JSON_OBJECT))
        st = read_rules(arena, match, &binding->rules, &binding->rules_error);
    return st;
}

lw_status lw_policy_binding_new(lw_policy_binding **out, const lw_node *root)
{
    lw_policy_binding *binding = lw_alloc_zero(1, sizeof(*binding));
    if (!binding)
        return LW_ERR_NOMEM;
    lw_ref_init(&binding->refs);
    lw_arena_init(&binding->arena, LW_POLICY_BYTES_MAX);
    lw_status st = read_binding(binding, root);
    if (st < 0)
        lw_policy_binding_unref(binding);
    else
        *out = binding;
    return st;
}

lw_policy_binding *lw_policy_binding_ref(lw_policy_binding *binding)
{
    lw_ref_inc(&binding->refs);
    return binding;
}

void lw_policy_binding_unref(lw_policy_binding *binding)
{
    if (!binding || !lw_ref_dec(&binding->refs))
        return;
    lw_match_rules_free(binding->rules);
    lw_label_selector_free(binding->param_selector);
    lw_arena_done(&binding->arena);
    lw_free(binding);
}
