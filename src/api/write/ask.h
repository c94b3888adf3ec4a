/* SPDX-License-Identifier: Apache-2.0 */
/* ask.h -- asks admission webhooks and policies about writes that have no pending object:
 * deletions, bindings, evictions, scales, tokens.  Changes of whole objects ask in their admission
 * (change.c).
 *
 *     lw_write_decision decision;
 *     if (!lw_ask_is_admitted(write, &question, &decision))
 *         return decision;                  // ASK or REFUSE
 *
 * When the webhooks have passed it, the write is decided once more, and goes on behind this. */
#ifndef LW_API_WRITE_ASK_H
#define LW_API_WRITE_ASK_H

#include "api/http/delete_options.h"
#include "api/matching/match_rules.h"
#include "api/write/write.h"

enum {
    LW_ASK_OPTIONS_MAX = 64 * 1024, /* bytes of CreateOptions, ... */
};

typedef struct lw_ask {
    unsigned operation;    /* LW_OPERATION_ */
    unsigned subresource;  /* LW_SUB_ bit, or 0 */
    const lw_node *object; /* of the subresource; NULL: none */
    lw_gvk gvk;            /* of the object; kind empty: that of the resource */
    bool has_old;          /* write->current is the old object */
    lw_str old;            /* JSON of the old object, if it is another; copied */
    const lw_api_delete_options *delete_options; /* of a DELETE */
} lw_ask;

/* True: go on.  False: return |*decision|. */
LW_MUST_CHECK bool lw_ask_is_admitted(lw_write *write, const lw_ask *ask,
                                      lw_write_decision *decision);

/* Sets |*changed| to what the mutating policies make of ask->object, to be freed, or to NULL if
 * they do not change it.  Before lw_ask_is_admitted, which asks about what they have made.  False:
 * the write is refused. */
LW_MUST_CHECK bool lw_ask_mutate(lw_write *write, const lw_ask *ask, lw_tree **changed);

/* The same for the object in |*body|, once for a write: later attempts find it changed. */
LW_MUST_CHECK bool lw_ask_mutate_body(lw_write *write, lw_ask *ask, lw_tree **body);

/* Appends the CreateOptions or UpdateOptions of the request, as JSON. */
void lw_ask_write_options(const lw_write *write, bool is_creation, lw_buf *out);

/* Returns when the request must have ended, by the clock of the loop: after the parameter
 * "timeout", or LW_HOOK_REQUEST_TIMEOUT_S. */
int64_t lw_ask_deadline(const lw_write *write);

#endif
