/* SPDX-License-Identifier: Apache-2.0 */
/* pending_object.h -- an object in the making: from what a client sent to what is stored.
 *
 *     open ──▶ prepare (metadata.h) ──▶ defaults ──▶ validate ──▶ seal ──▶ take
 *
 * A pending lives for one attempt at a write.  Failures of memory stick in its tree. */
#ifndef LW_API_PENDING_PENDING_OBJECT_H
#define LW_API_PENDING_PENDING_OBJECT_H

#include <listwatch/object.h>

#include "api/context/port.h"
#include "base/buf.h"
#include "object/api_errors.h"
#include "json/tree.h"

typedef struct lw_pending_object {
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
} lw_pending_object;

/* Starts from a copy of |body|, an object, for |kind|; |current| (may be NULL) is what is stored.
 * The copy shares the texts of |body|, which must outlive the pending.  Of a typed kind, members
 * that are null are as good as absent.  Call lw_pending_object_done in any case.  LW_ERR_NOMEM,
 * LW_ERR_LIMIT. */
lw_status lw_pending_object_open(lw_pending_object *pending, lw_api_port *port, const lw_kind *kind,
                                 const lw_node *body, const lw_object *current);

/* The same when what is stored was read already: |old|, which must outlive the pending. */
lw_status lw_pending_object_open_on(lw_pending_object *pending, lw_api_port *port,
                                    const lw_kind *kind, const lw_node *body, lw_node *old);
void lw_pending_object_done(lw_pending_object *pending);

/* True when the fields everything relies on have the types they should; else |why| says which one
 * has not, in Go's words. */
bool lw_pending_object_check_types(const lw_pending_object *pending, lw_buf *why);

/* True when every value has the type of its field; else |why| says which has not, or has failed.
 * For patches: what is sent whole is judged as it was sent (field_validation.h). */
bool lw_pending_object_check_values(const lw_pending_object *pending, lw_buf *why);

/* Makes of the document, and of the stored one, what kube-apiserver would have read of it
 * (schema/validation/typed.h): only in that form can the two be compared.  Sealing writes both
 * back. */
void lw_pending_object_read_typed(lw_pending_object *pending);

/* Takes |name| out of metadata.finalizers, if it is there. */
void lw_pending_object_drop_finalizer(lw_pending_object *pending, lw_str name);

/* Puts everything in the order Kubernetes writes it, without what is empty or not the client's
 * to say. */
void lw_pending_object_seal(lw_pending_object *pending);

/* True when the sealed pending says the same as the stored object. */
bool lw_pending_object_is_unchanged(const lw_pending_object *pending);

/* Makes the object.  |has_revision|: with a place for its resourceVersion.  LW_ERR_NOMEM,
 * LW_ERR_LIMIT. */
lw_status lw_pending_object_take(const lw_pending_object *pending, bool has_revision,
                                 lw_object **out);

/* The first failure: LW_ERR_NOMEM, LW_ERR_LIMIT, LW_ERR_IO. */
lw_status lw_pending_object_state(const lw_pending_object *pending);

/* Records a failure found outside of the pending's trees; LW_OK does nothing. */
void lw_pending_object_note(lw_pending_object *pending, lw_status st);

#endif
