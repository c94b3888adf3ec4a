/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_paths.h -- the paths of one kind in an OpenAPI document. */
#ifndef LW_SCHEMA_OPENAPI_OPENAPI_PATHS_H
#define LW_SCHEMA_OPENAPI_OPENAPI_PATHS_H

#include "schema/openapi/openapi_writer.h"

/* Writes the members of "paths" for |kind|: collections, the object, its subresources. */
void lw_openapi_write_paths(lw_openapi_writer *o, const lw_kind *kind);

#endif
