/* SPDX-License-Identifier: Apache-2.0 */
/* message_find.c -- finds the value that the JSON of a message would have at a path.
 *
 * A member is searched through the whole message that contains it, because of fields that occur
 * twice the last one counts.  Messages of other types are skipped by their length, so the cost is
 * that of the fields along the path.  Values whose contents are JSON or depend on its type (RAW,
 * EITHER) are left to the caller: LW_ERR_UNSUPPORTED. */
#include "schema/message/message_parts.h"

#include "base/str.h"
#include "object/object_message.h"
#include "schema/proto/proto_form.h"
#include "schema/proto/proto_parts.h"
#include "json/path.h"
#include "json/text.h"

enum {
    SEGMENT_MAX = 512, /* bytes of a segment with escapes; longer ones are searched in JSON */
};

/* Where the search is. */
typedef struct place {
    const lw_type *type;   /* of the value */
    const lw_field *field; /* a whole list or map: its field; otherwise NULL */
    lw_str message;        /* the message that contains the list or map */
    lw_proto_item item;    /* a single value; its number is 0 if it is absent, that is, zero */
    const char *tag;       /* of the value, or of the first element; NULL: absent */
    bool is_null;
} place;

/* Finds the last occurrence of field |number|, and the tags of the first and last one. */
static bool last_of(lw_str message, unsigned number, lw_proto_item *item, const char **first,
                    const char **last)
{
    lw_proto_reader from = { message, NULL };
    lw_proto_item next;
    *first = *last = NULL;
    for (;;) {
        from.rest = lw_proto_skip_others(from.rest, number);
        const char *tag = from.rest.ptr;
        if (!lw_proto_next(&from, &next))
            return *last != NULL;
        if (next.number != number)
            continue;
        *item = next;
        *first = *first ? *first : tag;
        *last = tag;
    }
}

/* Returns the inline field of |type| that has the member |name|; NULL: none. */
static const lw_field *inline_with(const lw_type *type, lw_str name)
{
    for (size_t i = 0; i < type->field_count; i++) {
        const lw_field *field = &type->fields[i];
        if ((field->flags & LW_FIELD_INLINE) && lw_type_member(field->type, name))
            return field;
    }
    return NULL;
}

/* Returns the field named |name|, and changes |*message| to the one that contains it: inline
 * structs are messages of their own. */
static const lw_field *find_member(const lw_type *type, lw_str name, lw_str *message)
{
    for (;;) {
        const lw_member *member = lw_type_member(type, name);
        if (!member)
            return NULL;
        if (!member->via)
            return member->field->number > 0 ? member->field : NULL;
        const lw_field *outer = inline_with(type, name);
        lw_proto_item item = { .bytes = LW_STR("") };
        const char *first, *last;
        if (!outer || outer->number == 0)
            return NULL;
        if (!last_of(*message, outer->number, &item, &first, &last))
            item.bytes = LW_STR("");
        *message = item.bytes;
        type = outer->type;
    }
}

static bool is_repeated(const lw_type *type)
{
    return type->form == LW_TYPE_LIST || type->form == LW_TYPE_MAP;
}

static lw_status enter_member(place *at, lw_str name)
{
    lw_str message = at->item.bytes;
    const lw_field *field = find_member(at->type, name, &message);
    const char *first, *last;
    lw_proto_item item = { .number = 0 };
    if (!field)
        return LW_ERR_NOT_FOUND;
    bool is_there = last_of(message, field->number, &item, &first, &last);
    bool can_be_nil = is_repeated(field->type) || field->type->form == LW_TYPE_BYTES ||
                      (field->flags & LW_FIELD_POINTER);
    bool is_null = !is_there && can_be_nil;
    if (is_null && !(field->flags & LW_FIELD_ALWAYS))
        return LW_ERR_NOT_FOUND;
    if (!is_null && !is_repeated(field->type) && lw_proto_is_omitted(field, &item))
        return LW_ERR_NOT_FOUND;
    *at = (place){ .type = field->type,
                   .field = is_repeated(field->type) ? field : NULL,
                   .message = message,
                   .item = item,
                   .tag = is_repeated(field->type) ? first : last,
                   .is_null = is_null };
    return LW_OK;
}

static lw_status enter_element(place *at, lw_str segment)
{
    lw_proto_reader from = { at->message, NULL };
    lw_proto_item item;
    size_t index;
    const lw_type *element = at->type->element;
    if (!lw_json_path_index(segment, &index))
        return LW_ERR_NOT_FOUND;
    for (const char *tag = at->message.ptr; lw_proto_next(&from, &item); tag = from.rest.ptr) {
        if (item.number != at->field->number)
            continue;
        if (item.wire != lw_proto_wire_of(element->form))
            return LW_ERR_UNSUPPORTED; /* packed */
        if (index-- == 0) {
            *at = (place){ .type = element, .item = item, .tag = tag };
            return LW_OK;
        }
    }
    return LW_ERR_NOT_FOUND;
}

