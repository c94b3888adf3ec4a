/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_device_slice.c -- defaulting and validation of resource slices and device taint rules.
 */
#include <stdio.h>
#include <string.h>

#include "api/pending/metadata.h"
#include "api/pending/metadata_validation.h"
#include "api/strategy/device/strategy_device.h"
#include "api/strategy/strategy.h"
#include "base/clock.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    DEVICES_MAX = 128,        /* of a slice */
    DEVICES_TAINTED_MAX = 64, /* of a slice with taints, counters or lists of attributes */
    ATTRIBUTES_MAX = 32,      /* and capacities, of a device */
    TEXT_MAX = 64,            /* bytes of the value of an attribute */
    SHOWN_SIZE = 160,
};

#define NO_RULE                                                                                    \
    {                                                                                              \
        NULL, LW_VALUE_REQUIRED, NULL                                                              \
    }

static const lw_node *items_of(const lw_node *object, const char *key)
{
    const lw_node *list = lw_node_get(object, lw_str_of(key));
    return lw_node_is(list, LW_JSON_ARRAY) ? list : NULL;
}

static void slice_defaults(lw_pending_object *pending)
{
    lw_node *spec = lw_fields_object(pending->tree, pending->root, "spec");
    const lw_node *devices = items_of(spec, "devices");
    (void)lw_fields_object(pending->tree, spec, "pool");
    for (size_t i = 0; i < lw_node_count(devices); i++) {
        const lw_node *taints = items_of(lw_node_at(devices, i), "taints");
        for (size_t j = 0; j < lw_node_count(taints); j++)
            lw_device_taint_default(pending, lw_node_at(taints, j));
    }
}

static void check_pool(const lw_node *spec, lw_api_status *errors)
{
    const lw_node *pool = lw_node_get(spec, LW_STR("pool"));
    const lw_field_path name_at = lw_field_path_in(NULL, LW_STR("spec.pool.name"));
    int64_t count = lw_fields_int(pool, "resourceSliceCount", 0);
    const lw_node *generation = lw_node_get(pool, LW_STR("generation"));
    lw_device_pool_validate(lw_fields_text(pool, "name"), &name_at, errors);
    if (count <= 0)
        lw_field_error_plain(errors, "spec.pool.resourceSliceCount",
                             count == 0
                                 ? LW_STR("0")
                                 : lw_node_text(lw_node_get(pool, LW_STR("resourceSliceCount"))),
                             "must be greater than zero");
    if (lw_fields_int(pool, "generation", 0) < 0)
        lw_field_error_plain(errors, "spec.pool.generation", lw_node_text(generation),
                             "must be greater than or equal to zero");
}

/* Appends the names of the |count| |keys| that |object| has, as {`a`, `b`}; the number of them. */
static size_t shown_keys(const lw_node *object, const char *const *keys, size_t count,
                         const char *quote, char shown[SHOWN_SIZE])
{
    lw_buf text;
    size_t found = 0;
    lw_buf_init(&text, SHOWN_SIZE - 1);
    lw_buf_append_char(&text, '{');
    for (size_t i = 0; i < count; i++) {
        const lw_node *value = lw_node_get(object, lw_str_of(keys[i]));
        if (!value || (lw_node_is(value, LW_JSON_BOOL) && quote[0] && !lw_node_bool(value)))
            continue;
        lw_buf_printf(&text, "%s%s%s%s", found++ > 0 ? ", " : "", quote, keys[i], quote);
    }
    lw_buf_append_char(&text, '}');
    memcpy(shown, text.len > 0 ? text.data : "", text.len);
    shown[text.len] = '\0';
    lw_buf_done(&text);
    return found;
}

static void check_nodes(const lw_node *spec, lw_api_status *errors)
{
    static const char *const keys[] = { "nodeName", "nodeSelector", "allNodes",
                                        "perDeviceNodeSelection" };
    static const lw_value_rule rules[] = {
        { "nodeName", LW_VALUE_SUBDOMAIN, NULL },
        { "allNodes", LW_VALUE_TRUE, NULL },
        { "perDeviceNodeSelection", LW_VALUE_TRUE, NULL },
        NO_RULE,
    };
    char shown[SHOWN_SIZE];
    size_t count = shown_keys(spec, keys, sizeof(keys) / sizeof(keys[0]), "`", shown);
    lw_value_validate(rules, spec, "spec", errors);
    if (count == 0)
        lw_field_error_required(errors, "spec",
                                "exactly one of `nodeName`, `nodeSelector`, `allNodes`, "
                                "`perDeviceNodeSelection` is required");
    if (count > 1)
        lw_field_error_invalid(errors, "spec", lw_str_of(shown),
                               "exactly one of `nodeName`, `nodeSelector`, `allNodes`, "
                               "`perDeviceNodeSelection` is required, but multiple fields are set");
}

