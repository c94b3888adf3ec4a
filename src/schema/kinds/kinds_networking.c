/* SPDX-License-Identifier: Apache-2.0 */
/* kinds_networking.c -- who reaches whom: networking.k8s.io, and discovery.k8s.io. */
#include "schema/kinds/kinds.h"
#include "schema/printers/printers.h"

const lw_kind lw_kind_ingressclasses = {
    .group = LW_STR_INIT("networking.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("IngressClass"),
    .list_kind = LW_STR_INIT("IngressClassList"),
    .plural = LW_STR_INIT("ingressclasses"),
    .singular = LW_STR_INIT("ingressclass"),
    .storage = LW_STR_INIT("ingressclasses"),
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_GENERATION,
    .name_rule = LW_NAME_SUBDOMAIN,
    .columns = lw_table_columns_ingressclass,
    .empty_members = LW_STR_INIT(",\"spec\":{}"),
};

const lw_kind lw_kind_ingresses = {
    .group = LW_STR_INIT("networking.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("Ingress"),
    .list_kind = LW_STR_INIT("IngressList"),
    .plural = LW_STR_INIT("ingresses"),
    .singular = LW_STR_INIT("ingress"),
    .storage = LW_STR_INIT("ingress"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .subresources = LW_SUB_STATUS,
    .flags = LW_KIND_GENERATION,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("ing"), { NULL, 0 } },
    .columns = lw_table_columns_ingress,
    .empty_members = LW_STR_INIT(",\"spec\":{},\"status\":{\"loadBalancer\":{}}"),
};

const lw_kind lw_kind_networkpolicies = {
    .group = LW_STR_INIT("networking.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("NetworkPolicy"),
    .list_kind = LW_STR_INIT("NetworkPolicyList"),
    .plural = LW_STR_INIT("networkpolicies"),
    .singular = LW_STR_INIT("networkpolicy"),
    .storage = LW_STR_INIT("networkpolicies"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_GENERATION,
    .name_rule = LW_NAME_SUBDOMAIN,
    .short_names = (const lw_str[]){ LW_STR_INIT("netpol"), { NULL, 0 } },
    .columns = lw_table_columns_networkpolicy,
    .empty_members = LW_STR_INIT(",\"spec\":{}"),
};

const lw_kind lw_kind_endpointslices = {
    .group = LW_STR_INIT("discovery.k8s.io"),
    .version = LW_STR_INIT("v1"),
    .kind = LW_STR_INIT("EndpointSlice"),
    .list_kind = LW_STR_INIT("EndpointSliceList"),
    .plural = LW_STR_INIT("endpointslices"),
    .singular = LW_STR_INIT("endpointslice"),
    .storage = LW_STR_INIT("endpointslices"),
    .is_namespaced = true,
    .verbs = LW_VERB_ALL,
    .flags = LW_KIND_GENERATION,
    .name_rule = LW_NAME_SUBDOMAIN,
    .columns = lw_table_columns_endpointslice,
    .empty_members = LW_STR_INIT(",\"addressType\":\"\",\"endpoints\":null,\"ports\":null"),
};
