/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_pod_part.c -- the subresources of pods that change a part of the spec: ephemeral
 * containers can be added; resources of containers can be changed. */
#include <stdio.h>

#include "api/pending/metadata_validation.h"
#include "api/pending/value_validation.h"
#include "api/strategy/strategy.h"
#include "api/strategy/strategy_container.h"
#include "api/strategy/strategy_pod.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    DETAIL_SIZE = 256,
    EPHEMERAL_MAX = 1000, /* containers are compared with each other */
};

static const lw_node *list_of(const lw_node *spec, const char *key)
{
    const lw_node *list = lw_node_get(spec, lw_str_of(key));
    return lw_node_is(list, LW_JSON_ARRAY) ? list : NULL;
}

/* Of each container of |old|, takes the resources that |sent| has.  Containers that are not the
 * same are taken as they are, so that validation reports them. */
static void merge_resources(lw_tree *tree, lw_node *spec, const lw_node *sent, const lw_node *old,
                            const char *key)
{
    const lw_node *now = list_of(sent, key), *before = list_of(old, key);
    bool is_same = lw_node_count(now) == lw_node_count(before);
    for (size_t i = 0; is_same && i < lw_node_count(now); i++)
        is_same = lw_str_equal(lw_fields_text(lw_node_at(now, i), "name"),
                               lw_fields_text(lw_node_at(before, i), "name"));
    if (!now)
        return;
    lw_node *list = lw_tree_array(tree);
    for (size_t i = 0; i < lw_node_count(now); i++) {
        const lw_node *given = lw_node_at(now, i);
        lw_node *container = lw_tree_copy(tree, is_same ? lw_node_at(before, i) : given);
        lw_node_append(tree, list, container);
        lw_fields_remove(container, "resources");
        lw_fields_remove(container, "resizePolicy");
        lw_fields_set_copy(tree, container, "resources", lw_node_get(given, LW_STR("resources")));
        lw_fields_set_copy(tree, container, "resizePolicy",
                           lw_node_get(given, LW_STR("resizePolicy")));
    }
    lw_node_put(tree, spec, lw_str_of(key), list);
}

void lw_pod_keep_part(lw_pending_object *pending, unsigned subresource)
{
    static const char *const kept[] = { "labels", "annotations", "finalizers", "ownerReferences" };
    lw_tree *tree = pending->tree;
    const lw_node *sent = lw_node_get(pending->root, LW_STR("spec"));
    const lw_node *old = lw_node_get(pending->old, LW_STR("spec"));
    lw_node *spec = lw_tree_copy(tree, old);
    if (subresource == LW_SUB_RESIZE) {
        merge_resources(tree, spec, sent, old, "containers");
        merge_resources(tree, spec, sent, old, "initContainers");
    } else {
        lw_fields_remove(spec, "ephemeralContainers");
        lw_fields_set_copy(tree, spec, "ephemeralContainers",
                           lw_node_get(sent, LW_STR("ephemeralContainers")));
    }
    lw_node_put(tree, pending->root, LW_STR("spec"), spec);
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        lw_fields_remove(pending->metadata, kept[i]);
        lw_fields_set_copy(tree, pending->metadata, kept[i],
                           lw_node_get(lw_node_get(pending->old, LW_STR("metadata")),
                                       lw_str_of(kept[i])));
    }
}

/* Whether the first |count| items of |list| have one with this name. */
static const lw_node *find_named(const lw_node *list, size_t count, lw_str name)
{
    for (size_t i = 0; i < count; i++) {
        if (lw_str_equal(lw_fields_text(lw_node_at(list, i), "name"), name))
            return lw_node_at(list, i);
    }
    return NULL;
}

static bool has_container(const lw_node *spec, lw_str name)
{
    const lw_node *containers = list_of(spec, "containers");
    const lw_node *starters = list_of(spec, "initContainers");
    return find_named(containers, lw_node_count(containers), name) ||
           find_named(starters, lw_node_count(starters), name);
}

