/* SPDX-License-Identifier: Apache-2.0 */
/* workqueue.c -- a queue of keys to process.
 *
 *             add                 get                     done
 *   (nothing) ───▶ waiting ──────────────▶ processing ──────────▶ (nothing)
 *       │             ▲                        │ add                  ▲
 *       │ add_after   │ due                    ▼             done     │
 *       └─▶ delayed ──┘            processing and dirty ──▶ waiting   │
 *                                                                     └ kept while it has failures
 * A key may be delayed in addition to any other state: it is queued again when the delay is over.
 * Invariant: a key is waiting or being processed, never both, so no two workers have it.
 * Threads: any; |mu| guards everything.  The descriptor is read and written with the lock held,
 * because it must always show whether |waiting| is empty; this never blocks. */
#include <listwatch/workqueue.h>

#include <assert.h>
#include <errno.h>
#include <limits.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/clock_waker.h"
#include "base/dlist.h"
#include "base/error.h"
#include "base/heap.h"
#include "base/map.h"
#include "base/options.h"
#include "base/sync.h"
#include "informer/workqueue_delay.h"
#include "informer/workqueue_metrics.h"

typedef struct work_key {
    lw_str name;           /* view of |text| */
    lw_dlist_node node;    /* in |waiting|, or in |idle|, or in none */
    lw_dlist_node running; /* in |running| while it is being processed */
    lw_heap_node delayed;
    int64_t due_ns;
    int64_t since_ns; /* when it was queued, or when its processing began */
    uint64_t order;   /* orders keys that are due at the same time */
    unsigned failures;
    bool is_dirty;     /* queued, or will be when the worker is done */
    bool is_worked_on; /* being processed */
    char text[];
} work_key;

struct lw_workqueue {
    const lw_clock *clock;
    size_t max_keys;
    lw_clock_waker waker;
    int fd; /* readable while |waiting| is not empty, and after the shutdown */

    lw_mutex mu_itself; /* guards the following members */
    lw_mutex *mu;       /* &mu_itself: reading changes only the lock */
    lw_cond is_ready;   /* a key is queued, a shorter delay was added, or shutdown */
    lw_cond is_drained; /* nothing is queued or being processed */
    lw_map keys;        /* all keys, by name */
    lw_dlist waiting;
    lw_dlist idle; /* keys with only failures; the oldest may be dropped for space */
    lw_heap delays;
    lw_workqueue_delay delay;
    size_t waiting_count;
    size_t worked_on_count;
    lw_dlist running; /* keys that are being processed, the oldest first */
    lw_workqueue_counts counts;
    uint64_t next_order;
    bool is_shut_down;
};

static const lw_map_type keys_by_name = LW_MAP_STR_TYPE(work_key, name);

static bool is_due_before(const lw_heap_node *a, const lw_heap_node *b, void *arg)
{
    (void)arg;
    const work_key *first = LW_HEAP_CONST_ITEM(a, work_key, delayed);
    const work_key *second = LW_HEAP_CONST_ITEM(b, work_key, delayed);
    if (first->due_ns != second->due_ns)
        return first->due_ns < second->due_ns;
    return first->order < second->order;
}

static void clock_was_advanced(void *arg);

