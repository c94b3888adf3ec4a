/* SPDX-License-Identifier: Apache-2.0 */
/* certificate_bundle.c -- reads PEM texts with certificates. */
#include "crypto/certificate_bundle.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

bool lw_certificate_bundle_is_valid(lw_str pem)
{
    size_t count = 0;
    BIO *bio = pem.len > INT_MAX ? NULL : BIO_new_mem_buf(pem.ptr, (int)pem.len);
    for (X509 *found; bio && (found = PEM_read_bio_X509(bio, NULL, NULL, NULL)); count++)
        X509_free(found);
    /* The end of the text is an error, too: there is no further PEM block. */
    bool is_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    ERR_clear_error();
    BIO_free(bio);
    return count > 0 && is_end;
}
