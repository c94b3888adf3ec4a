/* SPDX-License-Identifier: Apache-2.0 */
/* object_index.c -- objects by key and by value.
 *
 *   places: key ─▶ p        objects[p], items[p]: memberships ─┐   in the order they came, no gaps
 *   tables[i].sets: value ─▶ set: members { object, item, slot } ◀┘
 *
 * A change first finds out which sets the object belongs to and gets all memory for it (gather,
 * prepare), and only then changes anything (which cannot fail). */
#include "informer/index/object_index.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/str.h"
#include "informer/index/object_index_set.h"

enum {
    FIRST_VALUES = 8,
};

lw_status lw_object_index_new(lw_object_index **out,
                              const lw_object_index_definition *const *definitions, size_t count)
{
    assert(count <= LW_INDEXES_MAX);
    lw_object_index *index = lw_alloc_zero(1, sizeof(*index));
    if (!index)
        return LW_ERR_NOMEM;
    lw_ref_init(&index->refs);
    lw_object_places_init(&index->places);
    index->table_count = count;
    for (size_t i = 0; i < count; i++) {
        index->tables[i].definition = definitions[i];
        lw_map_init(&index->tables[i].sets, &lw_object_index_sets_by_value, lw_hash_seed_random(),
                    LW_MAP_MAX);
    }
    *out = index;
    return LW_OK;
}

static void item_free_memberships(const lw_object_index_item *item)
{
    if (item->count > 1)
        lw_free(item->in.many);
}

lw_object_index *lw_object_index_ref(lw_object_index *index)
{
    lw_ref_inc(&index->refs);
    return index;
}

void lw_object_index_unref(lw_object_index *index)
{
    if (!index || !lw_ref_dec(&index->refs))
        return;
    for (size_t i = 0; i < index->table_count; i++) {
        lw_map_cursor at = lw_map_begin(&index->tables[i].sets);
        for (lw_object_index_set *set; (set = lw_map_next(&index->tables[i].sets, &at));)
            lw_object_index_set_free(set);
        lw_map_done(&index->tables[i].sets);
    }
    for (size_t i = 0; i < index->places.count; i++)
        item_free_memberships(&index->items[i]);
    lw_object_places_done(&index->places);
    lw_free(index->items);
    lw_free(index->values);
    lw_free(index);
}

/* The sets that an object belongs to. */

typedef struct gathering {
    lw_object_index *index;
    size_t table;
    const lw_object_index_membership *old; /* of the existing object */
    size_t old_count;
    lw_status st;
} gathering;

static lw_status push_value(lw_object_index *index, lw_object_index_set *set)
{
    if (index->value_count == LW_OBJECT_INDEX_VALUES_MAX)
        return LW_ERR_LIMIT;
    if (index->value_count == index->value_capacity) {
        size_t capacity = index->value_capacity * 2 + FIRST_VALUES;
        lw_object_index_set **values =
            lw_realloc_array(index->values, capacity, sizeof(lw_object_index_set *));
        if (!values)
            return LW_ERR_NOMEM;
        index->values = values;
        index->value_capacity = capacity;
    }
    set->mark = index->mark;
    index->values[index->value_count++] = set;
    return LW_OK;
}

static void add_value(void *to, lw_str value)
{
    gathering *g = to;
    lw_object_index *index = g->index;
    lw_object_index_set *set = NULL;
    if (g->st < 0)
        return;
    /* Most updates do not change the values; then the set is known without a lookup. */
    size_t next = index->value_count;
    if (next < g->old_count && g->old[next].set->table == g->table &&
        lw_str_equal(g->old[next].set->value, value))
        set = g->old[next].set;
    else
        g->st = lw_object_index_set_find_or_make(index, g->table, value, &set);
    if (g->st < 0 || set->mark == index->mark)
        return; /* the same value twice counts once */
    g->st = push_value(index, set);
    if (g->st < 0)
        lw_object_index_set_drop_if_empty(index, set);
}

