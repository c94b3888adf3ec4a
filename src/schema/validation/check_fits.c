/* SPDX-License-Identifier: Apache-2.0 */
/* check_fits.c -- a walk along a type that stops at the first doubt. */
#include "schema/validation/check_fits.h"

#include "base/str.h"
#include "schema/validation/check_value.h"
#include "schema/validation/typed.h"

/* The state of the walk. */
typedef struct fitting {
    bool is_strict; /* an unknown field is an error */
    bool is_typed;  /* lw_typed_read would have changed nothing so far */
} fitting;

static bool fits(fitting *f, const lw_type *type, const lw_node *value, unsigned depth);

static bool fits_integer(const lw_node *value, int64_t least, int64_t most)
{
    int64_t number;
    return lw_node_is(value, LW_JSON_NUMBER) && lw_str_to_int64(lw_node_text(value), &number) &&
           number >= least && number <= most;
}

/* True if |check| reports nothing for |text|. */
static bool is_faultless(lw_str text, void (*check)(lw_str text, lw_buf *fault))
{
    enum {
        FAULT_MAX = 4096,
    };
    lw_buf fault;
    lw_buf_init(&fault, FAULT_MAX);
    check(text, &fault);
    bool is_good = fault.len == 0 && fault.st == LW_OK;
    lw_buf_done(&fault);
    return is_good;
}

static bool fits_text(const lw_node *value, void (*check)(lw_str text, lw_buf *fault))
{
    return lw_node_is(value, LW_JSON_STRING) && is_faultless(lw_node_text(value), check);
}

static void check_time(lw_str text, lw_buf *fault)
{
    lw_check_time(text, false, fault);
}

static void check_micro_time(lw_str text, lw_buf *fault)
{
    lw_check_time(text, true, fault);
}

/* A number, or a string without escapes. */
static bool fits_quantity(const lw_node *value)
{
    lw_str text = lw_node_text(value);
    if (!lw_node_is(value, LW_JSON_NUMBER) &&
        (!lw_node_is(value, LW_JSON_STRING) || lw_node_was_escaped(value)))
        return false;
    for (size_t i = 0; i < text.len; i++) {
        if (!lw_char_is_digit(text.ptr[i]) && !memchr(".eEinumkKMGTP+-", text.ptr[i], 15))
            return false;
    }
    return is_faultless(text, lw_check_quantity);
}

static bool fits_scalar(const lw_type *type, const lw_node *value)
{
    switch (type->form) {
    case LW_TYPE_BOOL: return lw_node_is(value, LW_JSON_BOOL);
    case LW_TYPE_INT32: return fits_integer(value, INT32_MIN, INT32_MAX);
    case LW_TYPE_INT64: return fits_integer(value, INT64_MIN, INT64_MAX);
    case LW_TYPE_STRING:
    case LW_TYPE_DURATION: return lw_node_is(value, LW_JSON_STRING);
    case LW_TYPE_BYTES: return fits_text(value, lw_check_base64);
    case LW_TYPE_TIME: return fits_text(value, check_time);
    case LW_TYPE_MICRO_TIME: return fits_text(value, check_micro_time);
    case LW_TYPE_QUANTITY: return fits_quantity(value);
    case LW_TYPE_INT_OR_STRING:
        return lw_node_is(value, LW_JSON_STRING) || fits_integer(value, INT32_MIN, INT32_MAX);
    case LW_TYPE_RAW:
    case LW_TYPE_FIELDS_V1: return true;
    default: return false; /* doubles and eithers are rare and complex */
    }
}

static bool fits_elements(fitting *f, const lw_type *element, const lw_node *array, unsigned depth)
{
    for (size_t i = 0, count = lw_node_count(array); i < count; i++) {
        if (!fits(f, element, lw_node_at(array, i), depth - 1))
            return false;
    }
    return true;
}

static bool fits_map(fitting *f, const lw_type *element, const lw_node *map, unsigned depth)
{
    const lw_slot *slots = lw_node_slots(map);
    for (size_t i = 0, count = lw_node_count(map); i < count; i++) {
        if (!fits(f, element, slots[i].value, depth - 1))
            return false;
        f->is_typed = f->is_typed && lw_typed_keeps_element(element, slots[i].value);
    }
    return true;
}

static bool fits_members(fitting *f, const lw_type *type, const lw_node *object, unsigned depth)
{
    const lw_slot *slots = lw_node_slots(object);
    for (size_t i = 0, count = lw_node_count(object); i < count; i++) {
        const lw_field *field = lw_type_field(type, lw_slot_key(&slots[i]));
        if (field ? !fits(f, field->type, slots[i].value, depth - 1) : f->is_strict)
            return false;
        f->is_typed = f->is_typed && field && lw_typed_keeps(field, slots[i].value);
    }
    return true;
}

static bool fits(fitting *f, const lw_type *type, const lw_node *value, unsigned depth)
{
    /* Null is the same as absent; who knows the text of a value has seen that it fits. */
    if (lw_node_type(value) == LW_JSON_NULL || lw_node_is_known(value))
        return true;
    if (depth == 0)
        return false;
    switch (type->form) {
    case LW_TYPE_LIST:
        return lw_node_is(value, LW_JSON_ARRAY) && fits_elements(f, type->element, value, depth);
    case LW_TYPE_MAP:
        return lw_node_is(value, LW_JSON_OBJECT) && fits_map(f, type->element, value, depth);
    case LW_TYPE_STRUCT:
        return lw_node_is(value, LW_JSON_OBJECT) && fits_members(f, type, value, depth);
    default: return fits_scalar(type, value);
    }
}

bool lw_check_fits(const lw_type *type, const lw_node *document)
{
    fitting f = { .is_strict = false };
    return fits(&f, type, document, LW_TREE_DEPTH);
}

bool lw_check_fits_strictly(const lw_type *type, const lw_node *document, bool *is_typed)
{
    fitting f = { .is_strict = true, .is_typed = is_typed };
    bool is_fitting = fits(&f, type, document, LW_TREE_DEPTH);
    if (is_typed)
        *is_typed = is_fitting && f.is_typed;
    return is_fitting;
}

bool lw_check_fits_beside(const lw_type *type, const lw_node *document, const lw_node *known)
{
    fitting f = { .is_strict = false };
    if (!known || type->form != LW_TYPE_STRUCT || !lw_node_is(document, LW_JSON_OBJECT))
        return lw_check_fits(type, document);
    for (size_t i = 0; i < lw_node_count(document); i++) {
        lw_str name = lw_node_key_at(document, i);
        const lw_node *value = lw_node_at(document, i);
        const lw_field *field =
            lw_node_get(known, name) == value ? NULL : lw_type_field(type, name);
        if (field && !fits(&f, field->type, value, LW_TREE_DEPTH - 1))
            return false;
    }
    return true;
}
