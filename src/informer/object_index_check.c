/* SPDX-License-Identifier: Apache-2.0 */
/* object_index_check.c -- whether the parts of an index agree. */
#include "informer/object_index_set.h"

/* Every membership of the item at |place| is known to its set. */
static bool item_is_sound(const lw_object_index *index, uint32_t place)
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

/* Members of all sets; SIZE_MAX when a set is empty or out of its table. */
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
        if (!item_is_sound(index, i))
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
