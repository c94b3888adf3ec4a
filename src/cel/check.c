/* SPDX-License-Identifier: Apache-2.0 */
/* check.c -- the type checker.
 *
 * An expression whose type is known only at run time is DYN and fits everywhere.  After an error
 * the type is DYN too, so that each error is reported once. */
#include "base/alloc.h"
#include "base/str.h"
#include "cel/check_type.h"
#include "cel/functions.h"

/* A variable of a macro and its type. */
typedef struct local {
    lw_str name;
    const lw_cel_type *type;
} local;

enum {
    LOCALS_MAX = 2 * LW_CEL_DEPTH_MAX,
    NAME_SIZE = 128,
};

typedef struct checker {
    lw_cel_program *program;
    lw_cel_errors *errors;
    local locals[LOCALS_MAX];
    size_t local_count;
    unsigned formats; /* number of enclosing format() calls */
} checker;

static const lw_cel_type *check(checker *c, lw_cel_expr *expr);

/* Reports an error for |expr|, whose type becomes DYN. */
#define ERROR_AT(c, expr, ...)                                                                     \
    (lw_cel_add_error((c)->errors, (expr)->offset, __VA_ARGS__), &lw_cel_dyn)

static lw_arena *arena(checker *c)
{
    return &c->program->arena;
}

/* Finds the slot of |name|; the innermost variable wins. */
static bool find_variable(checker *c, lw_str name, size_t *slot, const lw_cel_type **type)
{
    lw_cel_program *program = c->program;
    for (size_t i = c->local_count; i-- > 0;) {
        if (!lw_str_equal(c->locals[i].name, name))
            continue;
        *slot = program->variable_count + i;
        *type = c->locals[i].type;
        return true;
    }
    for (size_t i = 0; i < program->variable_count; i++) {
        if (!lw_str_equal(program->variables[i].name, name))
            continue;
        program->is_used[i] = true;
        *slot = i;
        *type = program->variables[i].type;
        return true;
    }
    return false;
}

/* Finds the types that have a name in expressions. */
static bool find_type_name(lw_str name, lw_cel_kind *kind)
{
    static const lw_cel_kind kinds[] = { LW_CEL_NULL,   LW_CEL_BOOL,   LW_CEL_INT,     LW_CEL_UINT,
                                         LW_CEL_DOUBLE, LW_CEL_STRING, LW_CEL_BYTES,   LW_CEL_TYPE,
                                         LW_CEL_LIST,   LW_CEL_MAP,    LW_CEL_OPTIONAL };
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        *kind = kinds[i];
        if (lw_str_equal(name, lw_str_of(lw_cel_kind_name(kinds[i]))))
            return true;
    }
    return false;
}

static const lw_cel_type *make_type_literal(lw_cel_expr *expr, lw_cel_kind kind)
{
    static const lw_cel_type type = { .kind = LW_CEL_TYPE, .max_size = LW_CEL_UNBOUNDED };
    expr->form = LW_CEL_EXPR_LITERAL;
    expr->literal = (lw_cel_value){ .kind = LW_CEL_TYPE, .integer = (int64_t)kind };
    expr->count = 0;
    return &type;
}

static const lw_cel_type *check_ident(checker *c, lw_cel_expr *expr)
{
    const lw_cel_type *type;
    lw_cel_kind kind;
    if (find_variable(c, expr->name, &expr->slot, &type))
        return type;
    if (find_type_name(expr->name, &kind))
        return make_type_literal(expr, kind);
    return ERROR_AT(c, expr, "undeclared reference to '%.*s' (in container '')",
                    LW_STR_ARG(expr->name));
}

/* "google.protobuf.Timestamp" is a type name, although it parses as selections. */
static bool is_well_known(checker *c, lw_cel_expr *expr, lw_cel_kind *kind)
{
    lw_cel_expr *middle = expr->args[0];
    size_t slot;
    const lw_cel_type *type;
    if (expr->select.is_test || expr->select.is_optional || middle->form != LW_CEL_EXPR_SELECT ||
        middle->args[0]->form != LW_CEL_EXPR_IDENT ||
        !lw_str_equal(middle->name, LW_STR("protobuf")) ||
        !lw_str_equal(middle->args[0]->name, LW_STR("google")) ||
        find_variable(c, LW_STR("google"), &slot, &type))
        return false;
    *kind = lw_str_equal(expr->name, LW_STR("Duration")) ? LW_CEL_DURATION : LW_CEL_TIMESTAMP;
    return *kind == LW_CEL_DURATION || lw_str_equal(expr->name, LW_STR("Timestamp"));
}

