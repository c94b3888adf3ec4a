/* SPDX-License-Identifier: Apache-2.0 */
/* pending_object.h -- an object between the client's body and the store.
 *
 *     open ──▶ prepare (metadata.h) ──▶ default ──▶ validate ──▶ seal ──▶ take
 *
 * A pending object is used for one attempt at a write.  Its trees keep the first allocation
 * failure. */
#ifndef LW_API_PENDING_PENDING_OBJECT_H
#define LW_API_PENDING_PENDING_OBJECT_H

#include <listwatch/object.h>

#include "api/context/port.h"
#include "base/buf.h"
#include "object/api_errors.h"
#include "object/object.h"
#include "json/tree.h"

typedef struct lw_pending_object {
    lw_api_port *port;
    const lw_kind *kind;
    lw_tree *tree;
    bool is_borrowed;    /* the tree is somebody else's */
    bool is_typed;       /* the document was in typed form when it was opened */
    lw_node *root;       /* the object */
    lw_node *metadata;   /* its metadata */
    lw_tree *old_tree;   /* NULL: owned by the caller */
    lw_tree *lent_tree;  /* that of the caller; NULL: none, or nothing in it is read any more */
    lw_node *old;        /* the stored object; NULL: none */
    lw_buf managed;      /* managedFields as JSON; empty: those in the metadata are used */
    bool has_new_fields; /* |managed| differs from what is stored in more than a time */
    lw_str echoed; /* resourceVersion of an object that gets none, as it was sent; may be empty */
    bool is_stale; /* the stored object lacked defaults, so that it is never unchanged */
    bool is_copy;  /* is shown to others in the version of the request, and not stored */
    bool is_read;  /* both documents are in typed form, without zero values */
    bool is_sealed;
    bool has_admitted;       /* the stored object is LW_OBJECT_ADMITTED */
    lw_object_check checked; /* what is made of the sealed document */
    lw_object *made; /* of the sealed document, with a place for its revision; NULL: not yet */
    lw_str revision; /* the resourceVersion before it was sealed; may be empty */
    lw_status st;    /* the first failure outside of the trees */
} lw_pending_object;

/* Starts from a copy of |body|, an object of |kind|; |current| (may be NULL) is the stored object.
 * The copy shares the strings of |body|, which must outlive the pending object.  For a typed kind,
 * null members count as absent.  All work is charged to |budget| (NULL: no limit).  Call
 * lw_pending_object_done in any case.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_pending_object_open(lw_pending_object *pending, lw_api_port *port, const lw_kind *kind,
                                 lw_budget *budget, const lw_node *body, const lw_object *current);

/* Like lw_pending_object_open, for a stored object that is already parsed: |old|, which must
 * outlive the pending object. */
lw_status lw_pending_object_open_on(lw_pending_object *pending, lw_api_port *port,
                                    const lw_kind *kind, lw_budget *budget, const lw_node *body,
                                    lw_node *old);

/* Like lw_pending_object_open for a new object, without a copy if possible: the object in |body| is
 * changed, and lw_tree_reread gets back what was sent.  |is_typed|: it is in typed form
 * (lw_pending_object_read_typed).  Returns false in |*is_changed| if |body| stays as it is. */
lw_status lw_pending_object_open_inside(lw_pending_object *pending, lw_api_port *port,
                                        const lw_kind *kind, lw_budget *budget, lw_tree *body,
                                        bool is_typed, bool *is_changed);

/* For the update of |current| that a client has sent; |old| (NULL: is not parsed yet) is |current|
 * as a tree, which must outlive the pending object.  The spec and the status of a typed kind, if
 * they equal those of the stored object, are shared with it: a change in one of them changes both,
 * so that nobody sees it as a change (lw_pending_object_own_part).  If nobody looks into them, they
 * may stay what they are as text (stored_parts.h). */
lw_status lw_pending_object_open_update(lw_pending_object *pending, lw_api_port *port,
                                        const lw_kind *kind, lw_budget *budget, const lw_node *body,
                                        const lw_object *current, lw_tree *old);
void lw_pending_object_done(lw_pending_object *pending);

/* Returns true if the part |name| is that of the stored object, nobody has looked into it, and to
 * default and validate it again would change nothing and find nothing: then do not look. */
bool lw_pending_object_keeps_part(const lw_pending_object *pending, const char *name);

/* Returns the member |name| of the root, which is made if it is missing, for changes: if it is
 * shared with the stored object, it becomes a copy.  NULL: it is not an object, or the tree has
 * failed. */
