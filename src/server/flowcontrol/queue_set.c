/* SPDX-License-Identifier: Apache-2.0 */
/* queue_set.c -- the queues of one priority level. */
#include "server/flowcontrol/queue_set.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "server/flowcontrol/shuffle_shard.h"

/* The estimate for a request that has not finished, as in kube-apiserver. */
#define SERVICE_NS (3 * LW_NS_PER_MS)

/* Queues that were allocated together: a list in use cannot move. */
typedef struct block {
    lw_dlist_node link;
    lw_flow_queue queues[];
} block;

lw_seat_seconds lw_seat_seconds_of(double seats, int64_t ns)
{
    double value = seats * (double)ns / ((double)LW_NS_PER_S / (double)LW_SEAT_SECOND);
    return (lw_seat_seconds)(int64_t)(value < 0 ? value - 0.5 : value + 0.5);
}

void lw_queue_set_init(lw_queue_set *set, int64_t now_ns)
{
    *set = (lw_queue_set){ .last_ns = now_ns };
    lw_dlist_init(&set->blocks);
    lw_dlist_init(&set->active);
    lw_dlist_init(&set->executing);
}

void lw_queue_set_done(lw_queue_set *set)
{
    assert(lw_queue_set_is_idle(set));
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(&set->blocks));)
        lw_free(LW_DLIST_ITEM(node, block, link));
    lw_free(set->queues);
}

/* Brings R up to date; call it before anything changes. */
static void sync_time(lw_queue_set *set, int64_t now_ns)
{
    int64_t elapsed_ns = now_ns - set->last_ns;
    set->last_ns = now_ns;
    if (set->busy == 0 || elapsed_ns <= 0)
        return;
    uint64_t seats = set->queued_seats_in_use + set->seats_waiting;
    if (seats > set->config.limit)
        seats = set->config.limit;
    set->current_r += lw_seat_seconds_of((double)seats / (double)set->busy, elapsed_ns);
}

/* A queue that does not use its share must not save it up: in virtual time, too, no request starts
 * before it has arrived. */
static void bound_next_dispatch(lw_flow_queue *queue)
{
    const lw_flow_item *oldest = LW_DLIST_ITEM(lw_dlist_first(&queue->waiting), lw_flow_item, link);
    if (oldest && queue->next_dispatch_r < oldest->arrival_r)
        queue->next_dispatch_r = oldest->arrival_r;
}

static bool is_busy(const lw_flow_queue *queue)
{
    return queue->waiting_count > 0 || queue->executing_count > 0;
}

static bool has_seats(const lw_queue_set *set, uint32_t seats)
{
    if (set->config.is_exempt)
        return true;
    /* A request that needs more seats than there are executes alone. */
    if (seats > set->config.limit)
        return set->executing_count == 0;
    return set->seats_in_use + seats <= set->config.limit;
}

static void set_out(lw_queue_set *set, lw_flow_item *item)
{
    uint32_t seats = lw_flow_work_max_seats(&item->work);
    set->seats_in_use -= seats;
    if (item->queue) {
        item->queue->seats_in_use -= seats;
        set->queued_seats_in_use -= seats;
    }
    item->state = LW_FLOW_ITEM_OUT;
}

static void start(lw_queue_set *set, lw_flow_item *item, int64_t now_ns)
{
    uint32_t seats = lw_flow_work_max_seats(&item->work);
    item->state = LW_FLOW_ITEM_EXECUTING;
    item->start_ns = now_ns;
    lw_dlist_push_back(&set->executing, &item->link);
    set->executing_count++;
    set->seats_in_use += seats;
    if (item->queue) {
        item->queue->executing_count++;
        item->queue->seats_in_use += seats;
        set->queued_seats_in_use += seats;
    }
}

/* Removes a waiting item from its queue, which stays busy for the caller to look at. */
static void dequeue(lw_queue_set *set, lw_flow_item *item)
{
    lw_flow_queue *queue = item->queue;
    uint32_t seats = lw_flow_work_max_seats(&item->work);
    lw_dlist_remove(&item->link);
    queue->waiting_count--;
    queue->initial_seats_waiting -= item->work.initial_seats;
    queue->max_seats_waiting -= seats;
    queue->work_waiting -= item->total_work;
    if (queue->waiting_count == 0)
        lw_dlist_remove(&queue->active);
    set->waiting_count--;
    set->seats_waiting -= seats;
}