/* Returns the type of a member of a value of |type|. */
static const lw_cel_type *select_from(checker *c, lw_cel_expr *expr, const lw_cel_type *type)
{
    char text[LW_CEL_TYPE_TEXT_SIZE];
    const lw_cel_field *field;
    switch (type->kind) {
    case LW_CEL_DYN:
    case LW_CEL_STRUCT: return &lw_cel_dyn;
    case LW_CEL_MAP: return lw_cel_elem_of(type);
    case LW_CEL_OBJECT:
        field = lw_cel_field_of(type, expr->name);
        if (field)
            return field->type;
        return ERROR_AT(c, expr, "undefined field '%.*s'", LW_STR_ARG(expr->name));
    case LW_CEL_QUANTITY:
    case LW_CEL_IP:
    case LW_CEL_CIDR:
    case LW_CEL_URL:
    case LW_CEL_FORMAT:
    case LW_CEL_SEMVER:
    case LW_CEL_AUTHORIZER:
    case LW_CEL_PATH_CHECK:
    case LW_CEL_GROUP_CHECK:
    case LW_CEL_RESOURCE_CHECK:
    case LW_CEL_DECISION: /* to cel-go they are messages, which nobody has declared */
        return ERROR_AT(c, expr, "unexpected failed resolution of '%s'",
                        lw_cel_type_text(type, text));
    default:
        return ERROR_AT(c, expr, "type '%s' does not support field selection",
                        lw_cel_type_text(type, text));
    }
}

/* A variable may have a dotted name: "authorizer.requestResource". */
static const lw_cel_type *find_dotted(checker *c, lw_cel_expr *expr)
{
    const lw_cel_expr *before = expr->args[0];
    lw_str first, second;
    if (before->form != LW_CEL_EXPR_IDENT || expr->select.is_test || expr->select.is_optional)
        return NULL;
    for (size_t i = 0; i < c->program->variable_count; i++) {
        const lw_cel_variable *variable = &c->program->variables[i];
        if (!lw_str_cut(variable->name, '.', &first, &second) ||
            !lw_str_equal(first, before->name) || !lw_str_equal(second, expr->name))
            continue;
        c->program->is_used[i] = true;
        expr->form = LW_CEL_EXPR_IDENT;
        expr->count = 0;
        expr->name = variable->name;
        expr->slot = i;
        return variable->type;
    }
    return NULL;
}

static const lw_cel_type *check_select(checker *c, lw_cel_expr *expr)
{
    lw_cel_kind kind;
    const lw_cel_type *dotted = find_dotted(c, expr);
    if (dotted)
        return dotted;
    if (is_well_known(c, expr, &kind))
        return make_type_literal(expr, kind);
    const lw_cel_type *type = check(c, expr->args[0]);
    bool is_optional = type->kind == LW_CEL_OPTIONAL;
    const lw_cel_type *member = select_from(c, expr, is_optional ? lw_cel_elem_of(type) : type);
    if (expr->select.is_test)
        return &lw_cel_bool;
    if (!is_optional && !expr->select.is_optional)
        return member;
    return member->kind == LW_CEL_OPTIONAL
               ? member
               : lw_cel_type_new(arena(c), LW_CEL_OPTIONAL, NULL, member);
}

/* Reports that no overload matches. */
static const lw_cel_type *no_overload(checker *c, const lw_cel_expr *expr, const char *name)
{
    char text[LW_CEL_TYPE_TEXT_SIZE];
    bool is_member = expr->form == LW_CEL_EXPR_CALL && expr->call.is_member;
    lw_buf all;
    lw_buf_init(&all, LW_CEL_TEXT_MAX);
    lw_buf_append_text(&all, is_member ? "" : "(");
    for (size_t i = 0; i < expr->count; i++) {
        lw_buf_append_text(&all, i > (is_member ? 1 : 0) ? ", " : "");
        lw_buf_append_text(&all, lw_cel_type_text(expr->args[i]->type, text));
        lw_buf_append_text(&all, is_member && i == 0 ? ".(" : "");
    }
    lw_buf_append_char(&all, ')');
    lw_cel_add_error(c->errors, expr->offset,
                     "found no matching overload for '%s' applied to '%.*s'", name,
                     LW_STR_ARG(lw_buf_view(&all)));
    lw_buf_done(&all);
    return &lw_cel_dyn;
}

