/* SPDX-License-Identifier: Apache-2.0 */
/* strategy.c -- finds the strategy of a kind. */
#include "api/strategy/strategy.h"

static const lw_strategy no_rules = { .defaults = NULL };

static const lw_strategy *const families[] = {
    lw_strategies_admission,    lw_strategies_certificates,  lw_strategies_classes,
    lw_strategies_core,         lw_strategies_config,        lw_strategies_crd,
    lw_strategies_flow,         lw_strategies_limits,        lw_strategies_pod,
    lw_strategies_policy,       lw_strategies_routing,       lw_strategies_service,
    lw_strategies_workload,     lw_strategies_address,       lw_strategies_admission_policy,
    lw_strategies_device_claim, lw_strategies_device_slice,  lw_strategies_trust,
    lw_strategies_apiservice,   lw_strategies_network_policy
};

const lw_strategy *lw_strategy_of(const lw_kind *kind)
{
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        for (const lw_strategy *rules = families[i]; rules->plural.len > 0; rules++) {
            if (lw_str_equal(rules->plural, kind->plural) &&
                lw_str_equal(rules->group, kind->group))
                return rules;
        }
    }
    return &no_rules;
}
