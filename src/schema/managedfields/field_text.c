/* SPDX-License-Identifier: Apache-2.0 */
/* field_text.c -- the stack of parts, their order, and their text. */
#include "schema/managedfields/field_text.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/str.h"
#include "schema/managedfields/field_element.h"
#include "schema/managedfields/unmanaged_fields.h"
#include "json/text.h"

enum {
    TEXT_MAX = 4 * 1024 * 1024, /* bytes of the path elements on the stack */
    PARTS_MAX = 4 * 1024 * 1024,
    USUAL = 2048,     /* bytes of the set of a pod */
    SMALL_PARTS = 32, /* members that are sorted without qsort */
};

void lw_field_text_init(lw_field_text *text, const lw_field_walker *walker, lw_buf *out)
{
    text->walker = walker;
    text->out = out;
    text->is_empty = true;
    lw_buf_init(&text->elements, TEXT_MAX);
    text->parts = text->first;
    text->count = 0;
    text->cap = LW_FIELD_FIRST_PARTS;
    text->st = LW_OK;
    (void)lw_buf_reserve(out, USUAL);
}

lw_status lw_field_text_done(lw_field_text *text)
{
    lw_status st = text->st < 0 ? text->st : text->elements.st;
    if (text->parts != text->first)
        lw_free(text->parts);
    lw_buf_done(&text->elements);
    return st < 0 ? st : text->out->st;
}

static lw_status grow_parts(lw_field_text *text)
{
    bool is_first = text->parts == text->first;
    if (text->cap > PARTS_MAX / 2)
        return LW_ERR_LIMIT;
    lw_field_part *grown =
        lw_realloc_array(is_first ? NULL : text->parts, text->cap * 2, sizeof(*grown));
    if (!grown)
        return LW_ERR_NOMEM;
    if (is_first)
        memcpy(grown, text->first, sizeof(text->first));
    text->parts = grown;
    text->cap *= 2;
    return LW_OK;
}

lw_field_part *lw_field_text__grow(lw_field_text *text)
{
    if (text->st == LW_OK)
        text->st = grow_parts(text);
    return text->st == LW_OK ? &text->parts[text->count] : NULL;
}

bool lw_field_part_of(lw_place parent, lw_str name, lw_field_part *out)
{
    *out = (lw_field_part){ .name = name.ptr, .len = name.len };
    if (!lw_field_is_declared(parent))
        return lw_place_member(parent, name, &out->place);
    const lw_member *member = lw_type_member(parent.type, name);
    if (!member)
        return false;
    out->place = (lw_place){ member->field->type, member->field };
    out->rank = (uint16_t)(member - parent.type->members);
    out->is_plain = true;
    return true;
}

static lw_str name_of(const lw_field_part *member)
{
    return lw_str_make(member->name, member->len);
}

static int compare_names(const void *a, const void *b)
{
    return lw_str_compare(name_of(a), name_of(b));
}

static int compare_ranks(const void *a, const void *b)
{
    const lw_field_part *left = a, *right = b;
    return (int)left->rank - (int)right->rank;
}

/* Most objects are so small that a function of the library costs more than the sort. */
static void sort_members(lw_field_text *text, size_t start)
{
    size_t count = text->count - start;
    if (count < 2)
        return; /* and maybe there are no parts yet */
    lw_field_part *parts = text->parts + start;
    int (*compare)(const void *, const void *) = parts->is_plain ? compare_ranks : compare_names;
    if (count > SMALL_PARTS) {
        qsort(parts, count, sizeof(*parts), compare);
        return;
    }
    for (size_t i = 1; i < count; i++) {
        size_t to = i;
        while (to > 0 && compare(&parts[to - 1], &parts[i]) > 0)
            to--;
        if (to == i)
            continue;
        lw_field_part one = parts[i];
        memmove(parts + to + 1, parts + to, (i - to) * sizeof(*parts));
        parts[to] = one;
    }
}

static lw_str element_of(const lw_field_text *text, const lw_field_part *item)
{
    const lw_buf *elements = &text->elements;
    /* There is no text if the first allocation failed. */
    return elements->data ? lw_str_make(elements->data + item->at, item->len) : LW_STR("");
}

static int compare_items(const void *a, const void *b, void *arg)
{
    lw_field_text *text = arg;
    return lw_element_compare(element_of(text, a), element_of(text, b), &text->st);
}

