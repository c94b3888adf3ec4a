/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_container.c -- defaulting and validation of containers, in pods and templates; errors
 * are in the order of kube-apiserver. */
#include "api/strategy/strategy_container.h"

#include <stdio.h>

#include <listwatch/quantity.h>

#include "api/pending/metadata_validation.h"
#include "api/pending/value_validation.h"
#include "base/str.h"
#include "object/names.h"
#include "json/fields.h"

enum {
    DETAIL_SIZE = 256, /* bytes of an error detail */
};

static size_t count_of(const lw_node *list)
{
    return lw_node_is(list, LW_JSON_ARRAY) ? lw_node_count(list) : 0;
}

/* An image without a tag means :latest. */
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

static void default_http(lw_tree *tree, const lw_node *handler)
{
    lw_node *http = lw_node_get(handler, LW_STR("httpGet"));
    lw_fields_default_text(tree, http, "path", "/");
    lw_fields_default_text(tree, http, "scheme", "HTTP");
}

static void default_probe(lw_tree *tree, lw_node *container, const char *key)
{
    lw_node *probe = lw_node_get(container, lw_str_of(key));
    if (!lw_node_is(probe, LW_JSON_OBJECT))
        return;
    default_http(tree, probe);
    lw_node *grpc = lw_node_get(probe, LW_STR("grpc"));
    if (grpc && !lw_node_get(grpc, LW_STR("service")))
        lw_fields_set_text(tree, grpc, "service", LW_STR(""));
    lw_fields_default_int(tree, probe, "timeoutSeconds", 1);
    lw_fields_default_int(tree, probe, "periodSeconds", 10);
    lw_fields_default_int(tree, probe, "successThreshold", 1);
    lw_fields_default_int(tree, probe, "failureThreshold", 3);
}

void lw_container_defaults(lw_tree *tree, lw_node *container)
{
    enum {
        CONTAINER_STEPS = 24, /* of the request's budget, for all that is done with a container */
    };
    (void)lw_tree_charge(tree, CONTAINER_STEPS);
    lw_str image = lw_fields_text(container, "image");
    const lw_node *ports = lw_node_get(container, LW_STR("ports"));
    const lw_node *env = lw_node_get(container, LW_STR("env"));
    for (size_t i = 0; i < count_of(ports); i++)
        lw_fields_default_text(tree, lw_node_at(ports, i), "protocol", "TCP");
    for (size_t i = 0; i < count_of(env); i++)
        lw_fields_default_text(tree, lw_fields_find(lw_node_at(env, i), "/valueFrom/fieldRef"),
                               "apiVersion", "v1");
    (void)lw_fields_object(tree, container, "resources");
    default_probe(tree, container, "livenessProbe");
    default_probe(tree, container, "readinessProbe");
    default_probe(tree, container, "startupProbe");
    default_http(tree, lw_fields_find(container, "/lifecycle/postStart"));
    default_http(tree, lw_fields_find(container, "/lifecycle/preStop"));
    lw_fields_default_text(tree, container, "terminationMessagePath", "/dev/termination-log");
    lw_fields_default_text(tree, container, "terminationMessagePolicy", "File");
    lw_fields_default_text(tree, container, "imagePullPolicy",
                           image.len > 0 && is_latest(image) ? "Always" : "IfNotPresent");
}

static const lw_value_rule early_rules[] = {
    { "terminationMessagePolicy", LW_VALUE_ONE_OF, "File|FallbackToLogsOnError" },
    { NULL, LW_VALUE_REQUIRED, NULL },
};

static const lw_value_rule late_rules[] = {
    { "imagePullPolicy", LW_VALUE_ONE_OF, "Always|IfNotPresent|Never" },
    { NULL, LW_VALUE_REQUIRED, NULL },
};

static const lw_value_rule probe_rules[] = {
    { "httpGet.port", LW_VALUE_PORT_NEEDED, NULL },
    { "httpGet.scheme", LW_VALUE_ONE_OF, "HTTP|HTTPS" },
    { "tcpSocket.port", LW_VALUE_PORT_NEEDED, NULL },
    { "grpc.port", LW_VALUE_PORT_NEEDED, NULL },
    { "initialDelaySeconds", LW_VALUE_NOT_NEGATIVE, NULL },
    { "timeoutSeconds", LW_VALUE_NOT_NEGATIVE, NULL },
    { "periodSeconds", LW_VALUE_NOT_NEGATIVE, NULL },
    { "successThreshold", LW_VALUE_NOT_NEGATIVE, NULL },
    { "failureThreshold", LW_VALUE_NOT_NEGATIVE, NULL },
    { NULL, LW_VALUE_REQUIRED, NULL },
};

