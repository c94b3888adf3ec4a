/* SPDX-License-Identifier: Apache-2.0 */
/* message_wire.c -- the check of messages as servers write them: fields in order, all known.
 *
 * It only says whether a message is good.  Whatever is unusual is left to message_check.c, which
 * costs ten times as much and knows the reason. */
#include "schema/message/message_parts.h"

#include "base/str.h"
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

static bool is_good(const lw_wire_span *span, bytes p, bytes end, unsigned depth);

/* Checks the message of a field that is not a string or bytes. */
static bool is_good_field(const lw_wire_row *row, bytes p, size_t len, unsigned depth)
{
    lw_str message = lw_str_make((const char *)p, len);
    switch ((lw_wire_action)row->action) {
    case LW_WIRE_ENTER:
    case LW_WIRE_ENTER_EACH:
        return depth < DEPTH_MAX && is_good(lw_wire_spans + row->entered, p, p + len, depth + 1);
    case LW_WIRE_TIME: return is_time(p, len);
    case LW_WIRE_QUANTITY: return lw_proto_check_quantity(message);
    case LW_WIRE_INT_OR_STRING: return lw_proto_check_int_or_string(message);
    case LW_WIRE_SKIP:
    case LW_WIRE_SLOW: break;
    }
    return false;
}

static bool is_good(const lw_wire_span *span, bytes p, bytes end, unsigned depth)
{
    const lw_wire_row *rows = lw_wire_rows + span->at;
    unsigned last = 0;
    while (p < end) {
        unsigned tag = *p++;
        size_t len;
        if (tag >= 0x80) {
            if (p == end || *p >= 0x80)
                return false;
            tag = (tag & 0x7F) | (unsigned)*p++ << 7;
        }
        const unsigned number = tag >> 3;
        if (number >= span->count)
            return false;
        const lw_wire_row *row = &rows[number];
        if (row->wire != (tag & 7) || row->action == LW_WIRE_SLOW)
            return false;
        if (row->wire == LW_WIRE_VARINT) {
            if (p < end && *p < 0x80)
                p++;
            else if (!skip_varint(&p, end))
                return false;
        } else {
            if (p < end && *p < 0x80 && *p < end - p)
                len = *p++;
            else if (!read_length(&p, end, &len))
                return false;
            /* A message that occurs twice would have to be merged. */
            if (row->action != LW_WIRE_SKIP &&
                ((row->action != LW_WIRE_ENTER_EACH && number <= last) ||
                 !is_good_field(row, p, len, depth)))
                return false;
            p += len;
        }
        last = number > last ? number : last;
    }
    return true;
}

bool lw_message__is_good(const lw_type *type, lw_str message)
{
    bytes p = (bytes)message.ptr;
    return message.len == 0 || is_good(lw_wire_spans + type->wire, p, p + message.len, 0);
}
