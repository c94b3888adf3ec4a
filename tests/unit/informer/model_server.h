/* SPDX-License-Identifier: Apache-2.0 */
/* model_server.h -- an API server in a few arrays: objects with revisions, a history that it may
 * forget, and a bad temper.
 *
 * It answers the calls of a scripted source a piece at a time, so that anything can happen between
 * two pieces.  What it did is in |log|, so that a test can say what was right. */
#ifndef LW_TESTS_UNIT_INFORMER_MODEL_SERVER_H
#define LW_TESTS_UNIT_INFORMER_MODEL_SERVER_H

#include <stdio.h>
#include <stdlib.h>

#include "base/random.h"
#include "support/script_source.h"
#include "unit/test.h"

enum {
    MODEL_NAMES = 8,
    MODEL_EVENTS = 512,
    MODEL_FIRST_RV = 100,
};

typedef struct model_event {
    lw_watch_event_type type;
    unsigned name;
    uint64_t rv;
    unsigned generation; /* how often the name was created */
} model_event;

/* One name in a state: rv 0 means that there is no such object. */
typedef struct model_object {
    uint64_t rv;
    unsigned generation;
} model_object;

typedef struct model_server {
    script_source *source;
    lw_random random;
    model_event log[MODEL_EVENTS];
    size_t count;
    uint64_t rv, compacted;
    bool is_faulty;
    bool cannot_stream;

    unsigned call; /* the call that the rest is about */
    bool is_begun, is_told;
    uint64_t sent;     /* all events up to here */
    uint64_t snapshot; /* the state that a list or stream shows */
    unsigned at;       /* the next name of it */
    int64_t limit;
} model_server;

static inline uint64_t model_draw(model_server *m, uint64_t bound)
{
    return lw_random_below(&m->random, bound);
}

static inline void model_state_at(const model_server *m, uint64_t rv, model_object *state)
{
    memset(state, 0, MODEL_NAMES * sizeof(*state));
    for (size_t i = 0; i < m->count && m->log[i].rv <= rv; i++) {
        const model_event *event = &m->log[i];
        state[event->name].rv = event->type == LW_WATCH_DELETED ? 0 : event->rv;
        state[event->name].generation = event->generation;
    }
}

/* Creates, changes or deletes something. */
static inline void model_mutate(model_server *m)
{
    model_object state[MODEL_NAMES];
    if (m->count == MODEL_EVENTS)
        return;
    unsigned name = (unsigned)model_draw(m, MODEL_NAMES);
    model_state_at(m, m->rv, state);
    bool is_there = state[name].rv != 0;
    lw_watch_event_type type = !is_there               ? LW_WATCH_ADDED
                               : model_draw(m, 3) == 0 ? LW_WATCH_DELETED
                                                       : LW_WATCH_MODIFIED;
    m->rv += 1 + model_draw(m, 3); /* other resources have revisions, too */
    m->log[m->count++] =
        (model_event){ type, name, m->rv, state[name].generation + (is_there ? 0 : 1) };
}

static inline void model_compact(model_server *m)
{
    m->compacted += model_draw(m, m->rv - m->compacted + 1);
}

static inline lw_object *model_make(unsigned name, uint64_t rv, unsigned generation)
{
    char key[16];
    (void)snprintf(key, sizeof(key), "n%u/o%u", name % 2, name);
    lw_object *obj = script_object(key, rv, generation);
    assert_non_null(obj);
    return obj;
}

static inline void model_fail(model_server *m, lw_status code, int http_status)
{
    lw_error err = script_error(code, http_status, 0);
    script_fail(m->source, &err);
}

static inline bool model_is_unlucky(model_server *m, unsigned one_in)
{
    return m->is_faulty && model_draw(m, one_in) == 0;
}

/* Ends a call in one of the many ways it can end. */
static inline void model_break(model_server *m, bool is_watch)
{
    static const struct {
        lw_status code;
        int http_status;
    } ways[] = { { LW_ERR_UNAVAILABLE, 0 }, { LW_ERR_TOO_MANY, 429 },    { LW_ERR_INTERNAL, 500 },
                 { LW_ERR_EXPIRED, 410 },   { LW_ERR_FORBIDDEN, 403 },   { LW_ERR_SYNTAX, 0 },
                 { LW_ERR_TIMEOUT, 504 },   { LW_ERR_TOO_LARGE_RV, 504 } };
    size_t way = (size_t)model_draw(m, 8);
    if (is_watch && m->is_begun && model_draw(m, 2) == 0) {
        script_close(m->source);
    } else if (is_watch && m->is_begun && ways[way].http_status != 0) {
        lw_error err = script_error(ways[way].code, ways[way].http_status, 0);
        script_send_error(m->source, &err);
    } else {
        model_fail(m, ways[way].code, ways[way].http_status);
    }
}

/* The number after |name| in the request; |fallback| when there is none. */
static inline uint64_t model_asked(const model_server *m, const char *name, uint64_t fallback)
{
    const char *at = strstr(m->source->text, name);
    if (!at || at[strlen(name)] == '\0')
        return fallback;
    return strtoull(at + strlen(name), NULL, 10);
}

