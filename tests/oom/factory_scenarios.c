/* SPDX-License-Identifier: Apache-2.0 */
/* factory_scenarios.c -- a factory, its informer and all kinds of handlers in one thread, with
 * every allocation failing in turn.  A failure is not reported at once: the informer lists again.
 * When memory is available again, the cache must become correct, and handlers must have received
 * every change that they can distinguish. */
#include <stdio.h>
#include <string.h>

#include <listwatch/factory.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "oom/oom.h"
#include "support/fake_provider.h"

enum {
    NAMES = 8,
    ROUNDS = 40, /* until it must have recovered */
};

/* What a handler knows. */
typedef struct witness {
    uint64_t known[NAMES]; /* revision; 0: absent */
    bool is_lied_to;
} witness;

typedef struct scene {
    fake_provider *fake;
    lw_manual_clock *clock;
    lw_factory *factory;
    lw_informer *pods;
    lw_registration *slow;
    witness quick, drained, late;
} scene;

static lw_status wrong(lw_error *err, const char *what)
{
    return lw_error_set(err, LW_ERR_INTERNAL, "wrong: %s", what);
}

static void testify(const lw_event *event, void *arg)
{
    witness *w = arg;
    uint64_t *known = &w->known[lw_object_name(event->object)[1] - '0'];
    uint64_t revision = lw_object_revision(event->object);
    switch (event->type) {
    case LW_EVENT_ADD: w->is_lied_to |= *known != 0; break;
    case LW_EVENT_UPDATE:
        w->is_lied_to |= *known != lw_object_revision(event->old_object);
        w->is_lied_to |= event->cause != LW_CAUSE_RESYNC && revision <= *known;
        break;
    case LW_EVENT_DELETE: w->is_lied_to |= *known == 0; break;
    }
    *known = event->type == LW_EVENT_DELETE ? 0 : revision;
}

static lw_status begin(scene *s, const lw_factory_options *options, lw_error *err)
{
    *s = (scene){ .fake = fake_provider_new() };
    if (!s->fake || lw_manual_clock_new(&s->clock, 0) < 0)
        return lw_error_nomem(err);
    lw_factory_options all = *options;
    all.provider = fake_provider_as_provider(s->fake);
    all.clock = lw_manual_clock_as_clock(s->clock);
    lw_status st = lw_factory_new(&s->factory, &all, err);
    if (st == LW_OK)
        st = lw_factory_informer(s->factory, "pods", &s->pods, err);
    if (st == LW_OK)
        st = lw_informer_add_index_path(s->pods, "kind", "/kind", err);
    return st;
}

static void end(scene *s)
{
    lw_factory_free(s->factory);
    lw_manual_clock_free(s->clock);
    fake_provider_free(s->fake);
}

static lw_status add(scene *s, witness *w, lw_handler_mode mode, lw_registration **out,
                     lw_error *err)
{
    const lw_handler handler = {
        .on_event = testify, .arg = w, .mode = mode, .max_pending = 2, .resync_s = 50
    };
    return lw_informer_add_handler(s->pods, &handler, out, err);
}

/* Writes an object; |number| < 0 deletes ~number. */
static lw_status change(scene *s, int number, lw_error *err)
{
    char key[] = "a/p0";
    key[3] = (char)('0' + (number < 0 ? ~number : number));
    uint64_t revision = number < 0 ? fake_provider_delete(s->fake, "pods", key)
                                   : fake_provider_put(s->fake, "pods", key, "web", NULL);
    return revision > 0 ? LW_OK : lw_error_nomem(err);
}

static lw_status change_all(scene *s, const int *numbers, size_t count, lw_error *err)
{
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < count; i++)
        st = change(s, numbers[i], err);
    return st;
}

static void dispatch(scene *s)
{
    for (int i = 0; i < 4; i++)
        (void)lw_factory_dispatch(s->factory, NULL);
}

/* True if memory stays exhausted. */
static bool is_memory_gone(void)
{
    void *probe = lw_alloc(1);
    lw_free(probe);
    return !probe;
}

static bool is_same(const scene *s, const witness *w)
{
    const lw_lister *lister = lw_informer_lister(s->pods);
    char name[] = "p0";
    for (int i = 0; i < NAMES; i++) {
        name[1] = (char)('0' + i);
        lw_object *obj = lw_lister_get(lister, "a", name);
        uint64_t revision = obj ? lw_object_revision(obj) : 0;
        lw_object_unref(obj);
        if (w->known[i] != revision)
            return false;
    }
    return true;
}

static bool is_recovered(scene *s, uint64_t revision)
{
    return lw_informer_wait_for_revision(s->pods, revision, 0, NULL) == LW_OK &&
           is_same(s, &s->quick) && is_same(s, &s->late);
}

