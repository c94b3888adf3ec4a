/* SPDX-License-Identifier: Apache-2.0 */
/* tls_make.c -- creates keys and certificates (X.509 v3, RFC 5280) with OpenSSL. */
#include "net/tls_make.h"

#include <openssl/bn.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>

#include "base/error.h"
#include "net/tls_context.h"

enum {
    SERIAL_BITS = 127,
    VERSION_3 = 2,
    EARLY_S = 300, /* validity begins earlier, for clients whose clock is behind */
};

/* The signer: a CA, or the certificate itself. */
typedef struct signer {
    X509 *certificate;
    EVP_PKEY *key;
} signer;

static BIO *open_text(lw_str text)
{
    return text.len > INT32_MAX ? NULL : BIO_new_mem_buf(text.ptr, (int)text.len);
}

static lw_status read_ca(signer *ca, lw_str cert, lw_str key, lw_error *err)
{
    BIO *cert_bio = open_text(cert);
    BIO *key_bio = open_text(key);
    if (cert_bio && key_bio) {
        ca->certificate = PEM_read_bio_X509(cert_bio, NULL, lw_tls__no_password, NULL);
        ca->key = PEM_read_bio_PrivateKey(key_bio, NULL, lw_tls__no_password, NULL);
    }
    BIO_free(cert_bio);
    BIO_free(key_bio);
    if (!ca->certificate || !ca->key)
        return lw_tls__error(err, LW_ERR_INVALID, "cannot read the CA certificate and its key");
    if (X509_check_private_key(ca->certificate, ca->key) != 1)
        return lw_tls__error(err, LW_ERR_INVALID, "the CA key does not match the CA certificate");
    return LW_OK;
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

/* Creates a certificate of |key|, signed by |by|; if by->key is NULL, self-signed. */
static X509 *make_certificate(const lw_tls_subject *subject, EVP_PKEY *key, const signer *by)
{
    X509 *certificate = X509_new();
    if (!certificate)
        return NULL;
    X509 *issuer = by->key ? by->certificate : certificate;
    if (X509_set_version(certificate, VERSION_3) == 1 && set_serial(certificate) &&
        set_subject(certificate, subject) && set_days(certificate, subject->days) &&
        X509_set_issuer_name(certificate, X509_get_subject_name(issuer)) == 1 &&
        X509_set_pubkey(certificate, key) == 1 && add_extensions(certificate, issuer, subject) &&
        X509_sign(certificate, by->key ? by->key : key, EVP_sha256()) > 0)
        return certificate;
    X509_free(certificate);
    return NULL;
}

static lw_status append_pem(lw_buf *out, BIO *bio, bool is_written, lw_error *err)
{
    char *bytes = NULL;
    long len = bio ? BIO_get_mem_data(bio, &bytes) : 0;
    if (!is_written || len <= 0)
        return lw_tls__error(err, LW_ERR_INTERNAL, "cannot encode as PEM");
    lw_buf_append(out, bytes, (size_t)len);
    return out->st < 0 ? lw_error_set(err, out->st, "cannot store a certificate or key") : LW_OK;
}

static lw_status write_both(X509 *certificate, EVP_PKEY *key, lw_buf *cert_out, lw_buf *key_out,
                            lw_error *err)
{
    BIO *cert_bio = BIO_new(BIO_s_mem());
    BIO *key_bio = BIO_new(BIO_s_secmem());
    bool has_cert = cert_bio && PEM_write_bio_X509(cert_bio, certificate) == 1;
    bool has_key = key_bio && PEM_write_bio_PrivateKey(key_bio, key, NULL, NULL, 0,
                                                       lw_tls__no_password, NULL) == 1;
    lw_status st = append_pem(cert_out, cert_bio, has_cert, err);
    if (st == LW_OK)
        st = append_pem(key_out, key_bio, has_key, err);
    BIO_free(cert_bio);
    BIO_free(key_bio);
    return st;
}

lw_status lw_tls_make(const lw_tls_subject *subject, lw_str ca_cert, lw_str ca_key, lw_buf *cert,
                      lw_buf *key, lw_error *err)
{
    signer ca = { NULL, NULL };
    lw_status st = LW_OK;
    ERR_clear_error();
    if (ca_cert.len > 0 || ca_key.len > 0)
        st = read_ca(&ca, ca_cert, ca_key, err);
    if (st == LW_OK) {
        EVP_PKEY *own = EVP_EC_gen("P-256");
        X509 *certificate = own ? make_certificate(subject, own, &ca) : NULL;
        if (certificate)
            st = write_both(certificate, own, cert, key, err);
        else
            st = lw_tls__error(err, LW_ERR_INTERNAL, "cannot create a certificate");
        X509_free(certificate);
        EVP_PKEY_free(own);
    }
    X509_free(ca.certificate);
    EVP_PKEY_free(ca.key);
    ERR_clear_error();
    return st;
}
