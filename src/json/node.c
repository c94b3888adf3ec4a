/* SPDX-License-Identifier: Apache-2.0 */
/* node.c -- reads, compares and writes nodes; changes arrays.
 *
 * Recursion stops at LW_TREE_DEPTH, so that a tree that was built deeper cannot exhaust the
 * stack. */
#include "json/node.h"

#include <assert.h>
#include <stdalign.h>

#include "base/str.h"
#include "json/text.h"

enum {
    FIRST_ELEMENTS = 2,
    LEVEL_BYTES = 5, /* a level of objects takes more in JSON */
};

bool lw_node_bool(const lw_node *node)
{
    return lw_node_is(node, LW_JSON_BOOL) && node->boolean;
}

bool lw_node_was_escaped(const lw_node *node)
{
    return lw_node_is(node, LW_JSON_STRING) && node->boolean;
}

bool lw_node_int64(const lw_node *node, int64_t *out)
{
    return lw_node_is(node, LW_JSON_NUMBER) && lw_json_number_to_int64(lw_node_text(node), out);
}

/* Whether |node| is an object of which only the text is there. */
static bool is_closed(const lw_node *node)
{
    return node->type == LW_JSON_OBJECT && node->boolean;
}

static bool is_container(const lw_node *node)
{
    return lw_node_is(node, LW_JSON_ARRAY) || lw_node_is(node, LW_JSON_OBJECT);
}

static struct lw_elements *elements_alloc(lw_tree *tree, size_t cap)
{
    if (cap > UINT32_MAX) {
        lw_tree__fail(tree, LW_ERR_LIMIT);
        return NULL;
    }
    struct lw_elements *elements =
        lw_tree__alloc(tree, sizeof(*elements) + cap * sizeof(elements->at[0]),
                       alignof(struct lw_elements));
    if (elements)
        elements->cap = cap;
    return elements;
}

bool lw_node__reserve_elements(lw_tree *tree, lw_node *array, size_t count)
{
    return count == 0 || (array->elements = elements_alloc(tree, count)) != NULL;
}

/* Reserves space for |count| more elements. Returns false if the tree has failed. */
static bool array_reserve(lw_tree *tree, lw_node *array, size_t count)
{
    struct lw_elements *old = array->elements;
    if (old && count <= old->cap - array->count)
        return true;
    size_t need = array->count + count, cap = old ? old->cap * 2 : FIRST_ELEMENTS;
    struct lw_elements *grown = elements_alloc(tree, cap > need ? cap : need);
    if (!grown)
        return false;
    if (old)
        memcpy(grown->at, old->at, array->count * sizeof(grown->at[0]));
    array->elements = grown;
    return true;
}

void lw_node_insert(lw_tree *tree, lw_node *array, size_t index, lw_node *value)
{
    if (!array || !value || lw_tree_status(tree) < 0)
        return;
    assert(array->type == LW_JSON_ARRAY && index <= array->count);
    if (!array_reserve(tree, array, 1))
        return;
    lw_node **at = array->elements->at + index;
    memmove(at + 1, at, (array->count - index) * sizeof(*at));
    *at = value;
    array->count++;
}

void lw_node_append(lw_tree *tree, lw_node *array, lw_node *value)
{
    if (array)
        lw_node_insert(tree, array, array->count, value);
}

void lw_node__append_slots(lw_tree *tree, lw_node *array, const lw_slot *slots, uint32_t count)
{
    if (array->elements ? !array_reserve(tree, array, count)
                        : !lw_node__reserve_elements(tree, array, count))
        return;
    for (uint32_t i = 0; i < count; i++)
        array->elements->at[array->count++] = slots[i].value;
}

void lw_node_set_at(lw_node *array, size_t index, lw_node *value)
{
    if (!array || !value)
        return;
    assert(array->type == LW_JSON_ARRAY && index < array->count);
    array->elements->at[index] = value;
}

void lw_node_remove_at(lw_node *array, size_t index)
{
    if (!array)
        return;
    assert(array->type == LW_JSON_ARRAY && index < array->count);
    lw_node **at = array->elements->at + index;
    memmove(at, at + 1, (array->count - index - 1) * sizeof(*at));
    array->count--;
}

