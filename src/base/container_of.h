/* SPDX-License-Identifier: Apache-2.0 */
/* container_of.h -- gets the struct that contains a member. */
#ifndef LW_BASE_CONTAINER_OF_H
#define LW_BASE_CONTAINER_OF_H

#include <stddef.h>

/* Returns the |type| whose |member| is at |ptr|, which must not be NULL. */
#define LW_CONTAINER_OF(ptr, type, member) ((type *)(void *)((char *)(ptr)-offsetof(type, member)))

#endif
