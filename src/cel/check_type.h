/* SPDX-License-Identifier: Apache-2.0 */
/* check_type.h -- type compatibility; private to check.c. */
#ifndef LW_CEL_CHECK_TYPE_H
#define LW_CEL_CHECK_TYPE_H

#include "cel/expr.h"
#include "cel/functions.h"

enum {
    LW_CEL_TYPE_TEXT_SIZE = 160,
};

/* A type of |arena|; DYN when there is no memory. */
const lw_cel_type *lw_cel_type_new(lw_arena *arena, lw_cel_kind kind, const lw_cel_type *key,
                                   const lw_cel_type *elem);

/* Returns the element type of a list, map or optional. */
const lw_cel_type *lw_cel_elem_of(const lw_cel_type *type);

/* The type of what may be |a| or |b|; NULL: they do not fit. */
const lw_cel_type *lw_cel_join(lw_arena *arena, const lw_cel_type *a, const lw_cel_type *b);

/* What a call with the arguments of |expr| gives by |overload|; NULL: it does not take them. */
const lw_cel_type *lw_cel_overload_type(lw_arena *arena, const lw_cel_overload *overload,
                                        const lw_cel_expr *expr);

/* Writes the type for error messages, "list(int)", truncated to fit.  Returns |text|. */
const char *lw_cel_type_text(const lw_cel_type *type, char text[LW_CEL_TYPE_TEXT_SIZE]);

#endif
