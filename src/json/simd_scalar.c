/* SPDX-License-Identifier: Apache-2.0 */
/* simd_scalar.c -- the loops for any machine, one byte at a time: the reference for tests. */
#include "json/lexer/block_scalar.h"

#define LW_WALK       lw_walk_scalar
#define LW_SKIP       lw_skip_scalar
#define LW_MEMBER     lw_member_scalar
#define LW_CLASSIFY   lw_block_classify_scalar
#define LW_PREFIX_XOR lw_block_prefix_xor
#include "json/lexer/skip_loop.h"
#include "json/scan_walk_loop.h"
