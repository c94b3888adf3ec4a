/* SPDX-License-Identifier: Apache-2.0 */
/* loop.c -- the event loop on epoll: descriptors, timers, posted and deferred tasks.
 *
 * One iteration is one batch: wait, read the clock, deliver events, run posted tasks, run what the
 * previous batch left for later, fire timers, run deferred tasks.  Posting wakes the loop through
 * an eventfd, which is written only if the loop sleeps: a thousand posts cost one system call, and
 * those to a loop that works none.
 *
 * Threads: the loop's own, except for what |mu| guards and |is_stopping|. */
#include "net/loop.h"

#include <assert.h>
#include <errno.h>
#include <stdatomic.h>
#include <stddef.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/sync.h"

enum {
    BATCH_MAX = 256,       /* events read from the kernel at once */
    TIMERS_MAX = 1 << 20,  /* maximum number of timers */
    WAIT_MAX_MS = 1 << 30, /* maximum wait, for timers that are far away */
};

struct lw_loop {
    int epoll_fd;
    lw_io wake;
    const lw_clock *clock;
    int64_t now_ns;
    lw_heap timers;
    lw_dlist deferred;
    lw_dlist later; /* tasks of the next batch */
    lw_dlist due;   /* tasks that the previous batch left for this one */
    uint64_t batch_number;
    void *data;
    atomic_bool is_stopping;

    struct epoll_event batch[BATCH_MAX];
    int batch_next; /* the events from here to batch_end have not been delivered yet */
    int batch_end;

    bool has_posted; /* after a batch: tasks were posted during it */
    lw_mutex mu;     /* guards posted and is_awake */
    lw_dlist posted;
    bool is_awake; /* in a batch, or the eventfd is written: posted tasks will be noticed */
};

static bool timer_is_earlier(const lw_heap_node *a, const lw_heap_node *b, void *arg)
{
    (void)arg;
    return LW_HEAP_CONST_ITEM(a, lw_timer, node)->deadline_ns <
           LW_HEAP_CONST_ITEM(b, lw_timer, node)->deadline_ns;
}

static void write_wake(lw_loop *loop)
{
    uint64_t one = 1;
    ssize_t got;
    do
        got = write(loop->wake.fd, &one, sizeof(one));
    while (got < 0 && errno == EINTR);
}

static void run_posted(lw_loop *loop)
{
    lw_dlist taken;
    lw_dlist_init(&taken);
    lw_mutex_lock(&loop->mu);
    lw_dlist_append_all(&taken, &loop->posted);
    lw_mutex_unlock(&loop->mu);
    lw_dlist_node *node;
    while ((node = lw_dlist_pop_front(&taken)) != NULL) {
        lw_task *task = LW_DLIST_ITEM(node, lw_task, link);
        task->run(task);
    }
}

/* Resets the counter: every batch looks for posted tasks. */
static void wake_ready(lw_io *io, unsigned events)
{
    (void)events;
    uint64_t count;
    ssize_t got;
    do
        got = read(io->fd, &count, sizeof(count));
    while (got < 0 && errno == EINTR);
}

static void wake_up(lw_loop *loop)
{
    lw_mutex_lock(&loop->mu);
    loop->is_awake = true;
    lw_mutex_unlock(&loop->mu);
}

/* From now on who posts writes to the eventfd, unless the next batch begins without waiting. */
static void fall_asleep(lw_loop *loop)
{
    lw_mutex_lock(&loop->mu);
    loop->has_posted = !lw_dlist_is_empty(&loop->posted);
    loop->is_awake = loop->has_posted;
    lw_mutex_unlock(&loop->mu);
}

lw_status lw_loop_new(lw_loop **out, const lw_clock *clock, lw_error *err)
{
    lw_loop *loop = lw_alloc_zero(1, sizeof(*loop));
    if (!loop)
        return lw_error_nomem(err);
    loop->clock = clock ? clock : lw_clock_system();
    loop->now_ns = lw_clock_now(loop->clock);
    lw_heap_init(&loop->timers, TIMERS_MAX, timer_is_earlier, NULL);
    lw_dlist_init(&loop->deferred);
    lw_dlist_init(&loop->later);
    lw_dlist_init(&loop->due);
    lw_dlist_init(&loop->posted);
    lw_mutex_init(&loop->mu);
    atomic_init(&loop->is_stopping, false);
    loop->wake.wanted = LW_IO_READ;
    loop->wake.ready = wake_ready;
    loop->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    loop->wake.fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    lw_status st = LW_OK;
    if (loop->epoll_fd < 0 || loop->wake.fd < 0)
        st = lw_error_set(err, LW_ERR_IO, "no descriptors for an event loop: %s", strerror(errno));
    else
        st = lw_loop_add(loop, &loop->wake, err);
    if (st < 0) {
        lw_loop_free(loop);
        return st;
    }
    *out = loop;
    return LW_OK;
}

