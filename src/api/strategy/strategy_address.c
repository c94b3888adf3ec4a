/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_address.c -- validation of IP addresses and service CIDRs, and of storage version
 * migrations. */
#include <stdio.h>

#include "api/pending/metadata_validation.h"
#include "api/pending/value_validation.h"
#include "api/strategy/strategy.h"
#include "base/str.h"
#include "base/text/ip_range.h"
#include "json/fields.h"

enum {
    RANGES_MAX = 2, /* one of each family */
};

#define NO_RULE                                                                                    \
    {                                                                                              \
        NULL, LW_VALUE_REQUIRED, NULL                                                              \
    }

static void check_address_name(lw_str name, lw_api_status *errors)
{
    lw_ip_range address;
    char canonical[LW_IP_SIZE], detail[2 * LW_IP_SIZE];
    if (!lw_ip_parse(name, &address)) {
        lw_field_error_invalid(errors, "metadata.name", name,
                               "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
        return;
    }
    lw_ip_format(canonical, &address);
    if (lw_str_equal(name, lw_str_of(canonical)))
        return;
    (void)snprintf(detail, sizeof(detail), "must be in canonical form (\"%s\")", canonical);
    lw_field_error_invalid(errors, "metadata.name", name, detail);
}

static void address_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "parentRef", LW_VALUE_PRESENT, NULL },
        { "parentRef.group", LW_VALUE_SUBDOMAIN, NULL },
        { "parentRef.resource", LW_VALUE_REQUIRED, NULL },
        { "parentRef.resource", LW_VALUE_PATH_SEGMENT, NULL },
        { "parentRef.name", LW_VALUE_REQUIRED, NULL },
        { "parentRef.name", LW_VALUE_PATH_SEGMENT, NULL },
        { "parentRef.namespace", LW_VALUE_PATH_SEGMENT, NULL },
        NO_RULE,
    };
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    const lw_node *parent = lw_node_get(spec, LW_STR("parentRef"));
    check_address_name(lw_fields_text(pending->metadata, "name"), errors);
    if (spec)
        lw_value_validate(rules, spec, "spec", errors);
    else
        lw_field_error_required(errors, "spec.parentRef", "");
    if (pending->old && !lw_node_equal(parent, lw_fields_find(pending->old, "/spec/parentRef")))
        lw_field_error_plain(errors, "spec.parentRef", LW_STR("null"), "field is immutable");
}

/* The family of the range; 0: it is invalid. */
static unsigned check_range(lw_str text, size_t at, lw_api_status *errors)
{
    lw_ip_range range;
    char field[LW_FIELD_PATH_SIZE];
    (void)snprintf(field, sizeof(field), "spec.cidrs[%zu]", at);
    return lw_value_check_ip_range(errors, field, text, &range) ? range.family : 0;
}

static void check_ranges(const lw_node *spec, lw_api_status *errors)
{
    const lw_node *ranges = lw_node_get(spec, LW_STR("cidrs"));
    unsigned families[RANGES_MAX] = { 0, 0 };
    size_t count = lw_node_count(ranges);
    if (count == 0) {
        lw_field_error_required(errors, "spec.cidrs", "at least one CIDR required");
        return;
    }
    if (count > RANGES_MAX) {
        lw_value_error(errors, "spec.cidrs", spec, "may only hold up to 2 values");
        return;
    }
    for (size_t i = 0; i < count; i++)
        families[i] = check_range(lw_node_text(lw_node_at(ranges, i)), i, errors);
    if (count == RANGES_MAX && families[0] == families[1] && families[0] != 0)
        lw_value_error(errors, "spec.cidrs", ranges,
                       "may specify no more than one IP for each IP family, i.e 192.168.0.0/24 and "
                       "2001:db8::/64");
}

/* Only a second range can be added. */
static void check_range_update(const lw_node *spec, const lw_node *old, lw_api_status *errors)
{
    const lw_node *now = lw_node_get(spec, LW_STR("cidrs"));
    const lw_node *before = lw_node_get(old, LW_STR("cidrs"));
    size_t count = lw_node_count(before);
    if (lw_node_count(now) != count && (count != 1 || lw_node_count(now) != RANGES_MAX)) {
        lw_value_error(errors, "spec.cidrs", now, "field is immutable");
        return;
    }
    for (size_t i = 0; i < count; i++) {
        char field[LW_FIELD_PATH_SIZE];
        (void)snprintf(field, sizeof(field), "spec.cidrs[%zu]", i);
        if (!lw_node_equal(lw_node_at(now, i), lw_node_at(before, i)))
            lw_field_error_invalid(errors, field, lw_node_text(lw_node_at(now, i)),
                                   "field is immutable");
    }
    if (lw_node_count(now) != count)
        check_ranges(spec, errors);
}

static void range_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    if (pending->old)
        check_range_update(spec, lw_node_get(pending->old, LW_STR("spec")), errors);
    else
        check_ranges(spec, errors);
}

static void migration_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    if (lw_fields_text_at(spec, "/resource/resource").len == 0)
        lw_field_error_required(errors, "spec.resource.resource", "resource is required to be set");
    if (pending->old && !lw_node_equal(spec, lw_node_get(pending->old, LW_STR("spec"))))
        lw_value_error(errors, "spec", spec, "field is immutable");
}

const lw_strategy lw_strategies_address[] = {
    { .group = LW_STR_INIT("networking.k8s.io"),
      .plural = LW_STR_INIT("ipaddresses"),
      .validate = address_validate },
    { .group = LW_STR_INIT("networking.k8s.io"),
      .plural = LW_STR_INIT("servicecidrs"),
      .validate = range_validate },
    { .group = LW_STR_INIT("storagemigration.k8s.io"),
      .plural = LW_STR_INIT("storageversionmigrations"),
      .validate = migration_validate },
    { .plural = LW_STR_INIT("") },
};
