/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_paths.h -- the paths of one kind in an OpenAPI document, and the name of its schema. */
#ifndef LW_SCHEMA_OPENAPI_PATHS_H
#define LW_SCHEMA_OPENAPI_PATHS_H

#include "schema/kind.h"
#include "json/writer.h"

/* Writes the members of "paths" that |kind| has: collections, the object, its subresources. */
void lw_openapi_write_paths(const lw_kind *kind, lw_json_writer *w);

/* Appends what the schema of |gvk| is called: "io.k8s.api.apps.v1.Deployment". */
void lw_openapi_append_schema_name(lw_gvk gvk, lw_buf *out);

#endif
