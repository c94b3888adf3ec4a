/* SPDX-License-Identifier: Apache-2.0 */
/* connect_options.h -- the options of a request that is passed on, as admission sees them: the
 * object of a CONNECT request. */
#ifndef LW_SERVER_CONNECT_CONNECT_OPTIONS_H
#define LW_SERVER_CONNECT_CONNECT_OPTIONS_H

#include "server/connect/connect_path.h"

/* Returns the kind of the options: PodExecOptions, ... */
lw_str lw_connect_options_kind(const lw_connect_path *path);

/* Appends the options as kube-apiserver reads them from |path| and the query |raw|, as JSON.
 * LW_ERR_INVALID: it refuses the query, and |why| says so in its words; LW_ERR_LIMIT,
 * LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_connect_options_write(const lw_connect_path *path, lw_str raw,
                                                 lw_buf *out, lw_buf *why);

#endif