/* The slow handler takes one event and is called with the others. */
static void catch_up(scene *s)
{
    lw_event event;
    if (!s->slow || lw_registration_take(s->slow, &event, sizeof(event), 1) == 0)
        return;
    testify(&event, &s->drained);
    lw_events_release(&event, sizeof(event), 1);
    (void)lw_registration_drain(s->slow, 0);
}

/* Advances the clock until all handlers know everything. */
static lw_status run_until_recovered(scene *s, uint64_t revision, lw_error *err)
{
    for (int i = 0; i < ROUNDS && !is_recovered(s, revision); i++) {
        lw_manual_clock_advance(s->clock, 61 * LW_NS_PER_S);
        dispatch(s);
    }
    catch_up(s);
    if (is_recovered(s, revision) && is_same(s, &s->drained))
        return LW_OK;
    return is_memory_gone() ? lw_error_nomem(err) : wrong(err, "the informer does not recover");
}

static lw_status play(scene *s, lw_error *err)
{
    static const int first[] = { 0, 1, 2, 3 }, then[] = { 4, 0, 0, ~1, 1, ~2, 5, 5, ~5 };
    static const int missed[] = { 0, 6, ~3, 7 };
    lw_status st = change_all(s, first, 4, err);
    if (st == LW_OK)
        st = add(s, &s->quick, LW_HANDLER_IN_DISPATCH, NULL, err);
    if (st == LW_OK)
        st = add(s, &s->drained, LW_HANDLER_DRAINED, &s->slow, err);
    if (st < 0)
        return st;
    dispatch(s);
    st = change_all(s, then, 9, err);
    if (st < 0)
        return st;
    dispatch(s);
    st = add(s, &s->late, LW_HANDLER_IN_DISPATCH, NULL, err);
    if (st < 0)
        return st;
    fake_provider_set_lossy(s->fake, true);
    st = change_all(s, missed, 4, err);
    lw_error gone = fake_error(LW_ERR_EXPIRED, 410, "too old resource version");
    fake_provider_end_watches(s->fake, &gone);
    dispatch(s);
    fake_provider_set_lossy(s->fake, false);
    if (st == LW_OK)
        st = run_until_recovered(s, fake_provider_look(s->fake).revision, err);
    return st;
}

static lw_status run(const lw_factory_options *options, lw_error *err)
{
    scene s;
    lw_status st = begin(&s, options, err);
    if (st == LW_OK)
        st = play(&s, err);
    if (s.quick.is_lied_to || s.drained.is_lied_to || s.late.is_lied_to)
        st = wrong(err, "a handler received an impossible event");
    end(&s);
    return st;
}

static lw_status lists_and_watches(lw_error *err)
{
    const lw_factory_options options = { .size = sizeof(lw_factory_options), .lists_only = true };
    return run(&options, err);
}

static lw_status streams(lw_error *err)
{
    const lw_factory_options options = { .size = sizeof(lw_factory_options),
                                         .ns = "a",
                                         .label_selector = "app=web" };
    return run(&options, err);
}

static lw_status by_key(lw_error *err)
{
    const lw_factory_options options = { .size = sizeof(lw_factory_options),
                                         .lists_only = true,
                                         .is_by_key = true };
    return run(&options, err);
}

/* Makes, shares, counts and drops informers. */
static lw_status informers_of_all_kinds(lw_error *err)
{
    static const char *const drop[] = { "/status", "/spec", NULL };
    const lw_read_options read = { .drop = drop };
    const lw_informer_options options = { .size = sizeof(lw_informer_options),
                                          .ns = "a",
                                          .label_selector = "app in (web,db)",
                                          .field_selector = "metadata.name!=x",
                                          .read = &read };
    const lw_factory_options none = { .size = sizeof(lw_factory_options), .lists_only = true };
    lw_informer *one = NULL, *two = NULL;
    scene s;
    lw_status st = begin(&s, &none, err);
    if (st == LW_OK)
        st = lw_factory_informer_with(s.factory, "pods", &options, &one, err);
    if (st == LW_OK)
        st = lw_factory_informer_with(s.factory, "pods", &options, &two, err);
    if (st == LW_OK && one != two)
        st = wrong(err, "two informers for the same resource");
    if (st == LW_OK && lw_factory_metrics(s.factory, NULL, 0) == 0)
        st = lw_error_nomem(err);
    if (st == LW_OK && lw_factory_report(s.factory, "a", NULL, 0) == 0)
        st = lw_error_nomem(err);
    if (st == LW_OK) {
        dispatch(&s);
        lw_factory_drop(s.factory, one);
    }
    end(&s);
    return st;
}

const oom_scenario factory_scenarios[] = {
    { "lists and watches, quick, slow and late handlers", lists_and_watches },
    { "streams", streams },
    { "by key", by_key },
    { "informers of all kinds", informers_of_all_kinds },
};
const size_t factory_scenario_count = sizeof(factory_scenarios) / sizeof(factory_scenarios[0]);
