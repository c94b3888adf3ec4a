/* SPDX-License-Identifier: Apache-2.0 */
/* reflector_scenarios.c -- the queue, the cache and the reflector, with every allocation failing in
 * turn.  A reflector that finds no memory for a change lists again later; when memory is available
 * again, the cache must become correct. */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "informer/reflector.h"
#include "oom/oom.h"
#include "support/script_source.h"

enum {
    OBJECTS = 40,
    ROUNDS = 60, /* until it must have recovered */
};

static lw_status wrong(lw_error *err, const char *what)
{
    return lw_error_set(err, LW_ERR_INTERNAL, "wrong: %s", what);
}

static void unref_all(lw_object **objects, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lw_object_unref(objects[i]);
}

static lw_status make_all(lw_object **objects, size_t count, uint64_t rv, lw_error *err)
{
    for (size_t i = 0; i < count; i++) {
        char key[] = "n0/o00";
        key[1] = (char)('0' + i % 3);
        key[4] = (char)('0' + i / 10);
        key[5] = (char)('0' + i % 10);
        objects[i] = script_object(key, rv + i, 0);
        if (!objects[i])
            return lw_error_nomem(err);
    }
    return LW_OK;
}

/* The queue. */

static lw_status fill_queue(lw_delta_fifo *fifo, lw_object **objects, lw_error *err)
{
    lw_replacement *replacement = NULL;
    lw_status st = lw_replacement_new(&replacement);
    for (size_t i = 0; st == LW_OK && i < 4; i++)
        st = lw_replacement_put(replacement, objects[i]);
    if (st < 0) {
        lw_replacement_free(replacement);
        return lw_error_nomem(err);
    }
    st = lw_delta_fifo_replace_take(fifo, replacement, "5");
    for (size_t i = 0; st == LW_OK && i < 4; i++) {
        size_t before = lw_delta_fifo_count(fifo);
        st = lw_delta_fifo_update(fifo, objects[i % 2]);
        if (st < 0 && lw_delta_fifo_count(fifo) != before)
            return wrong(err, "a refused change was queued");
    }
    if (st == LW_OK)
        st = lw_delta_fifo_delete(fifo, objects[0]);
    if (st == LW_OK)
        st = lw_delta_fifo_bookmark(fifo, "6");
    if (st == LW_OK)
        st = lw_delta_fifo_bookmark(fifo, "7");
    if (st == LW_OK)
        st = lw_delta_fifo_resync(fifo);
    return st < 0 ? lw_error_nomem(err) : LW_OK;
}

static lw_status drain_queue(lw_delta_fifo *fifo, size_t expected, lw_error *err)
{
    lw_dlist deltas;
    size_t count = 0;
    while (lw_delta_fifo_pop(fifo, &deltas)) {
        LW_DLIST_FOR_EACH_SAFE(lw_delta, delta, &deltas, arrival)
        {
            count++;
            lw_delta_free(delta);
        }
    }
    return count == expected ? LW_OK : wrong(err, "the number of deltas");
}

static lw_status queue_in(bool is_by_key, lw_error *err)
{
    lw_object *objects[4] = { NULL };
    lw_delta_fifo *fifo = NULL;
    const lw_delta_fifo_options options = { .is_by_key = is_by_key };
    lw_status st = make_all(objects, 4, 1, err);
    if (st == LW_OK && (st = lw_delta_fifo_new(&fifo, &options)) < 0)
        (void)lw_error_nomem(err);
    if (st == LW_OK)
        st = fill_queue(fifo, objects, err);
    if (st == LW_OK)
        st = drain_queue(fifo, 8, err);
    lw_delta_fifo_free(fifo);
    unref_all(objects, 4);
    return st;
}

static lw_status changes_in_order(lw_error *err)
{
    return queue_in(false, err);
}

static lw_status changes_by_key(lw_error *err)
{
    return queue_in(true, err);
}

/* The cache. */

static void index_digits(const lw_object *obj, void (*add)(void *to, lw_str value), void *to,
                         void *arg)
{
    lw_str rv = lw_str_of(lw_object_resource_version(obj));
    (void)arg;
    for (size_t i = 0; i < rv.len; i++)
        add(to, lw_str_make(rv.ptr + i, 1));
}