/* Sends the object |m->at| of the snapshot, if there is one. */
static inline bool model_send_state(model_server *m, bool is_stream)
{
    model_object state[MODEL_NAMES];
    model_state_at(m, m->snapshot, state);
    unsigned name = is_stream ? (m->at + 5) % MODEL_NAMES : m->at; /* a stream has no order */
    m->at++;
    if (state[name].rv == 0)
        return false;
    lw_object *obj = model_make(name, state[name].rv, state[name].generation);
    if (is_stream)
        script_event_object(m->source, LW_WATCH_ADDED, obj);
    else
        script_item_object(m->source, obj);
    lw_object_unref(obj);
    return true;
}

static inline void model_begin_list(model_server *m)
{
    m->limit = m->source->request.limit;
    m->at = 0;
    const char *token = strstr(m->source->text, "continue=");
    if (token) {
        m->snapshot = model_asked(m, "continue=", 0);
        m->at = (unsigned)strtoul(strchr(token, '.') + 1, NULL, 10);
        return;
    }
    uint64_t least = model_asked(m, " rv=", m->rv);
    if (least == 0) /* any state: an old one, too */
        least = MODEL_FIRST_RV;
    m->snapshot = least + model_draw(m, m->rv - least + 1);
}

static inline void model_serve_list(model_server *m)
{
    char rv[24], token[48] = "";
    if (!m->is_begun)
        model_begin_list(m);
    m->is_begun = true;
    if (strstr(m->source->text, "continue=") && m->snapshot < m->compacted) {
        model_fail(m, LW_ERR_EXPIRED, 410);
        return;
    }
    if (model_is_unlucky(m, 12)) {
        model_break(m, false);
        return;
    }
    if (m->at < MODEL_NAMES && m->limit != -1) {
        bool is_sent = model_send_state(m, false);
        if (is_sent && m->limit > 0 && --m->limit == 0)
            m->limit = -1; /* the page is full */
        return;
    }
    (void)snprintf(rv, sizeof(rv), "%llu", (unsigned long long)m->snapshot);
    if (m->at < MODEL_NAMES)
        (void)snprintf(token, sizeof(token), "%s.%u", rv, m->at);
    script_list_end(m->source, rv, token);
}

static inline const model_event *model_next_event(const model_server *m)
{
    for (size_t i = 0; i < m->count; i++) {
        if (m->log[i].rv > m->sent)
            return &m->log[i];
    }
    return NULL;
}

static inline void model_send_next(model_server *m)
{
    const model_event *event = model_next_event(m);
    if (event && m->sent < m->compacted) {
        lw_error err = script_error(LW_ERR_EXPIRED, 410, 0);
        script_send_error(m->source, &err);
    } else if (event) {
        lw_object *obj = model_make(event->name, event->rv, event->generation);
        m->sent = event->rv;
        script_event_object(m->source, event->type, obj);
        lw_object_unref(obj);
    } else if (m->sent < m->rv || model_draw(m, 4) == 0) {
        m->sent = m->rv;
        script_bookmark(m->source, m->sent);
    }
}

static inline void model_serve_watch(model_server *m)
{
    bool is_stream = m->source->request.sends_initial_events;
    if (model_is_unlucky(m, 15)) {
        model_break(m, true);
    } else if (!m->is_begun && is_stream && m->cannot_stream) {
        model_fail(m, LW_ERR_INVALID, 422);
    } else if (!m->is_begun) {
        m->is_begun = true;
        m->at = 0;
        m->is_told = !is_stream;
        m->snapshot = m->rv;
        m->sent = is_stream ? m->rv : model_asked(m, " rv=", 0);
        if (!is_stream && m->sent < m->compacted && model_draw(m, 2) == 0)
            model_fail(m, LW_ERR_EXPIRED, 410);
        else
            script_open(m->source);
    } else if (!m->is_told && m->at < MODEL_NAMES) {
        (void)model_send_state(m, true);
    } else if (!m->is_told && model_draw(m, 2) == 0) {
        m->is_told = true;
        script_initial_events_end(m->source, m->sent);
    } else {
        model_send_next(m);
    }
}

/* One piece of the answer to the call under way. */
static inline void model_serve(model_server *m)
{
    if (script_request(m->source)[0] == '\0')
        return;
    if (m->call != m->source->calls) {
        m->call = m->source->calls;
        m->is_begun = false;
    }
    if (strncmp(m->source->text, "LIST", 4) == 0)
        model_serve_list(m);
    else
        model_serve_watch(m);
}

static inline void model_init(model_server *m, script_source *source, uint64_t seed)
{
    *m = (model_server){ .source = source, .rv = MODEL_FIRST_RV, .compacted = MODEL_FIRST_RV };
    lw_random_init(&m->random, seed);
    m->cannot_stream = model_draw(m, 3) == 0;
    for (uint64_t i = model_draw(m, 20); i > 0; i--)
        model_mutate(m);
}

#endif
