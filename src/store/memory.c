/* SPDX-License-Identifier: Apache-2.0 */
/* memory.c -- the in-memory store. */
#include "store/memory.h"

#include "base/alloc.h"
#include "base/error.h"
#include "store/memory_engine.h"
#include "store/writer.h"

typedef struct memory_store {
    lw_store_writer writer;
    lw_memory_engine engine;
} memory_store;

static lw_status memory_range(lw_store *store, const lw_store_range *range, lw_store_record_fn fn,
                              void *arg, lw_store_range_result *result, lw_error *err)
{
    return lw_memory_engine_range(&((memory_store *)store)->engine, range, fn, arg, result, err);
}

static size_t memory_bytes(lw_store *store)
{
    return lw_memory_engine_bytes(&((memory_store *)store)->engine);
}

static void memory_done(memory_store *memory)
{
    lw_store_writer_done(&memory->writer);
    lw_memory_engine_done(&memory->engine);
    lw_free(memory);
}

static void memory_free(lw_store *store)
{
    memory_store *memory = (memory_store *)store;
    lw_store_writer_stop(&memory->writer);
    memory_done(memory);
}

static const lw_store_ops memory_ops = {
    .submit = lw_store_writer_submit,
    .hold = lw_store_writer_hold,
    .range = memory_range,
    .watch = lw_store_writer_watch,
    .unwatch = lw_store_writer_unwatch,
    .compact = lw_store_writer_compact,
    .revisions = lw_store_writer_revisions,
    .bytes = memory_bytes,
    .condition = lw_store_writer_condition,
    .free = memory_free,
};

lw_status lw_memory_store_new(lw_store **out, const lw_memory_store_options *options, lw_error *err)
{
    memory_store *memory = lw_alloc_zero(1, sizeof(*memory));
    if (!memory)
        return lw_error_nomem(err);
    lw_memory_engine_init(&memory->engine);
    lw_store_writer_options writer_options = { .ops = &memory_ops,
                                               .engine = &memory->engine.engine };
    if (options) {
        writer_options.history = options->history;
        writer_options.clock = options->clock;
        memory->engine.engine.space.limit = options->limit_bytes;
    }
    if (lw_store_writer_init(&memory->writer, &writer_options) < 0) {
        lw_memory_engine_done(&memory->engine);
        lw_free(memory);
        return lw_error_nomem(err);
    }
    lw_status st = lw_store_writer_start(&memory->writer, err);
    if (st < 0) {
        memory_done(memory);
        return st;
    }
    *out = &memory->writer.store;
    return LW_OK;
}
