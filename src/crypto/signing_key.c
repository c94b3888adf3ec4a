/* SPDX-License-Identifier: Apache-2.0 */
/* signing_key.c -- signatures of JSON Web Tokens with OpenSSL. */
#include "crypto/signing_key.h"

#include <openssl/bn.h>
#include <openssl/core_names.h>
#include <openssl/ec.h>
#include <openssl/ecdsa.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/param_build.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509.h>
#include <string.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/ref.h"
#include "base/str.h"
#include "base/text/base64.h"
#include "base/text/sha256.h"
#include "crypto/pem_key.h"

enum {
    ID_SIZE = 44,   /* 43 characters and a NUL */
    FIELD_MAX = 66, /* bytes of a coordinate on P-521 */
    SIGNATURE_MAX = LW_SIGNING_KEY_RSA_MAX / 8,
    PUBLIC_MAX = 4096, /* bytes of an encoded public key */
    NUMBER_MAX = LW_SIGNING_KEY_RSA_MAX / 8,
};

/* How a key signs. */
typedef struct family {
    const char *group;     /* of the curve, as OpenSSL calls it; NULL: RSA */
    const char *curve;     /* as JWKs call it */
    const char *algorithm; /* for signing */
    size_t field;          /* bytes of a coordinate */
} family;

static const family families[] = {
    { NULL, NULL, "RS256", 0 },
    { "prime256v1", "P-256", "ES256", 32 },
    { "secp384r1", "P-384", "ES384", 48 },
    { "secp521r1", "P-521", "ES512", FIELD_MAX },
};

enum {
    FAMILIES = sizeof(families) / sizeof(families[0]),
};

struct lw_signing_key {
    lw_ref refs;
    EVP_PKEY *pkey;
    const family *family;
    bool is_private;
    char id[ID_SIZE];
};

/* An algorithm of tokens. */
typedef struct algorithm {
    const char *name;
    const char *digest;
    const char *curve; /* NULL: RSA */
    bool is_pss;
} algorithm;

static const algorithm algorithms[] = {
    { "RS256", "SHA256", NULL, false },    { "RS384", "SHA384", NULL, false },
    { "RS512", "SHA512", NULL, false },    { "PS256", "SHA256", NULL, true },
    { "PS384", "SHA384", NULL, true },     { "PS512", "SHA512", NULL, true },
    { "ES256", "SHA256", "P-256", false }, { "ES384", "SHA384", "P-384", false },
    { "ES512", "SHA512", "P-521", false },
};

/* The algorithm |name|, if keys of |f| can have it; otherwise NULL. */
static const algorithm *find_algorithm(const family *f, lw_str name)
{
    for (size_t i = 0; i < sizeof(algorithms) / sizeof(algorithms[0]); i++) {
        const algorithm *a = &algorithms[i];
        if (!lw_str_equal(lw_str_of(a->name), name))
            continue;
        bool is_same = f->curve ? a->curve && strcmp(a->curve, f->curve) == 0 : !a->curve;
        return is_same ? a : NULL;
    }
    return NULL;
}

static lw_status fail(lw_error *err, lw_status st, const char *message)
{
    ERR_clear_error();
    return lw_error_set(err, st, "%s", message);
}

/* Finds the family of |pkey|. */
static lw_status find_family(const EVP_PKEY *pkey, const family **out, lw_error *err)
{
    char group[64];
    size_t len = 0;
    if (EVP_PKEY_is_a(pkey, "RSA")) {
        int bits = EVP_PKEY_get_bits(pkey);
        if (bits < LW_SIGNING_KEY_RSA_MIN || bits > LW_SIGNING_KEY_RSA_MAX)
            return lw_error_set(err, LW_ERR_INVALID, "RSA key has %d bits; must have %d to %d",
                                bits, LW_SIGNING_KEY_RSA_MIN, LW_SIGNING_KEY_RSA_MAX);
        *out = &families[0];
        return LW_OK;
    }
    if (!EVP_PKEY_is_a(pkey, "EC") || !EVP_PKEY_get_group_name(pkey, group, sizeof(group), &len))
        return fail(err, LW_ERR_INVALID, "key is neither RSA nor ECDSA");
    for (size_t i = 1; i < FAMILIES; i++) {
        if (strcmp(families[i].group, group) == 0) {
            *out = &families[i];
            return LW_OK;
        }
    }
    return lw_error_set(err, LW_ERR_INVALID, "curve %s is not supported: use P-256, P-384 or P-521",
                        group);
}

