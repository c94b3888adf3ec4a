/* SPDX-License-Identifier: Apache-2.0 */
/* certificate_authority.h -- issues X.509 certificates (RFC 5280) for certificate signing requests,
 * as the signers of Kubernetes do.
 *
 * An authority is immutable.  Threads: any. */
#ifndef LW_CRYPTO_CERTIFICATE_AUTHORITY_H
#define LW_CRYPTO_CERTIFICATE_AUTHORITY_H

#include <stdint.h>

#include "base/buf.h"
#include "crypto/certificate_request.h"

typedef struct lw_certificate_authority lw_certificate_authority;

/* Reads the certificate and the private key of a CA, both PEM.  LW_ERR_INVALID: one of them cannot
 * be read, they do not match, or the certificate is not that of a CA; LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_certificate_authority_read(lw_certificate_authority **out, lw_str cert,
                                                      lw_str key, lw_error *err);
void lw_certificate_authority_free(lw_certificate_authority *authority); /* NULL does nothing */

/* What is issued. */
typedef struct lw_certificate_terms {
    const lw_str *usages; /* known ones: "digital signature", "client auth" */
    size_t usage_count;
    int64_t now_s; /* seconds since 1970 */
    int64_t ttl_s; /* the certificate ends earlier if the CA does */
} lw_certificate_terms;

/* Appends a certificate for |request| as PEM, with its subject, its subject alternative names, its
 * key, and no other extension of it.  It begins five minutes before now, for clients whose clock is
 * behind.  LW_ERR_EXPIRED: the CA has expired; LW_ERR_INVALID: an unknown usage; LW_ERR_INTERNAL,
 * LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_certificate_authority_sign(const lw_certificate_authority *authority,
                                                      const lw_certificate_request *request,
                                                      const lw_certificate_terms *terms,
                                                      lw_buf *pem, lw_error *err);

/* The names of key usages as "a|b|c", sorted. */
extern const char lw_key_usages[];

/* Checks |base64|, the encoding of PEM blocks: at least one, each of them a CERTIFICATE.
 * |*expires_s| (may be NULL) is when the first one expires.  LW_ERR_INVALID, LW_ERR_LIMIT,
 * LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_certificate_check(lw_str base64, int64_t *expires_s, lw_error *err);

#endif
