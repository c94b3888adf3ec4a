/* SPDX-License-Identifier: Apache-2.0 */
/* rig.h -- a reflector between a scripted source and a cache, with a manual clock.
 *
 * Instead of a controller, the rig applies each delta to an indexer and records it as a line:
 * "+a/x@7" added, "~" updated, "-" deleted, "=" replaced, "*" resync, "." bookmark. */
#ifndef LW_TESTS_UNIT_INFORMER_RIG_H
#define LW_TESTS_UNIT_INFORMER_RIG_H

#include <stdio.h>

#include "base/clock.h"
#include "base/sync.h"
#include "informer/reflector.h"
#include "support/script_source.h"
#include "unit/test.h"

typedef struct rig {
    lw_manual_clock *clock;
    script_source source;
    lw_delta_fifo *fifo;
    lw_indexer *indexer;
    lw_reflector *reflector;
    char log[2048];
    size_t log_len;
    unsigned errors;
    lw_error last_error;
    unsigned transforms;
    const char *refused; /* name of the object that the transformation refuses */
    bool is_not_drained; /* leave the queue alone */
    void (*on_delta)(const lw_delta *delta, void *arg); /* sees each before it is applied */
    void *on_delta_arg;
} rig;

static inline void rig_note(rig *g, char mark, const lw_object *obj, const char *rv)
{
    char key[128] = "";
    if (obj)
        (void)lw_key_print(lw_object_key(obj), key, sizeof(key));
    int len = snprintf(g->log + g->log_len, sizeof(g->log) - g->log_len, "%s%c%s%s%s",
                       g->log_len ? " " : "", mark, key, rv ? "@" : "", rv ? rv : "");
    if (len > 0 && g->log_len + (size_t)len < sizeof(g->log))
        g->log_len += (size_t)len;
}

static inline void rig_apply(rig *g, const lw_delta *delta)
{
    static const char marks[] = { 0, '+', '~', '-', '=', '*', '.' };
    const lw_object *obj = delta->object;
    lw_object *old = NULL;
    if (g->on_delta)
        g->on_delta(delta, g->on_delta_arg);
    rig_note(g, marks[delta->type], obj, obj ? lw_object_resource_version(obj) : delta->rv);
    if (delta->type == LW_DELTA_REPLACED)
        assert_int_equal(lw_indexer_replace(g->indexer, lw_replacement_objects(delta->replacement),
                                            lw_replacement_count(delta->replacement), NULL, NULL),
                         LW_OK);
    else if (delta->type == LW_DELTA_DELETED)
        lw_indexer_remove(g->indexer, lw_object_key(obj), &old);
    else if (obj)
        assert_int_equal(lw_indexer_put(g->indexer, obj, &old), LW_OK);
    lw_object_unref(old);
}

static inline void rig_drain(rig *g)
{
    lw_dlist deltas;
    while (!g->is_not_drained && lw_delta_fifo_pop(g->fifo, &deltas)) {
        LW_DLIST_FOR_EACH_SAFE(lw_delta, delta, &deltas, arrival)
        {
            rig_apply(g, delta);
            lw_delta_free(delta);
        }
        lw_delta_fifo_processed(g->fifo);
    }
}

/* Lets the reflector do what it can do now, and applies what it queued. */
static inline void rig_run_until_idle(rig *g)
{
    const lw_clock *clock = lw_manual_clock_as_clock(g->clock);
    for (int i = 0; lw_reflector_deadline_ns(g->reflector) <= lw_clock_now(clock); i++) {
        assert_true(i < 100); /* it must become idle */
        lw_reflector_tick(g->reflector);
    }
    rig_drain(g);
    assert_int_equal(g->source.faults, 0);
}

/* Lets |ns| pass. */
static inline void rig_advance(rig *g, int64_t ns)
{
    lw_manual_clock_advance(g->clock, ns);
    rig_run_until_idle(g);
}

/* Advances the clock to the next deadline of the reflector; returns the time that has passed. */
static inline int64_t rig_wait(rig *g)
{
    int64_t now = lw_clock_now(lw_manual_clock_as_clock(g->clock));
    int64_t deadline = lw_reflector_deadline_ns(g->reflector);
    assert_true(deadline != LW_NEVER_NS);
    int64_t delay = deadline > now ? deadline - now : 0;
    rig_advance(g, delay);
    return delay;
}

static inline const lw_object *rig_known(lw_key key, void *arg)
{
    rig *g = arg;
    return lw_indexer_borrow(g->indexer, key);
}

static inline lw_object *rig_transform(const lw_object *obj, void *arg)
{
    rig *g = arg;
    g->transforms++;
    if (g->refused && strcmp(g->refused, lw_object_name(obj)) == 0)
        return NULL;
    return lw_object_ref(obj);
}

static inline void rig_on_error(const lw_error *err, void *arg)
{
    rig *g = arg;
    g->errors++;
    g->last_error = *err;
}

/* The options that rig_open completes. */
static inline lw_reflector_options rig_options(void)
{
    return (lw_reflector_options){ .seed = 1 };
}

static inline void rig_open_with(rig *g, const lw_reflector_options *options,
                                 const lw_delta_fifo_options *queue)
{
    *g = (rig){ .errors = 0 };
    script_init(&g->source);
    assert_int_equal(lw_manual_clock_new(&g->clock, 0), LW_OK);
    assert_int_equal(lw_delta_fifo_new(&g->fifo, queue), LW_OK);
    assert_int_equal(lw_indexer_new(&g->indexer), LW_OK);
    lw_reflector_options all = *options;
    all.source = &g->source.base;
    all.fifo = g->fifo;
    all.known = rig_known;
    all.transform = rig_transform;
    all.on_error = rig_on_error;
    all.arg = g;
    all.clock = lw_manual_clock_as_clock(g->clock);
    assert_int_equal(lw_reflector_new(&g->reflector, &all, NULL), LW_OK);
    lw_reflector_start(g->reflector);
    rig_run_until_idle(g);
}

static inline void rig_open(rig *g, const lw_reflector_options *options)
{
    rig_open_with(g, options, NULL);
}

/* A reflector that lists. */
static inline void rig_open_listing(rig *g)
{
    lw_reflector_options options = rig_options();
    options.lists_only = true;
    rig_open(g, &options);
}

static inline void rig_close(rig *g)
{
    lw_reflector_free(g->reflector);
    lw_delta_fifo_free(g->fifo);
    lw_indexer_free(g->indexer);
    lw_manual_clock_free(g->clock);
    assert_int_equal(g->source.faults, 0);
    assert_false(g->source.is_under_way);
}

static inline lw_informer_statistics rig_stats(const rig *g)
{
    lw_informer_statistics stats = { .objects = 0 };
    lw_reflector_stats(g->reflector, &stats);
    return stats;
}

#define assert_request(g, expected) assert_string_equal(script_request(&(g)->source), (expected))

/* What was applied since the last look. */
#define assert_applied(g, expected)                                                                \
    do {                                                                                           \
        assert_string_equal((g)->log, (expected));                                                 \
        (g)->log_len = 0;                                                                          \
        (g)->log[0] = '\0';                                                                        \
    } while (0)

/* A delay of the backoff whose shortest is |ms|. */
#define assert_backoff(delay_ns, ms)                                                               \
    assert_in_range((delay_ns), (ms)*LW_NS_PER_MS, 2 * (ms)*LW_NS_PER_MS - 1)

#endif
