/* SPDX-License-Identifier: Apache-2.0 */
/* http_client_pool_test.c -- how the HTTP client uses its HTTP/1.1 connections again, and waits for
 * them. */
#include "unit/net/client/http_client_world.h"

static void uses_an_idle_connection_again(void **state)
{
    (void)state;
    world w;
    answer a[3] = { { 0 } };
    world_open(&w);
    answer_get(&a[0], &w, "/0");
    int fd = world_accept(&w);
    for (int i = 0; i < 3; i++) {
        if (i > 0)
            answer_get(&a[i], &w, "/more");
        world_skip_head(&w, fd);
        world_reply(&w, fd, OK_HELLO);
        world_until(&w, &a[i].closes, 1);
        assert_answer(&a[i], 200, "hello");
        answer_done(&a[i]);
    }
    assert_false(world_has_connection(&w));
    close(fd);
    world_close(&w);
}

static void targets_do_not_share_connections(void **state)
{
    (void)state;
    world w;
    answer a[2] = { { 0 } };
    world_open(&w);
    answer_get(&a[0], &w, "/");
    int fd = world_accept(&w);
    world_skip_head(&w, fd);
    world_reply(&w, fd, OK_HELLO);
    world_until(&w, &a[0].closes, 1);
    lw_http_call_options options = { .path = LW_STR("/"), .target.authority = "other" };
    assert_int_equal(answer_call(&a[1], &w, &options), LW_OK);
    int other = world_accept(&w);
    world_expect(&w, other, "GET / HTTP/1.1\r\nhost: other\r\n\r\n");
    answer_done(&a[0]);
    answer_done(&a[1]);
    close(fd);
    close(other);
    world_close(&w);
}

/* Gets / of the target with these names, by a new connection if |fd| is negative.  Returns the
 * connection. */
static int get_named(world *w, const char *authority, const char *server_name, int fd)
{
    answer a = { 0 };
    lw_http_call_options options = {
        .path = LW_STR("/"), .target = { .authority = authority, .server_name = server_name }
    };
    assert_int_equal(answer_call(&a, w, &options), LW_OK);
    if (fd < 0)
        fd = world_accept(w);
    world_skip_head(w, fd);
    world_reply(w, fd, OK_HELLO);
    world_until(w, &a.closes, 1);
    assert_answer(&a, 200, "hello");
    answer_done(&a);
    return fd;
}

static void each_name_of_a_target_counts(void **state)
{
    (void)state;
    world w;
    world_open(&w);
    int first = get_named(&w, "a", "s", -1);
    (void)get_named(&w, "a", "s", first);
    int other_name = get_named(&w, "a", "t", -1);
    int other_authority = get_named(&w, "b", "t", -1);
    int no_name = get_named(&w, "a", NULL, -1);
    (void)get_named(&w, "a", "s", first);
    (void)get_named(&w, "a", NULL, no_name);
    (void)get_named(&w, "b", "t", other_authority);
    (void)get_named(&w, "a", "t", other_name);
    assert_false(world_has_connection(&w));
    const int fds[] = { first, other_name, other_authority, no_name };
    for (size_t i = 0; i < sizeof(fds) / sizeof(fds[0]); i++)
        close(fds[i]);
    world_close(&w);
}

/* Gets a connection of which the client believes that it is idle. */
static int open_idle(world *w)
{
    answer a = { 0 };
    answer_get(&a, w, "/first");
    int fd = world_accept(w);
    world_skip_head(w, fd);
    world_reply(w, fd, OK_HELLO);
    world_until(w, &a.closes, 1);
    answer_done(&a);
    return fd;
}

static void retries_on_an_idle_connection_that_was_closed(void **state)
{
    (void)state;
    world w;
    answer a = { 0 };
    world_open(&w);
    int fd = open_idle(&w);
    /* The request is on its way when the server closes. */
    lw_http_call_options options = { .method = LW_STR("POST"),
                                     .path = LW_STR("/again"),
                                     .body = lw_bytes_static(LW_STR("body")) };
    assert_int_equal(answer_call(&a, &w, &options), LW_OK);
    world_skip_head(&w, fd);
    close(fd);
    fd = world_accept(&w);
    world_skip_head(&w, fd);
    world_expect(&w, fd, "body");
    assert_int_equal(a.closes, 0);
    world_reply(&w, fd, OK_HELLO);
    world_until(&w, &a.closes, 1);
    assert_answer(&a, 200, "hello");
    answer_done(&a);
    close(fd);
    world_close(&w);
}

