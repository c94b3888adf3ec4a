/* SPDX-License-Identifier: Apache-2.0 */
/* request_cost.h -- decides whether a request is heavy: it could occupy its loop for so long that
 * the other connections of the loop would notice. */
#ifndef LW_API_REQUEST_COST_H
#define LW_API_REQUEST_COST_H

#include "api/http/call.h"

enum {
    LW_COST_BODY_BYTES = 64 * 1024,   /* of the body of a write */
    LW_COST_OBJECT_BYTES = 64 * 1024, /* of an object that is patched or converted */
    LW_COST_LIST_BYTES = 256 * 1024,  /* of objects that are converted for a list */
    LW_COST_LIST_OBJECTS = 10000,     /* that a list goes through */
    LW_COST_DELETE_COLLECTION_OBJECTS = 500,
    LW_COST_DISCOVERY_KINDS = 1000, /* that a discovery document may have to describe */
};

/* Returns true if the request is to be served by a worker.  The route and the media type of the
 * call are known.  Estimates only: reads no more than the size of one object or the number of
 * objects in a namespace. */
bool lw_request_is_heavy(const lw_api_call *call);

#endif
