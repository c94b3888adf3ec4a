/* SPDX-License-Identifier: Apache-2.0 */
/* runtime_class.c -- what the class of a pod's runtime says about the pod. */
#include "api/admission/runtime_class.h"

#include <stdio.h>

#include "api/admission/class_lookup.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    TEXT_SIZE = 1024,
};

#define MISMATCH "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"

/* Parses the class of the pod into |*tree|; NULL: it names none.  False: refused. */
static bool read_class(lw_admission *admission, lw_tree **tree)
{
    lw_str name = lw_fields_text_at(admission->object->root, "/spec/runtimeClassName");
    lw_object *class = NULL;
    char why[TEXT_SIZE];
    if (name.len == 0)
        return true;
    if (!lw_class_find(admission, &lw_kind_runtimeclasses, name, &class))
        return false;
    if (!class) {
        (void)snprintf(why, sizeof(why), "pod rejected: RuntimeClass \"%.*s\" not found",
                       LW_STR_ARG(name));
        return lw_class_forbid(admission, why);
    }
    lw_pending_object_note(admission->object, lw_tree_parse(tree, lw_object_json(class), 0, NULL));
    lw_object_unref(class);
    return true;
}

static const lw_node *overhead_of(const lw_tree *class)
{
    return class ? lw_fields_find(lw_tree_root(class), "/overhead/podFixed") : NULL;
}

static bool set_overhead(lw_admission *admission, lw_node *spec, const lw_tree *class)
{
    const lw_node *overhead = overhead_of(class), *given = lw_node_get(spec, LW_STR("overhead"));
    if (!overhead)
        return true;
    if (lw_node_count(given) > 0 && !lw_node_equal(given, overhead))
        return lw_class_forbid(admission, MISMATCH);
    lw_node_put(admission->object->tree, spec, LW_STR("overhead"),
                lw_tree_copy(admission->object->tree, overhead));
    return true;
}

static bool add_selector(lw_admission *admission, lw_node *spec, const lw_node *wanted)
{
    char why[TEXT_SIZE];
    if (lw_node_count(wanted) == 0)
        return true;
    lw_node *selector = lw_fields_object(admission->object->tree, spec, "nodeSelector");
    for (size_t i = 0; i < lw_node_count(wanted); i++) {
        lw_str key = lw_node_key_at(wanted, i), value = lw_node_text(lw_node_at(wanted, i));
        const lw_node *given = lw_node_get(selector, key);
        if (given && !lw_str_equal(lw_node_text(given), value)) {
            (void)snprintf(why, sizeof(why),
                           "conflict: runtimeClass.scheduling.nodeSelector[%.*s] = %.*s; "
                           "pod.spec.nodeSelector[%.*s] = %.*s",
                           LW_STR_ARG(key), LW_STR_ARG(value), LW_STR_ARG(key),
                           LW_STR_ARG(lw_node_text(given)));
            return lw_class_forbid(admission, why);
        }
        if (!given)
            lw_node_put(admission->object->tree, selector, key,
                        lw_tree_string(admission->object->tree, value));
    }
    return true;
}

static void add_tolerations(lw_tree *tree, lw_node *spec, const lw_node *wanted)
{
    if (lw_node_count(wanted) == 0)
        return;
    lw_node *list = lw_node_get(spec, LW_STR("tolerations"));
    size_t given = lw_node_count(list);
    if (!list) {
        list = lw_tree_array(tree);
        lw_node_put(tree, spec, LW_STR("tolerations"), list);
    }
    for (size_t i = 0; i < lw_node_count(wanted); i++) {
        const lw_node *toleration = lw_node_at(wanted, i);
        bool is_there = false;
        for (size_t k = 0; k < given && !is_there; k++)
            is_there = lw_node_equal(lw_node_at(list, k), toleration);
        if (!is_there)
            lw_node_append(tree, list, lw_tree_copy(tree, toleration));
    }
}

bool lw_runtime_class_admit(lw_admission *admission)
{
    lw_tree *class = NULL;
    if (!read_class(admission, &class))
        return false;
    if (!class)
        return true;
    lw_tree *tree = admission->object->tree;
    lw_node *spec = lw_fields_object(tree, admission->object->root, "spec");
    const lw_node *scheduling = lw_node_get(lw_tree_root(class), LW_STR("scheduling"));
    bool is_admitted =
        set_overhead(admission, spec, class) &&
        add_selector(admission, spec, lw_node_get(scheduling, LW_STR("nodeSelector")));
    if (is_admitted)
        add_tolerations(tree, spec, lw_node_get(scheduling, LW_STR("tolerations")));
    lw_tree_free(class);
    return is_admitted;
}

bool lw_runtime_class_check(lw_admission *admission)
{
    lw_tree *class = NULL;
    const lw_node *given = lw_fields_find(admission->object->root, "/spec/overhead");
    if (!read_class(admission, &class))
        return false;
    const lw_node *overhead = overhead_of(class);
    const char *why = NULL;
    if (overhead && !lw_node_equal(given, overhead))
        why = MISMATCH;
    else if (!overhead && given)
        why = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead";
    lw_tree_free(class);
    return !why || lw_class_forbid(admission, why);
}
