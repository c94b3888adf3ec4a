/* SPDX-License-Identifier: Apache-2.0 */
/* rules.h -- which requests a webhook is called for: rules of a webhook configuration. */
#ifndef LW_API_WEBHOOKS_RULES_H
#define LW_API_WEBHOOKS_RULES_H

#include "schema/kinds/kind.h"
#include "json/tree.h"

/* The operations of AdmissionReview; one bit each. */
enum {
    LW_HOOK_CREATE = 1 << 0,
    LW_HOOK_UPDATE = 1 << 1,
    LW_HOOK_DELETE = 1 << 2,
    LW_HOOK_CONNECT = 1 << 3,
};

/* Returns "CREATE", ... of one bit. */
lw_str lw_hook_operation_name(unsigned operation);

typedef struct lw_hook_rules lw_hook_rules;

/* Reads the member "rules" of a webhook, a validated list (NULL: none); its texts must outlive the
 * rules.  LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_hook_rules_new(lw_hook_rules **out, const lw_node *list);
void lw_hook_rules_free(lw_hook_rules *rules); /* NULL does nothing */

size_t lw_hook_rules_count(const lw_hook_rules *rules);

/* Returns true if rule |index| matches |operation| on |kind|, or on its |subresource| (empty: the
 * object itself). */
bool lw_hook_rule_matches(const lw_hook_rules *rules, size_t index, const lw_kind *kind,
                          lw_str subresource, unsigned operation);

/* Returns true if admission webhooks are never called for |kind|: they could lock out the requests
 * that repair them. */
bool lw_hook_is_exempt(const lw_kind *kind);

#endif