static lw_status set_id(lw_signing_key *key)
{
    uint8_t digest[LW_SHA256_SIZE];
    lw_buf id, der;
    lw_buf_init(&der, PUBLIC_MAX);
    lw_status written = lw_public_key_write(key->pkey, &der);
    lw_sha256(lw_buf_view(&der), digest);
    lw_buf_done(&der);
    if (written < 0)
        return written;
    lw_buf_init(&id, ID_SIZE);
    lw_base64url_encode(&id, lw_str_make((const char *)digest, sizeof(digest)));
    if (id.st == LW_OK)
        memcpy(key->id, lw_buf_view(&id).ptr, id.len);
    lw_status st = id.st;
    lw_buf_done(&id);
    return st;
}

/* Makes a key of |pkey|, which is taken, also on error. */
static lw_status key_new(lw_signing_key **out, EVP_PKEY *pkey, bool is_private, lw_error *err)
{
    const family *f = NULL;
    lw_signing_key *key = NULL;
    lw_status st = find_family(pkey, &f, err);
    if (st < 0)
        goto fail;
    key = lw_alloc_zero(1, sizeof(*key));
    st = LW_ERR_NOMEM;
    if (!key)
        goto fail;
    lw_ref_init(&key->refs);
    key->pkey = pkey;
    key->family = f;
    key->is_private = is_private;
    st = set_id(key);
    if (st < 0)
        goto fail;
    *out = key;
    return LW_OK;
fail:
    lw_free(key);
    EVP_PKEY_free(pkey);
    return st == LW_ERR_NOMEM ? lw_error_set(err, st, "out of memory") : st;
}

lw_signing_key *lw_signing_key_ref(lw_signing_key *key)
{
    lw_ref_inc(&key->refs);
    return key;
}

void lw_signing_key_unref(lw_signing_key *key)
{
    if (!key || !lw_ref_dec(&key->refs))
        return;
    EVP_PKEY_free(key->pkey);
    lw_free(key);
}

lw_status lw_signing_key_generate(lw_signing_key **out, bool is_rsa, lw_error *err)
{
    EVP_PKEY *pkey = is_rsa ? EVP_RSA_gen(LW_SIGNING_KEY_RSA_MIN) : EVP_EC_gen("P-256");
    if (!pkey)
        return fail(err, LW_ERR_INTERNAL, "cannot generate a signing key");
    return key_new(out, pkey, true, err);
}

/* Reads the key of one PEM block; NULL: it has none. */
static EVP_PKEY *read_block(const char *name, const unsigned char *der, long len, bool *is_private)
{
    EVP_PKEY *pkey = NULL;
    *is_private = strstr(name, "PRIVATE KEY") != NULL;
    if (*is_private)
        return lw_pem_key_decode(lw_str_make((const char *)der, (size_t)len));
    if (strcmp(name, PEM_STRING_PUBLIC) == 0)
        return d2i_PUBKEY(NULL, &der, len);
    if (strcmp(name, PEM_STRING_RSA_PUBLIC) == 0)
        return d2i_PublicKey(EVP_PKEY_RSA, NULL, &der, len);
    if (strcmp(name, PEM_STRING_X509) == 0) {
        X509 *certificate = d2i_X509(NULL, &der, len);
        pkey = certificate ? X509_get_pubkey(certificate) : NULL;
        X509_free(certificate);
    }
    return pkey;
}

