/* SPDX-License-Identifier: Apache-2.0 */
/* new_name.c -- uids and generated names. */
#include "api/new_name.h"

#include <string.h>

#include "base/entropy.h"

enum {
    SUFFIX_LEN = 5,
    DRAWS = 64, /* bytes drawn for a suffix: far more than are ever needed */
};

/* As Kubernetes has it: no vowels, and none of 0, 1 and 3. */
static const char suffix_alphabet[] = "bcdfghjklmnpqrstvwxz2456789";

lw_status lw_uid_make(char uid[LW_UID_SIZE])
{
    static const char hex[] = "0123456789abcdef";
    unsigned char bytes[16];
    lw_status st = lw_entropy_fill(bytes, sizeof(bytes));
    if (st < 0)
        return st;
    bytes[6] = (unsigned char)((bytes[6] & 0x0f) | 0x40);
    bytes[8] = (unsigned char)((bytes[8] & 0x3f) | 0x80);
    size_t at = 0;
    for (size_t i = 0; i < sizeof(bytes); i++) {
        if (i == 4 || i == 6 || i == 8 || i == 10)
            uid[at++] = '-';
        uid[at++] = hex[bytes[i] >> 4];
        uid[at++] = hex[bytes[i] & 0x0f];
    }
    uid[at] = '\0';
    return LW_OK;
}

lw_status lw_name_generate(char name[LW_GENERATED_NAME_SIZE], lw_str base)
{
    const unsigned letters = sizeof(suffix_alphabet) - 1;
    const unsigned fair = 256 / letters * letters; /* bytes from here on would favour some */
    unsigned char draws[DRAWS];
    lw_status st = lw_entropy_fill(draws, sizeof(draws));
    if (st < 0)
        return st;
    size_t len = base.len > LW_GENERATED_BASE_MAX ? LW_GENERATED_BASE_MAX : base.len;
    if (len > 0)
        memcpy(name, base.ptr, len);
    size_t end = len + SUFFIX_LEN;
    for (size_t i = 0; i < DRAWS && len < end; i++) {
        /* The last draws are taken as they come: the suffix must be whole. */
        if (draws[i] < fair || DRAWS - i <= end - len)
            name[len++] = suffix_alphabet[draws[i] % letters];
    }
    name[len] = '\0';
    return LW_OK;
}
