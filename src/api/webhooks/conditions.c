/* SPDX-License-Identifier: Apache-2.0 */
/* conditions.c -- compiles and evaluates matchConditions. */
#include "api/webhooks/conditions.h"

#include "base/alloc.h"
#include "base/str.h"
#include "cel/cel.h"
#include "json/fields.h"

enum {
    WHY_MAX = 64 * 1024,
};

#define FIELD(name, type)                                                                          \
    {                                                                                              \
        LW_STR_INIT(name), LW_STR_INIT(name), type                                                 \
    }
#define OBJECT(members)                                                                            \
    {                                                                                              \
        .kind = LW_CEL_OBJECT, .fields = members,                                                  \
        .field_count = sizeof(members) / sizeof((members)[0]), .max_size = LW_CEL_UNBOUNDED        \
    }

static const lw_cel_type text_list = { .kind = LW_CEL_LIST,
                                       .elem = &lw_cel_string,
                                       .max_size = LW_CEL_UNBOUNDED };
static const lw_cel_type extra_map = {
    .kind = LW_CEL_MAP, .key = &lw_cel_string, .elem = &text_list, .max_size = LW_CEL_UNBOUNDED
};

/* The members are sorted by name. */
static const lw_cel_field kind_fields[] = { FIELD("group", &lw_cel_string),
                                            FIELD("kind", &lw_cel_string),
                                            FIELD("version", &lw_cel_string) };
static const lw_cel_type kind_type = OBJECT(kind_fields);
static const lw_cel_field resource_fields[] = { FIELD("group", &lw_cel_string),
                                                FIELD("resource", &lw_cel_string),
                                                FIELD("version", &lw_cel_string) };
static const lw_cel_type resource_type = OBJECT(resource_fields);
static const lw_cel_field user_fields[] = { FIELD("extra", &extra_map), FIELD("groups", &text_list),
                                            FIELD("uid", &lw_cel_string),
                                            FIELD("username", &lw_cel_string) };
static const lw_cel_type user_type = OBJECT(user_fields);
static const lw_cel_field request_fields[] = { FIELD("dryRun", &lw_cel_bool),
                                               FIELD("kind", &kind_type),
                                               FIELD("name", &lw_cel_string),
                                               FIELD("namespace", &lw_cel_string),
                                               FIELD("operation", &lw_cel_string),
                                               FIELD("options", &lw_cel_dyn),
                                               FIELD("requestKind", &kind_type),
                                               FIELD("requestResource", &resource_type),
                                               FIELD("requestSubResource", &lw_cel_string),
                                               FIELD("resource", &resource_type),
                                               FIELD("subResource", &lw_cel_string),
                                               FIELD("uid", &lw_cel_string),
                                               FIELD("userInfo", &user_type) };
static const lw_cel_type request_type = OBJECT(request_fields);

static const lw_cel_variable variables[] = { { LW_STR_INIT("object"), &lw_cel_dyn },
                                             { LW_STR_INIT("oldObject"), &lw_cel_dyn },
                                             { LW_STR_INIT("request"), &request_type },
                                             { LW_STR_INIT("authorizer"), &lw_cel_authorizer_type },
                                             { LW_STR_INIT("authorizer.requestResource"),
                                               &lw_cel_resource_check_type } };

enum {
    VARIABLES = sizeof(variables) / sizeof(variables[0]),
};

typedef struct condition {
    lw_cel_program *program;
    char *expression;
} condition;

struct lw_hook_conditions {
    size_t count;
    condition items[];
};

static lw_status compile(condition *one, lw_str expression, lw_buf *why)
{
    lw_buf text;
    lw_buf_init(&text, WHY_MAX);
    lw_status st = lw_cel_compile(&one->program, expression, variables, VARIABLES, &text);
    if (st == LW_OK && lw_cel_program_kind(one->program) != LW_CEL_BOOL) {
        lw_buf_printf(why, "must evaluate to bool but got %s",
                      lw_cel_kind_name(lw_cel_program_kind(one->program)));
        st = LW_ERR_INVALID;
    } else if (st < 0 && st != LW_ERR_NOMEM) {
        lw_buf_append_text(why, "compilation failed: ");
        lw_buf_append_str(why, lw_buf_view(&text));
        st = LW_ERR_INVALID;
    }
    lw_buf_done(&text);
    if (st == LW_OK) {
        one->expression = lw_str_dup(expression);
        st = one->expression ? LW_OK : LW_ERR_NOMEM;
    }
    return st;
}