/* optional.of(x) parses as a member call on "optional", but is a function with that name. */
static void find_qualified(checker *c, lw_cel_expr *expr, char name[NAME_SIZE])
{
    size_t slot, count;
    const lw_cel_type *type;
    const lw_cel_expr *before = expr->args[0];
    if (before->form != LW_CEL_EXPR_IDENT || before->name.len + expr->name.len + 2 > NAME_SIZE ||
        find_variable(c, before->name, &slot, &type))
        return;
    memcpy(name, before->name.ptr, before->name.len);
    name[before->name.len] = '.';
    memcpy(name + before->name.len + 1, expr->name.ptr, expr->name.len);
    lw_str whole = lw_str_make(name, before->name.len + 1 + expr->name.len);
    const lw_cel_overload *found = lw_cel_find_overloads(whole, &count);
    if (!found || (lw_str_equal(before->name, LW_STR("jsonpatch")) &&
                   !(c->program->features & LW_CEL_FEATURE_PATCH)))
        return;
    expr->name = lw_str_of(found->name);
    expr->call.is_member = false;
    expr->args++;
    expr->count--;
}

/* Compiles a constant pattern once; an invalid constant is an error. */
static void check_constants(checker *c, lw_cel_expr *expr)
{
    lw_cel_program *program = c->program;
    const lw_cel_expr *last = expr->count > 0 ? expr->args[expr->count > 1 ? 1 : 0] : NULL;
    if (!last || last->form != LW_CEL_EXPR_LITERAL || last->literal.kind != LW_CEL_STRING)
        return;
    lw_str text = last->literal.text;
    int64_t ns;
    lw_time time;
    bool is_bad = false;
    if (lw_str_equal(expr->name, LW_STR("duration")))
        is_bad = !lw_cel_duration_parse(text, &ns);
    else if (lw_str_equal(expr->name, LW_STR("timestamp")))
        is_bad = !lw_time_parse(text, &time);
    if (is_bad)
        lw_cel_add_error(c->errors, last->offset, "invalid %.*s argument", LW_STR_ARG(expr->name));
    bool is_pattern = lw_str_equal(expr->name, LW_STR("matches")) ||
                      lw_str_equal(expr->name, LW_STR("find")) ||
                      lw_str_equal(expr->name, LW_STR("findAll"));
    if (!is_pattern || expr->count < 2)
        return;
    lw_regex **more =
        lw_realloc_array(program->patterns, program->pattern_count + 1, sizeof(*more));
    if (!more) {
        program->arena.st = LW_ERR_NOMEM;
        return;
    }
    program->patterns = more;
    lw_regex *pattern = NULL;
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_regex_new(&pattern, text, &err);
    if (st == LW_ERR_NOMEM)
        program->arena.st = st;
    else if (st < 0)
        lw_cel_add_error(c->errors, last->offset, "invalid %.*s argument: %s",
                         LW_STR_ARG(expr->name), err.message);
    else
        expr->call.pattern = program->patterns[program->pattern_count++] = pattern;
}

