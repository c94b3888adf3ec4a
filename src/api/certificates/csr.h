/* SPDX-License-Identifier: Apache-2.0 */
/* csr.h -- what the server does with a stored CertificateSigningRequest: approve, sign, delete.
 *
 *     Pending ──▶ Approved ──▶ Issued ──▶ deleted
 *        │            └──────▶ Failed ──▶ deleted
 *        └──────▶ Denied ───────────────▶ deleted */
#ifndef LW_API_CERTIFICATES_CSR_H
#define LW_API_CERTIFICATES_CSR_H

#include "api/pending/pending_object.h"

/* What is to be done. */
typedef enum lw_csr_step {
    LW_CSR_NOTHING, /* until the request is changed, or lw_csr_expiry */
    LW_CSR_CHANGED, /* the pending object is approved, issued or failed: to be stored */
    LW_CSR_RETRY,   /* the requester is not allowed what would approve it, or signing failed:
                       later this may be different */
} lw_csr_step;

/* Does the next step on |pending|, a stored request.  Without a CA nothing is signed.  Failures are
 * those of the pending object. */
lw_csr_step lw_csr_advance(lw_pending_object *pending);

/* When the request at |root| is to be deleted, in nanoseconds since 1970: an hour after it was
 * issued, denied or failed, when its certificate expires, or a day after it was created or approved
 * and nothing came of it.  INT64_MAX: never, because it has no times. */
int64_t lw_csr_expiry_ns(const lw_node *root);

#endif
