/* SPDX-License-Identifier: Apache-2.0 */
/* health.h -- /healthz, /livez and /readyz, in the words of kube-apiserver.
 *
 *     /livez              "ok", or 500 and every check
 *     /livez?verbose      every check
 *     /livez?exclude=x    without the check x; may be given several times
 *     /livez/x            one check */
#ifndef LW_SERVER_HEALTH_H
#define LW_SERVER_HEALTH_H

#include "api/media/query.h"
#include "base/buf.h"
#include "server/server_internal.h"

enum {
    LW_HEALTH_TEXT_MAX = 64 * 1024,
    LW_HEALTH_LAG_S = 5, /* how long the cache may stand still behind the store */
};

/* The checks, in the order in which they are listed. */
typedef enum lw_health_check {
    LW_HEALTH_PING,     /* a request is answered: always good */
    LW_HEALTH_STORE,    /* the store can be read */
    LW_HEALTH_CACHE,    /* the cache follows the store */
    LW_HEALTH_SHUTDOWN, /* the server is not being stopped; of /readyz alone */
    LW_HEALTH_CHECKS,
} lw_health_check;

/* What is good, by lw_health_check. */
typedef struct lw_health_facts {
    bool is_good[LW_HEALTH_CHECKS];
} lw_health_facts;

/* True when |path| is one of the above, or below one. */
bool lw_health_is_path(lw_str path);

/* Looks at the parts. */
void lw_health_look(lw_server_parts *parts, lw_health_facts *facts);

/* Whether a cache that is at |cached| while the store is at |current| still follows it: a commit
 * under way has raised the one and not yet the other, so it fails only when it stands still. */
bool lw_health_cache_follows(lw_server_parts *parts, uint64_t current, uint64_t cached,
                             int64_t now_ns);

/* Appends the answer to |path| (lw_health_is_path) and returns its HTTP status. */
int lw_health_write(lw_str path, const lw_query *query, const lw_health_facts *facts, lw_buf *out);

#endif
