/* SPDX-License-Identifier: Apache-2.0 */
/* flow_config.h -- builds a snapshot of the configuration from objects; for flow_control.c. */
#ifndef LW_SERVER_FLOWCONTROL_FLOW_CONFIG_H
#define LW_SERVER_FLOWCONTROL_FLOW_CONFIG_H

#include "server/flowcontrol/flow_control.h"

/* Reads the objects, adds the mandatory ones that are missing, leaves out schemas without a level,
 * and sorts.  The levels of the entries are not set yet.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_flow_config_build(lw_flow_config **out, const lw_str *levels, size_t level_count,
                               const lw_str *schemas, size_t schema_count);

#endif