/* A put that fails must change nothing. */
static lw_status put_all(lw_indexer *indexer, lw_object **objects, lw_error *err)
{
    for (size_t i = 0; i < OBJECTS; i++) {
        lw_object *old = NULL;
        size_t before = lw_indexer_count(indexer);
        lw_status st = lw_indexer_put(indexer, objects[i], &old);
        lw_object_unref(old);
        if (!lw_indexer_check(indexer))
            return wrong(err, "the cache after a put");
        if (st < 0 && lw_indexer_count(indexer) != before)
            return wrong(err, "a refused object is there");
        if (st < 0)
            return lw_error_nomem(err);
    }
    return LW_OK;
}

static lw_status change_cache(lw_indexer *indexer, lw_object **first, lw_object **second,
                              lw_error *err)
{
    lw_object *old = NULL;
    lw_object_list *list = NULL;
    lw_status st = put_all(indexer, first, err);
    if (st == LW_OK)
        st = lw_indexer_add_index(indexer, "digit", index_digits, NULL, err);
    if (st == LW_OK)
        st = put_all(indexer, second, err);
    if (st < 0)
        return st;
    lw_indexer_remove(indexer, lw_object_key(first[3]), &old);
    lw_object_unref(old);
    st = lw_indexer_by_index(indexer, "digit", LW_STR("9"), &list, err);
    if (st == LW_OK && lw_object_list_count(list) == 0)
        st = wrong(err, "the index");
    lw_object_list_free(list);
    if (st < 0)
        return st;
    st = lw_indexer_replace(indexer, (const lw_object *const *)first, OBJECTS / 2, NULL, NULL);
    size_t expected = st < 0 ? OBJECTS - 1 : OBJECTS / 2;
    if (lw_indexer_count(indexer) != expected || !lw_indexer_check(indexer))
        return wrong(err, "the replaced cache");
    return st < 0 ? lw_error_nomem(err) : LW_OK;
}

static lw_status list_cache(const lw_indexer *indexer, lw_error *err)
{
    lw_object_list *list = NULL;
    lw_status st = lw_lister_select(lw_indexer_lister(indexer), "n1", NULL, &list, err);
    if (st == LW_OK && lw_object_list_count(list) != 7)
        st = wrong(err, "the list");
    lw_object_list_free(list);
    return st;
}

static lw_status a_cache_with_indexes(lw_error *err)
{
    lw_object *first[OBJECTS] = { NULL }, *second[OBJECTS] = { NULL };
    lw_indexer *indexer = NULL;
    lw_status st = make_all(first, OBJECTS, 1, err);
    if (st == LW_OK)
        st = make_all(second, OBJECTS, 100, err);
    if (st == LW_OK && (st = lw_indexer_new(&indexer)) < 0)
        (void)lw_error_nomem(err);
    if (st == LW_OK)
        st = change_cache(indexer, first, second, err);
    if (st == LW_OK)
        st = list_cache(indexer, err);
    lw_indexer_free(indexer);
    unref_all(first, OBJECTS);
    unref_all(second, OBJECTS);
    return st;
}

/* The reflector. */

typedef struct scene {
    lw_manual_clock *clock;
    script_source source;
    lw_delta_fifo *fifo;
    lw_indexer *indexer;
    lw_reflector *reflector;
    lw_object *objects[4]; /* two of the initial state, two that are added later */
    bool is_late;          /* those were added */
    unsigned answered;     /* calls */
} scene;

static lw_status apply(scene *s, const lw_delta *delta)
{
    lw_object *old = NULL;
    lw_status st = LW_OK;
    if (delta->type == LW_DELTA_REPLACED)
        st = lw_indexer_replace(s->indexer, lw_replacement_objects(delta->replacement),
                                lw_replacement_count(delta->replacement), NULL, NULL);
    else if (delta->object)
        st = lw_indexer_put(s->indexer, delta->object, &old);
    lw_object_unref(old);
    return st;
}

