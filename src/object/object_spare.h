/* SPDX-License-Identifier: Apache-2.0 */
/* object_spare.h -- the block of an object that its user did not keep, for the next object.
 *
 * The user of a list often keeps another form of an object (object/compact) or nothing.  Allocating
 * and freeing a block for each of them costs more than filling it, and tears the heap.
 *
 * One thread at a time, that of the reader; the objects may be kept and freed by any. */
#ifndef LW_OBJECT_OBJECT_SPARE_H
#define LW_OBJECT_OBJECT_SPARE_H

#include "object/object.h"

/* All zero: none. */
struct lw_object_spare {
    lw_object *block; /* NULL: none */
    lw_object *made;  /* the last object, which may be freed already; NULL: none */
    size_t size;      /* of its block */
};

/* Returns memory for an object of |size| bytes; NULL: out of memory.  |spare| may be NULL. */
lw_object *lw_object__spare_alloc(lw_object_spare *spare, size_t size);

/* Releases a reference to |obj|, the last object whose memory came from |spare|; if it was the last
 * reference, the block may become the spare one. */
void lw_object__spare_unref(lw_object_spare *spare, lw_object *obj);

void lw_object__spare_done(lw_object_spare *spare);

#endif
