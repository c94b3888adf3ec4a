/* SPDX-License-Identifier: Apache-2.0 */
/* load_balancer_status.c -- validates status.loadBalancer of services and ingresses, and the phase
 * of namespaces. */
#include "api/strategy/status/address_status.h"
#include "api/strategy/status/status_validation.h"

#include <stdio.h>

#include "api/http/field_errors.h"
#include "api/pending/value_validation.h"
#include "base/str.h"
#include "base/text/ip_range.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    FIELD_SIZE = 128,
};

static bool was_there(const lw_node *old, lw_str ip)
{
    for (size_t i = 0; i < lw_node_count(old); i++) {
        if (lw_str_equal(lw_fields_text(lw_node_at(old, i), "ip"), ip))
            return true;
    }
    return false;
}

void lw_status_validate_address(lw_api_status *errors, const char *field, lw_str text,
                                const lw_node *old)
{
    lw_ip_range address;
    if (was_there(old, text))
        return;
    if (!lw_ip_parse(text, &address))
        lw_field_error_invalid(errors, field, text,
                               "must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)");
    else if (lw_ip_is_mapped(&address))
        lw_field_error_invalid(errors, field, text, "must not be an IPv4-mapped IPv6 address");
}

/* Only a service says how its addresses are used. */
static void check_ip_mode(const lw_node *ingress, const char *place, lw_api_status *errors)
{
    char field[FIELD_SIZE];
    const lw_node *mode = lw_node_get(ingress, LW_STR("ipMode"));
    bool has_ip = lw_fields_text(ingress, "ip").len > 0;
    (void)snprintf(field, sizeof(field), "%s.ipMode", place);
    if (!mode && has_ip)
        lw_field_error_required(errors, field, "must be specified when `ip` is set");
    else if (mode && !has_ip)
        lw_field_error_forbidden(errors, field,
                                 LW_STR("may not be specified when `ip` is not set"));
    else if (mode && !lw_value_is_one_of(lw_node_text(mode), "Proxy|VIP"))
        lw_value_error_unsupported(errors, field, lw_node_text(mode), "Proxy|VIP");
}

static void check_hostname(lw_str name, const char *place, lw_api_status *errors)
{
    char field[FIELD_SIZE];
    lw_name_problems problems = { .count = 0 };
    lw_ip_range address;
    (void)snprintf(field, sizeof(field), "%s.hostname", place);
    if (!lw_name_is_dns1123_subdomain(name, &problems)) {
        for (size_t i = 0; i < problems.count; i++)
            lw_field_error_invalid(errors, field, name, problems.text[i]);
    }
    if (lw_ip_parse(name, &address))
        lw_field_error_invalid(errors, field, name, "must be a DNS name, not an IP address");
}

void lw_status_default_load_balancer(lw_pending_object *pending)
{
    lw_node *list = lw_fields_find(pending->root, "/status/loadBalancer/ingress");
    if (!lw_str_equal(lw_fields_text_at(pending->root, "/spec/type"), LW_STR("LoadBalancer")))
        return;
    for (size_t i = 0; i < lw_node_count(list); i++) {
        if (lw_fields_text(lw_node_at(list, i), "ip").len > 0)
            lw_fields_default_text(pending->tree, lw_node_at(list, i), "ipMode", "VIP");
    }
}

void lw_status_validate_load_balancer(lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *list = lw_fields_find(pending->root, "/status/loadBalancer/ingress");
    const lw_node *old = lw_fields_find(pending->old, "/status/loadBalancer/ingress");
    bool is_service = pending->kind == &lw_kind_services;
    if (is_service && lw_node_count(list) > 0 &&
        !lw_str_equal(lw_fields_text_at(pending->root, "/spec/type"), LW_STR("LoadBalancer"))) {
        lw_field_error_forbidden(errors, "status.loadBalancer.ingress",
                                 LW_STR("may only be used when `spec.type` is 'LoadBalancer'"));
        return;
    }
    for (size_t i = 0; i < lw_node_count(list); i++) {
        char place[FIELD_SIZE / 2], field[FIELD_SIZE];
        const lw_node *ingress = lw_node_at(list, i);
        lw_str ip = lw_fields_text(ingress, "ip"), name = lw_fields_text(ingress, "hostname");
        (void)snprintf(place, sizeof(place), "status.loadBalancer.ingress[%zu]", i);
        (void)snprintf(field, sizeof(field), "%s.ip", place);
        if (ip.len > 0)
            lw_status_validate_address(errors, field, ip, old);
        if (is_service)
            check_ip_mode(ingress, place, errors);
        if (name.len > 0)
            check_hostname(name, place, errors);
    }
}

void lw_status_validate_namespace(lw_pending_object *pending, lw_api_status *errors)
{
    lw_str phase = lw_fields_text_at(pending->root, "/status/phase");
    bool is_deleted = lw_fields_find(pending->old, "/metadata/deletionTimestamp") != NULL;
    if (!is_deleted && !lw_str_equal(phase, LW_STR("Active")))
        lw_field_error_invalid(errors, "status.Phase", phase,
                               "may only be 'Active' if `deletionTimestamp` is empty");
    else if (is_deleted && !lw_str_equal(phase, LW_STR("Terminating")))
        lw_field_error_invalid(errors, "status.Phase", phase,
                               "may only be 'Terminating' if `deletionTimestamp` is not empty");
}
