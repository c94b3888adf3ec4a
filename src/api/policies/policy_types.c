/* SPDX-License-Identifier: Apache-2.0 */
/* policy_types.c -- makes CEL types of the types of fields.
 *
 * Each type is named by its path, "Deployment.spec.strategy", so that the same struct is made once
 * for each place where it stands. */
#include "api/policies/policy_types.h"

#include <stdlib.h>

#include "base/str.h"
#include "schema/kinds/definition.h"
#include "schema/kinds/kinds.h"
#include "schema/structural/structural.h"
#include "schema/types/type.h"

enum {
    DEPTH_MAX = 64, /* of structs in each other */
    NAME_MAX_BYTES = 16 * 1024,
};

typedef struct maker {
    lw_arena *arena;
    lw_buf name;                    /* of the current type */
    const lw_type *open[DEPTH_MAX]; /* the structs around it */
    size_t depth;
} maker;

static const lw_cel_type *make_type(maker *m, const lw_type *type);

static lw_cel_type *new_type(maker *m, lw_cel_kind kind)
{
    lw_cel_type *type = lw_arena_take_zero(m->arena, 1, sizeof(*type));
    if (type)
        *type = (lw_cel_type){ .kind = kind, .max_size = LW_CEL_UNBOUNDED };
    return type;
}

/* Makes |type|, whose name is the current one and |suffix|. */
static const lw_cel_type *make_below(maker *m, lw_str suffix, const lw_type *type)
{
    size_t len = m->name.len;
    lw_buf_append_char(&m->name, '.');
    lw_buf_append_str(&m->name, suffix);
    const lw_cel_type *made = m->name.st < 0 ? NULL : make_type(m, type);
    if (m->name.st < 0 && m->arena->st == LW_OK)
        m->arena->st = m->name.st;
    lw_buf_truncate(&m->name, len);
    return made;
}

/* A list or a map; NULL if its elements have no type. */
static const lw_cel_type *make_container(maker *m, const lw_type *type)
{
    bool is_map = type->form == LW_TYPE_MAP;
    const lw_cel_type *elem =
        make_below(m, is_map ? LW_STR("@elem") : LW_STR("@idx"), type->element);
    lw_cel_type *made = elem ? new_type(m, is_map ? LW_CEL_MAP : LW_CEL_LIST) : NULL;
    if (!made)
        return NULL;
    made->elem = elem;
    made->key = is_map ? &lw_cel_string : NULL;
    return made;
}

static int compare_fields(const void *a, const void *b)
{
    return lw_str_compare(((const lw_cel_field *)a)->name, ((const lw_cel_field *)b)->name);
}

/* Adds the field |key|, if it can be written in CEL. */
static void add_field(maker *m, lw_cel_type *object, lw_cel_field *fields, lw_str key,
                      const lw_cel_type *type)
{
    lw_buf name;
    lw_buf_init(&name, NAME_MAX_BYTES);
    if (lw_cel_escape(key, &name) && name.st == LW_OK)
        fields[object->field_count++] =
            (lw_cel_field){ lw_arena_copy(m->arena, lw_buf_view(&name)), key, type };
    if (name.st == LW_ERR_NOMEM && m->arena->st == LW_OK)
        m->arena->st = LW_ERR_NOMEM;
    lw_buf_done(&name);
}

static bool is_open(const maker *m, const lw_type *type)
{
    for (size_t i = 0; i < m->depth; i++) {
        if (m->open[i] == type)
            return true;
    }
    return m->depth == DEPTH_MAX;
}

