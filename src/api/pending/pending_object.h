/* SPDX-License-Identifier: Apache-2.0 */
/* pending_object.h -- an object in the making: from what a client sent to what is stored.
 *
 *     open ──▶ prepare (metadata.h) ──▶ defaults ──▶ validate ──▶ seal ──▶ take
 *
 * A draft lives for one attempt at a write.  Failures of memory stick in its tree. */
#ifndef LW_API_PENDING_PENDING_OBJECT_H
#define LW_API_PENDING_PENDING_OBJECT_H

#include <listwatch/object.h>

#include "api/context/port.h"
#include "base/buf.h"
#include "object/api_errors.h"
#include "json/tree.h"

typedef struct lw_draft {
    lw_api_port *port;
    const lw_kind *kind;
    lw_tree *tree;
    lw_node *root;     /* the object */
    lw_node *metadata; /* of it */
    lw_tree *old_tree; /* NULL: somebody else's */
    lw_node *old;      /* the stored object; NULL: there is none */
    lw_buf managed;    /* managedFields as JSON; empty: those of the metadata */
    bool is_read;      /* both documents are as they are read, without zeros */
    lw_status st;      /* the first failure outside of the trees */
} lw_draft;

/* Starts from a copy of |body|, an object, for |kind|; |current| (may be NULL) is what is stored.
 * The copy shares the texts of |body|, which must outlive the draft.  Of a typed kind, members that
 * are null are as good as absent.  Call lw_draft_done in any case.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_draft_open(lw_draft *draft, lw_api_port *port, const lw_kind *kind,
                        const lw_node *body, const lw_object *current);

/* The same when what is stored was read already: |old|, which must outlive the draft. */
lw_status lw_draft_open_on(lw_draft *draft, lw_api_port *port, const lw_kind *kind,
                           const lw_node *body, lw_node *old);
void lw_draft_done(lw_draft *draft);

/* True when the fields everything relies on have the types they should; else |why| says which one
 * has not, in Go's words. */
bool lw_draft_check_types(const lw_draft *draft, lw_buf *why);

/* True when every value has the type of its field; else |why| says which has not, or has failed.
 * For patches: what is sent whole is judged as it was sent (field_validation.h). */
bool lw_draft_check_values(const lw_draft *draft, lw_buf *why);

/* Makes of the document, and of the stored one, what kube-apiserver would have read of it
 * (schema/validation/typed.h): only in that form can the two be compared.  Sealing writes both back. */
void lw_draft_read_typed(lw_draft *draft);

/* Takes |name| out of metadata.finalizers, if it is there. */
void lw_draft_drop_finalizer(lw_draft *draft, lw_str name);

/* Puts everything in the order Kubernetes writes it, without what is empty or not the client's
 * to say. */
void lw_draft_seal(lw_draft *draft);

/* True when the sealed draft says the same as the stored object. */
bool lw_draft_is_unchanged(const lw_draft *draft);

/* Makes the object.  |has_revision|: with a place for its resourceVersion.  LW_ERR_NOMEM,
 * LW_ERR_LIMIT. */
lw_status lw_draft_take(const lw_draft *draft, bool has_revision, lw_object **out);

/* The first failure: LW_ERR_NOMEM, LW_ERR_LIMIT, LW_ERR_IO. */
lw_status lw_draft_state(const lw_draft *draft);

/* Records a failure found outside of the draft's trees; LW_OK does nothing. */
void lw_draft_note(lw_draft *draft, lw_status st);

#endif
