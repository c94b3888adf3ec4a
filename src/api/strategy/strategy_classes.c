/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_classes.c -- classes that other objects name: of storage, priority, runtimes and
 * ingresses. */
#include <stdio.h>

#include "api/pending/metadata_validation.h"
#include "api/pending/value_validation.h"
#include "api/strategy/strategy.h"
#include "base/str.h"
#include "object/names.h"
#include "json/fields.h"

enum {
    TEXT_SIZE = 512,
    PARAMETERS_MAX = 512,
    PARAMETERS_SIZE = 256 * 1024, /* of all keys and values */
    USER_PRIORITY_MAX = 1000000000,
};

#define NO_RULE                                                                                    \
    {                                                                                              \
        NULL, LW_VALUE_REQUIRED, NULL                                                              \
    }

/* Adds an error for each of |names|, members of the object, that an update changes.  As in
 * Kubernetes, these errors do not show the value. */
static void check_immutable(const lw_pending_object *pending, const char *const *names,
                            lw_api_status *errors)
{
    for (; *names && pending->old; names++) {
        const lw_node *now = lw_node_get(pending->root, lw_str_of(*names));
        if (!lw_node_equal(now, lw_node_get(pending->old, lw_str_of(*names))))
            lw_field_error_plain(errors, *names, LW_STR("null"), "field is immutable");
    }
}

static void storage_defaults(lw_pending_object *pending)
{
    lw_fields_default_text(pending->tree, pending->root, "reclaimPolicy", "Delete");
    lw_fields_default_text(pending->tree, pending->root, "volumeBindingMode", "Immediate");
}

static void check_parameters(const lw_node *parameters, lw_api_status *errors)
{
    char detail[TEXT_SIZE];
    size_t size = 0, count = lw_node_count(parameters);
    for (size_t i = 0; i < count && count <= PARAMETERS_MAX; i++) {
        lw_str key = lw_node_key_at(parameters, i);
        if (key.len == 0)
            lw_field_error_invalid(errors, "parameters", key, "field can not be empty.");
        size += key.len + lw_node_text(lw_node_at(parameters, i)).len;
    }
    if (count <= PARAMETERS_MAX && size <= PARAMETERS_SIZE)
        return;
    (void)snprintf(detail, sizeof(detail), "may not be more than %d bytes",
                   count > PARAMETERS_MAX ? PARAMETERS_MAX : PARAMETERS_SIZE);
    lw_api_status_add_cause(errors, LW_STR("FieldValueTooLong"), lw_str_of(detail),
                            LW_STR("parameters"));
}

static void storage_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "reclaimPolicy", LW_VALUE_ONE_OF, "Delete|Retain" },
        { "volumeBindingMode", LW_VALUE_ONE_OF, "Immediate|WaitForFirstConsumer" },
        { "provisioner", LW_VALUE_REQUIRED, NULL },
        NO_RULE,
    };
    static const char *const immutable[] = { "provisioner", "parameters", "reclaimPolicy",
                                             "volumeBindingMode", NULL };
    if (pending->old) {
        check_immutable(pending, immutable, errors);
        return;
    }
    lw_value_validate(rules, pending->root, "", errors);
    check_parameters(lw_node_get(pending->root, LW_STR("parameters")), errors);
}

static void priority_defaults(lw_pending_object *pending)
{
    lw_fields_default_text(pending->tree, pending->root, "preemptionPolicy",
                           "PreemptLowerPriority");
}

/* Describes why |name|, with the prefix of the system, cannot be such a class.  False: it can. */
static bool explain_system_class(const lw_pending_object *pending, lw_str name, int64_t value,
                                 char detail[TEXT_SIZE])
{
    static const struct {
        const char *name;
        int64_t value;
    } classes[] = {
        { "system-node-critical", 2000001000 },
        { "system-cluster-critical", 2000000000 },
    };
    static const char reserved[] =
        "priority class names with 'system-' prefix are reserved for system use only. error: ";
    for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++) {
        if (!lw_str_equal(name, lw_str_of(classes[i].name)))
            continue;
        bool is_default = lw_node_bool(lw_node_get(pending->root, LW_STR("globalDefault")));
        if (value != classes[i].value)
            (void)snprintf(detail, TEXT_SIZE, "%svalue of %s PriorityClass must be %lld", reserved,
                           classes[i].name, (long long)classes[i].value);
        else
            (void)snprintf(detail, TEXT_SIZE, "%sglobalDefault of %s PriorityClass must be false",
                           reserved, classes[i].name);
        return value != classes[i].value || is_default;
    }
    (void)snprintf(detail, TEXT_SIZE, "%s%.*s is not a known system priority class", reserved,
                   LW_STR_ARG(name));
    return true;
}

static void priority_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "preemptionPolicy", LW_VALUE_ONE_OF, "PreemptLowerPriority|Never" },
        NO_RULE,
    };
    char detail[TEXT_SIZE];
    lw_str name = lw_fields_text(pending->metadata, "name");
    int64_t value = lw_fields_int(pending->root, "value", 0);
    if (pending->old) {
        if (value != lw_fields_int(pending->old, "value", 0))
            lw_field_error_forbidden(errors, "value", LW_STR("may not be changed in an update."));
        const lw_node *policy = lw_node_get(pending->root, LW_STR("preemptionPolicy"));
        if (!lw_node_equal(policy, lw_node_get(pending->old, LW_STR("preemptionPolicy"))))
            lw_value_error(errors, "preemptionPolicy", policy, "field is immutable");
        return;
    }
    if (lw_str_starts_with(name, LW_STR("system-"))) {
        if (explain_system_class(pending, name, value, detail))
            lw_field_error_forbidden(errors, "metadata.name", lw_str_of(detail));
    } else if (value > USER_PRIORITY_MAX) {
        lw_field_error_forbidden(
            errors, "value",
            LW_STR("maximum allowed value of a user defined priority is 1000000000"));
    }
    lw_value_validate(rules, pending->root, "", errors);
}

static void runtime_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "handler", LW_VALUE_REQUIRED, NULL },
        { "handler", LW_VALUE_LABEL, NULL },
        { "scheduling.nodeSelector", LW_VALUE_LABELS, NULL },
        NO_RULE,
    };
    static const char *const immutable[] = { "handler", NULL };
    if (pending->old)
        check_immutable(pending, immutable, errors);
    else
        lw_value_validate(rules, pending->root, "", errors);
}

const lw_strategy lw_strategies_classes[] = {
    { .group = LW_STR_INIT("storage.k8s.io"),
      .plural = LW_STR_INIT("storageclasses"),
      .defaults = storage_defaults,
      .validate = storage_validate },
    { .group = LW_STR_INIT("scheduling.k8s.io"),
      .plural = LW_STR_INIT("priorityclasses"),
      .defaults = priority_defaults,
      .validate = priority_validate },
    { .group = LW_STR_INIT("node.k8s.io"),
      .plural = LW_STR_INIT("runtimeclasses"),
      .validate = runtime_validate },
    { .plural = LW_STR_INIT("") },
};
