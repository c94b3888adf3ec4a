/* SPDX-License-Identifier: Apache-2.0 */
/* session_world.c -- records the output of a session. */
#include "support/session_world.h"

#include <poll.h>

#include "base/clock.h"
#include "base/str.h"
#include "client/session_internal.h"
#include "unit/test.h"

enum {
    PATIENCE_S = 10,
};

static void note_object(session_world *world)
{
    world->objects++;
    if (world->objects == world->cancel_at) {
        lw_session_cancel(world->call);
        world->call = NULL;
        world->ends++;
    }
}

static void on_object(const lw_object *obj, void *arg)
{
    session_world *world = arg;
    lw_buf_printf(&world->said, "object %s; ", lw_object_name(obj));
    note_object(world);
}

static void on_list_end(const lw_list_metadata *list, void *arg)
{
    session_world *world = arg;
    lw_buf_printf(&world->said, "list %s %s; ", list->resource_version, list->continue_token);
    world->call = NULL;
    world->ends++;
}

static void on_open(void *arg)
{
    session_world *world = arg;
    lw_buf_append_text(&world->said, "open; ");
}

static void on_event(const lw_watch_event *event, void *arg)
{
    session_world *world = arg;
    const char *name = event->error    ? event->error->reason
                       : event->object ? lw_object_name(event->object)
                                       : "";
    lw_buf_printf(&world->said, "%s %s; ", lw_watch_event_type_name(event->type), name);
    note_object(world);
}

void session_world_on_body(lw_str body, void *arg)
{
    session_world *world = arg;
    lw_buf_printf(&world->said, "body %.*s; ", LW_STR_ARG(body));
    world->call = NULL;
    world->ends++;
}

static void on_fail(const lw_error *err, void *arg)
{
    session_world *world = arg;
    if (err) {
        lw_buf_printf(&world->said, "fail %s: %s; ", lw_status_name(err->code), err->message);
        world->err = *err;
    } else {
        lw_buf_append_text(&world->said, "end; ");
    }
    world->call = NULL;
    world->ends++;
}

void session_world_open(session_world *world)
{
    lw_error err = LW_ERROR_INIT;
    *world = (session_world){ .err = LW_ERROR_INIT };
    world->sink = (lw_source_sink){ .on_object = on_object,
                                    .on_list_end = on_list_end,
                                    .on_open = on_open,
                                    .on_event = on_event,
                                    .on_fail = on_fail,
                                    .arg = world };
    lw_buf_init(&world->said, 1 << 20);
    world->server = script_server_open();
    lw_config_options options = LW_CONFIG_OPTIONS_INIT;
    options.server = script_server_url(world->server);
    assert_int_equal(lw_config_load(&world->config, &options, NULL), LW_OK);
    if (lw_client_new(&world->client, world->config, NULL, &err) < 0)
        fail_msg("%s", err.message);
    assert_int_equal(lw_session_new(&world->session, world->client, NULL), LW_OK);
}

void session_world_close(session_world *world)
{
    lw_session_free(world->session);
    lw_client_unref(world->client);
    lw_config_unref(world->config);
    script_server_close(world->server);
    lw_buf_done(&world->said);
}

void session_world_await(session_world *world, const unsigned *count, unsigned value)
{
    const lw_clock *clock = lw_clock_system();
    int64_t deadline = lw_clock_now(clock) + PATIENCE_S * LW_NS_PER_S;
    while (*count < value) {
        struct pollfd at = { .fd = lw_session_fd(world->session), .events = POLLIN };
        int timeout = lw_session_timeout_ms(world->session);
        if (timeout < 0 || timeout > PATIENCE_S * 1000)
            timeout = PATIENCE_S * 1000;
        (void)poll(&at, 1, timeout);
        lw_session_dispatch(world->session);
        if (lw_clock_now(clock) > deadline)
            fail_msg("timed out waiting for %u calls or objects, got %u; transcript: %.*s", value,
                     *count, (int)world->said.len, world->said.data);
    }
}

static void await_end(session_world *world, lw_status st, const lw_error *err)
{
    if (st < 0)
        fail_msg("not started: %s", err->message);
    session_world_await(world, &world->ends, world->ends + 1);
}

void session_world_list(session_world *world, const lw_list_options *options)
{
    const lw_list_options all = { .size = sizeof(lw_list_options) };
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_session_list(world->session, lw_gvr_make("", "v1", "pods"),
                                   options ? options : &all, &world->sink, &world->call, &err);
    await_end(world, st, &err);
}

void session_world_watch(session_world *world, const lw_list_options *options)
{
    const lw_list_options all = { .size = sizeof(lw_list_options) };
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_session_watch(world->session, lw_gvr_make("", "v1", "pods"),
                                    options ? options : &all, &world->sink, &world->call, &err);
    await_end(world, st, &err);
}

void session_world_get(session_world *world, const char *target)
{
    lw_error err = LW_ERROR_INIT;
    const lw_session_request request = { .kind = LW_SESSION_PLAIN,
                                         .method = "GET",
                                         .target = target,
                                         .accept = "application/json",
                                         .on_body = session_world_on_body };
    lw_status st = lw_session__start(world->session, &request, &world->sink, &world->call, &err);
    await_end(world, st, &err);
}

void session_world_expect(session_world *world, const char *text)
{
    assert_str_equal(lw_buf_view(&world->said), text);
    lw_buf_reset(&world->said);
}

void session_world_expect_request(session_world *world, unsigned index, const char *text)
{
    char head[8192];
    if (!script_server_request(world->server, index, head, sizeof(head)))
        fail_msg("there is no request %u", index);
    if (!strstr(head, text))
        fail_msg("no \"%s\" in:\n%s", text, head);
}
