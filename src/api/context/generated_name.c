/* SPDX-License-Identifier: Apache-2.0 */
/* generated_name.c -- generated names. */
#include "api/context/generated_name.h"

#include <string.h>

enum {
    SUFFIX_LEN = 5,
};

/* The alphabet of Kubernetes: no vowels, and none of 0, 1 and 3. */
static const char suffix_alphabet[] = "bcdfghjklmnpqrstvwxz2456789";

void lw_name_generate(char name[LW_GENERATED_NAME_SIZE], lw_str base, lw_random *random)
{
    size_t len = base.len > LW_GENERATED_BASE_MAX ? LW_GENERATED_BASE_MAX : base.len;
    if (len > 0)
        memcpy(name, base.ptr, len);
    for (size_t i = 0; i < SUFFIX_LEN; i++)
        name[len++] = suffix_alphabet[lw_random_below(random, sizeof(suffix_alphabet) - 1)];
    name[len] = '\0';
}
