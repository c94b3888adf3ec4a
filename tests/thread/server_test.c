/* SPDX-License-Identifier: Apache-2.0 */
/* server_test.c -- a server that is called, watched and stopped by several threads at once. */
#include <listwatch/server.h>

#include <stdatomic.h>

#include "base/sync.h"
#include "unit/server/plain_client.h"

enum {
    CALLERS = 4,
    CALLS = 20,
    TEXT_SIZE = 64 * 1024,
};

static const char maps[] = "/api/v1/namespaces/default/configmaps";

typedef struct caller {
    lw_thread thread;
    const char *url;
    int number;
    atomic_int *good;
} caller;

/* Makes objects, reads the list, metrics, figures and health. */
static void call(void *arg)
{
    caller *c = arg;
    static _Thread_local char text[TEXT_SIZE];
    char body[64];
    for (int i = 0; i < CALLS; i++) {
        (void)snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"m-%d-%d\"}}", c->number, i);
        bool is_good =
            plain_call(c->url, "POST", maps, body, text, sizeof(text)) == 201 &&
            plain_call(c->url, "GET", maps, NULL, text, sizeof(text)) == 200 &&
            plain_call(c->url, "GET", "/metrics", NULL, text, sizeof(text)) == 200 &&
            plain_call(c->url, "GET", "/debug/listwatch", NULL, text, sizeof(text)) == 200 &&
            plain_call(c->url, "GET", "/readyz", NULL, text, sizeof(text)) == 200;
        atomic_fetch_add(c->good, is_good);
    }
}

static lw_server *started(void)
{
    lw_server_options options = LW_SERVER_OPTIONS_INIT;
    lw_server *server = NULL;
    options.insecure_listen = "127.0.0.1:0";
    options.threads = 3;
    assert_int_equal(lw_server_start(&server, &options, NULL), LW_OK);
    return server;
}

static void many_callers_are_answered_by_several_loops(void **state)
{
    (void)state;
    lw_server *server = started();
    const char *url = lw_server_insecure_url(server);
    caller callers[CALLERS];
    atomic_int good = 0;
    for (int i = 0; i < CALLERS; i++) {
        callers[i] = (caller){ .url = url, .number = i, .good = &good };
        assert_int_equal(lw_thread_start(&callers[i].thread, "caller", call, &callers[i], NULL),
                         LW_OK);
    }
    for (int i = 0; i < CALLERS; i++)
        lw_thread_join(&callers[i].thread);
    assert_int_equal(atomic_load(&good), CALLERS * CALLS);
    lw_server_stop(server, 10);
}

/* Follows the objects until the server ends the watch. */
typedef struct follower {
    lw_thread thread;
    int fd;
    char text[TEXT_SIZE];
} follower;

static void follow(void *arg)
{
    follower *f = arg;
    (void)plain_read_until(f->fd, f->text, sizeof(f->text), "0\r\n\r\n"); /* the last chunk */
}

static int count_events(const char *text)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, "\"ADDED\"")); at++)
        count++;
    return count;
}

static void watches_of_several_loops_end_cleanly(void **state)
{
    (void)state;
    lw_server *server = started();
    const char *url = lw_server_insecure_url(server);
    static follower followers[CALLERS];
    static char text[TEXT_SIZE];
    for (int i = 0; i < CALLERS; i++) {
        follower *f = &followers[i];
        f->fd = plain_open(url, "GET", "/api/v1/namespaces/default/configmaps?watch=1", NULL);
        assert_true(plain_read_until(f->fd, f->text, sizeof(f->text), "\r\n\r\n"));
        assert_int_equal(lw_thread_start(&f->thread, "follower", follow, f, NULL), LW_OK);
    }
    for (int i = 0; i < CALLS; i++) {
        char body[64];
        (void)snprintf(body, sizeof(body), "{\"metadata\":{\"name\":\"m-%d\"}}", i);
        assert_int_equal(plain_call(url, "POST", maps, body, text, sizeof(text)), 201);
    }
    lw_server_stop(server, 30);
    for (int i = 0; i < CALLERS; i++) {
        lw_thread_join(&followers[i].thread);
        (void)close(followers[i].fd);
        assert_int_equal(count_events(followers[i].text), CALLS);
        assert_non_null(strstr(followers[i].text, "0\r\n\r\n"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(many_callers_are_answered_by_several_loops),
        TEST(watches_of_several_loops_end_cleanly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
