/* SPDX-License-Identifier: Apache-2.0 */
/* scan_walk_scalar.c -- the loop for any machine, one byte at a time: the reference for tests. */
#include "json/scan_walk_loop.h"
