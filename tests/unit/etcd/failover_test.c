/* SPDX-License-Identifier: Apache-2.0 */
/* failover_test.c -- three members, of which one dies, hangs or loses the others. */
#include "unit/etcd/watch_world.h"

/* Members are asked often whether they live; etcd must not mind. */
static const etcd_cluster_options three = { .members = 3,
                                            .args = { "--grpc-keepalive-min-time=10ms" } };
static const lw_etcd_options impatient = { .request_timeout_ms = 6000,
                                           .connect_timeout_ms = 500,
                                           .keepalive_ms = 300,
                                           .keepalive_timeout_ms = 300 };

static void note_member(const lw_etcd_status_answer *answer, void *arg)
{
    *(uint64_t *)arg = answer->member;
}

/* The index of the member that the client talks to now. */
static size_t member_in_use(etcd_world *world)
{
    lw_error err = LW_ERROR_INIT;
    uint64_t used = 0;
    if (etcd_blocking_status(world->client, note_member, &used, &err) < 0)
        fail_msg("%s", err.message);
    for (size_t i = 0; i < world->cluster.options.members; i++) {
        const lw_etcd_options alone = { .endpoints = world->cluster.members[i].endpoint };
        etcd_blocking *client = etcd_world_connect(world, &alone);
        uint64_t member = 0;
        if (etcd_blocking_status(client, note_member, &member, &err) < 0)
            fail_msg("%s", err.message);
        etcd_blocking_free(client);
        if (member == used)
            return i;
    }
    fail_msg("no member says that it was asked");
    return 0;
}

static void expect_read(etcd_world *world, const char *key)
{
    const lw_etcd_range_request request = { .key = lw_str_of(key) };
    lw_error err = LW_ERROR_INIT;
    if (etcd_blocking_range(world->client, &request, NULL, NULL, &err) < 0)
        fail_msg("%s", err.message);
}

static void when_a_member_is_killed_calls_and_watches_go_on_elsewhere(void **state)
{
    etcd_world world;
    watch_note note = { .wants_text = true };
    const lw_etcd_watch_request request = { .key = LW_STR("kill") };
    (void)state;
    etcd_world_open(&world, &three, &impatient);
    etcd_world_put(world.client, "kill", "0");
    watch_note_open(&note, world.etcd, &request);
    etcd_world_await(&world, &note.opens, 1);
    size_t index = member_in_use(&world);
    etcd_member_kill(&world.cluster, index);
    expect_read(&world, "kill");
    etcd_world_put(world.client, "kill", "1");
    etcd_world_await(&world, &note.events, 1);
    assert_str_equal(lw_buf_view(&note.said), "+kill=1 ");
    assert_int_equal(note.cuts, 1);
    watch_note_close(&note);
    etcd_world_close(&world);
}

static void when_a_member_hangs_reads_and_watches_go_on_elsewhere(void **state)
{
    etcd_world world;
    watch_note note = { .wants_text = true };
    const lw_etcd_watch_request request = { .key = LW_STR("hang") };
    (void)state;
    etcd_world_open(&world, &three, &impatient);
    etcd_world_put(world.client, "hang", "0");
    watch_note_open(&note, world.etcd, &request);
    etcd_world_await(&world, &note.opens, 1);
    size_t index = member_in_use(&world);
    etcd_member_pause(&world.cluster, index);
    expect_read(&world, "hang");
    etcd_world_put(world.client, "hang", "1");
    etcd_world_await(&world, &note.events, 1);
    assert_str_equal(lw_buf_view(&note.said), "+hang=1 ");
    assert_int_equal(note.cuts, 1);
    etcd_member_resume(&world.cluster, index);
    watch_note_close(&note);
    etcd_world_close(&world);
}

/* No PING would tell before the deadline. */
static void a_read_is_asked_elsewhere_when_nothing_comes(void **state)
{
    etcd_world world;
    const lw_etcd_options options = { .request_timeout_ms = 9000, .keepalive_ms = 30000 };
    (void)state;
    etcd_world_open(&world, &three, &options);
    etcd_world_put(world.client, "silent", "0");
    size_t index = member_in_use(&world);
    etcd_member_pause(&world.cluster, index);
    expect_read(&world, "silent");
    etcd_member_resume(&world.cluster, index);
    etcd_world_close(&world);
}

static void a_write_to_a_member_that_hangs_is_of_unknown_outcome(void **state)
{
    etcd_world world;
    lw_error err = LW_ERROR_INIT;
    bool is_unknown = false;
    (void)state;
    etcd_world_open(&world, &three, NULL);
    etcd_world_put(world.client, "write", "0");
    size_t index = member_in_use(&world);
    etcd_member_pause(&world.cluster, index);
    const lw_etcd_txn_request request = { .op = LW_ETCD_PUT,
                                          .key = LW_STR("write"),
                                          .value = LW_STR("1"),
                                          .is_unguarded = true,
                                          .timeout_ms = 500 };
    assert_int_equal(etcd_blocking_txn(world.client, &request, NULL, NULL, &is_unknown, &err),
                     LW_ERR_TIMEOUT);
    assert_true(is_unknown);
    assert_non_null(strstr(err.message, world.cluster.members[index].endpoint));
    /* The next one goes elsewhere, when there is a leader again. */
    expect_read(&world, "write");
    etcd_world_put(world.client, "write", "2");
    etcd_member_resume(&world.cluster, index);
    etcd_world_close(&world);
}

