/* SPDX-License-Identifier: Apache-2.0 */
/* uuid.c -- random identifiers. */
#include "base/text/uuid.h"

void lw_uuid_format(char out[LW_UUID_SIZE], lw_random *random)
{
    static const char digits[] = "0123456789abcdef";
    static const char form[LW_UUID_SIZE] = "xxxxxxxx-xxxx-4xxx-yxxx-xxxxxxxxxxxx";
    uint64_t bits = 0;
    unsigned left = 0;
    for (unsigned i = 0; i < LW_UUID_SIZE - 1; i++) {
        if (left == 0) {
            bits = lw_random_next(random);
            left = 16;
        }
        unsigned digit = bits & 15;
        if (form[i] == 'x' || form[i] == 'y') {
            out[i] = digits[form[i] == 'y' ? 8 | (digit & 3) : digit];
            bits >>= 4;
            left--;
        } else {
            out[i] = form[i];
        }
    }
    out[LW_UUID_SIZE - 1] = '\0';
}
