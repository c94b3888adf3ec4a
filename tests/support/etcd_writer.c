/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_writer.c -- a client of etcd whose loop is turned until it is answered. */
#include "support/etcd_writer.h"

#include <stdio.h>

#include "base/str.h"

enum {
    TRIES = 20,
};

typedef struct outcome {
    bool is_here;
    uint64_t revision; /* 0: it failed */
} outcome;

bool etcd_writer_open(etcd_writer *writer, const char *endpoints)
{
    *writer = (etcd_writer){ .loop = NULL };
    return lw_loop_new(&writer->loop, NULL, NULL) == LW_OK &&
           lw_etcd_new(&writer->etcd, writer->loop, &(lw_etcd_options){ .endpoints = endpoints },
                       NULL) == LW_OK;
}

void etcd_writer_close(etcd_writer *writer)
{
    lw_etcd_free(writer->etcd);
    lw_loop_free(writer->loop);
}

static void note(const lw_etcd_answer *answer, void *arg)
{
    outcome *o = arg;
    o->is_here = true;
    o->revision = answer->err ? 0 : answer->revision;
    if (answer->err)
        fprintf(stderr, "etcd: %s\n", answer->err->message);
}

static void note_txn(const lw_etcd_txn_answer *answer, void *arg)
{
    note(&answer->base, arg);
}

static void await(etcd_writer *writer, const outcome *o)
{
    while (!o->is_here && lw_loop_turn(writer->loop, -1, NULL) == LW_OK)
        ;
}

static uint64_t write_until_done(etcd_writer *writer, const lw_etcd_txn_request *request)
{
    outcome o = { .revision = 0 };
    for (int i = 0; i < TRIES && o.revision == 0; i++) {
        o = (outcome){ .revision = 0 };
        if (lw_etcd_txn(writer->etcd, request, note_txn, &o, NULL) < 0)
            return 0;
        await(writer, &o);
    }
    return o.revision;
}

uint64_t etcd_writer_put(etcd_writer *writer, const char *key, lw_str value)
{
    const lw_etcd_txn_request request = {
        .op = LW_ETCD_PUT, .key = lw_str_of(key), .value = value, .is_unguarded = true
    };
    return write_until_done(writer, &request);
}

uint64_t etcd_writer_put_text(etcd_writer *writer, const char *key, const char *value)
{
    return etcd_writer_put(writer, key, lw_str_of(value));
}

uint64_t etcd_writer_delete(etcd_writer *writer, const char *key)
{
    const lw_etcd_txn_request request = { .op = LW_ETCD_DELETE,
                                          .key = lw_str_of(key),
                                          .is_unguarded = true };
    return write_until_done(writer, &request);
}

bool etcd_writer_compact(etcd_writer *writer, uint64_t revision)
{
    outcome o = { .revision = 0 };
    if (lw_etcd_compact(writer->etcd, revision, note, &o, NULL) < 0)
        return false;
    await(writer, &o);
    return o.revision > 0;
}
