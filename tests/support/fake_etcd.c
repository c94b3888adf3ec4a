/* SPDX-License-Identifier: Apache-2.0 */
/* fake_etcd.c -- etcd in memory: a history of writes, read from the front each time. */
#include "support/fake_etcd.h"

#include <assert.h>
#include <stdlib.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"

typedef struct record {
    lw_etcd_kv kv; /* its strings are its own; of a delete: only the key and mod_revision */
    bool is_delete;
} record;

static struct world {
    record *records;
    size_t count, room;
    uint64_t revision, compacted;
    bool is_cut;
    lw_status range_failure;
    size_t reply_max;
    size_t ranges, watches;
    lw_etcd *client;
} world = { .revision = 1, .reply_max = SIZE_MAX };

struct lw_etcd {
    lw_loop *loop;
    lw_list calls, watches;
};

struct lw_etcd_call {
    lw_list_node link;
    lw_etcd *etcd;
    lw_task task;
    lw_etcd_range_request request;
    lw_etcd_range_fn fn;
    void *arg;
};

struct lw_etcd_watch {
    lw_list_node link;
    lw_etcd *etcd;
    lw_task task;
    lw_str from, to;
    lw_etcd_watch_sink sink;
    uint64_t next;
    bool is_open, is_paused, is_cut_told, wants_progress;
};

/* The world. */

static lw_str copy(lw_str s)
{
    char *bytes = malloc(s.len + 1);
    assert(bytes);
    if (s.len > 0)
        memcpy(bytes, s.ptr, s.len);
    return lw_str_make(bytes, s.len);
}

static void wake(lw_task *task)
{
    if (!lw_list_node_is_linked(&task->link))
        lw_loop_defer(world.client->loop, task);
}

static void wake_watches(void)
{
    if (!world.client)
        return;
    LW_LIST_FOR_EACH (lw_etcd_watch, watch, &world.client->watches, link)
        wake(&watch->task);
}

void fake_etcd_restore(void)
{
    for (size_t i = 0; i < world.count; i++) {
        free((char *)(uintptr_t)world.records[i].kv.key.ptr);
        free((char *)(uintptr_t)world.records[i].kv.value.ptr);
    }
    free(world.records);
    world.records = NULL;
    world.count = world.room = 0;
    world.revision = 1;
    world.compacted = 0;
}

void fake_etcd_reset(void)
{
    assert(!world.client);
    fake_etcd_restore();
    world = (struct world){ .revision = 1, .reply_max = SIZE_MAX };
}

/* The last record of |key| up to |revision|, or NULL; deletes count. */
static const record *find(lw_str key, uint64_t revision)
{
    for (size_t i = world.count; i > 0; i--) {
        const record *r = &world.records[i - 1];
        if (r->kv.mod_revision <= revision && lw_str_equal(r->kv.key, key))
            return r;
    }
    return NULL;
}

static void append(lw_str key, lw_str value, bool is_delete)
{
    const record *before = find(key, world.revision);
    bool is_new = !before || before->is_delete;
    lw_etcd_kv kv = { .key = copy(key), .value = copy(value), .mod_revision = world.revision };
    kv.create_revision = is_new ? world.revision : before->kv.create_revision;
    kv.version = is_new ? 1 : before->kv.version + 1;
    if (is_delete)
        kv.create_revision = kv.version = 0;
    if (world.count == world.room) {
        world.room = world.room ? 2 * world.room : 64;
        world.records = realloc(world.records, world.room * sizeof(*world.records));
        assert(world.records);
    }
    world.records[world.count++] = (record){ .kv = kv, .is_delete = is_delete };
}

uint64_t fake_etcd_put(lw_str key, lw_str value)
{
    world.revision++;
    append(key, value, false);
    wake_watches();
    return world.revision;
}

uint64_t fake_etcd_put_text(const char *key, const char *value)
{
    return fake_etcd_put(lw_str_of(key), lw_str_of(value));
}

