/* SPDX-License-Identifier: Apache-2.0 */
/* node_audience.h -- for which audience a node may request the token of a service account: one that
 * a volume of the pod names, or the CSI driver of a volume; any other needs the permission
 * "request-serviceaccounts-token-audience" for a resource with the name of the audience.  The
 * messages are those of kube-apiserver. */
#ifndef LW_API_ADMISSION_NODE_AUDIENCE_H
#define LW_API_ADMISSION_NODE_AUDIENCE_H

#include "api/admission/node_restriction.h"

/* Returns true if request->user may have the audiences of |spec|, that of a TokenRequest, in a
 * token for |pod|.  If not, |why| is the reason; out of memory: |why|->st. */
bool lw_node_audience_admits(const lw_node_restriction_request *request, const lw_object *pod,
                             const lw_node *spec, lw_buf *why);

#endif
