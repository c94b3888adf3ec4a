/* SPDX-License-Identifier: Apache-2.0 */
/* node_object.c -- the members of an object: ordered, found fast, removed cheaply.
 *
 * Members are in slots, in the order of insertion.  A removed member leaves its slot dead (no
 * value) until an access by position, or a full array, closes the gaps; so removing many members
 * costs no more than adding them.  Objects with few slots are searched linearly.  Larger objects
 * have an index over their slots: a hash table that is at most half full, with a random seed for
 * each tree, so that keys cannot be chosen to make it slow.  After many slots have moved, the index
 * is rebuilt when the next key is searched, not earlier: many objects are only iterated over.
 *
 * Invariant: the marks of an object have that of each of its keys.  If the index is not stale, each
 * key of a slot is in the index once, with the newest slot of that key; dead slots keep their key.
 */
#include <assert.h>
#include <stdalign.h>

#include "base/str.h"
#include "json/node.h"

enum {
    FIRST_SLOTS = 2,
    UNINDEXED_SLOTS = 16, /* up to this size a linear search is as fast */
    FEW_SLOTS = 16,       /* up to this size each is inserted where it belongs */
};

static const uint32_t no_slot = UINT32_MAX;

/* A place of the index.  The hash stands here and not in the slot: in a large object every look at
 * a slot is a cache miss. */
typedef struct index_entry {
    uint32_t slot; /* its number plus 1; 0: the place is free */
    uint32_t hash; /* of its key */
} index_entry;

/* The index: a hash table of slots. */
struct lw_index {
    lw_hash_seed seed;
    uint32_t mask; /* number of places minus one; a power of two minus one */
    bool is_stale; /* it does not match the slots */
    index_entry at[];
};

/* Returns the place of |key|, or the free place for it. */
static index_entry *index_place(const struct lw_members *m, lw_str key, uint32_t hash)
{
    struct lw_index *index = m->index;
    for (uint32_t at = hash & index->mask;; at = (at + 1) & index->mask) {
        index_entry *entry = &index->at[at];
        if (entry->slot == 0 ||
            (entry->hash == hash && lw_str_equal(lw_slot_key(&m->slots[entry->slot - 1]), key)))
            return entry;
    }
}

static uint32_t hash_of(const struct lw_members *m, lw_str key)
{
    return (uint32_t)lw_hash_str(m->index->seed, key);
}

/* Enters slot |at| into the index, at the place of its key. */
static void index_put(struct lw_members *m, uint32_t at)
{
    lw_str key = lw_slot_key(&m->slots[at]);
    uint32_t hash = hash_of(m, key);
    *index_place(m, key, hash) = (index_entry){ at + 1, hash };
}

/* The result of a search. */
typedef struct lookup {
    uint32_t slot;      /* the live slot with the key, or no_slot */
    index_entry *place; /* where the index has the key, or would have it */
    uint32_t hash;
} lookup;

static lookup index_find(const struct lw_members *m, lw_str key)
{
    lookup found = { .slot = no_slot, .hash = hash_of(m, key) };
    found.place = index_place(m, key, found.hash);
    uint32_t at = found.place->slot;
    if (at > 0 && m->slots[at - 1].value)
        found.slot = at - 1;
    return found;
}

/* Rebuilds the index from the slots. */
static void members_reindex(struct lw_members *m)
{
    m->index->is_stale = false;
    memset(m->index->at, 0, ((size_t)m->index->mask + 1) * sizeof(m->index->at[0]));
    for (uint32_t i = 0; i < m->used; i++)
        index_put(m, i);
}

/* The live slot with |key| of an object that has an index. */
static lookup members_look(struct lw_members *m, lw_str key)
{
    if (m->index->is_stale)
        members_reindex(m);
    return index_find(m, key);
}

/* Not inlined: the search of a small object shall not pay for its variables. */
__attribute__((noinline)) static uint32_t members_find_indexed(struct lw_members *m, lw_str key)
{
    return members_look(m, key).slot;
}

/* The live slot with |key|, or no_slot. */
static inline uint32_t members_search(struct lw_members *m, lw_str key)
{
    if (m->index)
        return members_find_indexed(m, key);
    for (uint32_t i = 0; i < m->used; i++) {
        const lw_slot *at = &m->slots[i];
        if (at->key_len == key.len && at->value && lw_str_same(at->key, key.ptr, key.len))
            return i;
    }
    return no_slot;
}

/* The same, for a key that |m| (may be NULL) may not have. */
static inline uint32_t members_find(struct lw_members *m, lw_str key)
{
    return m && m->marks & lw_key_mark(key) ? members_search(m, key) : no_slot;
}

/* The slots do not match the index any more. */
static inline void set_stale(struct lw_members *m)
{
    if (m->index)
        m->index->is_stale = true;
}

/* Closes the gaps of dead slots. */
static void members_close_gaps(struct lw_members *m)
{
    uint32_t used = 0;
    for (uint32_t i = 0; i < m->used; i++) {
        if (m->slots[i].value)
            m->slots[used++] = m->slots[i];
    }
    m->used = used;
    set_stale(m);
}

