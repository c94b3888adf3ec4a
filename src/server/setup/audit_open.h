/* SPDX-License-Identifier: Apache-2.0 */
/* audit_open.h -- sets up auditing as the options of a server say. */
#ifndef LW_SERVER_SETUP_AUDIT_OPEN_H
#define LW_SERVER_SETUP_AUDIT_OPEN_H

#include <listwatch/server.h>

#include "server/audit/audit.h"

/* Sets |*out| to NULL if the options ask for no auditing.  LW_ERR_INVALID: an option is missing or
 * invalid; otherwise the errors of lw_audit_new. */
LW_MUST_CHECK lw_status lw_server_open_audit(lw_audit **out, const lw_server_options *options,
                                             const lw_clock *clock, lw_error *err);

#endif
