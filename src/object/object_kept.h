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
    uint32_t at;                 /* of the opening quote in the JSON, or another key */
    uint32_t len;                /* decoded bytes, without the terminator */
    char text[];
};

/* Keys that are no positions in JSON; messages (object_message.h) are smaller than 1 << 29: the
 * form, whose text begins with its budget; ... */
#define LW_KEPT_FORM UINT32_MAX
/* ... a string in kept JSON, whose address comes first; ... */
#define LW_KEPT_ADDRESS (UINT32_MAX - 1)
/* ... the JSON of a message; ... */
#define LW_KEPT_WHOLE_JSON (UINT32_MAX - 2)
/* ... the body of a packed object; ... */
#define LW_KEPT_BODY (UINT32_MAX - 3)
/* ... the packed copy of an object, whose address comes first; ... */
#define LW_KEPT_PACKED (UINT32_MAX - 4)
/* ... and the JSON of the value |at| of a message. */
#define LW_KEPT_JSON_OF(at) ((at) | UINT32_C(1) << 31)

/* Returns the kept text with key |at|, which has no address; false: none. */
bool lw_object__find_text(const lw_object *obj, uint32_t at, lw_str *out);

/* Keeps a copy of |text| with key |at|, unless there is one; |*out| is what is kept.
 * LW_ERR_NOMEM. */
LW_MUST_CHECK lw_status lw_object__keep_text(const lw_object *obj, uint32_t at, lw_str text,
                                             lw_str *out);

/* Keeps a reference to |packed| with |obj|, unless it has one; NULL: it cannot be packed.  Without
 * memory nothing is kept. */
void lw_object__keep_packed(const lw_object *obj, const lw_object *packed);

/* Sets |*packed| to what was kept, borrowed; false: nothing. */
bool lw_object__find_packed(const lw_object *obj, lw_object **packed);

/* Decodes |quoted|, the text of a string inside the JSON of |obj| or inside kept JSON; the result
 * is attached to the object.  LW_ERR_NOMEM. */
lw_status lw_object__decode(const lw_object *obj, lw_str quoted, lw_str *out);

/* Return the JSON |value| as a number or a boolean; |fallback| if it is neither. */
int64_t lw_object__int_or(lw_str value, int64_t fallback);
bool lw_object__bool_or(lw_str value, bool fallback);

#endif
