/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_blocking.c -- a client of an etcd for programs without a loop. */
#include "support/etcd_blocking.h"

#include "base/alloc.h"
#include "base/error.h"

struct etcd_blocking {
    lw_loop *loop;
    lw_etcd *etcd;
};

/* Who waits, and for what. */
typedef struct waiting {
    bool is_done;
    bool is_unknown;
    lw_error err; /* code LW_OK: it went well */
    lw_etcd_range_fn range;
    lw_etcd_txn_fn txn;
    lw_etcd_status_fn status;
    void *arg;
    int64_t lease, ttl_s;
} waiting;

void etcd_blocking_free(etcd_blocking *blocking)
{
    if (!blocking)
        return;
    lw_etcd_free(blocking->etcd);
    lw_loop_free(blocking->loop);
    lw_free(blocking);
}

lw_status etcd_blocking_new(etcd_blocking **out, const lw_etcd_options *options, lw_error *err)
{
    etcd_blocking *blocking = lw_alloc_zero(1, sizeof(*blocking));
    if (!blocking)
        return lw_error_nomem(err);
    lw_status st = lw_loop_new(&blocking->loop, NULL, err);
    if (st == LW_OK)
        st = lw_etcd_new(&blocking->etcd, blocking->loop, options, err);
    if (st < 0) {
        etcd_blocking_free(blocking);
        return st;
    }
    *out = blocking;
    return LW_OK;
}

lw_etcd *etcd_blocking_client(etcd_blocking *blocking)
{
    return blocking->etcd;
}

lw_loop *etcd_blocking_loop(etcd_blocking *blocking)
{
    return blocking->loop;
}

/* Notes how it went; true when it went well. */
static bool note(waiting *w, const lw_etcd_answer *answer)
{
    w->is_done = true;
    w->is_unknown = answer->is_unknown;
    if (answer->err)
        w->err = *answer->err;
    return !answer->err;
}

static void on_range(const lw_etcd_range_answer *answer, void *arg)
{
    waiting *w = arg;
    if (note(w, &answer->base) && w->range)
        w->range(answer, w->arg);
}

static void on_txn(const lw_etcd_txn_answer *answer, void *arg)
{
    waiting *w = arg;
    if (note(w, &answer->base) && w->txn)
        w->txn(answer, w->arg);
}

static void on_status(const lw_etcd_status_answer *answer, void *arg)
{
    waiting *w = arg;
    if (note(w, &answer->base) && w->status)
        w->status(answer, w->arg);
}

static void on_answer(const lw_etcd_answer *answer, void *arg)
{
    (void)note(arg, answer);
}

static void on_lease(const lw_etcd_lease_answer *answer, void *arg)
{
    waiting *w = arg;
    if (note(w, &answer->base)) {
        w->lease = answer->id;
        w->ttl_s = answer->ttl_s;
    }
}

/* Turns until the answer of |call|, which was asked with |st|, is there. */
static lw_status await(etcd_blocking *blocking, lw_status st, lw_etcd_call *call, waiting *w,
                       lw_error *err)
{
    if (st < 0)
        return lw_error_set(err, st, "etcd: the request cannot be sent: %s", lw_status_name(st));
    while (!w->is_done) {
        st = lw_loop_turn(blocking->loop, -1, err);
        if (st < 0) {
            lw_etcd_call_cancel(blocking->etcd, call);
            return st;
        }
    }
    if (w->err.code < 0 && err)
        *err = w->err;
    return w->err.code;
}

lw_status etcd_blocking_range(etcd_blocking *blocking, const lw_etcd_range_request *request,
                              lw_etcd_range_fn fn, void *arg, lw_error *err)
{
    waiting w = { .err = LW_ERROR_INIT, .range = fn, .arg = arg };
    lw_etcd_call *call = NULL;
    lw_status st = lw_etcd_range(blocking->etcd, request, on_range, &w, &call);
    return await(blocking, st, call, &w, err);
}

lw_status etcd_blocking_txn(etcd_blocking *blocking, const lw_etcd_txn_request *request,
                            lw_etcd_txn_fn fn, void *arg, bool *is_unknown, lw_error *err)
{
    waiting w = { .err = LW_ERROR_INIT, .txn = fn, .arg = arg };
    lw_etcd_call *call = NULL;
    lw_status st = lw_etcd_txn(blocking->etcd, request, on_txn, &w, &call);
    bool is_asked = st == LW_OK;
    st = await(blocking, st, call, &w, err);
    if (st < 0 && is_unknown)
        *is_unknown = w.is_unknown || (is_asked && !w.is_done);
    return st;
}

lw_status etcd_blocking_compact(etcd_blocking *blocking, uint64_t revision, lw_error *err)
{
    waiting w = { .err = LW_ERROR_INIT };
    lw_etcd_call *call = NULL;
    lw_status st = lw_etcd_compact(blocking->etcd, revision, on_answer, &w, &call);
    return await(blocking, st, call, &w, err);
}

lw_status etcd_blocking_lease_grant(etcd_blocking *blocking, int64_t ttl_s, int64_t *id,
                                    lw_error *err)
{
    waiting w = { .err = LW_ERROR_INIT };
    lw_etcd_call *call = NULL;
    lw_status st = lw_etcd_lease_grant(blocking->etcd, ttl_s, on_lease, &w, &call);
    st = await(blocking, st, call, &w, err);
    if (st == LW_OK)
        *id = w.lease;
    return st;
}

lw_status etcd_blocking_lease_keep_alive(etcd_blocking *blocking, int64_t id, int64_t *ttl_s,
                                         lw_error *err)
{
    waiting w = { .err = LW_ERROR_INIT };
    lw_etcd_call *call = NULL;
    lw_status st = lw_etcd_lease_keep_alive(blocking->etcd, id, on_lease, &w, &call);
    st = await(blocking, st, call, &w, err);
    if (st == LW_OK)
        *ttl_s = w.ttl_s;
    return st;
}

lw_status etcd_blocking_lease_revoke(etcd_blocking *blocking, int64_t id, lw_error *err)
{
    waiting w = { .err = LW_ERROR_INIT };
    lw_etcd_call *call = NULL;
    lw_status st = lw_etcd_lease_revoke(blocking->etcd, id, on_answer, &w, &call);
    return await(blocking, st, call, &w, err);
}

lw_status etcd_blocking_status(etcd_blocking *blocking, lw_etcd_status_fn fn, void *arg,
                               lw_error *err)
{
    waiting w = { .err = LW_ERROR_INIT, .status = fn, .arg = arg };
    lw_etcd_call *call = NULL;
    lw_status st = lw_etcd_status(blocking->etcd, on_status, &w, &call);
    return await(blocking, st, call, &w, err);
}
