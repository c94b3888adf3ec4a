/* SPDX-License-Identifier: Apache-2.0 */
/* simd_avx512.c -- the loops for x86-64 with AVX-512 BW, BMI and carry-less multiplication;
 * compiled with the flags for them. */
#include "json/lexer/block_avx512.h"
#include "json/lexer/block_clmul.h"

#define LW_WALK       lw_walk_avx512
#define LW_SKIP       lw_skip_avx512
#define LW_MEMBER     lw_member_avx512
#define LW_CLASSIFY   lw_block_classify_avx512
#define LW_PREFIX_XOR lw_block_prefix_xor_clmul
#include "json/lexer/skip_loop.h"
#include "json/scan_walk_loop.h"
