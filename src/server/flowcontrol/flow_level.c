/* SPDX-License-Identifier: Apache-2.0 */
/* flow_level.c -- a priority level at run time. */
#include "server/flowcontrol/flow_level.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"

lw_flow_level *lw_flow_level_new(lw_str name, const lw_clock *clock)
{
    lw_flow_level *level = lw_alloc_zero(1, sizeof(*level));
    if (!level)
        return NULL;
    level->name = lw_str_dup(name);
    if (!level->name) {
        lw_free(level);
        return NULL;
    }
    lw_ref_init(&level->ref);
    lw_mutex_init(&level->mu);
    level->clock = clock;
    level->spec.name = lw_str_of(level->name);
    lw_queue_set_init(&level->set, lw_clock_now(clock));
    lw_seat_demand_init(&level->demand, lw_clock_now(clock));
    lw_dlist_init(&level->stats);
    return level;
}

lw_flow_level *lw_flow_level_ref(lw_flow_level *level)
{
    lw_ref_inc(&level->ref);
    return level;
}

static void stats_free(lw_flow_stats *stats)
{
    lw_free(stats->schema);
    lw_free(stats);
}

void lw_flow_level_unref(lw_flow_level *level)
{
    if (!level || !lw_ref_dec(&level->ref))
        return;
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(&level->stats));)
        stats_free(LW_DLIST_ITEM(node, lw_flow_stats, link));
    lw_queue_set_done(&level->set);
    lw_mutex_done(&level->mu);
    lw_free(level->name);
    lw_free(level);
}

void lw_flow_level_set_spec(lw_flow_level *level, const lw_flow_level_spec *spec)
{
    size_t len = spec->uid.len < LW_FLOW_UID_SIZE ? spec->uid.len : LW_FLOW_UID_SIZE - 1;
    lw_mutex_lock(&level->mu);
    level->spec = *spec;
    level->spec.name = lw_str_of(level->name);
    if (len > 0)
        memcpy(level->uid, spec->uid.ptr, len);
    level->uid[len] = '\0';
    level->spec.uid = lw_str_make(level->uid, len);
    level->is_quiescing = false;
    lw_mutex_unlock(&level->mu);
}

/* Notes the demand after a change. */
static void note_demand(lw_flow_level *level, int64_t now_ns)
{
    lw_seat_demand_set(&level->demand, level->set.seats_in_use + level->set.seats_waiting, now_ns);
}

static void note_wait(lw_flow_level *level, const lw_flow_ticket *ticket, bool is_executed,
                      int64_t now_ns)
{
    if (!level->spec.is_exempt)
        lw_flow_histogram_add(&ticket->stats->waits[is_executed], &lw_flow_duration_buckets,
                              now_ns - ticket->item.arrival_ns);
}

static void note_started(lw_flow_level *level, const lw_flow_ticket *ticket, int64_t now_ns)
{
    lw_flow_stats *stats = ticket->stats;
    stats->executing_requests++;
    stats->executing_seats += lw_flow_work_max_seats(&ticket->item.work);
    stats->dispatched++;
    level->dispatched++;
    note_wait(level, ticket, true, now_ns);
}

static void note_dequeued(const lw_flow_ticket *ticket, uint32_t seats)
{
    ticket->stats->waiting_requests--;
    ticket->stats->waiting_seats -= seats;
}

static int64_t note_rejected(lw_flow_level *level, const lw_flow_ticket *ticket,
                             lw_flow_reason reason, int64_t now_ns)
{
    ticket->stats->rejected[reason]++;
    level->rejected++;
    note_wait(level, ticket, false, now_ns);
    return lw_flow_retry_note(&level->retry, now_ns / LW_NS_PER_S);
}

/* Counts the requests of |dispatched| after |last|, which were waiting. */
static void note_dispatched(lw_flow_level *level, lw_dlist *dispatched, lw_dlist_node *last,
                            int64_t now_ns)
{
    lw_dlist_node *node = last ? lw_dlist_next(dispatched, last) : lw_dlist_first(dispatched);
    for (; node; node = lw_dlist_next(dispatched, node)) {
        const lw_flow_ticket *ticket = LW_DLIST_ITEM(node, lw_flow_ticket, item.dispatched);
        note_dequeued(ticket, ticket->item.waited_seats);
        note_started(level, ticket, now_ns);
    }
    note_demand(level, now_ns);
}

lw_status lw_flow_level_set_seats(lw_flow_level *level, uint32_t seats, lw_dlist *dispatched)
{
    lw_mutex_lock(&level->mu);
    int64_t now_ns = lw_clock_now(level->clock);
    lw_dlist_node *last = lw_dlist_last(dispatched);
    const lw_queue_set_config config = {
        .is_exempt = level->spec.is_exempt,
        .queues = level->spec.queues,
        .hand_size = level->spec.hand_size,
        .length_limit = level->spec.length_limit,
        .limit = seats,
    };
    level->current = seats;
    lw_status st = lw_queue_set_configure(&level->set, &config, now_ns, dispatched);
    note_dispatched(level, dispatched, last, now_ns);
    lw_mutex_unlock(&level->mu);
    return st;
}

static lw_flow_stats *find_stats(const lw_flow_level *level, lw_str schema)
{
    LW_DLIST_FOR_EACH(lw_flow_stats, stats, &level->stats, link)
    {
        if (lw_str_equal(lw_str_of(stats->schema), schema))
            return stats;
    }
    return NULL;
}

