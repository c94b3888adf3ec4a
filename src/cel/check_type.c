/* SPDX-License-Identifier: Apache-2.0 */
/* check_type.c -- compares types with each other and with signatures. */
#include "cel/check_type.h"

#include <stdio.h>

/* The types that 'A' and 'B' of a signature are bound to. */
typedef struct matching {
    lw_arena *arena;
    const lw_cel_type *bound[2];
    bool is_bad;
} matching;

const lw_cel_type *lw_cel_type_new(lw_arena *arena, lw_cel_kind kind, const lw_cel_type *key,
                                   const lw_cel_type *elem)
{
    lw_cel_type *type = lw_arena_take_zero(arena, 1, sizeof(*type));
    if (!type)
        return &lw_cel_dyn;
    *type = (lw_cel_type){ .kind = kind, .key = key, .elem = elem, .max_size = LW_CEL_UNBOUNDED };
    return type;
}

const lw_cel_type *lw_cel_elem_of(const lw_cel_type *type)
{
    return type->elem ? type->elem : &lw_cel_dyn;
}

static const lw_cel_type *key_of(const lw_cel_type *type)
{
    return type->key ? type->key : &lw_cel_dyn;
}

/* True for types that null is compatible with. */
static bool takes_null(const lw_cel_type *type)
{
    return type->kind == LW_CEL_OBJECT || type->kind == LW_CEL_DURATION ||
           type->kind == LW_CEL_TIMESTAMP || type->kind >= LW_CEL_OPTIONAL;
}

const lw_cel_type *lw_cel_join(lw_arena *arena, const lw_cel_type *a, const lw_cel_type *b)
{
    const lw_cel_type *key = NULL, *elem = NULL;
    if (a == b || b->kind == LW_CEL_DYN)
        return a;
    if (a->kind == LW_CEL_DYN)
        return b;
    if (a->kind == LW_CEL_NULL && takes_null(b))
        return b;
    if (b->kind == LW_CEL_NULL && takes_null(a))
        return a;
    if (a->kind != b->kind || a->kind == LW_CEL_OBJECT)
        return NULL;
    if (a->kind == LW_CEL_STRUCT)
        return lw_str_equal(a->name, b->name) ? a : NULL;
    if (a->kind != LW_CEL_LIST && a->kind != LW_CEL_MAP && a->kind != LW_CEL_OPTIONAL)
        return a->max_size >= b->max_size ? a : b;
    elem = lw_cel_join(arena, lw_cel_elem_of(a), lw_cel_elem_of(b));
    if (a->kind == LW_CEL_MAP)
        key = lw_cel_join(arena, key_of(a), key_of(b));
    if (!elem || (a->kind == LW_CEL_MAP && !key))
        return NULL;
    if (elem == a->elem && key == a->key && a->max_size >= b->max_size)
        return a;
    if (elem == b->elem && key == b->key && b->max_size >= a->max_size)
        return b;
    return lw_cel_type_new(arena, a->kind, key, elem);
}

/* Matches |type| against the first type of |signature|. */
static void match(matching *m, const char *signature, const lw_cel_type *type)
{
    lw_cel_kind kind = lw_cel_signature_kind(*signature);
    if (*signature == 'A' || *signature == 'B') {
        const lw_cel_type **bound = &m->bound[*signature - 'A'];
        const lw_cel_type *both = *bound ? lw_cel_join(m->arena, *bound, type) : type;
        m->is_bad = m->is_bad || !both;
        *bound = both;
        return;
    }
    bool is_dyn = type->kind == LW_CEL_DYN;
    if (kind == LW_CEL_DYN)
        return;
    if (!is_dyn && kind != type->kind) {
        m->is_bad = true;
        return;
    }
    if (kind == LW_CEL_LIST || kind == LW_CEL_OPTIONAL) {
        match(m, signature + 1, is_dyn ? &lw_cel_dyn : lw_cel_elem_of(type));
    } else if (kind == LW_CEL_MAP) {
        match(m, signature + 1, is_dyn ? &lw_cel_dyn : key_of(type));
        match(m, lw_cel_signature_skip(signature + 1), is_dyn ? &lw_cel_dyn : lw_cel_elem_of(type));
    }
}

