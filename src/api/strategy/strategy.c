/* SPDX-License-Identifier: Apache-2.0 */
/* strategy.c -- finds the rules of a kind. */
#include "api/strategy/strategy.h"

static const lw_kind_rules no_rules = { .defaults = NULL };

static const lw_kind_rules *const families[] = {
    lw_rules_admission, lw_rules_core,    lw_rules_config,  lw_rules_crd,
    lw_rules_flow,      lw_rules_limits,  lw_rules_pod,     lw_rules_policy,
    lw_rules_routing,   lw_rules_service, lw_rules_workload
};

const lw_kind_rules *lw_kind_rules_of(const lw_kind *kind)
{
    for (size_t i = 0; i < sizeof(families) / sizeof(families[0]); i++) {
        for (const lw_kind_rules *rules = families[i]; rules->plural.len > 0; rules++) {
            if (lw_str_equal(rules->plural, kind->plural) &&
                lw_str_equal(rules->group, kind->group))
                return rules;
        }
    }
    return &no_rules;
}
