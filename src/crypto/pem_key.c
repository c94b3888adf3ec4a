/* SPDX-License-Identifier: Apache-2.0 */
/* pem_key.c -- private keys as PEM; those on P-256 without OpenSSL's decoders and encoders. */
#include "crypto/pem_key.h"

#include <stdint.h>
#include <string.h>

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/x509.h>

#include "base/str.h"

enum {
    SCALAR_SIZE = 32,
    GROUP_NAME_SIZE = 32,
};

/* PKCS #8 of a key on P-256: version 0, id-ecPublicKey with prime256v1, and in an OCTET STRING the
 * ECPrivateKey (RFC 5915) with the scalar and, tagged [1], the point as a BIT STRING. */
static const unsigned char before_scalar[] = {
    0x30, 0x81, 0x87, 0x02, 0x01, 0x00, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86,
    0x48, 0xce, 0x3d, 0x02, 0x01, 0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d,
    0x03, 0x01, 0x07, 0x04, 0x6d, 0x30, 0x6b, 0x02, 0x01, 0x01, 0x04, 0x20,
};
/* SubjectPublicKeyInfo of such a key, but for the point. */
static const unsigned char before_public[] = {
    0x30, 0x59, 0x30, 0x13, 0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01,
    0x06, 0x08, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x03, 0x01, 0x07, 0x03, 0x42, 0x00,
};
static const unsigned char before_point[] = { 0xa1, 0x44, 0x03, 0x42, 0x00 };

enum {
    SCALAR_AT = sizeof(before_scalar),
    TAG_AT = SCALAR_AT + SCALAR_SIZE,
    POINT_AT = TAG_AT + sizeof(before_point),
    P256_DER_SIZE = POINT_AT + LW_P256_POINT_SIZE,
};

static int no_password(char *buf, int size, int is_writing, void *arg)
{
    (void)buf, (void)size, (void)is_writing, (void)arg;
    return -1;
}

static EVP_PKEY *key_of(const OSSL_PARAM *params)
{
    EVP_PKEY *key = NULL;
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, "EC", NULL);
    if (context && params && EVP_PKEY_fromdata_init(context) == 1)
        (void)EVP_PKEY_fromdata(context, &key, EVP_PKEY_KEYPAIR, (OSSL_PARAM *)(uintptr_t)params);
    EVP_PKEY_CTX_free(context);
    return key;
}

/* Returns the key on P-256 with this scalar and point; NULL if they cannot be. */
static EVP_PKEY *make_p256(const unsigned char *scalar, const unsigned char *point)
{
    BIGNUM *number = BN_secure_new();
    OSSL_PARAM_BLD *build = OSSL_PARAM_BLD_new();
    OSSL_PARAM *params = NULL;
    if (number && build && BN_bin2bn(scalar, SCALAR_SIZE, number) &&
        OSSL_PARAM_BLD_push_utf8_string(build, OSSL_PKEY_PARAM_GROUP_NAME, "P-256", 0) == 1 &&
        OSSL_PARAM_BLD_push_octet_string(build, OSSL_PKEY_PARAM_PUB_KEY, point,
                                         LW_P256_POINT_SIZE) == 1 &&
        OSSL_PARAM_BLD_push_BN(build, OSSL_PKEY_PARAM_PRIV_KEY, number) == 1)
        params = OSSL_PARAM_BLD_to_param(build);
    EVP_PKEY *key = key_of(params);
    OSSL_PARAM_free(params);
    OSSL_PARAM_BLD_free(build);
    BN_clear_free(number);
    return key;
}

static bool is_p256(const unsigned char *der, size_t len)
{
    return len == P256_DER_SIZE && memcmp(der, before_scalar, sizeof(before_scalar)) == 0 &&
           memcmp(der + TAG_AT, before_point, sizeof(before_point)) == 0;
}

EVP_PKEY *lw_pem_key_decode(lw_str der)
{
    const unsigned char *bytes = (const unsigned char *)der.ptr;
    if (der.len > INT32_MAX)
        return NULL;
    if (is_p256(bytes, der.len)) {
        EVP_PKEY *key = make_p256(bytes + SCALAR_AT, bytes + POINT_AT);
        if (key)
            return key;
        ERR_clear_error(); /* OpenSSL's decoder says what is wrong */
    }
    return d2i_AutoPrivateKey(NULL, &bytes, (long)der.len);
}

