/* SPDX-License-Identifier: Apache-2.0 */
/* load_batch.h -- some records of a resource that is loaded, and the objects that they become.
 *
 *     add ──▶ records ──make──▶ packed objects ──put──▶ the resource
 *
 * Nothing of the resource is touched before the put, so several threads can make the objects of
 * several batches, each with a maker of its own. */
#ifndef LW_CACHE_LOAD_BATCH_H
#define LW_CACHE_LOAD_BATCH_H

#include "base/buf.h"
#include "cache/packing.h"
#include "cache/value_parser.h"

enum {
    LW_LOAD_BATCH = 256,                   /* objects */
    LW_LOAD_BATCH_BYTES = 1 * 1024 * 1024, /* of their text: a batch that has more is full */
};

/* What a thread needs to make objects.  It must not move. */
typedef struct lw_load_maker {
    lw_value_parser parser;
    lw_packing_list packing;
} lw_load_maker;

typedef struct lw_load_batch {
    lw_buf text; /* key and value of each record, one after the other */
    size_t count;
    size_t saved_bytes;  /* of the objects that were made already, as if none were packed */
    size_t bytes_before; /* of the records and saved objects in the batches before */
    size_t made;         /* the first ones, which have become objects; if these are not all, ... */
    lw_error failure;    /* ... why not */
    bool is_made;        /* for the user */
    struct {
        size_t key_len, value_len;
        uint64_t revision;
        bool is_stale;
        bool is_saved;     /* it was made already */
        lw_object *kept;   /* of those that were made: as the index keeps it, a reference */
        lw_object *opened; /* if the resource is observed: as it was before, a reference */
    } entries[LW_LOAD_BATCH];
} lw_load_batch;

/* LW_ERR_NOMEM. */
lw_status lw_load_maker_init(lw_load_maker *maker, lw_error *err);
void lw_load_maker_done(lw_load_maker *maker); /* accepts a zeroed one */

lw_load_batch *lw_load_batch_new(void); /* NULL: out of memory */
void lw_load_batch_free(lw_load_batch *batch);

/* Removes everything. */
void lw_load_batch_empty(lw_load_batch *batch);

/* Copies |record|; the batch must not be full.  LW_ERR_NOMEM. */
lw_status lw_load_batch_add(lw_load_batch *batch, const lw_store_record *record, lw_error *err);

/* As lw_load_batch_add for the record with |key|, which |obj| was made of; takes |obj|, also on
 * failure. */
lw_status lw_load_batch_add_saved_take(lw_load_batch *batch, lw_str key, lw_object *obj,
                                       lw_error *err);
bool lw_load_batch_is_full(const lw_load_batch *batch);

/* Makes the objects, up to one that cannot be made.  Any thread. */
void lw_load_batch_make(lw_load_batch *batch, lw_load_maker *maker,
                        const lw_cache_resource *resource);

/* Puts the objects that were made into |resource|, up to one that cannot be put, and empties the
 * batch.  LW_ERR_NOMEM; LW_ERR_INVALID: a value is not an object, or not that of its key. */
lw_status lw_load_batch_put(lw_load_batch *batch, lw_cache_resource *resource, lw_error *err);

#endif
