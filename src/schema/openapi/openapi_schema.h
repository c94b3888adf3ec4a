/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_schema.h -- writes a struct of the field tables as an OpenAPI schema. */
#ifndef LW_SCHEMA_OPENAPI_OPENAPI_SCHEMA_H
#define LW_SCHEMA_OPENAPI_OPENAPI_SCHEMA_H

#include "schema/openapi/openapi_writer.h"

/* Writes the model of |type|, a struct or an either: its key and its schema.  The schema of an
 * either is empty: its values have nothing in common. */
void lw_openapi_write_model(lw_openapi_writer *o, const lw_type *type);

#endif
