/* SPDX-License-Identifier: Apache-2.0 */
/* simd_neon.c -- the loops for every arm64. */
#include "json/lexer/block_neon.h"

#define LW_WALK       lw_walk_neon
#define LW_SKIP       lw_skip_neon
#define LW_MEMBER     lw_member_neon
#define LW_CLASSIFY   lw_block_classify_neon
#define LW_PREFIX_XOR lw_block_prefix_xor
#include "json/lexer/skip_loop.h"
#include "json/scan_walk_loop.h"
