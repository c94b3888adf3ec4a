/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_leaf.h -- models of types that are not structs: times, quantities, any JSON. */
#ifndef LW_SCHEMA_OPENAPI_OPENAPI_LEAF_H
#define LW_SCHEMA_OPENAPI_OPENAPI_LEAF_H

#include "schema/openapi/openapi_writer.h"

typedef struct lw_openapi_leaf {
    lw_str name; /* "io.k8s.apimachinery.pkg.api.resource.Quantity" */
    lw_str v2;   /* the schema, as JSON */
    lw_str v3;   /* the schema for OpenAPI 3.0 if it differs; empty: |v2| */
} lw_openapi_leaf;

enum {
    LW_OPENAPI_LEAVES = 9,
    LW_OPENAPI_PATCH = 8, /* the body of a patch, which is not the type of a field */
};

extern const lw_openapi_leaf lw_openapi_leaves[LW_OPENAPI_LEAVES];

/* Returns the leaf for values of |type|; -1: none. */
int lw_openapi_leaf_of(const lw_type *type);

/* Writes the model of |leaf|: its key and its schema. */
void lw_openapi_write_leaf(lw_openapi_writer *o, const lw_openapi_leaf *leaf);

#endif
