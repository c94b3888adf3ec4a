/* SPDX-License-Identifier: Apache-2.0 */
/* tls_read.c -- checks whether a certificate is still usable. */
#include "net/tls/tls_read.h"

#include <limits.h>

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include "base/error.h"
#include "crypto/pem_key.h"
#include "net/tls/tls_ca.h"

static X509 *read_cert(lw_str pem)
{
    BIO *bio = pem.len > INT_MAX ? NULL : BIO_new_mem_buf(pem.ptr ? pem.ptr : "", (int)pem.len);
    X509 *cert = bio ? PEM_read_bio_X509(bio, NULL, NULL, NULL) : NULL;
    BIO_free(bio);
    return cert;
}

static bool key_fits(X509 *cert, lw_str pem)
{
    EVP_PKEY *key = lw_pem_key_read(pem);
    bool fits = key && X509_check_private_key(cert, key) == 1;
    EVP_PKEY_free(key);
    return fits;
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
    if (wish->ca && X509_verify(cert, wish->ca->key) != 1)
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
