/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_writer.h -- the state of writing an OpenAPI document, and the names of its models.
 *
 * The two versions differ in where schemas are, and in how a reference with a description is
 * written.  Writers of parts check |dialect| only for these. */
#ifndef LW_SCHEMA_OPENAPI_OPENAPI_WRITER_H
#define LW_SCHEMA_OPENAPI_OPENAPI_WRITER_H

#include "schema/kinds/kind.h"
#include "schema/types/type.h"
#include "json/writer.h"

typedef enum lw_openapi_dialect {
    LW_OPENAPI_2,
    LW_OPENAPI_3,
} lw_openapi_dialect;

typedef struct lw_openapi_writer {
    lw_openapi_dialect dialect;
    lw_json_writer *w;
    lw_buf text; /* scratch for names */
} lw_openapi_writer;

void lw_openapi_writer_init(lw_openapi_writer *o, lw_openapi_dialect dialect, lw_json_writer *w);
void lw_openapi_writer_done(lw_openapi_writer *o);

/* Sets the status of the writer to |st| if it is a failure. */
void lw_openapi_fail(lw_openapi_writer *o, lw_status st);

/* Appends the model name of a struct: "io.k8s.api.core.v1.PodSpec". */
void lw_openapi_append_type(const lw_type *type, lw_buf *out);

/* Appends the model name of a kind: built in, or custom, "com.example.v1.Widget". */
void lw_openapi_append_object(lw_gvk gvk, lw_buf *out);

/* Writes the member "$ref" to the model |name|. */
void lw_openapi_write_ref(lw_openapi_writer *o, lw_str name);
void lw_openapi_write_ref_type(lw_openapi_writer *o, const lw_type *type);
void lw_openapi_write_ref_object(lw_openapi_writer *o, lw_gvk gvk);

/* Writes |o->text| as the key of a path or model, and empties it. */
void lw_openapi_write_text_key(lw_openapi_writer *o);

/* Writes the member x-kubernetes-group-version-kind: one for an operation, a list for a model. */
void lw_openapi_write_gvk(lw_openapi_writer *o, lw_gvk gvk);
void lw_openapi_write_gvk_begin(lw_openapi_writer *o);
void lw_openapi_write_gvk_next(lw_openapi_writer *o, lw_gvk gvk);
void lw_openapi_write_gvk_end(lw_openapi_writer *o);

#endif