/* Adds an error: |member| of the object at |above| must be set. */
static void require(const lw_field_path *above, const char *member, lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE];
    lw_field_error_required(errors,
                            lw_field_path_text(field, lw_field_path_in(above, lw_str_of(member))),
                            "");
}

/* Adds an error: |member| of the object at |above| cannot have the string |value|. */
static void refuse(const lw_field_path *above, const char *member, lw_str value, const char *detail,
                   lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE];
    lw_field_error_invalid(errors,
                           lw_field_path_text(field, lw_field_path_in(above, lw_str_of(member))),
                           value, detail);
}

/* Adds an error for the name of the object at |above|: it is a duplicate, or not found. */
static void refuse_name(const lw_field_path *above, lw_field_fault fault, lw_str name,
                        lw_api_status *errors)
{
    char field[LW_FIELD_PATH_SIZE];
    const char *text = lw_field_path_text(field, lw_field_path_in(above, LW_STR("name")));
    lw_api_status_add_field_error(errors, fault, lw_str_of(text), name, LW_STR(""));
}

static void check_port(lw_node *port, const lw_field_path *at, lw_text_set *names,
                       lw_api_status *errors)
{
    static const lw_value_rule rules[] = {
        { "hostPort", LW_VALUE_PORT, NULL },
        { "protocol", LW_VALUE_ONE_OF, "SCTP|TCP|UDP" },
        { NULL, LW_VALUE_REQUIRED, NULL },
    };
    static const lw_value_rule number[] = {
        { "containerPort", LW_VALUE_PORT, NULL },
        { NULL, LW_VALUE_REQUIRED, NULL },
    };
    lw_str name = lw_fields_text(port, "name");
    if (name.len > 0 && !lw_text_set_add(names, port))
        refuse_name(at, LW_FIELD_DUPLICATE, name, errors);
    if (lw_fields_int(port, "containerPort", 0) == 0)
        require(at, "containerPort", errors);
    else
        lw_value_validate_at(number, port, at, errors);
    lw_value_validate_at(rules, port, at, errors);
}

static void check_ports(const lw_node *ports, const lw_field_path *path, lw_api_status *errors)
{
    lw_text_set names;
    lw_text_set_init(&names, "name");
    for (size_t i = 0; i < count_of(ports); i++) {
        const lw_field_path at = lw_field_path_item(path, LW_STR("ports"), i);
        check_port(lw_node_at(ports, i), &at, &names, errors);
    }
    lw_text_set_done(&names, errors);
}

static void check_variable(const lw_node *variable, const lw_field_path *at, lw_api_status *errors)
{
    const lw_node *from = lw_node_get(variable, LW_STR("valueFrom"));
    if (lw_fields_text(variable, "name").len == 0)
        require(at, "name", errors);
    if (from && lw_node_count(from) == 0)
        refuse(at, "valueFrom", LW_STR(""),
               "must specify one of: `fieldRef`, `resourceFieldRef`, `configMapKeyRef`, "
               "`secretKeyRef` or `fileKeyRef`",
               errors);
    else if (from && lw_fields_text(variable, "value").len > 0)
        refuse(at, "valueFrom", LW_STR(""), "may not be specified when `value` is not empty",
               errors);
    else if (lw_node_count(from) > 1)
        refuse(at, "valueFrom", LW_STR(""), "may not have more than one field specified at a time",
               errors);
}

static void check_mount(lw_node *mount, const lw_field_path *at, const lw_text_set *volumes,
                        lw_text_set *folders, lw_api_status *errors)
{
    lw_str name = lw_fields_text(mount, "name");
    lw_str folder = lw_fields_text(mount, "mountPath");
    if (name.len == 0)
        require(at, "name", errors);
    else if (!lw_text_set_has(volumes, name))
        refuse_name(at, LW_FIELD_NOT_FOUND, name, errors);
    if (folder.len == 0)
        require(at, "mountPath", errors);
    else if (!lw_text_set_add(folders, mount))
        refuse(at, "mountPath", folder, "must be unique", errors);
}

