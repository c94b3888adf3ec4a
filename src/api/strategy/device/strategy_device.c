/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_device.c -- taints, and names of drivers, pools and devices. */
#include "api/strategy/device/strategy_device.h"

#include "api/pending/metadata.h"
#include "api/pending/metadata_validation.h"
#include "base/clock.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    DRIVER_MAX = 63, /* bytes of the name of a driver */
};

void lw_device_taint_default(lw_pending_object *pending, lw_node *taint)
{
    if (lw_node_is(taint, LW_JSON_OBJECT) && lw_fields_text(taint, "timeAdded").len == 0)
        lw_metadata_set_time(pending, taint, "timeAdded", lw_clock_wall(pending->port->api->clock));
}

void lw_device_taint_validate(const lw_node *taint, const lw_field_path *at, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "key", LW_VALUE_LABEL_KEY, NULL },
        { "value", LW_VALUE_LABEL_VALUE, NULL },
        { "effect", LW_VALUE_REQUIRED, NULL },
        { "effect", LW_VALUE_ONE_OF, "NoExecute|NoSchedule|None" },
        { NULL, LW_VALUE_REQUIRED, NULL },
    };
    lw_value_validate_at(rules, taint, at, errors);
}

static void check_subdomain(lw_str name, const lw_field_path *at, lw_api_status *errors)
{
    lw_name_problems problems = { 0 };
    (void)lw_name_is_dns1123_subdomain(name, &problems);
    lw_value_errors_of_name(errors, at, name, &problems);
}

void lw_device_driver_validate(lw_str name, const lw_field_path *at, lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE];
    (void)lw_field_path_text(field, *at);
    if (name.len == 0) {
        lw_field_error_required(errors, field, "");
        return;
    }
    if (name.len > DRIVER_MAX)
        lw_api_status_add_field_error(errors, LW_FIELD_TOO_LONG, lw_str_of(field), LW_STR(""),
                                      LW_STR("may not be more than 63 bytes"));
    check_subdomain(name, at, errors);
}

void lw_device_pool_validate(lw_str name, const lw_field_path *at, lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE];
    lw_str part, rest = name;
    bool goes_on = true;
    (void)lw_field_path_text(field, *at);
    if (name.len == 0) {
        lw_field_error_required(errors, field, "");
        return;
    }
    if (name.len > LW_NAME_SUBDOMAIN_MAX) {
        lw_api_status_add_field_error(errors, LW_FIELD_TOO_LONG, lw_str_of(field), LW_STR(""),
                                      LW_STR("may not be more than 253 bytes"));
        return;
    }
    while (goes_on) {
        goes_on = lw_str_cut(rest, '/', &part, &rest);
        check_subdomain(part, at, errors);
    }
}

void lw_device_unique_validate(const lw_node *list, const char *key, bool shows_key,
                               const lw_field_path *at, lw_api_status *errors)
{
    for (size_t i = 1; i < lw_node_count(list); i++) {
        const lw_node *item = lw_node_at(list, i);
        lw_str name = lw_fields_text(item, key);
        for (size_t before = 0; before < i; before++) {
            char field[LW_FIELD_PATH_SIZE];
            if (!lw_str_equal(lw_fields_text(lw_node_at(list, before), key), name))
                continue;
            (void)lw_field_path_text(field, lw_field_path_item(at->above, at->name, i));
            lw_value_error_duplicate(errors, field,
                                     shows_key ? lw_node_get(item, lw_str_of(key)) : item);
            break;
        }
    }
}
