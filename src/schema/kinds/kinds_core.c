/* SPDX-License-Identifier: Apache-2.0 */
/* kinds_core.c -- the kinds of the core group: what runs, where, and what it talks to. */
#include "schema/kinds/kinds.h"
#include "schema/printers/printers.h"

static const lw_field_label event_fields[] = {
    { .label = LW_STR_INIT("involvedObject.kind") },
    { .label = LW_STR_INIT("involvedObject.namespace") },
    { .label = LW_STR_INIT("involvedObject.name") },
    { .label = LW_STR_INIT("involvedObject.uid") },
    { .label = LW_STR_INIT("involvedObject.apiVersion") },
    { .label = LW_STR_INIT("involvedObject.resourceVersion") },
    { .label = LW_STR_INIT("involvedObject.fieldPath") },
    { .label = LW_STR_INIT("reason") },
    { .label = LW_STR_INIT("reportingComponent") },
    { .label = LW_STR_INIT("source"),
      .pointer = "/source/component",
      .other = "/reportingComponent" },
    { .label = LW_STR_INIT("type") },
    { .label = { NULL, 0 } },
};

static const lw_field_label namespace_fields[] = {
    { .label = LW_STR_INIT("status.phase") },
    { .label = { NULL, 0 } },
};

static const lw_field_label node_fields[] = {
    { .label = LW_STR_INIT("spec.unschedulable"), .fallback = "false" },
    { .label = { NULL, 0 } },
};

static const lw_field_label pod_fields[] = {
    { .label = LW_STR_INIT("spec.nodeName") },
    { .label = LW_STR_INIT("spec.restartPolicy") },
    { .label = LW_STR_INIT("spec.schedulerName") },
    { .label = LW_STR_INIT("spec.serviceAccountName") },
    { .label = LW_STR_INIT("spec.hostNetwork"), .fallback = "false" },
    { .label = LW_STR_INIT("status.phase") },
    { .label = LW_STR_INIT("status.podIP"),
      .pointer = "/status/podIPs/0/ip",
      .other = "/status/podIP" },
    { .label = LW_STR_INIT("status.podIPs") },
    { .label = LW_STR_INIT("status.nominatedNodeName") },
    { .label = LW_STR_INIT("spec.host"), .pointer = "/spec/nodeName" },
    { .label = { NULL, 0 } },
};

static const lw_field_label controller_fields[] = {
    { .label = LW_STR_INIT("status.replicas"), .fallback = "0" },
    { .label = { NULL, 0 } },
};

static const lw_field_label service_fields[] = {
    { .label = LW_STR_INIT("spec.clusterIP") },
    { .label = LW_STR_INIT("spec.type") },
    { .label = { NULL, 0 } },
};

static const lw_scale_paths controller_scale = { "/spec/replicas", "/status/replicas",
                                                 "/spec/selector" };

const lw_kind lw_kind_endpoints = {
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("Endpoints"),
    .list_kind = LW_STR_INIT("EndpointsList"),
    .plural = LW_STR_INIT("endpoints"),
    .singular = LW_STR_INIT("endpoints"),
    .storage = LW_STR_INIT("services/endpoints"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_CREATE_ON_UPDATE,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("ep"), { NULL, 0 } },
    .columns = lw_table_columns_endpoints,
};

const lw_kind lw_kind_events = {
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("Event"),
    .list_kind = LW_STR_INIT("EventList"),
    .plural = LW_STR_INIT("events"),
    .singular = LW_STR_INIT("event"),
    .storage = LW_STR_INIT("events"),
    .ttl_s = LW_KIND_EVENT_TTL_S,
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_CREATE_ON_UPDATE,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("ev"), { NULL, 0 } },
    .fields = event_fields,
    .columns = lw_table_columns_event,
    .empty_members = LW_STR_INIT(
        ",\"involvedObject\":{},\"source\":{},\"firstTimestamp\":null,\"lastTimestamp\":null,"
        "\"eventTime\":null,\"reportingComponent\":\"\",\"reportingInstance\":\"\""),
};