bool lw_node__is_deeper(const lw_node *node, unsigned depth)
{
    if (!is_container(node))
        return false;
    if (depth == 0)
        return true;
    if (is_closed(node) && node->closed->text.len / LEVEL_BYTES < depth)
        return false;
    (void)lw_node_count(node);
    for (size_t i = 0; i < node->count; i++) {
        if (lw_node__is_deeper(lw_node_at(node, i), depth - 1))
            return true;
    }
    return false;
}

static bool equal_within(const lw_node *a, const lw_node *b, lw_budget *budget, unsigned depth);

/* Both have the same number of members. In two versions of an object they are mostly in the same
 * order. */
static bool members_equal(const lw_node *a, const lw_node *b, lw_budget *budget, unsigned depth)
{
    const lw_slot *in_a = lw_node__slots(a), *in_b = lw_node__slots(b);
    for (size_t i = 0; i < a->count; i++) {
        lw_str key = lw_slot_key(&in_a[i]);
        const lw_node *other =
            lw_str_equal(key, lw_slot_key(&in_b[i])) ? in_b[i].value : lw_node_get(b, key);
        if (!equal_within(in_a[i].value, other, budget, depth))
            return false;
    }
    return true;
}

static bool equal_within(const lw_node *a, const lw_node *b, lw_budget *budget, unsigned depth)
{
    if (a == b || !a || !b)
        return a == b;
    if (a->type != b->type)
        return false;
    switch ((lw_json_type)a->type) {
    case LW_JSON_NULL: return true;
    case LW_JSON_BOOL: return a->boolean == b->boolean;
    case LW_JSON_NUMBER: return lw_json_number_equal(lw_node_text(a), lw_node_text(b));
    case LW_JSON_STRING: return lw_str_equal(lw_node_text(a), lw_node_text(b));
    case LW_JSON_ARRAY:
    case LW_JSON_OBJECT: break;
    }
    if (a->type == LW_JSON_OBJECT && (a->boolean || b->boolean)) {
        if (a->boolean && b->boolean && lw_str_equal(a->closed->text, b->closed->text))
            return true;
        if (!lw_node__open(a) || !lw_node__open(b))
            return false;
    }
    if (depth == 0 || a->count != b->count || !lw_budget_charge(budget, a->count))
        return false;
    if (a->type == LW_JSON_OBJECT)
        return members_equal(a, b, budget, depth - 1);
    for (size_t i = 0; i < a->count; i++) {
        if (!equal_within(a->elements->at[i], b->elements->at[i], budget, depth - 1))
            return false;
    }
    return true;
}

bool lw_node_equal(const lw_node *a, const lw_node *b)
{
    return equal_within(a, b, NULL, LW_TREE_DEPTH);
}

bool lw_node_equal_within(const lw_node *a, const lw_node *b, lw_budget *budget)
{
    return equal_within(a, b, budget, LW_TREE_DEPTH);
}

static bool same_within(const lw_node *a, const lw_node *b, lw_budget *budget, unsigned depth)
{
    if (a == b || a->type != b->type)
        return a == b;
    switch ((lw_json_type)a->type) {
    case LW_JSON_NULL: return true;
    case LW_JSON_BOOL: return a->boolean == b->boolean;
    case LW_JSON_NUMBER:
    case LW_JSON_STRING: return lw_str_equal(lw_node_text(a), lw_node_text(b));
    case LW_JSON_ARRAY:
    case LW_JSON_OBJECT: break;
    }
    if (depth == 0 || lw_node_count(a) != lw_node_count(b) || !lw_budget_charge(budget, a->count))
        return false;
    if (a->type == LW_JSON_ARRAY) {
        for (size_t i = 0; i < a->count; i++) {
            if (!same_within(a->elements->at[i], b->elements->at[i], budget, depth - 1))
                return false;
        }
        return true;
    }
    const lw_slot *in_a = lw_node__slots(a), *in_b = lw_node__slots(b);
    for (size_t i = 0; i < a->count; i++) {
        if (!lw_str_equal(lw_slot_key(&in_a[i]), lw_slot_key(&in_b[i])) ||
            !same_within(in_a[i].value, in_b[i].value, budget, depth - 1))
            return false;
    }
    return true;
}

