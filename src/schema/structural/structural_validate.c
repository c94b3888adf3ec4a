/* SPDX-License-Identifier: Apache-2.0 */
/* structural_validate.c -- validates an object against its schema; errors in the words of
 * Kubernetes. */
#include "base/str.h"
#include "base/text/utf8.h"
#include "schema/structural/structural_index.h"
#include "schema/structural/structural_node.h"
#include "schema/structural/structural_rules.h"
#include "json/text.h"

enum {
    PATH_MAX_BYTES = 64 * 1024,
    TEXT_MAX = 64 * 1024,
    VALUE_STEPS = 2,       /* of the budget that the check of one value takes */
    PATTERN_PER_STEP = 16, /* steps of a pattern's program in the time of one of the budget */
};

typedef struct lw_structural_check check;

static void check_value(check *c, const lw_structural_node *schema, const lw_node *value);

/* True if no more errors are wanted. */
bool lw_structural_is_full(const lw_structural_check *c)
{
    if (lw_budget_is_over(c->budget))
        return true;
    return c->is_probe ? c->has_failed : c->errors->cause_count >= LW_STRUCTURAL_ERRORS_MAX;
}

/* Records that there is an error.  False: its text is not needed, because this is a probe or enough
 * errors were reported. */
static bool needs_text(check *c)
{
    if (c->is_probe)
        c->has_failed = true;
    return !lw_structural_is_full(c);
}

void lw_structural_error(lw_structural_check *c, const char *reason, const char *title,
                         lw_str shown, const char *detail)
{
    lw_buf message;
    if (!needs_text(c))
        return;
    lw_buf_init(&message, TEXT_MAX);
    lw_buf_append_text(&message, title);
    if (shown.len > 0) {
        lw_buf_append_text(&message, ": ");
        lw_buf_append_str(&message, shown);
    }
    if (detail[0] != '\0') {
        lw_buf_append_text(&message, ": ");
        lw_buf_append_text(&message, detail);
    }
    if (message.st < 0 || c->path.st < 0) {
        if (c->errors->st == LW_OK)
            c->errors->st = message.st < 0 ? message.st : c->path.st;
    } else {
        lw_api_status_add_cause(c->errors, lw_str_of(reason), lw_buf_view(&message),
                                lw_buf_view(&c->path));
    }
    lw_buf_done(&message);
}

/* Adds "Invalid value: |shown|: |detail|"; the detail begins with the path and "in body". */
static void add_error_because(check *c, const char *reason, lw_str shown, const char *said,
                              lw_str limit)
{
    lw_buf detail;
    if (!needs_text(c))
        return;
    lw_buf_init(&detail, TEXT_MAX);
    lw_buf_printf(&detail, "%.*s in body %s%.*s", LW_STR_ARG(lw_buf_view(&c->path)), said,
                  LW_STR_ARG(limit));
    lw_buf_append_char(&detail, '\0');
    if (detail.st == LW_OK)
        lw_structural_error(c, reason, "Invalid value", shown, detail.data);
    else if (c->errors->st == LW_OK)
        c->errors->st = detail.st;
    lw_buf_done(&detail);
}

static void invalid(check *c, lw_str shown, const char *said, lw_str limit)
{
    add_error_because(c, "FieldValueInvalid", shown, said, limit);
}

/* Returns |value| as error messages show it. */
lw_str lw_structural_show(lw_structural_check *c, const lw_node *value)
{
    lw_json_writer w;
    if (lw_structural_is_full(c) || c->is_probe)
        return LW_STR("");
    lw_buf_reset(&c->shown);
    lw_json_writer_init(&w, &c->shown, LW_JSON_COMPACT);
    lw_node_write(value, &w);
    return c->shown.st < 0 ? LW_STR("...") : lw_buf_view(&c->shown);
}

static const char *type_name(const lw_node *value)
{
    int64_t number;
    switch (lw_node_type(value)) {
    case LW_JSON_NULL: return "null";
    case LW_JSON_BOOL: return "boolean";
    case LW_JSON_NUMBER: return lw_node_int64(value, &number) ? "integer" : "number";
    case LW_JSON_STRING: return "string";
    case LW_JSON_ARRAY: return "array";
    case LW_JSON_OBJECT: return "object";
    }
    return "";
}

