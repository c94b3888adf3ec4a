/* SPDX-License-Identifier: Apache-2.0 */
/* kinds.h -- the built-in kinds that code or tests refer to by name.
 *
 * tools/fields.py generates all built-in kinds from src/schema/fields/ (docs/internals/fields.md),
 * each as lw_kind_<plural>; lw_kinds_builtin lists them.  Only kinds that C code names are declared
 * here.
 */
#ifndef LW_SCHEMA_KINDS_KINDS_H
#define LW_SCHEMA_KINDS_KINDS_H

#include "schema/kinds/kind.h"

/* core */
extern const lw_kind lw_kind_bindings; /* changes a pod when it is created, never stored */
extern const lw_kind lw_kind_componentstatuses;
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

/* admissionregistration.k8s.io */
extern const lw_kind lw_kind_mutatingadmissionpolicies;
extern const lw_kind lw_kind_mutatingadmissionpolicybindings;
extern const lw_kind lw_kind_validatingadmissionpolicies;
extern const lw_kind lw_kind_validatingadmissionpolicybindings;

/* apps */
extern const lw_kind lw_kind_controllerrevisions;
extern const lw_kind lw_kind_daemonsets;
extern const lw_kind lw_kind_deployments;
extern const lw_kind lw_kind_replicasets;
extern const lw_kind lw_kind_statefulsets;

/* autoscaling, batch and policy */
extern const lw_kind lw_kind_horizontalpodautoscalers;
extern const lw_kind lw_kind_horizontalpodautoscalers_v1;
extern const lw_kind lw_kind_cronjobs;
extern const lw_kind lw_kind_jobs;
extern const lw_kind lw_kind_poddisruptionbudgets;

/* networking.k8s.io and discovery.k8s.io */
extern const lw_kind lw_kind_ingressclasses;
extern const lw_kind lw_kind_ingresses;
extern const lw_kind lw_kind_ipaddresses;
extern const lw_kind lw_kind_networkpolicies;
extern const lw_kind lw_kind_servicecidrs;
extern const lw_kind lw_kind_endpointslices;

/* certificates.k8s.io and resource.k8s.io */
extern const lw_kind lw_kind_certificatesigningrequests;
extern const lw_kind lw_kind_clustertrustbundles;
extern const lw_kind lw_kind_podcertificaterequests;
extern const lw_kind lw_kind_resourceslices;

/* rbac.authorization.k8s.io */
extern const lw_kind lw_kind_roles;
extern const lw_kind lw_kind_clusterrolebindings;
extern const lw_kind lw_kind_clusterroles;
extern const lw_kind lw_kind_rolebindings;

/* storage.k8s.io */
extern const lw_kind lw_kind_csidrivers;
extern const lw_kind lw_kind_csinodes;
extern const lw_kind lw_kind_csistoragecapacities;
extern const lw_kind lw_kind_storageclasses;
extern const lw_kind lw_kind_volumeattachments;

/* admissionregistration.k8s.io and flowcontrol.apiserver.k8s.io */
extern const lw_kind lw_kind_mutatingwebhookconfigurations;
extern const lw_kind lw_kind_validatingwebhookconfigurations;
extern const lw_kind lw_kind_flowschemas;
extern const lw_kind lw_kind_prioritylevelconfigurations;

/* coordination.k8s.io, node.k8s.io and scheduling.k8s.io */
extern const lw_kind lw_kind_leases;
extern const lw_kind lw_kind_runtimeclasses;
extern const lw_kind lw_kind_priorityclasses;

/* events.k8s.io */
extern const lw_kind lw_kind_events_k8s_io;

/* authentication.k8s.io and authorization.k8s.io: answered when they are created, never stored */
extern const lw_kind lw_kind_selfsubjectreviews;
extern const lw_kind lw_kind_tokenreviews;
extern const lw_kind lw_kind_localsubjectaccessreviews;
extern const lw_kind lw_kind_selfsubjectaccessreviews;
extern const lw_kind lw_kind_selfsubjectrulesreviews;
extern const lw_kind lw_kind_subjectaccessreviews;

/* apiregistration.k8s.io */
extern const lw_kind lw_kind_apiservices;

/* apiextensions.k8s.io */
extern const lw_kind lw_kind_customresourcedefinitions;

#endif
