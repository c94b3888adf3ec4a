/* SPDX-License-Identifier: Apache-2.0 */
/* digest.h -- SHA-256 with the instructions of the CPU, for what is computed with every request
 * (base/text/sha256.h is portable and several times slower).
 *
 * Threads: any. */
#ifndef LW_CRYPTO_DIGEST_H
#define LW_CRYPTO_DIGEST_H

#include <stdint.h>

#include <listwatch/error.h>
#include <listwatch/str.h>

enum {
    LW_DIGEST_SIZE = 32,
};

/* A hash function that is ready for use; created once, because looking it up takes time. */
typedef struct lw_digester lw_digester;

LW_MUST_CHECK lw_status lw_digester_new(lw_digester **out, lw_error *err);
void lw_digester_free(lw_digester *digester); /* NULL does nothing */

/* Computes the SHA-256 of |bytes|.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_digest(const lw_digester *digester, lw_str bytes,
                                  uint8_t digest[LW_DIGEST_SIZE]);

#endif
