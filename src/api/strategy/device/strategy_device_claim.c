/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_device_claim.c -- defaulting and validation of resource claims, their templates and
 * device classes.
 *
 * CEL expressions are stored as they are: who allocates devices compiles them. */
#include <string.h>

#include "api/pending/metadata_validation.h"
#include "api/strategy/device/strategy_device.h"
#include "api/strategy/strategy.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    REQUESTS_MAX = 32,    /* also of constraints, configurations and selectors */
    ALTERNATIVES_MAX = 8, /* of one request */
    RESERVED_MAX = 256,
};

#define NO_RULE                                                                                    \
    {                                                                                              \
        NULL, LW_VALUE_REQUIRED, NULL                                                              \
    }

static const char no_such_request[] =
    "must be the name of a request in the claim or the name of a request and a subrequest "
    "separated by '/'";

static const lw_node *items_of(const lw_node *object, const char *key)
{
    const lw_node *list = lw_node_get(object, lw_str_of(key));
    return lw_node_is(list, LW_JSON_ARRAY) ? list : NULL;
}

static void default_tolerations(lw_tree *tree, const lw_node *owner)
{
    const lw_node *tolerations = items_of(owner, "tolerations");
    for (size_t i = 0; i < lw_node_count(tolerations); i++)
        lw_fields_default_text(tree, lw_node_at(tolerations, i), "operator", "Equal");
}

static void default_request(lw_tree *tree, lw_node *request)
{
    if (!lw_node_is(request, LW_JSON_OBJECT))
        return;
    lw_fields_default_text(tree, request, "allocationMode", "ExactCount");
    if (lw_str_equal(lw_fields_text(request, "allocationMode"), LW_STR("ExactCount")) &&
        lw_fields_int(request, "count", 0) == 0)
        lw_fields_set_int(tree, request, "count", 1);
    default_tolerations(tree, request);
}

static void default_devices(lw_tree *tree, const lw_node *devices)
{
    const lw_node *requests = items_of(devices, "requests");
    for (size_t i = 0; i < lw_node_count(requests); i++) {
        const lw_node *request = lw_node_at(requests, i);
        const lw_node *alternatives = items_of(request, "firstAvailable");
        default_request(tree, lw_node_get(request, LW_STR("exactly")));
        for (size_t j = 0; j < lw_node_count(alternatives); j++)
            default_request(tree, lw_node_at(alternatives, j));
    }
}

static void claim_defaults(lw_pending_object *pending)
{
    const lw_node *results =
        items_of(lw_fields_find(pending->root, "/status/allocation/devices"), "results");
    default_devices(pending->tree, lw_fields_find(pending->root, "/spec/devices"));
    for (size_t i = 0; i < lw_node_count(results); i++)
        default_tolerations(pending->tree, lw_node_at(results, i));
}

static void template_defaults(lw_pending_object *pending)
{
    default_devices(pending->tree, lw_fields_find(pending->root, "/spec/spec/devices"));
}

static void check_toleration(const lw_node *toleration, const lw_field_path *at,
                             lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "operator", LW_VALUE_ONE_OF, "Equal|Exists" },
        { "effect", LW_VALUE_ONE_OF, "NoExecute|NoSchedule|None" },
        NO_RULE,
    };
    static const lw_value_rule key_rules[] = { { "key", LW_VALUE_LABEL_KEY, NULL }, NO_RULE };
    static const lw_value_rule equal_rules[] = { { "value", LW_VALUE_LABEL_VALUE, NULL }, NO_RULE };
    char field[LW_FIELD_PATH_SIZE];
    lw_str value = lw_fields_text(toleration, "value");
    lw_str operation = lw_fields_text(toleration, "operator");
    if (lw_fields_text(toleration, "key").len > 0)
        lw_value_validate_at(key_rules, toleration, at, errors);
    if (lw_str_equal(operation, LW_STR("Equal")))
        lw_value_validate_at(equal_rules, toleration, at, errors);
    if (lw_str_equal(operation, LW_STR("Exists")) && value.len > 0)
        lw_field_error_invalid(errors,
                               lw_field_path_text(field, lw_field_path_in(at, LW_STR("value"))),
                               value, "must be empty for operator `Exists`");
    lw_value_validate_at(rules, toleration, at, errors);
}

