/* SPDX-License-Identifier: Apache-2.0 */
/* hooks.h -- the admission webhooks in force, and which of them a request is about.
 *
 *     watch cache ──change──▶ generation + 1
 *     a write: is the set of its loop of this generation? ──no──▶ take or make the new set
 *              └──▶ matches of (resource, subresource, operation), remembered by the loop
 *
 * A set of compiled configurations is immutable and shared by the loops; each loop holds the one it
 * last used, so that a write without a matching webhook costs the comparison of a number and one
 * lookup at most.  A configuration is in force when its writer has the reply.
 *
 * Threads: lw_hooks_find and lw_hooks_leave the loop of the port; the rest any. */
#ifndef LW_API_WEBHOOKS_HOOKS_H
#define LW_API_WEBHOOKS_HOOKS_H

#include "api/webhooks/hook.h"
#include "api/webhooks/hook_converter.h"
#include "api/webhooks/hook_metrics.h"

enum {
    LW_HOOKS_REMEMBERED_MAX = 4096, /* kinds of requests whose webhooks a loop remembers */
};

typedef struct lw_hooks lw_hooks;
typedef struct lw_hook_set lw_hook_set;

/* A webhook, and the version of the kind that it wants to see. */
typedef struct lw_hook_match {
    const lw_hook *hook;
    const lw_kind *kind;
} lw_hook_match;

/* The webhooks whose rules match, in the order of their calls. */
typedef struct lw_hook_matches {
    lw_str key;
    size_t mutating_count;
    size_t validating_count;
    const lw_hook_match *mutating;
    const lw_hook_match *validating;
} lw_hook_matches;

/* The webhooks of an API; the caller outlives them.  Plugins that are disabled are never called.
 * LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_hooks_new(lw_hooks **out, const lw_hook_caller *caller,
                                     bool has_mutating, bool has_validating);

/* Follows the configurations in the cache, which has not started, and makes the API use |hooks|.
 * |converter| is static. */
void lw_hooks_follow(lw_hooks *hooks, lw_api *api, const lw_hook_converter *converter);

/* Every loop has left.  NULL does nothing. */
void lw_hooks_free(lw_hooks *hooks);

const lw_hook_caller *lw_hooks_caller(const lw_hooks *hooks);
const lw_hook_converter *lw_hooks_converter(const lw_hooks *hooks);
lw_hook_metrics *lw_hooks_metrics(lw_hooks *hooks);

/* Finds the webhooks of |operation| on |kind|, or on its |subresource|; |*out| is NULL if there are
 * none.  Valid until the loop's next call, unless the set and the registry below are held.
 * LW_ERR_NOMEM, LW_ERR_LIMIT, or why the cache cannot be read: then nothing can be admitted. */
LW_MUST_CHECK lw_status lw_hooks_find(lw_api_port *port, const lw_kind *kind, lw_str subresource,
                                      unsigned operation, const lw_hook_matches **out);

/* Take what the last matches of |port| live in; the caller releases it. */
lw_hook_set *lw_hooks_set_ref(const lw_api_port *port);
lw_registry *lw_hooks_registry_ref(const lw_api_port *port);
void lw_hook_set_unref(lw_hook_set *set); /* NULL does nothing */

/* Frees what |port| keeps for webhooks. */
void lw_hooks_leave(lw_api_port *port);

#endif
