/* SPDX-License-Identifier: Apache-2.0 */
/* node_certificates.h -- which PodCertificateRequests a node may create: for pods that are bound to
 * it, with the UIDs of the objects as they are, and for a signer that a volume of the pod names;
 * any other needs the permission "request-serviceaccounts-podcertificate-signer" for a resource
 * with the name of the signer.  The messages are those of kube-apiserver. */
#ifndef LW_API_ADMISSION_NODE_CERTIFICATES_H
#define LW_API_ADMISSION_NODE_CERTIFICATES_H

#include "api/admission/admission.h"

typedef enum lw_node_certificates_verdict {
    LW_NODE_CERTIFICATES_ADMITTED,
    LW_NODE_CERTIFICATES_FORBIDDEN,
    /* An object is missing or has another UID: perhaps it was made a moment ago.  An error that
     * makes the node try again. */
    LW_NODE_CERTIFICATES_UNSETTLED,
} lw_node_certificates_verdict;

/* Checks the PodCertificateRequest that |node| creates.  Unless it is admitted, |why| is the
 * reason; out of memory: |why|->st. */
lw_node_certificates_verdict lw_node_certificates_check(const lw_admission *admission, lw_str node,
                                                        lw_buf *why);

#endif
