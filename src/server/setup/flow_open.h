/* SPDX-License-Identifier: Apache-2.0 */
/* flow_open.h -- the limits of concurrent requests, from the options of the server. */
#ifndef LW_SERVER_SETUP_FLOW_OPEN_H
#define LW_SERVER_SETUP_FLOW_OPEN_H

#include "server/core/server_internal.h"

/* Sets up the limits; the API is bound to the loops.  The errors of lw_flow_new and
 * lw_flow_keeper_start. */
LW_MUST_CHECK lw_status lw_server_open_flow(lw_server_parts *parts,
                                            const lw_server_options *options, lw_error *err);

#endif
