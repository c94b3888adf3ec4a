/* SPDX-License-Identifier: Apache-2.0 */
/* simd_sse2.c -- the loops for every x86-64. */
#include "json/lexer/block_sse2.h"

#define LW_WALK       lw_walk_sse2
#define LW_SKIP       lw_skip_sse2
#define LW_MEMBER     lw_member_sse2
#define LW_CLASSIFY   lw_block_classify_sse2
#define LW_PREFIX_XOR lw_block_prefix_xor
#include "json/lexer/skip_loop.h"
#include "json/scan_walk_loop.h"
