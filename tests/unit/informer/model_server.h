/* SPDX-License-Identifier: Apache-2.0 */
/* model_server.h -- an API server in a few arrays: objects with revisions, a history that it may
 * forget, and a bad temper.
 *
 * It answers the calls of a scripted source a piece at a time, so that anything can happen between
 * two pieces.  What it did is in |past|, so that a test can say what was right. */
#ifndef LW_TESTS_UNIT_INFORMER_MODEL_SERVER_H
#define LW_TESTS_UNIT_INFORMER_MODEL_SERVER_H

#include <stdio.h>
#include <stdlib.h>

#include "support/model_history.h"
#include "support/script_source.h"
#include "unit/test.h"

typedef struct model_server {
    script_source *source;
    lw_random random;
    model_history past;
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

/* Ends a call in a random way. */
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
    model_history_state_at(&m->past, m->snapshot, state);
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
    uint64_t least = model_asked(m, " rv=", m->past.rv);
    if (least == 0) /* any state: an old one, too */
        least = MODEL_FIRST_RV;
    m->snapshot = least + model_draw(m, m->past.rv - least + 1);
}

static inline void model_serve_list(model_server *m)
{
    char rv[24], token[48] = "";
    if (!m->is_begun)
        model_begin_list(m);
    m->is_begun = true;
    if (strstr(m->source->text, "continue=") && m->snapshot < m->past.compacted) {
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

static inline void model_send_next(model_server *m)
{
    const model_event *event = model_history_after(&m->past, m->sent);
    if (event && m->sent < m->past.compacted) {
        lw_error err = script_error(LW_ERR_EXPIRED, 410, 0);
        script_send_error(m->source, &err);
    } else if (event) {
        lw_object *obj = model_make(event->name, event->rv, event->generation);
        m->sent = event->rv;
        script_event_object(m->source, event->type, obj);
        lw_object_unref(obj);
    } else if (m->sent < m->past.rv || model_draw(m, 4) == 0) {
        m->sent = m->past.rv;
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
        m->snapshot = m->past.rv;
        m->sent = is_stream ? m->past.rv : model_asked(m, " rv=", 0);
        if (!is_stream && m->sent < m->past.compacted && model_draw(m, 2) == 0)
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

/* Sends one piece of the response to the current call. */
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
    *m = (model_server){ .source = source };
    model_history_init(&m->past);
    lw_random_init(&m->random, seed);
    m->cannot_stream = model_draw(m, 3) == 0;
    for (uint64_t i = model_draw(m, 20); i > 0; i--)
        model_history_mutate(&m->past, &m->random);
}

#endif
