/* SPDX-License-Identifier: Apache-2.0 */
/* object_kept.h -- what hangs on an object: strings decoded on demand, and another form of it.
 *
 * A list that only grows at its head, until the object is freed.  Invariant: of each place in the
 * JSON at most one string hangs there, and at most one form, so that asking again takes no memory.
 * Lock-free: who loses the race to hang something frees his own and takes the winner's. */
#ifndef LW_OBJECT_OBJECT_KEPT_H
#define LW_OBJECT_OBJECT_KEPT_H

#include "object/object.h"

struct lw_object_string_node {
    lw_object_string_node *next; /* does not change once the node hangs */
    uint32_t at;                 /* of the opening quote in the JSON */
    uint32_t len;                /* decoded bytes, without the terminator */
    char text[];
};

/* What hangs on |obj| now, and of that the node of the string at |at|; NULL: there is none. */
lw_object_string_node *lw_object__kept(const lw_object *obj);
const lw_object_string_node *lw_object__find_kept(const lw_object_string_node *head, uint32_t at);

/* Hangs |node| on |obj|, on which |head| hung when nothing of its place did; or frees it when
 * somebody was faster.  Returns the one that hangs. */
const lw_object_string_node *lw_object__hang(const lw_object *obj, lw_object_string_node *node,
                                             lw_object_string_node *head);

#endif
