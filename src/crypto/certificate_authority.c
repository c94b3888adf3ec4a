/* SPDX-License-Identifier: Apache-2.0 */
/* certificate_authority.c -- issues certificates with OpenSSL. */
#include "crypto/certificate_authority.h"

#include <string.h>
#include <time.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/rand.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "crypto/certificate_request_internal.h"
#include "crypto/pem_key.h"

enum {
    SERIAL_BYTES = 16,
    VERSION_3 = 2,
    BACKDATE_S = 5 * 60,
    SHORT_S = 8 * 60 * 60, /* shorter certificates do not end earlier because they begin earlier */
    SECONDS_A_DAY = 24 * 60 * 60,
};

struct lw_certificate_authority {
    X509 *cert;
    EVP_PKEY *key;
    int64_t expires_s;
};

/* A usage is a bit of the extension keyUsage, or an entry of extendedKeyUsage. */
typedef struct usage {
    const char *name;
    int bit; /* -1: none */
    int nid;
} usage;

static const usage usages[] = {
    { "any", -1, NID_anyExtendedKeyUsage },
    { "cert sign", 5, 0 },
    { "client auth", -1, NID_client_auth },
    { "code signing", -1, NID_code_sign },
    { "content commitment", 1, 0 },
    { "crl sign", 6, 0 },
    { "data encipherment", 3, 0 },
    { "decipher only", 8, 0 },
    { "digital signature", 0, 0 },
    { "email protection", -1, NID_email_protect },
    { "encipher only", 7, 0 },
    { "ipsec end system", -1, NID_ipsecEndSystem },
    { "ipsec tunnel", -1, NID_ipsecTunnel },
    { "ipsec user", -1, NID_ipsecUser },
    { "key agreement", 4, 0 },
    { "key encipherment", 2, 0 },
    { "microsoft sgc", -1, NID_ms_sgc },
    { "netscape sgc", -1, NID_ns_sgc },
    { "ocsp signing", -1, NID_OCSP_sign },
    { "s/mime", -1, NID_email_protect },
    { "server auth", -1, NID_server_auth },
    { "signing", 0, 0 },
    { "timestamping", -1, NID_time_stamp },
};

const char lw_key_usages[] =
    "any|cert sign|client auth|code signing|content commitment|crl sign|data encipherment|decipher "
    "only|digital signature|email protection|encipher only|ipsec end system|ipsec tunnel|ipsec "
    "user|key agreement|key encipherment|microsoft sgc|netscape sgc|ocsp signing|s/mime|server "
    "auth|signing|timestamping";

static BIO *open_text(lw_str text)
{
    return text.len > INT32_MAX ? NULL : BIO_new_mem_buf(text.ptr ? text.ptr : "", (int)text.len);
}

/* Seconds since 1970. */
static bool read_time(const ASN1_TIME *time, int64_t *out)
{
    int days = 0, seconds = 0;
    ASN1_TIME *epoch = ASN1_TIME_set(NULL, 0);
    bool is_read = epoch && ASN1_TIME_diff(&days, &seconds, epoch, time) == 1;
    ASN1_TIME_free(epoch);
    if (is_read)
        *out = (int64_t)days * SECONDS_A_DAY + seconds;
    return is_read;
}

static lw_status read_pair(lw_certificate_authority *ca, lw_str cert, lw_str key, lw_error *err)
{
    BIO *bio = open_text(cert);
    if (bio) {
        ca->cert = PEM_read_bio_X509(bio, NULL, lw_certificate__no_password, NULL);
        ca->key = lw_pem_key_read(key);
    }
    BIO_free(bio);
    if (!ca->cert)
        return lw_certificate__error(err, LW_ERR_INVALID, "cannot read the CA certificate");
    if (!ca->key)
        return lw_certificate__error(err, LW_ERR_INVALID, "cannot read the CA key");
    if (X509_check_private_key(ca->cert, ca->key) != 1)
        return lw_certificate__error(err, LW_ERR_INVALID,
                                     "the CA key does not match the CA certificate");
    if (X509_check_ca(ca->cert) != 1 || !read_time(X509_get0_notAfter(ca->cert), &ca->expires_s))
        return lw_certificate__error(err, LW_ERR_INVALID,
                                     "the certificate is not that of a CA (CA:TRUE)");
    return LW_OK;
}

lw_status lw_certificate_authority_read(lw_certificate_authority **out, lw_str cert, lw_str key,
                                        lw_error *err)
{
    lw_certificate_authority *ca = lw_alloc_zero(1, sizeof(*ca));
    if (!ca)
        return lw_error_nomem(err);
    ERR_clear_error();
    lw_status st = read_pair(ca, cert, key, err);
    ERR_clear_error();
    if (st < 0) {
        lw_certificate_authority_free(ca);
        return st;
    }
    *out = ca;
    return LW_OK;
}

void lw_certificate_authority_free(lw_certificate_authority *authority)
{
    if (!authority)
        return;
    X509_free(authority->cert);
    EVP_PKEY_free(authority->key);
    lw_free(authority);
}

