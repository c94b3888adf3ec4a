/* SPDX-License-Identifier: Apache-2.0 */
/* metrics_text.h -- the beginning of a metric in the Prometheus text format. */
#ifndef LW_SERVER_ENDPOINTS_METRICS_TEXT_H
#define LW_SERVER_ENDPOINTS_METRICS_TEXT_H

#include "base/buf.h"

static inline void lw_metrics_begin(lw_buf *out, const char *name, const char *type,
                                    const char *help)
{
    lw_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

#endif
