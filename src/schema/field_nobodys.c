/* SPDX-License-Identifier: Apache-2.0 */
/* field_nobodys.c -- what is no manager's. */
#include "schema/field_nobodys.h"

#include "base/str.h"
#include "schema/field_set.h"

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

bool lw_field_is_nobodys(lw_str name)
{
    return has(of_root, COUNT(of_root), name);
}

bool lw_field_is_nobodys_metadata(lw_str name)
{
    return has(of_metadata, COUNT(of_metadata), name);
}

/* Takes |element| itself out; what is below it stays. */
static void drop(lw_node *set, lw_str element)
{
    lw_node *below = lw_node_get(set, element);
    if (!below)
        return;
    if (lw_node_count(below) > 1 || !lw_field_set_has_self(below))
        (void)lw_node_remove(below, LW_STR("."));
    else
        (void)lw_node_remove(set, element);
}

void lw_field_set_drop_nobodys(lw_node *set)
{
    lw_node *metadata = lw_node_get(set, LW_STR("f:metadata"));
    for (size_t i = 0; i < COUNT(of_metadata); i++)
        drop(metadata, of_metadata[i]);
    for (size_t i = 0; i < COUNT(of_root); i++)
        drop(set, of_root[i]);
    /* What has lost all it had is {} now, which would say that it is in the set itself. */
    if (metadata && lw_node_count(metadata) == 0)
        (void)lw_node_remove(set, LW_STR("f:metadata"));
    else
        drop(set, LW_STR("f:metadata"));
}
