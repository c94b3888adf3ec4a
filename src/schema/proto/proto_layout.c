/* SPDX-License-Identifier: Apache-2.0 */
/* proto_layout.c -- goes through a JSON document and its encoding side by side.
 *
 * The members of a struct may be in any order, so each field is searched in the message, from where
 * the last one was found: nearly always it is the next one.
 *
 * Invariant: each leaf that is found was encoded at its place, which is checked: its bytes are the
 * same, no two places are at the same position, and no struct has a member twice. */
#include "schema/proto/proto_layout.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "schema/proto/proto.h"
#include "schema/proto/proto_member.h"
#include "schema/proto/proto_put.h"
#include "json/cursor.h"
#include "json/text.h"

enum {
    DEPTH_MAX = 32,   /* deeper values are part of the frame */
    INLINE_MAX = 4,   /* of the inline structs of a struct, more are part of the frame */
    NUMBER_DIGITS = 9 /* of numbers that need no check of their range */
};

/* A message that is being read. */
typedef struct message_walk {
    lw_str bytes;
    lw_proto_reader reader; /* after the field found last */
    uint16_t place;
    unsigned number; /* of an inline struct, in the message that it is in */
} message_walk;

typedef struct walk {
    lw_str json, document;
    lw_proto_place *places; /* in the order in which they were found: |parent| is one of them */
    size_t count;
    unsigned depth;
    lw_buf text; /* a string without its escapes */
    lw_status st;
} walk;

static void walk_value(walk *w, message_walk *in, const lw_type *type, unsigned number,
                       lw_json_cursor *at);

static uint8_t head_of(lw_proto_place_form form, size_t len)
{
    bool has_length = form != LW_PROTO_PLACE_NUMBER && form != LW_PROTO_PLACE_BOOL;
    return (uint8_t)(has_length ? lw_proto_varint_size(len) : 0);
}

static bool read_number(lw_str text, uint64_t *value)
{
    uint64_t made = 0;
    for (size_t i = 0; i < text.len; i++) {
        if (!lw_char_is_digit(text.ptr[i]))
            return false;
        made = made * 10 + (uint64_t)(text.ptr[i] - '0');
    }
    *value = made;
    return text.len > 0 && text.len <= NUMBER_DIGITS;
}

bool lw_proto_leaf_encode(lw_proto_place_form form, lw_str text, lw_proto_leaf_room *room,
                          lw_str *bytes)
{
    lw_buf made = { .data = room->bytes, .cap = sizeof(room->bytes), .limit = sizeof(room->bytes) };
    uint64_t number = 0;
    bool is_good = true;
    switch (form) {
    case LW_PROTO_PLACE_STRING:
    case LW_PROTO_PLACE_RAW: *bytes = text; return true;
    case LW_PROTO_PLACE_TIME:
    case LW_PROTO_PLACE_MICRO_TIME:
        is_good = lw_proto_put_time(&made, text, form == LW_PROTO_PLACE_MICRO_TIME);
        break;
    case LW_PROTO_PLACE_NUMBER:
        is_good = read_number(text, &number);
        lw_proto_put_varint(&made, number);
        break;
    case LW_PROTO_PLACE_BOOL:
        is_good = lw_str_equal(text, LW_STR("true")) || lw_str_equal(text, LW_STR("false"));
        lw_buf_append_char(&made, is_good && text.ptr[0] == 't');
        break;
    default: return false;
    }
    *bytes = lw_buf_view(&made);
    return is_good && made.st == LW_OK;
}

/* Adds a place whose bytes are |bytes|. */
static uint16_t add_place(walk *w, lw_proto_place_form form, uint16_t parent, lw_str bytes)
{
    if (w->count == LW_PROTO_PLACES_MAX) {
        w->st = LW_ERR_UNSUPPORTED;
        return LW_PROTO_NO_PLACE;
    }
    uint8_t head = head_of(form, bytes.len);
    w->places[w->count] = (lw_proto_place){ .at = (uint32_t)(bytes.ptr - w->document.ptr) - head,
                                            .len = (uint32_t)bytes.len,
                                            .parent = parent,
                                            .form = (uint8_t)form,
                                            .head = head };
    return (uint16_t)w->count++;
}

/* Finds the next field |number| of |in|. */
static bool find_field(message_walk *in, unsigned number, lw_proto_item *item)
{
    for (int pass = 0; pass < 2; pass++) {
        while (lw_proto_next(&in->reader, item))
            if (item->number == number)
                return true;
        in->reader = (lw_proto_reader){ in->bytes, NULL };
    }
    return false;
}

