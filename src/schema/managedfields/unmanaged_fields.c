/* SPDX-License-Identifier: Apache-2.0 */
/* unmanaged_fields.c -- the list of unmanaged fields. */
#include "schema/managedfields/unmanaged_fields.h"

#include "base/str.h"

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

/* As elements of a field set. */
static const lw_str of_root[] = { LW_STR_INIT("f:apiVersion"), LW_STR_INIT("f:kind") };
static const lw_str of_metadata[] = {
    LW_STR_INIT("f:name"),       LW_STR_INIT("f:namespace"),     LW_STR_INIT("f:creationTimestamp"),
    LW_STR_INIT("f:selfLink"),   LW_STR_INIT("f:uid"),           LW_STR_INIT("f:clusterName"),
    LW_STR_INIT("f:generation"), LW_STR_INIT("f:managedFields"), LW_STR_INIT("f:resourceVersion"),
};

static bool has(const lw_str *elements, size_t count, lw_str name)
{
    for (size_t i = 0; i < count; i++) {
        if (lw_str_equal(lw_str_skip(elements[i], 2), name))
            return true;
    }
    return false;
}

bool lw_field_is_unmanaged(lw_str name)
{
    return has(of_root, COUNT(of_root), name);
}

bool lw_field_is_unmanaged_metadata(lw_str name)
{
    return has(of_metadata, COUNT(of_metadata), name);
}

void lw_field_set_drop_unmanaged(lw_node *set)
{
    lw_node *metadata = lw_node_get(set, LW_STR("f:metadata"));
    for (size_t i = 0; i < COUNT(of_root); i++)
        (void)lw_node_remove(set, of_root[i]);
    if (!metadata)
        return;
    for (size_t i = 0; i < COUNT(of_metadata); i++)
        (void)lw_node_remove(metadata, of_metadata[i]);
    (void)lw_node_remove(metadata, LW_STR("."));
    /* An empty object would mean that metadata itself is in the set. */
    if (lw_node_count(metadata) == 0)
        (void)lw_node_remove(set, LW_STR("f:metadata"));
}
