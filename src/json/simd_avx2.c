/* SPDX-License-Identifier: Apache-2.0 */
/* simd_avx2.c -- the loops for x86-64 with AVX2, BMI and carry-less multiplication; compiled with
 * the flags for them. */
#include "json/lexer/block_avx2.h"
#include "json/lexer/block_clmul.h"

#define LW_WALK       lw_walk_avx2
#define LW_SKIP       lw_skip_avx2
#define LW_MEMBER     lw_member_avx2
#define LW_CLASSIFY   lw_block_classify_avx2
#define LW_PREFIX_XOR lw_block_prefix_xor_clmul
#include "json/lexer/skip_loop.h"
#include "json/scan_walk_loop.h"
