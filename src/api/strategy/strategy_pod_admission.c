/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_pod_admission.c -- what kube-apiserver's admission plugins add to pods: default
 * tolerations, the condition for scheduling gates; for priorities see admission/priority.h. */
#include "api/pending/metadata.h"
#include "api/strategy/strategy_pod.h"
#include "base/clock.h"
#include "base/str.h"
#include "json/fields.h"

static bool tolerates(const lw_node *toleration, lw_str key)
{
    lw_str effect = lw_fields_text(toleration, "effect");
    lw_str tolerated = lw_fields_text(toleration, "key");
    bool is_everything = tolerated.len == 0 &&
                         lw_str_equal(lw_fields_text(toleration, "operator"), LW_STR("Exists"));
    return (is_everything || lw_str_equal(tolerated, key)) &&
           (effect.len == 0 || lw_str_equal(effect, LW_STR("NoExecute")));
}

static bool tolerates_any(const lw_node *list, lw_str key)
{
    for (size_t i = 0; i < lw_node_count(list); i++) {
        if (tolerates(lw_node_at(list, i), key))
            return true;
    }
    return false;
}

static void add_toleration(lw_tree *tree, lw_node *list, lw_str key)
{
    enum {
        TOLERATION_S = 300,
    };
    if (tolerates_any(list, key))
        return;
    lw_node *added = lw_tree_object(tree);
    lw_fields_set_text(tree, added, "key", key);
    lw_fields_set_text(tree, added, "operator", LW_STR("Exists"));
    lw_fields_set_text(tree, added, "effect", LW_STR("NoExecute"));
    lw_fields_set_int(tree, added, "tolerationSeconds", TOLERATION_S);
    lw_node_append(tree, list, added);
}

static void add_default_tolerations(lw_pending_object *pending)
{
    static const lw_str keys[] = { LW_STR_INIT("node.kubernetes.io/not-ready"),
                                   LW_STR_INIT("node.kubernetes.io/unreachable") };
    lw_tree *tree = pending->tree;
    lw_node *list = lw_fields_find(pending->root, "/spec/tolerations");
    if (!lw_api_has_plugin(pending->port->api, LW_PLUGIN_TOLERATION_SECONDS) ||
        (list && !lw_node_is(list, LW_JSON_ARRAY)) ||
        (tolerates_any(list, keys[0]) && tolerates_any(list, keys[1])))
        return;
    lw_node *spec = lw_pending_object_own_part(pending, "spec");
    list = lw_node_get(spec, LW_STR("tolerations"));
    if (!list) {
        list = lw_tree_array(tree);
        lw_node_put(tree, spec, LW_STR("tolerations"), list);
    }
    add_toleration(tree, list, keys[0]);
    add_toleration(tree, list, keys[1]);
}

static void set_gates_condition(lw_pending_object *pending)
{
    lw_tree *tree = pending->tree;
    if (lw_node_count(lw_fields_find(pending->root, "/spec/schedulingGates")) == 0)
        return;
    lw_node *condition = lw_tree_object(tree), *list = lw_tree_array(tree);
    lw_fields_set_text(tree, condition, "type", LW_STR("PodScheduled"));
    lw_fields_set_text(tree, condition, "status", LW_STR("False"));
    lw_metadata_set_time(pending, condition, "lastTransitionTime",
                         lw_clock_wall(pending->port->api->clock));
    lw_fields_set_text(tree, condition, "reason", LW_STR("SchedulingGated"));
    lw_fields_set_text(tree, condition, "message",
                       LW_STR("Scheduling is blocked due to non-empty scheduling gates"));
    lw_node_append(tree, list, condition);
    lw_node_put(tree, lw_fields_object(tree, pending->root, "status"), LW_STR("conditions"), list);
}

void lw_pod_admit_create(lw_pending_object *pending)
{
    add_default_tolerations(pending);
    set_gates_condition(pending);
}

void lw_pod_admit_update(lw_pending_object *pending, lw_api_status *errors)
{
    (void)errors;
    static const char *const kept[] = { "priority", "preemptionPolicy" };
    if (lw_pending_object_keeps_part(pending, "spec"))
        return;
    lw_node *spec = lw_fields_object(pending->tree, pending->root, "spec");
    const lw_node *old = lw_node_get(pending->old, LW_STR("spec"));
    for (size_t i = 0; i < 2; i++) {
        if (!lw_node_get(spec, lw_str_of(kept[i])))
            lw_fields_set_copy(pending->tree, spec, kept[i], lw_node_get(old, lw_str_of(kept[i])));
    }
    add_default_tolerations(pending);
}
