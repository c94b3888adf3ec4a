/* SPDX-License-Identifier: Apache-2.0 */
/* policy_check.c -- compiles the expressions of a policy and reports what does not compile. */
#include "api/policies/policy_check.h"

#include <stdio.h>
#include <string.h>

#include "api/pending/field_path.h"
#include "api/pending/value_validation.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    ERROR_MAX = 64 * 1024,
    CHECKED_BYTES_MAX = 16 * 1024 * 1024, /* memory of the declarations */
};

typedef struct checker {
    lw_policy_env env;
    lw_api_status *errors;
} checker;

static size_t count_of(const lw_node *list)
{
    return lw_node_is(list, LW_JSON_ARRAY) ? lw_node_count(list) : 0;
}

/* Compiles |text| and reports an error at |field|.  |out| may be NULL. */
static void compile(checker *c, lw_str text, const char *field, lw_policy_place place,
                    lw_policy_wanted wanted, lw_cel_program **out)
{
    lw_cel_program *program = NULL;
    lw_buf why;
    if (lw_str_trim(text).len == 0)
        return; /* required values are checked elsewhere */
    lw_buf_init(&why, ERROR_MAX);
    lw_status st = lw_policy_env_compile(&c->env, text, place, wanted, &program, &why);
    if (st == LW_ERR_NOMEM || why.st == LW_ERR_NOMEM)
        c->errors->st = LW_ERR_NOMEM;
    else if (st < 0)
        lw_api_status_add_field_error(c->errors, LW_FIELD_INVALID, lw_str_of(field), text,
                                      lw_buf_view(&why));
    lw_buf_done(&why);
    if (out)
        *out = program;
    else
        lw_cel_program_free(program);
}

/* Reports a value that is missing or blank. */
static bool is_there(checker *c, lw_str text, const char *field, const char *detail)
{
    if (lw_str_trim(text).len > 0)
        return true;
    lw_api_status_add_field_error(c->errors, LW_FIELD_REQUIRED, lw_str_of(field), LW_STR(""),
                                  lw_str_of(detail));
    return false;
}

/* Reports element |index| of |list| if its member |key| is that of an element before. */
static void check_duplicate(checker *c, const lw_node *list, size_t index, const char *field,
                            const char *key)
{
    lw_str name = lw_fields_text(lw_node_at(list, index), key);
    for (size_t i = 0; name.len > 0 && i < index; i++) {
        if (!lw_str_equal(lw_fields_text(lw_node_at(list, i), key), name))
            continue;
        lw_api_status_add_field_error(c->errors, LW_FIELD_DUPLICATE, lw_str_of(field), name,
                                      LW_STR(""));
        return;
    }
}

static void check_condition(checker *c, const lw_node *list, size_t index)
{
    char field[LW_FIELD_PATH_SIZE];
    const lw_node *item = lw_node_at(list, index);
    lw_field_path at = lw_field_path_item(NULL, LW_STR("spec.matchConditions"), index);
    lw_field_path name_at = lw_field_path_in(&at, LW_STR("name"));
    lw_name_problems problems = { 0 };
    lw_str name = lw_fields_text(item, "name");
    lw_str expression = lw_str_trim(lw_fields_text(item, "expression"));
    (void)snprintf(field, sizeof(field), "spec.matchConditions[%zu].expression", index);
    if (is_there(c, expression, field, ""))
        compile(c, expression, field, LW_POLICY_IN_CONDITION, LW_POLICY_WANTS_BOOL, NULL);
    (void)snprintf(field, sizeof(field), "spec.matchConditions[%zu].name", index);
    if (name.len == 0)
        (void)is_there(c, name, field, "");
    else if (!lw_name_is_qualified(name, &problems))
        lw_value_errors_of_name(c->errors, &name_at, name, &problems);
    check_duplicate(c, list, index, field, "name");
}

static void check_conditions(checker *c, const lw_node *list)
{
    enum {
        CONDITIONS_MAX = 64, /* more are refused elsewhere */
    };
    for (size_t i = 0; i < count_of(list) && i < CONDITIONS_MAX; i++)
        check_condition(c, list, i);
}

static bool is_identifier(lw_str name)
{
    for (size_t i = 0; i < name.len; i++) {
        char ch = name.ptr[i];
        bool is_letter = ch == '_' || (ch >= 'a' && ch <= 'z') || (ch >= 'A' && ch <= 'Z');
        if (!is_letter && !(i > 0 && lw_char_is_digit(ch)))
            return false;
    }
    return name.len > 0 && !lw_cel_is_reserved(name);
}

/* The programs of the variables must live as long as other expressions use their types. */
static void check_variables(checker *c, const lw_node *list, lw_cel_program **programs)
{
    char field[LW_FIELD_PATH_SIZE];
    for (size_t i = 0; i < count_of(list); i++) {
        const lw_node *item = lw_node_at(list, i);
        lw_str name = lw_fields_text(item, "name");
        (void)snprintf(field, sizeof(field), "spec.variables[%zu].name", i);
        if (is_there(c, name, field, "name is not specified") && !is_identifier(name))
            lw_api_status_add_field_error(c->errors, LW_FIELD_INVALID, lw_str_of(field), name,
                                          LW_STR("must be a valid CEL identifier"));
        (void)snprintf(field, sizeof(field), "spec.variables[%zu].expression", i);
        (void)is_there(c, lw_fields_text(item, "expression"), field, "expression is not specified");
        compile(c, lw_fields_text(item, "expression"), field, LW_POLICY_IN_VALIDATION,
                LW_POLICY_WANTS_ANY, &programs[i]);
        lw_policy_env_declare(&c->env, name, programs[i]);
    }
}

