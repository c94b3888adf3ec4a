/* SPDX-License-Identifier: Apache-2.0 */
/* convert_event.c -- events.k8s.io/v1 events, which are stored as events of the core group.
 *
 * The two differ in the names of some members only. */
#include "base/str.h"
#include "schema/kinds/conversion.h"

static const struct {
    lw_str shown, stored;
} names[] = {
    { LW_STR_INIT("regarding"), LW_STR_INIT("involvedObject") },
    { LW_STR_INIT("note"), LW_STR_INIT("message") },
    { LW_STR_INIT("reportingController"), LW_STR_INIT("reportingComponent") },
    { LW_STR_INIT("deprecatedSource"), LW_STR_INIT("source") },
    { LW_STR_INIT("deprecatedFirstTimestamp"), LW_STR_INIT("firstTimestamp") },
    { LW_STR_INIT("deprecatedLastTimestamp"), LW_STR_INIT("lastTimestamp") },
    { LW_STR_INIT("deprecatedCount"), LW_STR_INIT("count") },
};

static lw_str rename_member(lw_str name, bool is_to_stored)
{
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
        if (lw_str_equal(name, is_to_stored ? names[i].shown : names[i].stored))
            return is_to_stored ? names[i].stored : names[i].shown;
    }
    return name;
}

static void move_members(lw_tree *tree, lw_node *from, lw_node *to, bool is_to_stored)
{
    for (size_t i = 0; i < lw_node_count(from); i++) {
        lw_str name = lw_node_key_at(from, i);
        if (!lw_node_get(to, name)) /* kind, apiVersion and metadata are there */
            lw_node_put(tree, to, rename_member(name, is_to_stored), lw_node_at(from, i));
    }
}

static lw_status to_stored(lw_tree *tree, lw_node *from, lw_node *to)
{
    move_members(tree, from, to, true);
    return LW_OK;
}

static lw_status from_stored(lw_tree *tree, lw_node *from, lw_node *to)
{
    move_members(tree, from, to, false);
    return LW_OK;
}

const lw_conversion lw_conversion_event = { to_stored, from_stored };
