/* SPDX-License-Identifier: Apache-2.0 */
/* apply.h -- updates managedFields for a write.  An update gives its manager the fields that it
 * changed; an apply also merges the configuration into the object.
 *
 * Pure functions.  They make all nodes in the tree of the managers. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_APPLY_H
#define LW_SCHEMA_MANAGEDFIELDS_APPLY_H

#include "schema/managedfields/field_walk.h"
#include "schema/managedfields/managed_fields.h"
#include "schema/types/type.h"

typedef struct lw_field_write {
    const lw_type *type;    /* of the object; NULL: unknown */
    lw_manager manager;     /* its name, operation and time; without fields */
    const lw_node *ignored; /* set: fields that this kind of request cannot change; NULL: none */
} lw_field_write;

/* Records that |write| changed |live| (NULL: there was no object) to |next|.  If |live| has no
 * managedFields, nothing is recorded.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_managers_update(lw_managers *managers, const lw_field_write *write,
                             const lw_node *live, const lw_node *next);

/* The steps of an update, for callers that need the changes.  First, compare: */
lw_status lw_field_write_compare(lw_tree *tree, const lw_field_write *write, const lw_node *live,
                                 const lw_node *next, lw_field_changes *changes);

/* Gives the changed fields to the manager of |write|, whose entry then has its time, and takes what
 * has changed from the others.  |*has_new|: an entry has changed in more than its time.  The
 * entries were read by lw_managers_read_as_is; those that lose nothing stay as they are, and
 * closed. False: the entries must be read as a whole, because there are too many or some are not as
 * this server writes them, or the tree has failed; then they are undefined. */
bool lw_managers_note_stored(lw_managers *managers, const lw_field_write *write,
                             const lw_field_changes *changes, bool *has_new);

/* Gives the changed fields to the manager of |write|.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_managers_note(lw_managers *managers, const lw_field_write *write,
                           const lw_field_changes *changes);

/* An apply: its input and its result. */
typedef struct lw_apply {
    const lw_node *live;    /* NULL: the object does not exist */
    const lw_node *config;  /* the applied configuration */
    const lw_node *allowed; /* set: fields that may be taken from other managers without a conflict;
                               NULL: none */
    bool is_forced;         /* takes all fields without conflicts */

    lw_node
        *merged; /* the resulting object without managedFields and without zeros that Go omits */
    lw_node *conflicts; /* on LW_ERR_CONFLICT: an array of {"manager":"\"kubectl\" using
                           v1","fields":[".data.key"]} */
    bool is_same;       /* the object is unchanged */
} lw_apply;

/* Applies the configuration and updates the managers.  LW_ERR_CONFLICT: other managers own fields
 * with other values; LW_ERR_NOMEM, LW_ERR_LIMIT.  On failure the managers are undefined. */
lw_status lw_managers_apply(lw_managers *managers, const lw_field_write *write, lw_apply *apply);

#endif
