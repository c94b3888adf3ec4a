/* SPDX-License-Identifier: Apache-2.0 */
/* type.c -- looks up types by hash, and their fields by hash or binary search. */
#include "schema/types/type.h"

#include <endian.h>
#include <string.h>

#include "base/str.h"
#include "schema/types/type_table.h"

/* Of the hash of a start; tools/fields_c.py has the same. */
#define PLACE_FACTOR UINT64_C(0x9E3779B97F4A7C15)

/* lw_type_name_start, in fewer steps for most names. */
static inline uint64_t start_of(lw_str name)
{
    uint64_t start;
    if (name.len < sizeof(start))
        return lw_type_name_start(name);
    memcpy(&start, name.ptr, sizeof(start));
    return be64toh(start);
}

const lw_type *lw_type_of_kind(lw_gvk gvk)
{
    uint64_t mask = UINT64_MAX >> lw_type_kind_shift;
    uint64_t at = (start_of(gvk.kind) + gvk.kind.len) * PLACE_FACTOR >> lw_type_kind_shift;
    for (; lw_type_kind_places[at] > 0; at = (at + 1) & mask) {
        const lw_type_kind *kind = &lw_type_kinds[lw_type_kind_places[at] - 1];
        if (lw_gvk_equal(gvk, kind->gvk))
            return kind->type;
    }
    return NULL;
}

/* The first member of |type| whose name does not start with less than |start|; the end of the
 * members if there is none.  The step has no branch that a processor could mispredict. */
static const lw_member *member_from(const lw_type *type, uint64_t start)
{
    const lw_member *from = type->members;
    for (size_t left = type->member_count; left > 0;) {
        size_t half = (left + 1) / 2;
        from += from[half - 1].start < start ? half : 0;
        left -= half;
    }
    return from;
}

/* Whether |member|, whose name starts like |name|, has that name. */
static bool is_named(const lw_member *member, lw_str name)
{
    lw_str own = member->field->name;
    return own.len == name.len &&
           (name.len <= sizeof(member->start) || lw_str_same(own.ptr, name.ptr, name.len));
}

/* As lw_type_member, for a struct with a hash table.  Most members of all documents are looked for
 * here. */
static inline const lw_member *hashed_member(const lw_type *type, lw_str name)
{
    uint64_t start = start_of(name), mask = UINT64_MAX >> type->place_shift;
    uint64_t at = start * PLACE_FACTOR >> type->place_shift;
    for (; type->places[at] > 0; at = (at + 1) & mask) {
        const lw_member *member = &type->members[type->places[at] - 1];
        if (member->start == start && is_named(member, name))
            return member;
    }
    return NULL;
}

/* The same for one without.  Not inlined: the other shall not pay for its variables. */
__attribute__((noinline)) static const lw_member *searched_member(const lw_type *type, lw_str name)
{
    uint64_t start = lw_type_name_start(name);
    const lw_member *low = member_from(type, start), *high = type->members + type->member_count;
    if (low < high && low->start == start && is_named(low, name))
        return low;
    while (low < high && low->start == start) { /* others may start alike */
        const lw_member *middle = low + (high - low) / 2;
        int order = lw_str_compare(name, middle->field->name);
        if (order == 0)
            return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const lw_member *lw_type_member(const lw_type *type, lw_str name)
{
    if (type->form != LW_TYPE_STRUCT || type->member_count == 0)
        return NULL;
    return type->places ? hashed_member(type, name) : searched_member(type, name);
}

const lw_field *lw_type_field(const lw_type *type, lw_str name)
{
    const lw_member *member = lw_type_member(type, name);
    return member ? member->field : NULL;
}

const lw_field *lw_type_field_numbered(const lw_type *type, unsigned number)
{
    size_t low = 0, high = type->numbered_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const lw_field *field = &type->fields[type->numbered[middle]];
        if (field->number == number)
            return field;
        if (number < field->number)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}
