/* SPDX-License-Identifier: Apache-2.0 */
/* planted.c -- a planted bug that libFuzzer must find: only inputs that begin with "lw!" reach it,
 * and random inputs would need millions of attempts.  With coverage guidance it takes some
 * thousand. */
#include "fuzz/fuzz.h"

#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size > 2 && data[0] == 'l' && data[1] == 'w' && data[2] == '!')
        abort();
    return 0;
}
