/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_writer.c -- writes to a real etcd and retries when members fail. */
#include "support/etcd_writer.h"

#include <stdio.h>

enum {
    TRIES = 20,
};

static void note(const lw_etcd_txn_answer *answer, void *arg)
{
    *(uint64_t *)arg = answer->base.revision;
}

static uint64_t write_until_done(etcd_blocking *etcd, const lw_etcd_txn_request *request)
{
    uint64_t revision = 0;
    for (int i = 0; i < TRIES && revision == 0; i++) {
        lw_error err = LW_ERROR_INIT;
        if (etcd_blocking_txn(etcd, request, note, &revision, NULL, &err) < 0)
            fprintf(stderr, "# etcd: %s\n", err.message);
    }
    return revision;
}

uint64_t etcd_writer_put(etcd_blocking *etcd, const char *key, lw_str value)
{
    const lw_etcd_txn_request request = {
        .op = LW_ETCD_PUT, .key = lw_str_of(key), .value = value, .is_unguarded = true
    };
    return write_until_done(etcd, &request);
}

uint64_t etcd_writer_put_text(etcd_blocking *etcd, const char *key, const char *value)
{
    return etcd_writer_put(etcd, key, lw_str_of(value));
}

uint64_t etcd_writer_delete(etcd_blocking *etcd, const char *key)
{
    const lw_etcd_txn_request request = { .op = LW_ETCD_DELETE,
                                          .key = lw_str_of(key),
                                          .is_unguarded = true };
    return write_until_done(etcd, &request);
}
