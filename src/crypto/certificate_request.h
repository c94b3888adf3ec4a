/* SPDX-License-Identifier: Apache-2.0 */
/* certificate_request.h -- certificate signing requests (PKCS #10, RFC 2986): who asks for a
 * certificate of which key.
 *
 * A request that was read is well-formed and signed by its own key.  Requests are immutable.
 * Threads: any. */
#ifndef LW_CRYPTO_CERTIFICATE_REQUEST_H
#define LW_CRYPTO_CERTIFICATE_REQUEST_H

#include <stdbool.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

enum {
    LW_CERTIFICATE_REQUEST_MAX = 1 << 20, /* bytes of a request as PEM */
    LW_CERTIFICATE_GROUPS_MAX = 64,       /* organizations in its subject */
    LW_CERTIFICATE_RSA_MIN = 1024,        /* bits */
    LW_CERTIFICATE_RSA_MAX = 8192,        /* longer keys cost too much to verify */
};

typedef struct lw_certificate_request lw_certificate_request;

/* The types of subject alternative names that can be requested; names of other types are
 * ignored. */
enum {
    LW_SAN_DNS = 1 << 0,
    LW_SAN_IP = 1 << 1,
    LW_SAN_EMAIL = 1 << 2,
    LW_SAN_URI = 1 << 3,
};

/* Reads |base64|, the encoding of a PEM block CERTIFICATE REQUEST.  LW_ERR_INVALID: it is not such
 * a request, its signature is wrong, or its key is not supported; the message says why.
 * LW_ERR_LIMIT, LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_certificate_request_read(lw_certificate_request **out, lw_str base64,
                                                    lw_error *err);
void lw_certificate_request_free(lw_certificate_request *request); /* NULL does nothing */

/* The common name of the subject; empty: there is none. */
lw_str lw_certificate_request_common_name(const lw_certificate_request *request);

/* The organizations of the subject, which become groups. */
const lw_str *lw_certificate_request_organizations(const lw_certificate_request *request,
                                                   size_t *count);

/* LW_SAN_ bits of the subject alternative names. */
unsigned lw_certificate_request_sans(const lw_certificate_request *request);

#endif
