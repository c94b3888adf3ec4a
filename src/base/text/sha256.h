/* SPDX-License-Identifier: Apache-2.0 */
/* sha256.h -- SHA-256 (FIPS 180-4) of short texts, for compatibility.  Not for secrets. */
#ifndef LW_BASE_TEXT_SHA256_H
#define LW_BASE_TEXT_SHA256_H

#include <stdint.h>

#include <listwatch/str.h>

enum {
    LW_SHA256_SIZE = 32,
};

void lw_sha256(lw_str text, uint8_t digest[LW_SHA256_SIZE]);

#endif
