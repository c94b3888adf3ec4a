/* SPDX-License-Identifier: Apache-2.0 */
/* node_object.c -- the members of an object: in order, found fast, removed cheaply.
 *
 * Members stand in slots in the order they came.  A removed one leaves its slot dead (no value)
 * until an access by position or a full array closes the gaps, so that removing many costs no more
 * than adding them.  Objects with few slots are searched from end to end.  Larger ones have an
 * index over their slots: an AA tree (A. Andersson, 1993) ordered by key.  Its depth does not
 * depend on what the keys are, so nobody can choose keys that make it slow.
 *
 * The index is made anew where many slots have changed their place, when the next key is looked for
 * and not before: many objects are only walked through.
 *
 * Invariant: with an index that is not stale, each key in a slot is in one index entry, which names
 * the youngest slot with that key; dead slots keep their key. */
#include <assert.h>
#include <stdalign.h>

#include "base/str.h"
#include "json/node.h"

enum {
    FIRST_SLOTS = 2,
    UNINDEXED_SLOTS = 16, /* up to here a search from end to end is as fast */
    /* An AA tree of n entries is at most 2 * log2(n + 1) deep, and n < 2^32. */
    INDEX_DEPTH = 64,
};

static const uint32_t no_slot = UINT32_MAX;

/* Entries are named by their number; 0 is no entry and has level 0. */
typedef struct lw_index_entry {
    uint32_t left, right;
    uint32_t level;
    uint32_t slot;
} entry;

/* Turns a left child on the same level into the parent. */
static uint32_t index_skew(entry *index, uint32_t at)
{
    uint32_t left = index[at].left;
    if (index[left].level != index[at].level)
        return at;
    index[at].left = index[left].right;
    index[left].right = at;
    return left;
}

/* Lifts the middle one of three in a row on the same level. */
static uint32_t index_split(entry *index, uint32_t at)
{
    uint32_t right = index[at].right;
    if (index[index[right].right].level != index[at].level)
        return at;
    index[at].right = index[right].left;
    index[right].left = at;
    index[right].level++;
    return right;
}

/* Makes the entry of the key of |slot_at| name that slot; adds it if there is none. */
static void index_put(struct lw_members *m, uint32_t slot_at)
{
    entry *index = m->index;
    lw_str key = lw_slot__key(&m->slots[slot_at]);
    uint32_t path[INDEX_DEPTH];
    bool went_left[INDEX_DEPTH];
    unsigned depth = 0;
    for (uint32_t at = m->root; at != 0; depth++) {
        int order = lw_str_compare(key, lw_slot__key(&m->slots[index[at].slot]));
        if (order == 0) {
            index[at].slot = slot_at;
            return;
        }
        assert(depth < INDEX_DEPTH);
        path[depth] = at;
        went_left[depth] = order < 0;
        at = order < 0 ? index[at].left : index[at].right;
    }
    uint32_t child = ++m->entries;
    index[child] = (entry){ .level = 1, .slot = slot_at };
    while (depth > 0) {
        uint32_t at = path[--depth];
        if (went_left[depth])
            index[at].left = child;
        else
            index[at].right = child;
        child = index_split(index, index_skew(index, at));
    }
    m->root = child;
}

static uint32_t index_find(const struct lw_members *m, lw_str key)
{
    uint32_t at = m->root;
    while (at != 0) {
        uint32_t slot_at = m->index[at].slot;
        int order = lw_str_compare(key, lw_slot__key(&m->slots[slot_at]));
        if (order == 0)
            return m->slots[slot_at].value ? slot_at : no_slot;
        at = order < 0 ? m->index[at].left : m->index[at].right;
    }
    return no_slot;
}

/* Makes the index anew from the slots. */
static void members_reindex(struct lw_members *m)
{
    m->root = 0;
    m->entries = 0;
    m->index[0] = (entry){ 0 };
    m->is_stale = false;
    for (uint32_t i = 0; i < m->used; i++)
        index_put(m, i);
}

/* The live slot with |key|, or no_slot. */
static uint32_t members_find(struct lw_members *m, lw_str key)
{
    if (!m)
        return no_slot;
    if (m->index) {
        if (m->is_stale)
            members_reindex(m);
        return index_find(m, key);
    }
    for (uint32_t i = 0; i < m->used; i++) {
        const lw_slot *at = &m->slots[i];
        if (at->key_len == key.len && at->value &&
            (key.len == 0 || (at->key[0] == key.ptr[0] && memcmp(at->key, key.ptr, key.len) == 0)))
            return i;
    }
    return no_slot;
}

/* Closes the gaps that dead slots leave. */
static void members_close_gaps(struct lw_members *m)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < m->used; i++) {
        if (m->slots[i].value)
            m->slots[used++] = m->slots[i];
    }
    m->used = used;
    m->is_stale = true;
}

void lw_node__close_gaps(const lw_node *object)
{
    members_close_gaps(object->members);
}

static bool members_alloc(lw_tree *tree, size_t cap, struct lw_members **out)
{
    if (cap >= UINT32_MAX) {
        lw_tree__fail(tree, LW_ERR_LIMIT);
        return false;
    }
    struct lw_members *m =
        lw_tree__alloc(tree, sizeof(*m) + cap * sizeof(m->slots[0]), alignof(struct lw_members));
    if (!m)
        return false;
    *m = (struct lw_members){ .cap = (uint32_t)cap };
    if (cap > UNINDEXED_SLOTS) {
        m->index = lw_tree__alloc(tree, (cap + 1) * sizeof(entry), alignof(entry));
        if (!m->index)
            return false;
        m->index[0] = (entry){ 0 };
    }
    *out = m;
    return true;
}

