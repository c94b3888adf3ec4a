/* SPDX-License-Identifier: Apache-2.0 */
/* seeds.h -- stores the objects that the server itself needs. */
#ifndef LW_SERVER_SETUP_SEEDS_H
#define LW_SERVER_SETUP_SEEDS_H

#include "server/core/server_internal.h"

/* Stores those that are missing, all in one commit: a server that is killed while it starts has
 * stored all of them or none.  After the cache has started and before the loops run.  LW_ERR_NOMEM,
 * LW_ERR_LIMIT, LW_ERR_INVALID (the system clock), or an error of the store. */
LW_MUST_CHECK lw_status lw_server_seed(lw_server_parts *parts, const lw_server_options *options,
                                       lw_error *err);

#endif