lw_flow_stats *lw_flow_level_stats(lw_flow_level *level, lw_str schema)
{
    lw_mutex_lock(&level->mu);
    lw_flow_stats *stats = find_stats(level, schema);
    if (!stats && (stats = lw_alloc_zero(1, sizeof(*stats)))) {
        stats->schema = lw_str_dup(schema);
        if (stats->schema) {
            lw_dlist_push_back(&level->stats, &stats->link);
        } else {
            lw_free(stats);
            stats = NULL;
        }
    }
    if (stats)
        stats->users++;
    lw_mutex_unlock(&level->mu);
    return stats;
}

void lw_flow_level_forget_stats(lw_flow_level *level, lw_flow_stats *stats)
{
    lw_mutex_lock(&level->mu);
    stats->users--;
    lw_mutex_unlock(&level->mu);
}

void lw_flow_level_prune_stats(lw_flow_level *level)
{
    lw_mutex_lock(&level->mu);
    LW_DLIST_FOR_EACH_SAFE(lw_flow_stats, stats, &level->stats, link)
    {
        /* The seats count requests that linger, too. */
        if (stats->users > 0 || stats->waiting_requests > 0 || stats->executing_seats > 0)
            continue;
        lw_dlist_remove(&stats->link);
        stats_free(stats);
    }
    lw_mutex_unlock(&level->mu);
}

static void note_waiting(const lw_flow_ticket *ticket)
{
    lw_flow_stats *stats = ticket->stats;
    stats->waiting_requests++;
    stats->waiting_seats += ticket->item.waited_seats;
}

lw_flow_verdict lw_flow_level_arrive(lw_flow_level *level, lw_flow_ticket *ticket, uint64_t hash,
                                     lw_dlist *dispatched, int64_t *retry_after_s)
{
    lw_mutex_lock(&level->mu);
    int64_t now_ns = lw_clock_now(level->clock);
    lw_dlist_node *last = lw_dlist_last(dispatched);
    lw_flow_stats *stats = ticket->stats;
    lw_flow_histogram_add(&stats->seats, &lw_flow_seats_buckets,
                          lw_flow_work_max_seats(&ticket->item.work));
    lw_flow_verdict verdict =
        lw_queue_set_arrive(&level->set, &ticket->item, hash, now_ns, dispatched);
    switch (verdict) {
    case LW_FLOW_EXECUTE: note_started(level, ticket, now_ns); break;
    case LW_FLOW_WAIT: note_waiting(ticket); break;
    case LW_FLOW_QUEUE_FULL:
        *retry_after_s = note_rejected(level, ticket, LW_FLOW_REASON_QUEUE_FULL, now_ns);
        break;
    case LW_FLOW_CONCURRENCY_LIMIT:
        *retry_after_s = note_rejected(level, ticket, LW_FLOW_REASON_CONCURRENCY_LIMIT, now_ns);
        break;
    }
    if (ticket->item.queue && verdict <= LW_FLOW_WAIT)
        lw_flow_histogram_add(&stats->queue_lengths, &lw_flow_length_buckets,
                              ticket->item.queue->waiting_count + (verdict == LW_FLOW_EXECUTE));
    note_dispatched(level, dispatched, last, now_ns);
    lw_mutex_unlock(&level->mu);
    return verdict;
}

bool lw_flow_level_cancel(lw_flow_level *level, lw_flow_ticket *ticket, bool is_late,
                          lw_dlist *dispatched, int64_t *retry_after_s)
{
    lw_mutex_lock(&level->mu);
    bool is_waiting = ticket->item.state == LW_FLOW_ITEM_WAITING;
    if (is_waiting) {
        int64_t now_ns = lw_clock_now(level->clock);
        lw_dlist_node *last = lw_dlist_last(dispatched);
        lw_queue_set_cancel(&level->set, &ticket->item, now_ns, dispatched);
        note_dequeued(ticket, ticket->item.waited_seats);
        *retry_after_s = note_rejected(level, ticket, LW_FLOW_REASON_TIME_OUT, now_ns);
        if (is_late)
            level->timed_out++;
        else
            level->cancelled++;
        note_dispatched(level, dispatched, last, now_ns);
    }
    lw_mutex_unlock(&level->mu);
    return is_waiting;
}

static void note_released(const lw_flow_ticket *ticket)
{
    ticket->stats->executing_seats -= lw_flow_work_max_seats(&ticket->item.work);
}

bool lw_flow_level_finish(lw_flow_level *level, lw_flow_ticket *ticket, lw_dlist *dispatched)
{
    lw_mutex_lock(&level->mu);
    int64_t now_ns = lw_clock_now(level->clock);
    lw_dlist_node *last = lw_dlist_last(dispatched);
    bool lingers = lw_queue_set_finish(&level->set, &ticket->item, now_ns, dispatched);
    ticket->stats->executing_requests--;
    lw_flow_histogram_add(&ticket->stats->executions[ticket->is_watch], &lw_flow_duration_buckets,
                          now_ns - ticket->item.start_ns);
    if (!lingers)
        note_released(ticket);
    note_dispatched(level, dispatched, last, now_ns);
    lw_mutex_unlock(&level->mu);
    return lingers;
}

void lw_flow_level_release(lw_flow_level *level, lw_flow_ticket *ticket, lw_dlist *dispatched)
{
    lw_mutex_lock(&level->mu);
    int64_t now_ns = lw_clock_now(level->clock);
    lw_dlist_node *last = lw_dlist_last(dispatched);
    lw_queue_set_release(&level->set, &ticket->item, now_ns, dispatched);
    note_released(ticket);
    note_dispatched(level, dispatched, last, now_ns);
    lw_mutex_unlock(&level->mu);
}

bool lw_flow_level_is_idle(lw_flow_level *level)
{
    lw_mutex_lock(&level->mu);
    bool is_idle = lw_queue_set_is_idle(&level->set);
    lw_mutex_unlock(&level->mu);
    return is_idle;
}
