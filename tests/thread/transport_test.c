/* SPDX-License-Identifier: Apache-2.0 */
/* transport_test.c -- transports in several threads: each has its own, curl is everybody's. */
#include "transport/transport.h"

#include <stdatomic.h>

#include <poll.h>

#include "base/str.h"
#include "support/script_server.h"
#include "thread/crew.h"

enum {
    ROUNDS = 5,
    AT_ONCE = 10,
    WAIT_MS = 10000,
};

typedef struct site {
    script_server *server;
    atomic_uint good;
} site;

static void count_done(lw_transfer *transfer, const lw_transfer_result *result, void *arg)
{
    (void)transfer;
    if (result->st == LW_OK && result->status == 200)
        ++*(unsigned *)arg;
}

static unsigned send_some(lw_transport *transport)
{
    unsigned good = 0;
    lw_transfer_options options = { .method = "GET", .target = "/", .timeout_ms = 10000 };
    options.on_done = count_done;
    options.arg = &good;
    for (int i = 0; i < AT_ONCE; i++) {
        lw_transfer *transfer = NULL;
        if (lw_transport_start(transport, &options, &transfer, NULL) < 0)
            return 0;
    }
    int turns = 0;
    while (good < AT_ONCE && turns++ < WAIT_MS) {
        int timeout = lw_transport_timeout_ms(transport);
        struct pollfd ready = { .fd = lw_transport_fd(transport), .events = POLLIN };
        (void)poll(&ready, 1, timeout < 0 ? WAIT_MS : timeout);
        lw_transport_dispatch(transport);
    }
    return good;
}

static void work(void *arg)
{
    site *s = arg;
    for (int i = 0; i < ROUNDS; i++) {
        lw_transport *transport = NULL;
        const lw_transport_endpoint endpoint = { .server = script_server_url(s->server) };
        if (lw_transport_new(&transport, NULL, NULL) == LW_OK &&
            lw_transport_set_endpoint(transport, &endpoint, NULL) == LW_OK)
            atomic_fetch_add(&s->good, send_some(transport));
        lw_transport_free(transport);
    }
}

static void each_thread_has_its_own(void **state)
{
    (void)state;
    site s = { .server = script_server_open() };
    script_server_say_always(s.server, NULL, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhi");
    crew_run(work, &s);
    assert_int_equal(atomic_load(&s.good), CREW_SIZE * ROUNDS * AT_ONCE);
    script_server_close(s.server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(each_thread_has_its_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
