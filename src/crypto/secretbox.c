/* SPDX-License-Identifier: Apache-2.0 */
/* secretbox.c -- XSalsa20 of our own, because OpenSSL has none, with the Poly1305 of OpenSSL.
 *
 * The first 32 bytes of the key stream are the key of Poly1305; the text is encrypted with those
 * that follow.  The tag is checked before anything is decrypted. */
#include "crypto/secretbox.h"

#include <assert.h>
#include <openssl/crypto.h>
#include <openssl/evp.h>

#include "crypto/salsa20.h"

enum {
    MAC_KEY = 32,
};

static const unsigned char *octets(lw_str s)
{
    return (const unsigned char *)(s.ptr ? s.ptr : "");
}

/* Starts the key stream and takes the key of Poly1305 from it. */
static void begin(lw_xsalsa20 *stream, lw_str key, lw_str nonce, unsigned char mac_key[MAC_KEY])
{
    assert(key.len == LW_SECRETBOX_KEY && nonce.len == LW_SECRETBOX_NONCE);
    static const unsigned char zeros[MAC_KEY];
    lw_xsalsa20_init(stream, octets(key), octets(nonce));
    lw_xsalsa20_xor(stream, zeros, MAC_KEY, mac_key);
}

static lw_status authenticate(const unsigned char mac_key[MAC_KEY], const unsigned char *text,
                              size_t len, unsigned char tag[LW_SECRETBOX_TAG])
{
    size_t size = 0;
    EVP_MAC *mac = EVP_MAC_fetch(NULL, "POLY1305", NULL);
    EVP_MAC_CTX *context = mac ? EVP_MAC_CTX_new(mac) : NULL;
    bool is_good = context && EVP_MAC_init(context, mac_key, MAC_KEY, NULL) == 1 &&
                   EVP_MAC_update(context, text, len) == 1 &&
                   EVP_MAC_final(context, tag, &size, LW_SECRETBOX_TAG) == 1;
    EVP_MAC_CTX_free(context);
    EVP_MAC_free(mac);
    return is_good && size == LW_SECRETBOX_TAG ? LW_OK : LW_ERR_NOMEM;
}

lw_status lw_secretbox_seal(lw_str key, lw_str nonce, lw_str plain, lw_buf *out)
{
    unsigned char mac_key[MAC_KEY];
    lw_xsalsa20 stream;
    if (lw_buf_reserve(out, LW_SECRETBOX_TAG + plain.len) < 0)
        return out->st;
    unsigned char *tag = (unsigned char *)out->data + out->len;
    begin(&stream, key, nonce, mac_key);
    lw_xsalsa20_xor(&stream, octets(plain), plain.len, tag + LW_SECRETBOX_TAG);
    lw_status st = authenticate(mac_key, tag + LW_SECRETBOX_TAG, plain.len, tag);
    if (st == LW_OK)
        out->len += LW_SECRETBOX_TAG + plain.len;
    OPENSSL_cleanse(mac_key, sizeof(mac_key));
    lw_xsalsa20_done(&stream);
    return st;
}

lw_status lw_secretbox_open(lw_str key, lw_str nonce, lw_str box, lw_buf *out)
{
    unsigned char mac_key[MAC_KEY], tag[LW_SECRETBOX_TAG];
    lw_xsalsa20 stream;
    if (box.len < LW_SECRETBOX_TAG)
        return LW_ERR_INVALID;
    size_t len = box.len - LW_SECRETBOX_TAG;
    const unsigned char *text = octets(box) + LW_SECRETBOX_TAG;
    if (lw_buf_reserve(out, len) < 0)
        return out->st;
    begin(&stream, key, nonce, mac_key);
    lw_status st = authenticate(mac_key, text, len, tag);
    if (st == LW_OK && CRYPTO_memcmp(tag, box.ptr, sizeof(tag)) != 0)
        st = LW_ERR_INVALID;
    if (st == LW_OK && len > 0) {
        lw_xsalsa20_xor(&stream, text, len, (unsigned char *)out->data + out->len);
        out->len += len;
    }
    OPENSSL_cleanse(mac_key, sizeof(mac_key));
    lw_xsalsa20_done(&stream);
    return st;
}
