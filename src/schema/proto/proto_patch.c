/* SPDX-License-Identifier: Apache-2.0 */
/* proto_patch.c -- compares a document with a sample, and patches the encoding of the sample.
 *
 * Both texts are compared until they differ.  That must be within a leaf of the sample, or just
 * after it; the document must have a leaf of the same form there, and the comparison goes on after
 * both.  What is equal or a leaf of the same form is encoded in the same way, so only the bytes of
 * the leaves and the lengths of the messages they are in can differ. */
#include "schema/proto/proto_patch.h"

#include <string.h>

#include "base/alloc.h"
#include "base/pack/equal.h"
#include "base/str.h"
#include "schema/proto/proto_field.h"
#include "schema/proto/proto_put.h"
#include "json/cursor.h"
#include "json/text.h"

enum {
    CHUNK = 16,
    WORD_BITS = 64,
    WORDS = LW_PROTO_PLACES_MAX / WORD_BITS,
};

lw_status lw_proto_sample_init(lw_proto_sample *sample, lw_str json, lw_str document)
{
    lw_proto_sample made = { .bytes = NULL };
    if (json.len > LW_PROTO_SAMPLE_MAX || document.len > 2 * LW_PROTO_SAMPLE_MAX)
        return LW_ERR_UNSUPPORTED;
    lw_status st = lw_proto_layout_make(&made.layout, json, document);
    if (st < 0)
        return st;
    made.bytes = lw_alloc(json.len + document.len + 2 * LW_PROTO_STRIDE);
    if (!made.bytes) {
        lw_proto_layout_done(&made.layout);
        return LW_ERR_NOMEM;
    }
    char *at = made.bytes + json.len + LW_PROTO_STRIDE;
    memcpy(made.bytes, json.ptr, json.len);
    memset(made.bytes + json.len, 0, LW_PROTO_STRIDE);
    memcpy(at, document.ptr, document.len);
    memset(at + document.len, 0, LW_PROTO_STRIDE);
    made.json = lw_str_make(made.bytes, json.len);
    made.document = lw_str_make(at, document.len);
    *sample = made;
    return LW_OK;
}

void lw_proto_sample_done(lw_proto_sample *sample)
{
    lw_proto_layout_done(&sample->layout);
    lw_free(sample->bytes);
}

size_t lw_proto_sample_memory(const lw_proto_sample *sample)
{
    return sample->json.len + sample->document.len + 2 * LW_PROTO_STRIDE +
           sample->layout.count * (sizeof(lw_proto_place) + sizeof(uint16_t));
}

lw_proto_patch_room *lw_proto_patch_room_new(void)
{
    lw_proto_patch_room *room = lw_alloc(sizeof(*room));
    if (!room)
        return NULL;
    lw_buf_init(&room->decoded, 2 * LW_PROTO_SAMPLE_MAX);
    lw_proto_patch_begin(room);
    memset(room->grown, 0, sizeof(room->grown));
    memset(room->changed, 0, sizeof(room->changed));
    return room;
}

void lw_proto_patch_room_free(lw_proto_patch_room *room)
{
    if (!room)
        return;
    lw_buf_done(&room->decoded);
    lw_free(room);
}

void lw_proto_patch_begin(lw_proto_patch_room *room)
{
    room->raw = lw_str_make(NULL, 0);
}

/* Returns how many bytes are equal from |a| and |b| on, at most |len|. */
static inline size_t equal_bytes(const char *a, const char *b, size_t len)
{
    size_t i = 0;
    for (; len - i >= CHUNK; i += CHUNK) {
        uint32_t same = lw_equal16(a + i, b + i);
        if (same != LW_EQUAL16_ALL)
            return i + (size_t)__builtin_ctz(~same);
    }
    while (i < len && a[i] == b[i])
        i++;
    return i;
}

/* Finds the JSON at |at|, which was perhaps found before. */
static lw_str find_raw(lw_proto_patch_room *room, const char *at, const char *end)
{
    lw_json_cursor c = { at, end };
    if (room->raw.ptr != at)
        room->raw = lw_json_cursor_skip(&c);
    return room->raw;
}

/* Finds the text at |at| of a leaf of |form|; false: there is none that is known to be one.  |at|
 * is not the beginning of the document. */