static const lw_cel_type *check_call(checker *c, lw_cel_expr *expr)
{
    char qualified[NAME_SIZE], name[NAME_SIZE];
    if (expr->call.is_member)
        find_qualified(c, expr, qualified);
    bool is_format = expr->call.is_member && lw_str_equal(expr->name, LW_STR("format"));
    c->formats += is_format;
    for (size_t i = 0; i < expr->count; i++)
        (void)check(c, expr->args[i]);
    c->formats -= is_format;
    expr->call.overloads = lw_cel_find_overloads(expr->name, &expr->call.overload_count);
    if (!expr->call.overloads)
        return ERROR_AT(c, expr, "undeclared reference to '%.*s' (in container '')",
                        LW_STR_ARG(expr->name));
    expr->call.pattern = NULL;
    const lw_cel_type *result = NULL;
    for (size_t i = 0; i < expr->call.overload_count; i++) {
        const lw_cel_type *type = lw_cel_overload_type(arena(c), &expr->call.overloads[i], expr);
        if (type)
            result = !result || result->kind == type->kind ? type : &lw_cel_dyn;
    }
    if (!result) {
        size_t len = expr->name.len < sizeof(name) - 1 ? expr->name.len : sizeof(name) - 1;
        memcpy(name, expr->name.ptr, len);
        name[len] = '\0';
        return no_overload(c, expr, name);
    }
    check_constants(c, expr);
    return result;
}

static const lw_cel_type *check_logic(checker *c, lw_cel_expr *expr)
{
    bool is_bool = true;
    for (size_t i = 0; i < expr->count; i++) {
        lw_cel_kind kind = check(c, expr->args[i])->kind;
        is_bool = is_bool && (kind == LW_CEL_BOOL || kind == LW_CEL_DYN);
    }
    if (!is_bool)
        (void)no_overload(c, expr, expr->form == LW_CEL_EXPR_AND ? "_&&_" : "_||_");
    return &lw_cel_bool;
}

static const lw_cel_type *check_condition(checker *c, lw_cel_expr *expr)
{
    for (size_t i = 0; i < expr->count; i++)
        (void)check(c, expr->args[i]);
    lw_cel_kind when = expr->args[0]->type->kind;
    const lw_cel_type *both = lw_cel_join(arena(c), expr->args[1]->type, expr->args[2]->type);
    if (!both || (when != LW_CEL_BOOL && when != LW_CEL_DYN))
        return no_overload(c, expr, "_?_:_");
    return both;
}

/* Returns the common type of the elements |first|, |first| + |step| and so on.  Kubernetes requires
 * one type, except in the arguments of format(). */
static const lw_cel_type *check_items(checker *c, lw_cel_expr *expr, size_t first, size_t step)
{
    const lw_cel_type *all = NULL;
    char wanted[LW_CEL_TYPE_TEXT_SIZE], found[LW_CEL_TYPE_TEXT_SIZE];
    for (size_t i = first; i < expr->count; i += step) {
        const lw_cel_type *type = check(c, expr->args[i]);
        bool is_key = step == 2 && first == 0;
        if (!is_key && expr->items.is_optional && expr->items.is_optional[i])
            type = type->kind == LW_CEL_OPTIONAL ? lw_cel_elem_of(type) : type;
        const lw_cel_type *both = all ? lw_cel_join(arena(c), all, type) : type;
        if (!both && c->formats > 0)
            all = &lw_cel_dyn;
        else if (!both)
            lw_cel_add_error(c->errors, expr->args[i]->offset, "expected type '%s' but found '%s'",
                             lw_cel_type_text(all, wanted), lw_cel_type_text(type, found));
        else
            all = both;
    }
    return all ? all : &lw_cel_dyn;
}

/* A list of constants is a constant: it is made once. */
static void fold_constants(checker *c, lw_cel_expr *expr)
{
    for (size_t i = 0; i < expr->count; i++) {
        if (expr->args[i]->form != LW_CEL_EXPR_LITERAL)
            return;
    }
    lw_cel_value *items = lw_arena_take_zero(arena(c), expr->count + 1, sizeof(*items));
    if (!items || expr->items.is_optional)
        return;
    for (size_t i = 0; i < expr->count; i++)
        items[i] = expr->args[i]->literal;
    expr->form = LW_CEL_EXPR_LITERAL;
    expr->literal = lw_cel_of_list(items, expr->count);
    expr->count = 0;
}

static const lw_cel_type *check_list(checker *c, lw_cel_expr *expr)
{
    const lw_cel_type *elem = check_items(c, expr, 0, 1);
    fold_constants(c, expr);
    return lw_cel_type_new(arena(c), LW_CEL_LIST, NULL, elem);
}

