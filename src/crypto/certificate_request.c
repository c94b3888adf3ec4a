/* SPDX-License-Identifier: Apache-2.0 */
/* certificate_request.c -- reads certificate signing requests with OpenSSL. */
#include "crypto/certificate_request.h"

#include <string.h>

#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/pem.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/error.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "crypto/certificate_request_internal.h"

lw_status lw_certificate__error(lw_error *err, lw_status st, const char *message)
{
    unsigned long code = ERR_peek_last_error();
    const char *reason = code ? ERR_reason_error_string(code) : NULL;
    if (ERR_GET_REASON(code) == ERR_R_MALLOC_FAILURE)
        st = LW_ERR_NOMEM;
    ERR_clear_error();
    return reason ? lw_error_set(err, st, "%s: %s", message, reason)
                  : lw_error_set(err, st, "%s", message);
}

int lw_certificate__no_password(char *buf, int size, int is_writing, void *arg)
{
    (void)buf;
    (void)size;
    (void)is_writing;
    (void)arg;
    return 0;
}

/* The first PEM block must be a request, with nothing behind it in the block. */
static lw_status read_pem(lw_certificate_request *request, lw_str pem, lw_error *err)
{
    char *name = NULL, *header = NULL;
    unsigned char *der = NULL;
    long len = 0;
    lw_status st = LW_OK;
    BIO *bio = BIO_new_mem_buf(pem.ptr ? pem.ptr : "", (int)pem.len);
    if (!bio)
        return lw_error_nomem(err);
    if (PEM_read_bio(bio, &name, &header, &der, &len) != 1 ||
        strcmp(name, PEM_STRING_X509_REQ) != 0) {
        st = lw_error_set(err, LW_ERR_INVALID, "PEM block type must be CERTIFICATE REQUEST");
    } else {
        const unsigned char *at = der;
        request->req = d2i_X509_REQ(NULL, &at, len);
        if (!request->req)
            st = lw_certificate__error(err, LW_ERR_INVALID, "malformed certificate request");
        else if (at != der + len)
            st = lw_error_set(err, LW_ERR_INVALID,
                              "malformed certificate request: data follows the request");
    }
    OPENSSL_free(name);
    OPENSSL_free(header);
    OPENSSL_free(der);
    BIO_free(bio);
    return st;
}

static lw_status check_key(const lw_certificate_request *request, lw_error *err)
{
    EVP_PKEY *key = X509_REQ_get0_pubkey(request->req);
    if (!key)
        return lw_certificate__error(err, LW_ERR_INVALID,
                                     "malformed certificate request: unsupported public key");
    int type = EVP_PKEY_get_base_id(key), bits = EVP_PKEY_get_bits(key);
    bool is_rsa = type == EVP_PKEY_RSA;
    if (!is_rsa && type != EVP_PKEY_EC && type != EVP_PKEY_ED25519)
        return lw_error_set(err, LW_ERR_INVALID,
                            "unsupported public key: use RSA, ECDSA or Ed25519");
    if (is_rsa && (bits < LW_CERTIFICATE_RSA_MIN || bits > LW_CERTIFICATE_RSA_MAX))
        return lw_error_set(err, LW_ERR_INVALID,
                            "the RSA key has %d bits; between %d and %d are supported", bits,
                            LW_CERTIFICATE_RSA_MIN, LW_CERTIFICATE_RSA_MAX);
    if (X509_REQ_verify(request->req, key) != 1)
        return lw_certificate__error(err, LW_ERR_INVALID,
                                     "the signature of the certificate request is wrong");
    return LW_OK;
}

/* Takes the text of an entry of the subject, which stays in OpenSSL's memory: only types of strings
 * whose bytes are UTF-8 are taken, as they are in every request of today. */
static lw_status take_text(X509_NAME *subject, int at, lw_str *text, lw_error *err)
{
    const ASN1_STRING *value = X509_NAME_ENTRY_get_data(X509_NAME_get_entry(subject, at));
    int type = ASN1_STRING_type(value);
    if (type != V_ASN1_UTF8STRING && type != V_ASN1_PRINTABLESTRING && type != V_ASN1_IA5STRING)
        return lw_error_set(err, LW_ERR_INVALID,
                            "malformed certificate request: names of the subject must be "
                            "UTF8String, PrintableString or IA5String");
    *text =
        lw_str_make((const char *)ASN1_STRING_get0_data(value), (size_t)ASN1_STRING_length(value));
    return LW_OK;
}

