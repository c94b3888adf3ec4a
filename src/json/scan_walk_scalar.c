/* SPDX-License-Identifier: Apache-2.0 */
/* scan_walk_scalar.c -- the loop for any machine, a byte at a time: the twin that tests compare
 * with. */
#include "json/scan_block_scalar.h"

#define LW_WALK       lw_walk_scalar
#define LW_CLASSIFY   lw_block_classify_scalar
#define LW_PREFIX_XOR lw_block_prefix_xor
#include "json/scan_walk_loop.h"
