/* SPDX-License-Identifier: Apache-2.0 */
/* openapi.h -- the OpenAPI documents: the operations of each kind, and the schemas of its objects.
 *
 *     type.h (built-in kinds) ───▶ openapi_models ─┐
 *     definitions (custom ones) ─▶ openapi_custom ─┼─▶ one document per group version (v3),
 *     kind.h ────────────────────▶ openapi_paths ──┘   or one for all of them (v2) ─▶ openapi_proto
 *
 * Failures are sticky in the writer: check lw_json_writer_status at the end.  Documents of the same
 * registry are identical. */
#ifndef LW_SCHEMA_OPENAPI_OPENAPI_H
#define LW_SCHEMA_OPENAPI_OPENAPI_H

#include "schema/kinds/kind_span.h"
#include "json/writer.h"

enum {
    LW_OPENAPI_DOCUMENT_MAX = 256 * 1024 * 1024, /* bytes of one document */
};

/* Writes /openapi/v2: all groups, in OpenAPI 2.0. */
void lw_openapi_v2(const lw_registry *registry, lw_json_writer *w);

/* Writes /openapi/v3/api/v1 or /openapi/v3/apis/g/v: the kinds of one group version, in OpenAPI
 * 3.0. */
void lw_openapi_v3(lw_kind_span version, lw_json_writer *w);

/* Write /openapi/v3, the index of these documents.  Between begin and end, call once for each
 * document with its hash, which changes with the content. */
void lw_openapi_index_begin(lw_json_writer *w);
void lw_openapi_index_add(lw_kind_span version, lw_str hash, lw_json_writer *w);
void lw_openapi_index_end(lw_json_writer *w);

/* Returns a hash of the kinds of |span|.  Built-in kinds never change it; custom kinds do when
 * their definitions change. */
uint64_t lw_openapi_stamp(lw_kind_span span);

#endif