lw_status lw_hook_conditions_new(lw_hook_conditions **out, const lw_node *list, size_t *failed,
                                 lw_buf *why)
{
    lw_status st = LW_OK;
    size_t count = lw_node_count(list);
    *out = NULL;
    if (count == 0)
        return LW_OK;
    if (count > LW_HOOK_CONDITIONS_MAX) {
        *failed = LW_HOOK_CONDITIONS_MAX;
        lw_buf_append_text(why, "there are too many conditions");
        return LW_ERR_INVALID;
    }
    lw_hook_conditions *conditions =
        lw_alloc_zero(1, sizeof(*conditions) + count * sizeof(condition));
    if (!conditions)
        return LW_ERR_NOMEM;
    conditions->count = count;
    for (size_t i = 0; i < count && st == LW_OK; i++) {
        *failed = i;
        st = compile(&conditions->items[i], lw_fields_text(lw_node_at(list, i), "expression"), why);
    }
    if (st < 0)
        lw_hook_conditions_free(conditions);
    else
        *out = conditions;
    return st;
}

lw_status lw_hook_condition_check(lw_str expression, lw_buf *why)
{
    condition one = { .program = NULL };
    lw_status st = compile(&one, expression, why);
    lw_cel_program_free(one.program);
    lw_free(one.expression);
    return st;
}

void lw_hook_conditions_free(lw_hook_conditions *conditions)
{
    if (!conditions)
        return;
    for (size_t i = 0; i < conditions->count; i++) {
        lw_cel_program_free(conditions->items[i].program);
        lw_free(conditions->items[i].expression);
    }
    lw_free(conditions);
}

static void append_error(lw_buf *error, const condition *one, lw_str why)
{
    if (error->len > 0)
        lw_buf_append_text(error, ", ");
    lw_buf_append_text(error, "expression '");
    lw_buf_append_text(error, one->expression);
    lw_buf_append_text(error, "' resulted in error: ");
    lw_buf_append_str(error, why);
}

static lw_hook_condition_result eval_one(const condition *one, lw_cel_session *session,
                                         lw_buf *error)
{
    lw_cel_outcome outcome;
    uint64_t composed = 0;
    lw_hook_condition_result result = LW_HOOK_CONDITIONS_FAILED;
    if (lw_cel_session_eval(session, one->program, LW_CEL_CALL_COST_MAX, &outcome, &composed) < 0) {
        error->st = LW_ERR_NOMEM;
        return LW_HOOK_CONDITIONS_FAILED;
    }
    if (outcome.verdict == LW_CEL_VALUE && outcome.kind == LW_CEL_BOOL)
        result = outcome.boolean ? LW_HOOK_CONDITIONS_MET : LW_HOOK_CONDITIONS_NOT_MET;
    else
        append_error(error, one,
                     outcome.verdict == LW_CEL_TOO_COSTLY
                         ? LW_STR("operation cancelled: actual cost limit exceeded")
                         : lw_buf_view(&outcome.text));
    lw_cel_outcome_done(&outcome);
    return result;
}

lw_hook_condition_result lw_hook_conditions_eval(const lw_hook_conditions *conditions,
                                                 const lw_hook_condition_values *values,
                                                 lw_buf *error)
{
    const lw_cel_binding bindings[VARIABLES] = { { values->object, true },
                                                 { values->old_object, true },
                                                 { values->request, true },
                                                 { NULL, true },
                                                 { NULL, true } };
    const lw_cel_session_options options = { .values = bindings,
                                             .composed_at = SIZE_MAX,
                                             .authorizer = values->authorizer,
                                             .requested = values->requested };
    lw_cel_session *session = NULL;
    lw_hook_condition_result result = LW_HOOK_CONDITIONS_MET;
    if (!conditions)
        return result;
    if (lw_cel_session_new(&session, &options) < 0) {
        error->st = LW_ERR_NOMEM;
        return LW_HOOK_CONDITIONS_FAILED;
    }
    for (size_t i = 0; result != LW_HOOK_CONDITIONS_NOT_MET && i < conditions->count; i++) {
        lw_hook_condition_result one = eval_one(&conditions->items[i], session, error);
        if (one != LW_HOOK_CONDITIONS_MET)
            result = one;
    }
    lw_cel_session_free(session);
    return result;
}