static void check_message(checker *c, const lw_node *item, size_t index)
{
    char field[LW_FIELD_PATH_SIZE];
    lw_str message = lw_fields_text(item, "message"), trimmed = lw_str_trim(message);
    (void)snprintf(field, sizeof(field), "spec.validations[%zu].message", index);
    if (message.len > 0 && trimmed.len == 0)
        lw_api_status_add_field_error(c->errors, LW_FIELD_INVALID, lw_str_of(field), message,
                                      LW_STR("must be non-empty if specified"));
    else if (trimmed.len > 0 && memchr(trimmed.ptr, '\n', trimmed.len))
        lw_api_status_add_field_error(c->errors, LW_FIELD_INVALID, lw_str_of(field), message,
                                      LW_STR("must not contain line breaks"));
}

static void check_validation(checker *c, const lw_node *item, size_t index)
{
    static const lw_value_rule rules[] = {
        { "reason", LW_VALUE_ONE_OF, "Forbidden|Invalid|RequestEntityTooLarge" },
        { NULL, LW_VALUE_REQUIRED, NULL },
    };
    char field[LW_FIELD_PATH_SIZE];
    lw_str expression = lw_fields_text(item, "expression");
    lw_str message = lw_fields_text(item, "messageExpression");
    (void)snprintf(field, sizeof(field), "spec.validations[%zu].expression", index);
    if (is_there(c, expression, field, "expression is not specified"))
        compile(c, expression, field, LW_POLICY_IN_VALIDATION, LW_POLICY_WANTS_BOOL, NULL);
    (void)snprintf(field, sizeof(field), "spec.validations[%zu].messageExpression", index);
    if (message.len > 0 && lw_str_trim(message).len == 0)
        lw_api_status_add_field_error(c->errors, LW_FIELD_INVALID, lw_str_of(field), message,
                                      LW_STR("must be non-empty if specified"));
    compile(c, message, field, LW_POLICY_IN_MESSAGE, LW_POLICY_WANTS_STRING, NULL);
    check_message(c, item, index);
    (void)snprintf(field, sizeof(field), "spec.validations[%zu]", index);
    lw_value_validate(rules, item, field, c->errors);
}

static void check_validations(checker *c, const lw_node *list)
{
    for (size_t i = 0; i < count_of(list); i++)
        check_validation(c, lw_node_at(list, i), i);
}

static void check_annotations(checker *c, const lw_node *list)
{
    enum {
        ANNOTATIONS_MAX = 20, /* more are refused elsewhere */
    };
    char field[LW_FIELD_PATH_SIZE];
    if (count_of(list) > ANNOTATIONS_MAX)
        return;
    for (size_t i = 0; i < count_of(list); i++) {
        (void)snprintf(field, sizeof(field), "spec.auditAnnotations[%zu].valueExpression", i);
        compile(c, lw_fields_text(lw_node_at(list, i), "valueExpression"), field,
                LW_POLICY_IN_VALIDATION, LW_POLICY_WANTS_STRING_OR_NULL, NULL);
        (void)snprintf(field, sizeof(field), "spec.auditAnnotations[%zu].key", i);
        check_duplicate(c, list, i, field, "key");
    }
}

static void check_mutations(checker *c, const lw_node *list)
{
    char field[LW_FIELD_PATH_SIZE];
    for (size_t i = 0; i < count_of(list); i++) {
        const lw_node *item = lw_node_at(list, i);
        bool applies =
            lw_str_equal(lw_fields_text(item, "patchType"), LW_STR("ApplyConfiguration"));
        const char *key = applies ? "applyConfiguration" : "jsonPatch";
        const lw_node *mutation = lw_node_get(item, lw_str_of(key));
        (void)snprintf(field, sizeof(field), "spec.mutations[%zu].%s.expression", i, key);
        compile(c, lw_str_trim(lw_fields_text(mutation, "expression")), field,
                LW_POLICY_IN_MUTATION, applies ? LW_POLICY_WANTS_OBJECT : LW_POLICY_WANTS_PATCHES,
                NULL);
    }
}

void lw_policy_check(lw_policy_type type, const lw_node *root, lw_api_status *errors)
{
    const lw_node *spec = lw_node_get(root, LW_STR("spec"));
    const lw_node *variables = lw_node_get(spec, LW_STR("variables"));
    size_t count = count_of(variables);
    lw_arena arena;
    checker c = { .errors = errors };
    lw_arena_init(&arena, CHECKED_BYTES_MAX);
    lw_cel_program **programs = lw_arena_take_zero(&arena, count + 1, sizeof(lw_cel_program *));
    lw_status st = programs ? lw_policy_env_init(&c.env, &arena,
                                                 lw_node_get(spec, LW_STR("paramKind")) != NULL,
                                                 count > 0 || type == LW_POLICY_MUTATING, count)
                            : arena.st;
    if (st == LW_OK) {
        check_conditions(&c, lw_node_get(spec, LW_STR("matchConditions")));
        check_variables(&c, variables, programs);
        check_validations(&c, lw_node_get(spec, LW_STR("validations")));
        check_annotations(&c, lw_node_get(spec, LW_STR("auditAnnotations")));
        check_mutations(&c, lw_node_get(spec, LW_STR("mutations")));
    } else {
        errors->st = st;
    }
    for (size_t i = 0; programs && i < count; i++)
        lw_cel_program_free(programs[i]);
    lw_arena_done(&arena);
}
