/* SPDX-License-Identifier: Apache-2.0 */
/* listener_test.c -- handlers that are slow, drained, or in threads of their own. */
#include "informer/delivery/listener.h"

#include "unit/informer/house.h"

/* A drained handler with a limit of |max_pending| events in the log. */
static lw_registration *add_drained(house *h, notebook *book, size_t max_pending)
{
    lw_handler handler = notebook_handler(book);
    handler.mode = LW_HANDLER_DRAINED;
    handler.max_pending = max_pending;
    return house_add(h, &handler);
}

static bool is_readable(const lw_registration *registration)
{
    struct pollfd wanted = { .fd = lw_registration_fd(registration), .events = POLLIN };
    return poll(&wanted, 1, 0) == 1;
}

static void a_drained_handler_is_called_only_when_drained(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    house_open(&h);
    lw_registration *registration = add_drained(&h, &book, 0);
    assert_false(is_readable(registration));
    house_put(&h, "a/x");
    house_put(&h, "a/y");
    house_put(&h, "a/z");
    house_run_until_idle(&h);
    assert_true(is_readable(registration));
    assert_told(&book, "");
    assert_int_equal(lw_registration_drain(registration, 2), 2);
    assert_told(&book, "+a/x.i +a/y.i");
    assert_true(is_readable(registration));
    assert_false(lw_registration_is_synced(registration));
    assert_int_equal(lw_registration_drain(registration, 0), 1);
    assert_told(&book, "+a/z.i");
    assert_true(lw_registration_is_synced(registration));
    assert_false(is_readable(registration));
    assert_int_equal(lw_registration_drain(registration, 0), 0);
    house_put(&h, "a/x");
    house_run_until_idle(&h);
    assert_true(is_readable(registration));
    house_close(&h);
}

/* Takes at most |max| events and notes them. */
static size_t take(lw_registration *registration, notebook *book, size_t max)
{
    lw_event events[8];
    assert_true(max <= 8);
    size_t count = lw_registration_take(registration, events, sizeof(events[0]), max);
    for (size_t i = 0; i < count; i++)
        notebook_take(&events[i], book);
    lw_events_release(events, sizeof(events[0]), count);
    return count;
}

static lw_registration *add_to_take_from(house *h)
{
    const lw_handler handler = { .mode = LW_HANDLER_DRAINED };
    return house_add(h, &handler);
}

static void events_are_taken_without_a_handler(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    house_open(&h);
    lw_registration *registration = add_to_take_from(&h);
    house_put(&h, "a/x");
    house_put(&h, "a/y");
    house_put(&h, "a/z");
    house_run_until_idle(&h);
    assert_int_equal(take(registration, &book, 2), 2);
    assert_told(&book, "+a/x.i +a/y.i");
    assert_true(is_readable(registration));
    assert_false(lw_registration_is_synced(registration));
    assert_int_equal(take(registration, &book, 8), 1);
    assert_told(&book, "+a/z.i");
    assert_false(is_readable(registration));
    assert_true(lw_registration_is_synced(registration));
    house_put(&h, "a/x");
    house_delete(&h, "a/y");
    house_run_until_idle(&h);
    assert_int_equal(take(registration, &book, 8), 2);
    assert_told(&book, "~a/x.w -a/y.w");
    assert_int_equal(take(registration, &book, 8), 0);
    house_close(&h);
}

static void nothing_is_drained_without_a_handler(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    const lw_handler in_dispatch = { .on_event = NULL };
    house_open(&h);
    assert_int_equal(lw_informer_add_handler(h.pods, &in_dispatch, NULL, NULL), LW_ERR_INVALID);
    lw_registration *registration = add_to_take_from(&h);
    house_put(&h, "a/x");
    house_run_until_idle(&h);
    assert_int_equal(lw_registration_drain(registration, 0), 0);
    assert_int_equal(take(registration, &book, 8), 1);
    assert_told(&book, "+a/x.i");
    house_close(&h);
}

static void taken_events_outlive_the_informer(void **state)
{
    (void)state;
    house h;
    lw_event events[4];
    house_open(&h);
    lw_registration *registration = add_to_take_from(&h);
    house_put(&h, "a/x");
    house_run_until_idle(&h);
    house_put(&h, "a/x");
    house_run_until_idle(&h);
    /* The initial object and the change of it come from two queues: one call takes both. */
    assert_int_equal(lw_registration_take(registration, events, sizeof(events[0]), 4), 2);
    house_close(&h);
    assert_string_equal(lw_object_name(events[0].object), "x");
    assert_null(events[0].old_object);
    assert_ptr_equal(events[1].old_object, events[0].object);
    assert_true(lw_object_revision(events[1].object) > lw_object_revision(events[0].object));
    lw_events_release(events, sizeof(events[0]), 2);
    assert_null(events[1].object);
    lw_events_release(events, sizeof(events[0]), 2); /* released already: nothing happens */
}

