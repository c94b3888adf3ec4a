/* SPDX-License-Identifier: Apache-2.0 */
/* offload.h -- serves heavy requests elsewhere than on the loop of their connection. */
#ifndef LW_API_CONTEXT_OFFLOAD_H
#define LW_API_CONTEXT_OFFLOAD_H

#include "api/context/user.h"
#include "net/http.h"

typedef struct lw_offload {
    /* Takes over the request of |stream|, which its handler has not replied to, and calls
     * lw_api_serve with it on the loop of a worker.  Runs on the stream's loop; does not block.
     * LW_ERR_TOO_MANY: too many requests wait; LW_ERR_NOMEM.  NULL: every request is served on the
     * loop of its connection. */
    lw_status (*take)(void *arg, lw_http_stream *stream, const lw_user *user);
    void *arg;
} lw_offload;

#endif
