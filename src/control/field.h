/* SPDX-License-Identifier: Apache-2.0 */
/* field.h -- single fields of objects, compared without decoding anything into the object: caches
 * hold many of them. */
#ifndef LW_CONTROL_FIELD_H
#define LW_CONTROL_FIELD_H

#include <listwatch.h>

/* Whether something other than null is at |pointer|. */
bool lw_field_exists(const lw_object *obj, const char *pointer);

/* Whether the string at |pointer| is |text|, which has nothing in it that JSON escapes. */
bool lw_field_is(const lw_object *obj, const char *pointer, const char *text);

/* Copies the string at |pointer| into |dst|, cut to |size|; "" where there is none, or it has
 * escapes (names, uids, times have none). */
void lw_field_copy(const lw_object *obj, const char *pointer, char *dst, size_t size);

/* The moment at |pointer|; false: there is none. */
bool lw_field_moment(const lw_object *obj, const char *pointer, int64_t *wall_ns);

/* The index of the condition |type| in /status/conditions, or -1. */
int lw_field_condition(const lw_object *obj, const char *type);

#endif
