/* SPDX-License-Identifier: Apache-2.0 */
/* server_health_test.c -- what reflectors of one factory do together: one probes, the first answer
 * wakes all, and lists begin at a limited rate. */
#include "informer/server_health.h"

#include "base/alloc.h"
#include "informer/reflector.h"
#include "unit/informer/rig.h"

enum {
    CREW = 100,
};

/* Reflectors that share a server and its health, on one clock. */
typedef struct crew {
    lw_server_health health;
    lw_manual_clock *clock;
    rig rigs[CREW];
    bool is_open[CREW]; /* the watch of the reflector */
    bool is_up;
    unsigned probes; /* requests while the server is down */
    unsigned lists;
} crew;

static int64_t now_of(const crew *c)
{
    return lw_clock_now(lw_manual_clock_as_clock(c->clock));
}

static void crew_open(crew *c)
{
    *c = (crew){ .is_up = true };
    lw_server_health_init(&c->health, 7);
    assert_int_equal(lw_manual_clock_new(&c->clock, 0), LW_OK);
    for (int i = 0; i < CREW; i++) {
        rig *g = &c->rigs[i];
        script_init(&g->source);
        assert_int_equal(lw_delta_fifo_new(&g->fifo, NULL), LW_OK);
        const lw_reflector_options options = { .source = &g->source.base,
                                               .fifo = g->fifo,
                                               .lists_only = true,
                                               .seed = (uint64_t)i + 1,
                                               .health = &c->health,
                                               .clock = lw_manual_clock_as_clock(c->clock) };
        assert_int_equal(lw_reflector_new(&g->reflector, &options, NULL), LW_OK);
        lw_reflector_start(g->reflector);
    }
}

static void crew_close(crew *c)
{
    for (int i = 0; i < CREW; i++) {
        lw_reflector_free(c->rigs[i].reflector);
        lw_delta_fifo_free(c->rigs[i].fifo);
    }
    lw_manual_clock_free(c->clock);
}

/* Answers the request of a reflector. */
static void answer(crew *c, int i)
{
    rig *g = &c->rigs[i];
    if (!g->source.is_under_way)
        return;
    bool is_list = strncmp(script_request(&g->source), "LIST", 4) == 0;
    if (!c->is_up) {
        lw_error err = script_error(LW_ERR_UNAVAILABLE, 0, 0);
        c->probes++;
        script_fail(&g->source, &err);
    } else if (is_list) {
        c->lists++;
        script_list_end(&g->source, "10", "");
    } else if (!c->is_open[i]) {
        script_open(&g->source);
        c->is_open[i] = true;
    }
}

static void drain(rig *g)
{
    lw_dlist deltas;
    while (lw_delta_fifo_pop(g->fifo, &deltas)) {
        LW_DLIST_FOR_EACH_SAFE(lw_delta, delta, &deltas, arrival)
        lw_delta_free(delta);
    }
}

/* Lets |ns| pass in steps of 5 ms. */
static void pass(crew *c, int64_t ns)
{
    for (int64_t end = now_of(c) + ns; now_of(c) < end;) {
        for (int i = 0; i < CREW; i++) {
            rig *g = &c->rigs[i];
            if (lw_reflector_deadline_ns(g->reflector) <= now_of(c))
                lw_reflector_tick(g->reflector);
            answer(c, i);
            drain(g);
        }
        lw_manual_clock_advance(c->clock, 5 * LW_NS_PER_MS);
    }
}

static unsigned watching(const crew *c)
{
    unsigned count = 0;
    for (int i = 0; i < CREW; i++)
        count += c->rigs[i].source.is_under_way;
    return count;
}

static void go_down(crew *c)
{
    c->is_up = false;
    for (int i = 0; i < CREW; i++) {
        c->is_open[i] = false;
        lw_error err = script_error(LW_ERR_UNAVAILABLE, 0, 0);
        if (c->rigs[i].source.is_under_way)
            script_fail(&c->rigs[i].source, &err);
    }
}

static void one_reflector_probes_for_all_while_the_server_is_down(void **state)
{
    (void)state;
    crew *c = lw_alloc_zero(1, sizeof(*c));
    assert_non_null(c);
    crew_open(c);
    pass(c, 30 * LW_NS_PER_S);
    assert_int_equal(watching(c), CREW);
    go_down(c);
    pass(c, 2 * LW_NS_PER_S);
    c->probes = 0;
    pass(c, 60 * LW_NS_PER_S);
    assert_in_range(c->probes, 60, 110); /* every 0.6 to 1.2 s */
    c->is_up = true;
    c->lists = 0;
    int64_t since = now_of(c);
    while (watching(c) < CREW)
        pass(c, 5 * LW_NS_PER_MS);
    assert_in_range(now_of(c) - since, 0, 1500 * LW_NS_PER_MS);
    assert_int_equal(c->lists, 0);
    crew_close(c);
    lw_free(c);
}

