/* SPDX-License-Identifier: Apache-2.0 */
/* skip_neon.c -- the end of a container, and its members, on every arm64. */
#include "json/scan_block_neon.h"

#define LW_SKIP       lw_skip_neon
#define LW_MEMBER     lw_member_neon
#define LW_CLASSIFY   lw_block_classify_neon
#define LW_PREFIX_XOR lw_block_prefix_xor
#include "json/skip_loop.h"