static lw_status enter_entry(place *at, lw_str name)
{
    lw_proto_reader from = { at->message, NULL };
    lw_proto_item item, value, found = { .number = 0 };
    lw_str key;
    const char *found_tag = NULL;
    const lw_type *element = at->type->element;
    for (const char *tag = at->message.ptr; lw_proto_next(&from, &item); tag = from.rest.ptr) {
        if (item.number != at->field->number ||
            !lw_proto_read_entry(element, item.bytes, &key, &value) || !lw_str_equal(key, name))
            continue;
        found = value;
        found_tag = tag;
    }
    if (!found_tag)
        return LW_ERR_NOT_FOUND;
    if (found.number == 0)
        return LW_ERR_UNSUPPORTED; /* zero */
    *at = (place){ .type = element, .item = found, .tag = found_tag };
    return LW_OK;
}

/* Enters the value |segment|, which is decoded if |raw| has escapes. */
static lw_status enter(place *at, lw_str raw, char separator)
{
    char room[SEGMENT_MAX];
    lw_buf decoded = { .data = room, .cap = sizeof(room), .limit = sizeof(room) };
    lw_str name = raw;
    if (at->is_null)
        return LW_ERR_NOT_FOUND;
    if (separator == '/' && raw.len > 0 && memchr(raw.ptr, '~', raw.len)) {
        lw_json_path_append_decoded(&decoded, raw);
        if (decoded.st < 0)
            return LW_ERR_UNSUPPORTED;
        name = lw_buf_view(&decoded);
    }
    switch (at->type->form) {
    case LW_TYPE_STRUCT: return enter_member(at, name);
    case LW_TYPE_MAP: return enter_entry(at, name);
    case LW_TYPE_LIST: return separator == '/' ? enter_element(at, raw) : LW_ERR_NOT_FOUND;
    case LW_TYPE_RAW:
    case LW_TYPE_FIELDS_V1:
    case LW_TYPE_EITHER: return LW_ERR_UNSUPPORTED;
    default: return LW_ERR_NOT_FOUND;
    }
}

static lw_message_form form_of(const place *at)
{
    if (at->is_null)
        return LW_MESSAGE_NULL;
    switch (at->type->form) {
    case LW_TYPE_STRING:
        /* What is not UTF-8 is replaced in JSON. */
        return lw_utf8_is_valid(at->item.bytes) ? LW_MESSAGE_STRING : LW_MESSAGE_OTHER;
    case LW_TYPE_BOOL: return LW_MESSAGE_BOOL;
    case LW_TYPE_INT32:
    case LW_TYPE_INT64: return LW_MESSAGE_INT;
    default: return LW_MESSAGE_OTHER;
    }
}

static void describe(const place *at, lw_str message, lw_message_value *value)
{
    *value =
        (lw_message_value){ .form = form_of(at),
                            .number = at->type->form == LW_TYPE_INT32 ? (int32_t)at->item.value
                                                                      : (int64_t)at->item.value,
                            .text = at->field ? at->message : at->item.bytes,
                            .type = at->type,
                            .field = at->field };
    if (!value->text.ptr)
        value->text = LW_STR("");
    if (at->tag && !at->is_null)
        value->at = ((uint32_t)(at->tag - message.ptr) + 1) | (at->field ? LW_MESSAGE_AT_ALL : 0);
}

lw_status lw_message__find(const void *type, lw_str message, lw_str path, char separator,
                           lw_message_value *value)
{
    place at = { .type = type, .item = { .number = 1, .bytes = message } };
    lw_str segment;
    if (path.len == 0)
        return LW_ERR_UNSUPPORTED;
    for (bool has_more = true; has_more;) {
        if (separator != '/')
            has_more = lw_str_cut(path, separator, &segment, &path);
        else if (!lw_json_path_next(&path, &segment))
            break;
        lw_status st = enter(&at, segment, separator);
        if (st < 0)
            return st;
    }
    describe(&at, message, value);
    return LW_OK;
}

lw_status lw_message__write(const lw_message_value *value, lw_buf *out)
{
    const lw_field *field = value->field;
    lw_proto_item item = { .number = 1, .value = (uint64_t)value->number, .bytes = value->text };
    if (value->form == LW_MESSAGE_NULL) {
        lw_buf_append_text(out, "null");
        return out->st;
    }
    if (field)
        return lw_proto_read_repeated(field, value->text, out, NULL);
    return lw_proto_read_value(value->type, value->at ? &item : NULL, out, NULL);
}