static bool leaf_form_of(lw_type_form type, lw_proto_place_form *form)
{
    switch (type) {
    case LW_TYPE_STRING: *form = LW_PROTO_PLACE_STRING; return true;
    case LW_TYPE_TIME: *form = LW_PROTO_PLACE_TIME; return true;
    case LW_TYPE_MICRO_TIME: *form = LW_PROTO_PLACE_MICRO_TIME; return true;
    case LW_TYPE_INT32:
    case LW_TYPE_INT64: *form = LW_PROTO_PLACE_NUMBER; return true;
    case LW_TYPE_BOOL: *form = LW_PROTO_PLACE_BOOL; return true;
    default: return false;
    }
}

/* The bytes of a number or boolean end where its field ends. */
static lw_str bytes_of(const message_walk *in, const lw_proto_item *item)
{
    const char *end = in->reader.rest.ptr;
    if (item->wire == LW_PROTO_BYTES)
        return item->bytes;
    size_t len = lw_proto_varint_size(item->value);
    return lw_str_make(end - len, len);
}

/* A value that may be a leaf: its encoding is what |text| alone would give. */
static void walk_leaf(walk *w, message_walk *in, lw_proto_place_form form,
                      const lw_proto_item *item, lw_json_cursor *at)
{
    lw_proto_leaf_room room;
    lw_str text, expected, bytes = bytes_of(in, item);
    bool is_escaped = false;
    if (lw_json_cursor_type(at) == LW_JSON_STRING && form != LW_PROTO_PLACE_RAW)
        text = lw_json_cursor_text(at, &is_escaped);
    else
        text = lw_json_cursor_skip(at);
    if (is_escaped && form == LW_PROTO_PLACE_STRING) {
        lw_buf_reset(&w->text);
        lw_json_append_unescaped(&w->text, text);
        expected = lw_buf_view(&w->text);
        if (w->text.st < 0)
            w->st = w->text.st;
    } else if (is_escaped || !lw_proto_leaf_encode(form, text, &room, &expected)) {
        return;
    }
    uint16_t place = add_place(w, form, in->place, bytes);
    if (!lw_str_equal(expected, bytes))
        w->st = LW_ERR_UNSUPPORTED;
    if (w->st < 0)
        return;
    w->places[place].from = (uint32_t)(text.ptr - w->json.ptr);
    w->places[place].to = w->places[place].from + (uint32_t)text.len;
}

/* A member of the message |in|, or of an inline struct of it. */
static void walk_member(walk *w, message_walk *in, message_walk *inlines,
                        const lw_proto_member *member, lw_json_cursor *at)
{
    unsigned first = (unsigned)(member->key >> LW_PROTO_KEY_TOP);
    uint64_t rest = member->key << LW_PROTO_KEY_BITS;
    lw_proto_item item;
    size_t i = 0;
    if (rest == 0) {
        walk_value(w, in, member->field->type, first, at);
        return;
    }
    while (i < INLINE_MAX && inlines[i].number != 0 && inlines[i].number != first)
        i++;
    if (i == INLINE_MAX || rest << LW_PROTO_KEY_BITS != 0) {
        (void)lw_json_cursor_skip(at);
        return;
    }
    if (inlines[i].number == 0) {
        if (!find_field(in, first, &item)) {
            w->st = LW_ERR_UNSUPPORTED;
            return;
        }
        uint16_t place = add_place(w, LW_PROTO_PLACE_MESSAGE, in->place, item.bytes);
        inlines[i] = (message_walk){ item.bytes, { item.bytes, NULL }, place, first };
    }
    walk_value(w, &inlines[i], member->field->type, (unsigned)(rest >> LW_PROTO_KEY_TOP), at);
}

/* The members of a struct, in the message |in|. */
static void walk_struct(walk *w, message_walk *in, const lw_type *type, lw_json_cursor *at)
{
    uint64_t seen[LW_TYPE_MEMBERS_MAX / 64] = { 0 };
    message_walk inlines[INLINE_MAX] = { { .number = 0 } };
    lw_str key;
    bool is_escaped;
    lw_json_cursor_enter(at);
    while (w->st == LW_OK && lw_json_cursor_next_key(at, &key, &is_escaped)) {
        const lw_proto_member member = lw_proto_member_named(type, key);
        if (is_escaped || (member.field && seen[member.at / 64] >> member.at % 64 & 1)) {
            w->st = LW_ERR_UNSUPPORTED;
            return;
        }
        if (member.field)
            seen[member.at / 64] |= UINT64_C(1) << member.at % 64;
        if (!member.field || member.field->number == 0 || member.key == 0 ||
            lw_json_cursor_type(at) == LW_JSON_NULL)
            (void)lw_json_cursor_skip(at);
        else
            walk_member(w, in, inlines, &member, at);
    }
}

