/* SPDX-License-Identifier: Apache-2.0 */
/* lived.h -- a world that does by itself what a server does, and ways to wait for it. */
#ifndef LW_TESTS_UNIT_API_LIVED_H
#define LW_TESTS_UNIT_API_LIVED_H

#include "api/http/call.h"
#include "unit/api/sent.h"

static inline int lived_setup(void **state)
{
    return seeded_setup(state) == 0 && api_world_live(*state, 0) == LW_OK ? 0 : -1;
}

/* A test with a world that lives. */
#define LIVED_TEST(function) cmocka_unit_test_setup_teardown(function, lived_setup, world_teardown)

static inline bool is_there(api_world *world, const char *target)
{
    fake_http *http = api_world_get(world, target, NULL);
    bool is_found = http->status == 200;
    fake_http_free(http);
    return is_found;
}

/* A turn, and a little time for those who rest. */
static inline void live_on(api_world *world, int64_t deadline)
{
    turn_until(world, deadline);
    lw_manual_clock_advance(world->clock, LW_NS_PER_MS);
}

/* Runs the loop until |target| is gone. */
static inline void await_end(api_world *world, const char *target)
{
    int64_t deadline = patience_end();
    while (is_there(world, target))
        live_on(world, deadline);
}

/* Runs the loop until nothing of the server is under way.  What a write has changed has been told
 * to the loop before the write is answered. */
static inline void await_rest(api_world *world)
{
    lw_api_port *port = lw_loop_data(world->loop);
    int64_t deadline = patience_end();
    api_world_turns(world, 3);
    while (port->under_way > 0) {
        live_on(world, deadline);
        api_world_turns(world, 3);
    }
}

/* Runs the loop until something of the server is under way. */
static inline void await_work(api_world *world)
{
    const lw_api_port *port = lw_loop_data(world->loop);
    int64_t deadline = patience_end();
    while (port->under_way == 0)
        turn_until(world, deadline);
}

/* The body of |target| has |text| in it, or, if not |is_in|, has not. */
static inline void assert_shows(api_world *world, const char *target, const char *text, bool is_in)
{
    fake_http *http = ask(world, target, 200);
    bool is_found = memmem(http->body.data, http->body.len, text, strlen(text)) != NULL;
    if (is_found != is_in)
        print_error("%s %s in %.*s\n", is_in ? "no" : "there is", text, (int)http->body.len,
                    http->body.data);
    fake_http_free(http);
    assert_int_equal(is_found, is_in);
}

#endif