static lw_status run_until_idle(scene *s)
{
    const lw_clock *clock = lw_manual_clock_as_clock(s->clock);
    lw_status st = LW_OK;
    lw_dlist deltas;
    while (lw_reflector_deadline_ns(s->reflector) <= lw_clock_now(clock))
        lw_reflector_tick(s->reflector);
    while (lw_delta_fifo_pop(s->fifo, &deltas)) {
        LW_DLIST_FOR_EACH_SAFE(lw_delta, delta, &deltas, arrival)
        {
            lw_status applied = apply(s, delta);
            st = st < 0 ? st : applied;
            lw_delta_free(delta);
        }
    }
    return st;
}

/* The server: answers each request once. */
static void answer(scene *s)
{
    size_t count = s->is_late ? 4 : 2;
    const char *request = script_request(&s->source);
    if (s->answered == s->source.calls)
        return;
    s->answered = s->source.calls;
    if (strncmp(request, "LIST", 4) == 0 && !strstr(request, "continue=")) {
        script_item_object(&s->source, s->objects[0]);
        script_list_end(&s->source, "50", "token");
    } else if (strncmp(request, "LIST", 4) == 0) {
        for (size_t i = 1; i < count; i++)
            script_item_object(&s->source, s->objects[i]);
        script_list_end(&s->source, "50", "");
    } else if (strncmp(request, "STREAM", 6) == 0) {
        for (size_t i = 0; i < count; i++)
            script_event_object(&s->source, LW_WATCH_ADDED, s->objects[i]);
        script_initial_events_end(&s->source, 50);
    } else if (strncmp(request, "WATCH", 5) == 0) {
        script_open(&s->source);
    }
}

static lw_status play(scene *s, lw_error *err)
{
    lw_status st = LW_OK;
    for (int i = 0; st == LW_OK && i < ROUNDS; i++) {
        st = run_until_idle(s);
        answer(s);
        if (i == ROUNDS / 2 && script_request(&s->source)[0] != '\0') {
            s->is_late = true;
            script_event_object(&s->source, LW_WATCH_ADDED, s->objects[2]);
            script_event_object(&s->source, LW_WATCH_MODIFIED, s->objects[3]);
        }
        lw_manual_clock_advance(s->clock, 5 * LW_NS_PER_S);
    }
    if (st == LW_OK)
        st = run_until_idle(s);
    if (st < 0 || lw_reflector_last_error(s->reflector, NULL) < 0 || !s->is_late)
        return lw_error_nomem(err); /* still retrying */
    return lw_indexer_count(s->indexer) == 4 ? LW_OK : wrong(err, "the cache");
}

static lw_status run_scene(bool lists_only, lw_error *err)
{
    scene s = { .clock = NULL };
    script_init(&s.source);
    lw_status st = make_all(s.objects, 4, 1, err);
    if (st == LW_OK &&
        ((st = lw_manual_clock_new(&s.clock, 0)) < 0 ||
         (st = lw_delta_fifo_new(&s.fifo, NULL)) < 0 || (st = lw_indexer_new(&s.indexer)) < 0))
        (void)lw_error_nomem(err);
    const lw_reflector_options options = { .source = &s.source.base,
                                           .fifo = s.fifo,
                                           .lists_only = lists_only,
                                           .seed = 1,
                                           .clock =
                                               s.clock ? lw_manual_clock_as_clock(s.clock) : NULL };
    if (st == LW_OK)
        st = lw_reflector_new(&s.reflector, &options, err);
    if (st == LW_OK) {
        lw_reflector_start(s.reflector);
        st = play(&s, err);
    }
    lw_reflector_free(s.reflector);
    lw_delta_fifo_free(s.fifo);
    lw_indexer_free(s.indexer);
    lw_manual_clock_free(s.clock);
    unref_all(s.objects, 4);
    return st;
}

static lw_status a_reflector_lists_again(lw_error *err)
{
    return run_scene(true, err);
}

static lw_status a_reflector_streams_again(lw_error *err)
{
    return run_scene(false, err);
}

const oom_scenario reflector_scenarios[] = {
    { "changes in order", changes_in_order },
    { "changes by key", changes_by_key },
    { "a cache with indexes", a_cache_with_indexes },
    { "a reflector lists again", a_reflector_lists_again },
    { "a reflector streams again", a_reflector_streams_again },
};
const size_t reflector_scenario_count =
    sizeof(reflector_scenarios) / sizeof(reflector_scenarios[0]);
