/* SPDX-License-Identifier: Apache-2.0 */
/* tls_record.c -- encrypts and decrypts records with OpenSSL's ciphers.
 *
 * The state of a cipher takes 1 KiB, a key 32 bytes: each loop has the state once and sets the key
 * of a connection when it is another one than before. */
#include "net/tls/tls_record.h"

#include <string.h>

#include <openssl/crypto.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "base/alloc.h"

enum {
    LABEL_MAX = 32,
    SUITES = 3,
};

struct lw_tls_suite {
    unsigned number;
    unsigned index; /* in the engine */
    size_t key_len, secret_len;
    const EVP_CIPHER *(*cipher)(void);
    const EVP_MD *(*digest)(void);
};

static const lw_tls_suite suites[SUITES] = {
    { 0x1301, 0, 16, 32, EVP_aes_128_gcm, EVP_sha256 },
    { 0x1302, 1, 32, 48, EVP_aes_256_gcm, EVP_sha384 },
    { 0x1303, 2, 32, 32, EVP_chacha20_poly1305, EVP_sha256 },
};

/* A cipher in one direction. */
typedef struct cipher {
    EVP_CIPHER_CTX *context; /* NULL: not used so far */
    uint64_t keys;           /* the id of the keys that are set; 0: none */
} cipher;

struct lw_tls_engine {
    uint64_t last_id;
    char *buffer; /* NULL: not used so far */
    cipher seal[SUITES], open[SUITES];
};

const lw_tls_suite *lw_tls_suite_find(unsigned number)
{
    for (size_t i = 0; i < SUITES; i++)
        if (suites[i].number == number)
            return &suites[i];
    return NULL;
}

size_t lw_tls_suite_secret_len(const lw_tls_suite *suite)
{
    return suite->secret_len;
}

lw_tls_engine *lw_tls_engine_new(void)
{
    return lw_alloc_zero(1, sizeof(lw_tls_engine));
}

void lw_tls_engine_free(lw_tls_engine *engine)
{
    for (size_t i = 0; engine && i < SUITES; i++) {
        EVP_CIPHER_CTX_free(engine->seal[i].context);
        EVP_CIPHER_CTX_free(engine->open[i].context);
    }
    if (engine)
        lw_free(engine->buffer);
    lw_free(engine);
}

char *lw_tls_engine_buffer(lw_tls_engine *engine)
{
    if (!engine->buffer)
        engine->buffer = lw_alloc(LW_TLS_BATCH * (LW_TLS_RECORD_DATA_MAX + LW_TLS_RECORD_COST));
    return engine->buffer;
}

/* Keys. */

/* HKDF-Expand-Label (RFC 8446, 7.1) without a context.  All lengths are at most that of the digest,
 * so that one block is enough. */
static bool expand(const lw_tls_suite *suite, const unsigned char *secret, const char *label,
                   unsigned char *out, size_t len)
{
    unsigned char info[LABEL_MAX], block[EVP_MAX_MD_SIZE];
    size_t label_len = strlen(label), used = 0;
    info[used++] = 0;
    info[used++] = (unsigned char)len;
    info[used++] = (unsigned char)label_len;
    memcpy(info + used, label, label_len);
    used += label_len;
    info[used++] = 0; /* the length of the context */
    info[used++] = 1; /* the number of the block */
    bool is_made = HMAC(suite->digest(), secret, (int)suite->secret_len, info, used, block, NULL);
    if (is_made)
        memcpy(out, block, len);
    else
        ERR_clear_error();
    OPENSSL_cleanse(block, sizeof(block));
    return is_made;
}

static bool derive(lw_tls_keys *keys, lw_tls_engine *engine)
{
    keys->id = ++engine->last_id;
    keys->sequence = 0;
    return expand(keys->suite, keys->secret, "tls13 key", keys->key, keys->suite->key_len) &&
           expand(keys->suite, keys->secret, "tls13 iv", keys->nonce, LW_TLS_NONCE);
}

bool lw_tls_keys_init(lw_tls_keys *keys, lw_tls_engine *engine, const lw_tls_suite *suite,
                      const unsigned char *secret)
{
    keys->suite = suite;
    memcpy(keys->secret, secret, suite->secret_len);
    return derive(keys, engine);
}

bool lw_tls_keys_update(lw_tls_keys *keys, lw_tls_engine *engine)
{
    unsigned char next[LW_TLS_SECRET_MAX];
    bool is_made =
        expand(keys->suite, keys->secret, "tls13 traffic upd", next, keys->suite->secret_len);
    if (is_made)
        memcpy(keys->secret, next, keys->suite->secret_len);
    OPENSSL_cleanse(next, sizeof(next));
    return is_made && derive(keys, engine);
}

void lw_tls_keys_done(lw_tls_keys *keys)
{
    OPENSSL_cleanse(keys, sizeof(*keys));
}

/* Records. */

