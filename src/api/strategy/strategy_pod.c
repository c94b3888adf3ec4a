/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_pod.c -- defaulting and validation of pod specs, in pods and templates, and the QoS
 * class. */
#include "api/strategy/strategy_pod.h"

#include "api/pending/metadata_validation.h"
#include "api/pending/value_validation.h"
#include "api/strategy/status/status_validation.h"
#include "api/strategy/strategy.h"
#include "api/strategy/strategy_container.h"
#include "base/str.h"
#include "json/fields.h"

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

/* A missing request defaults to the limit. */
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

static void default_field_ref(lw_tree *tree, lw_node *item)
{
    lw_fields_default_text(tree, lw_node_get(item, LW_STR("fieldRef")), "apiVersion", "v1");
}

static void default_source(lw_tree *tree, lw_node *source)
{
    enum {
        TOKEN_S = 3600,
    };
    lw_fields_default_int(tree, lw_node_get(source, LW_STR("serviceAccountToken")),
                          "expirationSeconds", TOKEN_S);
    for_each(tree, source, "/downwardAPI/items", default_field_ref);
}

/* A volume without a source is an emptyDir. */
static void default_volume(lw_tree *tree, lw_node *volume)
{
    static const char *const with_mode[] = { "secret", "configMap", "downwardAPI", "projected" };
    enum {
        MODE = 0644
    };
    lw_node *host = lw_node_get(volume, LW_STR("hostPath"));
    bool has_name = lw_node_get(volume, LW_STR("name")) != NULL;
    if (lw_node_count(volume) == (size_t)has_name)
        (void)lw_fields_object(tree, volume, "emptyDir");
    for (size_t i = 0; i < sizeof(with_mode) / sizeof(with_mode[0]); i++)
        lw_fields_default_int(tree, lw_node_get(volume, lw_str_of(with_mode[i])), "defaultMode",
                              MODE);
    if (host && !lw_node_get(host, LW_STR("type")))
        lw_fields_set_text(tree, host, "type", LW_STR(""));
    for_each(tree, volume, "/downwardAPI/items", default_field_ref);
    for_each(tree, volume, "/projected/sources", default_source);
}

/* With hostNetwork, a hostPort defaults to the containerPort. */
static void default_host_ports(lw_tree *tree, lw_node *container)
{
    const lw_node *ports = lw_node_get(container, LW_STR("ports"));
    for (size_t i = 0; lw_node_is(ports, LW_JSON_ARRAY) && i < lw_node_count(ports); i++) {
        lw_node *port = lw_node_at(ports, i);
        if (!lw_node_get(port, LW_STR("hostPort")))
            lw_fields_set_copy(tree, port, "hostPort", lw_node_get(port, LW_STR("containerPort")));
    }
}

/* Synchronises serviceAccountName and the deprecated serviceAccount. */
static void default_account(lw_tree *tree, lw_node *spec)
{
    lw_str name = lw_fields_text(spec, "serviceAccountName");
    if (name.len == 0)
        name = lw_fields_text(spec, "serviceAccount");
    if (name.len == 0)
        return;
    lw_fields_set_text(tree, spec, "serviceAccountName", name);
    lw_fields_set_text(tree, spec, "serviceAccount", name);
}

void lw_pod_spec_defaults(lw_tree *tree, lw_node *spec)
{
    if (!lw_node_is(spec, LW_JSON_OBJECT))
        return;
    for_each(tree, spec, "/volumes", default_volume);
    for_each(tree, spec, "/initContainers", lw_container_defaults);
    for_each(tree, spec, "/containers", lw_container_defaults);
    for_each(tree, spec, "/ephemeralContainers", lw_container_defaults);
    if (lw_node_bool(lw_node_get(spec, LW_STR("hostNetwork")))) {
        for_each(tree, spec, "/initContainers", default_host_ports);
        for_each(tree, spec, "/containers", default_host_ports);
    }
    default_account(tree, spec);
    lw_fields_default_text(tree, spec, "restartPolicy", "Always");
    if (lw_fields_int(spec, "terminationGracePeriodSeconds", 30) < 0)
        lw_fields_set_int(tree, spec, "terminationGracePeriodSeconds", 1);
    lw_fields_default_int(tree, spec, "terminationGracePeriodSeconds", 30);
    lw_fields_default_text(tree, spec, "dnsPolicy", "ClusterFirst");
    (void)lw_fields_object(tree, spec, "securityContext");
    lw_fields_default_text(tree, spec, "schedulerName", "default-scheduler");
}