/* JSON that is encoded as a message with its text. */
static void walk_raw(walk *w, message_walk *in, const lw_proto_item *item, lw_json_cursor *at)
{
    lw_proto_item text;
    uint16_t place = add_place(w, LW_PROTO_PLACE_MESSAGE, in->place, item->bytes);
    message_walk inner = { item->bytes, { item->bytes, NULL }, place, 0 };
    if (!find_field(&inner, 1, &text))
        w->st = LW_ERR_UNSUPPORTED;
    else if (w->st == LW_OK)
        walk_leaf(w, &inner, LW_PROTO_PLACE_RAW, &text, at);
}

static bool is_raw(const lw_type *type)
{
    return type->form == LW_TYPE_RAW || type->form == LW_TYPE_FIELDS_V1;
}

/* A string, a struct or another value, which is |item|. */
static void walk_item(walk *w, message_walk *in, const lw_type *type, const lw_proto_item *item,
                      lw_json_cursor *at)
{
    lw_proto_place_form form;
    if (type->form == LW_TYPE_STRUCT && w->depth < DEPTH_MAX &&
        lw_json_cursor_type(at) == LW_JSON_OBJECT) {
        uint16_t place = add_place(w, LW_PROTO_PLACE_MESSAGE, in->place, item->bytes);
        message_walk inner = { item->bytes, { item->bytes, NULL }, place, 0 };
        w->depth++;
        walk_struct(w, &inner, type, at);
        w->depth--;
    } else if (is_raw(type) && lw_json_cursor_type(at) != LW_JSON_NULL) {
        walk_raw(w, in, item, at);
    } else if (leaf_form_of(type->form, &form) && lw_json_cursor_type(at) != LW_JSON_NULL) {
        walk_leaf(w, in, form, item, at);
    } else {
        (void)lw_json_cursor_skip(at);
    }
}

static void walk_list(walk *w, message_walk *in, const lw_type *type, unsigned number,
                      lw_json_cursor *at)
{
    lw_proto_item item;
    lw_json_cursor_enter(at);
    while (w->st == LW_OK && lw_json_cursor_next_element(at)) {
        if (find_field(in, number, &item))
            walk_item(w, in, type->element, &item, at);
        else
            w->st = LW_ERR_UNSUPPORTED;
    }
}

/* The value of the entry |item| of a map, whose key is |key|. */
static void walk_entry(walk *w, message_walk *in, lw_str key, const lw_proto_item *item,
                       lw_json_cursor *at)
{
    lw_proto_item part;
    uint16_t place = add_place(w, LW_PROTO_PLACE_MESSAGE, in->place, item->bytes);
    message_walk entry = { item->bytes, { item->bytes, NULL }, place, 0 };
    bool is_good = find_field(&entry, 1, &part) && lw_str_equal(part.bytes, key) &&
                   find_field(&entry, 2, &part);
    if (!is_good)
        w->st = LW_ERR_UNSUPPORTED;
    else if (w->st == LW_OK && lw_json_cursor_type(at) == LW_JSON_STRING)
        walk_leaf(w, &entry, LW_PROTO_PLACE_STRING, &part, at);
    else
        (void)lw_json_cursor_skip(at);
}

/* The keys of the object at |at| are in order, each once and without escapes, as in protobuf. */
static bool is_ordered(lw_json_cursor at)
{
    lw_str key, last = lw_str_make(NULL, 0);
    bool is_escaped;
    lw_json_cursor_enter(&at);
    while (lw_json_cursor_next_key(&at, &key, &is_escaped)) {
        if (is_escaped || (last.ptr && lw_str_compare(last, key) >= 0))
            return false;
        last = key;
        (void)lw_json_cursor_skip(&at);
    }
    return true;
}

