/* SPDX-License-Identifier: Apache-2.0 */
/* aggregate_proxy.h -- passes requests for the groups of other API servers on to them. */
#ifndef LW_SERVER_AGGREGATOR_AGGREGATE_PROXY_H
#define LW_SERVER_AGGREGATOR_AGGREGATE_PROXY_H

#include "server/aggregator/aggregator.h"
#include "server/proxy/reverse_proxy.h"

/* Forwards the request of |stream| by |user|, who is authorized, if another server serves it:
 * /apis/GROUP/VERSION, all below it, and its OpenAPI document.  False: it is not one of those, and
 * there was no reply.  On the stream's loop, which has a port. */
bool lw_aggregate_serve(lw_aggregator *aggregator, lw_reverse_proxy *proxy, lw_http_stream *stream,
                        const lw_user *user);

#endif