static void check_attribute(const lw_node *attribute, lw_str path, lw_api_status *errors)
{
    static const char *const keys[] = { "int",  "bool",  "string",  "version",
                                        "ints", "bools", "strings", "versions" };
    static const char *const texts[] = { "string", "version" };
    char shown[SHOWN_SIZE], field[LW_FIELD_PATH_SIZE];
    const lw_field_path at = lw_field_path_in(NULL, path);
    size_t count = shown_keys(attribute, keys, sizeof(keys) / sizeof(keys[0]), "", shown);
    (void)lw_field_path_text(field, at);
    if (count == 0)
        lw_field_error_invalid(errors, field, LW_STR(""),
                               "must specify one of: `int`, `bool`, `string`, `version`, `ints`, "
                               "`bools`, `strings`, `versions`");
    if (count > 1)
        lw_field_error_invalid(errors, field, lw_str_of(shown),
                               "must specify exactly one of: `int`, `bool`, `string`, `version`, "
                               "`ints`, `bools`, `strings`, `versions`");
    for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++) {
        if (lw_fields_text(attribute, texts[i]).len <= TEXT_MAX)
            continue;
        (void)lw_field_path_text(field, lw_field_path_in(&at, lw_str_of(texts[i])));
        lw_api_status_add_field_error(errors, LW_FIELD_TOO_LONG, lw_str_of(field), LW_STR(""),
                                      LW_STR("may not be more than 64 bytes"));
    }
}

static void check_attributes(const lw_node *device, const lw_field_path *at, lw_api_status *errors)
{
    const lw_node *attributes = lw_node_get(device, LW_STR("attributes"));
    size_t count =
        lw_node_count(attributes) + lw_node_count(lw_node_get(device, LW_STR("capacity")));
    char field[LW_FIELD_PATH_SIZE], shown[SHOWN_SIZE];
    lw_buf path;
    if (count > ATTRIBUTES_MAX) {
        (void)snprintf(shown, sizeof(shown), "%zu", count);
        lw_field_error_plain(errors, lw_field_path_text(field, *at), lw_str_of(shown),
                             "the total number of attributes and capacities must not exceed 32");
        return;
    }
    lw_buf_init(&path, LW_FIELD_PATH_SIZE);
    (void)lw_field_path_text(field, lw_field_path_in(at, LW_STR("attributes")));
    for (size_t i = 0; i < lw_node_count(attributes); i++) {
        lw_str key = lw_node_key_at(attributes, i);
        lw_buf_reset(&path);
        lw_buf_printf(&path, "%s[%.*s]", field, LW_STR_ARG(key));
        check_attribute(lw_node_at(attributes, i), lw_buf_view(&path), errors);
    }
    lw_buf_done(&path);
}

static void check_device(const lw_node *device, const lw_field_path *at, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "name", LW_VALUE_LABEL_NEEDED, NULL },
        { "taints", LW_VALUE_AT_MOST, "16" },
        { "consumesCounters", LW_VALUE_AT_MOST, "2" },
        { "bindingConditions", LW_VALUE_AT_MOST, "4" },
        { "bindingFailureConditions", LW_VALUE_AT_MOST, "4" },
        NO_RULE,
    };
    const lw_node *taints = items_of(device, "taints");
    lw_value_validate_at(rules, device, at, errors);
    check_attributes(device, at, errors);
    for (size_t i = 0; i < lw_node_count(taints); i++) {
        lw_field_path place = lw_field_path_item(at, LW_STR("taints"), i);
        lw_device_taint_validate(lw_node_at(taints, i), &place, errors);
    }
}

