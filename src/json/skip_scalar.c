/* SPDX-License-Identifier: Apache-2.0 */
/* skip_scalar.c -- the end of a container, and its members, on any machine, a byte at a time: the
 * twin that tests compare with. */
#include "json/skip_loop.h"
