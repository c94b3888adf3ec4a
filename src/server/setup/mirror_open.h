/* SPDX-License-Identifier: Apache-2.0 */
/* mirror_open.h -- what a server does differently when it is a mirror: whom it asks for identities
 * and permissions, and how often it asks again about open watches. */
#ifndef LW_SERVER_SETUP_MIRROR_OPEN_H
#define LW_SERVER_SETUP_MIRROR_OPEN_H

#include "server/core/server_internal.h"

enum {
    LW_MIRROR_RECHECK_S = 30, /* between checks of open watches */
    LW_MIRROR_ALLOWED_S = 60, /* how long a permission is cached, unless the options say so */
    LW_MIRROR_REFUSED_S = 10, /* the same for a refusal */
};

/* Changes |options| of a mirror: tokens and permissions are checked by the upstream.  They point to
 * |webhooks| afterwards. */
void lw_mirror_adopt_options(lw_server_options *options, lw_server_webhooks *webhooks);

/* Opens the mirror, and the store of its server, which is empty: the cache is fed by the upstream.
 * The errors of lw_mirror_open. */
LW_MUST_CHECK lw_status lw_mirror_open_parts(lw_server_parts *parts,
                                             const lw_server_options *options, lw_error *err);

/* Rechecks open watches from time to time.  Must be zeroed. */
typedef struct lw_mirror_recheck {
    lw_api *api; /* NULL: not started */
    lw_loop *loop;
    lw_timer timer;
} lw_mirror_recheck;

/* Before |loop| runs.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_mirror_recheck_start(lw_mirror_recheck *recheck, lw_api *api,
                                                lw_loop *loop, lw_error *err);

/* The loop does not run any more. */
void lw_mirror_recheck_stop(lw_mirror_recheck *recheck);

#endif
