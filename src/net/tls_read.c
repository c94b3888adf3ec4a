/* SPDX-License-Identifier: Apache-2.0 */
/* tls_read.c -- checks whether a certificate is still usable. */
#include "net/tls_read.h"

#include <limits.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "base/error.h"

static BIO *bio_of(lw_str pem)
{
    return pem.len > INT_MAX ? NULL : BIO_new_mem_buf(pem.ptr ? pem.ptr : "", (int)pem.len);
}

static X509 *read_cert(lw_str pem)
{
    BIO *bio = bio_of(pem);
    X509 *cert = bio ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
    BIO_free(bio);
    return cert;
}

/* Never asks for a pass phrase on a terminal. */
static int no_passphrase(char *buf, int size, int is_writing, void *arg)
{
    (void)buf;
    (void)size;
    (void)is_writing;
    (void)arg;
    return 0;
}

static bool key_fits(X509 *cert, lw_str pem)
{
    BIO *bio = bio_of(pem);
    EVP_PKEY *key = bio ? PEM_read_bio_PrivateKey(bio, NULL, no_passphrase, NULL) : NULL;
    bool fits = key && X509_check_private_key(cert, key) == 1;
    EVP_PKEY_free(key);
    BIO_free(bio);
    return fits;
}

static bool is_signed_by(X509 *cert, lw_str ca_pem)
{
    X509 *ca = read_cert(ca_pem);
    bool is_signed = ca && X509_verify(cert, X509_get0_pubkey(ca)) == 1;
    X509_free(ca);
    return is_signed;
}

static bool is_for_host(X509 *cert, const char *host)
{
    return X509_check_ip_asc(cert, host, 0) == 1 || X509_check_host(cert, host, 0, 0, NULL) == 1;
}

static lw_status check_cert(X509 *cert, const lw_tls_wish *wish, lw_error *err)
{
    time_t from = (time_t)wish->from_s, until = (time_t)wish->until_s;
    if (X509_cmp_time(X509_get0_notBefore(cert), &from) >= 0)
        return lw_error_set(err, LW_ERR_EXPIRED, "the certificate is not valid yet");
    if (X509_cmp_time(X509_get0_notAfter(cert), &until) <= 0)
        return lw_error_set(err, LW_ERR_EXPIRED, "the certificate has expired or expires soon");
    if (wish->key.len > 0 && !key_fits(cert, wish->key))
        return lw_error_set(err, LW_ERR_INVALID, "the private key does not match the certificate");
    if (wish->ca_cert.len > 0 && !is_signed_by(cert, wish->ca_cert))
        return lw_error_set(err, LW_ERR_INVALID, "the certificate was signed by another CA");
    for (const char *const *host = wish->hosts; host && *host; host++) {
        if (!is_for_host(cert, *host))
            return lw_error_set(err, LW_ERR_NOT_FOUND, "the certificate is not valid for %s",
                                *host);
    }
    return LW_OK;
}

lw_status lw_tls_check(const lw_tls_wish *wish, lw_error *err)
{
    X509 *cert = read_cert(wish->cert);
    lw_status st = cert ? check_cert(cert, wish, err)
                        : lw_error_set(err, LW_ERR_INVALID, "cannot read the certificate");
    X509_free(cert);
    ERR_clear_error();
    return st;
}
