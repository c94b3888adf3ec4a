/* SPDX-License-Identifier: Apache-2.0 */
/* fake_etcd.c -- the client of an in-memory etcd: ranges and watches. */
#include "base/container_of.h"
#include "support/fake_etcd_core.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

lw_status lw_etcd_new(lw_etcd **out, lw_loop *loop, const lw_etcd_options *options, lw_error *err)
{
    lw_etcd *etcd = lw_alloc_zero(1, sizeof(*etcd));
    (void)options;
    if (!etcd)
        return lw_error_nomem(err);
    assert(!fake_etcd__world.client);
    etcd->loop = loop;
    lw_dlist_init(&etcd->calls);
    lw_dlist_init(&etcd->watches);
    fake_etcd__world.client = etcd;
    *out = etcd;
    return LW_OK;
}

void lw_etcd_free(lw_etcd *etcd)
{
    if (!etcd)
        return;
    LW_DLIST_FOR_EACH_SAFE(lw_etcd_call, call, &etcd->calls, link)
    lw_etcd_call_cancel(etcd, call);
    LW_DLIST_FOR_EACH_SAFE(lw_etcd_watch, watch, &etcd->watches, link)
    lw_etcd_watch_cancel(watch);
    fake_etcd__world.client = NULL;
    lw_free(etcd);
}

static bool is_in_range(lw_str key, lw_str from, lw_str to)
{
    if (to.len == 0)
        return lw_str_equal(key, from);
    bool is_open_ended = to.len == 1 && to.ptr[0] == '\0';
    return lw_str_compare(key, from) >= 0 && (is_open_ended || lw_str_compare(key, to) < 0);
}

/* Ranges. */

static int compare_kvs(const void *a, const void *b)
{
    return lw_str_compare(((const lw_etcd_kv *)a)->key, ((const lw_etcd_kv *)b)->key);
}

/* Collects the keys in the range at |revision|; |kvs| has room for all records. */
static size_t gather(const lw_etcd_range_request *request, uint64_t revision, lw_etcd_kv *kvs)
{
    size_t count = 0;
    for (size_t i = 0; i < fake_etcd__world.count; i++) {
        const fake_record *r = &fake_etcd__world.records[i];
        if (!r->is_delete && is_in_range(r->kv.key, request->key, request->end) &&
            fake_etcd__find(r->kv.key, revision) == r)
            kvs[count++] = r->kv;
    }
    qsort(kvs, count, sizeof(*kvs), compare_kvs);
    return count;
}

static lw_status answer_range(const lw_etcd_range_request *request, lw_etcd_kv *kvs,
                              lw_etcd_range_answer *answer)
{
    size_t bytes = 0;
    uint64_t revision = request->revision ? request->revision : fake_etcd__world.revision;
    answer->base.revision = fake_etcd__world.revision;
    if (fake_etcd__world.range_failure < 0)
        return fake_etcd__world.range_failure;
    if (revision < fake_etcd__world.compacted)
        return LW_ERR_EXPIRED;
    if (revision > fake_etcd__world.revision)
        return LW_ERR_TOO_LARGE_RV;
    answer->total = gather(request, revision, kvs);
    answer->count = (size_t)answer->total;
    if (request->is_count_only)
        answer->count = 0;
    if (request->limit > 0 && answer->count > request->limit)
        answer->count = request->limit;
    answer->has_more = answer->count < answer->total;
    for (size_t i = 0; i < answer->count; i++)
        bytes += kvs[i].value.len;
    return bytes > fake_etcd__world.reply_max ? LW_ERR_LIMIT : LW_OK;
}

static void run_call(lw_task *task)
{
    lw_etcd_call *call = LW_CONTAINER_OF(task, lw_etcd_call, task);
    lw_etcd_range_fn fn = call->fn;
    void *arg = call->arg;
    lw_error err;
    lw_etcd_kv *kvs = calloc(fake_etcd__world.count + 1, sizeof(*kvs));
    lw_etcd_range_answer answer = { .kvs = kvs };
    assert(kvs);
    lw_status st = answer_range(&call->request, kvs, &answer);
    if (st < 0) {
        (void)lw_error_set(&err, st, "the fake etcd fails: %s", lw_status_name(st));
        answer.base.err = &err;
    }
    lw_etcd_call_cancel(call->etcd, call);
    fn(&answer, arg);
    free(kvs);
}

lw_status lw_etcd_range(lw_etcd *etcd, const lw_etcd_range_request *request, lw_etcd_range_fn fn,
                        void *arg, lw_etcd_call **out)
{
    lw_etcd_call *call = lw_alloc_zero(1, sizeof(*call));
    if (!call)
        return LW_ERR_NOMEM;
    call->etcd = etcd;
    call->request = *request;
    call->request.key = fake_etcd__copy(request->key);
    call->request.end = fake_etcd__copy(request->end);
    call->fn = fn;
    call->arg = arg;
    call->task.run = run_call;
    lw_dlist_push_back(&etcd->calls, &call->link);
    fake_etcd__wake(&call->task);
    fake_etcd__world.ranges++;
    *out = call;
    return LW_OK;
}

