/* SPDX-License-Identifier: Apache-2.0 */
/* hash.h -- 64-bit FNV-1a, for tables of fixed size and for names derived from contents.  It must
 * never change, because names of ReplicaSets are derived from it. */
#ifndef LW_CONTROL_RUNTIME_HASH_H
#define LW_CONTROL_RUNTIME_HASH_H

#include <stdint.h>

#include <listwatch/str.h>

#define LW_HASH_INIT UINT64_C(0xcbf29ce484222325)

/* Adds the bytes of |text| and an end mark to |hash|, so that "ab","c" differs from "a","bc". */
static inline uint64_t lw_hash_add(uint64_t hash, lw_str text)
{
    for (size_t i = 0; i < text.len; i++)
        hash = (hash ^ (unsigned char)text.ptr[i]) * UINT64_C(0x100000001b3);
    return (hash ^ 0xff) * UINT64_C(0x100000001b3);
}

#endif
