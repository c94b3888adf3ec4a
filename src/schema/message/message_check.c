/* SPDX-License-Identifier: Apache-2.0 */
/* message_check.c -- checks a message once, when it arrives.
 *
 * Later readers (message_find.c, proto_read.c) have nobody to report an error to, and a field that
 * the tables do not have, because the server is newer, would be missing in the JSON that they make.
 * So both are found here, in one pass whose cost is linear in the message. */
#include "schema/message/message_parts.h"

#include <math.h>
#include <string.h>

#include "base/error.h"
#include "base/str.h"
#include "schema/proto/proto.h"
#include "schema/proto/proto_form.h"
#include "schema/proto/proto_parts.h"
#include "schema/proto/proto_value.h"
#include "json/scan.h"

enum {
    DEPTH_MAX = LW_PROTO_DEPTH_MAX - 8, /* below the limits of the readers */
    METADATA = 1,                       /* field number */
    SEEN_BITS = 64,
};

typedef struct checker {
    unsigned depth;
    unsigned skipped;
    lw_error *err;
} checker;

static lw_status check_fields(checker *c, const lw_type *type, lw_str message);

static lw_status malformed(checker *c, lw_str what, const char *why)
{
    return lw_error_set(c->err, LW_ERR_SYNTAX, "%.*s: %s", LW_STR_ARG(what), why);
}

static bool is_json(lw_str message)
{
    lw_str json;
    return lw_proto_read_text(message, &json) &&
           (json.len == 0 || lw_json_validate(json, 0, NULL) == LW_OK);
}

static bool is_finite(uint64_t bits)
{
    double value;
    memcpy(&value, &bits, sizeof(value));
    return isfinite(value) != 0;
}

/* Checks one value: the value of a field, an element, or the value of an entry. */
static lw_status check_value(checker *c, const lw_type *type, const lw_proto_item *item)
{
    bool is_good = true;
    lw_status st = LW_OK;
    switch (type->form) {
    case LW_TYPE_BOOL:
    case LW_TYPE_INT32:
    case LW_TYPE_INT64:
    case LW_TYPE_STRING:
    case LW_TYPE_BYTES: break;
    case LW_TYPE_STRUCT:
    case LW_TYPE_EITHER:
        if (++c->depth > DEPTH_MAX)
            return lw_error_set(c->err, LW_ERR_LIMIT,
                                "messages are nested more than %d levels deep", DEPTH_MAX);
        st = check_fields(c, type, item->bytes);
        c->depth--;
        return st;
    case LW_TYPE_DOUBLE: is_good = is_finite(item->value); break;
    case LW_TYPE_QUANTITY: is_good = lw_proto_check_quantity(item->bytes); break;
    case LW_TYPE_INT_OR_STRING: is_good = lw_proto_check_int_or_string(item->bytes); break;
    case LW_TYPE_TIME:
    case LW_TYPE_MICRO_TIME: is_good = lw_proto_check_time(item->bytes); break;
    case LW_TYPE_RAW:
    case LW_TYPE_FIELDS_V1: is_good = is_json(item->bytes); break;
    default: is_good = false; break;
    }
    return is_good ? LW_OK : malformed(c, type->go, "the message has no valid value of this type");
}

static lw_status check_packed(checker *c, const lw_type *type, lw_str bytes)
{
    lw_proto_reader from = { bytes, NULL };
    uint64_t value;
    while (from.rest.len > 0) {
        if (!lw_proto_next_varint(&from, &value))
            return malformed(c, type->go, from.error);
    }
    return LW_OK;
}

static lw_status check_entry(checker *c, const lw_field *field, lw_str entry)
{
    lw_str key;
    lw_proto_item value;
    if (!lw_proto_read_entry(field->type->element, entry, &key, &value))
        return malformed(c, field->name, "proto: malformed map entry");
    return value.number == 0 ? LW_OK : check_value(c, field->type->element, &value);
}

static lw_status check_field(checker *c, const lw_field *field, const lw_proto_item *item,
                             uint64_t seen[2])
{
    const lw_type *type = field->type;
    if (!lw_proto_fits_wire(type, item->wire))
        return malformed(c, field->name, "proto: wrong wireType");
    if (type->form == LW_TYPE_MAP)
        return check_entry(c, field, item->bytes);
    if (type->form == LW_TYPE_LIST && item->wire != lw_proto_wire_of(type->element->form))
        return check_packed(c, type, item->bytes);
    if (type->form == LW_TYPE_LIST)
        return check_value(c, type->element, item);
    if (lw_proto_is_message(type->form)) {
        uint64_t bit = UINT64_C(1) << (field->number % SEEN_BITS);
        uint64_t *word = &seen[field->number / SEEN_BITS % 2];
        if (*word & bit)
            return malformed(c, field->name, "proto: duplicate field");
        *word |= bit;
    }
    return check_value(c, type, item);
}

static lw_status check_fields(checker *c, const lw_type *type, lw_str message)
{
    lw_proto_reader from = { message, NULL };
    lw_proto_item item;
    size_t next = 0;
    uint64_t seen[2] = { 0, 0 };
    unsigned skipped = c->skipped;
    bool is_top = c->depth == 0;
    while (lw_proto_next(&from, &item)) {
        if (c->depth == 1 && item.number == skipped)
            continue;
        const lw_field *field = lw_proto_find_field(type, item.number, &next);
        if (!field)
            return lw_error_set(c->err, LW_ERR_UNSUPPORTED,
                                "this version does not know field %u of %.*s", item.number,
                                LW_STR_ARG(type->go));
        if (is_top) /* only below the metadata */
            c->skipped = item.number == METADATA ? skipped : 0;
        lw_status st = check_field(c, field, &item, seen);
        if (st < 0)
            return st;
    }
    c->skipped = skipped;
    return from.error ? malformed(c, type->go, from.error) : LW_OK;
}

lw_status lw_message__check(const lw_type *type, lw_str message, unsigned skipped, lw_error *err)
{
    checker c = { .skipped = skipped, .err = err };
    return check_fields(&c, type, message);
}
