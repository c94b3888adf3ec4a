/* SPDX-License-Identifier: Apache-2.0 */
/* change.h -- from the body of a request and the stored object to the object that is to be stored.
 *
 * The decisions that create, update and patch have in common.  Each opens one pending object, runs
 * it through admission, and takes the result. */
#ifndef LW_API_WRITE_CHANGE_H
#define LW_API_WRITE_CHANGE_H

#include "api/pending/managed.h"
#include "api/write/write.h"
#include "json/tree.h"

typedef struct lw_change {
    const lw_node *body;  /* the object as the client wants it */
    lw_tree *inside;      /* of a create: the tree of |body|, in which the object may be made; NULL:
                             |body| is copied */
    bool is_typed;        /* with |inside|: the body is in typed form */
    bool *is_changed;     /* with |inside|: is set if |body| is not what was sent any more */
    lw_tree *stored;      /* of an update: write->current as a tree, which is changed here; NULL:
                             not parsed yet */
    unsigned subresource; /* one that is a part of the object, or 0 */
    bool is_unnamed;      /* the name is the body's or generated: the URL has none */
    bool is_patched;      /* the body is the stored object with a patch applied */
    bool is_generated;    /* the name is the server's */
    bool is_asked;        /* webhooks have been asked already, about something else: a scale */
    bool is_lasting;      /* the body lives as long as the write; |stored| is not set */
    lw_field_manager manager;
    const lw_node *managed; /* of an apply: its managedFields, known already; NULL: none */
} lw_change;

/* Whether |uid|, if it is not empty, is the uid of write->current.  False: write->status is a 409.
 */
bool lw_change_check_uid(lw_write *write, lw_str uid);

/* Whether the user of an update or patch may create the object, which does not exist.  False:
 * write->status is a 403. */
bool lw_change_may_create(lw_write *write);

/* Sets write->next to a new object at write->key.  Returns PUT, REFUSE, or ASK: webhooks are
 * called, and lw_change_resume goes on. */
lw_write_decision lw_change_create(lw_write *write, const lw_change *change);

/* Sets write->next to the new state of write->current.  Returns PUT, KEEP, REFUSE, ASK, or DELETE
 * if the object is being deleted and has no finalizers left. */
lw_write_decision lw_change_update(lw_write *write, const lw_change *change);

/* Goes on after ASK, as the function that returned it; by default what write->resume is. */
lw_write_decision lw_change_resume(lw_write *write);

#endif
