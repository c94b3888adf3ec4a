/* SPDX-License-Identifier: Apache-2.0 */
/* remote_openapi.h -- what another API server says in /openapi/v2 of one version of a group.
 *
 * Immutable and shared by references.  Threads: any. */
#ifndef LW_SERVER_AGGREGATOR_REMOTE_OPENAPI_H
#define LW_SERVER_AGGREGATOR_REMOTE_OPENAPI_H

#include <stdint.h>

#include "base/buf.h"
#include "base/ref.h"

enum {
    LW_REMOTE_OPENAPI_MAX = 8 * 1024 * 1024,        /* bytes of a document */
    LW_REMOTE_OPENAPI_TOTAL_MAX = 64 * 1024 * 1024, /* bytes of all that are kept */
    LW_REMOTE_OPENAPI_TREE_MAX = 256 * 1024 * 1024, /* memory for one while it is read */
    LW_REMOTE_OPENAPI_DEPTH = 64, /* nesting: in protobuf a byte costs its depth */
};

typedef struct lw_remote_openapi {
    lw_ref refs;
    uint64_t answer; /* hash of the server's whole answer */
    uint64_t stamp;  /* hash of |json| */
    lw_buf json;     /* an object with "paths", "definitions" and "parameters" */
} lw_remote_openapi;

/* Reads |answer|, an OpenAPI 2.0 document: the paths below /apis/GROUP/VERSION/, and the
 * definitions but those that only other paths need.  If |before| (may be NULL) is of the same
 * answer, |*out| is a reference to it.  LW_ERR_NOT_FOUND (no such paths), LW_ERR_SYNTAX,
 * LW_ERR_INVALID (not such a document), LW_ERR_LIMIT, LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_remote_openapi_read(lw_remote_openapi **out, lw_str answer, lw_str group,
                                               lw_str version, lw_remote_openapi *before);

lw_remote_openapi *lw_remote_openapi_ref(lw_remote_openapi *openapi); /* NULL: NULL */
void lw_remote_openapi_unref(lw_remote_openapi *openapi);             /* NULL does nothing */

#endif
