/* SPDX-License-Identifier: Apache-2.0 */
/* planted_loops.c -- quadratic loops that the meter must see; compiled like the measured code. */
#include <string.h>

#include "bench/linear/work_meter.h"

uint64_t planted_quadratic(uint32_t count)
{
    uint64_t equal = 0;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t j = 0; j < i; j++) {
            if ((i * UINT32_C(2654435761)) >> 24 == (j * UINT32_C(2654435761)) >> 24)
                equal++;
        }
    }
    return equal;
}

uint64_t planted_moves(uint32_t count)
{
    static uint64_t array[4096];
    uint64_t sum = 0;
    for (uint32_t i = 0; i < 4096; i++)
        array[i] = i;
    for (uint32_t left = count < 4096 ? count : 4096; left > 1; left--) {
        sum += array[0];
        memmove(array, array + 1, (left - 1) * sizeof(array[0]));
    }
    return sum;
}