bool lw_node_is_same(const lw_node *a, const lw_node *b, lw_budget *budget)
{
    return a && b ? same_within(a, b, budget, LW_TREE_DEPTH) : a == b;
}

static uint64_t hash_within(const lw_node *node, lw_hash_seed seed, unsigned depth);

/* The order of members does not matter; the order of elements does. */
static uint64_t hash_container(const lw_node *node, lw_hash_seed seed, unsigned depth)
{
    uint64_t sum = lw_node_count(node);
    for (size_t i = 0; depth > 0 && i < node->count; i++) {
        lw_hash_seed below = seed;
        if (node->type == LW_JSON_OBJECT)
            below.k0 ^= lw_hash_str(seed, lw_node_key_at(node, i));
        else
            below.k0 ^= sum;
        sum += hash_within(lw_node_at(node, i), below, depth - 1);
    }
    return lw_hash_bytes(seed, &sum, sizeof(sum));
}

/* Numbers of equal value have equal hashes, whatever their notation. */
static uint64_t hash_number(const lw_node *node, lw_hash_seed seed)
{
    int64_t whole;
    if (lw_node_int64(node, &whole))
        return lw_hash_bytes(seed, &whole, sizeof(whole));
    double real = lw_json_number_to_double(lw_node_text(node));
    return lw_hash_bytes(seed, &real, sizeof(real));
}

static uint64_t hash_within(const lw_node *node, lw_hash_seed seed, unsigned depth)
{
    lw_json_type type = lw_node_type(node);
    seed.k1 ^= (uint64_t)type;
    switch (type) {
    case LW_JSON_NULL: return seed.k1;
    case LW_JSON_BOOL: return lw_hash_bytes(seed, &node->boolean, sizeof(node->boolean));
    case LW_JSON_NUMBER: return hash_number(node, seed);
    case LW_JSON_STRING: return lw_hash_str(seed, lw_node_text(node));
    case LW_JSON_ARRAY:
    case LW_JSON_OBJECT: break;
    }
    return hash_container(node, seed, depth);
}

uint64_t lw_node_hash(const lw_node *node, lw_hash_seed seed)
{
    return hash_within(node, seed, LW_TREE_DEPTH);
}

static void sort_within(lw_node *node, unsigned depth)
{
    if (!is_container(node) || depth == 0)
        return;
    if (node->type == LW_JSON_OBJECT && lw_node__open(node))
        lw_node__sort_members(node);
    for (size_t i = 0; i < node->count; i++)
        sort_within(lw_node_at(node, i), depth - 1);
}

void lw_node_sort_keys(lw_node *node)
{
    sort_within(node, LW_TREE_DEPTH);
}

static void write_within(const lw_node *node, lw_json_writer *w, unsigned depth);

static void write_container(const lw_node *node, lw_json_writer *w, unsigned depth)
{
    if (depth == 0) {
        if (w->st == LW_OK)
            w->st = LW_ERR_LIMIT;
        return;
    }
    if (is_closed(node) && node->closed->is_compact) {
        lw_json_write_raw(w, node->closed->text);
    } else if (node->type == LW_JSON_OBJECT) {
        const lw_slot *slots = lw_node__slots(node);
        if (!slots && node->boolean && w->st == LW_OK)
            w->st = lw_tree_status(node->closed->tree);
        lw_json_write_object_begin(w);
        for (size_t i = 0; i < node->count && lw_json_writer_status(w) == LW_OK; i++) {
            lw_json_write_key(w, lw_slot_key(&slots[i]));
            write_within(slots[i].value, w, depth - 1);
        }
        lw_json_write_object_end(w);
    } else {
        lw_json_write_array_begin(w);
        for (size_t i = 0; i < node->count && lw_json_writer_status(w) == LW_OK; i++)
            write_within(node->elements->at[i], w, depth - 1);
        lw_json_write_array_end(w);
    }
}