static void check_mounts(const lw_node *mounts, const lw_field_path *path,
                         const lw_text_set *volumes, lw_api_status *errors)
{
    lw_text_set folders;
    lw_text_set_init(&folders, "mountPath");
    for (size_t i = 0; i < count_of(mounts); i++) {
        const lw_field_path at = lw_field_path_item(path, LW_STR("volumeMounts"), i);
        check_mount(lw_node_at(mounts, i), &at, volumes, &folders, errors);
    }
    lw_text_set_done(&folders, errors);
}

/* Requests must not exceed limits. */
static void check_requests(const lw_node *container, const lw_field_path *path,
                           lw_api_status *errors)
{
    char detail[DETAIL_SIZE];
    const lw_node *requests = lw_fields_find(container, "/resources/requests");
    const lw_node *limits = lw_fields_find(container, "/resources/limits");
    for (size_t i = 0; i < lw_node_count(requests); i++) {
        lw_quantity asked, allowed;
        lw_str name = lw_node_key_at(requests, i), text = lw_node_text(lw_node_at(requests, i));
        lw_str limit = lw_node_text(lw_node_get(limits, name));
        if (!lw_quantity_parse(text, &asked) || !lw_quantity_parse(limit, &allowed) ||
            asked.nanos <= allowed.nanos)
            continue;
        (void)snprintf(detail, sizeof(detail), "must be less than or equal to %.*s limit of %.*s",
                       LW_STR_ARG(name), LW_STR_ARG(limit));
        refuse(path, "resources.requests", text, detail, errors);
    }
}

static void check_probe(const lw_node *container, const char *key, const lw_field_path *path,
                        lw_api_status *errors)
{
    static const char *const handlers[] = { "exec", "httpGet", "tcpSocket", "grpc" };
    const lw_field_path at = lw_field_path_in(path, lw_str_of(key));
    const lw_node *probe = lw_node_get(container, lw_str_of(key));
    char field[LW_FIELD_PATH_SIZE];
    bool has_handler = false;
    if (!lw_node_is(probe, LW_JSON_OBJECT))
        return;
    for (size_t i = 0; i < sizeof(handlers) / sizeof(handlers[0]); i++)
        has_handler |= lw_node_get(probe, lw_str_of(handlers[i])) != NULL;
    if (!has_handler)
        lw_field_error_required(errors, lw_field_path_text(field, at),
                                "must specify a handler type");
    lw_value_validate_at(probe_rules, probe, &at, errors);
}

static void check_name(const lw_node *container, const lw_field_path *path, lw_api_status *errors)
{
    lw_str name = lw_fields_text(container, "name");
    lw_name_problems problems;
    if (name.len == 0)
        require(path, "name", errors);
    else if (!lw_name_is_dns1123_label(name, &problems))
        refuse(path, "name", name, problems.text[0], errors);
    if (lw_fields_text(container, "image").len == 0)
        require(path, "image", errors);
}

static void check_container(const lw_node *container, const lw_field_path *path,
                            const lw_text_set *volumes, lw_api_status *errors)
{
    const lw_node *env = lw_node_get(container, LW_STR("env"));
    check_name(container, path, errors);
    lw_value_validate_at(early_rules, container, path, errors);
    check_ports(lw_node_get(container, LW_STR("ports")), path, errors);
    for (size_t i = 0; i < count_of(env); i++) {
        const lw_field_path at = lw_field_path_item(path, LW_STR("env"), i);
        check_variable(lw_node_at(env, i), &at, errors);
    }
    check_mounts(lw_node_get(container, LW_STR("volumeMounts")), path, volumes, errors);
    lw_value_validate_at(late_rules, container, path, errors);
    check_requests(container, path, errors);
}

void lw_containers_validate(const lw_node *spec, const char *path, const char *key,
                            const lw_text_set *volumes, lw_api_status *errors)
{
    const lw_field_path above = lw_field_path_in(NULL, lw_str_of(path));
    const lw_node *list = lw_node_get(spec, lw_str_of(key));
    lw_text_set names;
    lw_text_set_init(&names, "name");
    for (size_t i = 0; i < count_of(list); i++) {
        const lw_field_path at = lw_field_path_item(&above, lw_str_of(key), i);
        lw_node *container = lw_node_at(list, i);
        lw_str name = lw_fields_text(container, "name");
        check_container(container, &at, volumes, errors);
        if (name.len > 0 && !lw_text_set_add(&names, container))
            refuse_name(&at, LW_FIELD_DUPLICATE, name, errors);
        check_probe(container, "livenessProbe", &at, errors);
        check_probe(container, "readinessProbe", &at, errors);
        check_probe(container, "startupProbe", &at, errors);
    }
    lw_text_set_done(&names, errors);
}