static void check_devices(const lw_node *devices, lw_api_status *errors)
{
    const lw_field_path spec = lw_field_path_in(NULL, LW_STR("spec"));
    const lw_field_path at = lw_field_path_in(&spec, LW_STR("devices"));
    bool is_long = false;
    for (size_t i = 0; i < lw_node_count(devices) && !is_long; i++)
        is_long = lw_node_count(items_of(lw_node_at(devices, i), "taints")) > 0 ||
                  lw_node_count(items_of(lw_node_at(devices, i), "consumesCounters")) > 0;
    size_t max = is_long ? DEVICES_TAINTED_MAX : DEVICES_MAX;
    if (lw_node_count(devices) > max) {
        lw_value_error_too_many(errors, "spec.devices", lw_node_count(devices), max);
        return;
    }
    for (size_t i = 0; i < lw_node_count(devices); i++) {
        lw_field_path place = lw_field_path_item(&spec, at.name, i);
        check_device(lw_node_at(devices, i), &place, errors);
    }
    lw_device_unique_validate(devices, "name", true, &at, errors);
}

static void slice_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    const lw_node *old = pending->old ? lw_node_get(pending->old, LW_STR("spec")) : NULL;
    const lw_field_path driver_at = lw_field_path_in(NULL, LW_STR("spec.driver"));
    lw_device_driver_validate(lw_fields_text(spec, "driver"), &driver_at, errors);
    check_pool(spec, errors);
    if (old) {
        lw_str name = lw_fields_text_at(spec, "/pool/name");
        if (!lw_str_equal(name, lw_fields_text_at(old, "/pool/name")))
            lw_field_error_invalid(errors, "spec.pool.name", name, "field is immutable");
        lw_value_validate_immutable(spec, old, "driver", errors);
        lw_value_validate_immutable(spec, old, "nodeName", errors);
    }
    check_nodes(spec, errors);
    if (items_of(spec, "sharedCounters") && items_of(spec, "devices"))
        lw_field_error_invalid(errors, "spec", LW_STR(""),
                               "only one of `sharedCounters` or `devices` is allowed");
    check_devices(items_of(spec, "devices"), errors);
}

static void taint_rule_defaults(lw_pending_object *pending)
{
    lw_node *spec = lw_fields_object(pending->tree, pending->root, "spec");
    lw_device_taint_default(pending, lw_fields_object(pending->tree, spec, "taint"));
}

/* The time tells since when the effect is what it is. */
static void taint_rule_update(lw_pending_object *pending, lw_api_status *errors)
{
    lw_node *taint = lw_fields_find(pending->root, "/spec/taint");
    const lw_node *old = lw_fields_find(pending->old, "/spec/taint");
    (void)errors;
    if (!lw_str_equal(lw_fields_text(taint, "effect"), lw_fields_text(old, "effect")) &&
        lw_str_equal(lw_fields_text(taint, "timeAdded"), lw_fields_text(old, "timeAdded")))
        lw_metadata_set_time(pending, taint, "timeAdded", lw_clock_wall(pending->port->api->clock));
}

static void taint_rule_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const lw_value_rule rules[] = { { "device", LW_VALUE_LABEL, NULL }, NO_RULE };
    const lw_node *selector = lw_fields_find(pending->root, "/spec/deviceSelector");
    const lw_field_path at = lw_field_path_in(NULL, LW_STR("spec.deviceSelector"));
    const lw_field_path driver_at = lw_field_path_in(&at, LW_STR("driver"));
    const lw_field_path pool_at = lw_field_path_in(&at, LW_STR("pool"));
    const lw_field_path taint_at = lw_field_path_in(NULL, LW_STR("spec.taint"));
    if (lw_node_get(selector, LW_STR("driver")))
        lw_device_driver_validate(lw_fields_text(selector, "driver"), &driver_at, errors);
    if (lw_node_get(selector, LW_STR("pool")))
        lw_device_pool_validate(lw_fields_text(selector, "pool"), &pool_at, errors);
    lw_value_validate_at(rules, selector, &at, errors);
    lw_device_taint_validate(lw_fields_find(pending->root, "/spec/taint"), &taint_at, errors);
}

#define RESOURCE .group = LW_STR_INIT("resource.k8s.io")

const lw_strategy lw_strategies_device_slice[] = {
    { RESOURCE, .plural = LW_STR_INIT("devicetaintrules"), .defaults = taint_rule_defaults,
      .update = taint_rule_update, .validate = taint_rule_validate },
    { RESOURCE, .plural = LW_STR_INIT("resourceslices"), .defaults = slice_defaults,
      .validate = slice_validate },
    { .plural = LW_STR_INIT("") },
};
