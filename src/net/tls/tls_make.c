/* SPDX-License-Identifier: Apache-2.0 */
/* tls_make.c -- creates keys and certificates (X.509 v3, RFC 5280) with OpenSSL. */
#include "net/tls/tls_make.h"

#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/alloc.h"
#include "base/error.h"
#include "crypto/pem_key.h"
#include "net/tls/tls_ca.h"
#include "net/tls/tls_context.h"

enum {
    SERIAL_BITS = 127,
    VERSION_3 = 2,
    EARLY_S = 300, /* validity begins earlier, for clients whose clock is behind */
};

void lw_tls_ca_free(lw_tls_ca *ca)
{
    if (!ca)
        return;
    X509_free(ca->certificate);
    EVP_PKEY_free(ca->key);
    lw_free(ca);
}

static lw_status read_ca(lw_tls_ca *ca, lw_str cert, lw_str key, lw_error *err)
{
    BIO *bio = cert.len > INT32_MAX ? NULL : BIO_new_mem_buf(cert.ptr, (int)cert.len);
    ca->certificate = bio ? PEM_read_bio_X509(bio, NULL, lw_tls__no_password, NULL) : NULL;
    ca->key = lw_pem_key_read(key);
    BIO_free(bio);
    if (!ca->certificate || !ca->key)
        return lw_tls__error(err, LW_ERR_INVALID, "cannot read the CA certificate and its key");
    if (X509_check_private_key(ca->certificate, ca->key) != 1)
        return lw_tls__error(err, LW_ERR_INVALID, "the CA key does not match the CA certificate");
    return LW_OK;
}

lw_status lw_tls_ca_read(lw_tls_ca **out, lw_str cert, lw_str key, lw_error *err)
{
    lw_tls_ca *ca = lw_alloc_zero(1, sizeof(*ca));
    if (!ca)
        return lw_error_nomem(err);
    ERR_clear_error();
    lw_status st = read_ca(ca, cert, key, err);
    if (st == LW_OK)
        *out = ca;
    else
        lw_tls_ca_free(ca);
    return st;
}

static bool set_serial(X509 *certificate)
{
    BIGNUM *number = BN_new();
    bool is_set = number && BN_rand(number, SERIAL_BITS, BN_RAND_TOP_ANY, BN_RAND_BOTTOM_ANY) &&
                  BN_to_ASN1_INTEGER(number, X509_get_serialNumber(certificate));
    BN_free(number);
    return is_set;
}

static bool add_name(X509_NAME *name, const char *field, const char *text)
{
    return X509_NAME_add_entry_by_txt(name, field, MBSTRING_UTF8, (const unsigned char *)text, -1,
                                      -1, 0) == 1;
}

static bool set_subject(X509 *certificate, const lw_tls_subject *subject)
{
    X509_NAME *name = X509_get_subject_name(certificate);
    return (!subject->organization || add_name(name, "O", subject->organization)) &&
           add_name(name, "CN", subject->common_name);
}

static bool set_days(X509 *certificate, int64_t days)
{
    return X509_gmtime_adj(X509_getm_notBefore(certificate), -EARLY_S) &&
           X509_time_adj_ex(X509_getm_notAfter(certificate), (int)days, 0, NULL);
}

static bool add_extension(X509 *certificate, X509V3_CTX *context, int nid, const char *value)
{
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, context, nid, value);
    bool is_added = extension && X509_add_ext(certificate, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return is_added;
}

/* Converts an IP address or a DNS name, as in a URL. */
static GENERAL_NAME *make_host(const char *host)
{
    GENERAL_NAME *name = GENERAL_NAME_new();
    ASN1_OCTET_STRING *address = a2i_IPADDRESS(host);
    ASN1_IA5STRING *text = address ? NULL : ASN1_IA5STRING_new();
    ERR_clear_error();
    if (name && address) {
        GENERAL_NAME_set0_value(name, GEN_IPADD, address);
        return name;
    }
    if (name && text && ASN1_STRING_set(text, host, -1) == 1) {
        GENERAL_NAME_set0_value(name, GEN_DNS, text);
        return name;
    }
    GENERAL_NAME_free(name);
    ASN1_OCTET_STRING_free(address);
    ASN1_IA5STRING_free(text);
    return NULL;
}

static bool add_hosts(X509 *certificate, const char *const *hosts)
{
    if (!hosts || !hosts[0])
        return true;
    GENERAL_NAMES *names = sk_GENERAL_NAME_new_null();
    bool is_good = names != NULL;
    for (; is_good && *hosts; hosts++) {
        GENERAL_NAME *name = make_host(*hosts);
        is_good = name && sk_GENERAL_NAME_push(names, name) > 0;
        if (!is_good)
            GENERAL_NAME_free(name);
    }
    is_good = is_good && X509_add1_ext_i2d(certificate, NID_subject_alt_name, names, 0, 0) == 1;
    sk_GENERAL_NAME_pop_free(names, GENERAL_NAME_free);
    return is_good;
}