/* Reads the next block into |*out|; leaves it NULL at the end, and for parameters of a curve. */
static lw_status read_next(BIO *bio, lw_signing_key **out, bool *is_end, lw_error *err)
{
    char *name = NULL, *header = NULL;
    unsigned char *der = NULL;
    long len = 0;
    bool is_private = false;
    lw_status st = LW_OK;
    *is_end = PEM_read_bio(bio, &name, &header, &der, &len) != 1;
    if (*is_end) {
        ERR_clear_error();
        return LW_OK;
    }
    if (strcmp(name, PEM_STRING_ECPARAMETERS) != 0) {
        EVP_PKEY *pkey = read_block(name, der, len, &is_private);
        if (pkey)
            st = key_new(out, pkey, is_private, err);
        else
            st = lw_error_set(err, LW_ERR_INVALID,
                              "PEM block \"%s\" is not a private key, public key or certificate "
                              "(encrypted keys are not supported)",
                              name);
        ERR_clear_error();
    }
    OPENSSL_free(name);
    OPENSSL_free(header);
    OPENSSL_clear_free(der, (size_t)len);
    return st;
}

lw_status lw_signing_keys_read(lw_str pem, lw_signing_key *keys[LW_SIGNING_KEYS_MAX], size_t *count,
                               lw_error *err)
{
    BIO *bio = pem.len > INT32_MAX ? NULL : BIO_new_mem_buf(pem.ptr, (int)pem.len);
    lw_status st = bio ? LW_OK : LW_ERR_NOMEM;
    size_t found = 0;
    for (bool is_end = false; st == LW_OK && !is_end;) {
        lw_signing_key *key = NULL;
        st = read_next(bio, &key, &is_end, err);
        if (st < 0 || !key)
            continue;
        if (found < LW_SIGNING_KEYS_MAX) {
            keys[found++] = key;
        } else {
            lw_signing_key_unref(key);
            st = lw_error_set(err, LW_ERR_LIMIT, "more than %d keys", LW_SIGNING_KEYS_MAX);
        }
    }
    BIO_free(bio);
    if (st == LW_OK && found == 0)
        st = lw_error_set(err, LW_ERR_INVALID, "no PEM block with a key");
    if (st == LW_OK) {
        *count = found;
        return LW_OK;
    }
    while (found > 0)
        lw_signing_key_unref(keys[--found]);
    return st;
}

/* Reads a number of a JWK; NULL: it is malformed. */
static BIGNUM *read_number(lw_str text)
{
    lw_buf bytes;
    BIGNUM *number = NULL;
    lw_buf_init(&bytes, NUMBER_MAX);
    if (text.len > 0 && lw_base64url_decode(&bytes, text) && bytes.st == LW_OK)
        number = BN_bin2bn((const unsigned char *)lw_buf_view(&bytes).ptr, (int)bytes.len, NULL);
    lw_buf_done(&bytes);
    return number;
}

static EVP_PKEY *build(const char *type, OSSL_PARAM_BLD *builder)
{
    EVP_PKEY *pkey = NULL;
    OSSL_PARAM *params = OSSL_PARAM_BLD_to_param(builder);
    EVP_PKEY_CTX *context = EVP_PKEY_CTX_new_from_name(NULL, type, NULL);
    if (!params || !context || EVP_PKEY_fromdata_init(context) != 1 ||
        EVP_PKEY_fromdata(context, &pkey, EVP_PKEY_PUBLIC_KEY, params) != 1)
        pkey = NULL;
    EVP_PKEY_CTX_free(context);
    OSSL_PARAM_free(params);
    return pkey;
}

static EVP_PKEY *read_rsa(const lw_jwk *jwk)
{
    EVP_PKEY *pkey = NULL;
    BIGNUM *n = read_number(jwk->modulus), *e = read_number(jwk->public);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (n && e && builder && OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_N, n) &&
        OSSL_PARAM_BLD_push_BN(builder, OSSL_PKEY_PARAM_RSA_E, e))
        pkey = build("RSA", builder);
    OSSL_PARAM_BLD_free(builder);
    BN_free(n);
    BN_free(e);
    return pkey;
}

