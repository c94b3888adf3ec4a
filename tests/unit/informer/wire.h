/* SPDX-License-Identifier: Apache-2.0 */
/* wire.h -- informers on a scripted server on loopback, driven by the test, with the clock in its
 * hand: which requests go out, and what becomes of the answers. */
#ifndef LW_TESTS_UNIT_INFORMER_WIRE_H
#define LW_TESTS_UNIT_INFORMER_WIRE_H

#include "house.h"
#include "support/client_world.h"
#include "support/script_server.h"

typedef struct wire {
    script_server *server;
    lw_client *client;
    lw_manual_clock *clock;
    lw_factory *factory;
    notebook book;
    unsigned seen; /* requests that wire_next has read */
    char line[512];
} wire;

#define WIRE_HEAD(status)                                                                          \
    "HTTP/1.1 " status "\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n"
#define WIRE_OK WIRE_HEAD("200 OK")

/* A Status, as servers refuse. */
#define WIRE_STATUS(code, reason, message)                                                         \
    "{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"status\":\"Failure\",\"message\":\"" message     \
    "\",\"reason\":\"" reason "\",\"code\":" code "}"

/* Aggregated discovery: one group with one resource. */
#define WIRE_DISCOVERY(group, version, resource, kind)                                             \
    WIRE_OK "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/v2\","       \
            "\"items\":[{\"metadata\":{\"name\":\"" group                                          \
            "\"},\"versions\":[{\"version\":\"" version                                            \
            "\",\"resources\":[{\"resource\":\"" resource "\",\"responseKind\":{\"kind\":\"" kind  \
            "\"},\"scope\":\"Namespaced\"}]}]}]}"
#define WIRE_NO_GROUPS                                                                             \
    WIRE_OK "{\"kind\":\"APIGroupDiscoveryList\",\"apiVersion\":\"apidiscovery.k8s.io/v2\","       \
            "\"items\":[]}"

#define WIRE_OBJECT(name, rv)                                                                      \
    "{\"metadata\":{\"namespace\":\"n\",\"name\":\"" name "\",\"uid\":\"" name                     \
    "\",\"resourceVersion\":\"" rv "\"}}"
#define WIRE_LIST(rv, token, items)                                                                \
    WIRE_OK "{\"kind\":\"List\",\"apiVersion\":\"v1\",\"metadata\":{\"resourceVersion\":\"" rv     \
            "\",\"continue\":\"" token "\"},\"items\":[" items "]}"
#define WIRE_EVENT(type, object) "{\"type\":\"" type "\",\"object\":" object "}\n"

/* The next request that begins with |request|, or each of them, is answered with |text| and the
 * connection closed; or it stays open. */
static inline void wire_answer(wire *w, const char *request, const char *text)
{
    const script_step steps[] = { { SCRIPT_SEND, text, 0 }, { SCRIPT_CLOSE, NULL, 0 }, { 0 } };
    script_server_play(w->server, request, steps);
}

static inline void wire_answer_always(wire *w, const char *request, const char *text)
{
    const script_step steps[] = { { SCRIPT_SEND, text, 0 }, { SCRIPT_CLOSE, NULL, 0 }, { 0 } };
    script_server_play_always(w->server, request, steps);
}

static inline void wire_stay(wire *w, const char *request, const char *text)
{
    const script_step steps[] = {
        { SCRIPT_SEND, text, 0 }, { SCRIPT_WAIT, NULL, 0 }, { SCRIPT_CLOSE, NULL, 0 }, { 0 }
    };
    script_server_play(w->server, request, steps);
}

static inline void wire_open(wire *w, const lw_factory_options *options)
{
    *w = (wire){ .server = script_server_open() };
    lw_config_options where = LW_CONFIG_OPTIONS_INIT;
    where.server = script_server_url(w->server);
    w->client = client_world_connect(&where);
    assert_int_equal(lw_manual_clock_new(&w->clock, 0), LW_OK);
    lw_factory_options all = *options;
    all.client = w->client;
    all.clock = lw_manual_clock_as_clock(w->clock);
    assert_int_equal(lw_factory_new(&w->factory, &all, NULL), LW_OK);
}

static inline void wire_close(wire *w)
{
    lw_factory_free(w->factory);
    lw_client_unref(w->client);
    assert_int_equal(script_server_counts(w->server).unfit, 0);
    script_server_close(w->server);
    lw_manual_clock_free(w->clock);
}

static inline lw_informer *wire_informer(wire *w, const char *resource)
{
    lw_informer *informer = NULL;
    const lw_handler handler = notebook_handler(&w->book);
    assert_int_equal(lw_factory_informer(w->factory, resource, &informer, NULL), LW_OK);
    assert_int_equal(lw_informer_add_handler(informer, &handler, NULL, NULL), LW_OK);
    return informer;
}

/* One turn of the factory, when there is something to do or a moment has passed. */
static inline void wire_turn(wire *w)
{
    struct pollfd wanted = { .fd = lw_factory_fd(w->factory), .events = POLLIN };
    int timeout = lw_factory_timeout_ms(w->factory);
    (void)poll(&wanted, 1, timeout >= 0 && timeout < 10 ? timeout : 10);
    assert_int_equal(lw_factory_dispatch(w->factory, NULL), LW_OK);
}

static inline bool wire_is_discovery(const char *line)
{
    return strcmp(line, "/api") == 0 || strcmp(line, "/apis") == 0;
}

/* Returns the target of the next request that is not discovery, when it arrives; its timeout is
 * replaced with "N". */
static inline const char *wire_next(wire *w)
{
    int64_t deadline = lw_clock_now(lw_clock_system()) + 10 * LW_NS_PER_S;
    do {
        char head[2048], *end;
        while (!script_server_request(w->server, w->seen, head, sizeof(head))) {
            if (lw_clock_now(lw_clock_system()) > deadline)
                return "no request came";
            wire_turn(w);
        }
        w->seen++;
        assert_memory_equal(head, "GET ", 4);
        end = strchr(head + 4, ' ');
        assert_non_null(end);
        *end = '\0';
        const char *timeout = strstr(head, "timeoutSeconds=");
        int kept = timeout ? (int)(timeout + 15 - (head + 4)) : (int)strlen(head + 4);
        const char *rest = timeout ? timeout + 15 + strspn(timeout + 15, "0123456789") : "";
        (void)snprintf(w->line, sizeof(w->line), "%.*s%s%s", kept, head + 4, timeout ? "N" : "",
                       rest);
    } while (wire_is_discovery(w->line));
    return w->line;
}

/* Runs the factory until the handlers have received |count| events. */
static inline void wire_await_told(wire *w, size_t count)
{
    int64_t deadline = lw_clock_now(lw_clock_system()) + 10 * LW_NS_PER_S;
    while (atomic_load(&w->book.count) < count) {
        if (lw_clock_now(lw_clock_system()) > deadline)
            fail_msg("told so far: \"%s\"", w->book.text);
        wire_turn(w);
    }
}

/* Runs the factory until |informer| reports an error, then advances the clock by the longest
 * backoff. */
static inline void wire_await_error(wire *w, const lw_informer *informer, lw_status code)
{
    int64_t deadline = lw_clock_now(lw_clock_system()) + 10 * LW_NS_PER_S;
    while (lw_informer_last_error(informer, NULL) != code) {
        assert_true(lw_clock_now(lw_clock_system()) < deadline);
        wire_turn(w);
    }
    lw_manual_clock_advance(w->clock, 60 * LW_NS_PER_S);
}

#endif
