/* SPDX-License-Identifier: Apache-2.0 */
/* match_conditions.c -- compiles and evaluates match conditions. */
#include "server/webhook/match_conditions.h"

#include "base/alloc.h"
#include "base/str.h"
#include "cel/cel.h"
#include "json/fields.h"

enum {
    SPEC_TREE_MAX = 32 * 1024 * 1024,
    WHY_MAX = 64 * 1024,
};

static const lw_cel_type text_list = { .kind = LW_CEL_LIST,
                                       .elem = &lw_cel_string,
                                       .max_size = LW_CEL_UNBOUNDED };
static const lw_cel_type extra_map = {
    .kind = LW_CEL_MAP, .key = &lw_cel_string, .elem = &text_list, .max_size = LW_CEL_UNBOUNDED
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

/* Sorted by name.  "namespace" is a reserved word: see lw_cel_escape. */
static const lw_cel_field requirement_fields[] = { FIELD("key", &lw_cel_string),
                                                   FIELD("operator", &lw_cel_string),
                                                   FIELD("values", &text_list) };
static const lw_cel_type requirement = OBJECT(requirement_fields);
static const lw_cel_type requirements = { .kind = LW_CEL_LIST,
                                          .elem = &requirement,
                                          .max_size = LW_CEL_UNBOUNDED };
static const lw_cel_field selector_fields[] = { FIELD("rawSelector", &lw_cel_string),
                                                FIELD("requirements", &requirements) };
static const lw_cel_type selector = OBJECT(selector_fields);
static const lw_cel_field resource_fields[] = {
    FIELD("fieldSelector", &selector),    FIELD("group", &lw_cel_string),
    FIELD("labelSelector", &selector),    FIELD("name", &lw_cel_string),
    FIELD("namespace", &lw_cel_string),   FIELD("resource", &lw_cel_string),
    FIELD("subresource", &lw_cel_string), FIELD("verb", &lw_cel_string),
    FIELD("version", &lw_cel_string)
};
static const lw_cel_type resource = OBJECT(resource_fields);
static const lw_cel_field path_fields[] = { FIELD("path", &lw_cel_string),
                                            FIELD("verb", &lw_cel_string) };
static const lw_cel_type path = OBJECT(path_fields);
static const lw_cel_field request_fields[] = { FIELD("extra", &extra_map),
                                               FIELD("groups", &text_list),
                                               FIELD("nonResourceAttributes", &path),
                                               FIELD("resourceAttributes", &resource),
                                               FIELD("uid", &lw_cel_string),
                                               FIELD("user", &lw_cel_string) };
static const lw_cel_type request_type = OBJECT(request_fields);
static const lw_cel_variable variables[] = { { LW_STR_INIT("request"), &request_type } };

typedef struct condition {
    lw_cel_program *program;
    char *expression;
} condition;

struct lw_match_conditions {
    size_t count;
    condition items[];
};

static lw_status compile(condition *one, lw_str expression, lw_buf *why)
{
    lw_buf text;
    lw_buf_init(&text, WHY_MAX);
    lw_status st = lw_cel_compile(&one->program, expression, variables, 1, &text);
    if (st == LW_OK && lw_cel_program_kind(one->program) != LW_CEL_BOOL) {
        lw_buf_printf(why, "must evaluate to bool but got %s",
                      lw_cel_kind_name(lw_cel_program_kind(one->program)));
        st = LW_ERR_INVALID;
    } else if (st < 0 && st != LW_ERR_NOMEM) {
        lw_buf_printf(why, "compilation failed: %.*s", LW_STR_ARG(lw_buf_view(&text)));
        st = LW_ERR_INVALID;
    }
    lw_buf_done(&text);
    if (st == LW_OK) {
        one->expression = lw_str_dup(expression);
        st = one->expression ? LW_OK : LW_ERR_NOMEM;
    }
    return st;
}

lw_status lw_match_conditions_new(lw_match_conditions **out, const lw_str *expressions,
                                  size_t count, size_t *failed, lw_buf *why)
{
    lw_status st = LW_OK;
    lw_match_conditions *conditions =
        lw_alloc_zero(1, sizeof(*conditions) + count * sizeof(condition));
    if (!conditions)
        return LW_ERR_NOMEM;
    conditions->count = count;
    for (size_t i = 0; i < count && st == LW_OK; i++) {
        *failed = i;
        st = compile(&conditions->items[i], expressions[i], why);
    }
    if (st < 0)
        lw_match_conditions_free(conditions);
    else
        *out = conditions;
    return st;
}

void lw_match_conditions_free(lw_match_conditions *conditions)
{
    if (!conditions)
        return;
    for (size_t i = 0; i < conditions->count; i++) {
        lw_cel_program_free(conditions->items[i].program);
        lw_free(conditions->items[i].expression);
    }
    lw_free(conditions);
}

/* Adds what the JSON leaves out because it is empty. */
static void complete(lw_tree *tree, lw_node *spec)
{
    static const char *const of_resource[] = { "namespace", "verb",        "group", "version",
                                               "resource",  "subresource", "name",  NULL };
    static const char *const of_path[] = { "path", "verb", NULL };
    static const char *const of_user[] = { "user", "uid", NULL };
    const struct {
        lw_node *object;
        const char *const *names;
    } parts[] = { { lw_node_get(spec, LW_STR("resourceAttributes")), of_resource },
                  { lw_node_get(spec, LW_STR("nonResourceAttributes")), of_path },
                  { spec, of_user } };
    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        for (const char *const *name = parts[i].names; *name && parts[i].object; name++)
            lw_fields_default_text(tree, parts[i].object, *name, "");
    }
    if (!lw_node_get(spec, LW_STR("groups")))
        lw_node_put(tree, spec, LW_STR("groups"), lw_tree_array(tree));
    if (!lw_node_get(spec, LW_STR("extra")))
        lw_node_put(tree, spec, LW_STR("extra"), lw_tree_object(tree));
}

