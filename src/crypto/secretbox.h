/* SPDX-License-Identifier: Apache-2.0 */
/* secretbox.h -- authenticated encryption with XSalsa20 and Poly1305, as crypto_secretbox of NaCl.
 *
 * A box is the tag followed by the ciphertext, which is as long as the text.  Threads: any. */
#ifndef LW_CRYPTO_SECRETBOX_H
#define LW_CRYPTO_SECRETBOX_H

#include "base/buf.h"

enum {
    LW_SECRETBOX_KEY = 32,
    LW_SECRETBOX_NONCE = 24,
    LW_SECRETBOX_TAG = 16,
};

/* Append to |out|.  LW_ERR_NOMEM, LW_ERR_LIMIT (of the buffer); lw_secretbox_open also
 * LW_ERR_INVALID: not made with this key and nonce, or changed since.  After an error |out| is as
 * before, except that it may have failed. */
lw_status lw_secretbox_seal(lw_str key, lw_str nonce, lw_str plain, lw_buf *out);
lw_status lw_secretbox_open(lw_str key, lw_str nonce, lw_str box, lw_buf *out);

#endif