static void run_deferred(lw_loop *loop)
{
    lw_dlist_node *node;
    while ((node = lw_dlist_pop_front(&loop->deferred)) != NULL) {
        lw_task *task = LW_DLIST_ITEM(node, lw_task, link);
        task->run(task);
    }
}

void lw_loop_free(lw_loop *loop)
{
    if (!loop)
        return;
    /* No other thread posts any more, so the lists are read without the lock. */
    while (!lw_dlist_is_empty(&loop->posted) || !lw_dlist_is_empty(&loop->deferred)) {
        run_posted(loop);
        run_deferred(loop);
    }
    if (loop->wake.fd >= 0)
        close(loop->wake.fd);
    if (loop->epoll_fd >= 0)
        close(loop->epoll_fd);
    lw_heap_done(&loop->timers);
    lw_mutex_done(&loop->mu);
    lw_free(loop);
}

/* Returns how long to wait: rounded up, so that a timer is due when the wait ends. */
static int wait_ms(const lw_loop *loop, int timeout_ms)
{
    const lw_heap_node *top = lw_heap_top(&loop->timers);
    if (loop->has_posted || !lw_dlist_is_empty(&loop->deferred) || !lw_dlist_is_empty(&loop->later))
        return 0;
    if (!top || timeout_ms == 0)
        return timeout_ms;
    int64_t deadline = LW_HEAP_CONST_ITEM(top, lw_timer, node)->deadline_ns;
    int64_t now = lw_clock_now(loop->clock);
    if (deadline <= now)
        return 0;
    int64_t left = (deadline - now - 1) / LW_NS_PER_MS + 1;
    if (left > WAIT_MAX_MS)
        left = WAIT_MAX_MS;
    return timeout_ms < 0 || left < timeout_ms ? (int)left : timeout_ms;
}

static unsigned events_of(uint32_t bits)
{
    unsigned events = 0;
    if (bits & EPOLLIN)
        events |= LW_IO_READ;
    if (bits & EPOLLOUT)
        events |= LW_IO_WRITE;
    if (bits & (EPOLLERR | EPOLLHUP))
        events |= LW_IO_GONE;
    return events;
}

static void hand_out(lw_loop *loop)
{
    while (loop->batch_next < loop->batch_end) {
        const struct epoll_event *event = &loop->batch[loop->batch_next++];
        lw_io *io = event->data.ptr;
        if (io)
            io->ready(io, events_of(event->events));
    }
}

/* One pass over the timers that are due now: a timer that sets itself again waits for the next
 * batch, so that timers cannot starve descriptors. */
static void fire_timers(lw_loop *loop)
{
    for (size_t left = lw_heap_count(&loop->timers); left > 0; left--) {
        lw_heap_node *top = lw_heap_top(&loop->timers);
        if (!top)
            return;
        lw_timer *timer = LW_HEAP_ITEM(top, lw_timer, node);
        if (timer->deadline_ns > loop->now_ns)
            return;
        lw_heap_remove(&loop->timers, top);
        timer->fire(timer);
    }
}

/* Runs what the previous batch has left; what these tasks leave waits for the next batch. */
static void run_due(lw_loop *loop)
{
    lw_dlist_node *node;
    while ((node = lw_dlist_pop_front(&loop->due)) != NULL) {
        lw_task *task = LW_DLIST_ITEM(node, lw_task, link);
        task->run(task);
    }
}

int lw_loop_fd(const lw_loop *loop)
{
    return loop->epoll_fd;
}

int lw_loop_timeout_ms(const lw_loop *loop)
{
    return wait_ms(loop, -1);
}