const lw_kind lw_kind_namespaces = {
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("Namespace"),
    .list_kind = LW_STR_INIT("NamespaceList"),
    .plural = LW_STR_INIT("namespaces"),
    .singular = LW_STR_INIT("namespace"),
    .storage = LW_STR_INIT("namespaces"),
    .verbs = LW_VERB_ALL & ~LW_VERB_DELETE_COLLECTION,
    .subresources = LW_SUB_FINALIZE | LW_SUB_STATUS,
    .flags = LW_KIND_DELETE_RETURNS,
    .name_rule = LW_NAME_LABEL,
    .short_names = (const lw_str[]){ LW_STR_INIT("ns"), { NULL, 0 } },
    .fields = namespace_fields,
    .columns = lw_table_columns_namespace,
    .empty_members = LW_STR_INIT(",\"spec\":{},\"status\":{}"),
};

const lw_kind lw_kind_nodes = {
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("Node"),
    .list_kind = LW_STR_INIT("NodeList"),
    .plural = LW_STR_INIT("nodes"),
    .singular = LW_STR_INIT("node"),
    .storage = LW_STR_INIT("minions"),
    .verbs = LW_VERB_ALL,
    .subresources = LW_SUB_STATUS,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("no"), { NULL, 0 } },
    .fields = node_fields,
    .columns = lw_table_columns_node,
    .empty_members = LW_STR_INIT(",\"spec\":{},\"status\":{}"),
};

const lw_kind lw_kind_pods = {
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("Pod"),
    .list_kind = LW_STR_INIT("PodList"),
    .plural = LW_STR_INIT("pods"),
    .singular = LW_STR_INIT("pod"),
    .storage = LW_STR_INIT("pods"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .subresources = LW_SUB_BINDING | LW_SUB_EVICTION | LW_SUB_STATUS,
    .flags = LW_KIND_GENERATION | LW_KIND_DELETE_RETURNS | LW_KIND_GRACEFUL,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("po"), { NULL, 0 } },
    .categories = lw_category_all,
    .fields = pod_fields,
    .columns = lw_table_columns_pod,
    .empty_members = LW_STR_INIT(",\"spec\":{\"containers\":null},\"status\":{}"),
};

const lw_kind lw_kind_podtemplates = {
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("PodTemplate"),
    .list_kind = LW_STR_INIT("PodTemplateList"),
    .plural = LW_STR_INIT("podtemplates"),
    .singular = LW_STR_INIT("podtemplate"),
    .storage = LW_STR_INIT("podtemplates"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_GENERATION | LW_KIND_DELETE_RETURNS,
    .name_rule = LW_NAME_SUBDOMAIN,
    .columns = lw_table_columns_podtemplate,
};

const lw_kind lw_kind_replicationcontrollers = {
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("ReplicationController"),
    .list_kind = LW_STR_INIT("ReplicationControllerList"),
    .plural = LW_STR_INIT("replicationcontrollers"),
    .singular = LW_STR_INIT("replicationcontroller"),
    .storage = LW_STR_INIT("controllers"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .subresources = LW_SUB_SCALE | LW_SUB_STATUS,
    .flags = LW_KIND_GENERATION,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("rc"), { NULL, 0 } },
    .categories = lw_category_all,
    .fields = controller_fields,
    .columns = lw_table_columns_replicationcontroller,
    .scale = &controller_scale,
    .empty_members = LW_STR_INIT(",\"spec\":{},\"status\":{\"replicas\":0}"),
};

const lw_kind lw_kind_services = {
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("Service"),
    .list_kind = LW_STR_INIT("ServiceList"),
    .plural = LW_STR_INIT("services"),
    .singular = LW_STR_INIT("service"),
    .storage = LW_STR_INIT("services/specs"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .subresources = LW_SUB_STATUS,
    .flags = LW_KIND_CREATE_ON_UPDATE | LW_KIND_DELETE_RETURNS,
    .name_rule = LW_NAME_LABEL,
    .short_names = (const lw_str[]){ LW_STR_INIT("svc"), { NULL, 0 } },
    .categories = lw_category_all,
    .fields = service_fields,
    .columns = lw_table_columns_service,
    .empty_members = LW_STR_INIT(",\"spec\":{},\"status\":{\"loadBalancer\":{}}"),
};