/* Lists in index->values the sets that |obj| belongs to; missing sets are created. |item| is the
 * existing item of its key, or NULL. */
static lw_status gather(lw_object_index *index, const lw_object *obj, lw_object_index_item *item)
{
    gathering g = { .index = index };
    if (item) {
        g.old = lw_object_index_memberships(item);
        g.old_count = item->count;
    }
    index->mark++;
    index->value_count = 0;
    for (g.table = 0; g.table < index->table_count && g.st == LW_OK; g.table++) {
        const lw_object_index_definition *definition = index->tables[g.table].definition;
        definition->fn(obj, add_value, &g, definition->arg);
    }
    return g.st;
}

/* Frees the unused sets that gather created. */
static void forget_values(lw_object_index *index)
{
    for (size_t i = 0; i < index->value_count; i++)
        lw_object_index_set_drop_if_empty(index, index->values[i]);
    index->value_count = 0;
}

static bool has_these_values(lw_object_index_item *item, lw_object_index_set *const *values,
                             size_t count)
{
    const lw_object_index_membership *memberships = lw_object_index_memberships(item);
    if (item->count != count)
        return false;
    for (size_t i = 0; i < count; i++) {
        if (memberships[i].set != values[i])
            return false;
    }
    return true;
}

/* Allocates memory for the memberships that gather found: space in each set, and the block of an
 * item. */
static lw_status prepare(lw_object_index *index, lw_object_index_membership **many)
{
    *many = NULL;
    for (size_t i = 0; i < index->value_count; i++) {
        lw_status st = lw_object_index_set_reserve(index, index->values[i]);
        if (st < 0)
            return st;
    }
    if (index->value_count < 2)
        return LW_OK;
    *many = lw_realloc_array(NULL, index->value_count, sizeof(**many));
    return *many ? LW_OK : LW_ERR_NOMEM;
}

/* The functions below cannot fail. */

static uint32_t bytes_of(const lw_object *obj)
{
    size_t bytes = lw_object_memory(obj);
    return bytes < UINT32_MAX ? (uint32_t)bytes : UINT32_MAX;
}

/* Changes the object at |place| and in its sets. */
static void set_object(lw_object_index *index, uint32_t place, const lw_object *obj)
{
    lw_object_index_item *item = &index->items[place];
    const lw_object_index_membership *memberships = lw_object_index_memberships(item);
    index->places.objects[place] = lw_object_ref(obj);
    index->object_bytes -= item->bytes;
    item->bytes = bytes_of(obj);
    index->object_bytes += item->bytes;
    for (size_t i = 0; i < item->count; i++)
        memberships[i].set->members[memberships[i].place].object = index->places.objects[place];
}

/* Removes the members; sets that become empty are freed later, by release_sets. */
static void item_leave_sets(lw_object_index *index, lw_object_index_item *item)
{
    const lw_object_index_membership *memberships = lw_object_index_memberships(item);
    for (size_t i = 0; i < item->count; i++)
        lw_object_index_set_remove(index, memberships[i].set, memberships[i].place);
}

/* Frees the memberships and empty sets of |left|, a copy of an item before the change. */
static void release_sets(lw_object_index *index, lw_object_index_item *left)
{
    const lw_object_index_membership *memberships = lw_object_index_memberships(left);
    for (size_t i = 0; i < left->count; i++)
        lw_object_index_set_drop_if_empty(index, memberships[i].set);
    if (left->count > 1)
        index->own_bytes -= left->count * sizeof(*memberships);
    item_free_memberships(left);
}

static void item_join_sets(lw_object_index *index, uint32_t place, lw_object_index_membership *many)
{
    lw_object_index_item *item = &index->items[place];
    item->count = (uint32_t)index->value_count;
    if (many) {
        item->in.many = many;
        index->own_bytes += item->count * sizeof(*many);
    }
    for (uint32_t i = 0; i < item->count; i++)
        lw_object_index_set_add(index, index->values[i], place, i);
}

