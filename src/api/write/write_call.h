/* SPDX-License-Identifier: Apache-2.0 */
/* write_call.h -- a write that answers a call: the call, its body, and the reply. */
#ifndef LW_API_WRITE_WRITE_CALL_H
#define LW_API_WRITE_WRITE_CALL_H

#include "api/context/generated_name.h"
#include "api/http/call.h"
#include "api/http/delete_options.h"
#include "api/http/write_options.h"
#include "api/pending/managed.h"
#include "api/write/write.h"
#include "json/tree.h"

/* What an eviction does next (eviction.c). */
typedef enum lw_eviction_step {
    LW_EVICTION_ADMIT,
    LW_EVICTION_CHECK,
    LW_EVICTION_BUDGET,
    LW_EVICTION_MARK,
    LW_EVICTION_DELETE,
} lw_eviction_step;

typedef struct lw_write_call {
    lw_write write;    /* first */
    lw_api_call *call; /* NULL once it is answered */
    lw_tree *body;     /* what was sent, or NULL */
    lw_tree *reply; /* of a token request: the last decision; else NULL.  Shares texts of |body| */
    bool is_creation; /* the last decision was to make the object: 201 */

    /* Of a create. */
    bool is_typed;     /* the body is in typed form (api/pending/field_validation.h) */
    bool is_changed;   /* it is no longer what was sent: the object was made in it */
    bool is_reread;    /* it was read again, to decide once more */
    bool has_revision; /* it was sent with a resourceVersion that is a number */
    lw_str sent_name;  /* its texts; may be empty */
    lw_str name_prefix;
    bool is_generated; /* the name is the server's */
    unsigned name_tries;
    char generated[LW_GENERATED_NAME_SIZE];

    /* Of a patch. */
    lw_body_type patch_type;
    bool is_forced; /* an apply that takes over what others manage */

    /* Of a delete. */
    lw_api_delete_options delete_options;

    char *bound_name; /* of the pod, if the request does not name it; else NULL */

    /* Of an eviction. */
    lw_eviction_step eviction_step;
    lw_str pod_name;
    lw_object *budget; /* its name is the key meanwhile; NULL: none */
} lw_write_call;

/* Takes over |call|: the write is about the object that its route names.  NULL: no memory, and the
 * call has been answered so. */
lw_write_call *lw_write_call_new(lw_api_call *call);

/* Starts the write; |done| NULL answers with the object or the refusal. */
void lw_write_call_start(lw_write_call *wc, lw_write_decision (*decide)(lw_write *write),
                         void (*done)(lw_write *write));

/* Frees it, and the call if nobody answered it. */
void lw_write_call_free(lw_write_call *wc);

/* Answers with |status|, which is taken, and frees the write. */
void lw_write_call_refuse(lw_write_call *wc, lw_api_status *status);

/* Answers with what the write came to, and frees it; what |done| does by default. */
void lw_write_call_answer(lw_write *write);

/* Answers with |obj| (NULL: no memory to show it) and frees the write. */
void lw_write_call_reply(lw_write_call *wc, int code, const lw_object *obj);

/* If the write has deleted the object: runs the hook after_delete. */
void lw_write_call_removed(const lw_write_call *wc);

/* Who writes what to the managed fields. */
lw_field_manager lw_write_call_manager(const lw_write_call *wc);

/* 201 or 200. */
int lw_write_call_code(const lw_write_call *wc);

static inline lw_write_call *lw_write_call_of(lw_write *write)
{
    return (lw_write_call *)(void *)write;
}

#endif
