/* SPDX-License-Identifier: Apache-2.0 */
/* node_restriction.h -- NodeRestriction: what a node may write beyond what its authorizer can see.
 *
 * A node (see api/authz/node_authorizer.h) writes only its own Node, Lease and CSINode; it creates
 * only mirror pods that are bound to it and refer to nothing; it changes the status of, evicts and
 * deletes only pods that are bound to it; it gets only tokens of service accounts and asks for
 * certificates (node_certificates.h) for such pods; it creates and deletes only its own
 * ResourceSlices; it does not change its taints, nor labels by which workloads could be steered to
 * it.  Others are not restricted, nor is anybody if Node is not one of the authorization modes. The
 * messages are those of kube-apiserver. */
#ifndef LW_API_ADMISSION_NODE_RESTRICTION_H
#define LW_API_ADMISSION_NODE_RESTRICTION_H

#include "api/admission/admission.h"

/* The stage of admission.  False: admission->status says why not. */
bool lw_node_restriction_admit(lw_admission *admission);

/* Something that is not the write of an object that is sent: a deletion, an eviction, a binding. */
typedef struct lw_node_restriction_request {
    const lw_api *api;
    const lw_user *user; /* NULL: the server itself */
    const lw_kind *kind;
    lw_key key;
    const lw_object *current;      /* NULL: there is none */
    struct lw_http_stream *stream; /* of a token: waits for webhooks; may be NULL */
} lw_node_restriction_request;

/* Return true if the user may delete, evict or bind |current|; otherwise |status| says why not. */
bool lw_node_restriction_admits_delete(const lw_node_restriction_request *request,
                                       lw_api_status *status);
bool lw_node_restriction_admits_eviction(const lw_node_restriction_request *request,
                                         lw_api_status *status);
bool lw_node_restriction_admits_binding(const lw_node_restriction_request *request,
                                        lw_api_status *status);

/* Returns true if the user may get a token of the service account request->key; |spec| is that of
 * the TokenRequest.  A node gets only tokens that are bound to a pod that is bound to it, for an
 * audience that the pod needs (node_audience.h). */
bool lw_node_restriction_admits_token(const lw_node_restriction_request *request,
                                      const lw_node *spec, lw_api_status *status);

#endif
