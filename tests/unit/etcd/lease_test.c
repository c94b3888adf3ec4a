/* SPDX-License-Identifier: Apache-2.0 */
/* lease_test.c -- leases, and users with passwords, of a real etcd. */
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "unit/etcd/watch_world.h"

static etcd_world world;

static void a_lease_takes_its_keys_along_when_it_ends(void **state)
{
    watch_note note = { .wants_text = true };
    const lw_etcd_watch_request request = { .key = LW_STR("leased") };
    lw_error err = LW_ERROR_INIT;
    int64_t id = 0, ttl = 0;
    (void)state;
    if (etcd_blocking_lease_grant(world.client, 60, &id, &err) < 0)
        fail_msg("%s", err.message);
    assert_true(id != 0);
    if (etcd_blocking_lease_keep_alive(world.client, id, &ttl, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(ttl, 60);
    watch_note_open(&note, world.etcd, &request);
    etcd_world_await(&world, &note.opens, 1);
    const lw_etcd_txn_request put = {
        .op = LW_ETCD_PUT, .key = LW_STR("leased"), .value = LW_STR("1"), .lease = id
    };
    if (etcd_blocking_txn(world.client, &put, NULL, NULL, NULL, &err) < 0)
        fail_msg("%s", err.message);
    if (etcd_blocking_lease_revoke(world.client, id, &err) < 0)
        fail_msg("%s", err.message);
    etcd_world_await(&world, &note.events, 2);
    assert_str_equal(lw_buf_view(&note.said), "+leased=1 -leased ");
    watch_note_close(&note);
}

static void a_lease_that_is_not_there_is_not_found(void **state)
{
    lw_error err = LW_ERROR_INIT;
    int64_t ttl = 1;
    bool is_unknown = true;
    (void)state;
    assert_int_equal(etcd_blocking_lease_revoke(world.client, 4711, &err), LW_ERR_NOT_FOUND);
    assert_int_equal(etcd_blocking_lease_keep_alive(world.client, 4711, &ttl, &err), LW_OK);
    assert_true(ttl <= 0);
    const lw_etcd_txn_request put = {
        .op = LW_ETCD_PUT, .key = LW_STR("homeless"), .lease = 4711, .is_unguarded = true
    };
    assert_int_equal(etcd_blocking_txn(world.client, &put, NULL, NULL, &is_unknown, &err),
                     LW_ERR_NOT_FOUND);
    assert_false(is_unknown);
}

/* Runs etcdctl against the world, as |user| ("root:secret") where that is not NULL, with |input| to
 * read. */
static void etcdctl(const char *user, const char *input, const char *const *words)
{
    int ends[2];
    const char *argv[16] = { "etcdctl", "--endpoints", world.cluster.endpoints };
    size_t count = 3;
    int status = -1;
    if (user) {
        argv[count++] = "--user";
        argv[count++] = user;
    }
    while (*words && count < 15)
        argv[count++] = *words++;
    union {
        const char *const *given;
        char *const *taken;
    } command = { argv };
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(write(ends[1], input, strlen(input)), strlen(input));
    close(ends[1]);
    pid_t pid = fork();
    if (pid == 0) {
        dup2(ends[0], STDIN_FILENO);
        setenv("ETCDCTL_API", "3", 1);
        dup2(STDERR_FILENO, STDOUT_FILENO);
        execvp("etcdctl", command.taken);
        _exit(127);
    }
    close(ends[0]);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
}
#define ETCDCTL(user, ...) etcdctl((user), "", (const char *const[]){ __VA_ARGS__, NULL })

static void forget_tokens(const char *user, const char *password)
{
    const char *const words[] = { "user", "passwd", user, "--interactive=false", NULL };
    etcdctl("root:secret", password, words);
}

static void read_as(const lw_etcd_options *options, const char *key, lw_status expected)
{
    etcd_blocking *client = etcd_world_connect(&world, options);
    const lw_etcd_range_request request = { .key = lw_str_of(key) };
    lw_error err = LW_ERROR_INIT;
    lw_status st = etcd_blocking_range(client, &request, NULL, NULL, &err);
    if (st != expected)
        print_error("%s\n", err.message);
    assert_int_equal(st, expected);
    etcd_blocking_free(client);
}

static void users_without_users_are_no_harm(void **state)
{
    const lw_etcd_options options = { .user = "root", .password = "secret" };
    (void)state;
    read_as(&options, "open/a", LW_OK);
}

/* This test is the last one, because afterwards etcd requires a password. */
static void a_password_buys_a_token_which_is_renewed_when_etcd_forgets_it(void **state)
{
    const lw_etcd_options root = { .user = "root", .password = "secret" };
    const lw_etcd_options wrong = { .user = "root", .password = "guess" };
    const lw_etcd_options reader = { .user = "reader", .password = "r" };
    watch_note note = { .wants_text = true }, denied = { .wants_text = true };
    watch_note later = { .wants_text = true };
    const lw_etcd_range_request read = { .key = LW_STR("open/a") };
    lw_error err = LW_ERROR_INIT;
    lw_etcd_watch_request request = { .key = LW_STR("open/a") };
    (void)state;
    ETCDCTL(NULL, "user", "add", "root:secret");
    ETCDCTL(NULL, "user", "grant-role", "root", "root");
    ETCDCTL(NULL, "user", "add", "reader:r");
    ETCDCTL(NULL, "role", "add", "readers");
    ETCDCTL(NULL, "role", "grant-permission", "readers", "--prefix=true", "read", "open/");
    ETCDCTL(NULL, "user", "grant-role", "reader", "readers");
    ETCDCTL(NULL, "auth", "enable");

    read_as(NULL, "open/a", LW_ERR_UNAUTHORIZED);
    read_as(&wrong, "open/a", LW_ERR_UNAUTHORIZED);
    read_as(&root, "closed/a", LW_OK);
    read_as(&reader, "open/a", LW_OK);
    read_as(&reader, "closed/a", LW_ERR_FORBIDDEN);

    etcd_blocking_free(world.client);
    world.client = etcd_world_connect(&world, &reader);
    world.etcd = etcd_blocking_client(world.client);
    world.loop = etcd_blocking_loop(world.client);
    etcd_blocking *writer = etcd_world_connect(&world, &root);
    watch_note_open(&note, world.etcd, &request);
    request.key = LW_STR("closed/a");
    watch_note_open(&denied, world.etcd, &request);
    etcd_world_await(&world, &note.opens, 1);
    etcd_world_await(&world, &denied.ends, 1);
    assert_int_equal(denied.err.code, LW_ERR_FORBIDDEN);
    etcd_world_put(writer, "open/a", "1");
    etcd_world_await(&world, &note.events, 1);

    /* A password that is set, be it to what it was, makes etcd forget the tokens of its user. */
    forget_tokens("reader", "r\n");
    assert_int_equal(etcd_blocking_range(world.client, &read, NULL, NULL, &err), LW_OK);
    forget_tokens("reader", "r\n");
    request.key = LW_STR("open/a");
    watch_note_open(&later, world.etcd, &request);
    etcd_world_await(&world, &later.opens, 1);
    etcd_world_put(writer, "open/a", "2");
    etcd_world_await(&world, &later.events, 1);
    assert_str_equal(lw_buf_view(&later.said), "+open/a=2 ");
    watch_note_close(&later);
    etcd_blocking_free(writer);
    watch_note_close(&note);
    watch_note_close(&denied);
}

static int open_world(void **state)
{
    (void)state;
    etcd_world_open(&world, NULL, NULL);
    return 0;
}

static int close_world(void **state)
{
    (void)state;
    etcd_world_close(&world);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_lease_takes_its_keys_along_when_it_ends),
        TEST(a_lease_that_is_not_there_is_not_found),
        TEST(users_without_users_are_no_harm),
        TEST(a_password_buys_a_token_which_is_renewed_when_etcd_forgets_it),
    };
    ETCD_WORLD_SKIP_WITHOUT_ETCD();
    return cmocka_run_group_tests(tests, open_world, close_world);
}
