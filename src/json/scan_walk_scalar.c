/* SPDX-License-Identifier: Apache-2.0 */
/* scan_walk_scalar.c -- the loop for any machine, a byte at a time: the twin that tests compare
 * with. */
#include "json/scan_walk_loop.h"