static void retries_only_once(void **state)
{
    (void)state;
    world w;
    answer a = { 0 };
    world_open(&w);
    int fd = open_idle(&w);
    answer_get(&a, &w, "/again");
    world_skip_head(&w, fd);
    close(fd);
    fd = world_accept(&w);
    world_skip_head(&w, fd);
    close(fd);
    world_until(&w, &a.closes, 1);
    assert_int_equal(a.err.code, LW_ERR_UNAVAILABLE);
    assert_non_null(strstr(a.err.message, "the server closed the connection without a reply"));
    assert_false(world_has_connection(&w));
    answer_done(&a);
    world_close(&w);
}

static void does_not_retry_after_a_byte_of_the_reply(void **state)
{
    (void)state;
    world w;
    answer a = { 0 };
    world_open(&w);
    int fd = open_idle(&w);
    answer_get(&a, &w, "/again");
    world_skip_head(&w, fd);
    world_reply(&w, fd, "H");
    close(fd);
    world_until(&w, &a.closes, 1);
    assert_int_equal(a.err.code, LW_ERR_UNAVAILABLE);
    assert_false(world_has_connection(&w));
    answer_done(&a);
    world_close(&w);
}

static void an_idle_connection_that_speaks_is_closed(void **state)
{
    (void)state;
    world w;
    world_open(&w);
    int fd = open_idle(&w);
    world_reply(&w, fd, OK_HELLO);
    world_expect_end(&w, fd);
    close(fd);
    world_close(&w);
}

static void an_idle_connection_is_closed_after_a_while(void **state)
{
    (void)state;
    world w;
    world_open(&w);
    int fd = open_idle(&w);
    world_pass(&w, LW_HTTP_CLIENT_IDLE_S * 1000 - 1);
    char c;
    assert_int_equal(recv(fd, &c, 1, 0), -1);
    world_pass(&w, 1);
    world_expect_end(&w, fd);
    close(fd);
    world_close(&w);
}

static void a_refused_connection_ends_all_calls_that_wait(void **state)
{
    (void)state;
    world w;
    answer a[3] = { { 0 } };
    world_open(&w);
    close(w.listener);
    w.listener = -1;
    for (int i = 0; i < 3; i++)
        answer_get(&a[i], &w, "/");
    for (int i = 0; i < 3; i++) {
        world_until(&w, &a[i].closes, 1);
        assert_int_equal(a[i].err.code, LW_ERR_UNAVAILABLE);
        assert_non_null(strstr(a[i].err.message, "127.0.0.1:"));
        answer_done(&a[i]);
    }
    world_close(&w);
}

static void more_calls_than_connections_wait_for_one(void **state)
{
    (void)state;
    enum {
        COUNT = LW_HTTP_CLIENT_CONNECTIONS_MAX + 1
    };
    static answer a[COUNT];
    world w;
    int fds[LW_HTTP_CLIENT_CONNECTIONS_MAX];
    memset(a, 0, sizeof(a));
    world_open(&w);
    for (int i = 0; i < COUNT; i++)
        answer_get(&a[i], &w, "/");
    for (int i = 0; i < LW_HTTP_CLIENT_CONNECTIONS_MAX; i++) {
        fds[i] = world_accept(&w);
        world_skip_head(&w, fds[i]);
    }
    assert_false(world_has_connection(&w));
    world_reply(&w, fds[5], OK_HELLO);
    world_skip_head(&w, fds[5]);
    for (int i = 0; i < LW_HTTP_CLIENT_CONNECTIONS_MAX; i++)
        world_reply(&w, fds[i], OK_HELLO);
    for (int i = 0; i < COUNT; i++) {
        world_until(&w, &a[i].closes, 1);
        assert_answer(&a[i], 200, "hello");
        answer_done(&a[i]);
    }
    for (int i = 0; i < LW_HTTP_CLIENT_CONNECTIONS_MAX; i++)
        close(fds[i]);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(uses_an_idle_connection_again),
        TEST(targets_do_not_share_connections),
        TEST(each_name_of_a_target_counts),
        TEST(retries_on_an_idle_connection_that_was_closed),
        TEST(retries_only_once),
        TEST(does_not_retry_after_a_byte_of_the_reply),
        TEST(an_idle_connection_that_speaks_is_closed),
        TEST(an_idle_connection_is_closed_after_a_while),
        TEST(a_refused_connection_ends_all_calls_that_wait),
        TEST(more_calls_than_connections_wait_for_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
