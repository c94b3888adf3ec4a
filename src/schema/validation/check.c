/* SPDX-License-Identifier: Apache-2.0 */
/* check.c -- walks a document along its type.
 *
 * The recursion is as deep as the document, whose depth the scanner limits.  The position is a
 * linked list of places on the stack.  check_message.c writes the messages.  Go's decoder records
 * the first value of a wrong type and continues.  An error in a value with a custom unmarshaler (a
 * quantity, a time, a schema or list of schemas) stops it and is the one that is reported. */
#include "schema/validation/check.h"

#include <math.h>

#include "base/alloc.h"
#include "base/str.h"
#include "schema/validation/check_keys.h"
#include "schema/validation/check_message.h"
#include "schema/validation/check_value.h"
#include "json/text.h"

typedef lw_check_place place;
typedef lw_check_walk walker;

static void walk_value(walker *w, const lw_type *type, lw_json_cursor *at, const place *here);

/* Reports the value at the cursor, which is not of |type|, and skips it. */
static void wrong_value(walker *w, const lw_type *type, lw_json_cursor *at, const place *here)
{
    lw_check_wrong_type(w, here, lw_json_cursor_type(at), LW_STR(""), type->go, false);
    (void)lw_json_cursor_skip(at);
}

static void walk_list(walker *w, const lw_type *type, lw_json_cursor *at, const place *here)
{
    place inner = { .up = here };
    lw_json_cursor_enter(at);
    for (; !w->is_over && lw_json_cursor_next_element(at); inner.index++)
        walk_value(w, type->element, at, &inner);
}

static void walk_map(walker *w, const lw_type *type, lw_json_cursor *at, const place *here)
{
    bool *again = NULL;
    place inner = { .up = here };
    if (w->quiet == 0 && lw_check_repeated_keys(*at, &again) < 0) {
        lw_check_fail(w);
        return;
    }
    lw_json_cursor_enter(at);
    for (; !w->is_over && lw_json_cursor_next_member(at, &inner.raw_key); inner.index++) {
        if (again && again[inner.index])
            lw_check_find(w, "duplicate field ", here, inner.raw_key);
        walk_value(w, type->element, at, &inner);
    }
    lw_free(again);
}

static void walk_struct(walker *w, const lw_type *type, lw_json_cursor *at, const place *here)
{
    uint64_t seen[LW_TYPE_MEMBERS_MAX / 64] = { 0 };
    lw_str raw_key;
    lw_json_cursor_enter(at);
    while (!w->is_over && lw_json_cursor_next_member(at, &raw_key)) {
        const lw_member *member = lw_type_member(type, lw_check_decoded(w, raw_key));
        if (!member) {
            lw_check_find(w, "unknown field ", here, raw_key);
            (void)lw_json_cursor_skip(at);
            continue;
        }
        size_t i = (size_t)(member - type->members);
        uint64_t bit = (uint64_t)1 << (i % 64);
        if (seen[i / 64] & bit)
            lw_check_find(w, "duplicate field ", here, raw_key);
        seen[i / 64] |= bit;
        place inner = { .up = here, .owner = type, .member = member };
        walk_value(w, member->field->type, at, &inner);
    }
}

/* True if |json| is the JSON type of |form|, for the forms that an either distinguishes. */
static bool is_form_of(lw_type_form form, lw_json_type json)
{
    return (form == LW_TYPE_BOOL && json == LW_JSON_BOOL) ||
           (form == LW_TYPE_LIST && json == LW_JSON_ARRAY) ||
           (form == LW_TYPE_STRUCT && json == LW_JSON_OBJECT);
}

/* Checks a list that is a message only in protobuf. */
static void walk_only(walker *w, const lw_type *type, lw_json_cursor *at, const place *here)
{
    const lw_type *list = lw_type_in_json(type);
    if (is_form_of(list->form, lw_json_cursor_type(at)))
        walk_value(w, list, at, here);
    else
        wrong_value(w, type, at, here);
}

static void walk_either(walker *w, const lw_type *type, lw_json_cursor *at, const place *here)
{
    lw_json_type json = lw_json_cursor_type(at);
    bool has_bool = false;
    if (lw_type_in_json(type) != type) {
        walk_only(w, type, at, here);
        return;
    }
    for (size_t i = 0; i < type->field_count; i++) {
        const lw_type *one = type->fields[i].type;
        has_bool = has_bool || one->form == LW_TYPE_BOOL;
        if (is_form_of(one->form, json)) {
            w->quiet++;
            walk_value(w, one, at, here);
            w->quiet--;
            return;
        }
    }
    (void)lw_json_cursor_skip(at);
    /* Without a bool, Go ignores all other values. */
    if (has_bool && lw_check_begin_fault(w, true)) {
        lw_buf_append_text(&w->check->fault, "boolean or JSON schema expected");
        lw_check_end_fault(w);
    }
}

static void check_integer(walker *w, const lw_type *type, lw_json_type json, lw_str text,
                          const place *here)
{
    int64_t value = 0;
    bool is_number = json == LW_JSON_NUMBER;
    bool is_short = type->form == LW_TYPE_INT32;
    if (!is_number || !lw_str_to_int64(text, &value) ||
        (is_short && (value < INT32_MIN || value > INT32_MAX)))
        lw_check_wrong_type(w, here, json, is_number ? text : LW_STR(""), type->go, false);
}

/* A custom unmarshaler: an error ends the decoding. */
static void check_int_or_string(walker *w, lw_json_type json, lw_str text, const place *here)
{
    static const lw_type number = { .form = LW_TYPE_INT32, .go = LW_STR_INIT("int32") };
    if (json == LW_JSON_STRING)
        return;
    w->quiet++;
    check_integer(w, &number, json, text, here);
    w->quiet--;
}