/* What a request and its alternatives have in common. */
static void check_choice(const lw_node *choice, const lw_field_path *at, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "deviceClassName", LW_VALUE_REQUIRED, NULL },
        { "deviceClassName", LW_VALUE_SUBDOMAIN, NULL },
        { "selectors", LW_VALUE_AT_MOST, "32" },
        { "selectors[].cel", LW_VALUE_PRESENT, NULL },
        { "selectors[].cel.expression", LW_VALUE_REQUIRED, NULL },
        { "allocationMode", LW_VALUE_ONE_OF, "All|ExactCount" },
        { "tolerations", LW_VALUE_AT_MOST, "16" },
        NO_RULE,
    };
    char field[LW_FIELD_PATH_SIZE];
    const lw_node *count = lw_node_get(choice, LW_STR("count"));
    const lw_node *tolerations = items_of(choice, "tolerations");
    int64_t number = lw_fields_int(choice, "count", 0);
    lw_str mode = lw_fields_text(choice, "allocationMode");
    lw_value_validate_at(rules, choice, at, errors);
    (void)lw_field_path_text(field, lw_field_path_in(at, LW_STR("count")));
    if (lw_str_equal(mode, LW_STR("All")) && number != 0)
        lw_field_error_plain(errors, field, lw_node_text(count),
                             "must not be specified when allocationMode is 'All'");
    if (lw_str_equal(mode, LW_STR("ExactCount")) && number <= 0)
        lw_field_error_plain(errors, field, lw_node_text(count), "must be greater than zero");
    for (size_t i = 0; i < lw_node_count(tolerations); i++) {
        lw_field_path place = lw_field_path_item(at, LW_STR("tolerations"), i);
        check_toleration(lw_node_at(tolerations, i), &place, errors);
    }
}

static void check_alternatives(const lw_node *list, const lw_field_path *above,
                               lw_api_status *errors)
{
    static const lw_value_rule name_rule[] = { { "name", LW_VALUE_LABEL_NEEDED, NULL }, NO_RULE };
    char field[LW_FIELD_PATH_SIZE];
    const lw_field_path at = lw_field_path_in(above, LW_STR("firstAvailable"));
    if (lw_node_count(list) > ALTERNATIVES_MAX) {
        lw_value_error_too_many(errors, lw_field_path_text(field, at), lw_node_count(list),
                                ALTERNATIVES_MAX);
        return;
    }
    lw_device_unique_validate(list, "name", false, &at, errors);
    for (size_t i = 0; i < lw_node_count(list); i++) {
        lw_field_path place = lw_field_path_item(above, at.name, i);
        lw_value_validate_at(name_rule, lw_node_at(list, i), &place, errors);
        check_choice(lw_node_at(list, i), &place, errors);
    }
}

static void check_request(const lw_node *request, const lw_field_path *at, lw_api_status *errors)
{
    static const lw_value_rule name_rule[] = { { "name", LW_VALUE_LABEL_NEEDED, NULL }, NO_RULE };
    char field[LW_FIELD_PATH_SIZE];
    const lw_node *exactly = lw_node_get(request, LW_STR("exactly"));
    const lw_node *alternatives = items_of(request, "firstAvailable");
    lw_field_path below = lw_field_path_in(at, LW_STR("exactly"));
    lw_value_validate_at(name_rule, request, at, errors);
    (void)lw_field_path_text(field, *at);
    if (exactly && lw_node_count(alternatives) > 0)
        lw_field_error_plain(errors, field, LW_STR("null"),
                             "exactly one of `exactly` or `firstAvailable` is required, but "
                             "multiple fields are set");
    else if (exactly)
        check_choice(exactly, &below, errors);
    else if (lw_node_count(alternatives) > 0)
        check_alternatives(alternatives, at, errors);
    else
        lw_field_error_required(errors, field,
                                "exactly one of `exactly` or `firstAvailable` is required");
}

/* True if |name| is "REQUEST" or "REQUEST/ALTERNATIVE" of the claim. */
static bool has_request(const lw_node *requests, lw_str name)
{
    lw_str first, second;
    bool has_second = lw_str_cut(name, '/', &first, &second);
    for (size_t i = 0; i < lw_node_count(requests); i++) {
        const lw_node *request = lw_node_at(requests, i);
        const lw_node *alternatives = items_of(request, "firstAvailable");
        if (!lw_str_equal(lw_fields_text(request, "name"), first))
            continue;
        for (size_t j = 0; has_second && j < lw_node_count(alternatives); j++) {
            if (lw_str_equal(lw_fields_text(lw_node_at(alternatives, j), "name"), second))
                return true;
        }
        return !has_second;
    }
    return false;
}

