/* SPDX-License-Identifier: Apache-2.0 */
/* flow_report.h -- shows the state of flow control: metrics and the pages below
 * /debug/api_priority_and_fairness, both with the names and in the form of kube-apiserver. */
#ifndef LW_SERVER_FLOWCONTROL_FLOW_REPORT_H
#define LW_SERVER_FLOWCONTROL_FLOW_REPORT_H

#include "base/buf.h"
#include "server/flowcontrol/flow_control.h"

enum {
    LW_FLOW_DUMP_MAX = 64 * 1024 * 1024, /* bytes of a page */
};

/* Appends metrics in the Prometheus text format. */
void lw_flow_write_metrics(lw_flow_control *control, lw_buf *out);

/* Returns true if |path| is one of the pages. */
bool lw_flow_is_dump(lw_str path);

/* Appends the page of |path|. */
void lw_flow_write_dump(lw_flow_control *control, lw_str path, lw_str query, lw_buf *out);

#endif
