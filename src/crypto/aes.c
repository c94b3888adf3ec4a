/* SPDX-License-Identifier: Apache-2.0 */
/* aes.c -- AES by OpenSSL.  A context lives for one call, so that threads share nothing. */
#include "crypto/aes.h"

#include <assert.h>
#include <limits.h>
#include <openssl/evp.h>

static const EVP_CIPHER *cipher_of(lw_str key, bool is_gcm)
{
    switch (key.len) {
    case 16: return is_gcm ? EVP_aes_128_gcm() : EVP_aes_128_cbc();
    case 24: return is_gcm ? EVP_aes_192_gcm() : EVP_aes_192_cbc();
    case 32: return is_gcm ? EVP_aes_256_gcm() : EVP_aes_256_cbc();
    default: assert(false && "a key of AES has 16, 24 or 32 bytes"); return NULL;
    }
}

static const unsigned char *octets(lw_str s)
{
    return (const unsigned char *)(s.ptr ? s.ptr : "");
}

static unsigned char *end_of(lw_buf *out)
{
    return (unsigned char *)out->data + out->len;
}

/* One message through a cipher.  |data| is authenticated, |tag| set or checked; GCM only. */
typedef struct message {
    lw_str key, iv, data, text;
    unsigned char *tag;
    bool is_gcm, is_encryption;
} message;

/* Returns 1 on success, as OpenSSL does. */
static int run(EVP_CIPHER_CTX *context, const message *m, lw_buf *out)
{
    int done = 0, rest = 0;
    int is_good = EVP_CipherInit_ex(context, cipher_of(m->key, m->is_gcm), NULL, octets(m->key),
                                    octets(m->iv), m->is_encryption) == 1;
    if (is_good && m->data.len > 0)
        is_good = EVP_CipherUpdate(context, NULL, &done, octets(m->data), (int)m->data.len) == 1;
    if (is_good && m->is_gcm && !m->is_encryption)
        is_good = EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, LW_AES_GCM_TAG, m->tag) == 1;
    done = 0;
    if (is_good)
        is_good =
            EVP_CipherUpdate(context, end_of(out), &done, octets(m->text), (int)m->text.len) == 1;
    if (is_good)
        is_good = EVP_CipherFinal_ex(context, end_of(out) + done, &rest) == 1;
    if (is_good && m->is_gcm && m->is_encryption)
        is_good = EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, LW_AES_GCM_TAG, m->tag) == 1;
    if (is_good)
        out->len += (size_t)done + (size_t)rest;
    return is_good;
}

static lw_status pass(const message *m, lw_buf *out)
{
    if (m->text.len > INT_MAX - LW_AES_BLOCK || m->data.len > INT_MAX)
        return LW_ERR_LIMIT;
    if (lw_buf_reserve(out, m->text.len + LW_AES_BLOCK) < 0)
        return out->st;
    EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
    if (!context)
        return LW_ERR_NOMEM;
    int is_good = run(context, m, out);
    EVP_CIPHER_CTX_free(context);
    if (is_good)
        return LW_OK;
    return m->is_encryption ? LW_ERR_NOMEM : LW_ERR_INVALID;
}

lw_status lw_aes_cbc_encrypt(lw_str key, lw_str iv, lw_str plain, lw_buf *out)
{
    assert(iv.len == LW_AES_BLOCK);
    const message m = { .key = key, .iv = iv, .text = plain, .is_encryption = true };
    return pass(&m, out);
}

lw_status lw_aes_cbc_decrypt(lw_str key, lw_str iv, lw_str sealed, lw_buf *out)
{
    assert(iv.len == LW_AES_BLOCK);
    if (sealed.len == 0 || sealed.len % LW_AES_BLOCK != 0)
        return LW_ERR_INVALID;
    const message m = { .key = key, .iv = iv, .text = sealed };
    return pass(&m, out);
}

lw_status lw_aes_gcm_encrypt(lw_str key, lw_str nonce, lw_str data, lw_str plain, lw_buf *out)
{
    assert(nonce.len == LW_AES_GCM_NONCE);
    unsigned char tag[LW_AES_GCM_TAG];
    const message m = { key, nonce, data, plain, tag, true, true };
    size_t before = out->len;
    lw_status st = pass(&m, out);
    if (st < 0)
        return st;
    lw_buf_append(out, tag, sizeof(tag));
    if (out->st < 0)
        lw_buf_truncate(out, before);
    return out->st;
}

lw_status lw_aes_gcm_decrypt(lw_str key, lw_str nonce, lw_str data, lw_str sealed, lw_buf *out)
{
    assert(nonce.len == LW_AES_GCM_NONCE);
    if (sealed.len < LW_AES_GCM_TAG)
        return LW_ERR_INVALID;
    size_t len = sealed.len - LW_AES_GCM_TAG;
    unsigned char tag[LW_AES_GCM_TAG];
    for (size_t i = 0; i < sizeof(tag); i++)
        tag[i] = (unsigned char)sealed.ptr[len + i];
    const message m = { key, nonce, data, { sealed.ptr, len }, tag, true, false };
    return pass(&m, out);
}