static EVP_PKEY *read_ec(const lw_jwk *jwk)
{
    unsigned char point[1 + 2 * FIELD_MAX] = { POINT_CONVERSION_UNCOMPRESSED };
    const family *f = NULL;
    EVP_PKEY *pkey = NULL;
    for (size_t i = 1; i < FAMILIES; i++) {
        if (lw_str_equal(jwk->curve, lw_str_of(families[i].curve)))
            f = &families[i];
    }
    BIGNUM *x = read_number(jwk->x), *y = read_number(jwk->y);
    OSSL_PARAM_BLD *builder = OSSL_PARAM_BLD_new();
    if (f && x && y && builder && BN_bn2binpad(x, point + 1, (int)f->field) > 0 &&
        BN_bn2binpad(y, point + 1 + f->field, (int)f->field) > 0 &&
        OSSL_PARAM_BLD_push_utf8_string(builder, OSSL_PKEY_PARAM_GROUP_NAME, f->group, 0) &&
        OSSL_PARAM_BLD_push_octet_string(builder, OSSL_PKEY_PARAM_PUB_KEY, point, 1 + 2 * f->field))
        pkey = build("EC", builder);
    OSSL_PARAM_BLD_free(builder);
    BN_free(x);
    BN_free(y);
    return pkey;
}

lw_status lw_signing_key_of_jwk(lw_signing_key **out, const lw_jwk *jwk, lw_error *err)
{
    EVP_PKEY *pkey = NULL;
    if (lw_str_equal(jwk->type, LW_STR("RSA")))
        pkey = read_rsa(jwk);
    else if (lw_str_equal(jwk->type, LW_STR("EC")))
        pkey = read_ec(jwk);
    if (!pkey)
        return fail(err, LW_ERR_INVALID, "not an RSA key or a point on P-256, P-384 or P-521");
    return key_new(out, pkey, false, err);
}

bool lw_signing_key_is_private(const lw_signing_key *key)
{
    return key->is_private;
}

const char *lw_signing_key_algorithm(const lw_signing_key *key)
{
    return key->family->algorithm;
}

const char *lw_signing_key_id(const lw_signing_key *key)
{
    return key->id;
}

lw_status lw_signing_key_write(const lw_signing_key *key, lw_buf *pem)
{
    return key->is_private ? lw_pem_key_write(key->pkey, pem) : LW_ERR_INVALID;
}

/* Appends ,"name":"number" with |width| bytes (0: as many as it needs). */
static lw_status write_number(const EVP_PKEY *pkey, const char *param, const char *name,
                              size_t width, lw_buf *json)
{
    BIGNUM *number = NULL;
    unsigned char bytes[NUMBER_MAX];
    if (EVP_PKEY_get_bn_param(pkey, param, &number) != 1)
        return LW_ERR_NOMEM;
    int len = (int)(width > 0 ? width : (size_t)BN_num_bytes(number));
    bool is_written = len <= NUMBER_MAX && BN_bn2binpad(number, bytes, len) == len;
    BN_free(number);
    if (!is_written)
        return LW_ERR_INTERNAL;
    lw_buf_printf(json, ",\"%s\":\"", name);
    lw_base64url_encode(json, lw_str_make((const char *)bytes, (size_t)len));
    lw_buf_append_char(json, '"');
    return json->st;
}

lw_status lw_signing_key_write_jwk(const lw_signing_key *key, lw_buf *json)
{
    const family *f = key->family;
    lw_status st;
    lw_buf_printf(json, "\"use\":\"sig\",\"kty\":\"%s\",\"kid\":\"%s\"", f->curve ? "EC" : "RSA",
                  key->id);
    if (f->curve)
        lw_buf_printf(json, ",\"crv\":\"%s\"", f->curve);
    lw_buf_printf(json, ",\"alg\":\"%s\"", f->algorithm);
    if (f->curve) {
        st = write_number(key->pkey, OSSL_PKEY_PARAM_EC_PUB_X, "x", f->field, json);
        if (st == LW_OK)
            st = write_number(key->pkey, OSSL_PKEY_PARAM_EC_PUB_Y, "y", f->field, json);
    } else {
        st = write_number(key->pkey, OSSL_PKEY_PARAM_RSA_N, "n", 0, json);
        if (st == LW_OK)
            st = write_number(key->pkey, OSSL_PKEY_PARAM_RSA_E, "e", 0, json);
    }
    ERR_clear_error();
    return st;
}

