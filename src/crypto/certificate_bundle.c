/* SPDX-License-Identifier: Apache-2.0 */
/* certificate_bundle.c -- reads PEM texts with certificates. */
#include "crypto/certificate_bundle.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <string.h>

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

static bool is_certificate(const unsigned char *der, long len)
{
    X509 *found = d2i_X509(NULL, &der, len);
    X509_free(found);
    return found != NULL;
}

const char *lw_certificate_bundle_fault(lw_str pem)
{
    const char *fault = NULL;
    bool is_good = false;
    char *name, *header;
    unsigned char *der;
    long len;
    BIO *bio = pem.len > INT_MAX ? NULL : BIO_new_mem_buf(pem.ptr, (int)pem.len);
    if (!bio || PEM_read_bio(bio, &name, &header, &der, &len) != 1) {
        fault = "unable to parse bytes as PEM block";
    } else {
        do {
            bool is_cert = strcmp(name, PEM_STRING_X509) == 0 && header[0] == '\0';
            is_good = is_good || (is_cert && is_certificate(der, len));
            if (is_cert && !is_good && !fault)
                fault = "failed to parse certificate: x509: malformed certificate";
            OPENSSL_free(name);
            OPENSSL_free(header);
            OPENSSL_free(der);
        } while (PEM_read_bio(bio, &name, &header, &der, &len) == 1);
        if (!fault)
            fault = "no valid certificate authority data seen";
    }
    ERR_clear_error();
    BIO_free(bio);
    return is_good ? NULL : fault;
}