/* Adding and replacing. */

static lw_status update_item(lw_object_index *index, uint32_t place, const lw_object *obj,
                             const lw_object *kept, lw_object **old)
{
    lw_object_index_item *item = &index->items[place];
    lw_object_index_membership *many = NULL;
    lw_status st = gather(index, obj, item);
    bool is_same = st == LW_OK && has_these_values(item, index->values, index->value_count);
    if (st == LW_OK && !is_same)
        st = prepare(index, &many);
    if (st < 0) {
        forget_values(index);
        return st;
    }
    *old = index->places.objects[place];
    if (is_same) {
        set_object(index, place, kept);
        return LW_OK;
    }
    item_leave_sets(index, item);
    lw_object_index_item left = *item;
    item->count = 0;
    set_object(index, place, kept);
    item_join_sets(index, place, many);
    release_sets(
        index,
        &left); /* after joining: a set that the object stays in must not be freed in between */
    return LW_OK;
}

static lw_status make_room(lw_object_index *index)
{
    lw_status st = lw_object_places_make_room(&index->places);
    if (st < 0 || index->places.count < index->item_capacity)
        return st;
    size_t capacity = index->places.capacity;
    lw_object_index_item *items = lw_realloc_array(index->items, capacity, sizeof(*items));
    if (!items)
        return LW_ERR_NOMEM;
    index->items = items;
    index->item_capacity = capacity;
    return LW_OK;
}

/* |hash| is that of its key, which the map does not have. */
static lw_status insert_item(lw_object_index *index, uint32_t hash, const lw_object *obj,
                             const lw_object *kept)
{
    lw_object_index_membership *many = NULL;
    lw_status st = make_room(index);
    if (st == LW_OK)
        st = gather(index, obj, NULL);
    else
        index->value_count = 0;
    if (st == LW_OK)
        st = prepare(index, &many);
    if (st == LW_OK)
        st = lw_map_add_absent(&index->places.map, hash,
                               lw_object_places_entry(index->places.count));
    if (st < 0) {
        lw_free(many);
        forget_values(index);
        return st;
    }
    uint32_t place = (uint32_t)index->places.count++;
    index->items[place] = (lw_object_index_item){ .count = 0 };
    set_object(index, place, kept);
    item_join_sets(index, place, many);
    return LW_OK;
}

lw_status lw_object_index_put_as(lw_object_index *index, const lw_object *obj,
                                 const lw_object *kept, lw_object **old)
{
    lw_key key = lw_object_key(obj);
    uint32_t hash;
    void *entry = lw_map_search(&index->places.map, &key, &hash);
    if (entry)
        return update_item(index, (uint32_t)lw_object_places_place(entry), obj, kept, old);
    lw_status st = insert_item(index, hash, obj, kept);
    if (st == LW_OK)
        *old = NULL;
    return st;
}

lw_status lw_object_index_put(lw_object_index *index, const lw_object *obj, lw_object **old)
{
    return lw_object_index_put_as(index, obj, obj, old);
}

void lw_object_index_exchange(lw_object_index *index, size_t place, const lw_object *obj)
{
    set_object(index, (uint32_t)place, obj);
}

/* Moves the last item to the place |gap|, and updates all references to it. */
static void move_last_item(lw_object_index *index, uint32_t gap)
{
    uint32_t last = (uint32_t)index->places.count - 1;
    lw_object_index_item *item = &index->items[last];
    lw_key key = lw_object_key(index->places.objects[last]);
    const lw_object_index_membership *memberships = lw_object_index_memberships(item);
    void *replaced;
    for (size_t i = 0; i < item->count; i++)
        memberships[i].set->members[memberships[i].place].item = gap;
    lw_status st = lw_map_put(&index->places.map, &key, lw_object_places_entry(gap), &replaced);
    assert(st == LW_OK && replaced == lw_object_places_entry(last)); /* replacing never fails */
    (void)st;
    index->items[gap] = *item;
    index->places.objects[gap] = index->places.objects[last];
}