static void enqueue(lw_queue_set *set, lw_flow_queue *queue, lw_flow_item *item)
{
    uint32_t seats = lw_flow_work_max_seats(&item->work);
    if (!is_busy(queue)) {
        queue->next_dispatch_r = set->current_r;
        set->busy++;
    }
    item->state = LW_FLOW_ITEM_WAITING;
    item->queue = queue;
    item->waited_seats = seats;
    lw_dlist_push_back(&queue->waiting, &item->link);
    if (queue->waiting_count++ == 0)
        lw_dlist_push_back(&set->active, &queue->active);
    queue->initial_seats_waiting += item->work.initial_seats;
    queue->max_seats_waiting += seats;
    queue->work_waiting += item->total_work;
    set->waiting_count++;
    set->seats_waiting += seats;
}

/* Returns the queue whose oldest request finishes first in virtual time; among equals, the next one
 * in round-robin order.  Requests wait. */
static lw_flow_queue *find_next_queue(const lw_queue_set *set)
{
    lw_flow_queue *best = NULL;
    lw_seat_seconds best_finish = 0;
    size_t best_distance = 0;
    LW_DLIST_FOR_EACH(lw_flow_queue, queue, &set->active, active)
    {
        const lw_flow_item *oldest =
            LW_DLIST_ITEM(lw_dlist_first(&queue->waiting), lw_flow_item, link);
        lw_seat_seconds finish = queue->next_dispatch_r + oldest->total_work;
        size_t distance = (queue->index + set->queue_count - 1 - set->robin) % set->queue_count;
        if (!best || finish < best_finish || (finish == best_finish && distance < best_distance)) {
            best = queue;
            best_finish = finish;
            best_distance = distance;
        }
    }
    return best;
}

/* The seats after the execution cannot exceed the limit; the same work takes longer then. */
static void fit_final_seats(lw_flow_work *work, uint32_t limit)
{
    if (work->final_seats <= limit || limit == 0)
        return;
    work->additional_ns = work->additional_ns * work->final_seats / limit;
    work->final_seats = limit;
}

static bool dispatch_one(lw_queue_set *set, int64_t now_ns, lw_dlist *dispatched)
{
    lw_flow_queue *queue = find_next_queue(set);
    lw_flow_item *item = LW_DLIST_ITEM(lw_dlist_first(&queue->waiting), lw_flow_item, link);
    if (!has_seats(set, lw_flow_work_max_seats(&item->work)))
        return false;
    dequeue(set, item);
    fit_final_seats(&item->work, set->config.limit);
    start(set, item, now_ns);
    set->robin = queue->index;
    queue->next_dispatch_r += item->total_work;
    bound_next_dispatch(queue);
    lw_dlist_push_back(dispatched, &item->dispatched);
    return true;
}

static void dispatch(lw_queue_set *set, int64_t now_ns, lw_dlist *dispatched)
{
    while (set->waiting_count > 0 &&
           (set->seats_in_use < set->config.limit || set->config.is_exempt) &&
           dispatch_one(set, now_ns, dispatched)) {
    }
}

static lw_status add_queues(lw_queue_set *set, size_t count)
{
    size_t more = count - set->queue_count;
    lw_flow_queue **queues = lw_realloc_array(set->queues, count, sizeof(lw_flow_queue *));
    if (!queues)
        return LW_ERR_NOMEM;
    set->queues = queues;
    block *b = lw_alloc_zero(1, sizeof(*b) + more * sizeof(lw_flow_queue));
    if (!b)
        return LW_ERR_NOMEM;
    lw_dlist_push_back(&set->blocks, &b->link);
    for (size_t i = 0; i < more; i++) {
        lw_flow_queue *queue = &b->queues[i];
        lw_dlist_init(&queue->waiting);
        queue->index = (uint32_t)set->queue_count;
        set->queues[set->queue_count++] = queue;
    }
    return LW_OK;
}

lw_status lw_queue_set_configure(lw_queue_set *set, const lw_queue_set_config *config,
                                 int64_t now_ns, lw_dlist *dispatched)
{
    lw_status st = LW_OK;
    sync_time(set, now_ns);
    set->config = *config;
    if (set->config.queues > LW_QUEUE_SET_QUEUES_MAX)
        set->config.queues = LW_QUEUE_SET_QUEUES_MAX;
    if (set->config.queues > set->queue_count)
        st = add_queues(set, set->config.queues);
    if (set->config.queues > set->queue_count)
        set->config.queues = (uint32_t)set->queue_count;
    if (set->config.hand_size > set->config.queues)
        set->config.hand_size = set->config.queues;
    if (set->config.hand_size > LW_SHUFFLE_HAND_MAX)
        set->config.hand_size = LW_SHUFFLE_HAND_MAX;
    dispatch(set, now_ns, dispatched);
    return st;
}

