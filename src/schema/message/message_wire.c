/* SPDX-License-Identifier: Apache-2.0 */
/* message_wire.c -- the check of messages as servers write them: fields in order, all known.
 *
 * It only says whether a message is good.  Whatever is unusual is left to message_check.c, which
 * costs ten times as much and knows the reason. */
#include "schema/message/message_parts.h"

#include "base/str.h"
#include "schema/message/message_known.h"
#include "schema/proto/proto_value.h"
#include "schema/types/type_table.h"

enum {
    DEPTH_MAX = 64,
    LENGTH_BYTES_MAX = 4,  /* bytes of a length that is read here */
    SECONDS_BYTES_MAX = 5, /* bytes of a time before the year 3000 */
};

typedef const unsigned char *bytes;

/* Moves |*p| past a number; false: it does not end before |end|. */
static inline bool skip_varint(bytes *p, bytes end)
{
    for (bytes at = *p; at < end && at - *p < 10; at++) {
        if (*at < 0x80) {
            *p = at + 1;
            return true;
        }
    }
    return false;
}

static inline bool read_length(bytes *p, bytes end, size_t *len)
{
    size_t value = 0;
    for (unsigned i = 0; i < LENGTH_BYTES_MAX && *p < end; i++) {
        unsigned char byte = *(*p)++;
        value |= (size_t)(byte & 0x7F) << (7 * i);
        if (byte < 0x80) {
            *len = value;
            return value <= (size_t)(end - *p);
        }
    }
    return false;
}

/* { 1: seconds, 2: 0 }, or nothing for zero. */
static bool is_time(bytes p, size_t len)
{
    bytes end = p + len, start = p + 1;
    if (len == 0)
        return true;
    if (len >= 4 && p[0] == 1 << 3 && skip_varint(&start, end) &&
        start - p <= 1 + SECONDS_BYTES_MAX && end - start == 2 && start[0] == 2 << 3 &&
        start[1] == 0)
        return true;
    return lw_proto_check_time(lw_str_make((const char *)p, len));
}

/* Checks the message of a field that is neither a string or bytes nor entered. */
static bool is_good_value(const lw_wire_row *row, bytes p, size_t len)
{
    lw_str message = lw_str_make((const char *)p, len);
    switch ((lw_wire_action)row->action) {
    case LW_WIRE_TIME: return is_time(p, len);
    case LW_WIRE_QUANTITY: return lw_proto_check_quantity(message);
    case LW_WIRE_INT_OR_STRING: return lw_proto_check_int_or_string(message);
    default: return false;
    }
}

/* The tag of a field and its length or number. */
typedef struct field_head {
    const lw_wire_row *row; /* NULL: it is not good */
    bytes end;
    size_t len; /* of what follows */
} field_head;

/* Reads the head of a field, however long it is. */
static field_head read_head(const lw_wire_row *rows, size_t count, bytes p, bytes end)
{
    const field_head bad = { NULL, p, 0 };
    field_head head = bad;
    unsigned tag = *p++;
    if (tag >= 0x80) {
        if (p == end || *p >= 0x80)
            return bad;
        tag = (tag & 0x7F) | (unsigned)*p++ << 7;
    }
    const lw_wire_row *row = &rows[tag >> 3];
    if (tag >> 3 >= count || row->wire != (tag & 7))
        return bad;
    bool is_whole =
        row->wire == LW_WIRE_VARINT ? skip_varint(&p, end) : read_length(&p, end, &head.len);
    head.row = is_whole ? row : NULL;
    head.end = p;
    return head;
}

/* Reads the next head, which most often has two bytes. */
static inline field_head next_head(const lw_wire_row *rows, size_t count, bytes p, bytes end)
{
    const unsigned tag = p[0];
    if (end - p < 2 || ((tag | p[1]) & 0x80) || tag >> 3 >= count)
        return read_head(rows, count, p, end);
    const lw_wire_row *row = &rows[tag >> 3];
    const size_t len = row->wire == LW_WIRE_VARINT ? 0 : p[1];
    if (row->wire != (tag & 7) || len > (size_t)(end - p) - 2)
        row = NULL;
    return (field_head){ row, p + 2, len };
}

/* A message that was entered, while one in it is checked. */
typedef struct outer {
    lw_known_message *slot; /* of the message in it; NULL: none */
    bytes start;            /* ... where that begins */
    bytes end;
    const lw_wire_span *span;
    const lw_wire_row *last;
} outer;

/* The messages are entered with a stack of our own, because a call for each of them would cost as
 * much as its fields. */
static bool is_good(const lw_wire_span *span, bytes p, bytes end, lw_known_messages *known)
{
    outer stack[DEPTH_MAX];
    size_t depth = 0;
    const lw_wire_row *rows = lw_wire_rows + span->at;
    const lw_wire_row *last = rows; /* the highest one of a message */
    for (;;) {
        if (p == end) {
            if (depth == 0)
                return true;
            const outer *back = &stack[--depth];
            if (back->slot)
                lw_known_set(back->slot, span, back->start, (size_t)(end - back->start), depth);
            end = back->end;
            span = back->span;
            rows = lw_wire_rows + span->at;
            last = back->last;
            continue;
        }
        const field_head head = next_head(rows, span->count, p, end);
        if (!head.row)
            return false;
        p = head.end;
        if (head.row->action == LW_WIRE_SKIP) {
            p += head.len;
            continue;
        }
        /* A message that occurs twice would have to be merged. */
        if (head.row->action != LW_WIRE_ENTER_EACH && head.row <= last)
            return false;
        last = head.row > last ? head.row : last;
        if (head.row->action == LW_WIRE_ENTER || head.row->action == LW_WIRE_ENTER_EACH) {
            if (depth == DEPTH_MAX)
                return false;
            const lw_wire_span *entered = lw_wire_spans + head.row->entered;
            lw_known_message *slot = lw_known_slot(known, entered, head.len);
            if (slot && lw_known_has(slot, entered, p, head.len, depth)) {
                p += head.len;
                continue;
            }
            stack[depth++] = (outer){ slot, p, end, span, last };
            span = entered;
            rows = last = lw_wire_rows + span->at;
            end = p + head.len;
        } else if (is_good_value(head.row, p, head.len)) {
            p += head.len;
        } else {
            return false;
        }
    }
}

bool lw_message__is_good(const lw_type *type, lw_str message, lw_known_messages *known)
{
    bytes p = (bytes)message.ptr;
    return message.len == 0 || is_good(lw_wire_spans + type->wire, p, p + message.len, known);
}
