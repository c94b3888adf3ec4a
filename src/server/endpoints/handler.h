/* SPDX-License-Identifier: Apache-2.0 */
/* handler.h -- authenticates a request and dispatches it by its path. */
#ifndef LW_SERVER_ENDPOINTS_HANDLER_H
#define LW_SERVER_ENDPOINTS_HANDLER_H

#include "server/core/server_internal.h"

/* Returns the handler of the server's connections; |parts| must outlive them. */
lw_http_handler lw_server_handler(lw_server_parts *parts);

/* Serves a request that flow control has admitted; |parts| is an lw_server_parts. */
void lw_server_serve(lw_http_stream *stream, void *parts);

#endif