static void default_pod_requests(lw_tree *tree, lw_node *container)
{
    default_requests(tree, lw_node_get(container, LW_STR("resources")));
}

static void pod_defaults(lw_pending_object *pending)
{
    if (lw_pending_object_keeps_part(pending, "spec"))
        return;
    lw_node *spec = lw_fields_object(pending->tree, pending->root, "spec");
    lw_pod_spec_defaults(pending->tree, spec);
    for_each(pending->tree, spec, "/initContainers", default_pod_requests);
    for_each(pending->tree, spec, "/containers", default_pod_requests);
    lw_fields_default_bool(pending->tree, spec, "enableServiceLinks", true);
}

/* The facts about cpu and memory that determine the QoS class. */
typedef struct qos_facts {
    bool has_resources;
    bool is_guaranteed; /* all containers have equal requests and limits for both */
} qos_facts;

static void add_container(const lw_node *container, qos_facts *facts)
{
    static const char *const names[] = { "cpu", "memory" };
    for (size_t i = 0; i < 2; i++) {
        lw_str name = lw_str_of(names[i]);
        const lw_node *limit = lw_node_get(lw_fields_find(container, "/resources/limits"), name);
        const lw_node *request =
            lw_node_get(lw_fields_find(container, "/resources/requests"), name);
        facts->has_resources |= limit || request;
        facts->is_guaranteed &= limit && request && lw_node_equal(limit, request);
    }
}

const char *lw_pod_qos_of(const lw_node *spec)
{
    static const char *const lists[] = { "/initContainers", "/containers" };
    qos_facts facts = { .is_guaranteed = true };
    for (size_t l = 0; l < 2; l++) {
        const lw_node *list = lw_fields_find(spec, lists[l]);
        for (size_t i = 0; lw_node_is(list, LW_JSON_ARRAY) && i < lw_node_count(list); i++)
            add_container(lw_node_at(list, i), &facts);
    }
    if (!facts.has_resources)
        return "BestEffort";
    return facts.is_guaranteed ? "Guaranteed" : "Burstable";
}

static void pod_create(lw_pending_object *pending, lw_api_status *errors)
{
    lw_node *status = lw_fields_object(pending->tree, pending->root, "status");
    if (lw_node_count(lw_fields_find(pending->root, "/spec/ephemeralContainers")) > 0)
        lw_field_error_forbidden(errors, "spec.ephemeralContainers",
                                 LW_STR("cannot be set on create"));
    lw_fields_set_text(pending->tree, status, "phase", LW_STR("Pending"));
    lw_fields_set_text(pending->tree, status, "qosClass",
                       lw_str_of(lw_pod_qos_of(lw_node_get(pending->root, LW_STR("spec")))));
    lw_pod_admit_create(pending);
}

/* Validates |volumes| and adds their names to |names|. */
static void validate_volumes(const lw_node *volumes, const char *path, lw_text_set *names,
                             lw_api_status *errors)
{
    const lw_field_path above = lw_field_path_in(NULL, lw_str_of(path));
    char field[LW_FIELD_PATH_SIZE];
    for (size_t i = 0; lw_node_is(volumes, LW_JSON_ARRAY) && i < lw_node_count(volumes); i++) {
        static const lw_value_rule rules[] = {
            { "name", LW_VALUE_REQUIRED, NULL },
            { "name", LW_VALUE_LABEL, NULL },
            { NULL, LW_VALUE_REQUIRED, NULL },
        };
        lw_node *volume = lw_node_at(volumes, i);
        lw_str name = lw_fields_text(volume, "name");
        const lw_field_path at = lw_field_path_item(&above, LW_STR("volumes"), i);
        lw_value_validate_at(rules, volume, &at, errors);
        if (lw_text_set_add(names, volume) || name.len == 0)
            continue;
        lw_api_status_add_field_error(
            errors, LW_FIELD_DUPLICATE,
            lw_str_of(lw_field_path_text(field, lw_field_path_in(&at, LW_STR("name")))), name,
            LW_STR(""));
    }
}