/* An object.  |type| NULL: one without declared fields, and so is one that is inside itself. */
static const lw_cel_type *make_object(maker *m, const lw_type *type)
{
    if (type && is_open(m, type))
        type = NULL;
    size_t count = type ? type->member_count : 0;
    lw_cel_type *made = new_type(m, LW_CEL_OBJECT);
    lw_cel_field *fields = lw_arena_take_zero(m->arena, count + 1, sizeof(*fields));
    if (!made || !fields)
        return NULL;
    made->name = lw_arena_copy(m->arena, lw_buf_view(&m->name));
    made->fields = fields;
    if (type)
        m->open[m->depth++] = type;
    for (size_t i = 0; i < count; i++) {
        const lw_field *field = type->members[i].field;
        const lw_cel_type *of = make_below(m, field->name, field->type);
        if (of)
            add_field(m, made, fields, field->name, of);
    }
    if (type)
        m->depth--;
    qsort(fields, made->field_count, sizeof(*fields), compare_fields);
    return made;
}

static const lw_cel_type *make_type(maker *m, const lw_type *type)
{
    switch (type->form) {
    case LW_TYPE_BOOL: return &lw_cel_bool;
    case LW_TYPE_INT32:
    case LW_TYPE_INT64: return &lw_cel_int;
    case LW_TYPE_DOUBLE: return &lw_cel_double;
    case LW_TYPE_STRING:
    case LW_TYPE_DURATION: return &lw_cel_string;
    case LW_TYPE_BYTES: return &lw_cel_bytes;
    case LW_TYPE_INT_OR_STRING: return &lw_cel_dyn;
    case LW_TYPE_TIME:
    case LW_TYPE_MICRO_TIME: return &lw_cel_timestamp;
    case LW_TYPE_RAW: /* in schemas of definitions any value, elsewhere an object */
        return lw_str_equal(type->go, LW_STR("v1.JSON")) ? NULL : make_object(m, NULL);
    case LW_TYPE_FIELDS_V1: return make_object(m, NULL);
    case LW_TYPE_LIST:
    case LW_TYPE_MAP: return make_container(m, type);
    case LW_TYPE_STRUCT: return make_object(m, type);
    case LW_TYPE_QUANTITY:
    case LW_TYPE_EITHER: break;
    }
    return NULL;
}

/* The type of all metadata. */
static const lw_cel_type *make_metadata(maker *m)
{
    const lw_type *type = lw_type_of_kind(lw_kind_gvk(&lw_kind_configmaps));
    for (size_t i = 0; type && i < type->member_count; i++) {
        const lw_field *field = type->members[i].field;
        if (lw_str_equal(field->name, LW_STR("metadata")))
            return make_below(m, field->name, field->type);
    }
    return NULL;
}

/* The type that rules of the definition see, but with all metadata. */
static const lw_cel_type *make_custom(maker *m, const lw_structural *schema)
{
    const lw_cel_type *seen = lw_structural_rule_type(schema);
    if (!seen || seen->kind != LW_CEL_OBJECT)
        return seen;
    lw_cel_type *made = new_type(m, LW_CEL_OBJECT);
    lw_cel_field *fields = lw_arena_take_zero(m->arena, seen->field_count + 1, sizeof(*fields));
    const lw_cel_type *metadata = make_metadata(m);
    if (!made || !fields || !metadata)
        return NULL;
    *made = *seen;
    made->name = lw_arena_copy(m->arena, lw_buf_view(&m->name));
    made->fields = fields;
    for (size_t i = 0; i < seen->field_count; i++) {
        fields[i] = seen->fields[i];
        if (lw_str_equal(fields[i].key, LW_STR("metadata")))
            fields[i].type = metadata;
    }
    return made;
}

const lw_cel_type *lw_policy_type_of(lw_arena *arena, const lw_kind *kind)
{
    maker m = { .arena = arena };
    const lw_cel_type *made = NULL;
    lw_buf_init(&m.name, NAME_MAX_BYTES);
    lw_buf_append_str(&m.name, kind->kind);
    const lw_type *type = kind->custom ? NULL : lw_type_of_kind(lw_kind_gvk(kind));
    if (kind->custom && kind->custom->schema)
        made = make_custom(&m, kind->custom->schema);
    else if (type)
        made = make_type(&m, type);
    if (m.name.st < 0 && arena->st == LW_OK)
        arena->st = m.name.st;
    lw_buf_done(&m.name);
    return arena->st < 0 ? NULL : made;
}
