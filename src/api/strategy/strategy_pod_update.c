/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_pod_update.c -- validates updates of pods: only images, the deadline and additional
 * tolerations may change, because the node has already read the rest. */
#include <stdio.h>

#include "api/pending/metadata_validation.h"
#include "api/strategy/strategy_pod.h"
#include "base/str.h"
#include "json/fields.h"

/* Adds an error if the number of containers has changed; returns true if one differs in more than
 * its image. */
static bool containers_differ(const lw_node *now, const lw_node *old, const char *key,
                              lw_api_status *errors)
{
    static const char *const image[] = { "image", NULL };
    char field[64];
    const lw_node *a = lw_node_get(now, lw_str_of(key)), *b = lw_node_get(old, lw_str_of(key));
    if (lw_node_count(a) != lw_node_count(b)) {
        (void)snprintf(field, sizeof(field), "spec.%s", key);
        lw_field_error_forbidden(errors, field,
                                 LW_STR("pod updates may not add or remove containers"));
        return false;
    }
    bool is_changed = false;
    for (size_t i = 0; i < lw_node_count(a); i++)
        is_changed |= lw_fields_differ(lw_node_at(a, i), lw_node_at(b, i), image);
    return is_changed;
}

/* Tolerations may be added, and their tolerationSeconds may change. */
static bool has_lost_toleration(const lw_node *now, const lw_node *old)
{
    static const char *const patience[] = { "tolerationSeconds", NULL };
    const lw_node *a = lw_node_get(now, LW_STR("tolerations"));
    const lw_node *b = lw_node_get(old, LW_STR("tolerations"));
    for (size_t i = 0; i < lw_node_count(b); i++) {
        bool is_found = false;
        for (size_t j = 0; j < lw_node_count(a) && !is_found; j++)
            is_found = !lw_fields_differ(lw_node_at(b, i), lw_node_at(a, j), patience);
        if (!is_found)
            return true;
    }
    return false;
}

static bool has_gate(const lw_node *gates, lw_str name)
{
    for (size_t i = 0; i < lw_node_count(gates); i++) {
        if (lw_str_equal(lw_fields_text(lw_node_at(gates, i), "name"), name))
            return true;
    }
    return false;
}

static void check_gates(const lw_node *now, const lw_node *old, lw_api_status *errors)
{
    char field[64], detail[512];
    const lw_node *gates = lw_node_get(now, LW_STR("schedulingGates"));
    for (size_t i = 0; i < lw_node_count(gates); i++) {
        lw_str name = lw_fields_text(lw_node_at(gates, i), "name");
        if (has_gate(lw_node_get(old, LW_STR("schedulingGates")), name))
            continue;
        (void)snprintf(field, sizeof(field), "spec.schedulingGates[%zu].name", i);
        (void)snprintf(detail, sizeof(detail),
                       "only deletion is allowed, but found new scheduling gate '%.*s'",
                       LW_STR_ARG(name));
        lw_field_error_forbidden(errors, field, lw_str_of(detail));
    }
}

void lw_pod_update_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const char *const changeable[] = {
        "containers",  "initContainers",  "activeDeadlineSeconds",
        "tolerations", "schedulingGates", NULL
    };
    const lw_node *now = lw_node_get(pending->root, LW_STR("spec"));
    const lw_node *old = lw_node_get(pending->old, LW_STR("spec"));
    size_t before = errors->cause_count;
    bool is_changed = containers_differ(now, old, "containers", errors);
    is_changed |= containers_differ(now, old, "initContainers", errors);
    if (errors->cause_count > before)
        return; /* other differences are not reported */
    check_gates(now, old, errors);
    if (has_lost_toleration(now, old))
        lw_field_error_forbidden(
            errors, "spec.tolerations",
            LW_STR("existing toleration can not be modified except its tolerationSeconds"));
    if (is_changed || lw_fields_differ(now, old, changeable))
        lw_field_error_forbidden(
            errors, "spec",
            LW_STR("pod updates may not change fields other than `spec.containers[*].image`,"
                   "`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,"
                   "`spec.tolerations` (only additions to existing tolerations),"
                   "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was "
                   "previously negative)"));
}
