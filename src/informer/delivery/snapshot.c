/* SPDX-License-Identifier: Apache-2.0 */
/* snapshot.c -- the objects of one moment: a list from the cache, or the first list itself. */
#include "informer/delivery/snapshot.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/ref.h"
#include "base/str.h"

struct lw_snapshot {
    lw_ref refs;
    lw_object_list *list;
    lw_replacement *replacement; /* used if |list| is NULL */
};

lw_status lw_snapshot_new_empty(lw_snapshot **out)
{
    lw_snapshot *snapshot = lw_alloc_zero(1, sizeof(*snapshot));
    if (!snapshot)
        return LW_ERR_NOMEM;
    lw_ref_init(&snapshot->refs);
    *out = snapshot;
    return LW_OK;
}

lw_status lw_snapshot_new(lw_snapshot **out, const lw_indexer *indexer)
{
    lw_snapshot *snapshot = NULL;
    lw_status st = lw_snapshot_new_empty(&snapshot);
    if (st < 0)
        return st;
    st = lw_indexer_select(indexer, LW_STR(""), NULL, &snapshot->list, NULL);
    if (st < 0) {
        lw_snapshot_unref(snapshot);
        return st;
    }
    *out = snapshot;
    return LW_OK;
}

void lw_snapshot_set_take(lw_snapshot *snapshot, lw_replacement *replacement)
{
    assert(!snapshot->list && !snapshot->replacement);
    snapshot->replacement = replacement;
}

lw_snapshot *lw_snapshot_ref(lw_snapshot *snapshot)
{
    lw_ref_inc(&snapshot->refs);
    return snapshot;
}

void lw_snapshot_unref(lw_snapshot *snapshot)
{
    if (!snapshot || !lw_ref_dec(&snapshot->refs))
        return;
    lw_object_list_free(snapshot->list);
    lw_replacement_free(snapshot->replacement);
    lw_free(snapshot);
}

size_t lw_snapshot_count(const lw_snapshot *snapshot)
{
    if (snapshot->list)
        return lw_object_list_count(snapshot->list);
    return snapshot->replacement ? lw_replacement_count(snapshot->replacement) : 0;
}

const lw_object *lw_snapshot_at(const lw_snapshot *snapshot, size_t index)
{
    return snapshot->list ? lw_object_list_at(snapshot->list, index)
                          : lw_replacement_at(snapshot->replacement, index);
}