/* Fills |to|, which is larger, with what |from| has. */
static void members_copy(struct lw_members *to, const struct lw_members *from)
{
    memcpy(to->slots, from->slots, from->used * sizeof(from->slots[0]));
    to->used = from->used;
    if (!from->index) {
        members_close_gaps(to);
        return;
    }
    memcpy(to->index, from->index, (from->entries + (size_t)1) * sizeof(from->index[0]));
    to->root = from->root;
    to->entries = from->entries;
    to->is_stale = from->is_stale;
}

/* Makes room for one more slot.  False when the tree has failed. */
static bool object_reserve(lw_tree *tree, lw_node *object)
{
    struct lw_members *old = object->members;
    if (old && old->used < old->cap)
        return true;
    if (old && object->count <= old->cap / 2) {
        lw_node__close_gaps(object);
        return true;
    }
    struct lw_members *grown;
    if (!members_alloc(tree, old ? (size_t)old->cap * 2 : FIRST_SLOTS, &grown))
        return false;
    if (old)
        members_copy(grown, old);
    object->members = grown;
    return true;
}

bool lw_node__reserve_members(lw_tree *tree, lw_node *object, size_t count)
{
    return count == 0 || members_alloc(tree, count, &object->members);
}

void lw_node__set_filled(lw_node *object, uint32_t count)
{
    object->count = count;
    if (!object->members)
        return;
    object->members->used = count;
    object->members->is_stale = true;
}

void lw_node__add_owned(lw_tree *tree, lw_node *object, lw_str key, lw_node *value)
{
    if (!object || !value || !object_reserve(tree, object))
        return;
    struct lw_members *m = object->members;
    m->slots[m->used] = (lw_slot){ .value = value, .key = key.ptr, .key_len = (uint32_t)key.len };
    if (m->index && !m->is_stale)
        index_put(m, m->used);
    m->used++;
    object->count++;
}

/* Replaces the value of |key|.  False when there is no such member. */
static bool object_replace(lw_node *object, lw_str key, lw_node *value)
{
    uint32_t at = members_find(object->members, key);
    if (at == no_slot)
        return false;
    object->members->slots[at].value = value;
    return true;
}

void lw_node__put_owned(lw_tree *tree, lw_node *object, lw_str key, lw_node *value)
{
    if (!object || !value || lw_tree_status(tree) < 0)
        return;
    if (!object_replace(object, key, value))
        lw_node__add_owned(tree, object, key, value);
}

void lw_node_put(lw_tree *tree, lw_node *object, lw_str key, lw_node *value)
{
    if (!object || !value || lw_tree_status(tree) < 0)
        return;
    assert(object->type == LW_JSON_OBJECT);
    if (object_replace(object, key, value))
        return;
    if (key.len > UINT32_MAX) {
        lw_tree__fail(tree, LW_ERR_LIMIT);
        return;
    }
    char *copy = lw_tree__alloc(tree, key.len, 1);
    if (!copy)
        return;
    if (key.len > 0)
        memcpy(copy, key.ptr, key.len);
    lw_node__add_owned(tree, object, lw_str_make(copy, key.len), value);
}

bool lw_node_remove(lw_node *object, lw_str key)
{
    if (!object)
        return false;
    assert(object->type == LW_JSON_OBJECT);
    uint32_t at = members_find(object->members, key);
    if (at == no_slot)
        return false;
    object->members->slots[at].value = NULL;
    object->count--;
    return true;
}

void lw_node_remove_if(lw_node *object, lw_node_predicate is_removed, void *arg)
{
    if (!object)
        return;
    assert(object->type == LW_JSON_OBJECT);
    lw_slot *slots = lw_node__slots(object);
    for (size_t i = 0, count = object->count; i < count; i++) {
        if (is_removed(arg, lw_slot__key(&slots[i]), slots[i].value)) {
            slots[i].value = NULL;
            object->count--;
        }
    }
}

lw_node *lw_node_get(const lw_node *node, lw_str key)
{
    if (!lw_node_is(node, LW_JSON_OBJECT))
        return NULL;
    uint32_t at = members_find(node->members, key);
    return at == no_slot ? NULL : node->members->slots[at].value;
}

/* Lets the slot at |at| sink in the heap of |count| slots, the largest key on top. */
static void heap_sink(lw_slot *slots, size_t at, size_t count)
{
    lw_slot sinking = slots[at];
    for (size_t child = at * 2 + 1; child < count; child = at * 2 + 1) {
        if (child + 1 < count &&
            lw_str_compare(lw_slot__key(&slots[child + 1]), lw_slot__key(&slots[child])) > 0)
            child++;
        if (lw_str_compare(lw_slot__key(&slots[child]), lw_slot__key(&sinking)) <= 0)
            break;
        slots[at] = slots[child];
        at = child;
    }
    slots[at] = sinking;
}

static bool slots_are_sorted(const lw_slot *slots, size_t count)
{
    for (size_t i = 1; i < count; i++) {
        if (lw_str_compare(lw_slot__key(&slots[i - 1]), lw_slot__key(&slots[i])) > 0)
            return false;
    }
    return true;
}

/* Heapsort: no memory and no bad case; keys are distinct, so it need not be stable. */
void lw_node__sort_members(lw_node *object)
{
    size_t count = object->count;
    lw_slot *slots = lw_node__slots(object);
    if (count == 0 || slots_are_sorted(slots, count))
        return;
    for (size_t i = count / 2; i > 0; i--)
        heap_sink(slots, i - 1, count);
    for (size_t last = count - 1; last > 0; last--) {
        lw_slot largest = slots[0];
        slots[0] = slots[last];
        slots[last] = largest;
        heap_sink(slots, 0, last);
    }
    object->members->is_stale = true;
}