/* An ephemeral container has no ports, probes, resources or hooks. */
static void check_fields(const lw_node *container, const lw_field_path *at, lw_api_status *errors)
{
    static const char allowed[] =
        "name|image|command|args|workingDir|env|envFrom|volumeMounts|volumeDevices|"
        "terminationMessagePath|terminationMessagePolicy|imagePullPolicy|securityContext|stdin|"
        "stdinOnce|tty|targetContainerName";
    for (size_t i = 0; i < lw_node_count(container); i++) {
        char field[LW_FIELD_PATH_SIZE];
        lw_str key = lw_node_key_at(container, i);
        const lw_node *value = lw_node_at(container, i);
        bool is_empty = lw_node_is(value, LW_JSON_OBJECT) && lw_node_count(value) == 0;
        if (is_empty || lw_value_is_one_of(key, allowed))
            continue;
        lw_field_error_forbidden(errors, lw_field_path_text(field, lw_field_path_in(at, key)),
                                 LW_STR("cannot be set for an Ephemeral Container"));
    }
}

static void check_ephemeral(const lw_node *spec, const lw_node *list, size_t i,
                            lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "name", LW_VALUE_REQUIRED, NULL },
        { "name", LW_VALUE_LABEL, NULL },
        { "image", LW_VALUE_REQUIRED, NULL },
        { NULL, LW_VALUE_REQUIRED, NULL },
    };
    char field[LW_FIELD_PATH_SIZE];
    const lw_node *container = lw_node_at(list, i);
    const lw_field_path at = lw_field_path_item(NULL, LW_STR("spec.ephemeralContainers"), i);
    lw_str name = lw_fields_text(container, "name");
    lw_str target = lw_fields_text(container, "targetContainerName");
    lw_value_validate_at(rules, container, &at, errors);
    if (name.len > 0 && (has_container(spec, name) || find_named(list, i, name))) {
        (void)lw_field_path_text(field, lw_field_path_in(&at, LW_STR("name")));
        lw_api_status_add_field_error(errors, LW_FIELD_DUPLICATE, lw_str_of(field), name,
                                      LW_STR(""));
    }
    if (target.len > 0 && !has_container(spec, target)) {
        (void)lw_field_path_text(field, lw_field_path_in(&at, LW_STR("targetContainerName")));
        lw_api_status_add_field_error(errors, LW_FIELD_NOT_FOUND, lw_str_of(field), target,
                                      LW_STR(""));
    }
    check_fields(container, &at, errors);
}

static void validate_ephemeral(const lw_node *spec, const lw_node *old, lw_api_status *errors)
{
    const lw_node *list = list_of(spec, "ephemeralContainers");
    const lw_node *before = list_of(old, "ephemeralContainers");
    if (lw_node_count(list) > EPHEMERAL_MAX) {
        lw_value_error_too_many(errors, "spec.ephemeralContainers", lw_node_count(list),
                                EPHEMERAL_MAX);
        return;
    }
    for (size_t i = 0; i < lw_node_count(list); i++)
        check_ephemeral(spec, list, i, errors);
    for (size_t i = 0; i < lw_node_count(before); i++) {
        char detail[DETAIL_SIZE];
        const lw_node *stored = lw_node_at(before, i);
        lw_str name = lw_fields_text(stored, "name");
        const lw_node *now = find_named(list, lw_node_count(list), name);
        if (now && lw_node_equal(now, stored))
            continue;
        (void)snprintf(detail, sizeof(detail),
                       "existing ephemeral containers \"%.*s\" may not be %s\n", LW_STR_ARG(name),
                       now ? "changed" : "removed");
        lw_field_error_forbidden(errors, "spec.ephemeralContainers", lw_str_of(detail));
    }
}

/* True if |now| lacks a resource that |old| has. */
static bool has_lost(const lw_node *now, const lw_node *old, const char *key)
{
    const lw_node *amounts = lw_fields_find(now, key), *before = lw_fields_find(old, key);
    for (size_t i = 0; i < lw_node_count(before); i++) {
        if (!lw_node_get(amounts, lw_node_key_at(before, i)))
            return true;
    }
    return false;
}

