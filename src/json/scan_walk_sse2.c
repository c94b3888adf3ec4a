/* SPDX-License-Identifier: Apache-2.0 */
/* scan_walk_sse2.c -- the loop for every x86-64. */
#include "json/scan_block_sse2.h"

#define LW_WALK       lw_walk_sse2
#define LW_CLASSIFY   lw_block_classify_sse2
#define LW_PREFIX_XOR lw_block_prefix_xor
#include "json/scan_walk_loop.h"
