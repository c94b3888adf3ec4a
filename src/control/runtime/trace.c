/* SPDX-License-Identifier: Apache-2.0 */
/* trace.c -- a table of causes, hashed by controller and key. */
#include "runtime/trace.h"

#include <pthread.h>
#include <stdlib.h>

#include "runtime/hash.h"
#include "runtime/report.h"

enum {
    SLOTS = 4096,
};

typedef struct note {
    uint64_t hash; /* 0: free */
    const char *informer;
    int64_t at_ns;
} note;

struct lw_trace {
    void (*on_step)(const lw_control_step *step, void *arg);
    void *arg;
    const lw_clock *clock;
    pthread_mutex_t mu; /* guards slots */
    note slots[SLOTS];
};

lw_status lw_trace_new(lw_trace **out, lw_step_fn on_step, void *arg, const lw_clock *clock,
                       lw_error *err)
{
    lw_trace *trace = calloc(1, sizeof(*trace));
    if (!trace)
        return lw_report_nomem(err);
    trace->on_step = on_step;
    trace->arg = arg;
    trace->clock = clock;
    (void)pthread_mutex_init(&trace->mu, NULL);
    *out = trace;
    return LW_OK;
}

void lw_trace_free(lw_trace *trace)
{
    if (!trace)
        return;
    (void)pthread_mutex_destroy(&trace->mu);
    free(trace);
}

static uint64_t hash_of(const char *controller, lw_str key)
{
    uint64_t hash = lw_hash_add(lw_hash_add(LW_HASH_INIT, lw_str_of(controller)), key);
    return hash ? hash : 1;
}

static uint64_t hash_of_key(const char *controller, lw_key key)
{
    char text[512];
    size_t len = lw_key_print(key, text, sizeof(text));
    return hash_of(controller, lw_str_make(text, len < sizeof(text) ? len : sizeof(text) - 1));
}

void lw_trace_note(lw_trace *trace, const char *controller, const char *informer, const char *key)
{
    if (!trace->on_step)
        return;
    uint64_t hash = hash_of(controller, lw_str_of(key));
    int64_t now = trace->clock->now_ns(trace->clock->arg);
    (void)pthread_mutex_lock(&trace->mu);
    note *slot = &trace->slots[hash % SLOTS];
    if (slot->hash != hash)
        *slot = (note){ hash, informer, now };
    (void)pthread_mutex_unlock(&trace->mu);
}

/* The cause of the key that this thread is reconciling. */
static _Thread_local note cause_here;

void lw_trace_begin(lw_trace *trace, const char *controller, lw_key key)
{
    if (!trace->on_step)
        return;
    uint64_t hash = hash_of_key(controller, key);
    cause_here = (note){ 0, NULL, 0 };
    (void)pthread_mutex_lock(&trace->mu);
    note *slot = &trace->slots[hash % SLOTS];
    if (slot->hash == hash) {
        cause_here = *slot;
        slot->hash = 0;
    }
    (void)pthread_mutex_unlock(&trace->mu);
}

void lw_trace_step(lw_trace *trace, const char *controller, const char *action, const char *kind,
                   lw_key key, const char *detail)
{
    if (!trace->on_step)
        return;
    const note *cause = &cause_here;
    const lw_control_step step = {
        .controller = controller,
        .informer = cause->informer ? cause->informer : "",
        .action = action,
        .kind = kind,
        .key = key,
        .detail = detail,
        .after_ns = cause->informer ? trace->clock->now_ns(trace->clock->arg) - cause->at_ns : 0,
    };
    trace->on_step(&step, trace->arg);
}
