/* SPDX-License-Identifier: Apache-2.0 */
/* store_open.c -- the store that a server's options ask for. */
#include "server/store_open.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "server/files.h"
#include "store/lmdb.h"
#include "store/memory.h"

static lw_history_options history_of(const lw_server_options *options)
{
    return (lw_history_options){
        .max_bytes = (size_t)options->history_bytes,
        .max_age_ns = options->history_age_s * LW_NS_PER_S,
    };
}

static lw_status open_durable(lw_store **out, const lw_server_options *options, lw_error *err)
{
    lw_status st = lw_folder_make(options->data_dir, err);
    if (st < 0)
        return st;
    char *folder = lw_file_path(options->data_dir, "store");
    if (!folder)
        return lw_error_nomem(err);
    const lw_lmdb_store_options wanted = {
        .folder = folder,
        .history = history_of(options),
        .logger = options->logger,
    };
    st = lw_lmdb_store_open(out, &wanted, err);
    lw_free(folder);
    return st;
}

lw_status lw_server_open_store(lw_store **out, const lw_server_options *options, lw_error *err)
{
    if (options->data_dir)
        return open_durable(out, options, err);
    const lw_memory_store_options wanted = { .history = history_of(options) };
    return lw_memory_store_new(out, &wanted, err);
}