uint64_t fake_etcd_put_two(const char *key, const char *other, const char *value)
{
    world.revision++;
    append(lw_str_of(key), lw_str_of(value), false);
    append(lw_str_of(other), lw_str_of(value), false);
    wake_watches();
    return world.revision;
}

uint64_t fake_etcd_delete(const char *key)
{
    world.revision++;
    append(lw_str_of(key), lw_str_of(""), true);
    wake_watches();
    return world.revision;
}

uint64_t fake_etcd_revision(void)
{
    return world.revision;
}

void fake_etcd_compact(uint64_t revision)
{
    world.compacted = revision;
    wake_watches();
}

void fake_etcd_set_cut(bool is_cut)
{
    world.is_cut = is_cut;
    wake_watches();
}

void fake_etcd_progress(void)
{
    LW_LIST_FOR_EACH (lw_etcd_watch, watch, &world.client->watches, link)
        watch->wants_progress = true;
    wake_watches();
}

void fake_etcd_fail_ranges(lw_status st)
{
    world.range_failure = st;
}

void fake_etcd_set_reply_max(size_t bytes)
{
    world.reply_max = bytes;
}

size_t fake_etcd_range_count(void)
{
    return world.ranges;
}

size_t fake_etcd_watch_count(void)
{
    return world.watches;
}

size_t fake_etcd_open_count(void)
{
    size_t count = 0;
    LW_LIST_FOR_EACH (lw_etcd_call, call, &world.client->calls, link)
        count++;
    LW_LIST_FOR_EACH (lw_etcd_watch, watch, &world.client->watches, link)
        count++;
    return count;
}

/* The client. */

lw_status lw_etcd_new(lw_etcd **out, lw_loop *loop, const lw_etcd_options *options, lw_error *err)
{
    lw_etcd *etcd = lw_alloc_zero(1, sizeof(*etcd));
    (void)options;
    if (!etcd)
        return lw_error_nomem(err);
    assert(!world.client);
    etcd->loop = loop;
    lw_list_init(&etcd->calls);
    lw_list_init(&etcd->watches);
    world.client = etcd;
    *out = etcd;
    return LW_OK;
}

