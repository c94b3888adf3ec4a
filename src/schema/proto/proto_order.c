/* SPDX-License-Identifier: Apache-2.0 */
/* proto_order.c -- sorts the fields of a struct whose members were not in the order of protobuf.
 * Invariant: the parts of a struct are sorted by their keys, which are different: at most as many
 * as the struct has members. */
#include "schema/proto/proto_order.h"

#include <string.h>

#include "base/alloc.h"
#include "schema/proto/proto_field.h"

enum {
    MOVED_SLACK = 256, /* bytes that a struct may need more if it is in order, for most structs */
};

void lw_proto_parts_init(lw_proto_parts *parts, size_t limit)
{
    parts->items = parts->few;
    parts->count = 0;
    parts->room = LW_PROTO_PARTS_FEW;
    lw_buf_init(&parts->moved, limit);
}

void lw_proto_parts_done(lw_proto_parts *parts)
{
    if (parts->items != parts->few)
        lw_free(parts->items);
    lw_buf_done(&parts->moved);
}

bool lw_proto_parts_grow(lw_proto_parts *parts)
{
    bool is_few = parts->items == parts->few;
    size_t room = 2 * parts->room;
    lw_proto_part *items = lw_realloc_array(is_few ? NULL : parts->items, room, sizeof(*items));
    if (!items)
        return false;
    if (is_few)
        memcpy(items, parts->few, sizeof(parts->few));
    parts->items = items;
    parts->room = room;
    return true;
}

void lw_proto_parts_insert(lw_proto_parts *parts, size_t first, lw_proto_part part)
{
    size_t at = parts->count;
    while (at > first && parts->items[at - 1].key > part.key)
        at--;
    if (at > first && parts->items[at - 1].key == part.key) { /* the last one counts */
        parts->items[at - 1] = part;
        return;
    }
    memmove(&parts->items[at + 1], &parts->items[at], (parts->count - at) * sizeof(part));
    parts->items[at] = part;
    parts->count++;
}

/* Appends the bytes of |part| of |from|, whose buffer has LW_PROTO_STRIDE bytes more. */
static void put_part(lw_buf *out, const lw_proto_part *part, const lw_buf *from)
{
    lw_str bytes = lw_str_make(from->data + part->from, part->to - part->from);
    if (lw_proto_fits(out, bytes.len + LW_PROTO_STRIDE))
        out->len = (size_t)(lw_proto_copy(out->data + out->len, bytes, from->data + from->cap) -
                            out->data);
    else
        lw_buf_append_str(out, bytes);
}

/* Appends the fields of |type| to |out|: the parts from |p| up to |end| and the absent fields
 * between them.  |level|: how many inline structs |type| is in.  |bytes|: where the parts are. */
static void move_parts(lw_buf *out, const lw_type *type, const lw_proto_part *p,
                       const lw_proto_part *end, unsigned level, const lw_buf *bytes)
{
    const lw_wire_message *message = &lw_wire_messages[type->wire];
    const char *absent = lw_wire_zeros + message->zeros;
    unsigned shift = LW_PROTO_KEY_TOP - level * LW_PROTO_KEY_BITS;
    size_t zeros = 0;
    while (p < end) {
        const lw_proto_part *from = p++;
        const lw_wire_field *field = from->field;
        if ((from->key & ((UINT64_C(1) << shift) - 1)) == 0) {
            lw_proto_zeros(out, absent, zeros, field->zeros_begin);
            put_part(out, from, bytes);
        } else {
            unsigned number = (unsigned)(from->key >> shift) & UINT16_MAX;
            const lw_field *own = lw_type_field_numbered(type, number);
            while (p < end && p->key >> shift == from->key >> shift)
                p++;
            field = &lw_wire_fields[message->fields + (size_t)(own - type->fields)];
            lw_proto_zeros(out, absent, zeros, field->zeros_begin);
            size_t begun = lw_proto_message_begin(out, field);
            move_parts(out, own->type, from, p, level + 1, bytes);
            lw_proto_message_end(out, begun);
        }
        zeros = field->zeros_end;
    }
    lw_proto_zeros(out, absent, zeros, message->zeros_len);
}

void lw_proto_parts_sort(lw_proto_parts *parts, const lw_type *type, size_t first, lw_buf *out,
                         size_t begun)
{
    lw_buf *moved = &parts->moved;
    if (out->st < 0)
        return;
    size_t len = out->len - begun + lw_wire_messages[type->wire].zeros_len + MOVED_SLACK;
    lw_buf_reset(moved);
    if (len <= moved->limit)
        (void)lw_buf_reserve(moved, len);
    move_parts(moved, type, parts->items + first, parts->items + parts->count, 0, out);
    lw_buf_truncate(out, begun);
    lw_buf_append_str(out, lw_buf_view(moved));
    if (moved->st < 0 && out->st == LW_OK)
        out->st = moved->st;
}
