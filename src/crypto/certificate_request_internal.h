/* SPDX-License-Identifier: Apache-2.0 */
/* certificate_request_internal.h -- the parts of a request that its signer needs. */
#ifndef LW_CRYPTO_CERTIFICATE_REQUEST_INTERNAL_H
#define LW_CRYPTO_CERTIFICATE_REQUEST_INTERNAL_H

#include <openssl/x509v3.h>

#include "crypto/certificate_request.h"

struct lw_certificate_request {
    X509_REQ *req;
    GENERAL_NAMES *names; /* those of the types above; NULL: none */
    unsigned sans;
    lw_str common_name; /* points to OpenSSL's memory, as the organizations do */
    lw_str organizations[LW_CERTIFICATE_GROUPS_MAX];
    size_t organization_count;
};

/* Sets |err| to |message| and OpenSSL's reason, if there is one; LW_ERR_NOMEM if memory ran out.
 * Returns the code. */
lw_status lw_certificate__error(lw_error *err, lw_status st, const char *message);

/* Never asks for a pass phrase on a terminal. */
int lw_certificate__no_password(char *buf, int size, int is_writing, void *arg);

#endif