static const lw_value_rule spec_rules[] = {
    { "restartPolicy", LW_VALUE_ONE_OF, "Always|OnFailure|Never" },
    { "dnsPolicy", LW_VALUE_ONE_OF, "ClusterFirst|ClusterFirstWithHostNet|Default|None" },
    { "nodeSelector", LW_VALUE_LABELS, NULL },
    { "serviceAccountName", LW_VALUE_SUBDOMAIN, NULL },
    { "nodeName", LW_VALUE_SUBDOMAIN, NULL },
    { "activeDeadlineSeconds", LW_VALUE_COUNT, NULL },
    { "hostname", LW_VALUE_LABEL, NULL },
    { "subdomain", LW_VALUE_LABEL, NULL },
    { "tolerations[].operator", LW_VALUE_ONE_OF, "Equal|Exists" },
    { "tolerations[].effect", LW_VALUE_ONE_OF, "NoSchedule|PreferNoSchedule|NoExecute" },
    { NULL, LW_VALUE_REQUIRED, NULL },
};

/* Containers of a StatefulSet may also mount its volumeClaimTemplates. */
static void add_claims(lw_text_set *volumes, const lw_node *claims)
{
    for (size_t i = 0; lw_node_is(claims, LW_JSON_ARRAY) && i < lw_node_count(claims); i++) {
        lw_node *metadata = lw_node_get(lw_node_at(claims, i), LW_STR("metadata"));
        if (lw_fields_text(metadata, "name").len > 0)
            (void)lw_text_set_add(volumes, metadata);
    }
}

void lw_pod_spec_validate(const lw_node *spec, const lw_node *claims, const char *path,
                          lw_api_status *errors)
{
    const lw_field_path at = lw_field_path_in(NULL, lw_str_of(path));
    char field[LW_FIELD_PATH_SIZE];
    lw_text_set volumes;
    lw_text_set_init(&volumes, "name");
    validate_volumes(lw_node_get(spec, LW_STR("volumes")), path, &volumes, errors);
    add_claims(&volumes, claims);
    if (lw_node_count(lw_node_get(spec, LW_STR("containers"))) == 0)
        lw_field_error_required(
            errors, lw_field_path_text(field, lw_field_path_in(&at, LW_STR("containers"))), "");
    lw_containers_validate(spec, path, "containers", &volumes, errors);
    lw_containers_validate(spec, path, "initContainers", &volumes, errors);
    lw_text_set_done(&volumes, errors);
    lw_value_validate_at(spec_rules, spec, &at, errors);
    if (lw_str_equal(lw_fields_text(spec, "dnsPolicy"), LW_STR("None")) &&
        !lw_node_get(spec, LW_STR("dnsConfig")))
        lw_field_error_required(errors,
                                lw_field_path_text(field,
                                                   lw_field_path_in(&at, LW_STR("dnsConfig"))),
                                "must provide `dnsConfig` when `dnsPolicy` is None");
}

static void pod_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    if (lw_pending_object_keeps_part(pending, "spec"))
        return;
    lw_pod_spec_validate(lw_node_get(pending->root, LW_STR("spec")), NULL, "spec", errors);
    if (pending->old)
        lw_pod_update_validate(pending, errors);
}

static void template_defaults(lw_pending_object *pending)
{
    lw_pod_spec_defaults(pending->tree, lw_fields_find(pending->root, "/template/spec"));
}

static void template_validate(const lw_pending_object *pending, lw_api_status *errors)
{
    lw_validate_labels(lw_fields_find(pending->root, "/template/metadata/labels"),
                       LW_STR("template.labels"), errors);
    lw_pod_spec_validate(lw_fields_find(pending->root, "/template/spec"), NULL, "template.spec",
                         errors);
}

const lw_strategy lw_strategies_pod[] = {
    { .plural = LW_STR_INIT("pods"),
      .defaults = pod_defaults,
      .create = pod_create,
      .update = lw_pod_admit_update,
      .keep_part = lw_pod_keep_part,
      .validate_part = lw_pod_part_validate,
      .validate = pod_validate,
      .status_defaults = lw_status_default_pod,
      .status = lw_status_validate_pod },
    { .plural = LW_STR_INIT("podtemplates"),
      .defaults = template_defaults,
      .validate = template_validate },
    { .plural = LW_STR_INIT("") },
};
