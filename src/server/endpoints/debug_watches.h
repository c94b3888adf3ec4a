/* SPDX-License-Identifier: Apache-2.0 */
/* debug_watches.h -- replies to /debug/listwatch with statistics and all watches. */
#ifndef LW_SERVER_ENDPOINTS_DEBUG_WATCHES_H
#define LW_SERVER_ENDPOINTS_DEBUG_WATCHES_H

#include "server/core/server_internal.h"

/* Replies to |stream| after all loops have been visited. */
void lw_debug_watches_serve(lw_server_parts *parts, lw_http_stream *stream);

#endif
