/* SPDX-License-Identifier: Apache-2.0 */
/* store_lmdb_test.c -- the store suite on the durable store. */
#include "base/alloc.h"
#include "store/lmdb/lmdb.h"
#include "suite/store_place.h"
#include "suite/store_suite.h"

static void *place_new(void)
{
    store_place *place = lw_alloc_zero(1, sizeof(*place));
    if (place)
        store_place_make(place);
    return place;
}

static void place_free(void *place)
{
    store_place_remove(place);
    lw_free(place);
}

static lw_status place_open(void *place, const lw_history_options *history, const lw_clock *clock,
                            lw_store **out, lw_error *err)
{
    lw_lmdb_store_options options = { .folder = ((store_place *)place)->folder,
                                      .history = *history,
                                      .clock = clock };
    return lw_lmdb_store_open(out, &options, err);
}

int main(void)
{
    const store_backend lmdb = {
        .name = "store/lmdb",
        .place_new = place_new,
        .place_free = place_free,
        .open = place_open,
        .is_durable = true,
    };
    return store_suite_run(&lmdb);
}
