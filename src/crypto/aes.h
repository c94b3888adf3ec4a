/* SPDX-License-Identifier: Apache-2.0 */
/* aes.h -- AES in CBC mode with PKCS #7 padding, and in GCM, for values of any size.
 *
 * Keys have 16, 24 or 32 bytes.  Threads: any. */
#ifndef LW_CRYPTO_AES_H
#define LW_CRYPTO_AES_H

#include "base/buf.h"

enum {
    LW_AES_BLOCK = 16,     /* size of a block and of the initialization vector of CBC */
    LW_AES_GCM_NONCE = 12, /* size of the nonce of GCM */
    LW_AES_GCM_TAG = 16,   /* size of the authentication tag, which follows the ciphertext */
};

/* All of these append to |out|.  LW_ERR_NOMEM, LW_ERR_LIMIT (of the buffer); decryption also
 * LW_ERR_INVALID: not encrypted with this key, or changed since (CBC notices neither for certain).
 * After an error |out| is as before, except that it may have failed. */
lw_status lw_aes_cbc_encrypt(lw_str key, lw_str iv, lw_str plain, lw_buf *out);
lw_status lw_aes_cbc_decrypt(lw_str key, lw_str iv, lw_str sealed, lw_buf *out);

/* |data| is authenticated and not encrypted: the same must be passed to decrypt. */
lw_status lw_aes_gcm_encrypt(lw_str key, lw_str nonce, lw_str data, lw_str plain, lw_buf *out);
lw_status lw_aes_gcm_decrypt(lw_str key, lw_str nonce, lw_str data, lw_str sealed, lw_buf *out);

#endif