static bool find_text(lw_proto_patch_room *room, lw_proto_place_form form, const char *at,
                      const char *end, lw_str *text, bool *is_escaped)
{
    lw_json_cursor c = { at, end };
    const char *p = at;
    *is_escaped = false;
    switch (form) {
    case LW_PROTO_PLACE_NUMBER:
        while (p < end && lw_char_is_digit(*p))
            p++;
        *text = lw_str_make(at, (size_t)(p - at));
        return true; /* what follows is compared: a fraction is not like the sample */
    case LW_PROTO_PLACE_BOOL:
        *text = lw_str_make(at, end > at && *at == 't' ? strlen("true") : strlen("false"));
        return (size_t)(end - at) > text->len;
    case LW_PROTO_PLACE_RAW:
        if (at == end || lw_char_is_blank(*at) || *at == 'n')
            return false;
        *text = find_raw(room, at, end);
        return true;
    default:
        c.at = at - 1; /* the quote, as in the sample */
        *text = lw_json_cursor_text(&c, is_escaped);
        return c.at > at && c.at[-1] == '"';
    }
}

/* Decodes a string with escapes.  All strings of the document fit what is reserved, so that they
 * stay where they are. */
static bool decode(lw_proto_patch_room *room, lw_proto_change *change, lw_str json)
{
    size_t before = room->decoded.len;
    if (before == 0 && lw_buf_reserve(&room->decoded, json.len) < 0) {
        lw_buf_reset(&room->decoded);
        return false;
    }
    lw_json_append_unescaped(&room->decoded, change->text);
    change->bytes = lw_str_skip(lw_buf_view(&room->decoded), before);
    change->end = room->decoded.data + room->decoded.len;
    return room->decoded.st == LW_OK;
}

/* Encodes a changed leaf that is not its text.  Most times of an object are the same few. */
static bool encode_change(lw_proto_change *change, lw_proto_place_form form,
                          const lw_proto_change *before)
{
    if (before && lw_str_equal(before->text, change->text)) {
        change->bytes = before->bytes;
        change->end = before->end;
        return true;
    }
    change->end = change->room.bytes + sizeof(change->room.bytes);
    return lw_proto_leaf_encode(form, change->text, &change->room, &change->bytes);
}

/* Encodes all changed leaves of |json|.  False: one is not known to be valid. */
static bool encode_changes(const lw_proto_sample *sample, lw_proto_patch_room *room, lw_str json,
                           size_t count)
{
    const lw_proto_change *time = NULL;
    for (size_t i = 0; i < count; i++) {
        lw_proto_change *change = &room->changes[i];
        const lw_proto_place_form form =
            (lw_proto_place_form)sample->layout.places[change->place].form;
        bool is_good = true;
        if (change->is_escaped) {
            is_good = form == LW_PROTO_PLACE_STRING && decode(room, change, json);
        } else if (form == LW_PROTO_PLACE_STRING || form == LW_PROTO_PLACE_RAW) {
            change->bytes = change->text;
            change->end = json.ptr + json.len;
        } else if (form == LW_PROTO_PLACE_TIME) {
            is_good = encode_change(change, form, time);
            time = change;
        } else {
            is_good = encode_change(change, form, NULL);
        }
        if (!is_good)
            return false;
    }
    return true;
}

typedef struct comparison {
    const lw_proto_sample *sample;
    lw_proto_patch_room *room;
    lw_str json;
    const char *a, *b; /* how far it is, in the sample and in the document */
    size_t count;      /* of changes */
} comparison;

/* Goes on after the leaf |place|, in which the documents differ. */
static bool compare_leaf(comparison *c, uint16_t number, size_t at)
{
    const lw_proto_place *place = &c->sample->layout.places[number];
    const lw_proto_place_form form = (lw_proto_place_form)place->form;
    lw_proto_change *change = &c->room->changes[c->count];
    const char *end = c->json.ptr + c->json.len;
    if (!find_text(c->room, form, c->b - (at - place->from), end, &change->text,
                   &change->is_escaped))
        return false;
    change->place = number;
    c->count++;
    c->a = c->sample->json.ptr + place->to;
    c->b = change->text.ptr + change->text.len;
    return true;
}

/* Finds the leaves that differ.  False: there are other differences, first at |c->a|. */
static bool compare(comparison *c)
{
    const lw_proto_layout *layout = &c->sample->layout;
    const char *const a_end = c->sample->json.ptr + c->sample->json.len;
    const char *const b_end = c->json.ptr + c->json.len;
    for (size_t leaf = 0;; leaf++) {
        size_t left = (size_t)(a_end - c->a < b_end - c->b ? a_end - c->a : b_end - c->b);
        size_t same = equal_bytes(c->a, c->b, left);
        c->a += same;
        c->b += same;
        if (c->a == a_end || c->b == b_end)
            return c->a == a_end && c->b == b_end;
        size_t at = (size_t)(c->a - c->sample->json.ptr);
        while (leaf < layout->leaf_count && layout->places[layout->leaves[leaf]].to < at)
            leaf++;
        if (leaf == layout->leaf_count || layout->places[layout->leaves[leaf]].from > at ||
            !compare_leaf(c, layout->leaves[leaf], at))
            return false;
    }
}

