/* SPDX-License-Identifier: Apache-2.0 */
/* type_table.h -- the types of built-in kinds, which tools/fields.py generates from
 * src/schema/fields/. */
#ifndef LW_SCHEMA_TYPES_TYPE_TABLE_H
#define LW_SCHEMA_TYPES_TYPE_TABLE_H

#include <stddef.h>

#include "schema/types/type.h"

typedef struct lw_type_kind {
    lw_gvk gvk;
    const lw_type *type;
} lw_type_kind;

/* Sorted by group, version and kind. */
extern const lw_type_kind lw_type_kinds[];
extern const size_t lw_type_kind_count;

/* All descriptions, each terminated by a zero byte; an empty one comes first. */
extern const char *const lw_type_texts;

#endif
