/* SPDX-License-Identifier: Apache-2.0 */
/* uuid.h -- random identifiers (RFC 9562, version 4). */
#ifndef LW_BASE_TEXT_UUID_H
#define LW_BASE_TEXT_UUID_H

#include "base/random.h"

enum {
    LW_UUID_SIZE = 37, /* "581e9986-9f5d-4d6e-8c55-0f1f2a3b4c5d" and its NUL */
};

/* Writes the next identifier from |random|: unique, but not secret. */
void lw_uuid_format(char out[LW_UUID_SIZE], lw_random *random);

#endif
