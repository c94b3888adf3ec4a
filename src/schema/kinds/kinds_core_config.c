/* SPDX-License-Identifier: Apache-2.0 */
/* kinds_core_config.c -- the kinds of the core group that configure: data, secrets, accounts,
 * quotas, volumes. */
#include "schema/kinds/kinds.h"
#include "schema/printers/printers.h"

static const lw_field_label secret_fields[] = {
    { .label = LW_STR_INIT("type") },
    { .label = { NULL, 0 } },
};

const lw_kind lw_kind_configmaps = {
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("ConfigMap"),
    .list_kind = LW_STR_INIT("ConfigMapList"),
    .plural = LW_STR_INIT("configmaps"),
    .singular = LW_STR_INIT("configmap"),
    .storage = LW_STR_INIT("configmaps"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("cm"), { NULL, 0 } },
    .columns = lw_table_columns_configmap,
};

const lw_kind lw_kind_limitranges = {
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("LimitRange"),
    .list_kind = LW_STR_INIT("LimitRangeList"),
    .plural = LW_STR_INIT("limitranges"),
    .singular = LW_STR_INIT("limitrange"),
    .storage = LW_STR_INIT("limitranges"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_CREATE_ON_UPDATE,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("limits"), { NULL, 0 } },
    .empty_members = LW_STR_INIT(",\"spec\":{\"limits\":null}"),
};

const lw_kind lw_kind_persistentvolumeclaims = {
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("PersistentVolumeClaim"),
    .list_kind = LW_STR_INIT("PersistentVolumeClaimList"),
    .plural = LW_STR_INIT("persistentvolumeclaims"),
    .singular = LW_STR_INIT("persistentvolumeclaim"),
    .storage = LW_STR_INIT("persistentvolumeclaims"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .subresources = LW_SUB_STATUS,
    .flags = LW_KIND_DELETE_RETURNS,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("pvc"), { NULL, 0 } },
    .columns = lw_table_columns_persistentvolumeclaim,
    .empty_members = LW_STR_INIT(",\"spec\":{\"resources\":{}},\"status\":{}"),
};

const lw_kind lw_kind_persistentvolumes = {
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("PersistentVolume"),
    .list_kind = LW_STR_INIT("PersistentVolumeList"),
    .plural = LW_STR_INIT("persistentvolumes"),
    .singular = LW_STR_INIT("persistentvolume"),
    .storage = LW_STR_INIT("persistentvolumes"),
    .verbs = LW_VERB_ALL,
    .subresources = LW_SUB_STATUS,
    .flags = LW_KIND_DELETE_RETURNS,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("pv"), { NULL, 0 } },
    .columns = lw_table_columns_persistentvolume,
    .empty_members = LW_STR_INIT(",\"spec\":{},\"status\":{}"),
};

const lw_kind lw_kind_resourcequotas = {
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("ResourceQuota"),
    .list_kind = LW_STR_INIT("ResourceQuotaList"),
    .plural = LW_STR_INIT("resourcequotas"),
    .singular = LW_STR_INIT("resourcequota"),
    .storage = LW_STR_INIT("resourcequotas"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .subresources = LW_SUB_STATUS,
    .flags = LW_KIND_DELETE_RETURNS,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("quota"), { NULL, 0 } },
    .columns = lw_table_columns_resourcequota,
    .empty_members = LW_STR_INIT(",\"spec\":{},\"status\":{}"),
};

const lw_kind lw_kind_secrets = {
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("Secret"),
    .list_kind = LW_STR_INIT("SecretList"),
    .plural = LW_STR_INIT("secrets"),
    .singular = LW_STR_INIT("secret"),
    .storage = LW_STR_INIT("secrets"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .name_rule = LW_NAME_SUBDOMAIN,
    .fields = secret_fields,
    .columns = lw_table_columns_secret,
};

const lw_kind lw_kind_serviceaccounts = {
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("ServiceAccount"),
    .list_kind = LW_STR_INIT("ServiceAccountList"),
    .plural = LW_STR_INIT("serviceaccounts"),
    .singular = LW_STR_INIT("serviceaccount"),
    .storage = LW_STR_INIT("serviceaccounts"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_DELETE_RETURNS,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("sa"), { NULL, 0 } },
    .columns = lw_table_columns_serviceaccount,
};
