/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_core.c -- namespaces, volumes and claims. */
#include "json/fields.h"
#include "api/strategy/strategy.h"
#include "api/pending/metadata_validation.h"
#include "api/pending/value_validation.h"
#include "base/quantity.h"
#include "base/str.h"

static void set_phase(lw_draft *draft, const char *phase)
{
    lw_node *status = lw_fields_object(draft->tree, draft->root, "status");
    lw_fields_set_text(draft->tree, status, "phase", lw_str_of(phase));
}

/* Selectors find a namespace by this label. */
static void namespace_defaults(lw_draft *draft)
{
    lw_str name = lw_fields_text(draft->metadata, "name");
    if (name.len == 0)
        return; /* it is yet to be drawn */
    lw_node *labels = lw_fields_object(draft->tree, draft->metadata, "labels");
    lw_fields_set_text(draft->tree, labels, "kubernetes.io/metadata.name", name);
}

static void namespace_create(lw_draft *draft, lw_api_status *faults)
{
    static const char finalizer[] = "kubernetes";
    (void)faults;
    lw_tree *tree = draft->tree;
    lw_node *spec = lw_fields_object(tree, draft->root, "spec");
    namespace_defaults(draft);
    lw_node *finalizers = lw_node_get(spec, LW_STR("finalizers"));
    if (!lw_node_is(finalizers, LW_JSON_ARRAY)) {
        finalizers = lw_tree_array(tree);
        lw_node_put(tree, spec, LW_STR("finalizers"), finalizers);
    }
    if (!lw_fields_list_has(finalizers, lw_str_of(finalizer)))
        lw_node_append(tree, finalizers, lw_tree_string(tree, lw_str_of(finalizer)));
    set_phase(draft, "Active");
}

static void namespace_update(lw_draft *draft, lw_api_status *faults)
{
    (void)faults;
    lw_node *spec = lw_fields_object(draft->tree, draft->root, "spec");
    lw_fields_set_copy(draft->tree, spec, "finalizers",
                       lw_fields_find(draft->old, "/spec/finalizers"));
}

static void volume_defaults(lw_draft *draft)
{
    lw_node *spec = lw_fields_object(draft->tree, draft->root, "spec");
    lw_fields_default_text(draft->tree, spec, "persistentVolumeReclaimPolicy", "Retain");
    lw_fields_default_text(draft->tree, spec, "volumeMode", "Filesystem");
}

static void claim_defaults(lw_draft *draft)
{
    lw_node *spec = lw_fields_object(draft->tree, draft->root, "spec");
    lw_fields_default_text(draft->tree, spec, "volumeMode", "Filesystem");
}

static void check_claim(const lw_node *spec, lw_api_status *faults)
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
        lw_fault_required(faults, "spec.accessModes", "at least 1 access mode is required");
    for (size_t i = 0; i < lw_node_count(wanted); i++) {
        lw_str mode = lw_node_text(lw_node_at(wanted, i));
        if (!lw_value_is_one_of(mode, modes))
            lw_value_fault_words(faults, "spec.accessModes", mode, modes);
    }
    if (size.len == 0)
        lw_fault_required(faults, "spec.resources[storage]", "");
    else if (lw_quantity_parse(size, &quantity) && quantity.nanos <= 0)
        lw_fault_invalid(faults, "spec.resources[storage]", size, "must be greater than zero");
    lw_value_rules_check(rules, spec, "spec", faults);
}

static bool read_size(const lw_node *object, lw_quantity *size)
{
    return lw_quantity_parse(lw_fields_text_at(object, "/spec/resources/requests/storage"), size);
}

static void check_claim_update(const lw_draft *draft, lw_api_status *faults)
{
    lw_quantity now = { 0 }, old = { 0 };
    lw_str mode = lw_fields_text_at(draft->root, "/spec/volumeMode");
    (void)read_size(draft->root, &now);
    if (read_size(draft->old, &old) && now.nanos < old.nanos)
        lw_fault_forbidden(faults, "spec.resources.requests.storage",
                           LW_STR("field can not be less than status.capacity"));
    if (!lw_str_equal(mode, lw_fields_text_at(draft->old, "/spec/volumeMode")))
        lw_fault_invalid(faults, "volumeMode", mode, "field is immutable");
}

/* A claim may be bound, once, and may grow when it is. */
static void claim_validate(const lw_draft *draft, lw_api_status *faults)
{
    check_claim(lw_node_get(draft->root, LW_STR("spec")), faults);
    const char *changeable[5] = { "volumeAttributesClassName" };
    size_t count = 1;
    if (lw_fields_text_at(draft->old, "/spec/volumeName").len == 0)
        changeable[count++] = "volumeName";
    if (!lw_fields_find(draft->old, "/spec/storageClassName"))
        changeable[count++] = "storageClassName";
    if (lw_str_equal(lw_fields_text_at(draft->old, "/status/phase"), LW_STR("Bound")))
        changeable[count++] = "resources";
    lw_validate_spec_update(draft, changeable,
                            "spec is immutable after creation except resources.requests and "
                            "volumeAttributesClassName for bound claims",
                            faults);
    if (draft->old)
        check_claim_update(draft, faults);
}

static void pending_create(lw_draft *draft, lw_api_status *faults)
{
    (void)faults;
    set_phase(draft, "Pending");
}

const lw_kind_rules lw_rules_core[] = {
    { .plural = LW_STR_INIT("namespaces"),
      .defaults = namespace_defaults,
      .create = namespace_create,
      .update = namespace_update },
    { .plural = LW_STR_INIT("persistentvolumes"),
      .defaults = volume_defaults,
      .create = pending_create },
    { .plural = LW_STR_INIT("persistentvolumeclaims"),
      .defaults = claim_defaults,
      .create = pending_create,
      .validate = claim_validate },
    { .plural = LW_STR_INIT("") },
};