EVP_PKEY *lw_pem_key_read(lw_str pem)
{
    unsigned char *der = NULL;
    char *name = NULL;
    long len = 0;
    EVP_PKEY *key = NULL;
    BIO *bio = pem.len > INT32_MAX ? NULL : BIO_new_mem_buf(pem.ptr ? pem.ptr : "", (int)pem.len);
    if (bio && PEM_bytes_read_bio_secmem(&der, &len, &name, PEM_STRING_EVP_PKEY, bio, no_password,
                                         NULL) == 1) {
        /* The names of other formats say how to read them. */
        if (strcmp(name, PEM_STRING_PKCS8INF) == 0)
            key = lw_pem_key_decode(lw_str_make((const char *)der, (size_t)len));
        else if (BIO_reset(bio) == 1)
            key = PEM_read_bio_PrivateKey(bio, NULL, no_password, NULL);
        OPENSSL_secure_clear_free(der, (size_t)len);
        OPENSSL_free(name);
    }
    BIO_free(bio);
    return key;
}

bool lw_p256_point(const EVP_PKEY *key, unsigned char point[LW_P256_POINT_SIZE])
{
    char group[GROUP_NAME_SIZE];
    size_t len = 0;
    return EVP_PKEY_is_a(key, "EC") == 1 &&
           EVP_PKEY_get_group_name(key, group, sizeof(group), &len) == 1 &&
           strcmp(group, "prime256v1") == 0 &&
           EVP_PKEY_get_octet_string_param(key, OSSL_PKEY_PARAM_PUB_KEY, point, LW_P256_POINT_SIZE,
                                           &len) == 1 &&
           len == LW_P256_POINT_SIZE && point[0] == POINT_CONVERSION_UNCOMPRESSED;
}

lw_status lw_public_key_write(const EVP_PKEY *key, lw_buf *der)
{
    unsigned char point[LW_P256_POINT_SIZE], *bytes = NULL;
    if (lw_p256_point(key, point)) {
        lw_buf_append(der, (const char *)before_public, sizeof(before_public));
        lw_buf_append(der, (const char *)point, sizeof(point));
        return der->st;
    }
    ERR_clear_error();
    int len = i2d_PUBKEY(key, &bytes);
    if (len <= 0)
        return LW_ERR_NOMEM;
    lw_buf_append(der, (const char *)bytes, (size_t)len);
    OPENSSL_free(bytes);
    return der->st;
}

/* Writes the encoding of |key|; false if it is not on P-256. */
static bool encode_p256(const EVP_PKEY *key, unsigned char der[P256_DER_SIZE])
{
    BIGNUM *scalar = BN_secure_new();
    memcpy(der, before_scalar, sizeof(before_scalar));
    memcpy(der + TAG_AT, before_point, sizeof(before_point));
    bool is_written = scalar && lw_p256_point(key, der + POINT_AT) &&
                      EVP_PKEY_get_bn_param(key, OSSL_PKEY_PARAM_PRIV_KEY, &scalar) == 1 &&
                      BN_bn2binpad(scalar, der + SCALAR_AT, SCALAR_SIZE) == SCALAR_SIZE;
    BN_clear_free(scalar);
    return is_written;
}

static bool write_block(BIO *bio, const EVP_PKEY *key)
{
    unsigned char der[P256_DER_SIZE];
    bool is_written =
        encode_p256(key, der)
            ? PEM_write_bio(bio, PEM_STRING_PKCS8INF, "", der, sizeof(der)) > 0
            : PEM_write_bio_PKCS8PrivateKey(bio, key, NULL, NULL, 0, no_password, NULL) == 1;
    OPENSSL_cleanse(der, sizeof(der));
    return is_written;
}

lw_status lw_pem_key_write(const EVP_PKEY *key, lw_buf *pem)
{
    char *text = NULL;
    lw_status st = LW_ERR_NOMEM;
    BIO *bio = BIO_new(BIO_s_secmem());
    if (bio && write_block(bio, key)) {
        long len = BIO_get_mem_data(bio, &text);
        lw_buf_append(pem, text, (size_t)len);
        st = pem->st;
    }
    BIO_free(bio);
    ERR_clear_error();
    return st;
}
