/* SPDX-License-Identifier: Apache-2.0 */
/* flow_borrowing.h -- how many seats each level of a server has; for flow_control.c. */
#ifndef LW_SERVER_FLOWCONTROL_FLOW_BORROWING_H
#define LW_SERVER_FLOWCONTROL_FLOW_BORROWING_H

#include "server/flowcontrol/flow_control.h"

/* Computes the nominal seats of the levels and their bounds from their shares. */
void lw_flow_borrowing_set_nominal(lw_flow_control *control);

/* Ends the period of demand of each level and sets its seats accordingly.  LW_ERR_NOMEM: the levels
 * keep their seats. */
lw_status lw_flow_borrowing_adjust(lw_flow_control *control, lw_dlist *dispatched);

/* Returns how many seats one request of a level may have; 0: the level does not limit them. */
uint32_t lw_flow_level_max_seats(const lw_flow_level_spec *spec, uint32_t nominal);

#endif
