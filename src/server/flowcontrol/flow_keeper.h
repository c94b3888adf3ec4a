/* SPDX-License-Identifier: Apache-2.0 */
/* flow_keeper.h -- keeps flow control and the objects that configure it in step.
 *
 *     cache ──changed──▶ lw_flow_control_apply ──▶ condition Dangling of each FlowSchema is written
 *     every minute, and when one was deleted ──▶ built-in objects are created and revised
 *     every ten seconds ──▶ lw_flow_control_adjust
 *
 * It is a worker of the background loop's port.  Several servers may do this on one store: each
 * write is conditional. */
#ifndef LW_SERVER_FLOWCONTROL_FLOW_KEEPER_H
#define LW_SERVER_FLOWCONTROL_FLOW_KEEPER_H

#include "server/flowcontrol/flow.h"

/* Starts on |loop|, which is bound to the API and does not run yet; the port stops it.  Runs the
 * loop until the built-in objects exist, or until the store takes too long: then they are created
 * later.  LW_ERR_NOMEM. */
lw_status lw_flow_keeper_start(lw_flow *flow, lw_loop *loop, lw_error *err);

#endif
