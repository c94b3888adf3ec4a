/* SPDX-License-Identifier: Apache-2.0 */
/* kinds_storage.c -- the group storage.k8s.io: where volumes come from. */
#include "schema/kinds/kinds.h"
#include "schema/printers/printers.h"

const lw_kind lw_kind_csidrivers = {
    .group = LW_STR_INIT("storage.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("CSIDriver"),
    .list_kind = LW_STR_INIT("CSIDriverList"),
    .plural = LW_STR_INIT("csidrivers"),
    .singular = LW_STR_INIT("csidriver"),
    .storage = LW_STR_INIT("csidrivers"),
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_CONDITIONAL | LW_KIND_DELETE_RETURNS,
    .name_rule = LW_NAME_SUBDOMAIN,
    .columns = lw_table_columns_csidriver,
    .empty_members = LW_STR_INIT(",\"spec\":{}"),
};

const lw_kind lw_kind_csinodes = {
    .group = LW_STR_INIT("storage.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("CSINode"),
    .list_kind = LW_STR_INIT("CSINodeList"),
    .plural = LW_STR_INIT("csinodes"),
    .singular = LW_STR_INIT("csinode"),
    .storage = LW_STR_INIT("csinodes"),
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_CONDITIONAL | LW_KIND_DELETE_RETURNS,
    .name_rule = LW_NAME_SUBDOMAIN,
    .columns = lw_table_columns_csinode,
    .empty_members = LW_STR_INIT(",\"spec\":{\"drivers\":null}"),
};

const lw_kind lw_kind_csistoragecapacities = {
    .group = LW_STR_INIT("storage.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("CSIStorageCapacity"),
    .list_kind = LW_STR_INIT("CSIStorageCapacityList"),
    .plural = LW_STR_INIT("csistoragecapacities"),
    .singular = LW_STR_INIT("csistoragecapacity"),
    .storage = LW_STR_INIT("csistoragecapacities"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_CONDITIONAL | LW_KIND_DELETE_RETURNS,
    .name_rule = LW_NAME_SUBDOMAIN,
    .columns = lw_table_columns_csistoragecapacity,
    .empty_members = LW_STR_INIT(",\"storageClassName\":\"\""),
};

const lw_kind lw_kind_storageclasses = {
    .group = LW_STR_INIT("storage.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("StorageClass"),
    .list_kind = LW_STR_INIT("StorageClassList"),
    .plural = LW_STR_INIT("storageclasses"),
    .singular = LW_STR_INIT("storageclass"),
    .storage = LW_STR_INIT("storageclasses"),
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_DELETE_RETURNS,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("sc"), { NULL, 0 } },
    .columns = lw_table_columns_storageclass,
    .empty_members = LW_STR_INIT(",\"provisioner\":\"\""),
};

const lw_kind lw_kind_volumeattachments = {
    .group = LW_STR_INIT("storage.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("VolumeAttachment"),
    .list_kind = LW_STR_INIT("VolumeAttachmentList"),
    .plural = LW_STR_INIT("volumeattachments"),
    .singular = LW_STR_INIT("volumeattachment"),
    .storage = LW_STR_INIT("volumeattachments"),
    .verbs = LW_VERB_ALL,
    .subresources = LW_SUB_STATUS,
    .flags = LW_KIND_CONDITIONAL | LW_KIND_DELETE_RETURNS,
    .name_rule = LW_NAME_SUBDOMAIN,
    .columns = lw_table_columns_volumeattachment,
    .empty_members = LW_STR_INIT(",\"spec\":{\"attacher\":\"\",\"source\":{},\"nodeName\":\"\"},"
                                 "\"status\":{\"attached\":false}"),
};
