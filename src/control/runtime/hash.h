/* SPDX-License-Identifier: Apache-2.0 */
/* hash.h -- FNV-1a over 64 bits: for tables of fixed size, and names made from contents.  The same
 * everywhere and for ever, since names of ReplicaSets come of it. */
#ifndef LW_CONTROL_RUNTIME_HASH_H
#define LW_CONTROL_RUNTIME_HASH_H

#include <stdint.h>

#include <listwatch/str.h>

#define LW_HASH_INIT UINT64_C(0xcbf29ce484222325)

/* |hash| with the bytes of |text| added, and an end mark, so that "ab","c" is not "a","bc". */
static inline uint64_t lw_hash_add(uint64_t hash, lw_str text)
{
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.ptr[i]) * UINT64_C(0x100000001b3);
    return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

#endif
