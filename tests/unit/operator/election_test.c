/* SPDX-License-Identifier: Apache-2.0 */
/* election_test.c -- copies that compete for a Lease of a server in this process, each with its own
 * clock, which stands still until a test advances it. */
#include <listwatch/election.h>

#include <poll.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/str.h"
#include "support/client_world.h"
#include "support/hung_server.h"
#include "unit/test.h"

enum {
    COPIES_MAX = 3,
    PATIENCE_S = 20,
};

typedef struct copy {
    lw_manual_clock *clock;
    lw_client *client;
    lw_election *election;
    int acquired, lost, leaders;
    int attempts; /* that have ended */
    char leader[LW_ELECTION_IDENTITY_SIZE];
} copy;

static client_world world;
static copy copies[COPIES_MAX];

static int set_up(void **state)
{
    (void)state;
    client_world_open(&world, NULL);
    memset(copies, 0, sizeof(copies));
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    for (int i = 0; i < COPIES_MAX; i++) {
        lw_election_free(copies[i].election);
        lw_client_unref(copies[i].client);
        lw_manual_clock_free(copies[i].clock);
    }
    client_world_close(&world);
    return 0;
}

static void on_acquired(void *arg)
{
    ((copy *)arg)->acquired++;
}

static void on_lost(void *arg)
{
    ((copy *)arg)->lost++;
}

static void on_new_leader(const char *identity, void *arg)
{
    copy *c = arg;
    c->leaders++;
    (void)snprintf(c->leader, sizeof(c->leader), "%s", identity);
}

/* Each attempt ends with a line about the next one. */
static void on_log(lw_log_level level, const char *component, const char *line, void *arg)
{
    (void)level;
    (void)component;
    ((copy *)arg)->attempts += strstr(line, "next attempt") != NULL;
}

/* A copy whose wall clock shows |wall_s|. */
static copy *add_copy(int number, const char *identity, int64_t wall_s, bool observes)
{
    copy *c = &copies[number];
    lw_error err = LW_ERROR_INIT;
    lw_config_options where = LW_CONFIG_OPTIONS_INIT;
    where.server = lw_server_insecure_url(world.server);
    c->client = client_world_connect(&where);
    assert_int_equal(lw_manual_clock_new(&c->clock, wall_s * LW_NS_PER_S), LW_OK);
    lw_election_options options = LW_ELECTION_OPTIONS_INIT;
    options.client = c->client;
    options.name = "l";
    options.identity = identity;
    options.releases = true;
    options.observes = observes;
    options.on_acquired = on_acquired;
    options.on_lost = on_lost;
    options.on_new_leader = on_new_leader;
    options.arg = c;
    options.clock = lw_manual_clock_as_clock(c->clock);
    const lw_logger logger = { LW_LOG_DEBUG, on_log, c };
    options.logger = &logger;
    if (lw_election_new(&c->election, &options, &err) < 0)
        fail_msg("%s", err.message);
    return c;
}

/* Dispatches |c| until |*value| is |wanted|. */
static void run_until(copy *c, const int *value, int wanted)
{
    int64_t late_ns = lw_clock_now(lw_clock_system()) + PATIENCE_S * LW_NS_PER_S;
    while (*value != wanted && lw_clock_now(lw_clock_system()) < late_ns) {
        struct pollfd fd = { .fd = lw_election_fd(c->election), .events = POLLIN };
        int timeout_ms = lw_election_timeout_ms(c->election);
        (void)poll(&fd, 1, timeout_ms < 0 || timeout_ms > 100 ? 100 : timeout_ms);
        lw_election_dispatch(c->election);
    }
    assert_int_equal(*value, wanted);
}

static void advance(copy *c, int64_t s)
{
    lw_manual_clock_advance(c->clock, s * LW_NS_PER_S);
}

/* One attempt, |s| seconds later. */
static void run_once_after(copy *c, int64_t s)
{
    int attempts = c->attempts;
    advance(c, s);
    run_until(c, &c->attempts, attempts + 1);
}

static lw_object *lease(void)
{
    lw_object *obj = NULL;
    assert_int_equal(lw_client_get(world.client, lw_gvr_make("coordination.k8s.io", "v1", "leases"),
                                   "default", "l", NULL, &obj, NULL),
                     LW_OK);
    return obj;
}

