/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_writer.h -- an OpenAPI document under way, and what things are called in it.
 *
 * The two versions differ in where schemas stand and in how something is referred to that has a
 * description of its own; whoever writes a part looks at |dialect| for that alone. */
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
    lw_buf text; /* a name under way; its memory serves for all names */
} lw_openapi_writer;

void lw_openapi_writer_init(lw_openapi_writer *o, lw_openapi_dialect dialect, lw_json_writer *w);
void lw_openapi_writer_done(lw_openapi_writer *o);

/* Makes |st| the writer's failure, if it is one. */
void lw_openapi_fail(lw_openapi_writer *o, lw_status st);

/* Appends what the model of a struct is called: "io.k8s.api.core.v1.PodSpec". */
void lw_openapi_append_type(const lw_type *type, lw_buf *out);

/* The same of an object: built in, or custom, "com.example.v1.Widget". */
void lw_openapi_append_object(lw_gvk gvk, lw_buf *out);

/* Writes the member "$ref" that leads to the model called |name|. */
void lw_openapi_write_ref(lw_openapi_writer *o, lw_str name);
void lw_openapi_write_ref_type(lw_openapi_writer *o, const lw_type *type);
void lw_openapi_write_ref_object(lw_openapi_writer *o, lw_gvk gvk);

/* Writes the key of a path or a model from |o->text|, which is left empty. */
void lw_openapi_write_text_key(lw_openapi_writer *o);

/* Writes the member x-kubernetes-group-version-kind: of an operation one, of a model a list. */
void lw_openapi_write_gvk(lw_openapi_writer *o, lw_gvk gvk);
void lw_openapi_write_gvk_begin(lw_openapi_writer *o);
void lw_openapi_write_gvk_next(lw_openapi_writer *o, lw_gvk gvk);
void lw_openapi_write_gvk_end(lw_openapi_writer *o);

#endif
