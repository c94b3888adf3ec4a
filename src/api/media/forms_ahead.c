/* SPDX-License-Identifier: Apache-2.0 */
/* forms_ahead.c -- encodes objects on a few threads of low priority. */
#include "api/media/forms_ahead.h"

#include <stdatomic.h>

#include "api/media/object_form.h"
#include "base/alloc.h"
#include "base/container_of.h"
#include "base/ref.h"
#include "base/sync.h"
#include "base/thread/workers.h"
#include "object/object.h"

enum {
    BATCH = 32,     /* objects that a thread takes at a time */
    QUEUE_MAX = 64, /* works that wait for a thread; beyond that, lists encode all themselves */
    NICE = 5,       /* added to the nice value, as of other threads for heavy requests */
};

struct lw_forms_ahead {
    lw_mutex mu;         /* guards |workers| */
    lw_workers *workers; /* NULL: not needed yet */
    unsigned threads;
};

typedef struct ahead_work {
    lw_work work;
    lw_forms_run *run; /* a reference */
} ahead_work;

/* The list has a reference, and each work that was not done yet. */
struct lw_forms_run {
    lw_ref refs;
    lw_form_budget *budget;
    atomic_bool is_stopped;
    atomic_size_t taken; /* batches, counted from the end */
    ahead_work works[LW_WORKERS_MAX];
    size_t count;
    lw_object *objects[]; /* with references */
};

lw_status lw_forms_ahead_new(lw_forms_ahead **out, unsigned threads)
{
    lw_forms_ahead *ahead = lw_alloc_zero(1, sizeof(*ahead));
    if (!ahead)
        return LW_ERR_NOMEM;
    lw_mutex_init(&ahead->mu);
    ahead->threads = threads < LW_WORKERS_MAX ? threads : LW_WORKERS_MAX;
    *out = ahead;
    return LW_OK;
}

void lw_forms_ahead_free(lw_forms_ahead *ahead)
{
    if (!ahead)
        return;
    lw_workers_free(ahead->workers);
    lw_mutex_done(&ahead->mu);
    lw_free(ahead);
}

/* Returns the threads; NULL: they cannot be started. */
static lw_workers *workers_of(lw_forms_ahead *ahead)
{
    lw_mutex_lock(&ahead->mu);
    if (!ahead->workers && ahead->threads > 0 &&
        lw_workers_new(&ahead->workers, "lw-encode", ahead->threads, NICE, QUEUE_MAX, NULL) < 0)
        ahead->workers = NULL;
    lw_workers *workers = ahead->workers;
    lw_mutex_unlock(&ahead->mu);
    return workers;
}

static void run_unref(lw_forms_run *run)
{
    if (!lw_ref_dec(&run->refs))
        return;
    for (size_t i = 0; i < run->count; i++)
        lw_object_unref(run->objects[i]);
    lw_free(run);
}

/* Encodes |count| objects from the last to the first.  An object that has no encoding is left to
 * the list, which says why. */
static void encode_batch(lw_forms_run *run, lw_object *const *objects, size_t count,
                         lw_form_maker *maker)
{
    while (count-- > 0 && !atomic_load_explicit(&run->is_stopped, memory_order_relaxed)) {
        lw_object_form form;
        lw_status st =
            lw_object_form_offer(objects[count], LW_WATCH_ADDED, run->budget, maker, &form);
        if (st == LW_ERR_UNAVAILABLE || st == LW_ERR_NOMEM)
            atomic_store_explicit(&run->is_stopped, true, memory_order_relaxed);
    }
}

static void encode(lw_forms_run *run, lw_form_maker *maker)
{
    const size_t batches = (run->count + BATCH - 1) / BATCH;
    while (!atomic_load_explicit(&run->is_stopped, memory_order_relaxed)) {
        size_t batch = atomic_fetch_add_explicit(&run->taken, 1, memory_order_relaxed);
        if (batch >= batches)
            return;
        size_t end = run->count - batch * BATCH, begin = end > BATCH ? end - BATCH : 0;
        encode_batch(run, run->objects + begin, end - begin, maker);
    }
}

static void run_work(lw_work *work)
{
    lw_forms_run *run = LW_CONTAINER_OF(work, ahead_work, work)->run;
    lw_form_maker *maker = lw_form_maker_new(); /* without memory it takes longer */
    encode(run, maker);
    lw_form_maker_free(maker);
    run_unref(run);
}

static lw_forms_run *run_new(lw_object *const *objects, size_t count, lw_form_budget *budget)
{
    lw_forms_run *run = lw_alloc_zero(1, sizeof(*run) + count * sizeof(run->objects[0]));
    if (!run)
        return NULL;
    lw_ref_init(&run->refs);
    run->budget = budget;
    for (; run->count < count; run->count++)
        run->objects[run->count] = lw_object_ref(objects[run->count]);
    return run;
}

lw_forms_run *lw_forms_ahead_start(lw_forms_ahead *ahead, lw_object *const *objects, size_t count,
                                   lw_form_budget *budget)
{
    lw_workers *workers = count >= LW_FORMS_AHEAD_MIN ? workers_of(ahead) : NULL;
    lw_forms_run *run = workers ? run_new(objects, count, budget) : NULL;
    if (!run)
        return NULL;
    for (unsigned i = 0; i < ahead->threads; i++) {
        ahead_work *next = &run->works[i];
        *next = (ahead_work){ .work = { .run = run_work }, .run = run };
        lw_ref_inc(&run->refs);
        if (lw_workers_take(workers, &next->work) < 0) {
            run_unref(run);
            break;
        }
    }
    return run;
}

void lw_forms_run_stop(lw_forms_run *run)
{
    if (!run)
        return;
    atomic_store_explicit(&run->is_stopped, true, memory_order_relaxed);
    run_unref(run);
}