lw_status lw_workqueue_new(lw_workqueue **out, const lw_workqueue_options *options, lw_error *err)
{
    lw_workqueue_options full = LW_WORKQUEUE_OPTIONS_INIT;
    const lw_workqueue_options *o = &full;
    lw_status st = lw_options_read(&full, sizeof(full), options, "lw_workqueue_options", err);
    if (st < 0)
        return st;
    lw_workqueue *queue = lw_alloc_zero(1, sizeof(*queue));
    if (!queue)
        return lw_error_nomem(err);
    queue->clock = o->clock ? o->clock : lw_clock_system();
    queue->max_keys = o->max_keys > 0 ? o->max_keys : LW_WORKQUEUE_KEYS;
    if (queue->max_keys > LW_MAP_MAX)
        queue->max_keys = LW_MAP_MAX;
    queue->fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    if (queue->fd < 0) {
        lw_free(queue);
        return lw_error_set(err, LW_ERR_IO, "cannot create the file descriptor of a work queue: %s",
                            strerror(errno));
    }
    lw_mutex_init(&queue->mu_itself);
    queue->mu = &queue->mu_itself;
    lw_cond_init(&queue->is_ready);
    lw_cond_init(&queue->is_drained);
    lw_map_init(&queue->keys, &keys_by_name, lw_hash_seed_random(), queue->max_keys);
    lw_dlist_init(&queue->waiting);
    lw_dlist_init(&queue->idle);
    lw_dlist_init(&queue->running);
    lw_heap_init(&queue->delays, queue->max_keys, is_due_before, NULL);
    lw_workqueue_delay_init(&queue->delay, o, lw_clock_now(queue->clock));
    queue->waker.wake = clock_was_advanced;
    queue->waker.arg = queue;
    lw_clock_add_waker(queue->clock, &queue->waker);
    *out = queue;
    return LW_OK;
}

void lw_workqueue_free(lw_workqueue *queue)
{
    if (!queue)
        return;
    lw_clock_remove_waker(queue->clock, &queue->waker);
    lw_map_cursor at = lw_map_begin(&queue->keys);
    for (work_key *key; (key = lw_map_next(&queue->keys, &at));)
        lw_free(key);
    lw_map_done(&queue->keys);
    lw_heap_done(&queue->delays);
    lw_cond_done(&queue->is_drained);
    lw_cond_done(&queue->is_ready);
    lw_mutex_done(&queue->mu_itself);
    (void)close(queue->fd);
    lw_free(queue);
}

static void fd_raise(const lw_workqueue *queue)
{
    uint64_t one = 1;
    (void)!write(queue->fd, &one, sizeof(one));
}

static void fd_lower(const lw_workqueue *queue)
{
    uint64_t count;
    (void)!read(queue->fd, &count, sizeof(count));
}

static work_key *find_locked(const lw_workqueue *queue, const char *name)
{
    return lw_map_get_str(&queue->keys, lw_str_of(name));
}

static void drop_locked(lw_workqueue *queue, work_key *key)
{
    (void)lw_map_remove_str(&queue->keys, key->name);
    lw_free(key);
}

/* Frees |key| if it is idle; a key that has failed stays in the list of idle keys. */
static void release_if_idle_locked(lw_workqueue *queue, work_key *key)
{
    if (key->is_dirty || key->is_worked_on || lw_heap_node_is_in(&key->delayed))
        return;
    if (key->failures == 0)
        drop_locked(queue, key);
    else if (!lw_dlist_node_is_linked(&key->node))
        lw_dlist_push_back(&queue->idle, &key->node);
}

/* Removes |key| from the list of idle keys. */
static void remove_from_idle_locked(work_key *key)
{
    bool is_waiting = key->is_dirty && !key->is_worked_on;
    if (!is_waiting && lw_dlist_node_is_linked(&key->node))
        lw_dlist_remove(&key->node);
}

static lw_status key_new_locked(lw_workqueue *queue, const char *name, work_key **out)
{
    size_t len = strlen(name);
    work_key *key = lw_alloc_zero(1, sizeof(*key) + len + 1);
    if (!key)
        return LW_ERR_NOMEM;
    memcpy(key->text, name, len + 1);
    key->name = lw_str_make(key->text, len);
    /* Failures that were never reset must not fill the queue. */
    if (lw_map_count(&queue->keys) >= queue->max_keys && !lw_dlist_is_empty(&queue->idle))
        drop_locked(queue, LW_DLIST_ITEM(lw_dlist_pop_front(&queue->idle), work_key, node));
    void *replaced = NULL;
    lw_status st = lw_map_put(&queue->keys, &key->name, key, &replaced);
    if (st < 0) {
        lw_free(key);
        return st;
    }
    *out = key;
    return LW_OK;
}

