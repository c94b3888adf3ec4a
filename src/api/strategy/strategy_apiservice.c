/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_apiservice.c -- defaulting and validation of APIServices. */
#include <stdio.h>

#include "api/pending/condition.h"
#include "api/pending/metadata_validation.h"
#include "api/pending/value_validation.h"
#include "api/strategy/strategy.h"
#include "base/clock.h"
#include "base/str.h"
#include "object/quote.h"
#include "json/fields.h"

enum {
    GROUP_PRIORITY_MAX = 20000,
    VERSION_PRIORITY_MAX = 1000,
    DETAIL_MAX = 4096,
    COUNT_SIZE = 32,
};

static void apiservice_defaults(lw_pending_object *pending)
{
    lw_node *service = lw_fields_find(pending->root, "/spec/service");
    if (lw_node_is(service, LW_JSON_OBJECT))
        lw_fields_default_int(pending->tree, service, "port", 443);
}

/* One that this server serves itself is available from the start. */
static void apiservice_create(lw_pending_object *pending, lw_api_status *errors)
{
    const lw_pending_condition local = { "Available", "True", "Local",
                                         LW_STR("Local APIServices are always available") };
    (void)errors;
    if (!lw_fields_find(pending->root, "/spec/service"))
        lw_pending_condition_set(pending, &local, lw_clock_wall(pending->port->api->clock));
}

/* The name must be VERSION.GROUP. */
static void check_name(const lw_pending_object *pending, const lw_node *spec, lw_api_status *errors)
{
    lw_str name = lw_fields_text(pending->metadata, "name");
    lw_buf wanted, detail;
    lw_buf_init(&wanted, DETAIL_MAX);
    lw_buf_init(&detail, 4 * DETAIL_MAX);
    lw_buf_printf(&wanted, "%.*s.%.*s", LW_STR_ARG(lw_fields_text(spec, "version")),
                  LW_STR_ARG(lw_fields_text(spec, "group")));
    lw_buf_append_text(&detail, "must be `spec.version+\".\"+spec.group`: ");
    lw_quote_append(&detail, lw_buf_view(&wanted));
    if (wanted.st < 0 || !lw_str_equal(name, lw_buf_view(&wanted)))
        lw_api_status_add_field_error(errors, LW_FIELD_INVALID, LW_STR("metadata.name"), name,
                                      lw_buf_view(&detail));
    lw_buf_done(&detail);
    lw_buf_done(&wanted);
}

static void check_group_version(const lw_node *spec, lw_api_status *errors)
{
    static const lw_field_path at_spec = { NULL, LW_STR_INIT("spec"), SIZE_MAX };
    const lw_field_path at_group = lw_field_path_in(&at_spec, LW_STR("group"));
    const lw_field_path at_version = lw_field_path_in(&at_spec, LW_STR("version"));
    lw_str group = lw_fields_text(spec, "group"), version = lw_fields_text(spec, "version");
    lw_name_problems problems;
    if (group.len == 0 && !lw_str_equal(version, LW_STR("v1")))
        lw_field_error_required(errors, "spec.group",
                                "only v1 may have an empty group and it better be legacy kube");
    if (group.len > 0 && !lw_name_is_dns1123_subdomain(group, &problems))
        lw_value_errors_of_name(errors, &at_group, group, &problems);
    if (!lw_name_is_dns1035_label(version, &problems))
        lw_value_errors_of_name(errors, &at_version, version, &problems);
}

static void check_priority(const lw_node *spec, const char *name, int64_t max, const char *detail,
                           lw_api_status *errors)
{
    char field[COUNT_SIZE * 2], text[COUNT_SIZE];
    int64_t value = lw_fields_int(spec, name, 0);
    if (value > 0 && value <= max)
        return;
    (void)snprintf(field, sizeof(field), "spec.%s", name);
    (void)snprintf(text, sizeof(text), "%lld", (long long)value);
    lw_field_error_plain(errors, field, lw_str_of(text), detail);
}

/* Without a service, there is nothing that a certificate could belong to. */
static void check_local(lw_str ca, bool skips_verification, lw_api_status *errors)
{
    char text[COUNT_SIZE];
    size_t padding = lw_str_ends_with(ca, LW_STR("=="))  ? 2
                     : lw_str_ends_with(ca, LW_STR("=")) ? 1
                                                         : 0;
    (void)snprintf(text, sizeof(text), "%zu bytes", ca.len / 4 * 3 - padding);
    if (ca.len > 0)
        lw_field_error_invalid(errors, "spec.caBundle", lw_str_of(text),
                               "local APIServices may not have a caBundle");
    if (skips_verification)
        lw_field_error_plain(errors, "spec.insecureSkipTLSVerify", LW_STR("true"),
                             "local APIServices may not have insecureSkipTLSVerify");
}

static void check_port(const lw_node *service, lw_api_status *errors)
{
    char text[COUNT_SIZE];
    int64_t port = lw_fields_int(service, "port", 0);
    (void)snprintf(text, sizeof(text), "%lld", (long long)port);
    if (port < 1 || port > UINT16_MAX)
        lw_field_error_plain(errors, "spec.service.port", lw_str_of(text),
                             "port is not valid: must be between 1 and 65535, inclusive");
}

static void apiservice_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    const lw_node *service = lw_node_get(spec, LW_STR("service"));
    lw_str ca = lw_fields_text(spec, "caBundle");
    bool skips_verification = lw_node_bool(lw_node_get(spec, LW_STR("insecureSkipTLSVerify")));
    check_name(pending, spec, errors);
    check_group_version(spec, errors);
    check_priority(spec, "groupPriorityMinimum", GROUP_PRIORITY_MAX,
                   "must be positive and less than 20000", errors);
    check_priority(spec, "versionPriority", VERSION_PRIORITY_MAX,
                   "must be positive and less than 1000", errors);
    if (!service) {
        check_local(ca, skips_verification, errors);
        return;
    }
    if (lw_fields_text(service, "namespace").len == 0)
        lw_field_error_required(errors, "spec.service.namespace", "");
    if (lw_fields_text(service, "name").len == 0)
        lw_field_error_required(errors, "spec.service.name", "");
    check_port(service, errors);
    if (skips_verification && ca.len > 0)
        lw_field_error_plain(errors, "spec.insecureSkipTLSVerify", LW_STR("true"),
                             "may not be true if caBundle is present");
}

static void apiservice_status(lw_pending_object *pending, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "conditions[].status", LW_VALUE_ONE_OF, "False|True|Unknown" },
        { NULL, LW_VALUE_REQUIRED, NULL },
    };
    lw_value_validate(rules, lw_node_get(pending->root, LW_STR("status")), "status", errors);
}

const lw_strategy lw_strategies_apiservice[] = {
    { .group = LW_STR_INIT("apiregistration.k8s.io"),
      .plural = LW_STR_INIT("apiservices"),
      .defaults = apiservice_defaults,
      .create = apiservice_create,
      .validate = apiservice_validate,
      .status = apiservice_status },
    { .defaults = NULL },
};
