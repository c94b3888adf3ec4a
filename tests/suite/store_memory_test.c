/* SPDX-License-Identifier: Apache-2.0 */
/* store_memory_test.c -- the store suite on the memory store. */
#include "base/alloc.h"
#include "store/memory.h"
#include "suite/store_suite.h"

static void *place_new(void)
{
    return lw_alloc(1);
}

static lw_status place_open(void *place, const lw_history_options *history, const lw_clock *clock,
                            lw_store **out, lw_error *err)
{
    (void)place;
    lw_memory_store_options options = { .history = *history, .clock = clock };
    return lw_memory_store_new(out, &options, err);
}

int main(void)
{
    const store_backend memory = {
        .name = "store/memory",
        .place_new = place_new,
        .place_free = lw_free,
        .open = place_open,
    };
    return store_suite_run(&memory);
}
