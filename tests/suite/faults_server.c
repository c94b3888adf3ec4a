/* SPDX-License-Identifier: Apache-2.0 */
/* faults_server.c -- the faulty server, and how it handles a request.  Replies are in
 * faults_reply.c, watches in faults_stream.c. */
#include "suite/faults_server.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/sync.h"
#include "suite/faults_server_parts.h"
#include "suite/faults_trace.h"
#include "unit/test.h"

static const char *const kind_names[FAULTS_KINDS] = {
    "none",      "closed",    "reset",   "stalled",   "slowed",     "refused",
    "expired",   "throttled", "no JSON", "lost page", "short body", "garbled",
    "bad chunk", "twice",     "ERROR",   "ERROR 410", "ended",
};

const char *faults_kind_name(faults_kind fault)
{
    return kind_names[fault];
}

uint64_t faults_draw(faults_server *server, uint64_t bound)
{
    return lw_random_below(&server->random, bound);
}

bool faults_is_unlucky(faults_server *server)
{
    return server->is_faulty && server->one_in > 0 && faults_draw(server, server->one_in) == 0;
}

void faults_note(faults_server *server, faults_kind fault)
{
    server->tally[fault]++;
    faults_trace("  fault: %s", kind_names[fault]);
}

faults_stream *faults_stream_of(faults_server *server, const faults_line *line)
{
    return &server->streams[line - server->wire.lines];
}

/* Finds the value of the parameter |name| of |target| ("GET /path?a=b&c=d HTTP/1.1"). */
bool faults_parameter(const char *target, const char *name, char value[FAULTS_VALUE_SIZE])
{
    size_t len = strlen(name);
    for (const char *at = strpbrk(target, "?&"); at; at = strpbrk(at + 1, "?&")) {
        if (strncmp(at + 1, name, len) != 0 || at[1 + len] != '=')
            continue;
        const char *from = at + 2 + len;
        size_t size = strcspn(from, "& \r\n");
        assert_true(size < FAULTS_VALUE_SIZE);
        memcpy(value, from, size);
        value[size] = '\0';
        return true;
    }
    value[0] = '\0';
    return false;
}

/* Chooses where the bytes of the composed reply break.  A watch runs longer. */
static void plan_break(faults_server *server, faults_line *line)
{
    static const faults_kind kinds[] = { FAULTS_NONE, FAULTS_CUT_FIN, FAULTS_CUT_RESET,
                                         FAULTS_STALLED, FAULTS_SLOWED };
    const bool is_watch = faults_stream_of(server, line)->is_open;
    if (!faults_is_unlucky(server))
        return;
    line->breaks = (faults_break)(1 + faults_draw(server, FAULTS_BREAKS - 1));
    uint64_t span = line->out.len + 1;
    if (is_watch && faults_draw(server, 2) == 0)
        span += 2000;
    line->break_at = faults_draw(server, span);
    line->stall_ns =
        faults_draw(server, 4) == 0 ? LW_NEVER_NS : (int64_t)faults_draw(server, 150 * LW_NS_PER_S);
    line->slow_bytes = line->breaks == FAULTS_SLOW ? (unsigned)faults_draw(server, 120) : 0;
    faults_note(server, kinds[line->breaks]);
}

/* Checks that the client obeys earlier replies. */
static void check_manners(const faults_server *server, const char *head)
{
    char token[FAULTS_VALUE_SIZE];
    int64_t early_ns = server->said.busy_until_ns - lw_clock_now(server->wire.clock);
    if (early_ns > 0)
        fail_msg("the client retried %lld ms before Retry-After: %s",
                 (long long)(early_ns / LW_NS_PER_MS), head);
    if (faults_parameter(head, "continue", token) && strcmp(token, server->said.lost_page) == 0)
        fail_msg("the client requested an expired page again: %s", head);
}

static void on_request(faults_line *line, const char *head, void *arg)
{
    faults_server *server = arg;
    server->requests++;
    faults_trace("line %zu: %.*s", (size_t)(line - server->wire.lines), (int)strcspn(head, "\r\n"),
                 head);
    *faults_stream_of(server, line) = (faults_stream){ .is_open = false };
    /* Discovery has several parts, and the client ignores those that fail. */
    bool is_discovery = strchr(head, '?') == NULL;
    if (!is_discovery)
        check_manners(server, head);
    server->saying = server->said;
    faults_reply(server, line, head);
    plan_break(server, line);
    if (line->breaks == FAULTS_WHOLE && !is_discovery)
        server->said = server->saying;
}

static void on_closed(faults_line *line, void *arg)
{
    faults_stream_of(arg, line)->is_open = false;
}

void faults_server_open(faults_server *server, const lw_clock *clock, uint64_t seed)
{
    *server = (faults_server){ .is_faulty = true };
    lw_random_init(&server->random, seed);
    model_history_init(&server->past);
    server->one_in = (unsigned)faults_draw(server, 14);
    if (server->one_in == 1) /* no request would ever succeed */
        server->one_in = 0;
    server->cannot_stream = faults_draw(server, 3) == 0;
    server->forgets_states = faults_draw(server, 3) == 0;
    for (uint64_t i = faults_draw(server, 20); i > 0; i--)
        model_history_mutate(&server->past, &server->random);
    server->wire.clock = clock;
    server->wire.on_request = on_request;
    server->wire.on_closed = on_closed;
    server->wire.arg = server;
    faults_wire_open(&server->wire);
}

void faults_server_close(faults_server *server)
{
    faults_wire_close(&server->wire);
}

bool faults_server_turn(faults_server *server)
{
    bool has_moved = false;
    for (size_t i = 0; i < FAULTS_LINES; i++) {
        faults_line *line = &server->wire.lines[i];
        if (server->streams[i].is_open && faults_line_is_idle(line) && line->stalled_until_ns == 0)
            has_moved = faults_stream_turn(server, line) || has_moved;
    }
    return faults_wire_turn(&server->wire) || has_moved;
}

void faults_server_restart(faults_server *server, int64_t down_ns)
{
    faults_trace("restart: down for %lld ms", (long long)(down_ns / LW_NS_PER_MS));
    server->past.compacted = server->past.rv;
    faults_wire_refuse(&server->wire, lw_clock_now(server->wire.clock) + down_ns);
    faults_wire_cut_all(&server->wire, faults_draw(server, 2) == 0);
}

void faults_server_behave(faults_server *server)
{
    server->is_faulty = false;
    for (size_t i = 0; i < FAULTS_LINES; i++)
        server->streams[i].fault = FAULTS_NONE;
    faults_wire_heal(&server->wire);
}

bool faults_server_has_told_all(const faults_server *server)
{
    for (size_t i = 0; i < FAULTS_LINES; i++) {
        const faults_stream *stream = &server->streams[i];
        if (stream->is_open && stream->is_told && !stream->is_spoilt &&
            stream->sent == server->past.rv && faults_line_is_idle(&server->wire.lines[i]))
            return true;
    }
    return false;
}

int64_t faults_server_deadline_ns(const faults_server *server)
{
    int64_t deadline = faults_wire_deadline_ns(&server->wire);
    for (size_t i = 0; i < FAULTS_LINES; i++) {
        const faults_stream *stream = &server->streams[i];
        bool is_stalled = server->wire.lines[i].stalled_until_ns > 0; /* it cannot end either */
        if (stream->is_open && !is_stalled && stream->end_ns < deadline)
            deadline = stream->end_ns;
    }
    return deadline;
}