/* True if |number| is an integer, or differs from one by at most |dust|. */
static bool is_whole(double number, double dust)
{
    static const double exact = 9.0e15; /* larger doubles have no fraction */
    if (!(number > -exact && number < exact))
        return true;
    double rest = number - (double)(int64_t)number;
    rest = rest < 0 ? -rest : rest;
    return rest <= dust || rest >= 1 - dust;
}

static bool is_of_type(lw_structural_type type, const lw_node *value)
{
    int64_t number;
    switch (type) {
    case LW_STRUCTURAL_ANY: return true;
    case LW_STRUCTURAL_OBJECT: return lw_node_is(value, LW_JSON_OBJECT);
    case LW_STRUCTURAL_ARRAY: return lw_node_is(value, LW_JSON_ARRAY);
    case LW_STRUCTURAL_STRING: return lw_node_is(value, LW_JSON_STRING);
    case LW_STRUCTURAL_BOOLEAN: return lw_node_is(value, LW_JSON_BOOL);
    case LW_STRUCTURAL_NUMBER: return lw_node_is(value, LW_JSON_NUMBER);
    case LW_STRUCTURAL_INTEGER: break;
    }
    if (!lw_node_is(value, LW_JSON_NUMBER))
        return false;
    return lw_node_int64(value, &number) ||
           is_whole(lw_json_number_to_double(lw_node_text(value)), 0);
}

static void add_error_type(check *c, const char *wanted, const lw_node *value)
{
    char quoted[32], said[64];
    (void)snprintf(quoted, sizeof(quoted), "\"%s\"", type_name(value));
    (void)snprintf(said, sizeof(said), "must be of type %s: ", wanted);
    add_error_because(c, "FieldValueTypeInvalid", lw_str_of(quoted), said, lw_str_of(quoted));
}

static bool check_type(check *c, const lw_structural_node *schema, const lw_node *value)
{
    if (lw_node_type(value) == LW_JSON_NULL &&
        (schema->is_nullable || (schema->type == LW_STRUCTURAL_ANY && !schema->is_int_or_string)))
        return true;
    if (schema->is_int_or_string
            ? lw_node_is(value, LW_JSON_STRING) || is_of_type(LW_STRUCTURAL_INTEGER, value)
            : is_of_type(schema->type, value))
        return true;
    add_error_type(c,
                   schema->is_int_or_string ? "integer,string"
                                            : lw_structural_type_name(schema->type),
                   value);
    return false;
}

static void check_enum(check *c, const lw_structural_node *schema, const lw_node *value)
{
    lw_buf supported;
    if (lw_structural_enum_has(schema->allowed_values, value) || !needs_text(c))
        return;
    lw_buf_init(&supported, TEXT_MAX);
    lw_buf_append_text(&supported, "supported values: ");
    for (size_t i = 0; i < schema->allowed.count && supported.st == LW_OK; i++) {
        lw_buf_append_text(&supported, i > 0 ? ", " : "");
        lw_buf_append_str(&supported, schema->allowed.at[i]);
    }
    lw_buf_append_char(&supported, '\0');
    lw_structural_error(c, "FieldValueNotSupported", "Unsupported value",
                        lw_structural_show(c, value), supported.st < 0 ? "" : supported.data);
    lw_buf_done(&supported);
}

/* Returns the number of characters of |text|. */
static size_t length_of(lw_str text)
{
    size_t count = 0;
    for (size_t i = 0; i < text.len; i++)
        count += ((unsigned char)text.ptr[i] & 0xc0) != 0x80;
    return count;
}

static bool is_below(const lw_structural_limit *limit, size_t count)
{
    return limit->is_set && (double)count < limit->value;
}

static bool is_above(const lw_structural_limit *limit, size_t count)
{
    return limit->is_set && (double)count > limit->value;
}

static void check_pattern(check *c, const lw_structural_node *schema, const lw_node *value)
{
    bool is_match = false;
    lw_buf wanted;
    uint64_t before = c->matcher.work;
    lw_status st =
        lw_regex_match_many(&c->matcher, schema->pattern, lw_node_text(value), &is_match);
    lw_budget_enter(c->budget, LW_BUDGET_PATTERNS);
    (void)lw_budget_charge(c->budget, (c->matcher.work - before) / PATTERN_PER_STEP);
    lw_budget_enter(c->budget, LW_BUDGET_SCHEMA);
    if (st == LW_ERR_NOMEM && c->errors->st == LW_OK)
        c->errors->st = st;
    if (is_match || st == LW_ERR_NOMEM || !needs_text(c))
        return;
    lw_buf_init(&wanted, TEXT_MAX);
    lw_buf_printf(&wanted, "'%.*s'%s", LW_STR_ARG(schema->pattern_text),
                  st < 0
                      ? ", but the match takes too long: use a simpler pattern or a shorter value"
                      : "");
    invalid(c, lw_structural_show(c, value), "should match ", lw_buf_view(&wanted));
    lw_buf_done(&wanted);
}

