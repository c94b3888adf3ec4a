/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_h2_client.c -- the bytes of an HTTP/2 server: for any input, every call is closed at most
 * once, nothing is reported after that, every piece of a request is released once, and the windows
 * bound the memory.  The first byte selects how the others are split and what the client does. */
#include <stdlib.h>

#include <listwatch/sys/clock.h>

#include "base/clock.h"
#include "base/str.h"
#include "fuzz/fuzz.h"
#include "support/h2_wire.h"

enum {
    CALLS = 4,
    PART_MAX = 4096,
};

typedef struct fuzz_call {
    struct fuzz_world *world;
    lw_h2_call *call;
    bool has_head, is_closed;
} fuzz_call;

typedef struct fuzz_world {
    h2_wire wire;
    fuzz_call calls[CALLS];
    unsigned given, released, downs;
    unsigned how;
} fuzz_world;

static char body[40 * 1000];

static void must(bool is_true)
{
    if (!is_true)
        abort();
}

static void release(void *owner)
{
    ((fuzz_world *)owner)->released++;
}

static void send_body(fuzz_call *c, bool is_last)
{
    c->world->given++;
    (void)lw_h2_call_send(c->call, (lw_bytes){ body, sizeof(body), release, c->world }, is_last);
}

static void on_head(lw_h2_call *call, int status, const lw_http_header *headers, size_t count,
                    void *arg)
{
    fuzz_call *c = arg;
    must(call == c->call && !c->has_head && !c->is_closed);
    must(status >= 200 && status <= 999);
    for (size_t i = 0; i < count; i++)
        must(headers[i].name.len > 0 && headers[i].name.ptr[0] != ':');
    c->has_head = true;
    if (c->world->how & 8)
        lw_h2_call_set_paused(call, true);
}

static void on_data(lw_h2_call *call, const char *bytes, size_t len, void *arg)
{
    fuzz_call *c = arg;
    must(call == c->call && c->has_head && !c->is_closed && bytes && len > 0);
    if (!(c->world->how & 16))
        return;
    lw_h2_call_reset(call);
    c->is_closed = true;
    c->call = NULL;
}

static void on_trailers(lw_h2_call *call, const lw_http_header *headers, size_t count, void *arg)
{
    fuzz_call *c = arg;
    must(call == c->call && c->has_head && !c->is_closed);
    for (size_t i = 0; i < count; i++)
        must(headers[i].name.len > 0);
}

static void on_close(lw_h2_call *call, const lw_error *err, bool is_unseen, void *arg)
{
    fuzz_call *c = arg;
    must(call == c->call && !c->is_closed);
    must(err || c->has_head);
    must(!is_unseen || !c->has_head);
    c->is_closed = true;
    c->call = NULL;
    if (c->world->how & 32) {
        lw_h2_client_free(c->world->wire.client);
        c->world->wire.client = NULL;
        for (int i = 0; i < CALLS; i++)
            c->world->calls[i].is_closed = true;
    }
}

static void on_down(lw_h2_client *client, const lw_error *err, void *arg)
{
    fuzz_world *w = arg;
    must(client == w->wire.client && err->code < 0);
    must(w->downs++ == 0);
    for (int i = 0; i < CALLS; i++)
        must(w->calls[i].is_closed);
}

static void open_calls(fuzz_world *w)
{
    const lw_http_header header = { LW_STR("content-type"), LW_STR("application/grpc") };
    for (int i = 0; i < CALLS; i++) {
        fuzz_call *c = &w->calls[i];
        const lw_h2_call_sink sink = { on_head, on_data, on_trailers, NULL, on_close, c };
        c->world = w;
        must(lw_h2_call_open(&c->call, w->wire.client, LW_STR("POST"), LW_STR("/a"), &header, 1,
                             &sink) == LW_OK);
        send_body(c, i % 2 == 0);
    }
}

/* What the client does between the bytes of the server. */
static void step(fuzz_world *w, size_t at)
{
    fuzz_call *c = &w->calls[at % CALLS];
    lw_manual_clock_advance(w->wire.clock, LW_NS_PER_S / 4);
    if (!c->call || c->is_closed)
        return;
    if (at % 3 == 0)
        lw_h2_call_set_paused(c->call, (at & 4) != 0);
    else if (at % 3 == 1)
        send_body(c, false);
}

static void run(fuzz_world *w, const uint8_t *data, size_t size)
{
    const lw_h2_client_options options = { .on_down = on_down, .arg = w };
    w->how = data[0];
    must(h2_wire_open(&w->wire, &options) == LW_OK);
    open_calls(w);
    if (!(w->how & 64))
        h2_wire_give(&w->wire, H2_WIRE_SETTINGS, sizeof(H2_WIRE_SETTINGS) - 1);
    size_t part = w->how & 7 ? (size_t)(w->how & 7) * 5 : PART_MAX;
    for (size_t at = 1; at < size && w->wire.client; at += part) {
        h2_wire_give(&w->wire, data + at, size - at < part ? size - at : part);
        step(w, at);
    }
    h2_wire_close(&w->wire);
    must(w->given == w->released);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fuzz_world w = { .given = 0 };
    if (size > 0)
        run(&w, data, size);
    return 0;
}
