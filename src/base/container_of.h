/* SPDX-License-Identifier: Apache-2.0 */
/* container_of.h -- from a member to the struct it is embedded in. */
#ifndef LW_BASE_CONTAINER_OF_H
#define LW_BASE_CONTAINER_OF_H

#include <stddef.h>

/* The |type| whose |member| is at |ptr|, which is not NULL. */
#define LW_CONTAINER_OF(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

#endif
