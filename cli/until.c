/* SPDX-License-Identifier: Apache-2.0 */
/* until.c -- watches one object until it is as expected.
 *
 * List the object, look, watch from there; when the watch ends, begin again.  A watch that ends
 * early is followed by a pause, so that a server that ends all of them is not overloaded. */
#include "until.h"

#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum {
    WATCH_S = 300, /* longest watch */
    PAUSE_MS = 1000,
    SELECTOR_SIZE = 512,
    VERSION_SIZE = 64,
};

typedef struct waiting {
    until_fn look;
    void *arg;
    until_verdict verdict;
    char version[VERSION_SIZE];
} waiting;

int64_t until_now_ms(void)
{
    struct timespec now = { 0, 0 };
    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static lw_status on_event(const lw_watch_event *event, void *arg, lw_error *err)
{
    waiting *w = arg;
    (void)err;
    if (event->type == LW_WATCH_ERROR)
        return LW_ERR_EXPIRED;
    if (event->type == LW_WATCH_BOOKMARK)
        return LW_OK;
    w->verdict = w->look(event->type == LW_WATCH_DELETED ? NULL : event->object, w->arg);
    return w->verdict == UNTIL_NOT_YET ? LW_OK : LW_ERR_STOPPED;
}

static lw_status list_once(connection *conn, const target *t, const lw_list_options *options,
                           waiting *w, lw_error *err)
{
    lw_object_list *list = NULL;
    lw_status st = lw_client_list_all(conn->client, t->resource.gvr, options, &list, err);
    if (st == LW_OK) {
        const lw_object *obj = lw_object_list_count(list) > 0 ? lw_object_list_at(list, 0) : NULL;
        (void)snprintf(w->version, sizeof(w->version), "%s",
                       lw_object_list_metadata(list)->resource_version);
        w->verdict = w->look(obj, w->arg);
    }
    lw_object_list_free(list);
    return st;
}

/* An error after which the same request may succeed. */
static bool is_passing(lw_status st, const lw_error *err)
{
    return err->retriable || st == LW_ERR_EXPIRED || st == LW_ERR_TIMEOUT || st == LW_ERR_TOO_MANY;
}

static int64_t left_ms(int64_t deadline_ms)
{
    return deadline_ms < 0 ? (int64_t)WATCH_S * 1000 : deadline_ms - until_now_ms();
}

static void pause_until(int64_t deadline_ms, int64_t begun_ms)
{
    int64_t left = left_ms(deadline_ms), early = begun_ms + PAUSE_MS - until_now_ms();
    if (early > 0 && left > 0)
        (void)poll(NULL, 0, (int)(early < left ? early : left));
}

static lw_status watch_once(connection *conn, const target *t, lw_list_options *options, waiting *w,
                            int64_t deadline_ms, lw_error *err)
{
    int64_t left = left_ms(deadline_ms), begun = until_now_ms();
    if (left <= 0)
        return LW_OK;
    options->resource_version = w->version;
    options->timeout_s = left > (int64_t)WATCH_S * 1000 ? WATCH_S : (int)((left + 999) / 1000);
    lw_status st = lw_client_watch(conn->client, t->resource.gvr, options, on_event, w, err);
    options->resource_version = NULL;
    if (w->verdict != UNTIL_NOT_YET)
        return LW_OK;
    pause_until(deadline_ms, begun);
    return st < 0 && !is_passing(st, err) ? st : LW_OK;
}

lw_status until(connection *conn, const target *t, int64_t deadline_ms, until_fn look, void *arg,
                lw_error *err)
{
    char fields[SELECTOR_SIZE];
    waiting w = { .look = look, .arg = arg, .verdict = UNTIL_NOT_YET };
    lw_list_options options = { .size = sizeof(lw_list_options),
                                .ns = t->ns,
                                .field_selector = fields };
    lw_status st = LW_OK;
    (void)snprintf(fields, sizeof(fields), "metadata.name=%s", t->name);
    do {
        st = list_once(conn, t, &options, &w, err);
        if (st == LW_OK && w.verdict == UNTIL_NOT_YET)
            st = watch_once(conn, t, &options, &w, deadline_ms, err);
    } while (st == LW_OK && w.verdict == UNTIL_NOT_YET &&
             (deadline_ms < 0 || until_now_ms() < deadline_ms));
    if (st < 0)
        return st;
    if (w.verdict == UNTIL_NOT_YET)
        return LW_ERR_TIMEOUT;
    return w.verdict == UNTIL_DONE ? LW_OK : LW_ERR_STOPPED;
}
