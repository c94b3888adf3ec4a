/* SPDX-License-Identifier: Apache-2.0 */
/* salsa20.h -- the stream cipher XSalsa20 (D. J. Bernstein, "Extending the Salsa20 nonce"). */
#ifndef LW_CRYPTO_SALSA20_H
#define LW_CRYPTO_SALSA20_H

#include <stddef.h>

enum {
    LW_SALSA20_KEY = 32,
    LW_SALSA20_BLOCK = 64,
    LW_HSALSA20_INPUT = 16,
    LW_XSALSA20_NONCE = 24,
};

/* The hash of a key and 16 bytes that XSalsa20 derives its keys with. */
void lw_hsalsa20(const unsigned char key[LW_SALSA20_KEY],
                 const unsigned char input[LW_HSALSA20_INPUT], unsigned char out[LW_SALSA20_KEY]);

/* A key stream, read from its beginning. */
typedef struct lw_xsalsa20 {
    unsigned char key[LW_SALSA20_KEY];      /* derived */
    unsigned char input[LW_HSALSA20_INPUT]; /* rest of the nonce, block counter */
    unsigned char block[LW_SALSA20_BLOCK];
    size_t used; /* bytes of |block| */
} lw_xsalsa20;

void lw_xsalsa20_init(lw_xsalsa20 *stream, const unsigned char key[LW_SALSA20_KEY],
                      const unsigned char nonce[LW_XSALSA20_NONCE]);

/* XORs the next |len| bytes of the stream to |in|; |out| may be |in|. */
void lw_xsalsa20_xor(lw_xsalsa20 *stream, const unsigned char *in, size_t len, unsigned char *out);

/* Overwrites the key. */
void lw_xsalsa20_done(lw_xsalsa20 *stream);

#endif