static bool push(checker *c, lw_cel_expr *expr, lw_str name, const lw_cel_type *type)
{
    if (c->local_count == LOCALS_MAX) {
        lw_cel_add_error(c->errors, expr->offset, "too many variables: simplify the expression");
        return false;
    }
    c->locals[c->local_count++] = (local){ name, type };
    size_t slots = c->program->variable_count + c->local_count;
    if (slots > c->program->slot_count)
        c->program->slot_count = slots;
    return true;
}

/* Declares the variables of a macro over |range|. */
static bool enter_fold(checker *c, lw_cel_expr *expr, const lw_cel_type *range)
{
    char text[LW_CEL_TYPE_TEXT_SIZE];
    const lw_cel_type *key = &lw_cel_dyn, *value = &lw_cel_dyn;
    if (range->kind == LW_CEL_LIST) {
        key = &lw_cel_int;
        value = lw_cel_elem_of(range);
    } else if (range->kind == LW_CEL_MAP) {
        key = range->key ? range->key : &lw_cel_dyn;
        value = lw_cel_elem_of(range);
    } else if (range->kind != LW_CEL_DYN) {
        lw_cel_add_error(
            c->errors, expr->args[0]->offset,
            "expression of type '%s' cannot be range of a comprehension (must be list, "
            "map, or dynamic)",
            lw_cel_type_text(range, text));
    }
    expr->fold.slot = c->program->variable_count + c->local_count;
    if (expr->fold.has_two)
        return push(c, expr, expr->name, key) && push(c, expr, expr->fold.second, value);
    return push(c, expr, expr->name, range->kind == LW_CEL_MAP ? key : value);
}

/* Checks that |expr| is a bool. */
static void want_bool(checker *c, lw_cel_expr *expr)
{
    char text[LW_CEL_TYPE_TEXT_SIZE];
    if (expr->type->kind != LW_CEL_BOOL && expr->type->kind != LW_CEL_DYN)
        lw_cel_add_error(c->errors, expr->offset, "expected type 'bool' but found '%s'",
                         lw_cel_type_text(expr->type, text));
}

static const lw_cel_type *check_fold(checker *c, lw_cel_expr *expr)
{
    size_t locals = c->local_count;
    const lw_cel_type *range = check(c, expr->args[0]);
    if (!enter_fold(c, expr, range))
        return &lw_cel_dyn;
    const lw_cel_type *key = c->locals[locals].type;
    if (expr->fold.when) {
        (void)check(c, expr->fold.when);
        want_bool(c, expr->fold.when);
    }
    const lw_cel_type *body = check(c, expr->args[1]);
    c->local_count = locals;
    switch (expr->fold.macro) {
    case LW_CEL_FOLD_MAP: return lw_cel_type_new(arena(c), LW_CEL_LIST, NULL, body);
    case LW_CEL_FOLD_TRANSFORM_MAP: return lw_cel_type_new(arena(c), LW_CEL_MAP, key, body);
    case LW_CEL_FOLD_TRANSFORM_ENTRY: return body->kind == LW_CEL_MAP ? body : &lw_cel_dyn;
    case LW_CEL_FOLD_FILTER:
        want_bool(c, expr->args[1]);
        return lw_cel_type_new(arena(c), LW_CEL_LIST, NULL, key);
    default: want_bool(c, expr->args[1]); return &lw_cel_bool;
    }
}

/* Reports a field of JSONPatch that does not exist or has another type. */
static void check_patch_field(checker *c, const lw_cel_expr *expr, size_t index)
{
    char text[LW_CEL_TYPE_TEXT_SIZE];
    lw_str name = expr->made.names[index];
    lw_cel_kind kind = expr->args[index]->type->kind;
    if (lw_str_equal(name, LW_STR("value")))
        return;
    bool is_known = lw_str_equal(name, LW_STR("op")) || lw_str_equal(name, LW_STR("path")) ||
                    lw_str_equal(name, LW_STR("from"));
    if (!is_known || (kind != LW_CEL_STRING && kind != LW_CEL_DYN))
        lw_cel_add_error(c->errors, expr->made.offsets[index],
                         "expected type of field '%.*s' is '%s' but provided type is '%s'",
                         LW_STR_ARG(name), is_known ? "string" : "",
                         lw_cel_type_text(expr->args[index]->type, text));
}

