/* SPDX-License-Identifier: Apache-2.0 */
/* dial_test.c -- one address after the other, until one answers; names that are looked up. */
#include "net/dial/dial.h"

#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include <listwatch/sys/clock.h>

#include "base/clock.h"
#include "base/str.h"
#include "net/dial/resolve.h"
#include "unit/test.h"

enum {
    FILLERS = 8,
    TURNS_MAX = 10000,
};

typedef struct scene {
    lw_manual_clock *clock;
    lw_loop *loop;
    unsigned told;
    int fd;
    lw_error err;
} scene;

static void scene_open(scene *s)
{
    memset(s, 0, sizeof(*s));
    s->fd = -1;
    assert_int_equal(lw_manual_clock_new(&s->clock, 0), LW_OK);
    assert_int_equal(lw_loop_new(&s->loop, lw_manual_clock_as_clock(s->clock), NULL), LW_OK);
}

static void scene_close(scene *s)
{
    if (s->fd >= 0)
        close(s->fd);
    lw_loop_free(s->loop);
    lw_manual_clock_free(s->clock);
}

static void done(int fd, const lw_error *err, void *arg)
{
    scene *s = arg;
    s->told++;
    s->fd = fd;
    if (err)
        s->err = *err;
}

static void until_told(scene *s)
{
    for (int i = 0; s->told == 0 && i < TURNS_MAX; i++)
        assert_int_equal(lw_loop_turn(s->loop, 1000, NULL), LW_OK);
    assert_int_equal(s->told, 1);
}

/* A socket on loopback; |backlog| < 0: nobody listens. */
static int bind_to(lw_address *at, int backlog)
{
    assert_int_equal(lw_address_parse(at, LW_STR("127.0.0.1:0"), NULL), LW_OK);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (const struct sockaddr *)&at->storage, at->len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&at->storage, &at->len), 0);
    if (backlog >= 0)
        assert_int_equal(listen(fd, backlog), 0);
    return fd;
}

static int64_t later(const scene *s)
{
    return lw_loop_now(s->loop) + LW_NS_PER_S;
}

static void start_at(scene *s, lw_dial **dial, const lw_address *at, size_t count, int64_t ms)
{
    assert_int_equal(lw_dial_start_at(dial, s->loop, at, count,
                                      lw_loop_now(s->loop) + ms * LW_NS_PER_MS, done, s, NULL),
                     LW_OK);
}

static void all_addresses_are_tried(void **state)
{
    (void)state;
    scene s;
    lw_dial *dial = NULL;
    lw_address at[3], got = { .len = sizeof(got.storage) };
    scene_open(&s);
    int fds[] = { bind_to(&at[0], -1), bind_to(&at[1], -1), bind_to(&at[2], 5) };
    start_at(&s, &dial, at, 3, 1000);
    assert_int_equal(s.told, 0);
    until_told(&s);
    assert_true(s.fd >= 0);
    assert_int_equal(getpeername(s.fd, (struct sockaddr *)&got.storage, &got.len), 0);
    assert_int_equal(lw_address_port(&got), lw_address_port(&at[2]));
    for (int i = 0; i < 3; i++)
        close(fds[i]);
    scene_close(&s);
}

static void the_last_refusal_is_told(void **state)
{
    (void)state;
    scene s;
    lw_dial *dial = NULL;
    lw_address at[2];
    char text[LW_ADDRESS_SIZE];
    scene_open(&s);
    int fds[] = { bind_to(&at[0], -1), bind_to(&at[1], -1) };
    start_at(&s, &dial, at, 2, 1000);
    until_told(&s);
    assert_int_equal(s.fd, -1);
    assert_int_equal(s.err.code, LW_ERR_UNAVAILABLE);
    (void)lw_address_format(&at[1], text);
    assert_non_null(strstr(s.err.message, text));
    close(fds[0]);
    close(fds[1]);
    scene_close(&s);
}