static bool set_serial(X509 *cert)
{
    unsigned char bytes[SERIAL_BYTES];
    if (RAND_bytes(bytes, sizeof(bytes)) != 1)
        return false;
    bytes[0] = (unsigned char)((bytes[0] & 0x7f) | 0x40); /* positive, and never short */
    BIGNUM *number = BN_bin2bn(bytes, sizeof(bytes), NULL);
    bool is_set = number && BN_to_ASN1_INTEGER(number, X509_get_serialNumber(cert));
    BN_free(number);
    return is_set;
}

static bool set_times(X509 *cert, const lw_certificate_authority *ca,
                      const lw_certificate_terms *terms)
{
    int64_t end_s = terms->now_s + terms->ttl_s - (terms->ttl_s < SHORT_S ? 0 : BACKDATE_S);
    if (end_s > ca->expires_s)
        end_s = ca->expires_s;
    return ASN1_TIME_set(X509_getm_notBefore(cert), (time_t)(terms->now_s - BACKDATE_S)) &&
           ASN1_TIME_set(X509_getm_notAfter(cert), (time_t)end_s);
}

static const usage *find_usage(lw_str name)
{
    for (size_t i = 0; i < sizeof(usages) / sizeof(usages[0]); i++) {
        if (lw_str_equal(lw_str_of(usages[i].name), name))
            return &usages[i];
    }
    return NULL;
}

static bool has_nid(const EXTENDED_KEY_USAGE *extended, int nid)
{
    for (int i = 0; i < sk_ASN1_OBJECT_num(extended); i++) {
        if (OBJ_obj2nid(sk_ASN1_OBJECT_value(extended, i)) == nid)
            return true;
    }
    return false;
}

/* Adds each usage to one of the extensions. */
static bool gather_usages(const lw_certificate_terms *terms, ASN1_BIT_STRING *bits,
                          EXTENDED_KEY_USAGE *extended, int *bit_count)
{
    for (size_t i = 0; i < terms->usage_count; i++) {
        const usage *u = find_usage(terms->usages[i]);
        if (!u)
            return false;
        if (u->bit >= 0) {
            if (ASN1_BIT_STRING_set_bit(bits, u->bit, 1) != 1)
                return false;
            ++*bit_count;
        } else if (!has_nid(extended, u->nid) &&
                   sk_ASN1_OBJECT_push(extended, OBJ_nid2obj(u->nid)) <= 0) {
            return false;
        }
    }
    return true;
}

static bool add_usages(X509 *cert, const lw_certificate_terms *terms)
{
    int bit_count = 0;
    ASN1_BIT_STRING *bits = ASN1_BIT_STRING_new();
    EXTENDED_KEY_USAGE *extended = sk_ASN1_OBJECT_new_null();
    bool is_good = bits && extended && gather_usages(terms, bits, extended, &bit_count);
    if (is_good && bit_count > 0)
        is_good = X509_add1_ext_i2d(cert, NID_key_usage, bits, 1, 0) == 1;
    if (is_good && sk_ASN1_OBJECT_num(extended) > 0)
        is_good = X509_add1_ext_i2d(cert, NID_ext_key_usage, extended, 0, 0) == 1;
    ASN1_BIT_STRING_free(bits);
    sk_ASN1_OBJECT_free(extended); /* its objects are OpenSSL's own */
    return is_good;
}

static bool add_extension(X509 *cert, X509 *issuer, int nid, const char *value)
{
    X509V3_CTX context;
    X509V3_set_ctx_nodb(&context);
    X509V3_set_ctx(&context, issuer, cert, NULL, NULL, 0);
    X509_EXTENSION *extension = X509V3_EXT_conf_nid(NULL, &context, nid, value);
    bool is_added = extension && X509_add_ext(cert, extension, -1) == 1;
    X509_EXTENSION_free(extension);
    return is_added;
}

static bool add_extensions(X509 *cert, const lw_certificate_authority *ca,
                           const lw_certificate_request *request, const lw_certificate_terms *terms)
{
    bool has_key_id = X509_get0_subject_key_id(ca->cert) != NULL;
    if (!add_usages(cert, terms) ||
        !add_extension(cert, ca->cert, NID_basic_constraints, "critical,CA:FALSE") ||
        (has_key_id && !add_extension(cert, ca->cert, NID_authority_key_identifier, "keyid")))
        return false;
    if (sk_GENERAL_NAME_num(request->names) <= 0)
        return true;
    bool has_subject = X509_NAME_entry_count(X509_get_subject_name(cert)) > 0;
    return X509_add1_ext_i2d(cert, NID_subject_alt_name, request->names, !has_subject, 0) == 1;
}

/* Ed25519 has its own digest. */
static const EVP_MD *digest_of(const EVP_PKEY *key)
{
    int type = EVP_PKEY_get_base_id(key);
    return type == EVP_PKEY_ED25519 || type == EVP_PKEY_ED448 ? NULL : EVP_sha256();
}

