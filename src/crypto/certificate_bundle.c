/* SPDX-License-Identifier: Apache-2.0 */
/* certificate_bundle.c -- reads PEM texts with certificates. */
#include "crypto/certificate_bundle.h"

#include <limits.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <string.h>

#include "base/str.h"

enum {
    BUNDLE_MAX = 64 * 1024, /* bytes of a bundle that is verified, */
    CERTIFICATES_MAX = 16,  /* and its certificates */
};

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

/* Returns the certificates of |pem|, at most CERTIFICATES_MAX; NULL: there are more, one cannot be
 * read, or there is no memory. */
static STACK_OF(X509) * read_certificates(lw_str pem)
{
    STACK_OF(X509) *certs = sk_X509_new_null();
    BIO *bio = pem.len > BUNDLE_MAX ? NULL : BIO_new_mem_buf(pem.ptr, (int)pem.len);
    bool is_good = bio && certs;
    for (X509 *found; is_good && (found = PEM_read_bio_X509(bio, NULL, NULL, NULL));) {
        is_good = sk_X509_num(certs) < CERTIFICATES_MAX && sk_X509_push(certs, found) > 0;
        if (!is_good)
            X509_free(found);
    }
    is_good = is_good && ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
    BIO_free(bio);
    ERR_clear_error();
    if (is_good && sk_X509_num(certs) > 0)
        return certs;
    sk_X509_pop_free(certs, X509_free);
    return NULL;
}

/* Returns true if |pem| is the text of |certs| and nothing else.  Readers of PEM differ in what
 * they skip: a certificate that OpenSSL does not see could be one that a client trusts. */
static bool is_text_of(lw_str pem, STACK_OF(X509) * certs)
{
    char *text = NULL;
    BIO *bio = BIO_new(BIO_s_mem());
    bool is_written = bio != NULL;
    for (int i = 0; is_written && i < sk_X509_num(certs); i++)
        is_written = PEM_write_bio_X509(bio, sk_X509_value(certs, i)) == 1;
    long len = is_written ? BIO_get_mem_data(bio, &text) : 0;
    bool is_same =
        len > 0 && lw_str_equal(lw_str_trim(lw_str_make(text, (size_t)len)), lw_str_trim(pem));
    BIO_free(bio);
    return is_same;
}

/* Returns true if who trusts |root| alone accepts the first certificate of |chain|. */
static bool verify(X509 *root, STACK_OF(X509) * chain)
{
    X509_STORE_CTX *ctx = X509_STORE_CTX_new();
    STACK_OF(X509) *trusted = sk_X509_new_null();
    bool is_accepted = ctx && trusted && sk_X509_push(trusted, root) > 0 &&
                       X509_STORE_CTX_init(ctx, NULL, sk_X509_value(chain, 0), chain) == 1;
    if (is_accepted) {
        X509_STORE_CTX_set0_trusted_stack(ctx, trusted);
        X509_STORE_CTX_set_flags(ctx, X509_V_FLAG_PARTIAL_CHAIN | X509_V_FLAG_NO_CHECK_TIME);
        is_accepted = X509_verify_cert(ctx) == 1;
    }
    X509_STORE_CTX_free(ctx);
    sk_X509_free(trusted);
    return is_accepted;
}

bool lw_certificate_bundle_verifies(lw_str bundle, lw_str chain)
{
    STACK_OF(X509) *roots = read_certificates(bundle), *certs = read_certificates(chain);
    bool is_accepted = roots && certs && is_text_of(bundle, roots);
    for (int i = 0; is_accepted && i < sk_X509_num(roots); i++)
        is_accepted = verify(sk_X509_value(roots, i), certs);
    sk_X509_pop_free(certs, X509_free);
    sk_X509_pop_free(roots, X509_free);
    ERR_clear_error();
    return is_accepted;
}