static const lw_cel_type *check_struct(checker *c, lw_cel_expr *expr)
{
    bool is_patch = lw_str_equal(expr->name, LW_STR("JSONPatch"));
    bool is_object = lw_str_equal(expr->name, LW_STR("Object")) ||
                     lw_str_starts_with(expr->name, LW_STR("Object."));
    if (!(c->program->features & LW_CEL_FEATURE_PATCH) || (!is_patch && !is_object))
        return ERROR_AT(c, expr, "undeclared reference to '%.*s' (in container '')",
                        LW_STR_ARG(expr->name));
    for (size_t i = 0; i < expr->count; i++) {
        (void)check(c, expr->args[i]);
        if (is_patch)
            check_patch_field(c, expr, i);
    }
    lw_cel_type *type = lw_arena_take_zero(arena(c), 1, sizeof(*type));
    if (!type)
        return &lw_cel_dyn;
    *type =
        (lw_cel_type){ .kind = LW_CEL_STRUCT, .max_size = LW_CEL_UNBOUNDED, .name = expr->name };
    return type;
}

static const lw_cel_type *check_bind(checker *c, lw_cel_expr *expr)
{
    const lw_cel_type *value = check(c, expr->args[0]);
    expr->slot = c->program->variable_count + c->local_count;
    if (!push(c, expr, expr->name, value))
        return &lw_cel_dyn;
    const lw_cel_type *type = check(c, expr->args[1]);
    c->local_count--;
    return type;
}

static const lw_cel_type *type_of_literal(checker *c, const lw_cel_value *literal)
{
    static const lw_cel_type *const types[] = {
        [LW_CEL_NULL] = &lw_cel_null,     [LW_CEL_BOOL] = &lw_cel_bool,
        [LW_CEL_INT] = &lw_cel_int,       [LW_CEL_UINT] = &lw_cel_uint,
        [LW_CEL_DOUBLE] = &lw_cel_double, [LW_CEL_STRING] = &lw_cel_string,
        [LW_CEL_BYTES] = &lw_cel_bytes,
    };
    if (literal->kind <= LW_CEL_BYTES)
        return types[literal->kind];
    return lw_cel_type_new(arena(c), LW_CEL_TYPE, NULL, NULL);
}

static const lw_cel_type *check_form(checker *c, lw_cel_expr *expr)
{
    const lw_cel_type *key, *value;
    switch (expr->form) {
    case LW_CEL_EXPR_LITERAL: return type_of_literal(c, &expr->literal);
    case LW_CEL_EXPR_IDENT: return check_ident(c, expr);
    case LW_CEL_EXPR_SELECT: return check_select(c, expr);
    case LW_CEL_EXPR_CALL: return check_call(c, expr);
    case LW_CEL_EXPR_AND:
    case LW_CEL_EXPR_OR: return check_logic(c, expr);
    case LW_CEL_EXPR_COND: return check_condition(c, expr);
    case LW_CEL_EXPR_LIST: return check_list(c, expr);
    case LW_CEL_EXPR_MAP:
        key = check_items(c, expr, 0, 2);
        value = check_items(c, expr, 1, 2);
        return lw_cel_type_new(arena(c), LW_CEL_MAP, key, value);
    case LW_CEL_EXPR_FOLD: return check_fold(c, expr);
    case LW_CEL_EXPR_STRUCT: return check_struct(c, expr);
    case LW_CEL_EXPR_BIND: return check_bind(c, expr);
    }
    return &lw_cel_dyn;
}

static const lw_cel_type *check(checker *c, lw_cel_expr *expr)
{
    const lw_cel_type *type = check_form(c, expr);
    expr->type = type ? type : &lw_cel_dyn;
    return expr->type;
}

lw_status lw_cel_check(lw_cel_program *program, lw_cel_errors *errors)
{
    checker *c = lw_alloc_zero(1, sizeof(*c));
    if (!c)
        return LW_ERR_NOMEM;
    c->program = program;
    c->errors = errors;
    program->slot_count = program->variable_count;
    (void)check(c, program->root);
    lw_free(c);
    if (program->arena.st < 0)
        return program->arena.st;
    return errors->count > 0 ? LW_ERR_SYNTAX : LW_OK;
}
