/* SPDX-License-Identifier: Apache-2.0 */
/* kinds_apps.c -- the kinds of the group apps: what keeps pods running. */
#include "schema/kinds/kinds.h"
#include "schema/printers/printers.h"

static const lw_scale_paths scale = { "/spec/replicas", "/status/replicas", "/spec/selector" };

const lw_kind lw_kind_controllerrevisions = {
    .group = LW_STR_INIT("apps"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("ControllerRevision"),
    .list_kind = LW_STR_INIT("ControllerRevisionList"),
    .plural = LW_STR_INIT("controllerrevisions"),
    .singular = LW_STR_INIT("controllerrevision"),
    .storage = LW_STR_INIT("controllerrevisions"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .name_rule = LW_NAME_SUBDOMAIN,
    .columns = lw_table_columns_controllerrevision,
    .empty_members = LW_STR_INIT(",\"revision\":0"),
};

const lw_kind lw_kind_daemonsets = {
    .group = LW_STR_INIT("apps"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("DaemonSet"),
    .list_kind = LW_STR_INIT("DaemonSetList"),
    .plural = LW_STR_INIT("daemonsets"),
    .singular = LW_STR_INIT("daemonset"),
    .storage = LW_STR_INIT("daemonsets"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .subresources = LW_SUB_STATUS,
    .flags = LW_KIND_GENERATION,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("ds"), { NULL, 0 } },
    .categories = lw_category_all,
    .columns = lw_table_columns_daemonset,
    .empty_members = LW_STR_INIT(
        ",\"spec\":{\"selector\":null,\"template\":{\"metadata\":{},\"spec\":{\"containers\":null}}"
        ",\"updateStrategy\":{}},\"status\":{\"currentNumberScheduled\":0,\"numberMisscheduled\":0,"
        "\"desiredNumberScheduled\":0,\"numberReady\":0}"),
};

const lw_kind lw_kind_deployments = {
    .group = LW_STR_INIT("apps"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("Deployment"),
    .list_kind = LW_STR_INIT("DeploymentList"),
    .plural = LW_STR_INIT("deployments"),
    .singular = LW_STR_INIT("deployment"),
    .storage = LW_STR_INIT("deployments"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .subresources = LW_SUB_SCALE | LW_SUB_STATUS,
    .flags = LW_KIND_GENERATION | LW_KIND_ANNOTATION_GENERATION,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("deploy"), { NULL, 0 } },
    .categories = lw_category_all,
    .columns = lw_table_columns_deployment,
    .scale = &scale,
    .empty_members = LW_STR_INIT(",\"spec\":{\"selector\":null,\"template\":{\"metadata\":{},"
                                 "\"spec\":{\"containers\":null}},\"strategy\":{}},\"status\":{}"),
};

const lw_kind lw_kind_replicasets = {
    .group = LW_STR_INIT("apps"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("ReplicaSet"),
    .list_kind = LW_STR_INIT("ReplicaSetList"),
    .plural = LW_STR_INIT("replicasets"),
    .singular = LW_STR_INIT("replicaset"),
    .storage = LW_STR_INIT("replicasets"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .subresources = LW_SUB_SCALE | LW_SUB_STATUS,
    .flags = LW_KIND_GENERATION,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("rs"), { NULL, 0 } },
    .categories = lw_category_all,
    .columns = lw_table_columns_replicaset,
    .scale = &scale,
    .empty_members = LW_STR_INIT(",\"spec\":{\"selector\":null,\"template\":{\"metadata\":{},"
                                 "\"spec\":{\"containers\":null}}},\"status\":{\"replicas\":0}"),
};

const lw_kind lw_kind_statefulsets = {
    .group = LW_STR_INIT("apps"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("StatefulSet"),
    .list_kind = LW_STR_INIT("StatefulSetList"),
    .plural = LW_STR_INIT("statefulsets"),
    .singular = LW_STR_INIT("statefulset"),
    .storage = LW_STR_INIT("statefulsets"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .subresources = LW_SUB_SCALE | LW_SUB_STATUS,
    .flags = LW_KIND_GENERATION,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("sts"), { NULL, 0 } },
    .categories = lw_category_all,
    .columns = lw_table_columns_statefulset,
    .scale = &scale,
    .empty_members =
        LW_STR_INIT(",\"spec\":{\"selector\":null,\"template\":{\"metadata\":{},\"spec\":{"
                    "\"containers\":null}},\"updateStrategy\":{}},\"status\":{\"replicas\":0}"),
};