/* True if |now| and |old| differ in a resource that is neither cpu nor memory. */
static bool differs_beyond(const lw_node *now, const lw_node *old, const char *key)
{
    static const char *const resizable[] = { "cpu", "memory", NULL };
    const lw_node *a = lw_fields_find(now, key), *b = lw_fields_find(old, key);
    return (a || b) && lw_fields_differ(a, b, resizable);
}

static void check_resized(const lw_node *now, const lw_node *old, const lw_field_path *at,
                          lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE];
    const lw_field_path resources = lw_field_path_in(at, LW_STR("resources"));
    (void)lw_field_path_text(field, lw_field_path_in(&resources, LW_STR("requests")));
    if (has_lost(now, old, "/resources/requests"))
        lw_field_error_forbidden(errors, field, LW_STR("resource requests cannot be removed"));
    (void)lw_field_path_text(field, lw_field_path_in(&resources, LW_STR("limits")));
    if (has_lost(now, old, "/resources/limits"))
        lw_field_error_forbidden(errors, field, LW_STR("resource limits cannot be removed"));
    if (differs_beyond(now, old, "/resources/requests") ||
        differs_beyond(now, old, "/resources/limits"))
        lw_field_error_forbidden(errors, "spec",
                                 LW_STR("only cpu and memory resources are mutable"));
}

static void check_containers(const lw_node *spec, const lw_node *old, const char *key,
                             lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE], detail[DETAIL_SIZE];
    const lw_field_path top = lw_field_path_in(NULL, LW_STR("spec"));
    const lw_node *now = list_of(spec, key), *before = list_of(old, key);
    if (lw_node_count(now) != lw_node_count(before)) {
        (void)snprintf(detail, sizeof(detail), "%s may not be added or removed on resize", key);
        (void)lw_field_path_text(field, lw_field_path_in(&top, lw_str_of(key)));
        lw_field_error_forbidden(errors, field, lw_str_of(detail));
        return;
    }
    (void)snprintf(detail, sizeof(detail), "%s may not be renamed or reordered on resize", key);
    for (size_t i = 0; i < lw_node_count(now); i++) {
        lw_field_path at = lw_field_path_item(&top, lw_str_of(key), i);
        if (lw_str_equal(lw_fields_text(lw_node_at(now, i), "name"),
                         lw_fields_text(lw_node_at(before, i), "name"))) {
            check_resized(lw_node_at(now, i), lw_node_at(before, i), &at, errors);
            continue;
        }
        (void)lw_field_path_text(field, lw_field_path_in(&at, LW_STR("name")));
        lw_field_error_forbidden(errors, field, lw_str_of(detail));
    }
}

/* A node that does not report the resources of running containers cannot resize them. */
static bool can_resize(const lw_node *pod)
{
    const lw_node *statuses = lw_fields_find(pod, "/status/containerStatuses");
    for (size_t i = 0; i < lw_node_count(statuses); i++) {
        const lw_node *one = lw_node_at(statuses, i);
        if (lw_fields_find(one, "/state/running"))
            return lw_node_get(one, LW_STR("resources")) != NULL;
    }
    return true;
}

static void validate_resize(const lw_pending_object *pending, const lw_node *spec,
                            const lw_node *old, lw_api_status *errors)
{
    lw_str before = lw_str_of(lw_pod_qos_of(old)), now = lw_str_of(lw_pod_qos_of(spec));
    lw_pod_spec_validate(spec, NULL, "spec", errors);
    if (!lw_str_equal(before, now))
        lw_field_error_invalid(errors, "spec", before,
                               "Pod QOS Class may not change as a result of resizing");
    if (!can_resize(pending->old))
        lw_field_error_forbidden(errors, "spec",
                                 LW_STR("Pod running on node without support for resize"));
    check_containers(spec, old, "containers", errors);
    check_containers(spec, old, "initContainers", errors);
}

void lw_pod_part_validate(const lw_pending_object *pending, unsigned subresource,
                          lw_api_status *errors)
{
    const lw_node *spec = lw_node_get(pending->root, LW_STR("spec"));
    const lw_node *old = lw_node_get(pending->old, LW_STR("spec"));
    if (subresource == LW_SUB_RESIZE)
        validate_resize(pending, spec, old, errors);
    else
        validate_ephemeral(spec, old, errors);
}