/* A program that was compiled with another version of lw_event. */
static void events_are_taken_with_the_size_of_the_program(void **state)
{
    (void)state;
    struct {
        lw_event known;
        uint64_t unknown;
    } larger[2];
    struct {
        lw_event_type type;
        lw_event_cause cause;
        const lw_object *object;
        const lw_object *old_object;
    } smaller[2];
    house h;
    house_open(&h);
    lw_registration *registration = add_to_take_from(&h);
    house_put(&h, "a/x");
    house_put(&h, "a/y");
    house_run_until_idle(&h);
    memset(larger, 0xff, sizeof(larger));
    assert_int_equal(lw_registration_take(registration, &larger[0].known, sizeof(larger[0]), 2), 2);
    assert_string_equal(lw_object_name(larger[1].known.object), "y");
    assert_true(larger[0].unknown == 0 && larger[1].unknown == 0);
    lw_events_release(&larger[0].known, sizeof(larger[0]), 2);
    house_put(&h, "a/y");
    house_put(&h, "a/x");
    house_run_until_idle(&h);
    lw_event *old = (lw_event *)(void *)smaller;
    assert_int_equal(lw_registration_take(registration, old, sizeof(smaller[0]), 2), 2);
    assert_string_equal(lw_object_name(smaller[1].object), "x");
    lw_events_release(old, sizeof(smaller[0]), 2);
    house_close(&h);
}

static void only_drained_handlers_have_a_descriptor(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    house_open(&h);
    const lw_handler handler = notebook_handler(&book);
    lw_registration *registration = house_add(&h, &handler);
    assert_int_equal(lw_registration_fd(registration), -1);
    house_put(&h, "a/x");
    assert_int_equal(lw_registration_drain(registration, 0), 0);
    house_close(&h);
}

static void drain_again(const lw_event *event, void *arg)
{
    lw_registration **registration = arg;
    (void)event;
    assert_int_equal(lw_registration_drain(*registration, 0), 0);
}

static void a_handler_that_drains_itself_is_not_called_within_itself(void **state)
{
    (void)state;
    house h;
    lw_registration *registration = NULL;
    notebook book = { .also = drain_again, .arg = &registration };
    house_open(&h);
    house_put(&h, "a/x");
    house_put(&h, "a/y");
    registration = add_drained(&h, &book, 0);
    house_run_until_idle(&h);
    assert_int_equal(lw_registration_drain(registration, 0), 2);
    house_close(&h);
}

/* client-go keeps every event for a slow handler until memory is gone. */
static void events_for_a_slow_handler_are_merged_by_object(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 }, quick = { .len = 0 };
    lw_informer_statistics stats;
    house_open(&h);
    house_put(&h, "a/x");
    house_put(&h, "a/y");
    lw_registration *slow = add_drained(&h, &book, 4);
    const lw_handler handler = notebook_handler(&quick);
    (void)house_add(&h, &handler);
    house_run_until_idle(&h);
    (void)lw_registration_drain(slow, 0);
    assert_told(&book, "+a/x.i +a/y.i");
    for (int i = 0; i < 1000; i++) {
        house_put(&h, "a/x");
        house_put(&h, "a/new");
        if (i % 2 == 1)
            house_delete(&h, "a/new");
        house_run_until_idle(&h);
        lw_informer_stats(h.pods, &stats);
        assert_in_range(stats.handler_depth, 0, 2 + 4); /* two objects, four events of the log */
    }
    house_delete(&h, "a/y");
    (void)fake_provider_recreate(h.fake, "pods", "a/x");
    house_run_until_idle(&h);
    lw_informer_stats(h.pods, &stats);
    assert_in_range(stats.handler_merged, 1900, 2500);
    assert_int_equal(quick.count,
                     2 + 2500 + 3); /* the events of other handlers are not coalesced */
    (void)lw_registration_drain(slow, 0);
    assert_told(&book, "~a/x.w -a/y.w -a/x.w +a/x.w");
    lw_informer_stats(h.pods, &stats);
    assert_int_equal(stats.handler_depth, 0);
    house_close(&h);
}

