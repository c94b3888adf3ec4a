/* SPDX-License-Identifier: Apache-2.0 */
/* signer.h -- the signers of the server: which certificate signing requests they accept, with the
 * rules and messages of kube-controller-manager.
 *
 *     kubernetes.io/kube-apiserver-client            any subject, for client authentication
 *     kubernetes.io/kube-apiserver-client-kubelet    system:node:NAME in system:nodes, as a client
 *     kubernetes.io/kubelet-serving                  system:node:NAME in system:nodes, as a server
 *
 * Threads: any. */
#ifndef LW_API_CERTIFICATES_SIGNER_H
#define LW_API_CERTIFICATES_SIGNER_H

#include "base/buf.h"
#include "crypto/certificate_request.h"
#include "json/tree.h"

typedef struct lw_signer lw_signer;

/* Finds a signer by its name; NULL: others sign for it. */
const lw_signer *lw_signer_find(lw_str name);

/* Returns true if the signer issues certificates for |request| with |usages|, a list of strings;
 * otherwise appends the reason to |why|, which may be NULL. */
bool lw_signer_accepts(const lw_signer *signer, const lw_certificate_request *request,
                       const lw_node *usages, lw_buf *why);

/* Returns true if the signer issues client certificates of kubelets. */
bool lw_signer_is_kubelet_client(const lw_signer *signer);

#endif
