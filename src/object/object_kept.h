/* SPDX-License-Identifier: Apache-2.0 */
/* object_kept.h -- data attached to an object: strings decoded on demand, and another form of it.
 *
 * It is a list that only grows at its head until the object is freed.  Invariant: there is at most
 * one string per position in the JSON and at most one form, so that repeated reads need no more
 * memory.  It is lock-free: a thread that loses the race to attach a node frees its own and uses
 * the winner's. */
#ifndef LW_OBJECT_OBJECT_KEPT_H
#define LW_OBJECT_OBJECT_KEPT_H

#include "object/object.h"

struct lw_object_string_node {
    lw_object_string_node *next; /* does not change after the node is attached */
    uint32_t at;                 /* of the opening quote in the JSON */
    uint32_t len;                /* decoded bytes, without the terminator */
    char text[];
};

/* Return the attached list of |obj|, and the node of the string at |at| in it; NULL: none. */
lw_object_string_node *lw_object__kept(const lw_object *obj);
const lw_object_string_node *lw_object__find_kept(const lw_object_string_node *head, uint32_t at);

/* Attaches |node| to |obj|, whose list was |head| when it had no such node; frees it if another
 * thread was faster.  Returns the attached node. */
const lw_object_string_node *lw_object__hang(const lw_object *obj, lw_object_string_node *node,
                                             lw_object_string_node *head);

/* Decodes |quoted|, the text of a string inside the JSON of |obj|; the result is attached to the
 * object.  LW_ERR_NOMEM. */
lw_status lw_object__decode(const lw_object *obj, lw_str quoted, lw_str *out);

/* Return the JSON |value| as a number or a boolean; |fallback| if it is neither. */
int64_t lw_object__int_or(lw_str value, int64_t fallback);
bool lw_object__bool_or(lw_str value, bool fallback);

#endif
