/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_probe.c -- requests etcd's version, size and compacted revision. */
#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "store/etcd_internal.h"

static void note_status(lw_etcd_store *store, const lw_etcd_status_answer *answer)
{
    atomic_store_explicit(&store->bytes, (size_t)answer->db_bytes, memory_order_relaxed);
}

static void status_answered(const lw_etcd_status_answer *answer, void *arg)
{
    if (!answer->base.err)
        note_status(arg, answer);
}

static void status_due(lw_timer *timer)
{
    lw_etcd_store *store = LW_HEAP_ITEM(&timer->node, lw_etcd_store, status_timer.node);
    (void)lw_etcd_status(store->etcd, status_answered, store, NULL); /* or next time */
    lw_etcd_status_start(store);
}

void lw_etcd_status_start(lw_etcd_store *store)
{
    store->status_timer.fire = status_due;
    int64_t next = lw_loop_now(store->loop) + LW_STORE_ETCD_STATUS_S * LW_NS_PER_S;
    (void)lw_timer_set(store->loop, &store->status_timer, next); /* else not updated */
}

typedef struct version_job {
    lw_etcd_job job;
    lw_error err;
} version_job;

static void version_answered(const lw_etcd_status_answer *answer, void *arg)
{
    version_job *own = arg;
    if (answer->base.err) {
        own->err = *answer->base.err;
    } else {
        note_status(own->job.store, answer);
        own->job.store->has_progress = lw_etcd_version_has_progress(answer->version);
    }
    lw_etcd_job_end(&own->job);
}

static void ask_version(lw_etcd_job *job)
{
    version_job *own = (version_job *)(void *)job;
    lw_status st = lw_etcd_status(job->store->etcd, version_answered, own, NULL);
    if (st == LW_OK)
        return;
    (void)lw_error_set(&own->err, st, "cannot send the request to etcd: %s", lw_status_name(st));
    lw_etcd_job_end(job);
}

lw_status lw_etcd_probe_version(lw_etcd_store *store, lw_error *err)
{
    version_job own = { .err = LW_ERROR_INIT };
    lw_etcd_job_run(store, &own.job, ask_version);
    if (own.err.code < 0 && err)
        *err = own.err;
    return own.err.code;
}

/* A watch from the first revision is refused with the compacted revision: no other call returns
 * it. */
typedef struct compacted_job {
    lw_etcd_job job;
    lw_etcd_watch *watch;
    lw_timer timer;
} compacted_job;

static void compacted_over(compacted_job *own)
{
    lw_timer_cancel(own->job.store->loop, &own->timer);
    lw_etcd_job_end(&own->job);
}

static void on_events(const lw_etcd_event *events, size_t count, void *arg)
{
    (void)events;
    (void)count;
    (void)arg;
}

static void on_end(const lw_error *err, uint64_t compacted, void *arg)
{
    compacted_job *own = arg;
    if (err->code == LW_ERR_EXPIRED)
        lw_etcd_store_compacted(own->job.store, compacted);
    compacted_over(own);
}

static void too_late(lw_timer *timer)
{
    compacted_job *own = LW_HEAP_ITEM(&timer->node, compacted_job, timer.node);
    lw_etcd_watch_cancel(own->watch);
    lw_etcd_job_end(&own->job);
}

static void ask_compacted(lw_etcd_job *job)
{
    compacted_job *own = (compacted_job *)(void *)job;
    lw_loop *loop = job->store->loop;
    const lw_etcd_watch_request request = { .key = LW_STR(LW_STORE_ETCD_COMPACT_KEY),
                                            .start_revision = 1 };
    const lw_etcd_watch_sink sink = { .on_events = on_events, .on_end = on_end, .arg = own };
    own->timer.fire = too_late;
    if (lw_timer_set(loop, &own->timer, lw_loop_now(loop) + LW_STORE_ETCD_WAIT_S * LW_NS_PER_S) < 0)
        lw_etcd_job_end(job);
    else if (lw_etcd_watch_open(&own->watch, job->store->etcd, &request, &sink) < 0)
        compacted_over(own);
}

void lw_etcd_probe_compacted(lw_etcd_store *store)
{
    compacted_job own = { .watch = NULL };
    lw_etcd_job_run(store, &own.job, ask_compacted);
}
