/* SPDX-License-Identifier: Apache-2.0 */
/* field_bodies.h -- finds every list and map field of a built-in kind in the field tables, and
 * writes bodies with many items in one of them. */
#ifndef LW_BENCH_LINEAR_FIELD_BODIES_H
#define LW_BENCH_LINEAR_FIELD_BODIES_H

#include "base/buf.h"
#include "schema/kinds/kind.h"
#include "schema/types/type.h"

enum {
    FIELD_PATH_MAX = 16,
};

/* From the object to a list or map field.  Lists and maps on the way have one item. */
typedef struct field_path {
    const lw_type *owner; /* the struct that has the last field */
    const lw_field *fields[FIELD_PATH_MAX];
    size_t count;
} field_path;

typedef void (*field_path_fn)(const field_path *path, void *arg);

/* Calls |fn| for each list and map field below |type|.  A struct that contains itself is entered
 * once. */
void field_paths_visit(const lw_type *type, field_path_fn fn, void *arg);

/* How the items look. */
typedef enum items {
    ITEMS_DISTINCT,
    ITEMS_EQUAL, /* the same item, or the same key, again and again */
    ITEMS_NULL,
    ITEMS_CHANGED, /* distinct, with the keys of ITEMS_DISTINCT and other values */
    ITEMS_DELETED, /* of a strategic merge patch: "$patch": "delete" */
} items;

/* Appends an object of |kind| with |count| items in the last field of |path|. */
void field_body_write(lw_buf *out, const lw_kind *kind, const field_path *path, items how,
                      unsigned count);

/* Appends only the item of number |i|. */
void field_item_write(lw_buf *out, const field_path *path, items how, unsigned i);

/* Appends the JSON Pointer of the field. */
void field_pointer_write(lw_buf *out, const field_path *path);

/* Appends the path for messages: Pod spec.containers[].env */
void field_path_write(lw_buf *out, const lw_kind *kind, const field_path *path);

#endif