/* Gets the key |name|; makes it if it does not exist.  It is not idle afterwards. */
static lw_status get_or_make_locked(lw_workqueue *queue, const char *name, work_key **out)
{
    if (queue->is_shut_down)
        return LW_ERR_STOPPED;
    work_key *key = find_locked(queue, name);
    if (!key)
        return key_new_locked(queue, name, out);
    remove_from_idle_locked(key);
    *out = key;
    return LW_OK;
}

static void enqueue_locked(lw_workqueue *queue, work_key *key)
{
    lw_dlist_push_back(&queue->waiting, &key->node);
    key->since_ns = lw_clock_now(queue->clock);
    if (queue->waiting_count++ == 0 && !queue->is_shut_down)
        fd_raise(queue);
    lw_cond_signal(&queue->is_ready);
}

static void mark_dirty_locked(lw_workqueue *queue, work_key *key)
{
    if (key->is_dirty)
        return;
    key->is_dirty = true;
    queue->counts.adds++;
    if (!key->is_worked_on)
        enqueue_locked(queue, key);
}

/* Queues the delayed keys that are due. */
static void promote_locked(lw_workqueue *queue)
{
    lw_heap_node *top = lw_heap_top(&queue->delays);
    if (!top)
        return;
    int64_t now_ns = lw_clock_now(queue->clock);
    for (; top; top = lw_heap_top(&queue->delays)) {
        work_key *key = LW_HEAP_ITEM(top, work_key, delayed);
        if (key->due_ns > now_ns)
            return;
        (void)lw_heap_pop(&queue->delays);
        mark_dirty_locked(queue, key);
    }
}

static lw_status delay_locked(lw_workqueue *queue, work_key *key, int64_t delay_ns)
{
    if (delay_ns <= 0) {
        mark_dirty_locked(queue, key);
        return LW_OK;
    }
    int64_t now_ns = lw_clock_now(queue->clock);
    int64_t due_ns = delay_ns > INT64_MAX - now_ns ? INT64_MAX : now_ns + delay_ns;
    if (lw_heap_node_is_in(&key->delayed)) {
        if (due_ns >= key->due_ns)
            return LW_OK;
        key->due_ns = due_ns;
        lw_heap_update(&queue->delays, &key->delayed);
    } else {
        key->due_ns = due_ns;
        key->order = queue->next_order++;
        lw_status st = lw_heap_push(&queue->delays, &key->delayed);
        if (st < 0)
            return st;
    }
    /* A thread that waits for a later key must look again. */
    if (lw_heap_top(&queue->delays) == &key->delayed)
        lw_cond_signal(&queue->is_ready);
    return LW_OK;
}

/* Workers that wait for a delayed key look again. */
static void clock_was_advanced(void *arg)
{
    lw_workqueue *queue = arg;
    lw_mutex_lock(queue->mu);
    lw_cond_broadcast(&queue->is_ready);
    lw_mutex_unlock(queue->mu);
}

lw_status lw_workqueue_add(lw_workqueue *queue, const char *name)
{
    work_key *key = NULL;
    lw_mutex_lock(queue->mu);
    lw_status st = get_or_make_locked(queue, name, &key);
    if (st == LW_OK)
        mark_dirty_locked(queue, key);
    lw_mutex_unlock(queue->mu);
    return st;
}

lw_status lw_workqueue_add_after(lw_workqueue *queue, const char *name, int64_t delay_ns)
{
    work_key *key = NULL;
    lw_mutex_lock(queue->mu);
    lw_status st = get_or_make_locked(queue, name, &key);
    if (st == LW_OK) {
        st = delay_locked(queue, key, delay_ns);
        release_if_idle_locked(queue, key);
    }
    lw_mutex_unlock(queue->mu);
    return st;
}

