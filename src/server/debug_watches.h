/* SPDX-License-Identifier: Apache-2.0 */
/* debug_watches.h -- the reply to /debug/listwatch: a look at all watches, loop by loop. */
#ifndef LW_SERVER_DEBUG_WATCHES_H
#define LW_SERVER_DEBUG_WATCHES_H

#include "server/server_internal.h"

/* Replies to |stream| when every loop has been asked. */
void lw_debug_watches_serve(lw_server_parts *parts, lw_http_stream *stream);

#endif