static bool add_extensions(X509 *certificate, X509 *issuer, const lw_tls_subject *subject)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, certificate, NULL, NULL, 0);
    const char *usage = subject->is_ca ? "critical,keyCertSign,cRLSign,digitalSignature"
                                       : "critical,digitalSignature";
    if (!add_extension(certificate, &context, NID_basic_constraints,
                       subject->is_ca ? "critical,CA:TRUE" : "critical,CA:FALSE") ||
        !add_extension(certificate, &context, NID_key_usage, usage) ||
        !add_extension(certificate, &context, NID_subject_key_identifier, "hash") ||
        !add_extension(certificate, &context, NID_authority_key_identifier, "keyid"))
        return false;
    if (!subject->is_ca && !add_extension(certificate, &context, NID_ext_key_usage,
                                          subject->is_client ? "clientAuth" : "serverAuth"))
        return false;
    return add_hosts(certificate, subject->hosts);
}

/* Sets the public key.  X509_set_pubkey encodes and decodes it with OpenSSL's slow tables; a point
 * can be put where it belongs. */
static bool set_public_key(X509 *certificate, const EVP_PKEY *key)
{
    unsigned char point[LW_P256_POINT_SIZE];
    if (!lw_p256_point(key, point))
        return false;
    unsigned char *copy = OPENSSL_memdup(point, sizeof(point));
    bool is_set = copy && X509_PUBKEY_set0_param(X509_get_X509_PUBKEY(certificate),
                                                 OBJ_nid2obj(NID_X9_62_id_ecPublicKey),
                                                 V_ASN1_OBJECT, OBJ_nid2obj(NID_X9_62_prime256v1),
                                                 copy, (int)sizeof(point)) == 1;
    if (!is_set)
        OPENSSL_free(copy);
    return is_set;
}

/* Creates a certificate of |key|, signed by |by|; NULL: self-signed. */
static X509 *make_certificate(const lw_tls_subject *subject, EVP_PKEY *key, const lw_tls_ca *by)
{
    X509 *certificate = X509_new();
    if (!certificate)
        return NULL;
    X509 *issuer = by ? by->certificate : certificate;
    if (X509_set_version(certificate, VERSION_3) == 1 && set_serial(certificate) &&
        set_subject(certificate, subject) && set_days(certificate, subject->days) &&
        X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 &&
        set_public_key(certificate, key) && add_extensions(certificate, issuer, subject) &&
        X509_sign(certificate, by ? by->key : key, EVP_sha256()) > 0)
        return certificate;
    X509_free(certificate);
    return NULL;
}

static lw_status write_certificate(const X509 *certificate, lw_buf *out, lw_error *err)
{
    char *bytes = NULL;
    BIO *bio = BIO_new(BIO_s_mem());
    bool is_written = bio && PEM_write_bio_X509(bio, certificate) == 1;
    long len = is_written ? BIO_get_mem_data(bio, &bytes) : 0;
    if (is_written)
        lw_buf_append(out, bytes, (size_t)len);
    BIO_free(bio);
    if (!is_written)
        return lw_tls__error(err, LW_ERR_INTERNAL, "cannot encode as PEM");
    return out->st < 0 ? lw_error_set(err, out->st, "cannot store a certificate") : LW_OK;
}

static lw_status write_both(const lw_tls_ca *pair, lw_buf *cert, lw_buf *key, lw_error *err)
{
    lw_status st = write_certificate(pair->certificate, cert, err);
    if (st == LW_OK && (st = lw_pem_key_write(pair->key, key)) < 0)
        st = lw_error_set(err, st, "cannot store a key");
    return st;
}

lw_status lw_tls_issue(const lw_tls_subject *subject, const lw_tls_ca *ca, lw_buf *cert,
                       lw_buf *key, lw_tls_ca **made, lw_error *err)
{
    lw_tls_ca *pair = lw_alloc_zero(1, sizeof(*pair));
    if (!pair)
        return lw_error_nomem(err);
    ERR_clear_error();
    pair->key = EVP_EC_gen("P-256");
    pair->certificate = pair->key ? make_certificate(subject, pair->key, ca) : NULL;
    lw_status st = pair->certificate
                       ? write_both(pair, cert, key, err)
                       : lw_tls__error(err, LW_ERR_INTERNAL, "cannot create a certificate");
    if (st == LW_OK && made)
        *made = pair;
    else
        lw_tls_ca_free(pair);
    ERR_clear_error();
    return st;
}

lw_status lw_tls_make(const lw_tls_subject *subject, lw_str ca_cert, lw_str ca_key, lw_buf *cert,
                      lw_buf *key, lw_error *err)
{
    lw_tls_ca *ca = NULL;
    lw_status st = LW_OK;
    if (ca_cert.len > 0 || ca_key.len > 0)
        st = lw_tls_ca_read(&ca, ca_cert, ca_key, err);
    if (st == LW_OK)
        st = lw_tls_issue(subject, ca, cert, key, NULL, err);
    lw_tls_ca_free(ca);
    return st;
}