static void assert_lease(const char *holder, int64_t transitions)
{
    lw_object *obj = lease();
    assert_string_equal(lw_object_string(obj, "/spec/holderIdentity", "?"), holder);
    assert_int_equal(lw_object_int(obj, "/spec/leaseTransitions", -1), transitions);
    lw_object_unref(obj);
}

static void one_copy_leads_and_the_others_know_it(void **state)
{
    (void)state;
    copy *a = add_copy(0, "a", 1000, false), *b = add_copy(1, "b", 1000, false);
    run_until(a, &a->acquired, 1);
    assert_string_equal(a->leader, "a");
    run_until(b, &b->leaders, 1);
    assert_string_equal(b->leader, "a");
    assert_true(lw_election_is_leader(a->election));
    assert_false(lw_election_is_leader(b->election));
    char leader[8];
    assert_int_equal(lw_election_leader(b->election, leader, sizeof(leader)), 1);
    assert_string_equal(leader, "a");
    assert_lease("a", 0);
}

static void a_closed_election_releases_the_lease_for_the_next_copy(void **state)
{
    (void)state;
    copy *a = add_copy(0, "a", 1000, false), *b = add_copy(1, "b", 1000, false);
    run_until(a, &a->acquired, 1);
    run_until(b, &b->leaders, 1);
    lw_election_stop(a->election, PATIENCE_S * 1000);
    assert_int_equal(a->lost, 1);
    assert_true(lw_election_is_closed(a->election));
    assert_lease("", 0);
    advance(b, 5); /* at most 2.2 retry periods */
    run_until(b, &b->acquired, 1);
    assert_lease("b", 1);
}

static void a_lease_is_taken_after_its_duration_by_the_clock_of_the_other_copy(void **state)
{
    (void)state;
    /* The wall clocks are a year apart. */
    copy *a = add_copy(0, "a", 1000, false), *b = add_copy(1, "b", 32000000, false);
    run_until(a, &a->acquired, 1);
    run_until(b, &b->leaders, 1);
    run_until(b, &b->attempts, 1);
    run_once_after(b, 5);
    run_once_after(b, 9);
    assert_int_equal(b->acquired, 0);
    advance(b, 5);
    run_until(b, &b->acquired, 1);
    assert_lease("b", 1);
}

static void a_lease_that_is_renewed_stays_with_its_holder(void **state)
{
    (void)state;
    copy *a = add_copy(0, "a", 1000, false), *b = add_copy(1, "b", 1000, false);
    run_until(a, &a->acquired, 1);
    run_until(b, &b->attempts, 1);
    for (int s = 0; s < 40; s += 5) {
        run_once_after(a, 5);
        run_once_after(b, 5);
    }
    assert_int_equal(a->lost, 0);
    assert_int_equal(b->acquired, 0);
    assert_lease("a", 0);
}

static void a_leader_that_cannot_renew_stops_leading_before_others_begin(void **state)
{
    (void)state;
    copy *a = add_copy(0, "a", 1000, false);
    run_until(a, &a->acquired, 1);
    lw_client_close(a->client);
    run_once_after(a, 9);
    assert_int_equal(a->lost, 0);
    advance(a, 1);
    run_until(a, &a->lost, 1);
    assert_false(lw_election_is_leader(a->election));
}

static void a_change_of_the_metadata_does_not_end_a_term(void **state)
{
    (void)state;
    copy *a = add_copy(0, "a", 1000, false);
    run_until(a, &a->acquired, 1);
    assert_int_equal(lw_client_patch(world.client,
                                     lw_gvr_make("coordination.k8s.io", "v1", "leases"), "default",
                                     "l", LW_STR("{\"metadata\":{\"labels\":{\"x\":\"y\"}}}"), NULL,
                                     NULL, NULL),
                     LW_OK);
    for (int i = 0; i < 6; i++)
        run_once_after(a, 2);
    assert_int_equal(a->lost, 0);
    lw_object *obj = lease();
    assert_string_equal(lw_object_label(obj, "x"), "y");
    lw_object_unref(obj);
}

