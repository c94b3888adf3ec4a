/* SPDX-License-Identifier: Apache-2.0 */
/* kinds_cluster.c -- groups of one kind each: custom resources, priorities, leases, runtimes. */
#include "schema/kinds/kinds.h"
#include "schema/printers/printers.h"

const lw_kind lw_kind_customresourcedefinitions = {
    .group = LW_STR_INIT("apiextensions.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("CustomResourceDefinition"),
    .list_kind = LW_STR_INIT("CustomResourceDefinitionList"),
    .plural = LW_STR_INIT("customresourcedefinitions"),
    .singular = LW_STR_INIT("customresourcedefinition"),
    .storage = LW_STR_INIT("apiextensions.k8s.io/customresourcedefinitions"),
    .verbs = LW_VERB_ALL,
    .subresources = LW_SUB_STATUS,
    .flags = LW_KIND_GENERATION | LW_KIND_CONDITIONAL,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("crd"), LW_STR_INIT("crds"), { NULL, 0 } },
    .categories = (const lw_str[]){ LW_STR_INIT("api-extensions"), { NULL, 0 } },
    .empty_members =
        LW_STR_INIT(",\"spec\":{\"group\":\"\",\"names\":{\"plural\":\"\",\"kind\":\"\"},\"scope\":"
                    "\"\",\"versions\":null},\"status\":{\"conditions\":null,\"acceptedNames\":{"
                    "\"plural\":\"\",\"kind\":\"\"},\"storedVersions\":null}"),
};

const lw_kind lw_kind_priorityclasses = {
    .group = LW_STR_INIT("scheduling.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("PriorityClass"),
    .list_kind = LW_STR_INIT("PriorityClassList"),
    .plural = LW_STR_INIT("priorityclasses"),
    .singular = LW_STR_INIT("priorityclass"),
    .storage = LW_STR_INIT("priorityclasses"),
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_GENERATION,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("pc"), { NULL, 0 } },
    .columns = lw_table_columns_priorityclass,
    .empty_members = LW_STR_INIT(",\"value\":0"),
};

const lw_kind lw_kind_leases = {
    .group = LW_STR_INIT("coordination.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("Lease"),
    .list_kind = LW_STR_INIT("LeaseList"),
    .plural = LW_STR_INIT("leases"),
    .singular = LW_STR_INIT("lease"),
    .storage = LW_STR_INIT("leases"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_CONDITIONAL | LW_KIND_CREATE_ON_UPDATE,
    .name_rule = LW_NAME_SUBDOMAIN,
    .columns = lw_table_columns_lease,
    .empty_members = LW_STR_INIT(",\"spec\":{}"),
};

const lw_kind lw_kind_runtimeclasses = {
    .group = LW_STR_INIT("node.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("RuntimeClass"),
    .list_kind = LW_STR_INIT("RuntimeClassList"),
    .plural = LW_STR_INIT("runtimeclasses"),
    .singular = LW_STR_INIT("runtimeclass"),
    .storage = LW_STR_INIT("runtimeclasses"),
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_CONDITIONAL | LW_KIND_CREATE_ON_UPDATE,
    .name_rule = LW_NAME_SUBDOMAIN,
    .columns = lw_table_columns_runtimeclass,
    .empty_members = LW_STR_INIT(",\"handler\":\"\""),
};