/* Makes one of the sorted items above |start| that have the same element. */
static void join_twins(lw_field_text *text, size_t start)
{
    lw_field_part *parts = text->parts;
    size_t kept = start;
    for (size_t i = start + 1; i < text->count; i++) {
        if (lw_str_equal(element_of(text, &parts[kept]), element_of(text, &parts[i])))
            parts[kept].is_twin = true;
        else
            parts[++kept] = parts[i];
    }
    text->count = kept + 1;
}

/* Pushes the items of |list|, sorted; items with the same element count as one. */
static void push_items(lw_field_text *text, lw_place place, const lw_node *list)
{
    lw_buf *elements = &text->elements;
    size_t start = text->count;
    const lw_place item = lw_place_item(place);
    for (size_t i = 0; i < lw_node_count(list); i++) {
        lw_field_part *part = lw_field_text_room(text);
        if (!part)
            return;
        *part = (lw_field_part){ .at = elements->len,
                                 .place = item,
                                 .value = lw_node_at(list, i),
                                 .is_item = true,
                                 .is_self = true };
        if (lw_place_append_element(place, part->value, elements))
            lw_buf_printf(elements, "i:%zu", i);
        part->len = elements->len - part->at;
        lw_field_text_push(text);
    }
    if (text->st < 0 || elements->st < 0 || text->count - start < 2)
        return;
    qsort_r(text->parts + start, text->count - start, sizeof(lw_field_part), compare_items, text);
    join_twins(text, start);
}

/* Writes ,"f:name": for a |name| that needs no escapes. */
static void append_plain(lw_field_text *text, lw_str name)
{
    lw_buf *out = text->out;
    if (lw_buf_reserve(out, name.len + sizeof(",\"f:\":") - 1) < 0)
        return;
    char *to = out->data + out->len;
    *to = ',';
    to += !text->is_empty;
    memcpy(to, "\"f:", 3);
    to += 3;
    memcpy(to, name.ptr, name.len);
    to += name.len;
    memcpy(to, "\":", 2);
    out->len = (size_t)(to + 2 - out->data);
}

/* Writes the comma, |element| and the colon, if only quotes have to be escaped in it: most keys and
 * values are like that.  Returns false for others. */
static bool append_quoting(lw_field_text *text, lw_str element)
{
    lw_buf *out = text->out;
    if (lw_buf_reserve(out, 2 * element.len + sizeof(",\"\":") - 1) < 0)
        return true;
    char *to = out->data + out->len;
    *to = ',';
    to += !text->is_empty;
    *to++ = '"';
    for (size_t i = 0; i < element.len; i++) {
        unsigned char c = (unsigned char)element.ptr[i];
        if (c < ' ' || c >= 0x7f || c == '\\' || c == '<' || c == '>' || c == '&')
            return false;
        *to = '\\';
        to += c == '"';
        *to++ = (char)c;
    }
    memcpy(to, "\":", 2);
    out->len = (size_t)(to + 2 - out->data);
    return true;
}

/* Writes the comma, the path element of |part|, and the colon. */
static void append_element(lw_field_text *text, const lw_field_part *part)
{
    lw_buf *elements = &text->elements;
    size_t len = elements->len;
    if (part->is_item) {
        if (!append_quoting(text, element_of(text, part)))
            lw_json_append_token(text->out, !text->is_empty, element_of(text, part), true);
    } else if (part->is_plain) {
        append_plain(text, name_of(part));
    } else {
        lw_buf_append_text(elements, "f:");
        lw_buf_append_str(elements, name_of(part));
        lw_json_append_token(text->out, !text->is_empty, lw_str_skip(lw_buf_view(elements), len),
                             true);
        lw_buf_truncate(elements, len);
    }
    text->is_empty = false;
}

/* Appends |chars|, a constant: the compiler knows its size. */
static inline void append_short(lw_field_text *text, lw_str chars)
{
    if (lw_buf_reserve(text->out, chars.len) < 0)
        return;
    memcpy(text->out->data + text->out->len, chars.ptr, chars.len);
    text->out->len += chars.len;
}

/* A state of the output to return to. */
typedef struct mark {
    size_t len;
    bool is_empty;
} mark;

static mark mark_here(const lw_field_text *text)
{
    return (mark){ text->out->len, text->is_empty };
}

static void go_back(lw_field_text *text, mark to)
{
    if (text->out->st < 0)
        return;
    lw_buf_truncate(text->out, to.len);
    text->is_empty = to.is_empty;
}

/* Begin and end what is below an element. */
static void open_braces(lw_field_text *text)
{
    append_short(text, LW_STR("{"));
    text->is_empty = true;
}

