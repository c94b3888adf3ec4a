/* SPDX-License-Identifier: Apache-2.0 */
/* apply.h -- what a write means for those who manage the fields of an object: of an update, that
 * its manager has what it changed; of an apply, what becomes of the object too.
 *
 * Pure functions.  All nodes they make are of the tree of the managers. */
#ifndef LW_SCHEMA_MANAGEDFIELDS_APPLY_H
#define LW_SCHEMA_MANAGEDFIELDS_APPLY_H

#include "schema/managedfields/field_walk.h"
#include "schema/managedfields/managed_fields.h"
#include "schema/types/type.h"

typedef struct lw_field_write {
    const lw_type *type;    /* of the object; NULL: not known */
    lw_manager manager;     /* who, by what, when; without fields */
    const lw_node *ignored; /* set: what this way of writing cannot change; NULL: nothing */
} lw_field_write;

/* Notes that |write| made |next| of |live| (NULL: of nothing).  An object of which nobody noted who
 * made it is left so.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_managers_update(lw_managers *managers, const lw_field_write *write,
                             const lw_node *live, const lw_node *next);

/* The same in steps, for those who look at the changes.  First, what changes: */
lw_status lw_field_write_compare(lw_tree *tree, const lw_field_write *write, const lw_node *live,
                                 const lw_node *next, lw_field_changes *changes);

/* True when the managers have all that changes already, and others none of it: then nothing but
 * the time of |write|'s manager is new, and noted.  False: nothing is noted. */
bool lw_managers_touch(lw_managers *managers, const lw_field_write *write,
                       const lw_field_changes *changes);

/* Notes the changes.  LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_managers_note(lw_managers *managers, const lw_field_write *write,
                           const lw_field_changes *changes);

/* An apply: what is wanted, and what comes of it. */
typedef struct lw_apply {
    const lw_node *live;    /* NULL: there is no object yet */
    const lw_node *config;  /* what is applied */
    const lw_node *allowed; /* set: fields that are taken over without asking; NULL: none */
    bool is_forced;         /* takes over all */

    lw_node *merged;    /* the object as it shall be, managedFields aside: without zeros that
                           Go leaves out */
    lw_node *conflicts; /* when it fails with LW_ERR_CONFLICT: an array of
                           {"manager":"\"kubectl\" using v1","fields":[".data.key"]} */
    bool is_same;       /* the object stays as it is */
} lw_apply;

/* Applies, and notes who has what now.  LW_ERR_CONFLICT: others have set fields to something else;
 * LW_ERR_NOMEM, LW_ERR_LIMIT.  On failure the managers are undefined. */
lw_status lw_managers_apply(lw_managers *managers, const lw_field_write *write, lw_apply *apply);

#endif
