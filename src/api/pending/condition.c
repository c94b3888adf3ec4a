/* SPDX-License-Identifier: Apache-2.0 */
/* condition.c -- finds or adds a condition, and sets it. */
#include "api/pending/condition.h"

#include "api/pending/metadata.h"
#include "base/str.h"
#include "json/fields.h"

static lw_node *find_condition(lw_tree *tree, lw_node *status, const char *type)
{
    lw_node *conditions = lw_node_get(status, LW_STR("conditions"));
    if (!lw_node_is(conditions, LW_JSON_ARRAY)) {
        conditions = lw_tree_array(tree);
        lw_node_put(tree, status, LW_STR("conditions"), conditions);
    }
    for (size_t i = 0; i < lw_node_count(conditions); i++) {
        lw_node *condition = lw_node_at(conditions, i);
        if (lw_str_equal(lw_fields_text(condition, "type"), lw_str_of(type)))
            return condition;
    }
    lw_node *made = lw_tree_object(tree);
    lw_node_append(tree, conditions, made);
    return made;
}

void lw_pending_condition_set(lw_pending_object *pending, const lw_pending_condition *condition,
                              int64_t wall_ns)
{
    lw_tree *tree = pending->tree;
    lw_node *status = lw_fields_object(tree, pending->root, "status");
    lw_node *node = find_condition(tree, status, condition->type);
    bool is_same = lw_str_equal(lw_fields_text(node, "status"), lw_str_of(condition->status));
    lw_fields_set_text(tree, node, "type", lw_str_of(condition->type));
    lw_fields_set_text(tree, node, "status", lw_str_of(condition->status));
    if (!is_same)
        lw_metadata_set_time(pending, node, "lastTransitionTime", wall_ns);
    lw_fields_set_text(tree, node, "reason", lw_str_of(condition->reason));
    lw_fields_set_text(tree, node, "message", condition->message);
}