static void close_braces(lw_field_text *text)
{
    append_short(text, LW_STR("}"));
    text->is_empty = false;
}

void lw_field_text_leaf(lw_field_text *text, const lw_field_part *part)
{
    append_element(text, part);
    append_short(text, LW_STR("{}"));
}

/* Writes the parts above |start| and pops them; false: none had a managed field. */
static bool write_parts(lw_field_text *text, size_t start, unsigned depth)
{
    size_t end = text->count;
    bool is_written = false;
    for (size_t i = start; i < end && text->st == LW_OK; i++) {
        lw_field_part one = text->parts[i]; /* the stack may move */
        is_written |= text->walker->write_part(text, &one, depth);
    }
    text->count = start;
    return is_written;
}

static void push_members(lw_field_text *text, const lw_field_part *part, const lw_node *object)
{
    const lw_field_walker *walker = text->walker;
    size_t start = text->count;
    for (size_t i = 0, count = lw_node_count(object); i < count; i++) {
        lw_str name;
        const lw_node *value = lw_node_member_at(object, i, &name);
        walker->push_member(text, part, name, value);
    }
    if (walker->push_others)
        walker->push_others(text, part, start);
    sort_members(text, start);
}

/* Writes what is in the list or object |value| (NULL: nothing) of |part|, between its braces. */
static bool write_inside(lw_field_text *text, const lw_field_part *part, const lw_node *value,
                         bool is_list, unsigned depth)
{
    size_t start = text->count, len = text->elements.len;
    if (is_list)
        push_items(text, part->place, value);
    else
        push_members(text, part, value);
    bool is_written = write_parts(text, start, depth - 1);
    if (text->elements.st == LW_OK)
        lw_buf_truncate(&text->elements, len);
    return is_written;
}

bool lw_field_text_container(lw_field_text *text, const lw_field_part *part, const lw_node *value,
                             bool is_list, unsigned depth)
{
    mark before = mark_here(text);
    append_element(text, part);
    open_braces(text);
    mark inside = mark_here(text);
    if (part->is_self) {
        append_short(text, LW_STR("\".\":{}"));
        text->is_empty = false;
    }
    bool is_written = write_inside(text, part, value, is_list, depth);
    if (!is_written && !part->is_self) {
        go_back(text, before);
        return false;
    }
    if (!is_written)
        go_back(text, inside); /* an element with nothing below is {} */
    close_braces(text);
    return true;
}

static bool write_metadata(lw_field_text *text, const lw_field_part *metadata)
{
    size_t start = text->count;
    mark before = mark_here(text);
    lw_field_part parent = *metadata;
    parent.was_there = true;
    append_element(text, metadata);
    open_braces(text);
    for (size_t i = 0; i < lw_node_count(metadata->value); i++) {
        lw_str name = lw_node_key_at(metadata->value, i);
        if (!lw_field_is_unmanaged_metadata(name))
            text->walker->push_member(text, &parent, name, lw_node_at(metadata->value, i));
    }
    sort_members(text, start);
    bool is_written = write_parts(text, start, LW_FIELD_DEPTH - 2);
    close_braces(text);
    if (!is_written)
        go_back(text, before);
    return is_written;
}

static bool is_ignored(const lw_node *ignored, lw_str name)
{
    for (size_t i = 0; i < lw_node_count(ignored); i++) {
        if (lw_str_equal(lw_str_skip(lw_node_key_at(ignored, i), 2), name))
            return true;
    }
    return false;
}

bool lw_field_text_write(lw_field_text *text, const lw_type *type, const lw_node *document,
                         const lw_node *ignored)
{
    const lw_field_part root = { .place = { type, NULL }, .was_there = true };
    bool is_written = false;
    for (size_t i = 0; i < lw_node_count(document); i++) {
        lw_str name = lw_node_key_at(document, i);
        if (!lw_field_is_unmanaged(name) && !is_ignored(ignored, name))
            text->walker->push_member(text, &root, name, lw_node_at(document, i));
    }
    sort_members(text, 0);
    size_t end = text->count;
    open_braces(text);
    for (size_t i = 0; i < end && text->st == LW_OK; i++) {
        lw_field_part one = text->parts[i];
        is_written |= lw_str_equal(name_of(&one), LW_STR("metadata"))
                          ? write_metadata(text, &one)
                          : text->walker->write_part(text, &one, LW_FIELD_DEPTH - 1);
    }
    close_braces(text);
    return is_written;
}
