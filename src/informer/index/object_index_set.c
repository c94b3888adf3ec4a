/* SPDX-License-Identifier: Apache-2.0 */
/* object_index_set.c -- sets of objects by value.
 * Invariant: members[m] of a set and the membership it names point at each other. */
#include "informer/index/object_index_set.h"

#include <assert.h>

#include "base/alloc.h"

enum {
    FIRST_MEMBERS = 4,
};

const lw_map_type lw_object_index_sets_by_value = LW_MAP_STR_TYPE(lw_object_index_set, value);

static size_t set_bytes(const lw_object_index_set *set)
{
    return sizeof(*set) + set->value.len;
}

static lw_status set_new(lw_object_index_set **out, size_t at, lw_str value)
{
    if (value.len > SIZE_MAX - sizeof(lw_object_index_set))
        return LW_ERR_NOMEM;
    lw_object_index_set *set = lw_alloc(sizeof(*set) + value.len);
    if (!set)
        return LW_ERR_NOMEM;
    char *bytes = (char *)(set + 1);
    if (value.len > 0)
        memcpy(bytes, value.ptr, value.len);
    *set = (lw_object_index_set){ .value = lw_str_make(bytes, value.len), .table = at };
    *out = set;
    return LW_OK;
}

void lw_object_index_set_free(lw_object_index_set *set)
{
    lw_free(set->members);
    lw_free(set);
}

lw_status lw_object_index_set_find_or_make(lw_object_index *index, size_t at, lw_str value,
                                           lw_object_index_set **out)
{
    lw_object_index_set *set = lw_map_get_str(&index->tables[at].sets, value);
    void *replaced;
    if (set) {
        *out = set;
        return LW_OK;
    }
    lw_status st = set_new(&set, at, value);
    if (st < 0)
        return st;
    st = lw_map_put(&index->tables[at].sets, &set->value, set, &replaced);
    if (st < 0) {
        lw_object_index_set_free(set);
        return st;
    }
    index->own_bytes += set_bytes(set);
    *out = set;
    return LW_OK;
}

lw_status lw_object_index_set_reserve(lw_object_index *index, lw_object_index_set *set)
{
    if (set->count < set->capacity)
        return LW_OK;
    uint32_t capacity = set->capacity + set->capacity / 2 + FIRST_MEMBERS;
    lw_object_index_member *members = lw_realloc_array(set->members, capacity, sizeof(*members));
    if (!members)
        return LW_ERR_NOMEM;
    index->own_bytes += (capacity - set->capacity) * sizeof(*members);
    set->members = members;
    set->capacity = capacity;
    return LW_OK;
}

void lw_object_index_set_add(lw_object_index *index, lw_object_index_set *set, uint32_t item,
                             uint32_t slot)
{
    assert(set->count < set->capacity);
    lw_object_index_memberships(&index->items[item])[slot] =
        (lw_object_index_membership){ .set = set, .place = set->count };
    set->members[set->count++] = (lw_object_index_member){ .object = index->places.objects[item],
                                                           .item = item,
                                                           .slot = slot };
}

void lw_object_index_set_remove(lw_object_index *index, lw_object_index_set *set, uint32_t place)
{
    const lw_object_index_member *last = &set->members[set->count - 1];
    set->members[place] = *last;
    lw_object_index_memberships(&index->items[last->item])[last->slot].place = place;
    set->count--;
}

void lw_object_index_set_drop_if_empty(lw_object_index *index, lw_object_index_set *set)
{
    if (set->count > 0)
        return;
    (void)lw_map_remove_str(&index->tables[set->table].sets, set->value);
    index->own_bytes -= set_bytes(set) + set->capacity * sizeof(*set->members);
    lw_object_index_set_free(set);
}
