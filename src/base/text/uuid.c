/* SPDX-License-Identifier: Apache-2.0 */
/* uuid.c -- random identifiers. */
#include "base/text/uuid.h"

#include <string.h>

enum {
    DIGITS = 31,  /* random ones */
    VARIANT = 15, /* the digit that begins with the bits 10 */
};

void lw_uuid_format(char out[LW_UUID_SIZE], lw_random *random)
{
    static const char digits[] = "0123456789abcdef";
    char d[DIGITS];
    uint64_t bits = lw_random_next(random);
    for (unsigned i = 0; i < 16; i++, bits >>= 4)
        d[i] = digits[i == VARIANT ? 8 | (bits & 3) : bits & 15];
    bits = lw_random_next(random);
    for (unsigned i = 16; i < DIGITS; i++, bits >>= 4)
        d[i] = digits[bits & 15];
    memcpy(out, "xxxxxxxx-xxxx-4xxx-xxxx-xxxxxxxxxxxx", LW_UUID_SIZE); /* version 4 */
    memcpy(out, d, 8);
    memcpy(out + 9, d + 8, 4);
    memcpy(out + 15, d + 12, 3);
    memcpy(out + 19, d + VARIANT, 4);
    memcpy(out + 24, d + 19, 12);
}
