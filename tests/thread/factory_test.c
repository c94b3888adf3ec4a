/* SPDX-License-Identifier: Apache-2.0 */
/* factory_test.c -- a factory in its own thread, and everybody at once on it: handlers that come
 * and go, listers, statistics, informers that are made and dropped. */
#include <listwatch/factory.h>

#include <stdio.h>

#include "base/alloc.h"
#include "base/random.h"
#include "base/sync.h"
#include "support/fake_provider.h"
#include "unit/test.h"

enum {
    EVENTS = 10000,
    ABUSERS = 100, /* threads that add and remove handlers */
    ROUNDS = 20,   /* of each */
    KEPT = 2,      /* handlers that each leaves behind */
    NAMES = 50,    /* objects */
    READERS = 4,
};

typedef struct arena {
    fake_provider *fake;
    lw_factory *factory;
    lw_informer *pods;
    atomic_bool is_over;
    atomic_int faults;
    atomic_int first_fault; /* its line */
} arena;

static void expect_at(arena *a, bool is_so, int line)
{
    int none = 0;
    if (is_so)
        return;
    atomic_fetch_add(&a->faults, 1);
    (void)atomic_compare_exchange_strong(&a->first_fault, &none, line);
}
#define expect(a, is_so) expect_at((a), (is_so), __LINE__)

static void arena_open(arena *a)
{
    *a = (arena){ .fake = fake_provider_new() };
    const lw_factory_options options = { .size = sizeof(lw_factory_options),
                                         .provider = fake_provider_as_provider(a->fake),
                                         .resync_s = 1 };
    assert_int_equal(lw_factory_new(&a->factory, &options, NULL), LW_OK);
    assert_int_equal(lw_factory_informer(a->factory, "pods", &a->pods, NULL), LW_OK);
}

static void arena_close(arena *a)
{
    lw_factory_free(a->factory);
    fake_provider_counts counts = fake_provider_look(a->fake);
    assert_int_equal(counts.open_calls, 0);
    assert_int_equal(counts.open_sources, 0);
    fake_provider_free(a->fake);
    if (atomic_load(&a->faults) > 0)
        print_error("first fault in line %d\n", atomic_load(&a->first_fault));
    assert_int_equal(atomic_load(&a->faults), 0);
}

/* What one handler knows: told in order, each object from an ADD to its DELETE. */
typedef struct witness {
    arena *arena;
    uint64_t known[NAMES]; /* revision; 0: not there */
    atomic_int inside;
    atomic_bool is_removed;
    uint64_t told;
} witness;

static void testify(const lw_event *event, void *arg)
{
    witness *w = arg;
    arena *a = w->arena;
    int number = -1;
    expect(a, atomic_fetch_add(&w->inside, 1) == 0); /* one at a time */
    expect(a, !atomic_load(&w->is_removed));
    expect(a, sscanf(lw_object_name(event->object), "p%d", &number) == 1 && number < NAMES);
    uint64_t revision = lw_object_revision(event->object);
    uint64_t *known = &w->known[number];
    switch (event->type) {
    case LW_EVENT_ADD: expect(a, *known == 0); break;
    case LW_EVENT_UPDATE:
        expect(a, *known == lw_object_revision(event->old_object));
        expect(a, event->cause == LW_CAUSE_RESYNC ? revision == *known : revision > *known);
        break;
    case LW_EVENT_DELETE: expect(a, *known != 0 && revision > *known); break;
    }
    *known = event->type == LW_EVENT_DELETE ? 0 : revision;
    w->told++;
    atomic_fetch_sub(&w->inside, 1);
}

static uint64_t write_one(arena *a, lw_random *random)
{
    char key[32];
    (void)snprintf(key, sizeof(key), "a/p%d", (int)lw_random_below(random, NAMES));
    if (lw_random_below(random, 4) == 0)
        return fake_provider_delete(a->fake, "pods", key);
    uint64_t revision = fake_provider_put(a->fake, "pods", key, NULL, NULL);
    expect(a, revision > 0);
    return revision;
}

/* Writes at least EVENTS, and until it is over; not faster than the cache follows. */
static void write_all(void *arg)
{
    arena *a = arg;
    lw_random random;
    lw_random_init(&random, 1);
    for (int i = 0; i < EVENTS || !atomic_load(&a->is_over); i++) {
        uint64_t revision = write_one(a, &random);
        if (i % 64 == 0 && revision > 0)
            expect(a, lw_informer_wait_for_revision(a->pods, revision, 60, NULL) == LW_OK);
        if (i % 997 == 0)
            fake_provider_end_watches(a->fake, NULL);
    }
}

