/* SPDX-License-Identifier: Apache-2.0 */
/* scan_walk_neon.c -- the loop for every arm64. */
#include "json/scan_block_neon.h"

#define LW_WALK       lw_walk_neon
#define LW_CLASSIFY   lw_block_classify_neon
#define LW_PREFIX_XOR lw_block_prefix_xor
#include "json/scan_walk_loop.h"
