/* SPDX-License-Identifier: Apache-2.0 */
/* count_status.c -- validates counts in the status of workloads, autoscalers and budgets, by one
 * table. */
#include "api/strategy/status/status_validation.h"

#include <stdio.h>

#include "api/http/field_errors.h"
#include "api/pending/value_validation.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    FIELD_SIZE = 64,
    LIMITS_MAX = 6,
};

/* |member| cannot be greater than |other|. */
typedef struct limit {
    const char *member, *other, *detail;
} limit;

typedef struct counts {
    const char *plural;
    const lw_value_rule *rules;
    limit limits[LIMITS_MAX];
    bool has_collisions; /* collisionCount cannot be decremented */
} counts;

#define COUNT(path)                                                                                \
    {                                                                                              \
        path, LW_VALUE_NOT_NEGATIVE, NULL                                                          \
    }
#define NO_RULE                                                                                    \
    {                                                                                              \
        NULL, LW_VALUE_REQUIRED, NULL                                                              \
    }

static const lw_value_rule deployment_rules[] = {
    COUNT("observedGeneration"),  COUNT("replicas"),          COUNT("updatedReplicas"),
    COUNT("readyReplicas"),       COUNT("availableReplicas"), COUNT("unavailableReplicas"),
    COUNT("terminatingReplicas"), COUNT("collisionCount"),    NO_RULE,
};
static const lw_value_rule replica_set_rules[] = {
    COUNT("replicas"),
    COUNT("fullyLabeledReplicas"),
    COUNT("readyReplicas"),
    COUNT("availableReplicas"),
    COUNT("observedGeneration"),
    COUNT("terminatingReplicas"),
    NO_RULE,
};
static const lw_value_rule stateful_set_rules[] = {
    COUNT("replicas"),          COUNT("readyReplicas"),
    COUNT("currentReplicas"),   COUNT("updatedReplicas"),
    COUNT("availableReplicas"), COUNT("observedGeneration"),
    COUNT("collisionCount"),    NO_RULE,
};
static const lw_value_rule daemon_set_rules[] = {
    COUNT("currentNumberScheduled"), COUNT("numberMisscheduled"),
    COUNT("desiredNumberScheduled"), COUNT("numberReady"),
    COUNT("observedGeneration"),     COUNT("updatedNumberScheduled"),
    COUNT("numberAvailable"),        COUNT("numberUnavailable"),
    COUNT("collisionCount"),         NO_RULE,
};
static const lw_value_rule autoscaler_rules[] = {
    COUNT("conditions[].observedGeneration"),
    COUNT("currentReplicas"),
    COUNT("desiredReplicas"),
    NO_RULE,
};
static const lw_value_rule budget_rules[] = {
    COUNT("disruptionsAllowed"),
    COUNT("currentHealthy"),
    COUNT("desiredHealthy"),
    COUNT("expectedPods"),
    NO_RULE,
};

#define REPLICAS "replicas", "cannot be greater than status.replicas"
#define READY    "readyReplicas", "cannot be greater than readyReplicas"

static const counts kinds[] = {
    { "deployments",
      deployment_rules,
      { { "updatedReplicas", REPLICAS },
        { "readyReplicas", REPLICAS },
        { "availableReplicas", REPLICAS },
        { "availableReplicas", READY } },
      true },
    { "replicasets",
      replica_set_rules,
      { { "fullyLabeledReplicas", REPLICAS },
        { "readyReplicas", REPLICAS },
        { "availableReplicas", REPLICAS },
        { "availableReplicas", READY } },
      false },
    { "replicationcontrollers",
      replica_set_rules,
      { { "fullyLabeledReplicas", REPLICAS },
        { "readyReplicas", REPLICAS },
        { "availableReplicas", REPLICAS },
        { "availableReplicas", READY } },
      false },
    { "statefulsets",
      stateful_set_rules,
      { { "readyReplicas", REPLICAS },
        { "currentReplicas", REPLICAS },
        { "updatedReplicas", REPLICAS },
        { "availableReplicas", REPLICAS },
        { "availableReplicas", "readyReplicas", "cannot be greater than status.readyReplicas" } },
      true },
    { "daemonsets", daemon_set_rules, { { NULL, NULL, NULL } }, true },
    { "horizontalpodautoscalers", autoscaler_rules, { { NULL, NULL, NULL } }, false },
    { "poddisruptionbudgets", budget_rules, { { NULL, NULL, NULL } }, false },
};

static void add_error(lw_api_status *errors, const char *member, int64_t value, const char *detail)
{
    char field[FIELD_SIZE], text[FIELD_SIZE];
    (void)snprintf(field, sizeof(field), "status.%s", member);
    (void)snprintf(text, sizeof(text), "%lld", (long long)value);
    lw_field_error_plain(errors, field, lw_str_of(text), detail);
}

/* The count of hash collisions only grows. */
static void check_collisions(const lw_node *status, const lw_node *old, lw_api_status *errors)
{
    int64_t now = lw_fields_int(status, "collisionCount", -1);
    int64_t before = lw_fields_int(old, "collisionCount", -1);
    if (now < before)
        add_error(errors, "collisionCount", now < 0 ? 0 : now, "cannot be decremented");
}

void lw_status_validate_counts(lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *status = lw_node_get(pending->root, LW_STR("status"));
    const counts *kind = kinds;
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        if (lw_str_equal(lw_str_of(kinds[i].plural), pending->kind->plural))
            kind = &kinds[i];
    }
    lw_value_validate(kind->rules, status, "status", errors);
    for (const limit *l = kind->limits; l < kind->limits + LIMITS_MAX && l->member; l++) {
        int64_t value = lw_fields_int(status, l->member, 0);
        if (value > lw_fields_int(status, l->other, 0))
            add_error(errors, l->member, value, l->detail);
    }
    if (kind->has_collisions)
        check_collisions(status, lw_node_get(pending->old, LW_STR("status")), errors);
}
