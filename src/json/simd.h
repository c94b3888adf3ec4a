/* SPDX-License-Identifier: Apache-2.0 */
/* simd.h -- the loops that are compiled for several instruction sets, and the choice among them. */
#ifndef LW_JSON_SIMD_H
#define LW_JSON_SIMD_H

#include "json/lexer/skip.h"
#include "json/scan_walk.h"

typedef struct lw_simd {
    const char *name; /* "avx512", "avx2", "sse2", "neon", "scalar" */
    lw_walk_fn walk;
    lw_skip_fn skip_container;
    lw_member_fn find_member;
} lw_simd;

/* Returns the loops |name|; NULL if there are none, or the machine does not support them. */
const lw_simd *lw_simd_find(const char *name);

/* Returns the fastest loops for this machine. */
const lw_simd *lw_simd_best(void);

#endif
