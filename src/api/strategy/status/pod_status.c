/* SPDX-License-Identifier: Apache-2.0 */
/* pod_status.c -- validates the status that kubelets, schedulers and tests write for a Pod. */
#include "api/strategy/status/address_status.h"
#include "api/strategy/status/status_validation.h"

#include <stdio.h>

#include "api/http/field_errors.h"
#include "api/pending/value_validation.h"
#include "base/str.h"
#include "base/text/ip_range.h"
#include "json/fields.h"

enum {
    FIELD_SIZE = 96,
    PLACE_SIZE = 64,
};

static void check_conditions(const lw_node *conditions, lw_api_status *errors)
{
    for (size_t i = 0; i < lw_node_count(conditions); i++) {
        char field[FIELD_SIZE];
        const lw_node *condition = lw_node_at(conditions, i);
        const lw_node *generation = lw_node_get(condition, LW_STR("observedGeneration"));
        lw_str type = lw_fields_text(condition, "type");
        lw_name_problems problems = { .count = 0 };
        (void)snprintf(field, sizeof(field), "status.conditions[%zu].observedGeneration", i);
        if (lw_fields_int(condition, "observedGeneration", 0) < 0)
            lw_value_error(errors, field, generation, "must be a non-negative integer");
        (void)snprintf(field, sizeof(field), "status.conditions[%zu].Type", i);
        if (lw_value_is_one_of(type, "PodScheduled|Ready|Initialized") ||
            lw_name_is_qualified(type, &problems))
            continue;
        for (size_t p = 0; p < problems.count; p++)
            lw_field_error_invalid(errors, field, type, problems.text[p]);
    }
}

static void check_nomination(const lw_pending_object *pending, lw_api_status *errors)
{
    lw_str name = lw_fields_text_at(pending->root, "/status/nominatedNodeName");
    lw_str old = lw_fields_text_at(pending->old, "/status/nominatedNodeName");
    lw_name_problems problems = { .count = 0 };
    if (name.len == 0 || lw_str_equal(name, old))
        return;
    if (!lw_name_is_dns1123_subdomain(name, &problems)) {
        for (size_t i = 0; i < problems.count; i++)
            lw_field_error_invalid(errors, "status.nominatedNodeName", name, problems.text[i]);
    }
    if (lw_fields_text_at(pending->old, "/spec/nodeName").len > 0)
        lw_field_error_forbidden(errors, "status.nominatedNodeName",
                                 LW_STR("may not be set on pods that are already bound to a node"));
}

/* The first item of |list| whose member |key| is |text|. */
static const lw_node *find_by(const lw_node *list, const char *key, lw_str text)
{
    for (size_t i = 0; i < lw_node_count(list); i++) {
        if (lw_str_equal(lw_fields_text(lw_node_at(list, i), key), text))
            return lw_node_at(list, i);
    }
    return NULL;
}

static bool has_code(const lw_node *values, int64_t code)
{
    for (size_t i = 0; i < lw_node_count(values); i++) {
        int64_t value;
        if (lw_node_int64(lw_node_at(values, i), &value) && value == code)
            return true;
    }
    return false;
}

/* The first rule of |container| that is about the exit code; NULL: none. */
static const lw_node *rule_for(const lw_node *container, int64_t code)
{
    const lw_node *rules = lw_node_get(container, LW_STR("restartPolicyRules"));
    for (size_t i = 0; i < lw_node_count(rules); i++) {
        const lw_node *rule = lw_node_at(rules, i);
        const lw_node *codes = lw_node_get(rule, LW_STR("exitCodes"));
        bool is_in = has_code(lw_node_get(codes, LW_STR("values")), code);
        if (codes && is_in == lw_str_equal(lw_fields_text(codes, "operator"), LW_STR("In")))
            return rule;
    }
    return NULL;
}

/* Whether a container that has ended with |code| is started again. */
static bool is_restarted(const lw_node *spec, const lw_node *container, int64_t code)
{
    lw_str policy = lw_fields_text(container, "restartPolicy");
    if (policy.len > 0 && lw_value_is_one_of(lw_fields_text(rule_for(container, code), "action"),
                                             "Restart|RestartAllContainers"))
        return true;
    if (policy.len == 0)
        policy = lw_fields_text(spec, "restartPolicy");
    if (lw_str_equal(policy, LW_STR("OnFailure")))
        return code != 0;
    return !lw_str_equal(policy, LW_STR("Never"));
}