static void lists_begin_at_a_limited_rate(void **state)
{
    (void)state;
    lw_server_health health;
    int64_t last = 0;
    lw_server_health_init(&health, 1);
    for (int i = 0; i < LW_HEALTH_LISTS_BURST; i++)
        assert_int_equal(lw_server_health_list_ns(&health, LW_NS_PER_S), LW_NS_PER_S);
    for (int i = 0; i < LW_HEALTH_LISTS_PER_S; i++)
        last = lw_server_health_list_ns(&health, LW_NS_PER_S);
    assert_int_equal(last, 2 * LW_NS_PER_S);
    /* After a while the whole budget is there again, and not more. */
    for (int i = 0; i < LW_HEALTH_LISTS_BURST; i++)
        last = lw_server_health_list_ns(&health, 100 * LW_NS_PER_S);
    assert_int_equal(last, 100 * LW_NS_PER_S);
    last = lw_server_health_list_ns(&health, 100 * LW_NS_PER_S);
    assert_in_range(last, 100 * LW_NS_PER_S + 1, 101 * LW_NS_PER_S);
}

/* Two reflectors that watch; the first one of them fails and succeeds. */
typedef struct pair {
    lw_server_health health;
    rig a, b;
} pair;

static void open_pair(pair *p)
{
    lw_server_health_init(&p->health, 3);
    lw_reflector_options options = rig_options();
    options.lists_only = true;
    options.health = &p->health;
    rig *both[] = { &p->a, &p->b };
    for (int i = 0; i < 2; i++) {
        rig_open(both[i], &options);
        script_list_end(&both[i]->source, "10", "");
        rig_run_until_idle(both[i]);
        assert_request(both[i], "WATCH rv=10");
        script_open(&both[i]->source);
    }
}

static void close_pair(pair *p)
{
    rig_close(&p->a);
    rig_close(&p->b);
}

static void pass_pair(pair *p, int64_t ns)
{
    rig_advance(&p->a, ns);
    rig_advance(&p->b, ns);
}

static void fail_rig(rig *g, lw_status code, int http_status, int retry_after_s)
{
    lw_error err = script_error(code, http_status, retry_after_s);
    script_fail(&g->source, &err);
    rig_run_until_idle(g);
}

static void an_answer_to_one_wakes_the_others_but_not_before_a_retry_after(void **state)
{
    (void)state;
    for (int retry_after_s = 0; retry_after_s <= 20; retry_after_s += 20) {
        pair p;
        open_pair(&p);
        pass_pair(&p, 20 * LW_NS_PER_S);
        fail_rig(&p.b, LW_ERR_UNAVAILABLE, 0, 0); /* at once, and once more in vain */
        fail_rig(&p.b, LW_ERR_UNAVAILABLE, 503, retry_after_s);
        assert_request(&p.b, "");
        assert_true(p.health.is_down);
        script_event(&p.a.source, LW_WATCH_ADDED, "n/a", 11);
        rig_run_until_idle(&p.a);
        assert_false(p.health.is_down);
        pass_pair(&p, 50 * LW_NS_PER_MS);
        assert_request(&p.b, retry_after_s == 0 ? "WATCH rv=10" : "");
        pass_pair(&p, 25 * LW_NS_PER_S);
        assert_true(p.b.source.is_under_way || p.b.errors > 0);
        close_pair(&p);
    }
}

/* One resource that the server cannot list must not be tried at each event of another one. */
static void a_reflector_whose_own_requests_are_refused_is_woken_once_in_10_s(void **state)
{
    (void)state;
    pair p;
    unsigned tries = 0;
    open_pair(&p);
    pass_pair(&p, 90 * LW_NS_PER_S);
    for (int i = 0; i < 600; i++) { /* a minute */
        if (p.b.source.is_under_way) {
            tries++;
            fail_rig(&p.b, LW_ERR_UNAVAILABLE, 503, 0);
        }
        script_event(&p.a.source, LW_WATCH_ADDED, "n/a", 11 + (uint64_t)i);
        p.a.log_len = 0;
        pass_pair(&p, 100 * LW_NS_PER_MS);
    }
    assert_in_range(tries, 15, 40);
    close_pair(&p);
}

static void a_watch_that_was_silent_during_an_outage_is_replaced(void **state)
{
    (void)state;
    pair p;
    open_pair(&p);
    pass_pair(&p, 20 * LW_NS_PER_S);
    fail_rig(&p.b, LW_ERR_UNAVAILABLE, 0, 0);
    fail_rig(&p.b, LW_ERR_UNAVAILABLE, 0, 0);
    assert_true(p.health.is_down);
    while (!p.b.source.is_under_way)
        pass_pair(&p, 10 * LW_NS_PER_MS);
    assert_int_equal(p.a.source.watches, 1);
    script_open(&p.b.source);
    pass_pair(&p, 50 * LW_NS_PER_MS);
    assert_int_equal(p.a.source.watches, 2);
    assert_int_equal(p.a.source.lists, 1);
    close_pair(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(one_reflector_probes_for_all_while_the_server_is_down),
        TEST(lists_begin_at_a_limited_rate),
        TEST(an_answer_to_one_wakes_the_others_but_not_before_a_retry_after),
        TEST(a_reflector_whose_own_requests_are_refused_is_woken_once_in_10_s),
        TEST(a_watch_that_was_silent_during_an_outage_is_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
