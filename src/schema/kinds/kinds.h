/* SPDX-License-Identifier: Apache-2.0 */
/* kinds.h -- the built-in kinds by name, for the list of them (kinds.c) and for tests.
 *
 * Each is defined in the kinds_<group>.c of its group. */
#ifndef LW_SCHEMA_KINDS_KINDS_H
#define LW_SCHEMA_KINDS_KINDS_H

#include "schema/kinds/kind.h"

/* The category of `kubectl get all`. */
extern const lw_str lw_category_all[];

/* kinds_core.c, kinds_core_config.c */
extern const lw_kind lw_kind_configmaps;
extern const lw_kind lw_kind_endpoints;
extern const lw_kind lw_kind_events;
extern const lw_kind lw_kind_limitranges;
extern const lw_kind lw_kind_namespaces;
extern const lw_kind lw_kind_nodes;
extern const lw_kind lw_kind_persistentvolumeclaims;
extern const lw_kind lw_kind_persistentvolumes;
extern const lw_kind lw_kind_pods;
extern const lw_kind lw_kind_podtemplates;
extern const lw_kind lw_kind_replicationcontrollers;
extern const lw_kind lw_kind_resourcequotas;
extern const lw_kind lw_kind_secrets;
extern const lw_kind lw_kind_serviceaccounts;
extern const lw_kind lw_kind_services;

/* kinds_apps.c */
extern const lw_kind lw_kind_controllerrevisions;
extern const lw_kind lw_kind_daemonsets;
extern const lw_kind lw_kind_deployments;
extern const lw_kind lw_kind_replicasets;
extern const lw_kind lw_kind_statefulsets;

/* kinds_events.c */
extern const lw_kind lw_kind_events_k8s_io;

/* kinds_batch.c, with autoscaling and policy */
extern const lw_kind lw_kind_horizontalpodautoscalers;
extern const lw_kind lw_kind_cronjobs;
extern const lw_kind lw_kind_jobs;
extern const lw_kind lw_kind_poddisruptionbudgets;

/* kinds_networking.c, with discovery.k8s.io */
extern const lw_kind lw_kind_ingressclasses;
extern const lw_kind lw_kind_ingresses;
extern const lw_kind lw_kind_networkpolicies;
extern const lw_kind lw_kind_endpointslices;

/* kinds_rbac.c */
extern const lw_kind lw_kind_clusterrolebindings;
extern const lw_kind lw_kind_clusterroles;
extern const lw_kind lw_kind_rolebindings;
extern const lw_kind lw_kind_roles;

/* kinds_admission.c, with flow control */
extern const lw_kind lw_kind_mutatingwebhookconfigurations;
extern const lw_kind lw_kind_validatingwebhookconfigurations;
extern const lw_kind lw_kind_flowschemas;
extern const lw_kind lw_kind_prioritylevelconfigurations;

/* kinds_reviews.c: questions that are answered, and not kept */
extern const lw_kind lw_kind_selfsubjectreviews;
extern const lw_kind lw_kind_tokenreviews;
extern const lw_kind lw_kind_localsubjectaccessreviews;
extern const lw_kind lw_kind_selfsubjectaccessreviews;
extern const lw_kind lw_kind_selfsubjectrulesreviews;
extern const lw_kind lw_kind_subjectaccessreviews;

/* kinds_storage.c */
extern const lw_kind lw_kind_csidrivers;
extern const lw_kind lw_kind_csinodes;
extern const lw_kind lw_kind_csistoragecapacities;
extern const lw_kind lw_kind_storageclasses;
extern const lw_kind lw_kind_volumeattachments;

/* kinds_cluster.c: groups of one kind each */
extern const lw_kind lw_kind_customresourcedefinitions;
extern const lw_kind lw_kind_priorityclasses;
extern const lw_kind lw_kind_leases;
extern const lw_kind lw_kind_runtimeclasses;

#endif