static void check_names(const lw_node *owner, const lw_node *requests, const lw_field_path *at,
                        lw_api_status *errors)
{
    static const lw_value_rule rules[] = { { "requests", LW_VALUE_AT_MOST, "32" }, NO_RULE };
    const lw_node *names = items_of(owner, "requests");
    lw_value_validate_at(rules, owner, at, errors);
    for (size_t i = 0; i < lw_node_count(names) && i < REQUESTS_MAX; i++) {
        char field[LW_FIELD_PATH_SIZE];
        lw_str name = lw_node_text(lw_node_at(names, i));
        lw_field_path place = lw_field_path_item(at, LW_STR("requests"), i);
        if (!has_request(requests, name))
            lw_field_error_invalid(errors, lw_field_path_text(field, place), name, no_such_request);
    }
}

/* The items of the list |key| refer to requests of the claim. */
static void check_references(const lw_node *devices, const char *key, const lw_field_path *above,
                             lw_api_status *errors)
{
    const lw_node *list = items_of(devices, key), *requests = items_of(devices, "requests");
    for (size_t i = 0; i < lw_node_count(list) && i < REQUESTS_MAX; i++) {
        lw_field_path place = lw_field_path_item(above, lw_str_of(key), i);
        check_names(lw_node_at(list, i), requests, &place, errors);
    }
}

static void check_constraint(const lw_node *constraint, const lw_field_path *at,
                             lw_api_status *errors)
{
    static const char *const keys[] = { "matchAttribute", "distinctAttribute" };
    char field[LW_FIELD_PATH_SIZE];
    size_t given = 0;
    for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
        const lw_node *attribute = lw_node_get(constraint, lw_str_of(keys[i]));
        lw_str name = lw_node_text(attribute), domain, rest;
        given += attribute != NULL;
        if (!attribute || lw_str_cut(name, '/', &domain, &rest))
            continue;
        lw_field_error_invalid(
            errors, lw_field_path_text(field, lw_field_path_in(at, lw_str_of(keys[i]))), name,
            "a fully qualified name must be a domain and a name separated by a slash");
    }
    if (given != 1)
        lw_field_error_required(errors, lw_field_path_text(field, *at),
                                "exactly one of \"matchAttribute\" or \"distinctAttribute\" is "
                                "required, but multiple fields are set");
}

static void check_configuration(const lw_node *config, const lw_field_path *at,
                                lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "opaque", LW_VALUE_PRESENT, NULL },
        { "opaque.parameters", LW_VALUE_PRESENT, NULL },
        NO_RULE,
    };
    const lw_field_path opaque = lw_field_path_in(at, LW_STR("opaque"));
    const lw_field_path driver = lw_field_path_in(&opaque, LW_STR("driver"));
    lw_value_validate_at(rules, config, at, errors);
    if (lw_node_get(config, LW_STR("opaque")))
        lw_device_driver_validate(lw_fields_text_at(config, "/opaque/driver"), &driver, errors);
}

/* Calls |check| with each of the at most 32 items of the list |key|. */
static void check_each(const lw_node *owner, const char *key, const lw_field_path *above,
                       void (*check)(const lw_node *, const lw_field_path *, lw_api_status *),
                       lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE];
    const lw_node *list = items_of(owner, key);
    if (lw_node_count(list) > REQUESTS_MAX) {
        lw_value_error_too_many(errors,
                                lw_field_path_text(field, lw_field_path_in(above, lw_str_of(key))),
                                lw_node_count(list), REQUESTS_MAX);
        return;
    }
    for (size_t i = 0; i < lw_node_count(list); i++) {
        lw_field_path place = lw_field_path_item(above, lw_str_of(key), i);
        check(lw_node_at(list, i), &place, errors);
    }
}

static void check_devices(const lw_node *devices, const char *path, lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE];
    const lw_field_path at = lw_field_path_in(NULL, lw_str_of(path));
    const lw_field_path requests_at = lw_field_path_in(&at, LW_STR("requests"));
    const lw_node *requests = items_of(devices, "requests");
    if (lw_node_count(requests) > REQUESTS_MAX) {
        lw_value_error_too_many(errors, lw_field_path_text(field, requests_at),
                                lw_node_count(requests), REQUESTS_MAX);
        return;
    }
    lw_device_unique_validate(requests, "name", false, &requests_at, errors);
    check_each(devices, "requests", &at, check_request, errors);
    check_each(devices, "constraints", &at, check_constraint, errors);
    check_each(devices, "config", &at, check_configuration, errors);
    check_references(devices, "constraints", &at, errors);
    check_references(devices, "config", &at, errors);
}