typedef struct abuser {
    lw_thread thread;
    arena *arena;
    int number;
    witness kept[KEPT]; /* joined at some moment, and judged in the end */
    lw_registration *registrations[KEPT];
} abuser;

static lw_registration *join(arena *a, witness *w, lw_handler_mode mode)
{
    lw_registration *registration = NULL;
    w->arena = a;
    const lw_handler handler = { .on_event = testify, .arg = w, .mode = mode, .max_pending = 8 };
    expect(a, lw_informer_add_handler(a->pods, &handler, &registration, NULL) == LW_OK);
    return registration;
}

static void abuse_once(arena *a, lw_handler_mode mode)
{
    witness *w = lw_alloc_zero(1, sizeof(*w));
    lw_registration *registration = join(a, w, mode);
    if (mode == LW_HANDLER_DRAINED)
        (void)lw_registration_drain(registration, 100);
    (void)lw_registration_is_synced(registration);
    lw_informer_remove_handler(a->pods, registration);
    /* Nobody is inside, and nobody comes any more. */
    expect(a, atomic_load(&w->inside) == 0);
    atomic_store(&w->is_removed, true);
    lw_free(w);
}

static void abuse(void *arg)
{
    abuser *b = arg;
    static const lw_handler_mode modes[] = { LW_HANDLER_IN_DISPATCH, LW_HANDLER_OWN_THREAD,
                                             LW_HANDLER_DRAINED };
    for (int i = 0; i < ROUNDS; i++) {
        abuse_once(b->arena, modes[(b->number + i) % 3]);
        if (i < KEPT)
            b->registrations[i] = join(b->arena, &b->kept[i], LW_HANDLER_DRAINED);
    }
}

static void read_all(void *arg)
{
    arena *a = arg;
    lw_informer_statistics stats;
    char text[512];
    while (!atomic_load(&a->is_over)) {
        lw_object_list *list = lw_lister_list(lw_informer_lister(a->pods), "a", NULL);
        expect(a, list && lw_object_list_count(list) <= NAMES);
        lw_object_list_free(list);
        lw_informer_stats(a->pods, &stats);
        (void)lw_factory_metrics(a->factory, text, sizeof(text));
        (void)lw_factory_report(a->factory, "a", text, sizeof(text));
        (void)lw_informer_last_error(a->pods, NULL);
    }
}

/* Whether |w| knows what is in the cache. */
static void compare_with_cache(arena *a, const witness *w)
{
    char name[16];
    for (int i = 0; i < NAMES; i++) {
        (void)snprintf(name, sizeof(name), "p%d", i);
        lw_object *obj = lw_lister_get(lw_informer_lister(a->pods), "a", name);
        assert_int_equal(w->known[i], obj ? lw_object_revision(obj) : 0);
        lw_object_unref(obj);
    }
}

/* Waits until every handler was told of everything. */
static void catch_up(arena *a, lw_registration *drained, abuser *abusers)
{
    lw_informer_statistics stats;
    uint64_t revision = fake_provider_look(a->fake).revision;
    fake_provider_bookmark(a->fake);
    assert_int_equal(lw_informer_wait_for_revision(a->pods, revision, 60, NULL), LW_OK);
    do {
        (void)lw_registration_drain(drained, 0);
        for (int i = 0; i < ABUSERS * KEPT; i++)
            (void)lw_registration_drain(abusers[i / KEPT].registrations[i % KEPT], 0);
        lw_informer_stats(a->pods, &stats);
    } while (stats.handler_depth > 0);
}

/* TestSharedInformerHandlerAbuse: a hundred threads add and remove handlers during ten thousand
 * events; nobody is told out of order, after removal, or of anything twice, and those that stay
 * know in the end what the cache has, however slow they were. */
