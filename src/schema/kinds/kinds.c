/* SPDX-License-Identifier: Apache-2.0 */
/* kinds.c -- the list of the built-in kinds: core, the groups as kube-apiserver orders them, and in
 * each the resources by name. */
#include "schema/kinds/kinds.h"

const lw_str lw_category_all[] = { LW_STR_INIT("all"), { NULL, 0 } };

static const lw_kind *const builtin[] = {
    &lw_kind_configmaps,
    &lw_kind_endpoints,
    &lw_kind_events,
    &lw_kind_limitranges,
    &lw_kind_namespaces,
    &lw_kind_nodes,
    &lw_kind_persistentvolumeclaims,
    &lw_kind_persistentvolumes,
    &lw_kind_pods,
    &lw_kind_podtemplates,
    &lw_kind_replicationcontrollers,
    &lw_kind_resourcequotas,
    &lw_kind_secrets,
    &lw_kind_serviceaccounts,
    &lw_kind_services,
    /* apps */
    &lw_kind_controllerrevisions,
    &lw_kind_daemonsets,
    &lw_kind_deployments,
    &lw_kind_replicasets,
    &lw_kind_statefulsets,
    /* events.k8s.io */
    &lw_kind_events_k8s_io,
    /* authentication.k8s.io */
    &lw_kind_selfsubjectreviews,
    &lw_kind_tokenreviews,
    /* authorization.k8s.io */
    &lw_kind_localsubjectaccessreviews,
    &lw_kind_selfsubjectaccessreviews,
    &lw_kind_selfsubjectrulesreviews,
    &lw_kind_subjectaccessreviews,
    /* autoscaling */
    &lw_kind_horizontalpodautoscalers,
    /* batch */
    &lw_kind_cronjobs,
    &lw_kind_jobs,
    /* networking.k8s.io */
    &lw_kind_ingressclasses,
    &lw_kind_ingresses,
    &lw_kind_networkpolicies,
    /* policy */
    &lw_kind_poddisruptionbudgets,
    /* rbac.authorization.k8s.io */
    &lw_kind_clusterrolebindings,
    &lw_kind_clusterroles,
    &lw_kind_rolebindings,
    &lw_kind_roles,
    /* storage.k8s.io */
    &lw_kind_csidrivers,
    &lw_kind_csinodes,
    &lw_kind_csistoragecapacities,
    &lw_kind_storageclasses,
    &lw_kind_volumeattachments,
    /* admissionregistration.k8s.io */
    &lw_kind_mutatingwebhookconfigurations,
    &lw_kind_validatingwebhookconfigurations,
    /* groups of one kind each */
    &lw_kind_customresourcedefinitions,
    &lw_kind_priorityclasses,
    &lw_kind_leases,
    &lw_kind_runtimeclasses,
    &lw_kind_endpointslices,
    /* flowcontrol.apiserver.k8s.io */
    &lw_kind_flowschemas,
    &lw_kind_prioritylevelconfigurations,
};

const lw_kind *const *lw_kinds_builtin(size_t *count)
{
    *count = sizeof(builtin) / sizeof(builtin[0]);
    return builtin;
}
