/* SPDX-License-Identifier: Apache-2.0 */
/* plugins.c -- the table of plugins, and the short ones. */
#include "api/admission/plugins.h"

#include <listwatch/quantity.h>

#include "api/admission/certificates.h"
#include "api/admission/class_lookup.h"
#include "api/admission/priority.h"
#include "api/admission/runtime_class.h"
#include "api/pending/metadata.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

/* Appends to a list, which is made if it does not exist. */
static lw_node *list_of(lw_tree *tree, lw_node *object, const char *key)
{
    lw_node *list = lw_node_get(object, lw_str_of(key));
    if (!lw_node_is(list, LW_JSON_ARRAY)) {
        list = lw_tree_array(tree);
        lw_node_put(tree, object, lw_str_of(key), list);
    }
    return list;
}

/* A new node gets no pods before somebody has seen that it is ready. */
static bool taint_node(lw_admission *admission)
{
    lw_tree *tree = admission->object->tree;
    static const lw_str key = LW_STR_INIT("node.kubernetes.io/not-ready");
    static const lw_str effect = LW_STR_INIT("NoSchedule");
    lw_node *spec = lw_fields_object(tree, admission->object->root, "spec");
    lw_node *taints = list_of(tree, spec, "taints");
    for (size_t i = 0; i < lw_node_count(taints); i++) {
        const lw_node *taint = lw_node_at(taints, i);
        if (lw_str_equal(lw_fields_text(taint, "key"), key) &&
            lw_str_equal(lw_fields_text(taint, "effect"), effect))
            return true;
    }
    lw_node *taint = lw_tree_object(tree);
    lw_fields_set_text(tree, taint, "key", key);
    lw_fields_set_text(tree, taint, "effect", effect);
    lw_node_append(tree, taints, taint);
    return true;
}

/* Sets member |key| of the spec to the name of the default class, if there is one. */
static bool set_default_class(lw_admission *admission, const lw_class_default *wanted,
                              const char *key)
{
    lw_tree *tree = admission->object->tree;
    lw_object *class = NULL;
    if (!lw_class_find_default(admission, wanted, &class))
        return false;
    if (class)
        lw_fields_set_text(tree, lw_fields_object(tree, admission->object->root, "spec"), key,
                           lw_str_of(lw_object_name(class)));
    lw_object_unref(class);
    return true;
}

static const lw_node *annotation(const lw_admission *admission, const char *name)
{
    return lw_node_get(lw_node_get(admission->object->metadata, LW_STR("annotations")),
                       lw_str_of(name));
}

static bool set_storage_class(lw_admission *admission)
{
    static const lw_class_default wanted = {
        .kind = &lw_kind_storageclasses,
        .marks = { "/metadata/annotations/storageclass.kubernetes.io~1is-default-class",
                   "/metadata/annotations/storageclass.beta.kubernetes.io~1is-default-class" },
    };
    if (lw_fields_find(admission->object->root, "/spec/storageClassName") ||
        annotation(admission, "volume.beta.kubernetes.io/storage-class"))
        return true;
    return set_default_class(admission, &wanted, "storageClassName");
}

static bool set_ingress_class(lw_admission *admission)
{
    static const lw_class_default wanted = {
        .kind = &lw_kind_ingressclasses,
        .marks = { "/metadata/annotations/ingressclass.kubernetes.io~1is-default-class" },
    };
    if (lw_fields_find(admission->object->root, "/spec/ingressClassName") ||
        annotation(admission, "kubernetes.io/ingress.class"))
        return true;
    return set_default_class(admission, &wanted, "ingressClassName");
}

/* What is in use shall not be deleted: lifecycle/storage_protection.h takes the finalizer off. */
static bool protect_storage(lw_admission *admission)
{
    lw_tree *tree = admission->object->tree;
    lw_str name = admission->object->kind == &lw_kind_persistentvolumes ? LW_FINALIZER_VOLUME
                                                                        : LW_FINALIZER_CLAIM;
    lw_node *finalizers = list_of(tree, admission->object->metadata, "finalizers");
    if (!lw_fields_list_has(finalizers, name))
        lw_node_append(tree, finalizers, lw_tree_string(tree, name));
    return true;
}

