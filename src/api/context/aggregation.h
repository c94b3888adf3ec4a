/* SPDX-License-Identifier: Apache-2.0 */
/* aggregation.h -- groups and versions that other API servers serve (APIServices), for the
 * documents that tell of all of them. */
#ifndef LW_API_CONTEXT_AGGREGATION_H
#define LW_API_CONTEXT_AGGREGATION_H

#include "base/buf.h"

typedef enum lw_aggregated_document {
    LW_AGGREGATED_GROUPS,    /* /apis: an APIGroupList */
    LW_AGGREGATED_GROUP,     /* /apis/GROUP: an APIGroup */
    LW_AGGREGATED_DISCOVERY, /* /apis: an APIGroupDiscoveryList */
    LW_AGGREGATED_OPENAPI,   /* /openapi/v3: an index of paths */
    LW_AGGREGATED_OPENAPI_2, /* /openapi/v2 */
} lw_aggregated_document;

typedef struct lw_aggregation {
    /* Adds what other servers serve to |json|, a document of this server; if it is empty, makes the
     * one of |group|.  Does not block; any thread.  LW_ERR_NOT_FOUND: |json| is empty, and nobody
     * serves the group; LW_ERR_NOMEM, LW_ERR_LIMIT.  NULL: there are no other servers. */
    lw_status (*merge)(void *arg, lw_aggregated_document document, lw_str group, lw_buf *json);
    /* A number that changes with what is added to LW_AGGREGATED_OPENAPI_2; 0: nothing.  Any thread.
     */
    uint64_t (*openapi_stamp)(void *arg);
    void *arg;
} lw_aggregation;

#endif