void lw_node__close_gaps(const lw_node *object)
{
    members_close_gaps(object->members);
}

/* Returns an empty index for |cap| slots; NULL: the tree has failed. */
static struct lw_index *index_alloc(lw_tree *tree, size_t cap)
{
    size_t places = 2 * UNINDEXED_SLOTS;
    while (places < 2 * cap)
        places *= 2;
    if (!tree->has_seed) {
        tree->seed = lw_hash_seed_random();
        tree->has_seed = true;
    }
    struct lw_index *index = lw_tree__alloc(tree, sizeof(*index) + places * sizeof(index->at[0]),
                                            alignof(struct lw_index));
    if (index) {
        index->seed = tree->seed;
        index->mask = (uint32_t)(places - 1);
        index->is_stale = true;
    }
    return index;
}

static bool members_alloc(lw_tree *tree, size_t cap, struct lw_members **out)
{
    if (cap >= UINT32_MAX / 4) {
        lw_tree__fail(tree, LW_ERR_LIMIT);
        return false;
    }
    if (cap > UNINDEXED_SLOTS && !lw_tree_charge(tree, cap)) /* to hash and compare */
        return false;
    struct lw_members *m =
        lw_tree__alloc(tree, sizeof(*m) + cap * sizeof(m->slots[0]), alignof(struct lw_members));
    if (!m)
        return false;
    *m = (struct lw_members){ .cap = (uint32_t)cap };
    if (cap > UNINDEXED_SLOTS && !(m->index = index_alloc(tree, cap)))
        return false;
    *out = m;
    return true;
}

/* Copies |from| to |to|, which is larger. */
static void members_copy(struct lw_members *to, const struct lw_members *from)
{
    memcpy(to->slots, from->slots, from->used * sizeof(from->slots[0]));
    to->used = from->used;
    to->marks = from->marks;
    members_close_gaps(to);
}

/* Reserves space for one more slot. Returns false if the tree has failed. */
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

void lw_node_reserve(lw_tree *tree, lw_node *object, size_t count)
{
    bool is_open = object && lw_node__open(object);
    struct lw_members *grown, *old = is_open ? object->members : NULL;
    size_t had = is_open ? object->count : 0;
    /* Most of the members may be there already: then it grows when it has to. */
    bool is_few = old && (count <= UNINDEXED_SLOTS || count / 4 < had);
    if (!is_open || lw_tree_status(tree) < 0 || count == 0 || is_few ||
        (old && old->cap >= had + count) || !members_alloc(tree, had + count, &grown))
        return;
    if (old)
        members_copy(grown, old);
    object->members = grown;
}

bool lw_node__reserve_members(lw_tree *tree, lw_node *object, size_t count)
{
    return count == 0 || members_alloc(tree, count, &object->members);
}

void lw_node__set_filled(lw_node *object, uint32_t count, const lw_node *from)
{
    object->count = count;
    if (!object->members)
        return;
    object->members->used = count;
    object->members->marks = from->members->marks;
    set_stale(object->members);
}

/* Adds |slot| after the last one, for which there is room. */
static void members_add(struct lw_members *m, lw_slot slot)
{
    m->slots[m->used] = slot;
    m->marks |= lw_key_mark(lw_slot_key(&slot));
    if (m->index && !m->index->is_stale)
        index_put(m, m->used);
    m->used++;
}

void lw_node__add_owned(lw_tree *tree, lw_node *object, lw_str key, lw_node *value)
{
    if (!object || !value || !lw_node__open(object) || !object_reserve(tree, object))
        return;
    members_add(object->members,
                (lw_slot){ .value = value, .key = key.ptr, .key_len = (uint32_t)key.len });
    object->count++;
}

void lw_node__add_slots(lw_tree *tree, lw_node *object, const lw_slot *slots, uint32_t count,
                        lw_key_marks marks)
{
    if (object->members || count == 0) {
        for (uint32_t i = 0; i < count && object_reserve(tree, object); i++, object->count++)
            members_add(object->members, slots[i]);
        return;
    }
    if (!members_alloc(tree, count, &object->members))
        return;
    memcpy(object->members->slots, slots, count * sizeof(slots[0]));
    object->members->used = count;
    object->members->marks = marks;
    object->count = count;
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
    if (!object || !value || lw_tree_status(tree) < 0 || !lw_node__open(object))
        return;
    if (!object_replace(object, key, value))
        lw_node__add_owned(tree, object, key, value);
}

/* Copies |key| to the memory of the tree.  Its ptr is NULL when the tree has failed. */
static inline lw_str keep_key(lw_tree *tree, lw_str key)
{
    if (key.len > UINT32_MAX) {
        lw_tree__fail(tree, LW_ERR_LIMIT);
        return lw_str_make(NULL, 0);
    }
    char *copy = lw_tree__alloc(tree, key.len, 1);
    if (copy && key.len > 0)
        memcpy(copy, key.ptr, key.len);
    return lw_str_make(copy, key.len);
}

