/* SPDX-License-Identifier: Apache-2.0 */
/* metrics.h -- the server's metrics in the Prometheus text format (version 0.0.4). */
#ifndef LW_SERVER_ENDPOINTS_METRICS_H
#define LW_SERVER_ENDPOINTS_METRICS_H

#include "base/buf.h"
#include "server/core/server_internal.h"

enum {
    LW_METRICS_MAX = 64 << 20, /* maximum size in bytes */
};

#define LW_METRICS_CONTENT_TYPE "text/plain; version=0.0.4; charset=utf-8"

void lw_metrics_write(const lw_server_parts *parts, lw_buf *out);

#endif