static void check_string(check *c, const lw_structural_node *schema, const lw_node *value)
{
    lw_str text = lw_node_text(value);
    char said[64];
    size_t length = length_of(text);
    if (is_below(&schema->min_length, length)) {
        (void)snprintf(said, sizeof(said), "should be at least %.*s chars long",
                       LW_STR_ARG(schema->min_length.text));
        invalid(c, lw_structural_show(c, value), said, LW_STR(""));
    }
    if (is_above(&schema->max_length, length)) {
        (void)snprintf(said, sizeof(said), "may not be more than %.*s bytes",
                       LW_STR_ARG(schema->max_length.text));
        lw_structural_error(c, "FieldValueTooLong", "Too long", LW_STR(""), said);
        return;
    }
    if (schema->pattern)
        check_pattern(c, schema, value);
    if (schema->format.len > 0 && !lw_structural_format_is(schema->format, text)) {
        (void)snprintf(said, sizeof(said), "must be of type %.*s: ", LW_STR_ARG(schema->format));
        lw_str shown = lw_structural_show(c, value);
        invalid(c, shown, said, shown);
    }
}

static void check_bounds(check *c, const lw_structural_node *schema, const lw_node *value)
{
    lw_str text = lw_node_text(value);
    double number = lw_json_number_to_double(text);
    const lw_structural_limit *low = &schema->minimum, *high = &schema->maximum;
    if (low->is_set && (schema->excludes_minimum ? number <= low->value : number < low->value))
        invalid(c, text,
                schema->excludes_minimum ? "should be greater than "
                                         : "should be greater than or equal to ",
                low->text);
    if (high->is_set && (schema->excludes_maximum ? number >= high->value : number > high->value))
        invalid(c, text,
                schema->excludes_maximum ? "should be less than "
                                         : "should be less than or equal to ",
                high->text);
    if (schema->multiple_of.is_set) {
        double times = number / schema->multiple_of.value;
        if (!is_whole(times, 1e-9))
            invalid(c, text, "should be a multiple of ", schema->multiple_of.text);
    }
    if (lw_str_equal(schema->format, LW_STR("int32")) && (number > INT32_MAX || number < INT32_MIN))
        add_error_type(c, "int32", value);
}

static void too_many(check *c, size_t count, const lw_structural_limit *limit)
{
    char shown[32], said[64];
    (void)snprintf(shown, sizeof(shown), "%zu", count);
    (void)snprintf(said, sizeof(said), "must have at most %.*s items", LW_STR_ARG(limit->text));
    lw_structural_error(c, "FieldValueTooMany", "Too many", lw_str_of(shown), said);
}

static void too_few(check *c, size_t count, const lw_structural_limit *limit, const char *what)
{
    char shown[32], said[64];
    (void)snprintf(shown, sizeof(shown), "%zu", count);
    (void)snprintf(said, sizeof(said), "should have at least %.*s %s", LW_STR_ARG(limit->text),
                   what);
    invalid(c, lw_str_of(shown), said, LW_STR(""));
}

static void check_array(check *c, const lw_structural_node *schema, const lw_node *value)
{
    size_t count = lw_node_count(value), len = c->path.len;
    lw_structural_olds olds;
    lw_structural_olds_init(&olds, c, schema, c->old);
    if (is_below(&schema->min_items, count))
        too_few(c, count, &schema->min_items, "items");
    if (is_above(&schema->max_items, count))
        too_many(c, count, &schema->max_items);
    for (size_t i = 0; schema->items && i < count && !lw_structural_is_full(c); i++) {
        const lw_node *element = lw_node_at(value, i);
        lw_structural_enter_item(&c->path, i);
        c->old = lw_structural_olds_find(&olds, element);
        check_value(c, schema->items, element);
        lw_buf_truncate(&c->path, len);
    }
    lw_structural_olds_done(&olds);
    lw_structural_check_list(c, schema, value);
}

