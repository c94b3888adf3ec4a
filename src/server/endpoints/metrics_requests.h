/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_requests.h -- the metrics that have the names of kube-apiserver's, so that its dashboards
 * and alerts work here. */
#ifndef LW_SERVER_ENDPOINTS_METRICS_REQUESTS_H
#define LW_SERVER_ENDPOINTS_METRICS_REQUESTS_H

#include "base/buf.h"
#include "server/core/server_internal.h"

/* Requests: apiserver_request_*, apiserver_watch_*, etcd_request_*, and so on. */
void lw_metrics_write_requests(const lw_server_parts *parts, lw_buf *out);

/* What is stored: apiserver_resource_objects and others, for each resource once. */
void lw_metrics_write_stored(const lw_server_parts *parts, lw_buf *out);

#endif
