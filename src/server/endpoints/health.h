/* SPDX-License-Identifier: Apache-2.0 */
/* health.h -- /healthz, /livez and /readyz, with the output of kube-apiserver.
 *
 *     /livez              "ok", or 500 and all checks
 *     /livez?verbose      all checks
 *     /livez?exclude=x    without the check x; may be given several times
 *     /livez/x            one check */
#ifndef LW_SERVER_ENDPOINTS_HEALTH_H
#define LW_SERVER_ENDPOINTS_HEALTH_H

#include "api/media/query.h"
#include "base/buf.h"
#include "server/core/server_internal.h"

enum {
    LW_HEALTH_TEXT_MAX = 64 * 1024,
    LW_HEALTH_LAG_S = 5, /* how long the cache may be behind the store without progress */
};

/* The checks, in the order of the output. */
typedef enum lw_health_check {
    LW_HEALTH_PING,     /* the server replies: always passes */
    LW_HEALTH_STORE,    /* the store can be read */
    LW_HEALTH_WRITES,   /* the last commit succeeded, to the file that is there; /readyz only */
    LW_HEALTH_DATA,     /* no damaged data was read; /readyz only */
    LW_HEALTH_SPACE,    /* the store is not full; /readyz only */
    LW_HEALTH_CACHE,    /* the cache follows the store */
    LW_HEALTH_SHUTDOWN, /* the server is not being stopped; /readyz only */
    LW_HEALTH_UPSTREAM, /* a mirror follows its upstream closely enough; /readyz only */
    LW_HEALTH_CHECKS,
} lw_health_check;

/* The result of each check, indexed by lw_health_check. */
typedef struct lw_health_facts {
    bool is_good[LW_HEALTH_CHECKS];
    bool is_mirror;     /* otherwise there is no check of the upstream */
    char upstream[160]; /* what the check of the upstream says besides "ok" */
} lw_health_facts;

/* True if |path| is one of the paths above or below one of them. */
bool lw_health_is_path(lw_str path);

/* Runs the checks. */
void lw_health_look(lw_server_parts *parts, lw_health_facts *facts);

/* True if the cache, which is at revision |cached|, keeps up with the store, which is at |current|.
 * During a commit the store is ahead for a moment, so the check fails only if the cache makes no
 * progress. */
bool lw_health_cache_follows(lw_server_parts *parts, uint64_t current, uint64_t cached,
                             int64_t now_ns);

/* Appends the reply to |path| (see lw_health_is_path) and returns its HTTP status. */
int lw_health_write(lw_str path, const lw_query *query, const lw_health_facts *facts, lw_buf *out);

#endif
