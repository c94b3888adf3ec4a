/* SPDX-License-Identifier: Apache-2.0 */
/* hook.h -- the webhooks of one stored configuration, compiled: rules, selectors, conditions and
 * the endpoint are read once, when the configuration changes.
 *
 * Immutable; references may be taken and released on any thread. */
#ifndef LW_API_WEBHOOKS_HOOK_H
#define LW_API_WEBHOOKS_HOOK_H

#include <listwatch/object.h>

#include "api/matching/match_rules.h"
#include "api/webhooks/caller.h"
#include "api/webhooks/conditions.h"
#include "api/webhooks/endpoint.h"
#include "base/ref.h"

typedef struct lw_hook_config lw_hook_config;

typedef enum lw_hook_type {
    LW_HOOK_MUTATING,
    LW_HOOK_VALIDATING,
} lw_hook_type;

/* Views are of the configuration. */
typedef struct lw_hook {
    lw_hook_config *config;
    lw_str name;
    bool is_mutating;
    lw_match_rules *rules; /* NULL: see |error|; the webhook is then called for everything */
    lw_hook_conditions *conditions;
    bool fails_open;       /* failurePolicy Ignore */
    bool has_side_effects; /* sideEffects Some or Unknown: not for dry runs */
    bool is_reinvoked;     /* reinvocationPolicy IfNeeded */
    lw_hook_version version;
    int64_t timeout_s;
    lw_hook_endpoint *endpoint; /* NULL: see |error| */
    char *error;                /* why the webhook cannot be called; NULL: it can be */
} lw_hook;

struct lw_hook_config {
    lw_ref refs;
    const lw_hook_caller *caller;
    lw_object *obj; /* what it was compiled from */
    lw_tree *tree;
    lw_str name;
    bool is_mutating;
    size_t count;
    lw_hook hooks[];
};

/* Compiles |obj|, a MutatingWebhookConfiguration or ValidatingWebhookConfiguration.  A webhook that
 * cannot be compiled, which validation prevents, has an error.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_hook_config_new(lw_hook_config **out, const lw_object *obj,
                                           bool is_mutating, const lw_hook_caller *caller);
lw_hook_config *lw_hook_config_ref(lw_hook_config *config);
void lw_hook_config_unref(lw_hook_config *config); /* NULL does nothing */

#endif
