/* SPDX-License-Identifier: Apache-2.0 */
/* openapi_cache.h -- the OpenAPI documents: each is made at the first request for it, compressed or
 * plain, and kept.
 *
 * A document is kept until what it is written from has changed; when a definition changes, only the
 * documents that contain it are made again.  All replies share the bytes of the cached document.
 * Threads: any.  One document is made at a time; a request for a cached one never waits for that.
 */
#ifndef LW_API_READ_OPENAPI_CACHE_H
#define LW_API_READ_OPENAPI_CACHE_H

#include "api/context/aggregation.h"
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
    bool is_plain;         /* not compressed */
} lw_openapi_wanted;

typedef struct lw_openapi_cache {
    const lw_aggregation *others;
    lw_mutex making;    /* held while a document is made; taken before |mu| */
    lw_mutex mu;        /* guards |documents| */
    lw_dlist documents; /* of lw_openapi_document, at most one for each lw_openapi_wanted; documents
                           never change */
} lw_openapi_cache;

typedef struct lw_openapi_document lw_openapi_document;

/* |others|, which must live as long, adds what other servers serve to /openapi/v2. */
void lw_openapi_cache_init(lw_openapi_cache *cache, const lw_aggregation *others);
void lw_openapi_cache_done(lw_openapi_cache *cache);

/* The document as |registry| has it, to unref.  LW_ERR_NOT_FOUND: that version is not served;
 * LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_openapi_cache_get_ref(lw_openapi_cache *cache, const lw_registry *registry,
                                   const lw_openapi_wanted *wanted, lw_openapi_document **out);

/* Returns true if lw_openapi_cache_get_ref has nothing to make. */
bool lw_openapi_cache_has(lw_openapi_cache *cache, const lw_registry *registry,
                          const lw_openapi_wanted *wanted);

void lw_openapi_document_unref(lw_openapi_document *document); /* NULL does nothing */

/* Its digest in quotes, as ETags are. */
const char *lw_openapi_document_etag(const lw_openapi_document *document);

/* Its bytes, which hold a reference of their own. */
lw_bytes lw_openapi_document_bytes(lw_openapi_document *document);

#endif
