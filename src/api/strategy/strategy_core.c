/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_core.c -- namespaces, volumes and claims. */
#include <listwatch/quantity.h>

#include "api/pending/metadata_validation.h"
#include "api/pending/value_validation.h"
#include "api/strategy/status/status_validation.h"
#include "api/strategy/strategy.h"
#include "base/str.h"
#include "json/fields.h"

static void set_phase(lw_pending_object *pending, const char *phase)
{
    lw_node *status = lw_fields_object(pending->tree, pending->root, "status");
    lw_fields_set_text(pending->tree, status, "phase", lw_str_of(phase));
}

/* Sets the label by which selectors find a namespace. */
static void namespace_defaults(lw_pending_object *pending)
{
    lw_str name = lw_fields_text(pending->metadata, "name");
    if (name.len == 0)
        return; /* the name is not generated yet */
    lw_node *labels = lw_fields_object(pending->tree, pending->metadata, "labels");
    lw_fields_set_text(pending->tree, labels, "kubernetes.io/metadata.name", name);
}

static void namespace_status_defaults(lw_pending_object *pending)
{
    lw_node *status = lw_fields_object(pending->tree, pending->root, "status");
    lw_fields_default_text(pending->tree, status, "phase", "Active");
}

static void namespace_create(lw_pending_object *pending, lw_api_status *errors)
{
    static const char finalizer[] = "kubernetes";
    (void)errors;
    lw_tree *tree = pending->tree;
    lw_node *spec = lw_fields_object(tree, pending->root, "spec");
    namespace_defaults(pending);
    lw_node *finalizers = lw_node_get(spec, LW_STR("finalizers"));
    if (!lw_node_is(finalizers, LW_JSON_ARRAY)) {
        finalizers = lw_tree_array(tree);
        lw_node_put(tree, spec, LW_STR("finalizers"), finalizers);
    }
    if (!lw_fields_list_has(finalizers, lw_str_of(finalizer)))
        lw_node_append(tree, finalizers, lw_tree_string(tree, lw_str_of(finalizer)));
    set_phase(pending, "Active");
}

static void namespace_update(lw_pending_object *pending, lw_api_status *errors)
{
    (void)errors;
    lw_node *spec = lw_fields_object(pending->tree, pending->root, "spec");
    lw_fields_set_copy(pending->tree, spec, "finalizers",
                       lw_fields_find(pending->old, "/spec/finalizers"));
}

static void volume_defaults(lw_pending_object *pending)
{
    lw_node *spec = lw_fields_object(pending->tree, pending->root, "spec");
    lw_fields_default_text(pending->tree, spec, "persistentVolumeReclaimPolicy", "Retain");
    lw_fields_default_text(pending->tree, spec, "volumeMode", "Filesystem");
}

static void claim_defaults(lw_pending_object *pending)
{
    lw_node *spec = lw_fields_object(pending->tree, pending->root, "spec");
    lw_fields_default_text(pending->tree, spec, "volumeMode", "Filesystem");
}

static void check_claim(const lw_node *spec, lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "volumeMode", LW_VALUE_ONE_OF, "Block|Filesystem" },
        { NULL, LW_VALUE_REQUIRED, NULL },
    };
    static const char modes[] = "ReadOnlyMany|ReadWriteMany|ReadWriteOnce|ReadWriteOncePod";
    const lw_node *wanted = lw_node_get(spec, LW_STR("accessModes"));
    lw_str size = lw_fields_text_at(spec, "/resources/requests/storage");
    lw_quantity quantity;
    if (lw_node_count(wanted) == 0)
        lw_field_error_required(errors, "spec.accessModes", "at least 1 access mode is required");
    for (size_t i = 0; i < lw_node_count(wanted); i++) {
        lw_str mode = lw_node_text(lw_node_at(wanted, i));
        if (!lw_value_is_one_of(mode, modes))
            lw_value_error_unsupported(errors, "spec.accessModes", mode, modes);
    }
    if (size.len == 0)
        lw_field_error_required(errors, "spec.resources[storage]", "");
    else if (lw_quantity_parse(size, &quantity) && quantity.nanos <= 0)
        lw_field_error_invalid(errors, "spec.resources[storage]", size,
                               "must be greater than zero");
    lw_value_validate(rules, spec, "spec", errors);
}

static bool read_size(const lw_node *object, lw_quantity *size)
{
    return lw_quantity_parse(lw_fields_text_at(object, "/spec/resources/requests/storage"), size);
}

static void check_claim_update(const lw_pending_object *pending, lw_api_status *errors)
{
    lw_quantity now = { 0 }, old = { 0 };
    lw_str mode = lw_fields_text_at(pending->root, "/spec/volumeMode");
    (void)read_size(pending->root, &now);
    if (read_size(pending->old, &old) && now.nanos < old.nanos)
        lw_field_error_forbidden(errors, "spec.resources.requests.storage",
                                 LW_STR("field can not be less than status.capacity"));
    if (!lw_str_equal(mode, lw_fields_text_at(pending->old, "/spec/volumeMode")))
        lw_field_error_invalid(errors, "volumeMode", mode, "field is immutable");
}

/* A claim can be bound once; a bound claim can request more storage. */
static void claim_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    check_claim(lw_node_get(pending->root, LW_STR("spec")), errors);
    const char *changeable[5] = { "volumeAttributesClassName" };
    size_t count = 1;
    if (lw_fields_text_at(pending->old, "/spec/volumeName").len == 0)
        changeable[count++] = "volumeName";
    if (!lw_fields_find(pending->old, "/spec/storageClassName"))
        changeable[count++] = "storageClassName";
    if (lw_str_equal(lw_fields_text_at(pending->old, "/status/phase"), LW_STR("Bound")))
        changeable[count++] = "resources";
    lw_validate_spec_update(pending, changeable,
                            "spec is immutable after creation except resources.requests and "
                            "volumeAttributesClassName for bound claims",
                            errors);
    if (pending->old)
        check_claim_update(pending, errors);
}

static void pending_create(lw_pending_object *pending, lw_api_status *errors)
{
    (void)errors;
    set_phase(pending, "Pending");
}

const lw_strategy lw_strategies_core[] = {
    { .plural = LW_STR_INIT("namespaces"),
      .defaults = namespace_defaults,
      .create = namespace_create,
      .update = namespace_update,
      .status_defaults = namespace_status_defaults,
      .status = lw_status_validate_namespace },
    { .plural = LW_STR_INIT("persistentvolumes"),
      .defaults = volume_defaults,
      .create = pending_create },
    { .plural = LW_STR_INIT("persistentvolumeclaims"),
      .defaults = claim_defaults,
      .create = pending_create,
      .validate = claim_validate },
    { .plural = LW_STR_INIT("") },
};