lw_status lw_workqueue_add_rate_limited(lw_workqueue *queue, const char *name)
{
    work_key *key = NULL;
    lw_mutex_lock(queue->mu);
    lw_status st = get_or_make_locked(queue, name, &key);
    if (st == LW_OK) {
        int64_t delay_ns =
            lw_workqueue_delay_next(&queue->delay, key->failures, lw_clock_now(queue->clock));
        key->failures += key->failures < UINT_MAX;
        queue->counts.retries++;
        st = delay_locked(queue, key, delay_ns);
        release_if_idle_locked(queue, key);
    }
    lw_mutex_unlock(queue->mu);
    return st;
}

void lw_workqueue_forget(lw_workqueue *queue, const char *name)
{
    lw_mutex_lock(queue->mu);
    work_key *key = find_locked(queue, name);
    if (key && key->failures > 0) {
        remove_from_idle_locked(key);
        key->failures = 0;
        release_if_idle_locked(queue, key);
    }
    lw_mutex_unlock(queue->mu);
}

unsigned lw_workqueue_failures(const lw_workqueue *queue, const char *name)
{
    lw_mutex_lock(queue->mu);
    const work_key *key = find_locked(queue, name);
    unsigned failures = key ? key->failures : 0;
    lw_mutex_unlock(queue->mu);
    return failures;
}

static work_key *hand_out_locked(lw_workqueue *queue)
{
    promote_locked(queue);
    work_key *key = LW_DLIST_ITEM(lw_dlist_pop_front(&queue->waiting), work_key, node);
    if (!key)
        return NULL;
    if (--queue->waiting_count == 0 && !queue->is_shut_down)
        fd_lower(queue);
    key->is_dirty = false;
    key->is_worked_on = true;
    queue->worked_on_count++;
    int64_t now_ns = lw_clock_now(queue->clock);
    lw_histogram_add(&queue->counts.queued, lw_workqueue_bounds,
                     (uint64_t)(now_ns - key->since_ns));
    key->since_ns = now_ns;
    lw_dlist_push_back(&queue->running, &key->running);
    return key;
}

/* Returns the time to look again on the system clock: |deadline_ns| or the next delay. */
static int64_t wake_up_locked(const lw_workqueue *queue, int64_t now_ns, int64_t deadline_ns)
{
    const lw_heap_node *top = lw_heap_top(&queue->delays);
    if (!top)
        return deadline_ns;
    int64_t due_ns = LW_HEAP_CONST_ITEM(top, work_key, delayed)->due_ns;
    int64_t left_ns = due_ns - lw_clock_now(queue->clock);
    if (left_ns < 0)
        left_ns = 0;
    return left_ns < deadline_ns - now_ns ? now_ns + left_ns : deadline_ns;
}

static work_key *wait_locked(lw_workqueue *queue, int timeout_ms)
{
    work_key *key = hand_out_locked(queue);
    if (key || timeout_ms == 0)
        return key;
    int64_t now_ns = lw_clock_now(lw_clock_system());
    int64_t deadline_ns = timeout_ms < 0 ? LW_NEVER_NS : now_ns + timeout_ms * LW_NS_PER_MS;
    while (!key && !queue->is_shut_down && now_ns < deadline_ns) {
        int64_t until_ns = wake_up_locked(queue, now_ns, deadline_ns);
        (void)lw_cond_wait_until(&queue->is_ready, queue->mu, until_ns);
        key = hand_out_locked(queue);
        now_ns = lw_clock_now(lw_clock_system());
    }
    return key;
}

const char *lw_workqueue_get(lw_workqueue *queue, int timeout_ms)
{
    lw_mutex_lock(queue->mu);
    const work_key *key = wait_locked(queue, timeout_ms);
    lw_mutex_unlock(queue->mu);
    return key ? key->text : NULL;
}

static bool is_drained_locked(const lw_workqueue *queue)
{
    return queue->waiting_count == 0 && queue->worked_on_count == 0;
}

