/* SPDX-License-Identifier: Apache-2.0 */
/* packing.c -- packs the objects of lists, and sweeps over the cache. */
#include "informer/index/packing.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/sync.h"

enum {
    FAST_PART = 2, /* of an object: more than that is not packed at all */
};

lw_compact_options lw_packing_options(lw_compact_mode mode)
{
    return (lw_compact_options){ .keeps_open = mode == LW_COMPACT_AUTO,
                                 .fast_part = mode == LW_COMPACT_AUTO ? FAST_PART : 0 };
}

void lw_packing_init(lw_packing *packing, lw_compact_mode mode)
{
    *packing = (lw_packing){ .mode = mode, .due_ns = LW_NEVER_NS };
}

void lw_packing_done(lw_packing *packing)
{
    lw_compact_close(packing->compact);
    packing->compact = NULL;
}

void lw_packing_adopt_take(lw_packing *packing, lw_compact *packer)
{
    if (packing->compact || packing->mode == LW_COMPACT_OFF)
        lw_compact_close(packer);
    else
        packing->compact = packer;
}

/* Returns true if objects of a cache of |count| objects are packed.  Without memory they are not.
 */
static bool is_wanted(lw_packing *packing, size_t count)
{
    const lw_compact_options options = lw_packing_options(packing->mode);
    if (packing->mode == LW_COMPACT_OFF)
        return false;
    if (packing->mode == LW_COMPACT_AUTO && count < LW_PACKING_AUTO_OBJECTS)
        return false;
    return packing->compact || lw_compact_new(&packing->compact, &options) == LW_OK;
}

lw_object *lw_packing_pack(lw_packing *packing, const lw_object *obj, size_t count)
{
    if (!is_wanted(packing, count))
        return lw_object_ref(obj);
    return lw_compact_pack(packing->compact, obj);
}

static void begin_if_due(lw_packing *packing, const lw_indexer *indexer, uint64_t changes,
                         int64_t now_ns)
{
    if (packing->due_ns == LW_NEVER_NS && changes != packing->swept) {
        packing->due_ns = now_ns + LW_PACKING_REST_S * LW_NS_PER_S;
        return;
    }
    if (now_ns < packing->due_ns)
        return;
    packing->due_ns = LW_NEVER_NS;
    packing->swept = changes;
    packing->place = 0;
    packing->is_sweeping = is_wanted(packing, lw_indexer_count(indexer));
}

void lw_packing_turn(lw_packing *packing, lw_indexer *indexer, uint64_t changes, int64_t now_ns)
{
    if (packing->mode == LW_COMPACT_OFF)
        return;
    if (!packing->is_sweeping)
        begin_if_due(packing, indexer, changes, now_ns);
    if (packing->is_sweeping)
        packing->is_sweeping = lw_indexer_pack(indexer, packing->compact, &packing->place);
}

int64_t lw_packing_deadline_ns(const lw_packing *packing)
{
    return packing->is_sweeping ? 0 : packing->due_ns;
}