static void a_handler_that_has_caught_up_is_told_every_event_again(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    house_open(&h);
    lw_registration *slow = add_drained(&h, &book, 2);
    house_run_until_idle(&h);
    for (int i = 0; i < 3; i++)
        house_put(&h, "a/x");
    house_run_until_idle(&h);
    (void)lw_registration_drain(slow, 0);
    assert_told(&book, "+a/x.w");
    house_put(&h, "a/x");
    house_put(&h, "a/x");
    house_run_until_idle(&h);
    (void)lw_registration_drain(slow, 0);
    assert_told(&book, "~a/x.w ~a/x.w");
    house_close(&h);
}

static void write_many(house *h)
{
    char key[32];
    for (int i = 0; i < 50; i++) {
        snprintf(key, sizeof(key), "a/p%02d", i);
        house_put(h, key);
        house_put(h, key);
    }
}

static void the_initial_objects_are_merged_with_nothing(void **state)
{
    (void)state;
    house h;
    notebook book = { .len = 0 };
    house_open(&h);
    write_many(&h);
    house_run_until_idle(&h);
    lw_registration *late = add_drained(&h, &book, 2);
    house_put(&h, "a/p00");
    house_delete(&h, "a/p01");
    house_put(&h, "a/p00");
    house_run_until_idle(&h);
    assert_int_equal(lw_registration_drain(late, 50), 50);
    assert_non_null(strstr(book.text, "+a/p01.i"));
    book.len = 0;
    assert_true(lw_registration_is_synced(late));
    (void)lw_registration_drain(late, 0);
    assert_told(&book, "~a/p00.w -a/p01.w");
    house_close(&h);
}

static void a_turn_tells_one_handler_a_portion_and_comes_back(void **state)
{
    (void)state;
    house h;
    char key[32];
    notebook book = { .len = 0 };
    house_open(&h);
    for (int i = 0; i < LW_PROCESSOR_PORTION + 1; i++) {
        snprintf(key, sizeof(key), "a/p%04d", i);
        house_put(&h, key);
    }
    house_run_until_idle(&h);
    const lw_handler handler = notebook_handler(&book);
    (void)house_add(&h, &handler);
    assert_int_equal(lw_factory_dispatch(h.factory, NULL), LW_OK);
    assert_int_equal(book.count, LW_PROCESSOR_PORTION);
    assert_int_equal(lw_factory_timeout_ms(h.factory), 0);
    assert_int_equal(lw_factory_dispatch(h.factory, NULL), LW_OK);
    assert_int_equal(book.count, LW_PROCESSOR_PORTION + 1);
    house_close(&h);
}

/* However much comes at once: it waits in the queue, not with the handler. */
static void a_handler_in_dispatch_is_told_every_event_of_a_burst(void **state)
{
    (void)state;
    house h;
    lw_informer_statistics stats;
    notebook book = { .len = 0 };
    house_open(&h);
    lw_handler handler = notebook_handler(&book);
    handler.max_pending = LW_PROCESSOR_PORTION;
    (void)house_add(&h, &handler);
    house_run_until_idle(&h);
    for (int i = 0; i < 5 * LW_PROCESSOR_PORTION; i++)
        house_put(&h, "a/x");
    house_run_until_idle(&h);
    assert_int_equal(book.count, 5 * LW_PROCESSOR_PORTION);
    lw_informer_stats(h.pods, &stats);
    assert_int_equal(stats.handler_merged, 0);
    house_close(&h);
}

/* Threads. */

typedef struct gate {
    lw_mutex mu;
    lw_cond changed;
    bool is_open;
    unsigned waiting, passed;
} gate;

static void gate_init(gate *g)
{
    lw_mutex_init(&g->mu);
    lw_cond_init(&g->changed);
    g->is_open = false;
    g->waiting = 0;
    g->passed = 0;
}

static void gate_done(gate *g)
{
    lw_cond_done(&g->changed);
    lw_mutex_done(&g->mu);
}

/* A handler that waits at the gate. */
static void wait_at_gate(const lw_event *event, void *arg)
{
    gate *g = arg;
    (void)event;
    lw_mutex_lock(&g->mu);
    g->waiting++;
    lw_cond_broadcast(&g->changed);
    while (!g->is_open)
        lw_cond_wait(&g->changed, &g->mu);
    g->waiting--;
    g->passed++;
    lw_cond_broadcast(&g->changed);
    lw_mutex_unlock(&g->mu);
}

static void gate_await(gate *g, unsigned waiting, unsigned passed)
{
    lw_mutex_lock(&g->mu);
    while (g->waiting < waiting || g->passed < passed)
        lw_cond_wait(&g->changed, &g->mu);
    lw_mutex_unlock(&g->mu);
}

static void gate_open(gate *g)
{
    lw_mutex_lock(&g->mu);
    g->is_open = true;
    lw_cond_broadcast(&g->changed);
    lw_mutex_unlock(&g->mu);
}