/* With two of three gone the last one has no leader: it must say so, not keep a watch that never
 * tells anything again. */
static void a_watch_leaves_a_member_without_a_leader(void **state)
{
    etcd_world world;
    watch_note note = { .wants_text = true };
    const lw_etcd_watch_request request = { .key = LW_STR("leader") };
    lw_error err = LW_ERROR_INIT;
    bool is_unknown = true;
    (void)state;
    etcd_world_open(&world, &three, &impatient);
    etcd_world_put(world.client, "leader", "0");
    watch_note_open(&note, world.etcd, &request);
    etcd_world_await(&world, &note.opens, 1);
    size_t index = member_in_use(&world);
    etcd_member_kill(&world.cluster, (index + 1) % 3);
    etcd_member_kill(&world.cluster, (index + 2) % 3);
    etcd_world_await(&world, &note.cuts, 1);
    assert_int_equal(note.err.code, LW_ERR_UNAVAILABLE);
    assert_non_null(strstr(note.err.message, "no leader"));
    /* Nobody has begun this write. */
    const lw_etcd_txn_request write = { .op = LW_ETCD_PUT,
                                        .key = LW_STR("leader"),
                                        .value = LW_STR("never"),
                                        .is_unguarded = true,
                                        .timeout_ms = 1000 };
    assert_int_equal(etcd_blocking_txn(world.client, &write, NULL, NULL, &is_unknown, &err),
                     LW_ERR_UNAVAILABLE);
    assert_false(is_unknown);
    assert_true(etcd_member_start(&world.cluster, (index + 1) % 3));
    etcd_world_put(world.client, "leader", "1");
    etcd_world_await(&world, &note.events, 1);
    assert_str_equal(lw_buf_view(&note.said), "+leader=1 ");
    watch_note_close(&note);
    etcd_world_close(&world);
}

static void without_any_member_a_call_fails_at_its_deadline_and_names_one(void **state)
{
    etcd_world world;
    const lw_etcd_options options = { .request_timeout_ms = 700 };
    const lw_etcd_range_request request = { .key = LW_STR("a") };
    const lw_etcd_txn_request write = { .op = LW_ETCD_PUT, .key = LW_STR("a") };
    lw_error err = LW_ERROR_INIT;
    bool is_unknown = true;
    (void)state;
    etcd_world_open(&world, NULL, &options);
    etcd_member_kill(&world.cluster, 0);
    int64_t start = lw_clock_now(lw_clock_system());
    assert_int_equal(etcd_blocking_range(world.client, &request, NULL, NULL, &err),
                     LW_ERR_UNAVAILABLE);
    assert_true(lw_clock_now(lw_clock_system()) - start >= 300 * LW_NS_PER_MS);
    assert_non_null(strstr(err.message, world.cluster.endpoints));
    assert_int_equal(etcd_blocking_txn(world.client, &write, NULL, NULL, &is_unknown, &err),
                     LW_ERR_UNAVAILABLE);
    assert_false(is_unknown);
    etcd_world_close(&world);
}

static void tls_members_know_the_client_by_its_certificate(void **state)
{
    etcd_world world = { .client = NULL };
    const etcd_cluster_options secured = { .is_tls = true, .wants_client_cert = true };
    lw_error err = LW_ERROR_INIT;
    const lw_etcd_range_request request = { .key = LW_STR("a") };
    (void)state;
    assert_true(etcd_cluster_start(&world.cluster, &secured));
    const lw_etcd_options known = { .cert_file = world.cluster.cert_file,
                                    .key_file = world.cluster.key_file };
    etcd_blocking *client = etcd_world_connect(&world, &known);
    etcd_world_put(client, "tls", "1");
    etcd_blocking_free(client);

    const lw_etcd_options stranger = { .request_timeout_ms = 500 };
    client = etcd_world_connect(&world, &stranger);
    assert_int_equal(etcd_blocking_range(client, &request, NULL, NULL, &err), LW_ERR_UNAVAILABLE);
    etcd_blocking_free(client);
    etcd_cluster_stop(&world.cluster);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(when_a_member_is_killed_calls_and_watches_go_on_elsewhere),
        TEST(when_a_member_hangs_reads_and_watches_go_on_elsewhere),
        TEST(a_read_is_asked_elsewhere_when_nothing_comes),
        TEST(a_write_to_a_member_that_hangs_is_of_unknown_outcome),
        TEST(a_watch_leaves_a_member_without_a_leader),
        TEST(without_any_member_a_call_fails_at_its_deadline_and_names_one),
        TEST(tls_members_know_the_client_by_its_certificate),
    };
    ETCD_WORLD_SKIP_WITHOUT_ETCD();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
