/* SPDX-License-Identifier: Apache-2.0 */
/* rules_pod.c -- pods: what a spec says when it says nothing, here and in the templates of
 * workloads, and how much of the node a pod may count on. */
#include <stdio.h>

#include "api/fields.h"
#include "api/kind_rules.h"
#include "api/validate.h"
#include "base/str.h"
#include "object/names.h"

typedef void (*element_fn)(lw_tree *tree, lw_node *element);

/* Calls |fn| for each object in the array |key| of |object|. */
static void for_each(lw_tree *tree, const lw_node *object, const char *key, element_fn fn)
{
    const lw_node *list = lw_fields_find(object, key);
    if (!lw_node_is(list, LW_JSON_ARRAY))
        return;
    for (size_t i = 0; i < lw_node_count(list); i++) {
        lw_node *element = lw_node_at(list, i);
        if (lw_node_is(element, LW_JSON_OBJECT))
            fn(tree, element);
    }
}

/* An image without a tag means the latest, which may be another tomorrow. */
static bool is_latest(lw_str image)
{
    lw_str name, digest, tag;
    bool has_digest = lw_str_cut(image, '@', &name, &digest);
    for (size_t i = name.len; i > 0 && name.ptr[i - 1] != '/'; i--) {
        if (name.ptr[i - 1] != ':')
            continue;
        tag = lw_str_skip(name, i);
        return lw_str_equal(tag, LW_STR("latest"));
    }
    return !has_digest;
}

static void default_port(lw_tree *tree, lw_node *port)
{
    lw_fields_default_text(tree, port, "protocol", "TCP");
}

static void default_probe(lw_tree *tree, lw_node *container, const char *key)
{
    lw_node *probe = lw_node_get(container, lw_str_of(key));
    if (!lw_node_is(probe, LW_JSON_OBJECT))
        return;
    lw_node *http = lw_node_get(probe, LW_STR("httpGet"));
    lw_fields_default_text(tree, http, "path", "/");
    lw_fields_default_text(tree, http, "scheme", "HTTP");
    lw_fields_default_int(tree, probe, "timeoutSeconds", 1);
    lw_fields_default_int(tree, probe, "periodSeconds", 10);
    lw_fields_default_int(tree, probe, "successThreshold", 1);
    lw_fields_default_int(tree, probe, "failureThreshold", 3);
}

static void default_env(lw_tree *tree, lw_node *variable)
{
    lw_node *ref = lw_fields_find(variable, "/valueFrom/fieldRef");
    lw_fields_default_text(tree, ref, "apiVersion", "v1");
}

/* What is limited is asked for, unless less is asked for. */
static void default_requests(lw_tree *tree, lw_node *resources)
{
    const lw_node *limits = lw_node_get(resources, LW_STR("limits"));
    if (lw_node_count(limits) == 0 || !lw_node_is(limits, LW_JSON_OBJECT))
        return;
    lw_node *requests = lw_fields_object(tree, resources, "requests");
    for (size_t i = 0; requests && i < lw_node_count(limits); i++) {
        lw_str name = lw_node_key_at(limits, i);
        if (!lw_node_get(requests, name))
            lw_node_put(tree, requests, name, lw_tree_copy(tree, lw_node_at(limits, i)));
    }
}

static void default_container(lw_tree *tree, lw_node *container)
{
    lw_str image = lw_fields_text(container, "image");
    for_each(tree, container, "/ports", default_port);
    for_each(tree, container, "/env", default_env);
    (void)lw_fields_object(tree, container, "resources");
    default_probe(tree, container, "livenessProbe");
    default_probe(tree, container, "readinessProbe");
    default_probe(tree, container, "startupProbe");
    lw_fields_default_text(tree, container, "terminationMessagePath", "/dev/termination-log");
    lw_fields_default_text(tree, container, "terminationMessagePolicy", "File");
    if (image.len > 0)
        lw_fields_default_text(tree, container, "imagePullPolicy",
                               is_latest(image) ? "Always" : "IfNotPresent");
}

static void default_volume(lw_tree *tree, lw_node *volume)
{
    static const char *const with_mode[] = { "secret", "configMap", "downwardAPI", "projected" };
    enum {
        MODE = 0644
    };
    for (size_t i = 0; i < sizeof(with_mode) / sizeof(with_mode[0]); i++)
        lw_fields_default_int(tree, lw_node_get(volume, lw_str_of(with_mode[i])), "defaultMode",
                              MODE);
}

void lw_pod_spec_defaults(lw_tree *tree, lw_node *spec)
{
    if (!lw_node_is(spec, LW_JSON_OBJECT))
        return;
    for_each(tree, spec, "/volumes", default_volume);
    for_each(tree, spec, "/initContainers", default_container);
    for_each(tree, spec, "/containers", default_container);
    lw_fields_default_text(tree, spec, "restartPolicy", "Always");
    lw_fields_default_int(tree, spec, "terminationGracePeriodSeconds", 30);
    lw_fields_default_text(tree, spec, "dnsPolicy", "ClusterFirst");
    (void)lw_fields_object(tree, spec, "securityContext");
    lw_fields_default_text(tree, spec, "schedulerName", "default-scheduler");
}

static void default_pod_requests(lw_tree *tree, lw_node *container)
{
    default_requests(tree, lw_node_get(container, LW_STR("resources")));
}

static void pod_defaults(lw_draft *draft)
{
    lw_node *spec = lw_fields_object(draft->tree, draft->root, "spec");
    lw_pod_spec_defaults(draft->tree, spec);
    for_each(draft->tree, spec, "/initContainers", default_pod_requests);
    for_each(draft->tree, spec, "/containers", default_pod_requests);
    lw_fields_default_bool(draft->tree, spec, "enableServiceLinks", true);
}

