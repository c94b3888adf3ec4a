/* SPDX-License-Identifier: Apache-2.0 */
/* type.c -- looks up types and their fields by binary search. */
#include "schema/types/type.h"

#include "base/str.h"
#include "schema/types/type_table.h"

static int compare_gvk(lw_gvk a, lw_gvk b)
{
    int order = lw_str_compare(a.group, b.group);
    if (order == 0)
        order = lw_str_compare(a.version, b.version);
    return order ? order : lw_str_compare(a.kind, b.kind);
}

lw_str lw_type_text(uint32_t description)
{
    return lw_str_of(lw_type_texts + description);
}

const lw_type *lw_type_of_kind(lw_gvk gvk)
{
    size_t low = 0, high = lw_type_kind_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_gvk(gvk, lw_type_kinds[middle].gvk);
        if (order == 0)
            return lw_type_kinds[middle].type;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return NULL;
}

const lw_member *lw_type_member(const lw_type *type, lw_str name)
{
    if (type->form != LW_TYPE_STRUCT)
        return NULL;
    uint64_t start = lw_type_name_start(name);
    size_t low = 0, high = type->member_count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        const lw_member *member = &type->members[middle];
        if (start == member->start) {
            int order = lw_str_compare(name, member->field->name);
            if (order == 0)
                return member;
            if (order < 0)
                high = middle;
            else
                low = middle + 1;
        } else if (start < member->start) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return NULL;
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