static void append_error(lw_buf *error, const condition *one, lw_str why)
{
    if (!error)
        return;
    if (error->len > 0)
        lw_buf_append_text(error, ", ");
    lw_buf_printf(error, "cel evaluation error: expression '%s' resulted in error: %.*s",
                  one->expression, LW_STR_ARG(why));
}

static lw_match_result eval_one(const condition *one, const lw_cel_binding *request, lw_buf *error)
{
    lw_cel_outcome outcome;
    lw_match_result result = LW_MATCH_FAILED;
    if (lw_cel_eval(one->program, request, LW_CEL_CALL_COST_MAX, &outcome) < 0) {
        append_error(error, one, LW_STR("out of memory"));
        return LW_MATCH_FAILED;
    }
    if (outcome.verdict == LW_CEL_VALUE && outcome.kind == LW_CEL_BOOL)
        result = outcome.boolean ? LW_MATCH_YES : LW_MATCH_NO;
    else
        append_error(error, one,
                     outcome.verdict == LW_CEL_TOO_COSTLY
                         ? LW_STR("operation cancelled: actual cost limit exceeded")
                         : lw_buf_view(&outcome.text));
    lw_cel_outcome_done(&outcome);
    return result;
}

lw_match_result lw_match_conditions_eval(const lw_match_conditions *conditions, lw_str spec,
                                         lw_buf *error)
{
    lw_tree *tree = NULL;
    lw_match_result result = LW_MATCH_YES;
    if (!conditions || conditions->count == 0)
        return LW_MATCH_YES;
    lw_status st = lw_tree_parse(&tree, spec, SPEC_TREE_MAX, NULL);
    if (st == LW_OK)
        complete(tree, lw_tree_root(tree));
    if (st < 0 || lw_tree_status(tree) < 0) {
        append_error(error, &conditions->items[0], LW_STR("out of memory"));
        lw_tree_free(tree);
        return LW_MATCH_FAILED;
    }
    size_t start = error ? error->len : 0;
    const lw_cel_binding request = { lw_tree_root(tree), true };
    for (size_t i = 0; i < conditions->count && result != LW_MATCH_NO; i++) {
        lw_match_result one = eval_one(&conditions->items[i], &request, error);
        if (one != LW_MATCH_YES)
            result = one;
    }
    if (result == LW_MATCH_NO && error)
        lw_buf_truncate(error, start);
    lw_tree_free(tree);
    return result;
}
