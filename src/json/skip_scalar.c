/* SPDX-License-Identifier: Apache-2.0 */
/* skip_scalar.c -- the end of a container, and its members, on any machine, one byte at a time: the
 * reference for tests. */
#include "json/skip_loop.h"
