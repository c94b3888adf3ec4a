/* SPDX-License-Identifier: Apache-2.0 */
/* structs.c -- objects that expressions make, Object.spec{...} and JSONPatch{...}, and values as
 * JSON. */
#include <stdio.h>

#include "base/str.h"
#include "base/text/base64.h"
#include "cel/expr.h"
#include "cel/functions.h"
#include "cel/price.h"
#include "cel/session_internal.h"

enum {
    NUMBER_SIZE = 64,
    PATH_MAX_BYTES = 4096,
};

/* Evaluates field |index|.  False: it is optional and has no value. */
static bool eval_field(lw_cel_run *run, const lw_cel_expr *expr, size_t index, lw_cel_value *out)
{
    *out = lw_cel_eval_expr(run, expr->args[index]);
    if (!expr->made.is_optional || !expr->made.is_optional[index] || lw_cel_is_error(out))
        return true;
    if (out->kind != LW_CEL_OPTIONAL) {
        *out = lw_cel_fail(run, "cannot initialize optional entry '%.*s' from non-optional value",
                           LW_STR_ARG(expr->made.names[index]));
        return true;
    }
    if (!out->inner)
        return false;
    *out = *out->inner;
    return true;
}

lw_cel_value lw_cel_eval_struct(lw_cel_run *run, const lw_cel_expr *expr)
{
    lw_cel_struct *made = lw_arena_take_zero(&run->arena, 1, sizeof(*made));
    lw_cel_entry *fields = lw_arena_take_zero(&run->arena, expr->count + 1, sizeof(*fields));
    if (!made || !fields || !lw_cel_charge(run, LW_CEL_COST_STRUCT))
        return lw_cel_over(run);
    made->type = expr->name;
    made->fields = fields;
    for (size_t i = 0; i < expr->count; i++) {
        lw_cel_value value;
        if (!eval_field(run, expr, i, &value))
            continue;
        if (lw_cel_is_error(&value))
            return value;
        fields[made->count++] = (lw_cel_entry){ lw_cel_of_text(expr->made.names[i]), value };
    }
    return (lw_cel_value){ .kind = LW_CEL_STRUCT, .made = made };
}

lw_cel_value lw_cel_fn_escape_key(lw_cel_run *run, const lw_cel_value *args, size_t count)
{
    lw_buf out;
    (void)count;
    lw_buf_init(&out, LW_CEL_VALUES_MAX);
    for (size_t i = 0; i < args[0].text.len; i++) {
        char c = args[0].text.ptr[i];
        if (c == '/' || c == '~')
            lw_buf_append_text(&out, c == '/' ? "~1" : "~0");
        else
            lw_buf_append_char(&out, c);
    }
    return lw_cel_take_buf(run, &out);
}

/* A conversion under way. */
typedef struct conversion {
    lw_cel_run *run;
    lw_tree *tree;
    lw_buf *why;
    lw_buf path; /* the type name that an Object must have here */
    unsigned depth;
    lw_status st;
} conversion;

static lw_node *convert(conversion *c, const lw_cel_value *value);

static lw_node *refuse(conversion *c)
{
    c->st = c->st < 0 ? c->st : LW_ERR_INVALID;
    return NULL;
}

static lw_node *convert_list(conversion *c, const lw_cel_value *list)
{
    lw_node *array = lw_tree_array(c->tree);
    for (size_t i = 0; c->st == LW_OK && i < lw_cel_size(list); i++) {
        lw_cel_value item = lw_cel_item(c->run, list, i);
        lw_node_append(c->tree, array, convert(c, &item));
    }
    return array;
}

static lw_node *convert_map(conversion *c, const lw_cel_value *map)
{
    lw_node *object = lw_tree_object(c->tree);
    for (size_t i = 0; c->st == LW_OK && i < lw_cel_size(map); i++) {
        lw_cel_value key = lw_cel_key_at(map, i), value = lw_cel_value_at(c->run, map, i);
        if (key.kind != LW_CEL_STRING) {
            lw_buf_printf(c->why, "map key is of type %s, not string", lw_cel_kind_name(key.kind));
            return refuse(c);
        }
        lw_node_put(c->tree, object, key.text, convert(c, &value));
    }
    return object;
}

