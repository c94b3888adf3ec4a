/* SPDX-License-Identifier: Apache-2.0 */
/* scan_walk_avx512.c -- the loop for x86-64 with AVX-512 BW, BMI and carry-less multiplication;
 * compiled with the flags for them. */
#include "json/scan_block_avx512.h"
#include "json/scan_block_clmul.h"

#define LW_WALK       lw_walk_avx512
#define LW_CLASSIFY   lw_block_classify_avx512
#define LW_PREFIX_XOR lw_block_prefix_xor_clmul
#include "json/scan_walk_loop.h"
