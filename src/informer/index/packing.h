/* SPDX-License-Identifier: Apache-2.0 */
/* packing.h -- when the objects of an informer are packed (object/compact).
 *
 * The objects of a list are packed while it arrives, so that it never is in memory as a whole.
 * Changed objects stay as they are until LW_PACKING_REST_S have passed since the first change: an
 * object that changes often is packed at most once in that time, and handlers get unpacked ones.
 * Then a sweep over the cache packs them, a few in each turn.  One thread at a time. */
#ifndef LW_INFORMER_INDEX_PACKING_H
#define LW_INFORMER_INDEX_PACKING_H

#include <listwatch/sys/clock.h>

#include "informer/index/indexer.h"
#include "object/compact/compact.h"

enum {
    LW_PACKING_AUTO_OBJECTS = 1000, /* smaller caches are not worth it */
    LW_PACKING_REST_S = 30,
};

typedef struct lw_packing {
    lw_compact_mode mode;
    lw_compact *compact; /* NULL: nothing was packed yet */
    uint64_t swept;      /* the number of changes when the last sweep began */
    int64_t due_ns;      /* when the next sweep begins; LW_NEVER_NS: nothing has changed */
    size_t place;        /* of the sweep */
    bool is_sweeping;
} lw_packing;

void lw_packing_init(lw_packing *packing, lw_compact_mode mode);
void lw_packing_done(lw_packing *packing);

/* Returns how objects are packed; LW_COMPACT_OFF: how packed ones are read. */
lw_compact_options lw_packing_options(lw_compact_mode mode);

/* Goes on with |packer|, which has packed the objects of the cache; takes it.  NULL does nothing.
 */
void lw_packing_adopt_take(lw_packing *packing, lw_compact *packer);

/* Returns |obj|, which is in a list after |count| others, packed or not; with a reference. */
lw_object *lw_packing_pack(lw_packing *packing, const lw_object *obj, size_t count);

/* Sweeps, if it is time; |changes| is the number of changes of |indexer| so far. */
void lw_packing_turn(lw_packing *packing, lw_indexer *indexer, uint64_t changes, int64_t now_ns);

/* Returns the time of the next lw_packing_turn; 0: now. */
int64_t lw_packing_deadline_ns(const lw_packing *packing);

#endif
