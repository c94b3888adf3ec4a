/* SPDX-License-Identifier: Apache-2.0 */
/* etcd_confirm.c -- confirms that all changes have been delivered to the watches.
 *
 *     requested ──▶ questions ──▶ asking (one read for all) ──▶ confirmed ──▶ delivered ──▶ done
 *
 * A read answers the requests that were made before it began; later ones share the next read.  Any
 * linearizable read returns the revision of the whole cluster, so reading a single key is
 * enough. */
#include <inttypes.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "store/etcd_internal.h"

lw_status lw_etcd_store_confirm(lw_store *base, lw_store_confirmation *confirmation)
{
    lw_etcd_store *store = lw_etcd_store_of(base);
    lw_status st = LW_OK;
    lw_mutex_lock(&store->mu);
    if (store->is_closed)
        st = LW_ERR_STOPPED;
    else if (store->question_count == LW_STORE_QUEUE_MAX)
        st = LW_ERR_TOO_MANY;
    if (st == LW_OK) {
        store->question_count++;
        lw_dlist_push_back(&store->questions, &confirmation->link);
        lw_etcd_store_wake_locked(store);
    }
    lw_mutex_unlock(&store->mu);
    return st;
}

static void finish(lw_etcd_store *store, lw_store_confirmation *confirmation)
{
    lw_mutex_lock(&store->mu);
    store->question_count--;
    if (store->is_stopping)
        lw_etcd_store_wake_locked(store);
    lw_mutex_unlock(&store->mu);
    confirmation->done(confirmation);
}

static void fail_asking(lw_etcd_store *store, lw_status st, const char *message)
{
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(&store->asking));) {
        lw_store_confirmation *confirmation = LW_DLIST_ITEM(node, lw_store_confirmation, link);
        confirmation->st = lw_error_set(&confirmation->err, st, "%s", message);
        finish(store, confirmation);
    }
}

static void read_answered(const lw_etcd_range_answer *answer, void *arg)
{
    lw_etcd_store *store = arg;
    store->is_asking = false;
    if (answer->base.err) {
        bool is_late = answer->base.err->code == LW_ERR_TIMEOUT;
        fail_asking(store, is_late ? LW_ERR_TIMEOUT : LW_ERR_UNAVAILABLE,
                    answer->base.err->message);
    } else {
        int64_t deadline = lw_loop_now(store->loop) + LW_STORE_ETCD_WAIT_S * LW_NS_PER_S;
        LW_DLIST_FOR_EACH(lw_store_confirmation, confirmation, &store->asking, link)
        {
            confirmation->revision = answer->base.revision;
            confirmation->deadline_ns = deadline;
        }
        lw_dlist_append_all(&store->confirmed, &store->asking);
        lw_etcd_confirms_told(store, lw_etcd_told_to_all(store));
        lw_etcd_waits_begun(store);
    }
    lw_etcd_confirms_pump(store);
}

void lw_etcd_confirms_pump(lw_etcd_store *store)
{
    if (store->is_asking)
        return;
    lw_mutex_lock(&store->mu);
    lw_dlist_append_all(&store->asking, &store->questions);
    lw_mutex_unlock(&store->mu);
    if (lw_dlist_is_empty(&store->asking))
        return;
    const lw_etcd_range_request request = { .key = LW_STR(LW_STORE_ETCD_COMPACT_KEY),
                                            .is_count_only = true };
    lw_status st = lw_etcd_range(store->etcd, &request, read_answered, store, NULL);
    store->is_asking = st == LW_OK;
    if (st < 0)
        fail_asking(store, LW_ERR_UNAVAILABLE, lw_status_name(st));
}

void lw_etcd_confirms_told(lw_etcd_store *store, uint64_t told)
{
    for (lw_store_confirmation *confirmation;
         (confirmation =
              LW_DLIST_ITEM(lw_dlist_first(&store->confirmed), lw_store_confirmation, link)) &&
         confirmation->revision <= told;) {
        lw_dlist_remove(&confirmation->link);
        confirmation->st = LW_OK;
        finish(store, confirmation);
    }
}

void lw_etcd_confirms_expire(lw_etcd_store *store, int64_t now_ns)
{
    for (lw_store_confirmation *confirmation;
         (confirmation =
              LW_DLIST_ITEM(lw_dlist_first(&store->confirmed), lw_store_confirmation, link)) &&
         confirmation->deadline_ns <= now_ns;) {
        lw_dlist_remove(&confirmation->link);
        confirmation->st =
            lw_error_set(&confirmation->err, LW_ERR_TIMEOUT,
                         "etcd is at revision %" PRIu64
                         ", but this server has only received changes up to %" PRIu64,
                         confirmation->revision, lw_etcd_store_told(store));
        finish(store, confirmation);
    }
}