static lw_quantity requested_storage(const lw_node *root)
{
    lw_quantity quantity = lw_quantity_of_count(0);
    (void)lw_quantity_parse(lw_fields_text_at(root, "/spec/resources/requests/storage"), &quantity);
    return quantity;
}

/* A claim can grow if it is bound and its class, which stays the same, says so. */
static bool check_claim_resize(lw_admission *admission)
{
    const lw_node *now = admission->object->root, *old = admission->object->old;
    lw_str name = lw_fields_text_at(now, "/spec/storageClassName");
    lw_object *class = NULL;
    if (lw_quantity_compare(requested_storage(now), requested_storage(old)) <= 0)
        return true;
    if (!lw_str_equal(lw_fields_text_at(old, "/status/phase"), LW_STR("Bound")))
        return lw_class_forbid(admission, "Only bound persistent volume claims can be expanded");
    if (name.len > 0 && !lw_class_find(admission, &lw_kind_storageclasses, name, &class))
        return false;
    bool can_grow = class && lw_object_bool(class, "/allowVolumeExpansion", false) &&
                    lw_str_equal(name, lw_fields_text_at(old, "/spec/storageClassName"));
    lw_object_unref(class);
    return can_grow ||
           lw_class_forbid(admission, "only dynamically provisioned pvc can be resized and the "
                                      "storageclass that provisions the pvc must support resize");
}

typedef struct plugin {
    lw_admission_plugin plugin;
    const lw_kind *kind;
    unsigned operations; /* LW_ADMIT_ bits */
    bool (*run)(lw_admission *admission);
} plugin;

static const plugin mutating[] = {
    { LW_PLUGIN_TAINT_NODES, &lw_kind_nodes, LW_ADMIT_CREATE, taint_node },
    { LW_PLUGIN_PRIORITY, &lw_kind_pods, LW_ADMIT_CREATE, lw_priority_admit_pod },
    { LW_PLUGIN_STORAGE_CLASS, &lw_kind_persistentvolumeclaims, LW_ADMIT_CREATE,
      set_storage_class },
    { LW_PLUGIN_STORAGE_PROTECTION, &lw_kind_persistentvolumeclaims, LW_ADMIT_CREATE,
      protect_storage },
    { LW_PLUGIN_STORAGE_PROTECTION, &lw_kind_persistentvolumes, LW_ADMIT_CREATE, protect_storage },
    { LW_PLUGIN_RUNTIME_CLASS, &lw_kind_pods, LW_ADMIT_CREATE, lw_runtime_class_admit },
    { LW_PLUGIN_INGRESS_CLASS, &lw_kind_ingresses, LW_ADMIT_CREATE, set_ingress_class },
};

static const plugin validating[] = {
    { LW_PLUGIN_PRIORITY, &lw_kind_priorityclasses, LW_ADMIT_CREATE | LW_ADMIT_UPDATE,
      lw_priority_admit_class },
    { LW_PLUGIN_CLAIM_RESIZE, &lw_kind_persistentvolumeclaims, LW_ADMIT_UPDATE,
      check_claim_resize },
    { LW_PLUGIN_RUNTIME_CLASS, &lw_kind_pods, LW_ADMIT_CREATE, lw_runtime_class_check },
    { LW_PLUGIN_TRUST_BUNDLE, &lw_kind_clustertrustbundles, LW_ADMIT_CREATE | LW_ADMIT_UPDATE,
      lw_trust_bundle_admit },
};

static bool run(lw_admission *admission, const plugin *plugins, size_t count)
{
    const lw_pending_object *object = admission->object;
    for (size_t i = 0; i < count; i++) {
        if (plugins[i].kind == object->kind &&
            plugins[i].operations & (unsigned)admission->operation &&
            lw_api_has_plugin(object->port->api, plugins[i].plugin) && !plugins[i].run(admission))
            return false;
    }
    return true;
}

bool lw_plugins_mutate(lw_admission *admission)
{
    return run(admission, mutating, sizeof(mutating) / sizeof(mutating[0]));
}

bool lw_plugins_validate(lw_admission *admission)
{
    return run(admission, validating, sizeof(validating) / sizeof(validating[0]));
}