static void mark(lw_proto_patch_room *room, size_t place)
{
    room->changed[place / WORD_BITS] |= UINT64_C(1) << place % WORD_BITS;
}

/* Returns by how much |place| becomes longer, with its length, if its bytes do by |by|. */
static int32_t growth_of(const lw_proto_place *place, int32_t by)
{
    size_t len = (size_t)((int64_t)place->len + by);
    return place->head == 0 ? by : by + (int32_t)lw_proto_varint_size(len) - (int32_t)place->head;
}

static void grow_parent(lw_proto_patch_room *room, const lw_proto_place *place, int32_t by)
{
    if (by == 0 || place->parent == LW_PROTO_NO_PLACE)
        return;
    room->grown[place->parent] += growth_of(place, by);
    mark(room, place->parent);
}

/* Marks what changes, inner messages before those that they are in.  Returns the length of the
 * encoding. */
static size_t measure(const lw_proto_sample *sample, lw_proto_patch_room *room, size_t count)
{
    const lw_proto_place *places = sample->layout.places;
    for (size_t i = 0; i < count; i++) {
        const lw_proto_change *change = &room->changes[i];
        const lw_proto_place *place = &places[change->place];
        room->change_of[change->place] = (uint16_t)i;
        mark(room, change->place);
        grow_parent(room, place, (int32_t)((int64_t)change->bytes.len - (int64_t)place->len));
    }
    for (size_t word = WORDS; word-- > 0;) {
        for (uint64_t left = room->changed[word]; left != 0;) {
            unsigned bit = WORD_BITS - 1 - (unsigned)__builtin_clzll(left);
            size_t i = word * WORD_BITS + bit;
            if (places[i].form == LW_PROTO_PLACE_MESSAGE)
                grow_parent(room, &places[i], room->grown[i]);
            left = room->changed[word] & ((UINT64_C(1) << bit) - 1);
        }
    }
    return (size_t)((int64_t)sample->document.len + growth_of(&places[0], room->grown[0]));
}

/* Writes the place |i|, which has changed, to |to|, which has room. */
static char *put_place(const lw_proto_place *place, lw_proto_patch_room *room, size_t i, char *to)
{
    if (place->form == LW_PROTO_PLACE_MESSAGE) {
        to = lw_proto_write_varint(to, (uint64_t)((int64_t)place->len + room->grown[i]));
        room->grown[i] = 0;
        return to;
    }
    const lw_proto_change *change = &room->changes[room->change_of[i]];
    if (place->head > 0)
        to = lw_proto_write_varint(to, change->bytes.len);
    return lw_proto_copy(to, change->bytes, change->end);
}

/* Writes the encoding to |to|, and clears the marks. */
static char *put_changed(const lw_proto_sample *sample, lw_proto_patch_room *room, char *to)
{
    const char *from = sample->document.ptr, *end = from + sample->document.len;
    for (size_t word = 0; word < WORDS; word++) {
        for (uint64_t left = room->changed[word]; left != 0; left &= left - 1) {
            size_t i = word * WORD_BITS + (unsigned)__builtin_ctzll(left);
            const lw_proto_place *place = &sample->layout.places[i];
            const char *at = sample->document.ptr + place->at;
            to = lw_proto_copy(to, lw_str_make(from, (size_t)(at - from)), end + LW_PROTO_STRIDE);
            to = put_place(place, room, i, to);
            from = at + place->head + (place->form == LW_PROTO_PLACE_MESSAGE ? 0 : place->len);
        }
        room->changed[word] = 0;
    }
    return lw_proto_copy(to, lw_str_make(from, (size_t)(end - from)), end + LW_PROTO_STRIDE);
}

bool lw_proto_patch(const lw_proto_sample *sample, lw_proto_patch_room *room, lw_str json,
                    lw_buf *out, lw_proto_difference *difference)
{
    comparison c = {
        .sample = sample, .room = room, .json = json, .a = sample->json.ptr, .b = json.ptr
    };
    lw_buf_reset(&room->decoded);
    bool is_like = json.len <= 2 * LW_PROTO_SAMPLE_MAX && out->st == LW_OK && compare(&c) &&
                   encode_changes(sample, room, json, c.count);
    difference->at = (uint32_t)(c.a - sample->json.ptr);
    difference->byte = c.b < json.ptr + json.len ? (unsigned char)*c.b : 0;
    if (!is_like)
        return false;
    size_t len = measure(sample, room, c.count) + LW_PROTO_STRIDE;
    if (len > out->limit - out->len || lw_buf_reserve(out, len) < 0) {
        memset(room->grown, 0, sizeof(room->grown));
        memset(room->changed, 0, sizeof(room->changed));
        return false;
    }
    out->len = (size_t)(put_changed(sample, room, out->data + out->len) - out->data);
    return true;
}
