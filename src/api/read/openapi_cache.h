/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_cache.h -- the OpenAPI documents, made when somebody first asks and kept compressed.
 *
 * A document is kept until what it is written from has changed; when a definition changes, only the
 * documents it is in are made anew.  Nothing is made before the first request, and nobody who sends
 * one copies it.
 * Threads: any.  One document is made at a time, and whoever wants one meanwhile waits. */
#ifndef LW_API_READ_OPENAPI_CACHE_H
#define LW_API_READ_OPENAPI_CACHE_H

#include "api/http/reply.h"
#include "base/dlist.h"
#include "base/sync.h"

typedef enum lw_openapi_form {
    LW_OPENAPI_V2_JSON,
    LW_OPENAPI_V2_PROTO,
    LW_OPENAPI_V3_INDEX,
    LW_OPENAPI_V3_VERSION, /* of one group and version */
} lw_openapi_form;

typedef struct lw_openapi_wanted {
    lw_openapi_form form;
    lw_str group, version; /* of LW_OPENAPI_V3_VERSION */
} lw_openapi_wanted;

typedef struct lw_openapi_cache {
    lw_mutex mu;
    lw_dlist documents; /* mu: of lw_openapi_document, at most one of each form, group and version;
                          which are in.  Documents themselves never change. */
} lw_openapi_cache;

typedef struct lw_openapi_document lw_openapi_document;

void lw_openapi_cache_init(lw_openapi_cache *cache);
void lw_openapi_cache_done(lw_openapi_cache *cache);

/* The document as |registry| has it, to unref.  LW_ERR_NOT_FOUND: that version is not served;
 * LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_openapi_cache_get_ref(lw_openapi_cache *cache, const lw_registry *registry,
                                   const lw_openapi_wanted *wanted, lw_openapi_document **out);

/* Appends the same uncompressed, made for this once.  The same errors. */
lw_status lw_openapi_cache_append(lw_openapi_cache *cache, const lw_registry *registry,
                                  const lw_openapi_wanted *wanted, lw_buf *out);

void lw_openapi_document_unref(lw_openapi_document *document); /* NULL does nothing */

/* Its digest in quotes, as ETags are. */
const char *lw_openapi_document_etag(const lw_openapi_document *document);

/* Its compressed bytes, which hold a reference of their own. */
lw_bytes lw_openapi_document_bytes(lw_openapi_document *document);

#endif
