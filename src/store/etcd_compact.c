/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_compact.c -- compacts the history in turns with the other servers, like kube-apiserver.
 *
 * In each round, every server tries to set the key to the revision of the previous round, guarded
 * by the key's version that it saw last.  One of them succeeds and compacts; the others get the new
 * version.  So the history covers one to two rounds, regardless of the number of servers. */
#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "store/etcd_internal.h"

static void compact_later(lw_etcd_store *store)
{
    int64_t next = lw_loop_now(store->loop) + store->compact_s * LW_NS_PER_S;
    if (lw_timer_set(store->loop, &store->compact_timer, next) < 0)
        lw_log(store->logger, LW_LOG_ERROR, "store", "out of memory: etcd is no longer compacted");
}

/* Reads the value of the key, the revision to which its writer compacts. */
static void note_value(lw_etcd_store *store, lw_str value)
{
    uint64_t revision;
    if (lw_str_to_uint64(value, &revision) && revision <= lw_etcd_store_told(store))
        lw_etcd_store_compacted(store, revision);
}

void lw_etcd_compact_noticed(lw_etcd_store *store, const lw_etcd_event *event)
{
    if (!event->is_delete && lw_str_equal(event->kv.key, LW_STR(LW_STORE_ETCD_COMPACT_KEY)))
        note_value(store, event->kv.value);
}

static void round_compacted(const lw_etcd_answer *answer, void *arg)
{
    lw_etcd_store *store = arg;
    if (answer->err && answer->err->code != LW_ERR_EXPIRED)
        lw_log(store->logger, LW_LOG_WARN, "store", "cannot compact etcd: %s",
               answer->err->message);
}

static void round_answered(const lw_etcd_txn_answer *answer, void *arg)
{
    lw_etcd_store *store = arg;
    compact_later(store);
    if (answer->base.err) {
        lw_log(store->logger, LW_LOG_WARN, "store", "cannot compact etcd: %s",
               answer->base.err->message);
        return;
    }
    uint64_t target = store->compact_target;
    store->compact_target = answer->base.revision;
    if (!answer->is_done) {
        store->compact_version = answer->kv ? answer->kv->version : 0;
        if (answer->kv)
            note_value(store, answer->kv->value);
        return;
    }
    store->compact_version++;
    if (target == 0 || lw_etcd_compact(store->etcd, target, round_compacted, store, NULL) < 0)
        return;
    lw_etcd_store_compacted(store, target);
    lw_log(store->logger, LW_LOG_INFO, "store", "compacted etcd up to revision %" PRIu64, target);
}

static void round_begins(lw_timer *timer)
{
    lw_etcd_store *store = LW_HEAP_ITEM(&timer->node, lw_etcd_store, compact_timer.node);
    char value[24];
    int len = snprintf(value, sizeof(value), "%" PRIu64, store->compact_target);
    const lw_etcd_txn_request request = { .op = LW_ETCD_PUT,
                                          .key = LW_STR(LW_STORE_ETCD_COMPACT_KEY),
                                          .value = { value, (size_t)len },
                                          .is_version_guarded = true,
                                          .expected = store->compact_version };
    if (lw_etcd_txn(store->etcd, &request, round_answered, store, NULL) < 0)
        compact_later(store);
}

void lw_etcd_compact_start(lw_etcd_store *store)
{
    store->compact_timer.fire = round_begins;
    if (store->compact_s > 0)
        compact_later(store);
}

/* A compaction that a caller waits for. */
typedef struct compact_job {
    lw_etcd_job job;
    uint64_t revision;
    lw_error err; /* code LW_OK: done */
} compact_job;

static void job_answered(const lw_etcd_answer *answer, void *arg)
{
    compact_job *own = arg;
    if (answer->err && answer->err->code != LW_ERR_EXPIRED)
        own->err = *answer->err;
    else
        lw_etcd_store_compacted(own->job.store, own->revision);
    lw_etcd_job_end(&own->job);
}

static void compact_on_thread(lw_etcd_job *job)
{
    compact_job *own = (compact_job *)(void *)job;
    lw_status st = lw_etcd_compact(job->store->etcd, own->revision, job_answered, own, NULL);
    if (st == LW_OK)
        return;
    (void)lw_error_set(&own->err, st, "cannot send the request to etcd: %s", lw_status_name(st));
    lw_etcd_job_end(job);
}

lw_status lw_etcd_store_compact(lw_store *base, uint64_t revision, lw_error *err)
{
    lw_etcd_store *store = lw_etcd_store_of(base);
    if (revision <= atomic_load(&store->compacted))
        return LW_OK;
    if (revision > INT64_MAX)
        return lw_error_set(err, LW_ERR_TOO_LARGE_RV, "the revision is too large");
    compact_job own = { .revision = revision, .err = LW_ERROR_INIT };
    lw_etcd_job_run(store, &own.job, compact_on_thread);
    if (own.err.code == LW_OK)
        return LW_OK;
    return lw_error_set(err, own.err.code, "%s", own.err.message);
}