/* Returns the result type of a signature. */
static const lw_cel_type *make(matching *m, const char *signature)
{
    static const lw_cel_type *const simple[] = {
        [LW_CEL_DYN] = &lw_cel_dyn,           [LW_CEL_NULL] = &lw_cel_null,
        [LW_CEL_BOOL] = &lw_cel_bool,         [LW_CEL_INT] = &lw_cel_int,
        [LW_CEL_UINT] = &lw_cel_uint,         [LW_CEL_DOUBLE] = &lw_cel_double,
        [LW_CEL_STRING] = &lw_cel_string,     [LW_CEL_BYTES] = &lw_cel_bytes,
        [LW_CEL_DURATION] = &lw_cel_duration, [LW_CEL_TIMESTAMP] = &lw_cel_timestamp,
    };
    if (*signature == 'A' || *signature == 'B') {
        const lw_cel_type *bound = m->bound[*signature - 'A'];
        return bound ? bound : &lw_cel_dyn;
    }
    lw_cel_kind kind = lw_cel_signature_kind(*signature);
    if (kind < sizeof(simple) / sizeof(simple[0]))
        return simple[kind];
    if (kind == LW_CEL_MAP)
        return lw_cel_type_new(m->arena, kind, make(m, signature + 1),
                               make(m, lw_cel_signature_skip(signature + 1)));
    bool has_elem = kind == LW_CEL_LIST || kind == LW_CEL_OPTIONAL;
    return lw_cel_type_new(m->arena, kind, NULL, has_elem ? make(m, signature + 1) : NULL);
}

const lw_cel_type *lw_cel_overload_type(lw_arena *arena, const lw_cel_overload *overload,
                                        const lw_cel_expr *expr)
{
    matching m = { .arena = arena };
    const char *at = overload->signature;
    bool is_member = *at == '.';
    at += is_member;
    if (is_member != expr->call.is_member)
        return NULL;
    for (size_t i = 0; i < expr->count; i++, at = lw_cel_signature_skip(at)) {
        if (*at == ':')
            return NULL;
        match(&m, at, expr->args[i]->type);
    }
    if (*at != ':' || m.is_bad)
        return NULL;
    return make(&m, at + 1);
}

static void append_type(lw_buf *out, const lw_cel_type *type)
{
    switch (type->kind) {
    case LW_CEL_NULL: lw_buf_append_text(out, "null"); return;
    case LW_CEL_DURATION: lw_buf_append_text(out, "duration"); return;
    case LW_CEL_TIMESTAMP: lw_buf_append_text(out, "timestamp"); return;
    case LW_CEL_OBJECT:
    case LW_CEL_STRUCT:
        if (type->name.len > 0) {
            lw_buf_append_str(out, type->name);
            return;
        }
        lw_buf_append_text(out, lw_cel_kind_name(type->kind));
        return;
    default: lw_buf_append_text(out, lw_cel_kind_name(type->kind)); break;
    }
    if (type->kind != LW_CEL_LIST && type->kind != LW_CEL_MAP && type->kind != LW_CEL_OPTIONAL)
        return;
    lw_buf_append_char(out, '(');
    if (type->kind == LW_CEL_MAP) {
        append_type(out, key_of(type));
        lw_buf_append_text(out, ", ");
    }
    append_type(out, lw_cel_elem_of(type));
    lw_buf_append_char(out, ')');
}

void lw_cel_type_append(const lw_cel_type *type, lw_buf *out)
{
    if ((type->kind == LW_CEL_OBJECT || type->kind == LW_CEL_STRUCT) && type->name.len > 0) {
        lw_buf_append_str(out, type->name);
        return;
    }
    lw_buf_append_text(out, lw_cel_kind_name(type->kind));
    if (type->kind != LW_CEL_LIST && type->kind != LW_CEL_MAP && type->kind != LW_CEL_OPTIONAL)
        return;
    lw_buf_append_char(out, '(');
    if (type->kind == LW_CEL_MAP) {
        lw_cel_type_append(key_of(type), out);
        lw_buf_append_text(out, ", ");
    }
    lw_cel_type_append(lw_cel_elem_of(type), out);
    lw_buf_append_char(out, ')');
}

const char *lw_cel_type_text(const lw_cel_type *type, char text[LW_CEL_TYPE_TEXT_SIZE])
{
    lw_buf out = { .data = text,
                   .cap = LW_CEL_TYPE_TEXT_SIZE - 1,
                   .limit = LW_CEL_TYPE_TEXT_SIZE - 1 };
    append_type(&out, type);
    text[out.len] = '\0';
    return text;
}
