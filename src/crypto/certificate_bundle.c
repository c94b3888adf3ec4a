/* SPDX-License-Identifier: Apache-2.0 */
/* certificate_bundle.c -- reads PEM texts with certificates. */
#include "crypto/certificate_bundle.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
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

/* The certificates of |pem| up to one that cannot be read; NULL: there is no memory. */
static STACK_OF(X509) * read_certificates(lw_str pem)
{
    STACK_OF(X509) *certs = sk_X509_new_null();
    BIO *bio = pem.len > INT_MAX ? NULL : BIO_new_mem_buf(pem.ptr, (int)pem.len);
    for (X509 *found; bio && certs && (found = PEM_read_bio_X509(bio, NULL, NULL, NULL));)
        if (sk_X509_push(certs, found) == 0)
            X509_free(found);
    BIO_free(bio);
    return certs;
}

static bool verify(STACK_OF(X509) * trusted, STACK_OF(X509) * chain)
{
    X509_STORE_CTX *ctx = X509_STORE_CTX_new();
    bool is_accepted = ctx && X509_STORE_CTX_init(ctx, NULL, sk_X509_value(chain, 0), chain) == 1;
    if (is_accepted) {
        X509_STORE_CTX_set0_trusted_stack(ctx, trusted);
        X509_STORE_CTX_set_flags(ctx, X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_NO_CHECK_TIME);
        is_accepted = X509_verify_cert(ctx) == 1;
    }
    X509_STORE_CTX_free(ctx);
    return is_accepted;
}

bool lw_certificate_bundle_verifies(lw_str bundle, lw_str chain)
{
    STACK_OF(X509) *trusted = read_certificates(bundle), *certs = read_certificates(chain);
    bool is_accepted = trusted && certs && sk_X509_num(certs) > 0 && verify(trusted, certs);
    sk_X509_pop_free(certs, X509_free);
    sk_X509_pop_free(trusted, X509_free);
    ERR_clear_error();
    return is_accepted;
}