lw_object *lw_object_index_remove(lw_object_index *index, lw_key key)
{
    void *entry = lw_map_remove(&index->places.map, &key);
    if (!entry)
        return NULL;
    uint32_t place = (uint32_t)lw_object_places_place(entry);
    item_leave_sets(index, &index->items[place]);
    lw_object_index_item left = index->items[place];
    lw_object *obj = index->places.objects[place];
    release_sets(index, &left);
    index->object_bytes -= left.bytes;
    if (place + 1 < index->places.count)
        move_last_item(index, place);
    index->places.count--;
    return obj;
}

lw_object *lw_object_index_get(const lw_object_index *index, lw_key key)
{
    return lw_object_places_get(&index->places, key);
}

const lw_object_index_table *lw_object_index_find_table(const lw_object_index *index, lw_str name)
{
    for (size_t i = 0; i < index->table_count; i++) {
        if (lw_str_equal(lw_str_of(index->tables[i].definition->name), name))
            return &index->tables[i];
    }
    return NULL;
}

const lw_object_index_set *lw_object_index_find_set(const lw_object_index_table *table,
                                                    lw_str value)
{
    return lw_map_get_str(&table->sets, value);
}

static size_t map_bytes(const lw_map *map)
{
    return map->slots * (sizeof(void *) + sizeof(uint32_t));
}

size_t lw_object_index_bytes(const lw_object_index *index)
{
    size_t bytes = sizeof(*index) + index->object_bytes + index->own_bytes;
    bytes += index->item_capacity * sizeof(*index->items) +
             index->places.capacity * sizeof(*index->places.objects) +
             map_bytes(&index->places.map);
    bytes += index->value_capacity * sizeof(*index->values);
    for (size_t i = 0; i < index->table_count; i++)
        bytes += map_bytes(&index->tables[i].sets);
    return bytes;
}

/* Returns true if each membership of the item at |place| is also in its set. */
static bool item_is_consistent(const lw_object_index *index, uint32_t place)
{
    lw_object_index_item *item = &index->items[place];
    const lw_object *obj = index->places.objects[place];
    if (lw_object_index_get(index, lw_object_key(obj)) != obj)
        return false;
    const lw_object_index_membership *memberships = lw_object_index_memberships(item);
    for (uint32_t i = 0; i < item->count; i++) {
        const lw_object_index_set *set = memberships[i].set;
        if (memberships[i].place >= set->count)
            return false;
        const lw_object_index_member *member = &set->members[memberships[i].place];
        if (member->item != place || member->slot != i || member->object != obj)
            return false;
    }
    return true;
}

/* Returns the number of members of all sets; SIZE_MAX if a set is empty or in the wrong table. */
static size_t count_members(const lw_object_index *index, size_t at)
{
    const lw_map *sets = &index->tables[at].sets;
    size_t members = 0;
    lw_map_cursor cursor = lw_map_begin(sets);
    for (const lw_object_index_set *set; (set = lw_map_next(sets, &cursor));) {
        if (set->count == 0 || set->table != at)
            return SIZE_MAX;
        members += set->count;
    }
    return members;
}

bool lw_object_index_check(const lw_object_index *index)
{
    size_t memberships = 0, members = 0;
    uint64_t bytes = 0;
    if (!lw_map_check(&index->places.map) ||
        lw_map_count(&index->places.map) != index->places.count)
        return false;
    for (uint32_t i = 0; i < index->places.count; i++) {
        if (!item_is_consistent(index, i))
            return false;
        memberships += index->items[i].count;
        bytes += index->items[i].bytes;
    }
    for (size_t i = 0; i < index->table_count; i++) {
        size_t found = count_members(index, i);
        if (found == SIZE_MAX || !lw_map_check(&index->tables[i].sets))
            return false;
        members += found;
    }
    return memberships == members && bytes == index->object_bytes;
}
