/* SPDX-License-Identifier: Apache-2.0 */
/* skip_sse2.c -- the end of a container, and its members, on every x86-64. */
#include "json/scan_block_sse2.h"

#define LW_SKIP       lw_skip_sse2
#define LW_MEMBER     lw_member_sse2
#define LW_CLASSIFY   lw_block_classify_sse2
#define LW_PREFIX_XOR lw_block_prefix_xor
#include "json/skip_loop.h"
