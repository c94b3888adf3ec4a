/* SPDX-License-Identifier: Apache-2.0 */
/* ask.h -- asks admission policies and webhooks about writes that have no pending object:
 * deletions, bindings, evictions, scales, tokens.  Changes of whole objects ask in their admission
 * (change.c).
 *
 *     mutating policies ──▶ mutating webhooks ──▶ check ──▶ validating policies ──▶ validating
 *                                                                                   webhooks
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
#include "api/pending/pending_object.h"
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
    /* Where |object| is the body of the request; what policies and webhooks make of it takes its
     * place.  NULL: |object| is made in each attempt, and what they make of it is write->asked. */
    lw_tree **body;
    /* Checks what they have made of it, before validating ones see it; it must not keep views of
     * it.  False: it is refused with write->status.  NULL: there is nothing to check. */
    bool (*check)(lw_write *write, const lw_node *object);
} lw_ask;

/* True: go on, with what ask->object is now.  False: return |*decision|. */
LW_MUST_CHECK bool lw_ask_is_admitted(lw_write *write, lw_ask *ask, lw_write_decision *decision);

/* Opens |object|, which is of |gvk| and not of a kind that is served by itself; |kind|, which must
 * live as long, becomes its kind.  LW_ERR_NOMEM, LW_ERR_LIMIT: close it all the same. */
LW_MUST_CHECK lw_status lw_ask_open_object(lw_pending_object *pending, const lw_write *write,
                                           lw_kind *kind, lw_gvk gvk, const lw_node *object);

/* Copies |pending| in the form in which clients write it. */
LW_MUST_CHECK lw_status lw_ask_copy_object(const lw_pending_object *pending, lw_tree **out);

/* Appends the CreateOptions or UpdateOptions of the request, as JSON. */
void lw_ask_write_options(const lw_write *write, bool is_creation, lw_buf *out);

/* Returns when the request must have ended, by the clock of the loop: after the parameter
 * "timeout", or LW_HOOK_REQUEST_TIMEOUT_S. */
int64_t lw_ask_deadline(const lw_write *write);

#endif