/* Checks the text of a value with |check_one|.  |last|: Go has a custom unmarshaler for it. */
static void check_text(walker *w, lw_str text, void (*check_one)(lw_str text, lw_buf *fault),
                       bool last)
{
    lw_buf fault;
    lw_buf_init(&fault, LW_CHECK_TEXT_MAX);
    check_one(text, &fault);
    if (fault.st == LW_ERR_NOMEM) {
        lw_check_fail(w);
    } else if (fault.len > 0 && lw_check_begin_fault(w, last)) {
        lw_buf_append_str(&w->check->fault, lw_buf_view(&fault));
        lw_check_end_fault(w);
    }
    lw_buf_done(&fault);
}

static void check_plain_time(lw_str text, lw_buf *fault)
{
    lw_check_time(text, false, fault);
}

static void check_micro_time(lw_str text, lw_buf *fault)
{
    lw_check_time(text, true, fault);
}

static void check_string(walker *w, const lw_type *type, lw_str raw)
{
    switch (type->form) {
    case LW_TYPE_BYTES: check_text(w, lw_check_decoded(w, raw), lw_check_base64, false); break;
    case LW_TYPE_TIME: check_text(w, lw_check_decoded(w, raw), check_plain_time, true); break;
    case LW_TYPE_MICRO_TIME: check_text(w, lw_check_decoded(w, raw), check_micro_time, true); break;
    default: break;
    }
}

/* Checks a value that is not a list, map or struct; |text| is its JSON. */
static void check_scalar(walker *w, const lw_type *type, lw_json_type json, lw_str text,
                         const place *here)
{
    lw_str inside = json == LW_JSON_STRING ? lw_str_make(text.ptr + 1, text.len - 2) : text;
    switch (type->form) {
    case LW_TYPE_BOOL:
        if (json != LW_JSON_BOOL)
            lw_check_wrong_type(w, here, json, LW_STR(""), type->go, false);
        break;
    case LW_TYPE_INT32:
    case LW_TYPE_INT64: check_integer(w, type, json, text, here); break;
    case LW_TYPE_DOUBLE:
        if (json != LW_JSON_NUMBER)
            lw_check_wrong_type(w, here, json, LW_STR(""), type->go, false);
        else if (isinf(lw_json_number_to_double(text)))
            lw_check_wrong_type(w, here, json, text, type->go, false);
        break;
    case LW_TYPE_STRING:
    case LW_TYPE_BYTES:
        if (json != LW_JSON_STRING)
            lw_check_wrong_type(w, here, json, LW_STR(""), type->go, false);
        else
            check_string(w, type, inside);
        break;
    case LW_TYPE_TIME:
    case LW_TYPE_MICRO_TIME:
    case LW_TYPE_DURATION:
        if (json != LW_JSON_STRING)
            lw_check_wrong_type(w, here, json, LW_STR(""), LW_STR("string"), true);
        else
            check_string(w, type, inside);
        break;
    case LW_TYPE_QUANTITY: check_text(w, inside, lw_check_quantity, true); break;
    case LW_TYPE_INT_OR_STRING: check_int_or_string(w, json, text, here); break;
    default: /* raw: any value */ break;
    }
}

static void walk_value(walker *w, const lw_type *type, lw_json_cursor *at, const place *here)
{
    lw_json_type json = lw_json_cursor_type(at);
    if (json == LW_JSON_NULL) { /* the same as absent */
        (void)lw_json_cursor_skip(at);
        return;
    }
    switch (type->form) {
    case LW_TYPE_LIST: (json == LW_JSON_ARRAY ? walk_list : wrong_value)(w, type, at, here); break;
    case LW_TYPE_MAP: (json == LW_JSON_OBJECT ? walk_map : wrong_value)(w, type, at, here); break;
    case LW_TYPE_STRUCT:
        (json == LW_JSON_OBJECT ? walk_struct : wrong_value)(w, type, at, here);
        break;
    case LW_TYPE_EITHER: walk_either(w, type, at, here); break;
    default: check_scalar(w, type, json, lw_json_cursor_skip(at), here);
    }
}

void lw_check_init(lw_check *check)
{
    lw_buf_init(&check->fault, LW_CHECK_TEXT_MAX);
    lw_buf_init(&check->findings, LW_CHECK_TEXT_MAX);
    check->count = 0;
}

void lw_check_done(lw_check *check)
{
    lw_buf_done(&check->fault);
    lw_buf_done(&check->findings);
    check->count = 0;
}

lw_status lw_check_document(lw_check *check, const lw_type *type, lw_str json)
{
    walker w = { .check = check, .st = LW_OK };
    lw_json_cursor at = lw_json_cursor_on(json);
    lw_buf_reset(&check->fault);
    lw_buf_reset(&check->findings);
    check->count = 0;
    lw_buf_init(&w.path, LW_CHECK_TEXT_MAX);
    lw_buf_init(&w.key, json.len);
    walk_value(&w, type, &at, NULL);
    lw_buf_done(&w.path);
    lw_buf_done(&w.key);
    return w.st;
}

lw_str lw_check_finding(const lw_check *check, size_t i)
{
    size_t start = i > 0 ? check->ends[i - 1] : 0;
    return lw_str_make(check->findings.data + start, check->ends[i] - start);
}

void lw_check_append_strict(const lw_check *check, lw_buf *out)
{
    lw_buf_append_text(out, "strict decoding error: ");
    for (size_t i = 0; i < check->count; i++) {
        if (i > 0)
            lw_buf_append_text(out, ", ");
        lw_buf_append_str(out, lw_check_finding(check, i));
    }
}