static void write_within(const lw_node *node, lw_json_writer *w, unsigned depth)
{
    switch (lw_node_type(node)) {
    case LW_JSON_NULL: lw_json_write_null(w); break;
    case LW_JSON_BOOL: lw_json_write_bool(w, node->boolean); break;
    case LW_JSON_NUMBER: lw_json_write_number(w, lw_node_text(node)); break;
    case LW_JSON_STRING: lw_json_write_string(w, lw_node_text(node)); break;
    case LW_JSON_ARRAY:
    case LW_JSON_OBJECT: write_container(node, w, depth); break;
    }
}

static void put_within(const lw_node *node, lw_json_writer *w, unsigned depth);

/* Writes |text|, which needs no escapes, in quotes. */
static inline char *put_quoted(char *to, lw_str text)
{
    *to++ = '"';
    lw_json_copy_text(to, text.ptr, text.len);
    to += text.len;
    *to++ = '"';
    return to;
}

/* Writes a member, if possible with one look at how much room is left. */
static void put_member(const lw_slot *slot, bool is_first, lw_json_writer *w, unsigned depth)
{
    lw_buf *out = w->out;
    lw_str key = lw_slot_key(slot), text = lw_node_text(slot->value);
    bool is_whole = slot->value->type == LW_JSON_STRING && slot->value->is_plain;
    if (!slot->is_plain) {
        lw_json_append_token(out, !is_first, key, true);
        put_within(slot->value, w, depth);
        return;
    }
    if (lw_buf_reserve(out, key.len + 4 + (is_whole ? text.len + 2 : 0)) < 0)
        return;
    char *to = out->data + out->len;
    *to = ','; /* is written over if it does not count */
    to = put_quoted(to + !is_first, key);
    *to++ = ':';
    if (is_whole)
        to = put_quoted(to, text);
    out->len = (size_t)(to - out->data);
    if (!is_whole)
        put_within(slot->value, w, depth);
}

static void put_container(const lw_node *node, lw_json_writer *w, unsigned depth)
{
    if (depth == 0) {
        w->st = LW_ERR_LIMIT;
    } else if (is_closed(node) && node->closed->is_compact) {
        lw_buf_append_str(w->out, node->closed->text);
    } else if (node->type == LW_JSON_OBJECT) {
        const lw_slot *slots = lw_node__slots(node);
        if (!slots && node->boolean)
            w->st = lw_tree_status(node->closed->tree);
        lw_buf_append_char(w->out, '{');
        for (size_t i = 0; i < node->count && lw_json_writer_status(w) == LW_OK; i++)
            put_member(&slots[i], i == 0, w, depth - 1);
        lw_buf_append_char(w->out, '}');
    } else {
        lw_buf_append_char(w->out, '[');
        for (size_t i = 0; i < node->count && lw_json_writer_status(w) == LW_OK; i++) {
            if (i > 0)
                lw_buf_append_char(w->out, ',');
            put_within(node->elements->at[i], w, depth - 1);
        }
        lw_buf_append_char(w->out, ']');
    }
}

/* Appends |node| to the buffer of |w|, which is compact: there is no more to it than that. */
static void put_within(const lw_node *node, lw_json_writer *w, unsigned depth)
{
    lw_str text = lw_node_text(node);
    switch (lw_node_type(node)) {
    case LW_JSON_NULL: lw_buf_append_str(w->out, LW_STR("null")); break;
    case LW_JSON_BOOL:
        lw_buf_append_str(w->out, node->boolean ? LW_STR("true") : LW_STR("false"));
        break;
    case LW_JSON_NUMBER: lw_buf_append_str(w->out, text); break;
    case LW_JSON_STRING:
        if (!node->is_plain)
            lw_json_append_quoted(w->out, text);
        else if (lw_buf_reserve(w->out, text.len + 2) == LW_OK)
            w->out->len = (size_t)(put_quoted(w->out->data + w->out->len, text) - w->out->data);
        break;
    case LW_JSON_ARRAY:
    case LW_JSON_OBJECT: put_container(node, w, depth); break;
    }
}

void lw_node_write(const lw_node *node, lw_json_writer *w)
{
    unsigned left = LW_JSON_WRITER_DEPTH - w->depth;
    if (w->form != LW_JSON_COMPACT)
        write_within(node, w, LW_TREE_DEPTH);
    else if (lw_json_write_begin(w))
        put_within(node, w, left < LW_TREE_DEPTH ? left : LW_TREE_DEPTH);
}
