/* SPDX-License-Identifier: Apache-2.0 */
/* simd.h -- the loops that are made for several kinds of machine, and which of them run here. */
#ifndef LW_JSON_SIMD_H
#define LW_JSON_SIMD_H

#include "json/scan_walk.h"
#include "json/skip.h"

typedef struct lw_simd {
    const char *name; /* "avx512", "avx2", "sse2", "neon", "scalar" */
    lw_walk_fn walk;
    lw_skip_fn skip_container;
    lw_member_fn find_member;
} lw_simd;

/* The loops |name|; NULL where there are none of that name, or not on this machine. */
const lw_simd *lw_simd_find(const char *name);

/* The fastest that run here. */
const lw_simd *lw_simd_best(void);

#endif