/* As lw_node_put, for an object with an index that has a free slot: one search is enough. */
__attribute__((noinline)) static void put_indexed(lw_tree *tree, lw_node *object, lw_str key,
                                                  lw_node *value)
{
    struct lw_members *m = object->members;
    lookup found = members_look(m, key);
    if (found.slot != no_slot) {
        m->slots[found.slot].value = value;
        return;
    }
    lw_str kept = keep_key(tree, key);
    if (!kept.ptr)
        return;
    m->marks |= lw_key_mark(kept);
    *found.place = (index_entry){ m->used + 1, found.hash };
    m->slots[m->used++] =
        (lw_slot){ .value = value, .key = kept.ptr, .key_len = (uint32_t)kept.len };
    object->count++;
}

void lw_node_put(lw_tree *tree, lw_node *object, lw_str key, lw_node *value)
{
    if (!object || !value || lw_tree_status(tree) < 0 || !lw_node__open(object))
        return;
    assert(object->type == LW_JSON_OBJECT);
    const struct lw_members *m = object->members;
    if (m && m->index && m->used < m->cap) {
        put_indexed(tree, object, key, value);
        return;
    }
    if (object_replace(object, key, value))
        return;
    lw_str kept = keep_key(tree, key);
    if (kept.ptr)
        lw_node__add_owned(tree, object, kept, value);
}

void lw_node_add(lw_tree *tree, lw_node *object, lw_str key, lw_node *value)
{
    if (!object || !value || lw_tree_status(tree) < 0 || !lw_node__open(object))
        return;
    assert(object->type == LW_JSON_OBJECT && !lw_node_get(object, key));
    lw_str kept = keep_key(tree, key);
    if (kept.ptr)
        lw_node__add_owned(tree, object, kept, value);
}

bool lw_node_remove(lw_node *object, lw_str key)
{
    if (!object || !lw_node__open(object))
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
        if (is_removed(arg, lw_slot_key(&slots[i]), slots[i].value)) {
            slots[i].value = NULL;
            object->count--;
        }
    }
}

lw_node *lw_node__find(const lw_node *object, lw_str key)
{
    if (!lw_node__open(object) || !object->members)
        return NULL;
    uint32_t at = members_search(object->members, key);
    return at == no_slot ? NULL : object->members->slots[at].value;
}

/* The order in which members are sorted. */
typedef struct key_order {
    lw_node_key_compare compare;
    void *arg;
} key_order;

static int compare_slots(const key_order *order, const lw_slot *a, const lw_slot *b)
{
    return order->compare(order->arg, lw_slot_key(a), lw_slot_key(b));
}

/* Sifts the slot |at| down in the heap of |count| slots, whose largest key is at the top. */
static void heap_sink(const key_order *order, lw_slot *slots, size_t at, size_t count)
{
    lw_slot sinking = slots[at];
    for (size_t child = at * 2 + 1; child < count; child = at * 2 + 1) {
        if (child + 1 < count && compare_slots(order, &slots[child + 1], &slots[child]) > 0)
            child++;
        if (compare_slots(order, &slots[child], &sinking) <= 0)
            break;
        slots[at] = slots[child];
        at = child;
    }
    slots[at] = sinking;
}

static void heap_sort(const key_order *order, lw_slot *slots, size_t count)
{
    for (size_t i = count / 2; i > 0; i--)
        heap_sink(order, slots, i - 1, count);
    for (size_t last = count - 1; last > 0; last--) {
        lw_slot largest = slots[0];
        slots[0] = slots[last];
        slots[last] = largest;
        heap_sink(order, slots, 0, last);
    }
}

/* Inserts the slot |at| into the sorted slots before it. */
static void insert_sorted(const key_order *order, lw_slot *slots, size_t at)
{
    lw_slot inserted = slots[at];
    for (; at > 0 && compare_slots(order, &slots[at - 1], &inserted) > 0; at--)
        slots[at] = slots[at - 1];
    slots[at] = inserted;
}

/* Returns how many slots are sorted already. */
static size_t sorted_slots(const key_order *order, const lw_slot *slots, size_t count)
{
    size_t sorted = 1;
    while (sorted < count && compare_slots(order, &slots[sorted - 1], &slots[sorted]) <= 0)
        sorted++;
    return sorted;
}

/* Heapsort needs no memory and has no bad case; keys are distinct, so it need not be stable. */
void lw_node_sort_members(lw_node *object, lw_node_key_compare compare, void *arg)
{
    const key_order order = { compare, arg };
    lw_slot *slots = lw_node_is(object, LW_JSON_OBJECT) ? lw_node__slots(object) : NULL;
    size_t count = slots ? object->count : 0;
    size_t sorted = count > 0 ? sorted_slots(&order, slots, count) : 0;
    if (sorted == count)
        return;
    set_stale(object->members);
    if (count > FEW_SLOTS) {
        heap_sort(&order, slots, count);
        return;
    }
    for (; sorted < count; sorted++)
        insert_sorted(&order, slots, sorted);
}

static int compare_bytes(void *arg, lw_str a, lw_str b)
{
    (void)arg;
    return lw_str_compare(a, b);
}

void lw_node__sort_members(lw_node *object)
{
    lw_node_sort_members(object, compare_bytes, NULL);
}
