/* SPDX-License-Identifier: Apache-2.0 */
/* event_correlator.c -- combines similar Events, then counts equal ones, then filters. */
#include "operator/event_correlator.h"

#include <listwatch/time.h>

void lw_event_correlator_init(lw_event_correlator *correlator)
{
    correlator->seed = lw_hash_seed_random();
}

/* Returns the hash of |text| and of what came before; never 0. */
static uint64_t add(const lw_event_correlator *c, uint64_t before, const char *text)
{
    lw_hash_seed seed = { c->seed.k0 ^ before, c->seed.k1 };
    uint64_t hash = lw_hash_str(seed, lw_str_of(text));
    return hash ? hash : 1;
}

/* Component and object. */
static uint64_t source_of(const lw_event_correlator *c, const lw_event_content *content)
{
    const lw_object *object = content->object;
    uint64_t hash = add(c, add(c, 0, content->component), content->host);
    hash = add(c, add(c, hash, lw_object_kind(object)), lw_object_api_version(object));
    hash = add(c, add(c, hash, lw_object_namespace(object)), lw_object_name(object));
    return add(c, hash, lw_object_uid(object));
}

/* Takes one from the allowance. */
static bool may_write(lw_event_correlator *c, uint64_t source, int64_t now_ns)
{
    lw_event_allowance *a = &c->allowances[source % LW_CORRELATOR_ENTRIES];
    if (a->hash != source)
        *a = (lw_event_allowance){ source, LW_CORRELATOR_BURST, now_ns };
    a->tokens +=
        (double)(now_ns - a->at_ns) / ((double)LW_CORRELATOR_REFILL_S * (double)LW_NS_PER_S);
    if (a->tokens > LW_CORRELATOR_BURST)
        a->tokens = LW_CORRELATOR_BURST;
    a->at_ns = now_ns;
    if (a->tokens < 1)
        return false;
    a->tokens -= 1;
    return true;
}

/* Notes the message in its group.  Returns true if there are too many different ones. */
static bool is_to_combine(lw_event_correlator *c, uint64_t group, uint64_t message, int64_t now_ns)
{
    lw_event_group *g = &c->groups[group % LW_CORRELATOR_ENTRIES];
    if (g->hash != group || now_ns - g->last_ns > LW_CORRELATOR_WINDOW_S * LW_NS_PER_S)
        *g = (lw_event_group){ .hash = group };
    g->last_ns = now_ns;
    for (unsigned i = 0; i < g->count; i++) {
        if (g->messages[i] == message)
            return false;
    }
    if (g->count == LW_CORRELATOR_SIMILAR - 1)
        return true;
    g->messages[g->count++] = message;
    return false;
}

lw_event_verdict lw_event_correlate(lw_event_correlator *c, const lw_event_content *content,
                                    int64_t now_ns)
{
    uint64_t source = source_of(c, content);
    uint64_t group = add(c, add(c, source, content->type), content->reason);
    uint64_t key = add(c, group, content->message);
    lw_event_verdict verdict = { .is_combined = is_to_combine(c, group, key, now_ns) };
    if (verdict.is_combined)
        key = group;
    lw_event_series *series = &c->series[key % LW_CORRELATOR_ENTRIES];
    if (series->hash != key)
        *series = (lw_event_series){ .hash = key, .first_wall_ns = content->wall_ns };
    series->count++; /* also of those that are filtered, as in client-go */
    verdict.is_filtered = !may_write(c, source, now_ns);
    verdict.series = verdict.is_filtered ? NULL : series;
    return verdict;
}