void lw_structural_enter(lw_structural_check *c, lw_str name)
{
    if (c->path.len > 0)
        lw_buf_append_char(&c->path, '.');
    lw_buf_append_str(&c->path, name);
}

static void check_required(check *c, const lw_structural_node *schema, const lw_node *value)
{
    size_t len = c->path.len;
    (void)lw_budget_charge(c->budget, schema->required.count);
    for (size_t i = 0; i < schema->required.count && !lw_structural_is_full(c); i++) {
        if (lw_node_get(value, schema->required.at[i]))
            continue;
        lw_structural_enter(c, schema->required.at[i]);
        lw_structural_error(c, "FieldValueRequired", "Required value", LW_STR(""), "");
        lw_buf_truncate(&c->path, len);
    }
}

static void check_object(check *c, const lw_structural_node *schema, const lw_node *value)
{
    size_t count = lw_node_count(value), len = c->path.len;
    const lw_node *old = lw_node_is(c->old, LW_JSON_OBJECT) ? c->old : NULL;
    check_required(c, schema, value);
    if (is_below(&schema->min_properties, count))
        too_few(c, count, &schema->min_properties, "properties");
    if (is_above(&schema->max_properties, count))
        too_many(c, count, &schema->max_properties);
    for (size_t i = 0; i < count && !lw_structural_is_full(c); i++) {
        lw_str name = lw_node_key_at(value, i);
        const lw_structural_node *member = lw_structural_property_of(schema, name);
        /* The server validates metadata itself. */
        if (len == 0 && lw_str_equal(name, LW_STR("metadata")))
            continue;
        member = member ? member : schema->additional;
        if (!member)
            continue;
        lw_structural_enter(c, name);
        c->old = old ? lw_node_get(old, name) : NULL;
        check_value(c, member, lw_node_at(value, i));
        lw_buf_truncate(&c->path, len);
    }
}

/* Returns how many schemas of |list| |value| is valid against. */
static size_t count_valid(check *c, const lw_structural_list *list, const lw_node *value)
{
    size_t valid = 0;
    for (size_t i = 0; i < list->count && !lw_structural_is_full(c); i++)
        valid += lw_structural_satisfies(c, list->at[i], value);
    return valid;
}

bool lw_structural_satisfies(lw_structural_check *c, const lw_structural_node *schema,
                             const lw_node *value)
{
    bool was_probe = c->is_probe, had_failed = c->has_failed;
    size_t len = c->path.len;
    if (++c->work > LW_STRUCTURAL_WORK_MAX || !lw_budget_charge(c->budget, VALUE_STEPS))
        return false;
    c->is_probe = true;
    c->has_failed = false;
    c->old = NULL;
    check_value(c, schema, value);
    bool is_good = !c->has_failed && c->errors->st == LW_OK;
    c->is_probe = was_probe;
    c->has_failed = had_failed;
    lw_buf_truncate(&c->path, len);
    return is_good;
}

/* The error of a junctor has no field of its own, as in Kubernetes. */
static void add_error_junctor(check *c, const char *said)
{
    lw_buf message;
    if (!needs_text(c))
        return;
    lw_buf_init(&message, TEXT_MAX);
    lw_buf_printf(&message, "Invalid value: \"\": \"%.*s\" %s", LW_STR_ARG(lw_buf_view(&c->path)),
                  said);
    if (message.st == LW_OK)
        lw_api_status_add_cause(c->errors, LW_STR("FieldValueInvalid"), lw_buf_view(&message),
                                LW_STR("<nil>"));
    else if (c->errors->st == LW_OK)
        c->errors->st = message.st;
    lw_buf_done(&message);
}

/* Adds the errors of the first schema of |list|, against none of which |value| is valid. */
static void add_errors_of_first(check *c, const lw_structural_list *list, const lw_node *value)
{
    c->old = NULL;
    if (!lw_structural_is_full(c))
        check_value(c, list->at[0], value);
}

static void check_any_of(check *c, const lw_structural_list *list, const lw_node *value)
{
    if (list->count == 0 || count_valid(c, list, value) > 0)
        return;
    add_error_junctor(c, "must validate at least one schema (anyOf)");
    add_errors_of_first(c, list, value);
}

