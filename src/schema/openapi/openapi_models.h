/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_models.h -- the models of a document: its kinds, and all types that they contain. */
#ifndef LW_SCHEMA_OPENAPI_OPENAPI_MODELS_H
#define LW_SCHEMA_OPENAPI_OPENAPI_MODELS_H

#include "schema/openapi/openapi_writer.h"

/* A set of types that contains the types of all their fields. */
typedef struct lw_openapi_models {
    const lw_type **types; /* structs and eithers, sorted by package and name */
    size_t count, room;
    unsigned leaves; /* one bit per leaf */
    lw_status st;    /* the first failure */
} lw_openapi_models;

void lw_openapi_models_init(lw_openapi_models *models);
void lw_openapi_models_done(lw_openapi_models *models);

/* Adds the type of |gvk| and all types that it contains; ignores kinds that are not built in. */
void lw_openapi_models_add(lw_openapi_models *models, lw_gvk gvk);

/* Adds |type| and all types that it contains. */
void lw_openapi_models_add_type(lw_openapi_models *models, const lw_type *wire_type);

/* Adds the leaf |index|. */
void lw_openapi_models_add_leaf(lw_openapi_models *models, int index);

/* Writes the members of "definitions" or "schemas".  A failure of |models| becomes a failure of the
 * writer. */
void lw_openapi_models_write(const lw_openapi_models *models, lw_openapi_writer *o);

#endif
