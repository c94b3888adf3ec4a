/* SPDX-License-Identifier: Apache-2.0 */
/* key_scheduler.c -- a list of the keys that are due, and a timer for those that must wait. */
#include "api/context/key_scheduler.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/str.h"

static const lw_map_type by_name = LW_MAP_STR_TYPE(lw_scheduled_key, name);

static void timer_fire(lw_timer *timer)
{
    lw_key_scheduler_pump(LW_HEAP_ITEM(&timer->node, lw_key_scheduler, timer.node));
}

void lw_key_scheduler_init(lw_key_scheduler *scheduler, const lw_key_scheduler_type *type,
                           lw_loop *loop)
{
    *scheduler = (lw_key_scheduler){ .type = type, .loop = loop, .timer.fire = timer_fire };
    lw_map_init(&scheduler->keys, &by_name, lw_hash_seed_random(), type->keys_max);
    lw_dlist_init(&scheduler->due);
}

void lw_key_scheduler_done(lw_key_scheduler *scheduler)
{
    lw_key_scheduler_forget(scheduler);
    lw_map_done(&scheduler->keys);
}

int64_t lw_key_scheduler_now(const lw_key_scheduler *scheduler)
{
    return lw_clock_now(lw_loop_clock(scheduler->loop));
}

lw_scheduled_key *lw_key_scheduler_find(const lw_key_scheduler *scheduler, lw_str name)
{
    return lw_map_count(&scheduler->keys) > 0 ? lw_map_get_str(&scheduler->keys, name) : NULL;
}

lw_scheduled_key *lw_key_scheduler_add(lw_key_scheduler *scheduler, lw_str name)
{
    size_t size = scheduler->type->entry_size;
    void *replaced = NULL;
    lw_scheduled_key *key = lw_alloc_zero(1, size + name.len + 1);
    if (!key)
        return NULL;
    char *text = (char *)key + size;
    memcpy(text, name.ptr, name.len);
    key->name = lw_str_make(text, name.len);
    key->scheduler = scheduler;
    if (lw_map_put(&scheduler->keys, &key->name, key, &replaced) < 0) {
        lw_free(key);
        return NULL;
    }
    return key;
}

/* It is not in the map any more. */
static void drop(lw_scheduled_key *key)
{
    if (lw_dlist_node_is_linked(&key->due_link))
        lw_dlist_remove(&key->due_link);
    key->is_forgotten = true;
    if (!key->is_running)
        lw_free(key);
}

void lw_key_scheduler_remove(lw_scheduled_key *key)
{
    (void)lw_map_remove_str(&key->scheduler->keys, key->name);
    drop(key);
}

void lw_key_scheduler_want(lw_scheduled_key *key)
{
    if (key->is_running) {
        key->is_due_again = true;
    } else if (!lw_dlist_node_is_linked(&key->due_link)) {
        key->due_since_ns = lw_key_scheduler_now(key->scheduler);
        lw_dlist_push_back(&key->scheduler->due, &key->due_link);
    }
}

void lw_key_scheduler_want_all(lw_key_scheduler *scheduler)
{
    lw_map_cursor cursor = lw_map_begin(&scheduler->keys);
    for (lw_scheduled_key *key; (key = lw_map_next(&scheduler->keys, &cursor));)
        lw_key_scheduler_want(key);
}

void lw_key_scheduler_pass_over(lw_scheduled_key *key, bool is_wanted_again)
{
    lw_key_scheduler *scheduler = key->scheduler;
    key->is_running = false;
    scheduler->running--;
    if (key->is_forgotten) {
        lw_free(key);
    } else {
        if (is_wanted_again || key->is_due_again)
            lw_key_scheduler_want(key);
        key->is_due_again = false;
    }
    lw_key_scheduler_pump(scheduler);
}

static void start_pass(lw_scheduled_key *key, int64_t now_ns)
{
    lw_dlist_remove(&key->due_link);
    key->is_running = true;
    key->began_ns = now_ns;
    key->scheduler->running++;
    key->scheduler->type->start(key);
}

void lw_key_scheduler_pump(lw_key_scheduler *scheduler)
{
    int64_t next_ns = INT64_MAX;
    lw_dlist later;
    if (scheduler->is_pumping || scheduler->is_stopped)
        return;
    scheduler->is_pumping = true;
    lw_dlist_init(&later);
    while (scheduler->running < scheduler->type->running_max && !scheduler->is_stopped) {
        lw_scheduled_key *key =
            LW_DLIST_ITEM(lw_dlist_first(&scheduler->due), lw_scheduled_key, due_link);
        if (!key)
            break;
        int64_t ready_ns = scheduler->type->ready_ns(key);
        int64_t now_ns = lw_key_scheduler_now(scheduler);
        if (ready_ns <= now_ns) {
            start_pass(key, now_ns);
            continue;
        }
        lw_dlist_remove(&key->due_link);
        lw_dlist_push_back(&later, &key->due_link);
        if (ready_ns < next_ns)
            next_ns = ready_ns;
    }
    lw_dlist_append_all(&scheduler->due, &later);
    scheduler->is_pumping = false;
    if (!scheduler->is_stopped && next_ns != INT64_MAX)
        (void)lw_timer_set(scheduler->loop, &scheduler->timer, next_ns);
}

void lw_key_scheduler_forget(lw_key_scheduler *scheduler)
{
    lw_map_cursor cursor = lw_map_begin(&scheduler->keys);
    lw_timer_cancel(scheduler->loop, &scheduler->timer);
    for (lw_scheduled_key *key; (key = lw_map_next(&scheduler->keys, &cursor));)
        drop(key);
    lw_map_clear(&scheduler->keys);
}

void lw_key_scheduler_stop(lw_key_scheduler *scheduler)
{
    scheduler->is_stopped = true;
    lw_timer_cancel(scheduler->loop, &scheduler->timer);
}
