/* SPDX-License-Identifier: Apache-2.0 */
/* hooks_open.h -- makes the admission webhooks of a server from its options. */
#ifndef LW_SERVER_SETUP_HOOKS_OPEN_H
#define LW_SERVER_SETUP_HOOKS_OPEN_H

#include <listwatch/server.h>

#include "server/core/server_internal.h"
#include "server/setup/admission_plugins.h"

/* Sets parts->hooks and parts->hook_caller, unless both plugins are disabled.  Errors of
 * lw_hook_credentials_read and lw_http_hook_caller_new. */
LW_MUST_CHECK lw_status lw_server_open_hooks(lw_server_parts *parts,
                                             const lw_server_options *options,
                                             const lw_admission_plugins *plugins, lw_error *err);

/* After the API was freed. */
void lw_server_close_hooks(lw_server_parts *parts);

#endif
