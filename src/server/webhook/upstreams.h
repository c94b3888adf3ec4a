/* SPDX-License-Identifier: Apache-2.0 */
/* upstreams.h -- the addresses of one cluster, and which of them answer.
 *
 *     up ──failed──▶ down ──answered──▶ up
 *
 * One address is the current one, for everything: it stays until it fails, then the next one that
 * is up follows.  If none is up, they are tried in turn.  An address that answers again waits for
 * its turn: requests do not move without need.
 *
 * Immutable but for atomics; any thread. */
#ifndef LW_SERVER_WEBHOOK_UPSTREAMS_H
#define LW_SERVER_WEBHOOK_UPSTREAMS_H

#include <stdatomic.h>
#include <stddef.h>

#include <listwatch/str.h>

#include "server/webhook/address.h"

enum {
    LW_UPSTREAMS_MAX = 16,
};

typedef struct lw_upstreams lw_upstreams;

typedef struct lw_upstream {
    lw_upstreams *all; /* it is one of them */
    lw_webhook_address address;
    lw_str prefix; /* of all paths, without a '/' at the end; usually empty */
    atomic_bool is_up;
    atomic_uint_least64_t failures; /* how often it went down */
} lw_upstream;

/* |urls| are separated by commas; a URL without a scheme gets that of |is_tls|.  LW_ERR_INVALID:
 * one is malformed, has another scheme, or there is none; LW_ERR_LIMIT, LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_upstreams_new(lw_upstreams **out, const char *urls, bool is_tls,
                                         lw_error *err);
lw_upstreams *lw_upstreams_ref(lw_upstreams *upstreams);
void lw_upstreams_unref(lw_upstreams *upstreams); /* NULL does nothing */

/* Return the address to use now; all of them. */
lw_upstream *lw_upstreams_current(lw_upstreams *upstreams);
lw_upstream *lw_upstreams_all(lw_upstreams *upstreams, size_t *count);

/* Notes that |upstream| could not be reached or does not work.  Returns true if another one is the
 * current one now. */
bool lw_upstream_failed(lw_upstream *upstream);
void lw_upstream_answered(lw_upstream *upstream);

#endif