static lw_node *convert_struct(conversion *c, const lw_cel_struct *made)
{
    lw_node *object = lw_tree_object(c->tree);
    size_t before = c->path.len;
    bool is_patch = lw_str_equal(made->type, LW_STR("JSONPatch"));
    if (c->path.len == 0)
        lw_buf_append_str(&c->path, made->type);
    if (!lw_str_equal(lw_buf_view(&c->path), made->type)) {
        lw_buf_printf(c->why,
                      "type mismatch: unexpected type name \"%.*s\", expected \"%.*s\", which "
                      "matches field name path from root Object type",
                      LW_STR_ARG(made->type), LW_STR_ARG(lw_buf_view(&c->path)));
        return refuse(c);
    }
    size_t here = c->path.len;
    for (size_t i = 0; c->st == LW_OK && i < made->count; i++) {
        lw_str name = made->fields[i].key.text;
        if (is_patch) {
            c->path.len = 0; /* the value of a patch begins a path of its own */
        } else {
            lw_buf_append_char(&c->path, '.');
            lw_buf_append_str(&c->path, name);
        }
        lw_node_put(c->tree, object, name, convert(c, &made->fields[i].value));
        if (is_patch) {
            c->path.len = 0;
            lw_buf_append_str(&c->path, made->type);
        }
        c->path.len = here < c->path.len ? here : c->path.len;
    }
    c->path.len = before;
    return object;
}

static lw_node *convert_bytes(conversion *c, lw_str bytes)
{
    lw_buf text;
    lw_buf_init(&text, LW_CEL_VALUES_MAX * 2);
    lw_base64_encode(&text, bytes);
    lw_node *node = lw_tree_string(c->tree, lw_buf_view(&text));
    if (text.st < 0)
        c->st = text.st;
    lw_buf_done(&text);
    return node;
}

/* Numbers, times and what else has a text. */
static lw_node *convert_text(conversion *c, const lw_cel_value *value)
{
    lw_buf text;
    lw_buf_init(&text, LW_CEL_VALUES_MAX);
    bool has_text = lw_cel_append_text(&text, value);
    bool is_number = value->kind == LW_CEL_UINT || value->kind == LW_CEL_DOUBLE;
    lw_node *node = NULL;
    if (text.st < 0)
        c->st = text.st;
    else if (!has_text)
        lw_buf_printf(c->why, "a value of type %s is not JSON", lw_cel_kind_name(value->kind));
    else
        node = is_number ? lw_tree_number(c->tree, lw_buf_view(&text))
                         : lw_tree_string(c->tree, lw_buf_view(&text));
    lw_buf_done(&text);
    return node || c->st < 0 ? node : refuse(c);
}

static lw_node *convert_deep(conversion *c, const lw_cel_value *value)
{
    if (value->is_tree)
        return lw_tree_copy(c->tree, value->tree.node);
    switch ((lw_cel_kind)value->kind) {
    case LW_CEL_NULL: return lw_tree_null(c->tree);
    case LW_CEL_BOOL: return lw_tree_bool(c->tree, value->boolean);
    case LW_CEL_INT: return lw_tree_int(c->tree, value->integer);
    case LW_CEL_STRING: return lw_tree_string(c->tree, value->text);
    case LW_CEL_BYTES: return convert_bytes(c, value->text);
    case LW_CEL_LIST: return convert_list(c, value);
    case LW_CEL_MAP: return convert_map(c, value);
    case LW_CEL_STRUCT: return convert_struct(c, value->made);
    default: return convert_text(c, value);
    }
}

static lw_node *convert(conversion *c, const lw_cel_value *value)
{
    if (c->depth == LW_TREE_DEPTH) {
        c->st = LW_ERR_LIMIT;
        return NULL;
    }
    c->depth++;
    lw_node *node = convert_deep(c, value);
    c->depth--;
    return node;
}

lw_status lw_cel_value_node(lw_cel_run *run, const lw_cel_value *value, lw_tree *tree,
                            lw_node **out, lw_buf *why)
{
    conversion c = { .run = run, .tree = tree, .why = why };
    lw_buf_init(&c.path, PATH_MAX_BYTES);
    lw_node *node = convert(&c, value);
    if (c.st == LW_OK && c.path.st < 0)
        c.st = c.path.st;
    if (c.st == LW_OK)
        c.st = lw_tree_status(tree);
    lw_buf_done(&c.path);
    if (c.st == LW_OK)
        *out = node;
    return c.st;
}