static void handlers_come_and_go_while_events_flow(void **state)
{
    (void)state;
    static arena a;
    static witness stay[3];
    static abuser abusers[ABUSERS];
    lw_registration *registrations[3];
    lw_thread writer, readers[READERS];
    arena_open(&a);
    for (int i = 0; i < 3; i++) {
        stay[i] = (witness){ .arena = &a };
        const lw_handler handler = {
            .on_event = testify, .arg = &stay[i], .mode = (lw_handler_mode)i, .max_pending = 16
        };
        assert_int_equal(lw_informer_add_handler(a.pods, &handler, &registrations[i], NULL), LW_OK);
    }
    assert_int_equal(lw_factory_start(a.factory, NULL), LW_OK);
    assert_int_equal(lw_thread_start(&writer, "writer", write_all, &a, NULL), LW_OK);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(lw_thread_start(&readers[i], "reader", read_all, &a, NULL), LW_OK);
    for (int i = 0; i < ABUSERS; i++) {
        abusers[i] = (abuser){ .arena = &a, .number = i };
        assert_int_equal(lw_thread_start(&abusers[i].thread, "abuser", abuse, &abusers[i], NULL),
                         LW_OK);
    }
    for (int i = 0; i < ABUSERS; i++)
        lw_thread_join(&abusers[i].thread);
    atomic_store(&a.is_over, true);
    lw_thread_join(&writer);
    for (int i = 0; i < READERS; i++)
        lw_thread_join(&readers[i]);
    catch_up(&a, registrations[LW_HANDLER_DRAINED], abusers);
    for (int i = 0; i < ABUSERS * KEPT; i++) {
        lw_informer_remove_handler(a.pods, abusers[i / KEPT].registrations[i % KEPT]);
        compare_with_cache(&a, &abusers[i / KEPT].kept[i % KEPT]);
    }
    for (int i = 0; i < 3; i++) {
        lw_informer_remove_handler(a.pods, registrations[i]);
        compare_with_cache(&a, &stay[i]);
        assert_true(stay[i].told > 0);
    }
    arena_close(&a);
}

static void make_and_drop(void *arg)
{
    arena *a = arg;
    for (int i = 0; i < 200; i++) {
        lw_informer *mine = NULL;
        lw_registration *registration = NULL;
        witness *w = lw_alloc_zero(1, sizeof(*w));
        w->arena = a;
        const lw_handler handler = { .on_event = testify,
                                     .arg = w,
                                     .mode =
                                         i % 2 ? LW_HANDLER_OWN_THREAD : LW_HANDLER_IN_DISPATCH };
        /* No other thread has the same address here, so none gets the same informer. */
        const lw_informer_options alone = { .size = sizeof(lw_informer_options),
                                            .ns = i % 3 ? "a" : "b",
                                            .transform_arg = &mine };
        expect(a, lw_factory_informer_with(a->factory, "pods", &alone, &mine, NULL) == LW_OK);
        expect(a, lw_informer_add_handler(mine, &handler, &registration, NULL) == LW_OK);
        if (i % 5 == 0)
            expect(a, lw_factory_wait_for_sync(a->factory, 60, NULL) == LW_OK);
        lw_factory_drop(a->factory, mine);
        lw_free(w);
    }
}

static void informers_are_made_and_dropped_while_others_run(void **state)
{
    (void)state;
    static arena a;
    lw_thread writer, makers[READERS];
    arena_open(&a);
    assert_int_equal(lw_factory_start(a.factory, NULL), LW_OK);
    assert_int_equal(lw_thread_start(&writer, "writer", write_all, &a, NULL), LW_OK);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(lw_thread_start(&makers[i], "maker", make_and_drop, &a, NULL), LW_OK);
    for (int i = 0; i < READERS; i++)
        lw_thread_join(&makers[i]);
    atomic_store(&a.is_over, true);
    lw_thread_join(&writer);
    arena_close(&a);
}

static void wait_in_thread(void *arg)
{
    arena *a = arg;
    lw_factory_run(a->factory);
}

/* Without a thread of the factory's own: several that wait, of which one drives at a time. */
static void threads_that_wait_take_turns_in_driving(void **state)
{
    (void)state;
    static arena a;
    lw_thread waiters[READERS], writer;
    arena_open(&a);
    for (int i = 0; i < READERS; i++)
        assert_int_equal(lw_thread_start(&waiters[i], "waiter", wait_in_thread, &a, NULL), LW_OK);
    assert_int_equal(lw_thread_start(&writer, "writer", write_all, &a, NULL), LW_OK);
    assert_int_equal(lw_factory_wait_for_sync(a.factory, 60, NULL), LW_OK);
    for (int i = 0; i < 200; i++) {
        uint64_t revision = fake_provider_put(a.fake, "pods", "a/p0", NULL, NULL);
        assert_int_equal(lw_informer_wait_for_revision(a.pods, revision, 60, NULL), LW_OK);
    }
    atomic_store(&a.is_over, true);
    lw_thread_join(&writer);
    lw_factory_stop(a.factory);
    for (int i = 0; i < READERS; i++)
        lw_thread_join(&waiters[i]);
    arena_close(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(handlers_come_and_go_while_events_flow),
        TEST(informers_are_made_and_dropped_while_others_run),
        TEST(threads_that_wait_take_turns_in_driving),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