/* Whether one of the containers restarts all of them when it ends. */
static bool has_restart_of_all(const lw_node *containers)
{
    for (size_t i = 0; i < lw_node_count(containers); i++) {
        const lw_node *rules = lw_node_get(lw_node_at(containers, i), LW_STR("restartPolicyRules"));
        for (size_t j = 0; j < lw_node_count(rules); j++) {
            if (lw_str_equal(lw_fields_text(lw_node_at(rules, j), "action"),
                             LW_STR("RestartAllContainers")))
                return true;
        }
    }
    return false;
}

/* Whether the container |name|, which has ended with |code|, may run again.  |containers|: the
 * member of the |spec| that it is in; NULL: none of them is restarted. */
static bool can_run_again(const lw_node *spec, const char *containers, lw_str name, int64_t code)
{
    if (!containers)
        return false;
    const lw_node *container = find_by(lw_node_get(spec, lw_str_of(containers)), "name", name);
    return has_restart_of_all(lw_node_get(spec, LW_STR("containers"))) ||
           has_restart_of_all(lw_node_get(spec, LW_STR("initContainers"))) ||
           (container && is_restarted(spec, container, code));
}

/* A container that has ended and is not restarted cannot run again.  Most have not ended: then the
 * spec is not looked at, and need not be read. */
static void check_transitions(const lw_pending_object *pending, const char *member,
                              const char *containers, lw_api_status *errors)
{
    char pointer[PLACE_SIZE];
    const lw_node *spec = lw_node_get(pending->old, LW_STR("spec"));
    (void)snprintf(pointer, sizeof(pointer), "/status/%s", member);
    const lw_node *old = lw_fields_find(pending->old, pointer);
    const lw_node *now = lw_fields_find(pending->root, pointer);
    for (size_t i = 0; i < lw_node_count(old); i++) {
        char field[FIELD_SIZE];
        const lw_node *before = lw_node_at(old, i);
        lw_str name = lw_fields_text(before, "name");
        const lw_node *ended = lw_fields_find(before, "/state/terminated");
        const lw_node *after = ended ? find_by(now, "name", name) : NULL;
        if (!after || lw_fields_find(after, "/state/terminated"))
            continue;
        if (can_run_again(spec, containers, name, lw_fields_int(ended, "exitCode", 0)))
            continue;
        (void)snprintf(field, sizeof(field), "status.%s[%zu].state", member, i);
        lw_field_error_forbidden(errors, field,
                                 LW_STR("may not be transitioned to non-terminated state"));
    }
}

/* At most one address of each family. */
static void check_families(const lw_node *list, const char *field, lw_api_status *errors)
{
    unsigned families = 0;
    size_t count = lw_node_count(list);
    for (size_t i = 0; i < count && i <= 2; i++) {
        lw_ip_range address;
        if (lw_ip_parse(lw_fields_text(lw_node_at(list, i), "ip"), &address))
            families |= lw_ip_is_mapped(&address) ? 4 : address.family;
    }
    if (count > 2 || (count == 2 && families != (4 | 6)))
        lw_value_error(errors, field, list, "may specify no more than one IP for each IP family");
}

static void check_ips(const lw_pending_object *pending, bool is_host, lw_api_status *errors)
{
    const char *field = is_host ? "status.hostIPs" : "status.podIPs";
    const char *pointer = is_host ? "/status/hostIPs" : "/status/podIPs";
    char place[PLACE_SIZE];
    const lw_node *list = lw_fields_find(pending->root, pointer);
    lw_str one = lw_fields_text_at(pending->root, is_host ? "/status/hostIP" : "/status/podIP");
    lw_str first = lw_fields_text(lw_node_at(list, 0), "ip");
    bool has_list = lw_node_count(list) > 0, is_other = has_list && !lw_str_equal(one, first);
    (void)snprintf(place, sizeof(place), "%s[0].ip", field);
    if (is_host && is_other)
        lw_field_error_invalid(errors, place, first, "must be equal to `hostIP`");
    for (size_t i = 0; i < lw_node_count(list); i++) {
        char item[FIELD_SIZE];
        (void)snprintf(item, sizeof(item), "%s[%zu]", field, i);
        lw_status_validate_address(errors, item, lw_fields_text(lw_node_at(list, i), "ip"),
                                   lw_fields_find(pending->old, pointer));
    }
    check_families(list, field, errors);
    if (!is_host && has_list != (one.len > 0)) {
        static const char why[] = "podIP and podIPs must either both be set or both be unset";
        if (list)
            lw_value_error(errors, field, list, why);
        else
            lw_field_error_plain(errors, field, LW_STR("null"), why);
    } else if (!is_host && is_other) {
        lw_field_error_invalid(errors, place, first, "must be equal to `podIP`");
    }
}