/* The spec cannot change, so that only a new one is checked. */
static bool is_immutable(const lw_pending_object *pending, bool shows_spec, lw_api_status *errors)
{
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    if (!pending->old)
        return false;
    if (lw_node_equal(spec, lw_node_get(pending->old, LW_STR("spec"))))
        return true;
    if (shows_spec)
        lw_value_error(errors, "spec", spec, "field is immutable");
    else
        lw_field_error_plain(errors, "spec", LW_STR("null"), "field is immutable");
    return true;
}

static void claim_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    if (!is_immutable(pending, false, errors))
        check_devices(lw_fields_find(pending->root, "/spec/devices"), "spec.devices", errors);
}

static void template_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    const lw_node *metadata = lw_fields_find(pending->root, "/spec/metadata");
    if (is_immutable(pending, true, errors))
        return;
    lw_validate_labels(lw_node_get(metadata, LW_STR("labels")), LW_STR("spec.metadata.labels"),
                       errors);
    for (size_t i = 0; i < lw_node_count(metadata); i++) {
        char field[LW_FIELD_PATH_SIZE];
        const lw_field_path at = lw_field_path_in(NULL, LW_STR("spec.metadata"));
        lw_str key = lw_node_key_at(metadata, i);
        if (lw_value_is_one_of(key, "labels|annotations|creationTimestamp"))
            continue;
        lw_field_error_forbidden(errors, lw_field_path_text(field, lw_field_path_in(&at, key)),
                                 LW_STR("cannot be set"));
    }
    check_devices(lw_fields_find(pending->root, "/spec/spec/devices"), "spec.spec.devices", errors);
}

/* A device whose allocation is gone has no status any more. */
static void drop_deallocated(const lw_pending_object *pending)
{
    lw_node *status = lw_node_get(pending->root, LW_STR("status"));
    if (!lw_node_get(status, LW_STR("allocation")) &&
        lw_fields_find(pending->old, "/status/allocation"))
        lw_fields_remove(status, "devices");
}

static void claim_status(lw_pending_object *pending, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "reservedFor", LW_VALUE_AT_MOST, "256" },
        { "reservedFor[].resource", LW_VALUE_REQUIRED, NULL },
        { "reservedFor[].name", LW_VALUE_REQUIRED, NULL },
        { "reservedFor[].uid", LW_VALUE_REQUIRED, NULL },
        NO_RULE,
    };
    const lw_node *status = lw_node_get(pending->root, LW_STR("status"));
    const lw_node *allocation = lw_node_get(status, LW_STR("allocation"));
    const lw_node *before = lw_fields_find(pending->old, "/status/allocation");
    const lw_node *reserved = items_of(status, "reservedFor");
    const lw_field_path at = lw_field_path_in(NULL, LW_STR("status.reservedFor"));
    drop_deallocated(pending);
    lw_value_validate(rules, status, "status", errors);
    if (lw_node_count(reserved) <= RESERVED_MAX)
        lw_device_unique_validate(reserved, "uid", false, &at, errors);
    if (lw_node_count(reserved) > 0 && !allocation)
        lw_field_error_forbidden(errors, "status.reservedFor",
                                 LW_STR("may not be specified when `allocated` is not set"));
    if (allocation && before && !lw_node_equal(allocation, before))
        lw_field_error_plain(errors, "status.allocation", LW_STR("null"), "field is immutable");
}

static void class_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "selectors", LW_VALUE_AT_MOST, "32" },
        { "selectors[].cel", LW_VALUE_PRESENT, NULL },
        { "selectors[].cel.expression", LW_VALUE_REQUIRED, NULL },
        NO_RULE,
    };
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    const lw_field_path at = lw_field_path_in(NULL, LW_STR("spec"));
    lw_str name = lw_fields_text(spec, "extendedResourceName");
    lw_value_validate(rules, spec, "spec", errors);
    check_each(spec, "config", &at, check_configuration, errors);
    if (lw_node_get(spec, LW_STR("extendedResourceName")) &&
        (name.len == 0 || !memchr(name.ptr, '/', name.len)))
        lw_field_error_invalid(errors, "spec.extendedResourceName", name,
                               "a name must be a domain-prefixed path, such as "
                               "'example.com/my-prop'");
}

#define RESOURCE .group = LW_STR_INIT("resource.k8s.io")

const lw_strategy lw_strategies_device_claim[] = {
    { RESOURCE, .plural = LW_STR_INIT("deviceclasses"), .validate = class_validate },
    { RESOURCE, .plural = LW_STR_INIT("resourceclaims"), .defaults = claim_defaults,
      .validate = claim_validate, .status = claim_status },
    { RESOURCE, .plural = LW_STR_INIT("resourceclaimtemplates"), .defaults = template_defaults,
      .validate = template_validate },
    { .plural = LW_STR_INIT("") },
};
