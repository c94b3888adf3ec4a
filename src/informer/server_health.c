/* SPDX-License-Identifier: Apache-2.0 */
/* server_health.c -- one reflector probes for all while the server is down, and the first answer
 * wakes the others.
 *
 * Invariant: while the server is down, at most one request begins between |next_ns| and the next
 * |next_ns|.  A probe that gets no answer does not block the next one. */
#include "informer/server_health.h"

#include <assert.h>

#include "base/clock.h"

void lw_server_health_init(lw_server_health *health, uint64_t seed)
{
    const lw_backoff_options delays = { .base_ns = LW_HEALTH_PROBE_MIN_MS * LW_NS_PER_MS,
                                        .cap_ns = LW_HEALTH_PROBE_MAX_MS * LW_NS_PER_MS,
                                        .factor = 2.0,
                                        .jitter = 1.0 };
    *health = (lw_server_health){ .list_full_ns = INT64_MIN };
    lw_dlist_init(&health->members);
    lw_random_init(&health->random, seed);
    lw_status st = lw_backoff_init(&health->probes, &delays, lw_random_next(&health->random));
    assert(st == LW_OK);
    (void)st;
}

void lw_server_health_join(lw_server_health *health, lw_health_member *member)
{
    lw_dlist_push_back(&health->members, &member->link);
    health->count++;
}

void lw_server_health_leave(lw_server_health *health, lw_health_member *member)
{
    lw_dlist_remove(&member->link);
    health->count--;
}

static int64_t draw(lw_server_health *health, int64_t bound_ns)
{
    return (int64_t)lw_random_below(&health->random, (uint64_t)bound_ns);
}

void lw_server_health_bad(lw_server_health *health, const lw_error *err, int64_t now_ns)
{
    health->error = *err;
    if (health->is_down)
        return;
    health->is_down = true;
    health->down_ns = now_ns;
    lw_backoff_reset(&health->probes);
    health->next_ns = now_ns + lw_backoff_next(&health->probes, now_ns);
}

void lw_server_health_cut(lw_server_health *health, int64_t now_ns)
{
    if (health->cuts == 0 || now_ns - health->cut_ns > LW_HEALTH_CUT_S * LW_NS_PER_S) {
        health->cut_ns = now_ns;
        health->cuts = 0;
    }
    health->cuts++;
}

/* One watch in four is more than the ends of single connections. */
static bool are_many_cut(const lw_server_health *health)
{
    return health->cuts >= 2 && health->cuts * 4 >= health->count;
}

void lw_server_health_good(lw_server_health *health, int64_t now_ns)
{
    bool is_late = health->cuts > 0 && now_ns - health->cut_ns > LW_HEALTH_CUT_S * LW_NS_PER_S;
    if (!health->is_down && !are_many_cut(health)) {
        if (is_late)
            health->cuts = 0;
        return;
    }
    int64_t since_ns = health->is_down ? health->down_ns : health->cut_ns;
    if (health->cuts > 0 && health->cut_ns < since_ns)
        since_ns = health->cut_ns;
    health->is_down = false;
    health->cuts = 0;
    uint64_t ms = health->count / 2;
    if (ms < LW_HEALTH_SPREAD_MIN_MS)
        ms = LW_HEALTH_SPREAD_MIN_MS;
    if (ms > LW_HEALTH_SPREAD_MAX_MS)
        ms = LW_HEALTH_SPREAD_MAX_MS;
    LW_DLIST_FOR_EACH(lw_health_member, member, &health->members, link)
    member->on_up(member, since_ns, draw(health, (int64_t)ms * LW_NS_PER_MS));
}

int64_t lw_server_health_send_ns(lw_server_health *health, int64_t now_ns)
{
    if (!health->is_down)
        return now_ns;
    if (now_ns < health->next_ns) {
        /* A random one comes first next time: the one that probed last may be hopeless. */
        return health->next_ns + draw(health, LW_HEALTH_SPREAD_MIN_MS * LW_NS_PER_MS);
    }
    health->next_ns = now_ns + lw_backoff_next(&health->probes, now_ns);
    return now_ns;
}

int64_t lw_server_health_list_ns(lw_server_health *health, int64_t now_ns)
{
    const int64_t each_ns = LW_NS_PER_S / LW_HEALTH_LISTS_PER_S;
    const int64_t burst_ns = LW_HEALTH_LISTS_BURST * each_ns;
    if (health->list_full_ns < now_ns)
        health->list_full_ns = now_ns;
    health->list_full_ns += each_ns;
    int64_t begin_ns = health->list_full_ns - burst_ns;
    return begin_ns > now_ns ? begin_ns : now_ns;
}
