/* SPDX-License-Identifier: Apache-2.0 */
/* store_open.c -- opens the store of a server. */
#include "server/setup/store_open.h"

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/file/files.h"
#include "base/str.h"
#include "server/offline/store_folder.h"
#include "server/setup/data_dir.h"
#include "store/etcd.h"
#include "store/lmdb/lmdb.h"
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
    lw_status st = lw_data_dir_open(options->data_dir, err);
    if (st < 0)
        return st;
    char *folder = lw_file_path(options->data_dir, LW_SERVER_STORE_FOLDER);
    if (!folder)
        return lw_error_nomem(err);
    const lw_lmdb_store_options wanted = {
        .folder = folder,
        .history = history_of(options),
        .limit_bytes = options->store_bytes ? options->store_bytes : LW_SERVER_STORE_BYTES,
        .logger = options->logger,
    };
    st = lw_lmdb_store_open(out, &wanted, err);
    lw_free(folder);
    return st;
}

void lw_server_append_key_prefix(const lw_server_options *options, lw_buf *out)
{
    lw_str wanted = lw_str_of(options->etcd_prefix ? options->etcd_prefix : "/registry/");
    if (!lw_str_starts_with(wanted, LW_STR("/")))
        lw_buf_append_char(out, '/');
    lw_buf_append_str(out, wanted);
    if (out->len > 1 && !lw_str_ends_with(wanted, LW_STR("/")))
        lw_buf_append_char(out, '/');
}

/* Locks the data directory: it does not contain the store, but keys and certificates. */
static lw_status own_folder(const lw_server_options *options, lw_lmdb_owner *lock, lw_error *err)
{
    if (!options->data_dir)
        return LW_OK;
    lw_status st = lw_data_dir_open(options->data_dir, err);
    return st < 0 ? st : lw_lmdb_folder_own(options->data_dir, lock, err);
}

static lw_status open_etcd(lw_store **out, const lw_server_options *options, lw_error *err)
{
    lw_buf prefix;
    lw_buf_init(&prefix, LW_STORE_KEY_MAX);
    lw_server_append_key_prefix(options, &prefix);
    lw_status st = prefix.st;
    char *text = lw_buf_take_text(&prefix);
    if (!text) {
        lw_buf_done(&prefix);
        return st == LW_ERR_LIMIT
                   ? lw_error_set(err, LW_ERR_INVALID, "the etcd key prefix is too long")
                   : lw_error_nomem(err);
    }
    const lw_store_etcd_options wanted = {
        .endpoints = options->etcd_endpoints,
        .ca_file = options->etcd_ca_file,
        .cert_file = options->etcd_cert_file,
        .key_file = options->etcd_key_file,
        .user = options->etcd_user,
        .password = options->etcd_password,
        .prefix = text,
        .compact_s = options->history_age_s,
        .logger = options->logger,
    };
    st = lw_store_etcd_open(out, &wanted, err);
    lw_free(text);
    return st;
}

lw_status lw_server_open_store(lw_store **out, const lw_server_options *options,
                               lw_lmdb_owner *lock, lw_error *err)
{
    if (options->etcd_endpoints) {
        lw_status st = own_folder(options, lock, err);
        return st < 0 ? st : open_etcd(out, options, err);
    }
    if (options->data_dir)
        return open_durable(out, options, err);
    const lw_memory_store_options wanted = { .history = history_of(options),
                                             .limit_bytes = options->store_bytes };
    return lw_memory_store_new(out, &wanted, err);
}