static void check_one_of(check *c, const lw_structural_list *list, const lw_node *value)
{
    char said[128];
    size_t valid = count_valid(c, list, value);
    if (list->count == 0 || valid == 1)
        return;
    (void)snprintf(said, sizeof(said),
                   valid == 0 ? "must validate one and only one schema (oneOf). Found none valid"
                              : "must validate one and only one schema (oneOf). Found %zu valid "
                                "alternatives",
                   valid);
    add_error_junctor(c, said);
    if (valid == 0)
        add_errors_of_first(c, list, value);
}

static void check_all_of(check *c, const lw_structural_list *list, const lw_node *value,
                         const lw_node *old)
{
    size_t valid = 0;
    for (size_t i = 0; i < list->count && !lw_structural_is_full(c); i++) {
        size_t before = c->errors->cause_count;
        c->old = old;
        check_value(c, list->at[i], value);
        valid += c->errors->cause_count == before;
    }
    if (!c->is_probe && valid < list->count)
        add_error_junctor(c, valid == 0 ? "must validate all the schemas (allOf). None validated"
                                        : "must validate all the schemas (allOf)");
}

static void check_junctors(check *c, const lw_structural_node *schema, const lw_node *value)
{
    const lw_node *old = c->old;
    check_any_of(c, &schema->any_of, value);
    check_one_of(c, &schema->one_of, value);
    check_all_of(c, &schema->all_of, value, old);
    if (schema->not_of && lw_structural_satisfies(c, schema->not_of, value))
        add_error_junctor(c, "must not validate the schema (not)");
}

static void check_value(check *c, const lw_structural_node *schema, const lw_node *value)
{
    if (++c->work > LW_STRUCTURAL_WORK_MAX) {
        if (c->errors->st == LW_OK)
            c->errors->st = LW_ERR_LIMIT;
        return;
    }
    if (!lw_budget_charge(c->budget, VALUE_STEPS))
        return;
    /* Unchanged values are not validated ("ratcheting"). */
    const lw_node *old = c->old;
    if (old && lw_node_equal_within(value, old, c->budget))
        return;
    if (!check_type(c, schema, value) || lw_node_type(value) == LW_JSON_NULL)
        return;
    check_junctors(c, schema, value);
    c->old = old;
    if (lw_node_is(value, LW_JSON_STRING))
        check_string(c, schema, value);
    else if (lw_node_is(value, LW_JSON_NUMBER))
        check_bounds(c, schema, value);
    else if (lw_node_is(value, LW_JSON_ARRAY))
        check_array(c, schema, value);
    if (schema->has_enum)
        check_enum(c, schema, value);
    if (lw_node_is(value, LW_JSON_OBJECT))
        check_object(c, schema, value);
}

static bool has_reason(const lw_api_status *errors, const char *reason)
{
    for (size_t i = 0; i < errors->cause_count; i++) {
        if (lw_str_equal(lw_api_status_str(errors, errors->causes[i].reason), lw_str_of(reason)))
            return true;
    }
    return false;
}

/* Rules are evaluated only if there are no errors of type or length, as in Kubernetes. */
static bool is_fit_for_rules(check *c)
{
    static const char *const blocking[] = { "FieldValueRequired", "FieldValueTooLong",
                                            "FieldValueTooMany", "FieldValueTypeInvalid" };
    for (size_t i = 0; i < sizeof(blocking) / sizeof(blocking[0]); i++) {
        if (!has_reason(c->errors, blocking[i]))
            continue;
        lw_api_status_add_cause(c->errors, LW_STR("FieldValueInvalid"),
                                LW_STR("Invalid value: null: some validation rules were not "
                                       "checked because the object was invalid; correct the "
                                       "existing errors to complete validation"),
                                LW_STR("<nil>"));
        return false;
    }
    return true;
}

void lw_structural_validate(const lw_structural *schema, const lw_node *object, const lw_node *old,
                            lw_budget *budget, lw_api_status *errors)
{
    check c = { .errors = errors, .budget = budget, .old = old };
    lw_budget_enter(budget, LW_BUDGET_SCHEMA);
    lw_regex_matcher_init(&c.matcher);
    lw_buf_init(&c.path, PATH_MAX_BYTES);
    lw_buf_init(&c.shown, TEXT_MAX);
    check_value(&c, schema->root, object);
    if (schema->root->has_rules && errors->st == LW_OK && is_fit_for_rules(&c))
        lw_structural_check_rules(&c, schema->root, object, old);
    lw_regex_matcher_done(&c.matcher);
    lw_buf_done(&c.path);
    lw_buf_done(&c.shown);
}