/* Its backlog is full: the system drops what comes. */
static void an_address_that_swallows_packets_costs_its_share(void **state)
{
    (void)state;
    scene s;
    lw_dial *dial = NULL;
    lw_address at[2];
    int fillers[FILLERS];
    scene_open(&s);
    int fds[] = { bind_to(&at[0], 0), bind_to(&at[1], 5) };
    for (int i = 0; i < FILLERS; i++) {
        fillers[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        (void)connect(fillers[i], (const struct sockaddr *)&at[0].storage, at[0].len);
    }
    start_at(&s, &dial, at, 2, 1000);
    assert_int_equal(lw_loop_turn(s.loop, 0, NULL), LW_OK);
    lw_manual_clock_advance(s.clock, 499 * LW_NS_PER_MS);
    assert_int_equal(lw_loop_turn(s.loop, 0, NULL), LW_OK);
    assert_int_equal(s.told, 0);
    lw_manual_clock_advance(s.clock, 1 * LW_NS_PER_MS);
    until_told(&s);
    assert_true(s.fd >= 0);
    for (int i = 0; i < FILLERS; i++)
        close(fillers[i]);
    close(fds[0]);
    close(fds[1]);
    scene_close(&s);
}

static void a_dial_that_is_cancelled_is_silent(void **state)
{
    (void)state;
    scene s;
    lw_dial *dial = NULL;
    lw_address at;
    scene_open(&s);
    int fd = bind_to(&at, 5);
    start_at(&s, &dial, &at, 1, 1000);
    lw_dial_cancel(dial);
    start_at(&s, &dial, &at, 1, 1000);
    assert_int_equal(lw_loop_turn(s.loop, 0, NULL), LW_OK);
    if (s.told == 0)
        lw_dial_cancel(dial);
    assert_int_equal(lw_dial_start(&dial, s.loop, "localhost", 1, later(&s), done, &s, NULL),
                     LW_OK);
    lw_dial_cancel(dial);
    lw_dial_cancel(NULL);
    for (int i = 0; i < 5; i++)
        assert_int_equal(lw_loop_turn(s.loop, 0, NULL), LW_OK);
    assert_int_equal(s.told, 0);
    close(fd);
    scene_close(&s);
}

static void a_name_is_looked_up_and_dialled(void **state)
{
    (void)state;
    scene s;
    lw_dial *dial = NULL;
    lw_address at;
    scene_open(&s);
    int fd = bind_to(&at, 5);
    assert_int_equal(lw_dial_start(&dial, s.loop, "localhost", lw_address_port(&at), later(&s),
                                   done, &s, NULL),
                     LW_OK);
    until_told(&s);
    assert_true(s.fd >= 0);
    close(fd);
    scene_close(&s);
}

static void a_name_that_cannot_be_is_told(void **state)
{
    (void)state;
    scene s;
    lw_dial *dial = NULL;
    scene_open(&s);
    assert_int_equal(lw_dial_start(&dial, s.loop, "a name..with.holes", 1, later(&s), done, &s,
                                   NULL),
                     LW_OK);
    until_told(&s);
    assert_int_equal(s.fd, -1);
    assert_int_equal(s.err.code, LW_ERR_UNAVAILABLE);
    assert_non_null(strstr(s.err.message, "a name..with.holes"));
    scene_close(&s);
}

static void addresses_are_no_names(void **state)
{
    (void)state;
    lw_address at;
    char text[LW_ADDRESS_SIZE];
    assert_true(lw_resolve_numeric(&at, "127.0.0.1", 80));
    assert_str_equal(lw_address_format(&at, text), "127.0.0.1:80");
    assert_true(lw_resolve_numeric(&at, "::1", 2379));
    assert_str_equal(lw_address_format(&at, text), "[::1]:2379");
    assert_false(lw_resolve_numeric(&at, "localhost", 80));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(all_addresses_are_tried),
        TEST(the_last_refusal_is_told),
        TEST(an_address_that_swallows_packets_costs_its_share),
        TEST(a_dial_that_is_cancelled_is_silent),
        TEST(a_name_is_looked_up_and_dialled),
        TEST(a_name_that_cannot_be_is_told),
        TEST(addresses_are_no_names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