static void check_quality(const lw_pending_object *pending, lw_api_status *errors)
{
    lw_str now = lw_fields_text_at(pending->root, "/status/qosClass");
    if (!lw_str_equal(now, lw_fields_text_at(pending->old, "/status/qosClass")))
        lw_field_error_invalid(errors, "status.qosClass", now, "field is immutable");
}

void lw_status_default_pod(lw_pending_object *pending)
{
    lw_tree *tree = pending->tree;
    lw_node *status = lw_node_get(pending->root, LW_STR("status"));
    lw_node *list = lw_node_get(status, LW_STR("podIPs"));
    lw_str one = lw_fields_text(status, "podIP");
    lw_str first = lw_fields_text(lw_node_at(list, 0), "ip");
    if (one.len == 0 && lw_node_count(list) > 0)
        lw_fields_set_text(tree, status, "podIP", first);
    if (one.len == 0 || lw_str_equal(one, first))
        return;
    lw_node *item = lw_tree_object(tree);
    list = lw_tree_array(tree);
    lw_node_append(tree, list, item);
    lw_node_put(tree, status, LW_STR("podIPs"), list);
    lw_fields_set_text(tree, item, "ip", one);
}

/* What clients that do not know these fields have left out. */
static void keep_stored(lw_pending_object *pending)
{
    static const char *const kept[] = { "qosClass", "resourceClaimStatuses",
                                        "extendedResourceClaimStatus",
                                        "nodeAllocatableResourceClaimStatuses",
                                        "observedGeneration" };
    const lw_node *old = lw_node_get(pending->old, LW_STR("status"));
    lw_node *status = lw_fields_object(pending->tree, pending->root, "status");
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        const lw_node *stored = lw_node_get(old, lw_str_of(kept[i]));
        if (stored && !lw_node_get(status, lw_str_of(kept[i])))
            lw_fields_set_copy(pending->tree, status, kept[i], stored);
    }
    lw_node *conditions = lw_node_get(status, LW_STR("conditions"));
    for (size_t i = 0; i < lw_node_count(conditions); i++) {
        lw_node *condition = lw_node_at(conditions, i);
        const lw_node *stored = lw_node_get(find_by(lw_node_get(old, LW_STR("conditions")), "type",
                                                    lw_fields_text(condition, "type")),
                                            LW_STR("observedGeneration"));
        if (stored && !lw_node_get(condition, LW_STR("observedGeneration")))
            lw_fields_set_copy(pending->tree, condition, "observedGeneration", stored);
    }
}

void lw_status_validate_pod(lw_pending_object *pending, lw_api_status *errors)
{
    keep_stored(pending);
    const lw_node *status = lw_node_get(pending->root, LW_STR("status"));
    check_conditions(lw_node_get(status, LW_STR("conditions")), errors);
    check_nomination(pending, errors);
    if (lw_fields_int(status, "observedGeneration", 0) < 0)
        lw_value_error(errors, "status.observedGeneration",
                       lw_node_get(status, LW_STR("observedGeneration")),
                       "must be a non-negative integer");
    check_quality(pending, errors);
    check_transitions(pending, "containerStatuses", "containers", errors);
    check_transitions(pending, "initContainerStatuses", "initContainers", errors);
    check_transitions(pending, "ephemeralContainerStatuses", NULL, errors);
    check_ips(pending, false, errors);
    check_ips(pending, true, errors);
}