/* Turns an ECDSA signature from DER into the two numbers, |field| bytes each. */
static bool split_signature(const unsigned char *der, size_t len, size_t field,
                            unsigned char out[2 * FIELD_MAX])
{
    ECDSA_SIG *signature = d2i_ECDSA_SIG(NULL, &der, (long)len);
    bool is_split = signature && BN_bn2binpad(ECDSA_SIG_get0_r(signature), out, (int)field) > 0 &&
                    BN_bn2binpad(ECDSA_SIG_get0_s(signature), out + field, (int)field) > 0;
    ECDSA_SIG_free(signature);
    return is_split;
}

lw_status lw_signing_key_sign(const lw_signing_key *key, lw_str text, lw_buf *signature)
{
    unsigned char raw[SIGNATURE_MAX], numbers[2 * FIELD_MAX];
    size_t len = sizeof(raw), field = key->family->field;
    const algorithm *a = find_algorithm(key->family, lw_str_of(key->family->algorithm));
    if (!key->is_private)
        return LW_ERR_INVALID;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool is_signed =
        context &&
        EVP_DigestSignInit_ex(context, NULL, a->digest, NULL, NULL, key->pkey, NULL) == 1 &&
        EVP_DigestSign(context, raw, &len, (const unsigned char *)text.ptr, text.len) == 1;
    EVP_MD_CTX_free(context);
    if (is_signed && field > 0)
        is_signed = split_signature(raw, len, field, numbers);
    ERR_clear_error();
    if (!is_signed)
        return context ? LW_ERR_INTERNAL : LW_ERR_NOMEM;
    if (field > 0)
        lw_buf_append_str(signature, lw_str_make((const char *)numbers, 2 * field));
    else
        lw_buf_append_str(signature, lw_str_make((const char *)raw, len));
    return signature->st;
}

/* Turns two numbers into DER.  0: not possible. */
static size_t join_signature(lw_str numbers, size_t field, unsigned char out[SIGNATURE_MAX])
{
    const unsigned char *bytes = (const unsigned char *)numbers.ptr;
    int len = 0;
    if (numbers.len != 2 * field)
        return 0;
    ECDSA_SIG *signature = ECDSA_SIG_new();
    BIGNUM *r = BN_bin2bn(bytes, (int)field, NULL), *s = BN_bin2bn(bytes + field, (int)field, NULL);
    if (signature && r && s && ECDSA_SIG_set0(signature, r, s) == 1) {
        r = s = NULL; /* the signature has them now */
        if (i2d_ECDSA_SIG(signature, NULL) <= SIGNATURE_MAX)
            len = i2d_ECDSA_SIG(signature, &out);
    }
    BN_free(r);
    BN_free(s);
    ECDSA_SIG_free(signature);
    return len > 0 ? (size_t)len : 0;
}

static bool verify_raw(const lw_signing_key *key, const algorithm *a, lw_str text, lw_str signature)
{
    EVP_PKEY_CTX *padding = NULL;
    EVP_MD_CTX *context = EVP_MD_CTX_new();
    bool is_good =
        context &&
        EVP_DigestVerifyInit_ex(context, &padding, a->digest, NULL, NULL, key->pkey, NULL) == 1 &&
        (!a->is_pss || (EVP_PKEY_CTX_set_rsa_padding(padding, RSA_PKCS1_PSS_PADDING) == 1 &&
                        EVP_PKEY_CTX_set_rsa_pss_saltlen(padding, RSA_PSS_SALTLEN_DIGEST) == 1)) &&
        EVP_DigestVerify(context, (const unsigned char *)signature.ptr, signature.len,
                         (const unsigned char *)text.ptr, text.len) == 1;
    EVP_MD_CTX_free(context);
    ERR_clear_error();
    return is_good;
}

bool lw_signing_key_verify(const lw_signing_key *key, lw_str algorithm_name, lw_str text,
                           lw_str signature)
{
    unsigned char der[SIGNATURE_MAX];
    const algorithm *a = find_algorithm(key->family, algorithm_name);
    if (!a || signature.len == 0 || signature.len > SIGNATURE_MAX)
        return false;
    if (!a->curve)
        return verify_raw(key, a, text, signature);
    size_t len = join_signature(signature, key->family->field, der);
    return len > 0 && verify_raw(key, a, text, lw_str_make((const char *)der, len));
}
