/* SPDX-License-Identifier: Apache-2.0 */
/* stored_parts.h -- the spec and the status of a stored object, which most writes do not change, as
 * closed objects (json/tree.h): their text is stored again without being read.
 *
 *     parse ─▶ CLOSED ──match──▶ shared by both documents ──defer──▶ UNREAD ──settle──▶ CLOSED, to
 *                 │                                                    │                be written
 *                 └──────── the client has sent another ──▶ OPEN ◀─────┘ somebody looks at a member
 *
 * The stored text has what Go always writes (schema/validation/typed.h: the written form), but a
 * pending object is worked on as Go has read it.  So an UNREAD part is read when it is opened:
 * nobody ever sees a part in the written form between defer and settle.  Only the text of an object
 * that this process has written itself is known to be what reading and writing it would make of it
 * (lw_object_check); the parts of others are parsed and written anew. */
#ifndef LW_API_PENDING_STORED_PARTS_H
#define LW_API_PENDING_STORED_PARTS_H

#include <listwatch/object.h>

#include "base/budget.h"
#include "schema/kinds/kind.h"
#include "schema/types/type.h"
#include "json/tree.h"

enum {
    LW_STORED_PARTS = 2, /* spec, status */
};

/* Returns true for the name of a part. */
bool lw_stored_parts_has(lw_str name);

/* Writes the names of the parts of |current|, an object of |kind|, that can stay closed, to
 * |parts|; returns their number. */
size_t lw_stored_parts_list(const lw_kind *kind, const lw_object *current,
                            lw_tree_part parts[LW_STORED_PARTS]);

/* The same with their texts, which live as long as |current|; of those that it has. */
size_t lw_stored_parts_find(const lw_kind *kind, const lw_object *current,
                            lw_tree_part parts[LW_STORED_PARTS]);

/* Parses |current|; |parts|, some of those that lw_stored_parts_list returns, stay closed.
 * LW_ERR_NOMEM, LW_ERR_LIMIT. */
lw_status lw_stored_parts_parse(const lw_object *current, const lw_tree_part *parts, size_t count,
                                lw_budget *budget, lw_tree **out);

/* Sets |*is_same| if |sent| is written like |stored| (may be NULL): then |stored| can be shared,
 * and stays closed if both are closed or one node.  Otherwise both are open.  LW_ERR_NOMEM,
 * LW_ERR_LIMIT: one of them cannot be opened. */
LW_MUST_CHECK lw_status lw_stored_parts_match(lw_node *sent, lw_node *stored, lw_budget *budget,
                                              bool *is_same);

/* From now on the closed parts of |root|, an object of |type|, are read when they are opened. */
void lw_stored_parts_defer(const lw_type *type, const lw_node *root);

/* From now on the closed parts of |root| are their texts again. */
void lw_stored_parts_settle(const lw_node *root);

/* Opens the closed parts of |root|, for somebody who has no stored object to share them with.
 * LW_ERR_NOMEM, LW_ERR_LIMIT. */
LW_MUST_CHECK lw_status lw_stored_parts_open(const lw_node *root);

#endif