lw_status lw_loop_turn(lw_loop *loop, int timeout_ms, lw_error *err)
{
    int count = epoll_wait(loop->epoll_fd, loop->batch, BATCH_MAX, wait_ms(loop, timeout_ms));
    if (count < 0 && errno != EINTR)
        return lw_error_set(err, LW_ERR_IO, "epoll_wait: %s", strerror(errno));
    wake_up(loop);
    loop->now_ns = lw_clock_now(loop->clock);
    loop->batch_next = 0;
    loop->batch_end = count < 0 ? 0 : count;
    loop->batch_number++;
    lw_dlist_append_all(&loop->due, &loop->later);
    hand_out(loop);
    run_posted(loop);
    run_due(loop);
    fire_timers(loop);
    run_deferred(loop);
    fall_asleep(loop);
    return LW_OK;
}

lw_status lw_loop_run(lw_loop *loop, lw_error *err)
{
    lw_status st = LW_OK;
    while (st == LW_OK && !atomic_load_explicit(&loop->is_stopping, memory_order_acquire))
        st = lw_loop_turn(loop, -1, err);
    atomic_store_explicit(&loop->is_stopping, false, memory_order_relaxed);
    return st;
}

void lw_loop_stop(lw_loop *loop)
{
    atomic_store_explicit(&loop->is_stopping, true, memory_order_release);
    write_wake(loop);
}

void lw_loop_post(lw_loop *loop, lw_task *task)
{
    lw_mutex_lock(&loop->mu);
    lw_dlist_push_back(&loop->posted, &task->link);
    bool must_wake = !loop->is_awake;
    loop->is_awake = true;
    lw_mutex_unlock(&loop->mu);
    if (must_wake)
        write_wake(loop);
}

void lw_loop_defer(lw_loop *loop, lw_task *task)
{
    lw_dlist_push_back(&loop->deferred, &task->link);
}

void lw_loop_later(lw_loop *loop, lw_task *task)
{
    lw_dlist_push_back(&loop->later, &task->link);
}

uint64_t lw_loop_batch(const lw_loop *loop)
{
    return loop->batch_number;
}

static uint32_t bits_of(unsigned wanted)
{
    return (wanted & LW_IO_READ ? (uint32_t)EPOLLIN : 0) |
           (wanted & LW_IO_WRITE ? (uint32_t)EPOLLOUT : 0);
}

lw_status lw_loop_add(lw_loop *loop, lw_io *io, lw_error *err)
{
    struct epoll_event event = { .events = bits_of(io->wanted), .data.ptr = io };
    if (epoll_ctl(loop->epoll_fd, EPOLL_CTL_ADD, io->fd, &event) == 0)
        return LW_OK;
    if (errno == ENOMEM)
        return lw_error_nomem(err);
    return lw_error_set(err, LW_ERR_IO, "epoll_ctl: %s", strerror(errno));
}

void lw_loop_change(lw_loop *loop, lw_io *io, unsigned wanted)
{
    if (io->wanted == wanted)
        return;
    io->wanted = wanted;
    struct epoll_event event = { .events = bits_of(wanted), .data.ptr = io };
    int result = epoll_ctl(loop->epoll_fd, EPOLL_CTL_MOD, io->fd, &event);
    assert(result == 0 && "changing the wait on a descriptor that was not added");
    (void)result;
}

void lw_loop_remove(lw_loop *loop, lw_io *io)
{
    struct epoll_event unused = { 0 };
    int result = epoll_ctl(loop->epoll_fd, EPOLL_CTL_DEL, io->fd, &unused);
    assert(result == 0 && "ending the wait on a descriptor that was not added");
    (void)result;
    /* An event for it may be in the current batch. */
    for (int i = loop->batch_next; i < loop->batch_end; i++) {
        if (loop->batch[i].data.ptr == io)
            loop->batch[i].data.ptr = NULL;
    }
}

lw_status lw_timer_set(lw_loop *loop, lw_timer *timer, int64_t deadline_ns)
{
    timer->deadline_ns = deadline_ns;
    if (lw_heap_node_is_in(&timer->node)) {
        lw_heap_update(&loop->timers, &timer->node);
        return LW_OK;
    }
    return lw_heap_push(&loop->timers, &timer->node);
}

void lw_timer_cancel(lw_loop *loop, lw_timer *timer)
{
    if (lw_heap_node_is_in(&timer->node))
        lw_heap_remove(&loop->timers, &timer->node);
}

int64_t lw_loop_now(const lw_loop *loop)
{
    return loop->now_ns;
}

const lw_clock *lw_loop_clock(const lw_loop *loop)
{
    return loop->clock;
}

void lw_loop_set_data(lw_loop *loop, void *data)
{
    loop->data = data;
}

void *lw_loop_data(const lw_loop *loop)
{
    return loop->data;
}