static void a_lease_that_another_copy_has_taken_is_lost_at_once(void **state)
{
    (void)state;
    copy *a = add_copy(0, "a", 1000, false);
    run_until(a, &a->acquired, 1);
    assert_int_equal(lw_client_patch(world.client,
                                     lw_gvr_make("coordination.k8s.io", "v1", "leases"), "default",
                                     "l", LW_STR("{\"spec\":{\"holderIdentity\":\"x\"}}"), NULL,
                                     NULL, NULL),
                     LW_OK);
    advance(a, 2);
    run_until(a, &a->lost, 1);
    assert_string_equal(a->leader, "x");
}

static void an_observer_reports_the_leader_and_never_leads(void **state)
{
    (void)state;
    copy *watcher = add_copy(0, "watcher", 1000, true);
    run_until(watcher, &watcher->leaders, 1);
    assert_string_equal(watcher->leader, "");
    copy *a = add_copy(1, "a", 1000, false);
    run_until(a, &a->acquired, 1);
    advance(watcher, 5);
    run_until(watcher, &watcher->leaders, 2);
    assert_string_equal(watcher->leader, "a");
    lw_election_stop(a->election, PATIENCE_S * 1000);
    advance(watcher, 100);
    run_until(watcher, &watcher->leaders, 3);
    assert_string_equal(watcher->leader, "");
    assert_int_equal(watcher->acquired, 0);
}

static void a_thread_stops_while_the_server_hangs(void **state)
{
    (void)state;
    hung_server server;
    lw_election *election = NULL;
    lw_election_options options = LW_ELECTION_OPTIONS_INIT;
    hung_server_open(&server);
    lw_client *client = hung_server_client(&server);
    options.client = client;
    options.name = "l";
    options.releases = true;
    assert_int_equal(lw_election_new(&election, &options, NULL), LW_OK);
    assert_int_equal(lw_election_start(election, NULL), LW_OK);
    assert_int_equal(lw_election_start(election, NULL), LW_ERR_EXISTS);
    hung_server_await_request(&server);
    int64_t before_ns = lw_clock_now(lw_clock_system());
    lw_election_stop(election, 60000);
    assert_true(lw_clock_now(lw_clock_system()) - before_ns < 1000 * LW_NS_PER_MS);
    assert_int_equal(lw_election_start(election, NULL), LW_ERR_EXISTS);
    lw_election_free(election);
    lw_client_unref(client);
    hung_server_close(&server);
}

static void options_that_do_not_fit_together_are_rejected(void **state)
{
    (void)state;
    lw_election *election = NULL;
    lw_election_options options = LW_ELECTION_OPTIONS_INIT;
    assert_int_equal(lw_election_new(&election, &options, NULL), LW_ERR_INVALID);
    options.client = world.client;
    options.name = "l";
    options.identity = "";
    assert_int_equal(lw_election_new(&election, &options, NULL), LW_ERR_INVALID);
    options.identity = NULL;
    options.renew_deadline_ms = 15000;
    assert_int_equal(lw_election_new(&election, &options, NULL), LW_ERR_INVALID);
    options.renew_deadline_ms = 2400;
    assert_int_equal(lw_election_new(&election, &options, NULL), LW_ERR_INVALID);
    options.size = 0;
    assert_int_equal(lw_election_new(&election, &options, NULL), LW_ERR_INVALID);
}

#define IN_WORLD(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(one_copy_leads_and_the_others_know_it),
        IN_WORLD(a_closed_election_releases_the_lease_for_the_next_copy),
        IN_WORLD(a_lease_is_taken_after_its_duration_by_the_clock_of_the_other_copy),
        IN_WORLD(a_lease_that_is_renewed_stays_with_its_holder),
        IN_WORLD(a_leader_that_cannot_renew_stops_leading_before_others_begin),
        IN_WORLD(a_change_of_the_metadata_does_not_end_a_term),
        IN_WORLD(a_lease_that_another_copy_has_taken_is_lost_at_once),
        IN_WORLD(an_observer_reports_the_leader_and_never_leads),
        IN_WORLD(a_thread_stops_while_the_server_hangs),
        IN_WORLD(options_that_do_not_fit_together_are_rejected),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
