/* SPDX-License-Identifier: Apache-2.0 */
/* keys.c -- the stored form of encrypted values. */
#include "encryption/keys.h"

#include "base/error.h"
#include "base/random.h"
#include "base/str.h"
#include "crypto/aes.h"
#include "crypto/secretbox.h"

enum {
    NONCE_MAX = LW_SECRETBOX_NONCE,
    HEADER_PARTS = 5, /* k8s:enc:PROVIDER:VERSION:NAME: */
    HEADER_SHOWN = 80,
};

static const lw_str encrypted = LW_STR_INIT("k8s:enc:");

bool lw_encryption_is_encrypted(lw_str stored)
{
    return lw_str_starts_with(stored, encrypted);
}

bool lw_encryption_writes(const lw_encryption_keys *keys)
{
    return keys->count > 0 && keys->at[0].provider != LW_ENCRYPTION_IDENTITY;
}

static size_t nonce_size(lw_encryption_provider provider)
{
    switch (provider) {
    case LW_ENCRYPTION_AESCBC: return LW_AES_BLOCK;
    case LW_ENCRYPTION_AESGCM: return LW_AES_GCM_NONCE;
    case LW_ENCRYPTION_SECRETBOX: return LW_SECRETBOX_NONCE;
    case LW_ENCRYPTION_IDENTITY: break;
    }
    return 0;
}

static lw_str secret_of(const lw_encryption_key *key)
{
    return lw_str_make((const char *)key->secret, key->secret_len);
}

static lw_status encrypt(const lw_encryption_key *key, lw_str nonce, lw_str store_key, lw_str value,
                         lw_buf *out)
{
    lw_str secret = secret_of(key);
    switch (key->provider) {
    case LW_ENCRYPTION_AESCBC: return lw_aes_cbc_encrypt(secret, nonce, value, out);
    case LW_ENCRYPTION_AESGCM: return lw_aes_gcm_encrypt(secret, nonce, store_key, value, out);
    case LW_ENCRYPTION_SECRETBOX: return lw_secretbox_seal(secret, nonce, value, out);
    case LW_ENCRYPTION_IDENTITY: break;
    }
    lw_buf_append_str(out, value);
    return out->st;
}

lw_status lw_encryption_seal(const lw_encryption_keys *keys, lw_str store_key, lw_str value,
                             lw_buf *out)
{
    const lw_encryption_key *key = &keys->at[0];
    char nonce[NONCE_MAX];
    size_t nonce_len = nonce_size(key->provider);
    lw_status st = lw_entropy_fill(nonce, nonce_len);
    if (st == LW_OK)
        st = lw_buf_reserve(out, key->prefix.len + value.len + LW_ENCRYPTION_OVERHEAD);
    if (st < 0)
        return st;
    lw_buf_append_str(out, key->prefix);
    lw_buf_append(out, nonce, nonce_len);
    return encrypt(key, lw_str_make(nonce, nonce_len), store_key, value, out);
}

static lw_status decrypt(const lw_encryption_key *key, lw_str store_key, lw_str stored, lw_buf *out)
{
    lw_str secret = secret_of(key), body = lw_str_skip(stored, key->prefix.len);
    size_t nonce_len = nonce_size(key->provider);
    if (body.len < nonce_len)
        return LW_ERR_INVALID;
    lw_str nonce = lw_str_make(body.ptr, nonce_len), text = lw_str_skip(body, nonce_len);
    switch (key->provider) {
    case LW_ENCRYPTION_AESCBC: return lw_aes_cbc_decrypt(secret, nonce, text, out);
    case LW_ENCRYPTION_AESGCM: return lw_aes_gcm_decrypt(secret, nonce, store_key, text, out);
    case LW_ENCRYPTION_SECRETBOX: return lw_secretbox_open(secret, nonce, text, out);
    case LW_ENCRYPTION_IDENTITY: break;
    }
    return LW_ERR_INVALID;
}

/* The part of |stored| that names its key, as far as it can be shown. */
static lw_str header_of(lw_str stored)
{
    size_t len = 0;
    for (int parts = 0; parts < HEADER_PARTS && len < stored.len && len < HEADER_SHOWN; len++) {
        if (stored.ptr[len] < ' ' || stored.ptr[len] > '~')
            break;
        parts += stored.ptr[len] == ':';
    }
    return lw_str_make(stored.ptr, len);
}

static lw_status refuse(lw_str store_key, lw_str stored, bool has_key, lw_error *err)
{
    lw_str header = header_of(stored);
    if (!lw_encryption_is_encrypted(stored))
        return lw_error_set(err, LW_ERR_INVALID,
                            "the value of key %.*s in the store is not encrypted: add the provider "
                            "identity to the encryption configuration of its resource",
                            LW_STR_ARG(store_key));
    if (has_key)
        return lw_error_set(err, LW_ERR_INVALID,
                            "cannot decrypt the value of key %.*s in the store with %.*s: the "
                            "secret of this key is wrong, or the value was changed",
                            LW_STR_ARG(store_key), LW_STR_ARG(header));
    return lw_error_set(err, LW_ERR_INVALID,
                        "the value of key %.*s in the store is encrypted with %.*s: add this key "
                        "to the encryption configuration of its resource",
                        LW_STR_ARG(store_key), LW_STR_ARG(header));
}

lw_status lw_encryption_open(const lw_encryption_keys *keys, lw_str store_key, lw_str stored,
                             lw_buf *scratch, lw_str *value, bool *is_stale, lw_error *err)
{
    bool has_key = false, is_plain = !lw_encryption_is_encrypted(stored);
    *is_stale = false;
    *value = stored;
    if (is_plain && keys->count == 0)
        return LW_OK;
    for (size_t i = 0; i < keys->count; i++) {
        const lw_encryption_key *key = &keys->at[i];
        if (key->provider == LW_ENCRYPTION_IDENTITY ? !is_plain
                                                    : !lw_str_starts_with(stored, key->prefix))
            continue;
        *is_stale = i > 0;
        if (is_plain)
            return LW_OK;
        has_key = true;
        size_t before = scratch->len;
        lw_status st = decrypt(key, store_key, stored, scratch);
        if (st == LW_OK) {
            *value = lw_str_skip(lw_buf_view(scratch), before);
            return LW_OK;
        }
        if (st != LW_ERR_INVALID)
            return st == LW_ERR_NOMEM ? lw_error_nomem(err)
                                      : lw_error_set(err, st, "the value of key %.*s is too large",
                                                     LW_STR_ARG(store_key));
    }
    return refuse(store_key, stored, has_key, err);
}