static lw_status read_subject(lw_certificate_request *request, lw_error *err)
{
    X509_NAME *subject = X509_REQ_get_subject_name(request->req);
    int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
    lw_status st = at >= 0 ? take_text(subject, at, &request->common_name, err) : LW_OK;
    /* Readers do not agree which of several counts. */
    if (st == LW_OK && at >= 0 && X509_NAME_get_index_by_NID(subject, NID_commonName, at) >= 0)
        st = lw_error_set(err, LW_ERR_INVALID, "the subject has more than one common name");
    at = -1;
    while (st == LW_OK &&
           (at = X509_NAME_get_index_by_NID(subject, NID_organizationName, at)) >= 0) {
        if (request->organization_count == LW_CERTIFICATE_GROUPS_MAX)
            return lw_error_set(err, LW_ERR_INVALID, "the subject has more than %d organizations",
                                LW_CERTIFICATE_GROUPS_MAX);
        st = take_text(subject, at, &request->organizations[request->organization_count++], err);
    }
    return st;
}

/* The LW_SAN_ bit of |name|; 0: of another type.  False: it is malformed. */
static bool classify(const GENERAL_NAME *name, unsigned *bit)
{
    int type = 0;
    const ASN1_STRING *value = GENERAL_NAME_get0_value(name, &type);
    *bit = 0;
    switch (type) {
    case GEN_DNS: *bit = LW_SAN_DNS; return ASN1_STRING_length(value) > 0;
    case GEN_EMAIL: *bit = LW_SAN_EMAIL; return true;
    case GEN_URI: *bit = LW_SAN_URI; return true;
    case GEN_IPADD:
        *bit = LW_SAN_IP;
        return ASN1_STRING_length(value) == 4 || ASN1_STRING_length(value) == 16;
    default: return true;
    }
}

/* Keeps the names of the types that can be requested. */
static lw_status take_names(lw_certificate_request *request, lw_error *err)
{
    for (int i = 0; i < sk_GENERAL_NAME_num(request->names);) {
        unsigned bit = 0;
        if (!classify(sk_GENERAL_NAME_value(request->names, i), &bit))
            return lw_error_set(err, LW_ERR_INVALID,
                                "malformed certificate request: a subjectAltName is malformed");
        request->sans |= bit;
        if (bit)
            i++;
        else
            GENERAL_NAME_free(sk_GENERAL_NAME_delete(request->names, i));
    }
    return LW_OK;
}

static lw_status read_names(lw_certificate_request *request, lw_error *err)
{
    int found = -1;
    STACK_OF(X509_EXTENSION) *extensions = X509_REQ_get_extensions(request->req);
    if (!extensions)
        return LW_OK;
    request->names = X509V3_get_d2i(extensions, NID_subject_alt_name, &found, NULL);
    sk_X509_EXTENSION_pop_free(extensions, X509_EXTENSION_free);
    if (!request->names && found != -1) /* present, but malformed or twice */
        return lw_certificate__error(err, LW_ERR_INVALID,
                                     "malformed certificate request: subjectAltName");
    return take_names(request, err);
}

static lw_status read_request(lw_certificate_request *request, lw_str pem, lw_error *err)
{
    lw_status st = read_pem(request, pem, err);
    if (st == LW_OK)
        st = check_key(request, err);
    if (st == LW_OK)
        st = read_subject(request, err);
    if (st == LW_OK)
        st = read_names(request, err);
    return st;
}

lw_status lw_certificate_request_read(lw_certificate_request **out, lw_str base64, lw_error *err)
{
    lw_buf pem;
    lw_certificate_request *request = lw_alloc_zero(1, sizeof(*request));
    if (!request)
        return lw_error_nomem(err);
    lw_buf_init(&pem, LW_CERTIFICATE_REQUEST_MAX);
    ERR_clear_error();
    lw_status st = LW_OK;
    if (!lw_base64_decode_lenient(&pem, base64) && pem.st == LW_OK)
        st = lw_error_set(err, LW_ERR_INVALID, "the certificate request is not base64");
    else if (pem.st < 0)
        st = lw_error_set(err, pem.st, "the certificate request is too long");
    else
        st = read_request(request, lw_buf_view(&pem), err);
    lw_buf_done(&pem);
    ERR_clear_error();
    if (st < 0) {
        lw_certificate_request_free(request);
        return st;
    }
    *out = request;
    return LW_OK;
}

void lw_certificate_request_free(lw_certificate_request *request)
{
    if (!request)
        return;
    X509_REQ_free(request->req);
    GENERAL_NAMES_free(request->names);
    lw_free(request);
}

lw_str lw_certificate_request_common_name(const lw_certificate_request *request)
{
    return request->common_name;
}

const lw_str *lw_certificate_request_organizations(const lw_certificate_request *request,
                                                   size_t *count)
{
    *count = request->organization_count;
    return request->organizations;
}

unsigned lw_certificate_request_sans(const lw_certificate_request *request)
{
    return request->sans;
}
