/* SPDX-License-Identifier: Apache-2.0 */
/* http_transport.h -- sends the calls of one webhook by HTTP, to where a file in the format of
 * kubeconfig says (config.h).
 *
 * With several addresses, calls go to the current one; a call that it cannot be reached for is sent
 * to the others at once. */
#ifndef LW_SERVER_WEBHOOK_HTTP_TRANSPORT_H
#define LW_SERVER_WEBHOOK_HTTP_TRANSPORT_H

#include "net/client/http_client.h"
#include "server/webhook/caller.h"
#include "server/webhook/upstreams.h"

/* Reads |file|.  Calls go to its URL, and |path| (NULL: nothing) behind it.  |client| is that of
 * the caller's loop and outlives the transport.  |upstreams| (NULL: none) are used in place of the
 * URL; it takes a reference.  The errors of lw_webhook_config_read. */
LW_MUST_CHECK lw_status lw_http_transport_new(lw_webhook_transport **out, const char *file,
                                              const char *path, lw_upstreams *upstreams,
                                              lw_http_client *client, lw_loop *loop, lw_error *err);

#endif