/* A map of strings. */
static void walk_map(walk *w, message_walk *in, unsigned number, lw_json_cursor *at)
{
    lw_proto_item item;
    lw_str key;
    bool is_escaped;
    lw_json_cursor_enter(at);
    while (w->st == LW_OK && lw_json_cursor_next_key(at, &key, &is_escaped)) {
        if (find_field(in, number, &item))
            walk_entry(w, in, key, &item, at);
        else
            w->st = LW_ERR_UNSUPPORTED;
    }
}

/* The value of the field |number| of |in|, which is not null. */
static void walk_value(walk *w, message_walk *in, const lw_type *type, unsigned number,
                       lw_json_cursor *at)
{
    lw_proto_item item;
    lw_proto_place_form form;
    lw_json_type json = lw_json_cursor_type(at);
    bool is_single =
        type->form == LW_TYPE_STRUCT || is_raw(type) || leaf_form_of(type->form, &form);
    if (w->st < 0)
        return;
    if (type->form == LW_TYPE_LIST && json == LW_JSON_ARRAY)
        walk_list(w, in, type, number, at);
    else if (type->form == LW_TYPE_MAP && type->element->form == LW_TYPE_STRING &&
             json == LW_JSON_OBJECT && is_ordered(*at))
        walk_map(w, in, number, at);
    else if (!is_single)
        (void)lw_json_cursor_skip(at);
    else if (find_field(in, number, &item))
        walk_item(w, in, type, &item, at);
    else
        w->st = LW_ERR_UNSUPPORTED;
}

static int compare_places(const void *a, const void *b)
{
    const lw_proto_place *const *first = a, *const *second = b;
    return ((*first)->at > (*second)->at) - ((*first)->at < (*second)->at);
}

/* Puts the places of |w| in the order of the encoding. */
static lw_status put_in_order(const walk *w, lw_proto_layout *layout)
{
    const lw_proto_place *sorted[LW_PROTO_PLACES_MAX];
    uint16_t position_of[LW_PROTO_PLACES_MAX];
    for (size_t i = 0; i < w->count; i++)
        sorted[i] = &w->places[i];
    qsort(sorted, w->count, sizeof(sorted[0]), compare_places);
    for (size_t i = 0; i < w->count; i++) {
        if (i > 0 && sorted[i]->at == sorted[i - 1]->at)
            return LW_ERR_UNSUPPORTED;
        position_of[sorted[i] - w->places] = (uint16_t)i;
        layout->places[i] = *sorted[i];
        if (layout->places[i].parent != LW_PROTO_NO_PLACE)
            layout->places[i].parent = position_of[layout->places[i].parent];
    }
    layout->count = w->count;
    for (size_t i = 0; i < w->count; i++)
        if (w->places[i].form != LW_PROTO_PLACE_MESSAGE)
            layout->leaves[layout->leaf_count++] = position_of[i];
    return LW_OK;
}

static lw_status walk_document(walk *w)
{
    lw_proto_document names;
    lw_status st = lw_proto_open(w->document, &names, NULL);
    const lw_type *type = st == LW_OK ? lw_proto_type(names.api_version, names.kind) : NULL;
    if (!type || !names.message.ptr)
        return LW_ERR_UNSUPPORTED;
    lw_json_cursor at = lw_json_cursor_on(w->json);
    uint16_t place = add_place(w, LW_PROTO_PLACE_MESSAGE, LW_PROTO_NO_PLACE, names.message);
    message_walk whole = { names.message, { names.message, NULL }, place, 0 };
    walk_struct(w, &whole, type, &at);
    return w->st;
}

lw_status lw_proto_layout_make(lw_proto_layout *layout, lw_str json, lw_str document)
{
    lw_proto_layout made = { .count = 0 };
    walk w = { .json = json, .document = document };
    lw_buf_init(&w.text, json.len + 1);
    lw_status st = LW_ERR_NOMEM;
    w.places = lw_alloc(LW_PROTO_PLACES_MAX * sizeof(*w.places));
    if (w.places)
        st = walk_document(&w);
    if (st == LW_OK) {
        made.places = lw_alloc(w.count * sizeof(*made.places));
        made.leaves = lw_alloc(w.count * sizeof(*made.leaves));
        st = made.places && made.leaves ? put_in_order(&w, &made) : LW_ERR_NOMEM;
    }
    lw_free(w.places);
    lw_buf_done(&w.text);
    if (st < 0)
        lw_proto_layout_done(&made);
    else
        *layout = made;
    return st;
}

void lw_proto_layout_done(lw_proto_layout *layout)
{
    lw_free(layout->places);
    lw_free(layout->leaves);
}