static X509 *issue(const lw_certificate_authority *ca, const lw_certificate_request *request,
                   const lw_certificate_terms *terms)
{
    X509 *cert = X509_new();
    if (cert && X509_set_version(cert, VERSION_3) == 1 && set_serial(cert) &&
        X509_set_issuer_name(cert, X509_get_subject_name(ca->cert)) == 1 &&
        X509_set_subject_name(cert, X509_REQ_get_subject_name(request->req)) == 1 &&
        X509_set_pubkey(cert, X509_REQ_get0_pubkey(request->req)) == 1 &&
        set_times(cert, ca, terms) && add_extensions(cert, ca, request, terms) &&
        X509_sign(cert, ca->key, digest_of(ca->key)) > 0)
        return cert;
    X509_free(cert);
    return NULL;
}

static lw_status append_pem(X509 *cert, lw_buf *pem, lw_error *err)
{
    char *bytes = NULL;
    BIO *bio = BIO_new(BIO_s_mem());
    bool is_written = bio && PEM_write_bio_X509(bio, cert) == 1;
    long len = is_written ? BIO_get_mem_data(bio, &bytes) : 0;
    if (len > 0)
        lw_buf_append(pem, bytes, (size_t)len);
    BIO_free(bio);
    if (len <= 0)
        return lw_certificate__error(err, LW_ERR_INTERNAL, "cannot encode a certificate");
    return pem->st < 0 ? lw_error_set(err, pem->st, "cannot store a certificate") : LW_OK;
}

lw_status lw_certificate_authority_sign(const lw_certificate_authority *authority,
                                        const lw_certificate_request *request,
                                        const lw_certificate_terms *terms, lw_buf *pem,
                                        lw_error *err)
{
    for (size_t i = 0; i < terms->usage_count; i++) {
        if (!find_usage(terms->usages[i]))
            return lw_error_set(err, LW_ERR_INVALID, "unrecognized usage values: [\"%.*s\"]",
                                LW_STR_ARG(terms->usages[i]));
    }
    if (terms->now_s >= authority->expires_s)
        return lw_error_set(err, LW_ERR_EXPIRED,
                            "the certificate of the signer's CA has expired: replace it");
    ERR_clear_error();
    X509 *cert = issue(authority, request, terms);
    lw_status st = cert ? append_pem(cert, pem, err)
                        : lw_certificate__error(err, LW_ERR_INTERNAL, "cannot sign a certificate");
    X509_free(cert);
    ERR_clear_error();
    return st;
}

/* Checks one block, which must be a certificate and nothing else. */
static lw_status check_block(const char *name, const char *header, const unsigned char *der,
                             long len, int64_t *expires_s, lw_error *err)
{
    const unsigned char *at = der;
    if (strcmp(name, PEM_STRING_X509) != 0)
        return lw_error_set(err, LW_ERR_INVALID,
                            "only CERTIFICATE PEM blocks are allowed, found \"%s\"", name);
    if (header[0] != '\0')
        return lw_error_set(err, LW_ERR_INVALID, "no PEM block headers are permitted");
    X509 *cert = d2i_X509(NULL, &at, len);
    lw_status st = LW_OK;
    if (!cert || at != der + len || !read_time(X509_get0_notAfter(cert), expires_s))
        st = lw_certificate__error(err, LW_ERR_INVALID, "malformed certificate");
    X509_free(cert);
    return st;
}

static lw_status check_blocks(BIO *bio, int64_t *expires_s, lw_error *err)
{
    size_t blocks = 0;
    lw_status st = LW_OK;
    char *name, *header;
    unsigned char *der;
    long len;
    while (st == LW_OK && PEM_read_bio(bio, &name, &header, &der, &len) == 1) {
        int64_t other_s = 0;
        st = check_block(name, header, der, len, blocks == 0 ? expires_s : &other_s, err);
        blocks++;
        OPENSSL_free(name);
        OPENSSL_free(header);
        OPENSSL_free(der);
    }
    if (st == LW_OK && blocks == 0)
        st = lw_error_set(err, LW_ERR_INVALID, "must contain at least one CERTIFICATE PEM block");
    return st;
}

lw_status lw_certificate_check(lw_str base64, int64_t *expires_s, lw_error *err)
{
    lw_buf pem;
    int64_t found_s = 0;
    lw_buf_init(&pem, LW_CERTIFICATE_REQUEST_MAX);
    ERR_clear_error();
    bool is_decoded = lw_base64_decode_lenient(&pem, base64);
    BIO *bio = is_decoded && pem.st == LW_OK ? open_text(lw_buf_view(&pem)) : NULL;
    lw_status st = LW_OK;
    if (bio)
        st = check_blocks(bio, &found_s, err);
    else if (!is_decoded && pem.st == LW_OK)
        st = lw_error_set(err, LW_ERR_INVALID, "the certificate is not base64");
    else
        st = lw_error_set(err, pem.st < 0 ? pem.st : LW_ERR_NOMEM, "the certificate is too long");
    BIO_free(bio);
    lw_buf_done(&pem);
    ERR_clear_error();
    if (st == LW_OK && expires_s)
        *expires_s = found_s;
    return st;
}
