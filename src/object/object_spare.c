/* SPDX-License-Identifier: Apache-2.0 */
/* object_spare.c -- blocks that are used again.
 *
 * A block is larger than its object only after an object was not kept, because then the next one
 * is not likely to be; and never by more than a quarter, in case that it is. */
#include "object/object_spare.h"

#include "base/alloc.h"

enum {
    WASTE_PART = 4,
    ROOM_PART = 8, /* so much more than the object needs, for a next one that is larger */
};

lw_object *lw_object__spare_alloc(lw_object_spare *spare, size_t size)
{
    if (!spare)
        return lw_alloc(size);
    lw_object *obj = spare->block;
    if (!obj) {
        spare->size = size;
        obj = lw_alloc(size);
    } else if (size > spare->size || spare->size - size > size / WASTE_PART) {
        lw_free(obj);
        spare->size = size + size / ROOM_PART;
        obj = lw_alloc(spare->size);
    }
    spare->block = NULL;
    spare->made = obj;
    return obj;
}

void lw_object__spare_unref(lw_object_spare *spare, lw_object *obj)
{
    if (spare->made != obj || obj->is_packed) {
        lw_object_unref(obj);
        return;
    }
    spare->made = NULL;
    if (!lw_ref_dec(&obj->refs))
        return;
    lw_object__free_kept(obj);
    spare->block = obj;
}

void lw_object__spare_done(lw_object_spare *spare)
{
    lw_free(spare->block);
    *spare = (lw_object_spare){ 0 };
}