void lw_etcd_free(lw_etcd *etcd)
{
    if (!etcd)
        return;
    LW_LIST_FOR_EACH_SAFE (lw_etcd_call, call, &etcd->calls, link)
        lw_etcd_call_cancel(etcd, call);
    LW_LIST_FOR_EACH_SAFE (lw_etcd_watch, watch, &etcd->watches, link)
        lw_etcd_watch_cancel(watch);
    world.client = NULL;
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

/* What is in the range at |revision|; |kvs| has room for all records. */
static size_t gather(const lw_etcd_range_request *request, uint64_t revision, lw_etcd_kv *kvs)
{
    size_t count = 0;
    for (size_t i = 0; i < world.count; i++) {
        const record *r = &world.records[i];
        if (!r->is_delete && is_in_range(r->kv.key, request->key, request->end) &&
            find(r->kv.key, revision) == r)
            kvs[count++] = r->kv;
    }
    qsort(kvs, count, sizeof(*kvs), compare_kvs);
    return count;
}

static lw_status answer_range(const lw_etcd_range_request *request, lw_etcd_kv *kvs,
                              lw_etcd_range_answer *answer)
{
    size_t bytes = 0;
    uint64_t revision = request->revision ? request->revision : world.revision;
    answer->base.revision = world.revision;
    if (world.range_failure < 0)
        return world.range_failure;
    if (revision < world.compacted)
        return LW_ERR_EXPIRED;
    if (revision > world.revision)
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
    return bytes > world.reply_max ? LW_ERR_LIMIT : LW_OK;
}

static void run_call(lw_task *task)
{
    lw_etcd_call *call = (lw_etcd_call *)(void *)((char *)task - offsetof(lw_etcd_call, task));
    lw_etcd_range_fn fn = call->fn;
    void *arg = call->arg;
    lw_error err;
    lw_etcd_kv *kvs = calloc(world.count + 1, sizeof(*kvs));
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
    call->request.key = copy(request->key);
    call->request.end = copy(request->end);
    call->fn = fn;
    call->arg = arg;
    call->task.run = run_call;
    lw_list_push_back(&etcd->calls, &call->link);
    wake(&call->task);
    world.ranges++;
    *out = call;
    return LW_OK;
}

void lw_etcd_call_cancel(lw_etcd *etcd, lw_etcd_call *call)
{
    (void)etcd;
    if (lw_list_node_is_linked(&call->task.link))
        lw_list_remove(&call->task.link);
    lw_list_remove(&call->link);
    free((char *)(uintptr_t)call->request.key.ptr);
    free((char *)(uintptr_t)call->request.end.ptr);
    lw_free(call);
}

/* Watches. */

static lw_etcd_event event_of(const record *r)
{
    lw_etcd_event event = { .kv = r->kv, .is_delete = r->is_delete };
    const record *before = find(r->kv.key, r->kv.mod_revision - 1);
    if (before && !before->is_delete && r->kv.mod_revision - 1 >= world.compacted) {
        event.has_prev = true;
        event.prev = before->kv;
    }
    return event;
}

static void tell_events(lw_etcd_watch *watch)
{
    lw_etcd_event *events = calloc(world.count + 1, sizeof(*events));
    size_t count = 0;
    assert(events);
    for (size_t i = 0; i < world.count; i++) {
        const record *r = &world.records[i];
        if (r->kv.mod_revision >= watch->next && is_in_range(r->kv.key, watch->from, watch->to))
            events[count++] = event_of(r);
    }
    if (watch->next <= world.revision)
        watch->next = world.revision + 1;
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
    sink.on_end(&err, world.compacted, sink.arg);
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
    lw_etcd_watch *watch = (lw_etcd_watch *)(void *)((char *)task - offsetof(lw_etcd_watch, task));
    if (world.is_cut) {
        tell_cut(watch);
        return;
    }
    if (!watch->is_open && watch->next < world.compacted) {
        end_watch(watch);
        return;
    }
    watch->is_cut_told = false;
    if (!watch->is_open) {
        watch->is_open = true;
        watch->sink.on_open(world.revision, watch->sink.arg);
    }
    if (watch->is_paused)
        return;
    tell_events(watch);
    if (watch->wants_progress) {
        watch->wants_progress = false;
        watch->sink.on_progress(world.revision, watch->sink.arg);
    }
}

lw_status lw_etcd_watch_open(lw_etcd_watch **out, lw_etcd *etcd,
                             const lw_etcd_watch_request *request, const lw_etcd_watch_sink *sink)
{
    lw_etcd_watch *watch = lw_alloc_zero(1, sizeof(*watch));
    if (!watch)
        return LW_ERR_NOMEM;
    watch->etcd = etcd;
    watch->from = copy(request->key);
    watch->to = copy(request->end);
    watch->next = request->start_revision;
    watch->sink = *sink;
    watch->task.run = run_watch;
    lw_list_push_back(&etcd->watches, &watch->link);
    wake(&watch->task);
    world.watches++;
    *out = watch;
    return LW_OK;
}

void lw_etcd_watch_set_paused(lw_etcd_watch *watch, bool is_paused)
{
    watch->is_paused = is_paused;
    wake(&watch->task);
}

void lw_etcd_watch_cancel(lw_etcd_watch *watch)
{
    if (!watch)
        return;
    if (lw_list_node_is_linked(&watch->task.link))
        lw_list_remove(&watch->task.link);
    lw_list_remove(&watch->link);
    free((char *)(uintptr_t)watch->from.ptr);
    free((char *)(uintptr_t)watch->to.ptr);
    lw_free(watch);
}
