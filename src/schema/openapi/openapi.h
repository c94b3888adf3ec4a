/* SPDX-License-Identifier: Apache-2.0 */
/* openapi.h -- the OpenAPI documents: what may be asked of each kind, and what its objects have in
 * them.
 *
 *     type.h (built-in kinds) ───▶ openapi_models ─┐
 *     definitions (custom ones) ─▶ openapi_custom ─┼─▶ one document a group version (v3),
 *     kind.h ────────────────────▶ openapi_paths ──┘   or one of everything (v2) ─▶ openapi_proto
 *
 * Failures stick in the writer: look at lw_json_writer_status once.  Documents of the same registry
 * are the same byte by byte. */
#ifndef LW_SCHEMA_OPENAPI_OPENAPI_H
#define LW_SCHEMA_OPENAPI_OPENAPI_H

#include "schema/kinds/kind_span.h"
#include "json/writer.h"

enum {
    LW_OPENAPI_DOCUMENT_MAX = 256 * 1024 * 1024, /* bytes of one document */
};

/* /openapi/v2: everything, in OpenAPI 2.0. */
void lw_openapi_v2(const lw_registry *registry, lw_json_writer *w);

/* /openapi/v3/api/v1, /openapi/v3/apis/g/v: the kinds of one version of a group, in OpenAPI 3.0. */
void lw_openapi_v3(lw_kind_span version, lw_json_writer *w);

/* /openapi/v3: where each of them is.  Between begin and end, one call a document, with what tells
 * it from what it was before. */
void lw_openapi_index_begin(lw_json_writer *w);
void lw_openapi_index_add(lw_kind_span version, lw_str hash, lw_json_writer *w);
void lw_openapi_index_end(lw_json_writer *w);

/* A number that differs when the documents of |span| do: built-in kinds never change, custom ones
 * with their definitions. */
uint64_t lw_openapi_stamp(lw_kind_span span);

#endif