/* Prepares the cipher for the next record of |keys|, whose head is |head|.  NULL: out of memory. */
static EVP_CIPHER_CTX *start(cipher *c, lw_tls_keys *keys, const char *head, bool seals)
{
    unsigned char nonce[LW_TLS_NONCE];
    int len;
    if (!c->context) {
        c->context = EVP_CIPHER_CTX_new();
        if (!c->context ||
            EVP_CipherInit_ex(c->context, keys->suite->cipher(), NULL, NULL, NULL, seals) != 1) {
            EVP_CIPHER_CTX_free(c->context);
            c->context = NULL;
            return NULL;
        }
    }
    memcpy(nonce, keys->nonce, sizeof(nonce));
    for (unsigned i = 0; i < sizeof(keys->sequence); i++)
        nonce[LW_TLS_NONCE - 1 - i] ^= (unsigned char)(keys->sequence >> 8 * i);
    const unsigned char *key = c->keys == keys->id ? NULL : keys->key;
    c->keys = 0;
    if (EVP_CipherInit_ex(c->context, NULL, NULL, key, nonce, -1) != 1 ||
        EVP_CipherUpdate(c->context, NULL, &len, (const unsigned char *)head, LW_TLS_RECORD_HEAD) !=
            1)
        return NULL;
    c->keys = keys->id;
    keys->sequence++;
    return c->context;
}

static EVP_CIPHER_CTX *sealer(const lw_tls_sealing *sealing, lw_tls_engine *engine)
{
    return engine->seal[sealing->keys->suite->index].context;
}

void lw_tls_seal_begin(lw_tls_sealing *sealing, lw_tls_engine *engine, lw_tls_keys *keys, char *out,
                       size_t len)
{
    size_t body = len + 1 + LW_TLS_RECORD_TAG;
    out[0] = LW_TLS_DATA; /* all records after the handshake claim to be data of TLS 1.2 */
    out[1] = out[2] = 3;
    out[3] = (char)(unsigned char)(body >> 8);
    out[4] = (char)(unsigned char)body;
    sealing->keys = keys;
    sealing->at = out + LW_TLS_RECORD_HEAD;
    sealing->is_failed = !start(&engine->seal[keys->suite->index], keys, out, true);
}

void lw_tls_seal_add(lw_tls_sealing *sealing, lw_tls_engine *engine, lw_str data)
{
    int len = 0;
    sealing->is_failed =
        sealing->is_failed ||
        EVP_CipherUpdate(sealer(sealing, engine), (unsigned char *)sealing->at, &len,
                         (const unsigned char *)data.ptr, (int)data.len) != 1;
    sealing->at += len;
}

char *lw_tls_seal_end(lw_tls_sealing *sealing, lw_tls_engine *engine, lw_tls_content content)
{
    const char type = (char)content;
    lw_tls_seal_add(sealing, engine, lw_str_make(&type, 1));
    int len = 0;
    EVP_CIPHER_CTX *context = sealer(sealing, engine);
    if (sealing->is_failed ||
        EVP_CipherFinal_ex(context, (unsigned char *)sealing->at, &len) != 1 ||
        EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, LW_TLS_RECORD_TAG, sealing->at) != 1) {
        ERR_clear_error();
        return NULL;
    }
    return sealing->at + LW_TLS_RECORD_TAG;
}

size_t lw_tls_record_size(const char head[LW_TLS_RECORD_HEAD], lw_tls_alert *alert)
{
    size_t body = (size_t)(unsigned char)head[3] << 8 | (unsigned char)head[4];
    if (head[0] != LW_TLS_DATA) {
        *alert = LW_TLS_UNEXPECTED_MESSAGE;
        return 0;
    }
    if (body > LW_TLS_RECORD_BODY_MAX) {
        *alert = LW_TLS_RECORD_OVERFLOW;
        return 0;
    }
    if (body < 1 + LW_TLS_RECORD_TAG) {
        *alert = LW_TLS_BAD_RECORD_MAC;
        return 0;
    }
    return LW_TLS_RECORD_HEAD + body;
}

static bool decrypt(lw_tls_engine *engine, lw_tls_keys *keys, char *record, unsigned char *body,
                    size_t len)
{
    int done;
    EVP_CIPHER_CTX *context = start(&engine->open[keys->suite->index], keys, record, false);
    return context && EVP_CipherUpdate(context, body, &done, body, (int)len) == 1 &&
           EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, LW_TLS_RECORD_TAG, body + len) ==
               1 &&
           EVP_CipherFinal_ex(context, body + len, &done) == 1;
}

bool lw_tls_open(lw_tls_engine *engine, lw_tls_keys *keys, char *record, size_t size, lw_str *data,
                 lw_tls_content *content, lw_tls_alert *alert)
{
    unsigned char *body = (unsigned char *)record + LW_TLS_RECORD_HEAD;
    size_t len = size - LW_TLS_RECORD_HEAD - LW_TLS_RECORD_TAG;
    if (!decrypt(engine, keys, record, body, len)) {
        ERR_clear_error();
        *alert = LW_TLS_BAD_RECORD_MAC;
        return false;
    }
    if (len > LW_TLS_RECORD_DATA_MAX + 1) {
        *alert = LW_TLS_RECORD_OVERFLOW;
        return false;
    }
    while (len > 0 && body[len - 1] == 0)
        len--;
    if (len == 0) {
        *alert = LW_TLS_UNEXPECTED_MESSAGE;
        return false;
    }
    *content = (lw_tls_content)body[len - 1];
    *data = lw_str_make((const char *)body, len - 1);
    return true;
}