static void a_handler_in_its_own_thread_delays_nobody(void **state)
{
    (void)state;
    house h;
    gate g;
    notebook quick = { .len = 0 };
    gate_init(&g);
    house_open(&h);
    lw_handler handler = { .on_event = wait_at_gate, .arg = &g, .mode = LW_HANDLER_OWN_THREAD };
    lw_registration *slow = house_add(&h, &handler);
    handler = notebook_handler(&quick);
    (void)house_add(&h, &handler);
    house_put(&h, "a/x");
    house_put(&h, "a/y");
    house_run_until_idle(&h);
    gate_await(&g, 1, 0);
    assert_told(&quick, "+a/x.i +a/y.i");
    assert_false(lw_registration_is_synced(slow));
    gate_open(&g);
    gate_await(&g, 0, 2);
    assert_int_equal(lw_factory_wait_for_sync(h.factory, 10, NULL), LW_OK);
    assert_true(lw_registration_is_synced(slow));
    house_close(&h);
    gate_done(&g);
}

typedef struct removal {
    house *h;
    gate *g;
    lw_registration *registration;
    unsigned inside; /* when the removal was over */
} removal;

static void remove_in_thread(void *arg)
{
    removal *r = arg;
    lw_informer_remove_handler(r->h->pods, r->registration);
    lw_mutex_lock(&r->g->mu);
    r->inside = r->g->waiting;
    lw_mutex_unlock(&r->g->mu);
}

/* client-go's RemoveEventHandler returns while the handler may still run. */
static void removal_waits_for_the_handler_to_return(void **state)
{
    (void)state;
    house h;
    gate g;
    lw_thread thread;
    gate_init(&g);
    house_open(&h);
    const lw_handler handler = { .on_event = wait_at_gate,
                                 .arg = &g,
                                 .mode = LW_HANDLER_OWN_THREAD };
    removal r = { .h = &h, .g = &g, .registration = house_add(&h, &handler) };
    house_put(&h, "a/x");
    house_put(&h, "a/y");
    house_run_until_idle(&h);
    gate_await(&g, 1, 0);
    assert_int_equal(lw_thread_start(&thread, "remover", remove_in_thread, &r, NULL), LW_OK);
    /* The removal is in progress, and cannot end while the handler waits at the gate. */
    while (!atomic_load(&r.registration->is_removed))
        continue;
    gate_open(&g);
    lw_thread_join(&thread);
    assert_int_equal(r.inside, 0);
    assert_int_equal(g.passed, 1); /* the second object was not delivered */
    house_close(&h);
    gate_done(&g);
}

typedef struct self_removal {
    house *h;
    lw_registration *self;
    gate *g;
} self_removal;

static void remove_self(const lw_event *event, void *arg)
{
    self_removal *r = arg;
    lw_informer_remove_handler(r->h->pods, r->self);
    wait_at_gate(event, r->g);
}

static void a_handler_in_its_own_thread_may_remove_itself(void **state)
{
    (void)state;
    house h;
    gate g;
    gate_init(&g);
    g.is_open = true;
    house_open(&h);
    self_removal r = { .h = &h, .g = &g };
    const lw_handler handler = { .on_event = remove_self,
                                 .arg = &r,
                                 .mode = LW_HANDLER_OWN_THREAD };
    r.self = house_add(&h, &handler);
    house_put(&h, "a/x");
    house_put(&h, "a/y");
    house_run_until_idle(&h);
    gate_await(&g, 0, 1);
    house_put(&h, "a/z");
    house_run_until_idle(&h);
    house_close(&h);
    assert_int_equal(g.passed, 1);
    gate_done(&g);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_drained_handler_is_called_only_when_drained),
        TEST(events_are_taken_without_a_handler),
        TEST(nothing_is_drained_without_a_handler),
        TEST(taken_events_outlive_the_informer),
        TEST(events_are_taken_with_the_size_of_the_program),
        TEST(only_drained_handlers_have_a_descriptor),
        TEST(a_handler_that_drains_itself_is_not_called_within_itself),
        TEST(events_for_a_slow_handler_are_merged_by_object),
        TEST(a_handler_that_has_caught_up_is_told_every_event_again),
        TEST(the_initial_objects_are_merged_with_nothing),
        TEST(a_turn_tells_one_handler_a_portion_and_comes_back),
        TEST(a_handler_in_dispatch_is_told_every_event_of_a_burst),
        TEST(a_handler_in_its_own_thread_delays_nobody),
        TEST(removal_waits_for_the_handler_to_return),
        TEST(a_handler_in_its_own_thread_may_remove_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
