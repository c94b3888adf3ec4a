/* SPDX-License-Identifier: Apache-2.0 */
/* kinds_rbac.c -- the group rbac.authorization.k8s.io: who may do what. */
#include "schema/kinds/kinds.h"
#include "schema/printers/printers.h"

const lw_kind lw_kind_clusterrolebindings = {
    .group = LW_STR_INIT("rbac.authorization.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("ClusterRoleBinding"),
    .list_kind = LW_STR_INIT("ClusterRoleBindingList"),
    .plural = LW_STR_INIT("clusterrolebindings"),
    .singular = LW_STR_INIT("clusterrolebinding"),
    .storage = LW_STR_INIT("clusterrolebindings"),
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_CREATE_ON_UPDATE,
    .name_rule = LW_NAME_PATH,
    .columns = lw_table_columns_rolebinding,
    .empty_members = LW_STR_INIT(",\"roleRef\":{\"apiGroup\":\"\",\"kind\":\"\",\"name\":\"\"}"),
};

const lw_kind lw_kind_clusterroles = {
    .group = LW_STR_INIT("rbac.authorization.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("ClusterRole"),
    .list_kind = LW_STR_INIT("ClusterRoleList"),
    .plural = LW_STR_INIT("clusterroles"),
    .singular = LW_STR_INIT("clusterrole"),
    .storage = LW_STR_INIT("clusterroles"),
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_CREATE_ON_UPDATE,
    .name_rule = LW_NAME_PATH,
    .empty_members = LW_STR_INIT(",\"rules\":null"),
};

const lw_kind lw_kind_rolebindings = {
    .group = LW_STR_INIT("rbac.authorization.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("RoleBinding"),
    .list_kind = LW_STR_INIT("RoleBindingList"),
    .plural = LW_STR_INIT("rolebindings"),
    .singular = LW_STR_INIT("rolebinding"),
    .storage = LW_STR_INIT("rolebindings"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_CREATE_ON_UPDATE,
    .name_rule = LW_NAME_PATH,
    .columns = lw_table_columns_rolebinding,
    .empty_members = LW_STR_INIT(",\"roleRef\":{\"apiGroup\":\"\",\"kind\":\"\",\"name\":\"\"}"),
};

const lw_kind lw_kind_roles = {
    .group = LW_STR_INIT("rbac.authorization.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("Role"),
    .list_kind = LW_STR_INIT("RoleList"),
    .plural = LW_STR_INIT("roles"),
    .singular = LW_STR_INIT("role"),
    .storage = LW_STR_INIT("roles"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_CREATE_ON_UPDATE,
    .name_rule = LW_NAME_PATH,
    .empty_members = LW_STR_INIT(",\"rules\":null"),
};
