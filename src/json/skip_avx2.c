/* SPDX-License-Identifier: Apache-2.0 */
/* skip_avx2.c -- the end of a container, and its members, on x86-64 with AVX2, BMI and carry-less
 * multiplication; compiled with the flags for them. */
#include "json/scan_block_avx2.h"
#include "json/scan_block_clmul.h"

#define LW_SKIP       lw_skip_avx2
#define LW_MEMBER     lw_member_avx2
#define LW_CLASSIFY   lw_block_classify_avx2
#define LW_PREFIX_XOR lw_block_prefix_xor_clmul
#include "json/skip_loop.h"