/* What the containers say about processor and memory. */
typedef struct qos_facts {
    bool says_anything;
    bool is_guaranteed; /* all say both, and mean it */
} qos_facts;

static void weigh_container(const lw_node *container, qos_facts *facts)
{
    static const char *const names[] = { "cpu", "memory" };
    for (size_t i = 0; i < 2; i++) {
        lw_str name = lw_str_of(names[i]);
        const lw_node *limit = lw_node_get(lw_fields_find(container, "/resources/limits"), name);
        const lw_node *request =
            lw_node_get(lw_fields_find(container, "/resources/requests"), name);
        facts->says_anything |= limit || request;
        facts->is_guaranteed &= limit && request && lw_node_equal(limit, request);
    }
}

static const char *qos_of(const lw_node *spec)
{
    static const char *const lists[] = { "/initContainers", "/containers" };
    qos_facts facts = { .is_guaranteed = true };
    for (size_t l = 0; l < 2; l++) {
        const lw_node *list = lw_fields_find(spec, lists[l]);
        for (size_t i = 0; lw_node_is(list, LW_JSON_ARRAY) && i < lw_node_count(list); i++)
            weigh_container(lw_node_at(list, i), &facts);
    }
    if (!facts.says_anything)
        return "BestEffort";
    return facts.is_guaranteed ? "Guaranteed" : "Burstable";
}

static void pod_create(lw_draft *draft, lw_api_status *faults)
{
    (void)faults;
    lw_node *status = lw_fields_object(draft->tree, draft->root, "status");
    lw_fields_set_text(draft->tree, status, "phase", LW_STR("Pending"));
    lw_fields_set_text(draft->tree, status, "qosClass",
                       lw_str_of(qos_of(lw_node_get(draft->root, LW_STR("spec")))));
}

enum {
    FIELD_SIZE = 128, /* bytes of the path of a field */
};

/* True when an element of |list| before |index| has the same name. */
static bool is_named_before(const lw_node *list, size_t index, lw_str name)
{
    for (size_t i = 0; i < index; i++) {
        if (lw_str_equal(lw_fields_text(lw_node_at(list, i), "name"), name))
            return true;
    }
    return false;
}

static void validate_container_name(const lw_node *list, size_t index, const char *field,
                                    lw_api_status *faults)
{
    lw_str name = lw_fields_text(lw_node_at(list, index), "name");
    lw_name_problems problems;
    if (name.len == 0)
        lw_fault_required(faults, field, "");
    else if (!lw_name_is_dns1123_label(name, &problems))
        lw_fault_invalid(faults, field, name, problems.text[0]);
    else if (is_named_before(list, index, name))
        lw_api_status_add_fault(faults, LW_FIELD_DUPLICATE, lw_str_of(field), name, LW_STR(""));
}

static void validate_containers(const lw_node *list, const char *path, const char *key,
                                lw_api_status *faults)
{
    enum {
        CHECKED_MAX = 1000, /* names are compared with each other */
    };
    char field[FIELD_SIZE];
    for (size_t i = 0; lw_node_is(list, LW_JSON_ARRAY) && i < lw_node_count(list); i++) {
        if (i == CHECKED_MAX) {
            (void)snprintf(field, sizeof(field), "%s.%s", path, key);
            lw_fault_invalid(faults, field, LW_STR(""), "must have at most 1000 items");
            return;
        }
        (void)snprintf(field, sizeof(field), "%s.%s[%zu].name", path, key, i);
        validate_container_name(list, i, field, faults);
        (void)snprintf(field, sizeof(field), "%s.%s[%zu].image", path, key, i);
        if (lw_fields_text(lw_node_at(list, i), "image").len == 0)
            lw_fault_required(faults, field, "");
    }
}

void lw_pod_spec_validate(const lw_node *spec, const char *path, lw_api_status *faults)
{
    char field[FIELD_SIZE];
    const lw_node *containers = lw_fields_find(spec, "/containers");
    (void)snprintf(field, sizeof(field), "%s.containers", path);
    if (lw_node_count(containers) == 0)
        lw_fault_required(faults, field, "");
    validate_containers(containers, path, "containers", faults);
    validate_containers(lw_fields_find(spec, "/initContainers"), path, "initContainers", faults);
    lw_str restart = lw_fields_text(spec, "restartPolicy");
    if (restart.len > 0 && !lw_str_equal(restart, LW_STR("Always")) &&
        !lw_str_equal(restart, LW_STR("OnFailure")) && !lw_str_equal(restart, LW_STR("Never"))) {
        (void)snprintf(field, sizeof(field), "%s.restartPolicy", path);
        lw_api_status_add_fault(faults, LW_FIELD_NOT_SUPPORTED, lw_str_of(field), restart,
                                LW_STR("supported values: \"Always\", \"OnFailure\", \"Never\""));
    }
}

static void pod_validate(const lw_draft *draft, lw_api_status *faults)
{
    lw_pod_spec_validate(lw_node_get(draft->root, LW_STR("spec")), "spec", faults);
}

static void template_defaults(lw_draft *draft)
{
    lw_pod_spec_defaults(draft->tree, lw_fields_find(draft->root, "/template/spec"));
}

const lw_kind_rules lw_rules_pod[] = {
    { .plural = LW_STR_INIT("pods"),
      .defaults = pod_defaults,
      .create = pod_create,
      .validate = pod_validate },
    { .plural = LW_STR_INIT("podtemplates"), .defaults = template_defaults },
    { .plural = LW_STR_INIT("") },
};