void lw_etcd_call_cancel(lw_etcd *etcd, lw_etcd_call *call)
{
    (void)etcd;
    if (lw_dlist_node_is_linked(&call->task.link))
        lw_dlist_remove(&call->task.link);
    lw_dlist_remove(&call->link);
    free((char *)(uintptr_t)call->request.key.ptr);
    free((char *)(uintptr_t)call->request.end.ptr);
    lw_free(call);
}

/* Watches. */

static lw_etcd_event event_of(const fake_record *r)
{
    lw_etcd_event event = { .kv = r->kv, .is_delete = r->is_delete };
    const fake_record *before = fake_etcd__find(r->kv.key, r->kv.mod_revision - 1);
    if (before && !before->is_delete && r->kv.mod_revision - 1 >= fake_etcd__world.compacted) {
        event.has_prev = true;
        event.prev = before->kv;
    }
    return event;
}

static void tell_events(lw_etcd_watch *watch)
{
    lw_etcd_event *events = calloc(fake_etcd__world.count + 1, sizeof(*events));
    size_t count = 0;
    assert(events);
    for (size_t i = 0; i < fake_etcd__world.count; i++) {
        const fake_record *r = &fake_etcd__world.records[i];
        if (r->kv.mod_revision >= watch->next && is_in_range(r->kv.key, watch->from, watch->to))
            events[count++] = event_of(r);
    }
    if (watch->next <= fake_etcd__world.revision)
        watch->next = fake_etcd__world.revision + 1;
    if (count > 0)
        watch->sink.on_events(events, count, watch->sink.arg);
    free(events);
}

static void end_watch(lw_etcd_watch *watch)
{
    lw_etcd_watch_sink sink = watch->sink;
    lw_error err;
    (void)lw_error_set(&err, LW_ERR_EXPIRED, "required revision has been compacted");
    lw_etcd_watch_cancel(watch);
    sink.on_end(&err, fake_etcd__world.compacted, sink.arg);
}

static void tell_cut(lw_etcd_watch *watch)
{
    lw_error err;
    (void)lw_error_set(&err, LW_ERR_UNAVAILABLE, "the fake etcd is cut off");
    if (!watch->is_cut_told)
        watch->sink.on_cut(&err, watch->sink.arg);
    watch->is_open = false;
    watch->is_cut_told = true;
}

static void run_watch(lw_task *task)
{
    lw_etcd_watch *watch = LW_CONTAINER_OF(task, lw_etcd_watch, task);
    if (fake_etcd__world.is_cut) {
        tell_cut(watch);
        return;
    }
    if (!watch->is_open && watch->next < fake_etcd__world.compacted) {
        end_watch(watch);
        return;
    }
    watch->is_cut_told = false;
    if (!watch->is_open) {
        watch->is_open = true;
        watch->sink.on_open(fake_etcd__world.revision, watch->sink.arg);
    }
    if (watch->is_paused)
        return;
    tell_events(watch);
    if (watch->wants_progress) {
        watch->wants_progress = false;
        watch->sink.on_progress(fake_etcd__world.revision, watch->sink.arg);
    }
}

lw_status lw_etcd_watch_open(lw_etcd_watch **out, lw_etcd *etcd,
                             const lw_etcd_watch_request *request, const lw_etcd_watch_sink *sink)
{
    lw_etcd_watch *watch = lw_alloc_zero(1, sizeof(*watch));
    if (!watch)
        return LW_ERR_NOMEM;
    watch->etcd = etcd;
    watch->from = fake_etcd__copy(request->key);
    watch->to = fake_etcd__copy(request->end);
    watch->next = request->start_revision;
    watch->sink = *sink;
    watch->task.run = run_watch;
    lw_dlist_push_back(&etcd->watches, &watch->link);
    fake_etcd__wake(&watch->task);
    fake_etcd__world.watches++;
    *out = watch;
    return LW_OK;
}

void lw_etcd_watch_set_paused(lw_etcd_watch *watch, bool is_paused)
{
    watch->is_paused = is_paused;
    fake_etcd__wake(&watch->task);
}

void lw_etcd_watch_cancel(lw_etcd_watch *watch)
{
    if (!watch)
        return;
    if (lw_dlist_node_is_linked(&watch->task.link))
        lw_dlist_remove(&watch->task.link);
    lw_dlist_remove(&watch->link);
    free((char *)(uintptr_t)watch->from.ptr);
    free((char *)(uintptr_t)watch->to.ptr);
    lw_free(watch);
}