/* Returns the queue of the flow's hand with the least work.  The hand is looked at from a different
 * card each time, so that no card is preferred. */
static lw_flow_queue *choose_queue(lw_queue_set *set, uint64_t hash)
{
    uint32_t hand[LW_SHUFFLE_HAND_MAX], size = set->config.hand_size;
    lw_flow_queue *best = NULL;
    lw_shuffle_deal(hash, set->config.queues, size, hand);
    uint64_t offset = set->enqueued++ % size;
    for (uint32_t i = 0; i < size; i++) {
        lw_flow_queue *queue = set->queues[hand[(offset + i) % size]];
        if (!best || queue->work_waiting < best->work_waiting)
            best = queue;
    }
    return best;
}

static lw_flow_verdict arrive_without_queues(lw_queue_set *set, lw_flow_item *item, int64_t now_ns)
{
    if (!has_seats(set, lw_flow_work_max_seats(&item->work)))
        return LW_FLOW_CONCURRENCY_LIMIT;
    item->queue = NULL;
    start(set, item, now_ns);
    return LW_FLOW_EXECUTE;
}

lw_flow_verdict lw_queue_set_arrive(lw_queue_set *set, lw_flow_item *item, uint64_t hash,
                                    int64_t now_ns, lw_dlist *dispatched)
{
    sync_time(set, now_ns);
    item->arrival_ns = now_ns;
    item->arrival_r = set->current_r;
    item->total_work = lw_seat_seconds_of(item->work.initial_seats, SERVICE_NS) +
                       lw_seat_seconds_of(item->work.final_seats, item->work.additional_ns);
    if (set->config.is_exempt || set->config.queues == 0)
        return arrive_without_queues(set, item, now_ns);
    lw_flow_queue *queue = choose_queue(set, hash);
    if (set->seats_in_use >= set->config.limit &&
        queue->waiting_count >= set->config.length_limit) {
        bound_next_dispatch(queue);
        return LW_FLOW_QUEUE_FULL;
    }
    enqueue(set, queue, item);
    bound_next_dispatch(queue);
    dispatch(set, now_ns, dispatched);
    if (item->state != LW_FLOW_ITEM_EXECUTING)
        return LW_FLOW_WAIT;
    lw_dlist_remove(&item->dispatched);
    return LW_FLOW_EXECUTE;
}

bool lw_queue_set_finish(lw_queue_set *set, lw_flow_item *item, int64_t now_ns,
                         lw_dlist *dispatched)
{
    assert(item->state == LW_FLOW_ITEM_EXECUTING);
    lw_flow_queue *queue = item->queue;
    bool lingers = item->work.additional_ns > 0;
    sync_time(set, now_ns);
    lw_dlist_remove(&item->link);
    set->executing_count--;
    if (queue) {
        int64_t surplus_ns = SERVICE_NS - (now_ns - item->start_ns);
        queue->next_dispatch_r -= lw_seat_seconds_of(item->work.initial_seats, surplus_ns);
        queue->executing_count--;
        bound_next_dispatch(queue);
        if (!is_busy(queue))
            set->busy--;
    }
    if (lingers)
        item->state = LW_FLOW_ITEM_LINGERING;
    else
        set_out(set, item);
    dispatch(set, now_ns, dispatched);
    return lingers;
}

void lw_queue_set_release(lw_queue_set *set, lw_flow_item *item, int64_t now_ns,
                          lw_dlist *dispatched)
{
    assert(item->state == LW_FLOW_ITEM_LINGERING);
    sync_time(set, now_ns);
    set_out(set, item);
    dispatch(set, now_ns, dispatched);
}

void lw_queue_set_cancel(lw_queue_set *set, lw_flow_item *item, int64_t now_ns,
                         lw_dlist *dispatched)
{
    assert(item->state == LW_FLOW_ITEM_WAITING);
    sync_time(set, now_ns);
    dequeue(set, item);
    item->state = LW_FLOW_ITEM_OUT;
    bound_next_dispatch(item->queue);
    if (!is_busy(item->queue))
        set->busy--;
    dispatch(set, now_ns, dispatched);
}