lw_node *lw_pending_object_own_part(const lw_pending_object *pending, const char *name);

/* Whether the fields of the metadata have the right JSON types; if not, |why| says which one does
 * not, in Go's words. */
bool lw_pending_object_check_types(const lw_pending_object *pending, lw_buf *why);

/* Whether every value of a built-in kind has the type of its field; if not, |why| says which one
 * does not, or has failed.  For patches and applies: a whole object is checked as it was sent
 * (field_validation.h). */
bool lw_pending_object_check_values(const lw_pending_object *pending, lw_buf *why);

/* Converts the document and the stored one to the typed form that kube-apiserver would have decoded
 * (schema/validation/typed.h): only in that form can they be compared.  lw_pending_object_seal
 * converts the document back; the stored one stays in that form. */
void lw_pending_object_read_typed(lw_pending_object *pending);

/* Sorts all members as Kubernetes writes them, and removes empty members and those that a client
 * may not set.  Does nothing if it is sealed. */
void lw_pending_object_seal(lw_pending_object *pending);

/* Returns true if the sealed object equals the stored one. */
bool lw_pending_object_is_unchanged(const lw_pending_object *pending);

/* Makes the object in the version it is stored in, which may take the tree of the sealed document
 * apart.  |has_revision|: with a place for its resourceVersion.  LW_ERR_NOMEM,
 * LW_ERR_LIMIT. */
lw_status lw_pending_object_take(const lw_pending_object *pending, bool has_revision,
                                 lw_object **out);

/* What lw_pending_object_show leaves out; bits. */
enum {
    LW_SHOW_WITHOUT_IDENTITY = 1 << 0, /* what the server gives to a new object: uid, time */
    LW_SHOW_WITHOUT_NAME = 1 << 1,
};

/* Appends the document as |as| shows it, without changing it: as admission webhooks see it.  |as|
 * is the kind, or one that shows the same stored objects.  |left_out| are LW_SHOW_ bits.
 * LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_pending_object_show(const lw_pending_object *pending, const lw_kind *as,
                                 unsigned left_out, lw_buf *out);

/* Like lw_pending_object_show without LW_SHOW_ bits, for a document that does not change any more:
 * if possible it is sealed now, and not a copy of it. */
lw_status lw_pending_object_show_sealed(lw_pending_object *pending, const lw_kind *as, lw_buf *out);

/* Makes the pending object independent of the documents it was opened with.  LW_ERR_NOMEM,
 * LW_ERR_LIMIT. */
lw_status lw_pending_object_keep(lw_pending_object *pending);

/* Replaces the document by |tree|, which it takes, even on error: what lw_pending_object_show has
 * shown as |as|, changed.  managedFields that cannot be read stay as they were, and |managers| (may
 * be NULL) says what is wrong with them.  After lw_pending_object_keep.  LW_ERR_INVALID: a value
 * has not the type of its field: |why|; LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_pending_object_replace(lw_pending_object *pending, const lw_kind *as, lw_tree *tree,
                                    lw_buf *why, lw_buf *managers);

/* Prunes and defaults a custom resource by its schema; does nothing for others. */
void lw_pending_object_shape(const lw_pending_object *pending);

/* Frees the tree, unless it is somebody else's. */
void lw_pending_object__drop_tree(lw_pending_object *pending);

/* Returns the name of member |i| of metadata in the order in which they are written; empty after
 * the last. */
lw_str lw_pending_object__metadata_name(size_t i);

/* Writes the sealed |pending|, whose document is |root| now: see lw_pending_object_take.
 * |api_version| replaces its own, unless it is empty. */
void lw_pending_object__write(const lw_pending_object *pending, const lw_node *root,
                              bool has_revision, lw_str api_version, lw_json_writer *w);

/* Returns the schema to which the document is pruned before it is stored, because the storage
 * version of a custom resource is another one and no webhook converts it; NULL: none. */
const struct lw_structural *lw_pending_object__storage_schema(const lw_pending_object *pending);

/* Begins |part| of the work.  |visits_all|: charges for a visit of the whole object.  False: the
 * budget is over, and the tree has failed with LW_ERR_LIMIT. */
bool lw_pending_object_begin(lw_pending_object *pending, lw_budget_part part, bool visits_all);

/* Returns the first failure: LW_ERR_NOMEM, LW_ERR_LIMIT, LW_ERR_IO. */
lw_status lw_pending_object_state(const lw_pending_object *pending);

/* Records a failure from outside of the trees; LW_OK does nothing. */
void lw_pending_object_note(lw_pending_object *pending, lw_status st);

#endif
