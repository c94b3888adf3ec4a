/* SPDX-License-Identifier: Apache-2.0 */
/* certificates.h -- admission of certificate signing requests: who asks, who may approve and sign
 * for which signer, and which groups nobody gets. */
#ifndef LW_API_ADMISSION_CERTIFICATES_H
#define LW_API_ADMISSION_CERTIFICATES_H

#include "api/admission/admission.h"

/* Sets user name, UID, groups and extra of a new request to those of |user|; NULL: removes them. */
void lw_csr_set_requester(lw_pending_object *pending, const lw_user *user);

/* Each returns true if the write may go on; otherwise |status| says why not (403). */

/* Refuses a new request for a client certificate of the group system:masters, which could not be
 * revoked. */
bool lw_csr_admits_subject(const lw_pending_object *pending, lw_str name, lw_api_status *status);

/* The user must be allowed to "approve" the signer of the stored request. */
bool lw_csr_admits_approval(const lw_admission *admission);

/* The user must be allowed to "sign" for the signer, if certificate or conditions change. */
bool lw_csr_admits_signature(const lw_admission *admission);

/* The plugin ClusterTrustBundleAttest: who writes the bundle of a signer may attest for it. */
bool lw_trust_bundle_admit(lw_admission *admission);

#endif