void lw_workqueue_done(lw_workqueue *queue, const char *name)
{
    lw_mutex_lock(queue->mu);
    work_key *key = find_locked(queue, name);
    if (key && key->is_worked_on) {
        key->is_worked_on = false;
        queue->worked_on_count--;
        lw_dlist_remove(&key->running);
        lw_histogram_add(&queue->counts.worked, lw_workqueue_bounds,
                         (uint64_t)(lw_clock_now(queue->clock) - key->since_ns));
        if (key->is_dirty)
            enqueue_locked(queue, key);
        else
            release_if_idle_locked(
                queue, key); /* |name| may be the string of the key, which is freed here */
        if (is_drained_locked(queue))
            lw_cond_broadcast(&queue->is_drained);
    }
    lw_mutex_unlock(queue->mu);
}

static void shut_down_locked(lw_workqueue *queue)
{
    if (queue->is_shut_down)
        return;
    if (queue->waiting_count == 0)
        fd_raise(queue);
    queue->is_shut_down = true;
    for (lw_heap_node *node; (node = lw_heap_pop(&queue->delays));)
        release_if_idle_locked(queue, LW_HEAP_ITEM(node, work_key, delayed));
    lw_cond_broadcast(&queue->is_ready);
}

void lw_workqueue_shut_down(lw_workqueue *queue)
{
    lw_mutex_lock(queue->mu);
    shut_down_locked(queue);
    lw_mutex_unlock(queue->mu);
}

bool lw_workqueue_is_shut_down(const lw_workqueue *queue)
{
    lw_mutex_lock(queue->mu);
    bool is_shut_down = queue->is_shut_down;
    lw_mutex_unlock(queue->mu);
    return is_shut_down;
}

void lw_workqueue_drain(lw_workqueue *queue)
{
    lw_mutex_lock(queue->mu);
    shut_down_locked(queue);
    while (!is_drained_locked(queue))
        lw_cond_wait(&queue->is_drained, queue->mu);
    lw_mutex_unlock(queue->mu);
}

size_t lw_workqueue_count(const lw_workqueue *queue)
{
    lw_mutex_lock(queue->mu);
    size_t count = queue->waiting_count;
    lw_mutex_unlock(queue->mu);
    return count;
}

int lw_workqueue_fd(const lw_workqueue *queue)
{
    return queue->fd;
}

static int timeout_ms_locked(const lw_workqueue *queue)
{
    if (queue->waiting_count > 0)
        return 0;
    const lw_heap_node *top = lw_heap_top(&queue->delays);
    if (!top)
        return -1;
    int64_t left_ns =
        LW_HEAP_CONST_ITEM(top, work_key, delayed)->due_ns - lw_clock_now(queue->clock);
    if (left_ns <= 0)
        return 0;
    /* Rounded up: a wake-up one millisecond too early would do nothing. */
    int64_t ms = left_ns / LW_NS_PER_MS + (left_ns % LW_NS_PER_MS > 0);
    return ms < INT_MAX ? (int)ms : INT_MAX;
}

int lw_workqueue_timeout_ms(const lw_workqueue *queue)
{
    lw_mutex_lock(queue->mu);
    int ms = timeout_ms_locked(queue);
    lw_mutex_unlock(queue->mu);
    return ms;
}

void lw_workqueue__metrics(lw_workqueue *queue, lw_workqueue_metrics *out)
{
    lw_mutex_lock(queue->mu);
    int64_t now_ns = lw_clock_now(queue->clock);
    *out = (lw_workqueue_metrics){ .counts = queue->counts, .depth = queue->waiting_count };
    LW_DLIST_FOR_EACH(work_key, key, &queue->running, running)
    {
        uint64_t age_ns = (uint64_t)(now_ns - key->since_ns);
        out->unfinished_ns += age_ns;
        if (age_ns > out->longest_ns)
            out->longest_ns = age_ns;
    }
    lw_mutex_unlock(queue->mu);
}
