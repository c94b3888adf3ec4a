/* SPDX-License-Identifier: Apache-2.0 */
/* reflector_sync.c -- receives the whole state of a resource: as a stream that begins with it
 * (sendInitialEvents, KEP-3157), or as a list in pages.
 *
 * In both cases it is collected in |replacement| and queued as one item when it is complete.
 * Objects that are unchanged in the cache are shared with it. */
#include "informer/reflector_internal.h"

#include "base/alloc.h"
#include "base/error.h"
#include "base/str.h"
#include "base/sync.h"
#include "object/object.h"

static bool start_collecting(lw_reflector *r)
{
    lw_replacement_free(r->replacement);
    r->replacement = NULL;
    lw_list_progress_begin(&r->progress, &r->options.bounds);
    lw_status st = lw_replacement_new(&r->replacement);
    if (st == LW_OK)
        return true;
    lw_error err;
    (void)lw_error_nomem(&err);
    lw_reflector__relist(r, LW_RELIST_STORE, &err);
    return false;
}

/* Starts a sync: a stream or a list, or one after the other, see reflector_retry.c. */
void lw_reflector__begin_sync(lw_reflector *r)
{
    r->streams_cut = 0;
    if (r->stats.lists > 0)
        r->stats.relists++;
    if (r->options.lists_only)
        lw_reflector__begin_list(r);
    else
        lw_reflector__begin_stream(r);
}

void lw_reflector__begin_stream(lw_reflector *r)
{
    const lw_source_request request = {
        .resource_version = r->is_rv_unavailable ? "" : r->rv,
        .resource_version_match = "NotOlderThan",
        .timeout_s = lw_reflector__draw_timeout(r),
        .allows_bookmarks = true,
        .sends_initial_events = true,
    };
    if (!start_collecting(r))
        return;
    r->stats.lists++;
    lw_reflector__begin_call(r, LW_REFLECTOR_STREAMING, &request);
}

/* A list from the watch cache of a server ignores the limit.  With a resourceVersion, pages are
 * requested only from a server that has shown that it has no watch cache. */
static int64_t page_size(const lw_reflector *r)
{
    if (r->options.page_size > 0)
        return r->options.page_size;
    bool is_any_state = r->asked_rv[0] == '\0' || strcmp(r->asked_rv, "0") == 0;
    return r->is_paginated || is_any_state ? LW_REFLECTOR_PAGE_SIZE : 0;
}

void lw_reflector__begin_list(lw_reflector *r)
{
    const char *rv = r->rv[0] != '\0' ? r->rv : "0";
    (void)lw_reflector__set_text(r->asked_rv, r->is_rv_unavailable ? "" : rv);
    r->limit = page_size(r);
    r->is_full_retry = false;
    r->pages = 0;
    lw_reflector__begin_page(r);
}

/* The first page starts the list again. */
void lw_reflector__begin_page(lw_reflector *r)
{
    bool is_first = r->pages == 0;
    /* In a continued list, the token determines the state. */
    const lw_source_request request = {
        .resource_version = is_first ? r->asked_rv : "",
        .resource_version_match = "",
        .limit = r->limit,
        .continue_token = is_first ? "" : r->continue_token,
    };
    if (is_first && !start_collecting(r))
        return;
    if (is_first)
        r->stats.lists++;
    lw_reflector__begin_call(r, LW_REFLECTOR_LISTING, &request);
}

/* Objects. */

static bool is_unchanged(const lw_object *known, const lw_object *obj)
{
    const char *uid = lw_object_uid(obj), *rv = lw_object_resource_version(obj);
    return uid[0] != '\0' && rv[0] != '\0' && strcmp(uid, lw_object_uid(known)) == 0 &&
           strcmp(rv, lw_object_resource_version(known)) == 0;
}

static void collect(lw_reflector *r, const lw_object *obj)
{
    lw_error limit = LW_ERROR_INIT;
    if (lw_list_progress_object(&r->progress, lw_object__body_len(obj), &limit) < 0) {
        lw_reflector__relist(r, LW_RELIST_MALFORMED, &limit);
        return;
    }
    const lw_object *known =
        r->options.known ? r->options.known(lw_object_key(obj), r->options.arg) : NULL;
    lw_object *kept =
        known && is_unchanged(known, obj) ? lw_object_ref(known) : lw_reflector__accept(r, obj);
    if (!kept) {
        /* A rejected object is not in the state, and neither is its previous version. */
        lw_replacement_remove(r->replacement, lw_object_key(obj));
        return;
    }
    lw_status st = r->options.collect ? r->options.collect(r->replacement, kept, r->options.arg)
                                      : lw_replacement_put(r->replacement, kept);
    lw_object_unref(kept);
    if (st < 0) {
        lw_error err;
        (void)lw_error_set(&err, st, "cannot store an object of the list: %s", lw_status_name(st));
        lw_reflector__relist(r, LW_RELIST_STORE, &err);
    }
}

void lw_reflector__list_object(lw_reflector *r, const lw_object *obj)
{
    collect(r, obj);
}

/* The whole state is queued, for the first time or again. */
static void note_sync(lw_reflector *r)
{
    if (r->stats.sync_ns < 0)
        r->stats.sync_ns = lw_reflector__now(r) - r->started_ns;
    if (r->options.resync_s > 0 && r->resync_due_ns == LW_NEVER_NS)
        r->resync_due_ns = lw_reflector__now(r) + (int64_t)r->options.resync_s * LW_NS_PER_S;
}

/* Queues the complete state.  Returns false if the queue is full; then the next step is decided. */
static bool complete(lw_reflector *r, const char *rv)
{
    lw_replacement *replacement = r->replacement;
    r->replacement = NULL;
    lw_replacement_free(r->warm);
    r->warm = NULL;
    lw_status st = lw_delta_fifo_replace_take(r->options.fifo, replacement, rv);
    if (st < 0) {
        lw_reflector__block(r, st);
        return false;
    }
    (void)lw_reflector__set_text(r->rv, rv);
    r->is_rv_unavailable = false;
    /* The server works to this extent: the next failure does not belong to the same outage. */
    lw_backoff_limit(&r->backoff, LW_REFLECTOR_HEALTHY_S * LW_NS_PER_S);
    r->wake_allowed_ns = 0;
    note_sync(r);
    lw_reflector__forget_error(r);
    return true;
}

/* The server still has the history since the objects were saved: together with the changes that
 * follow they are the whole state. */
void lw_reflector__queue_warm(lw_reflector *r)
{
    lw_replacement *objects = r->warm;
    if (!objects)
        return;
    r->warm = NULL;
    lw_status st = lw_delta_fifo_replace_take(r->options.fifo, objects, r->rv);
    if (st < 0)
        lw_reflector__block(r, st);
    else
        note_sync(r);
}

/* A list. */

static void list_is_malformed(lw_reflector *r, const char *what)
{
    lw_error err;
    (void)lw_error_set(&err, LW_ERR_INVALID, "the list sent by the server %s", what);
    lw_reflector__relist(r, LW_RELIST_MALFORMED, &err);
}

static void want_next_page(lw_reflector *r, const char *token)
{
    lw_error never = LW_ERROR_INIT;
    if (lw_list_progress_page(&r->progress, token, &never) < 0) {
        lw_reflector__relist(r, LW_RELIST_MALFORMED, &never);
        return;
    }
    char *copy = lw_str_dup(lw_str_of(token));
    if (!copy) {
        lw_error err;
        (void)lw_error_nomem(&err);
        lw_reflector__relist(r, LW_RELIST_STORE, &err);
        return;
    }
    lw_free(r->continue_token);
    r->continue_token = copy;
    lw_reflector__schedule(r, LW_STEP_PAGE, 0);
}

void lw_reflector__list_end(lw_reflector *r, const lw_list_metadata *list)
{
    if (strcmp(list->kind, "Table") == 0) {
        list_is_malformed(r, "is a Table instead of a list");
        return;
    }
    if (r->pages == 0 && !lw_reflector__set_text(r->list_rv, list->resource_version)) {
        list_is_malformed(r, "has a resourceVersion that is too long");
        return;
    }
    r->pages++;
    if (list->continue_token[0] != '\0') {
        want_next_page(r, list->continue_token);
        return;
    }
    if (r->pages > 1 && strcmp(r->asked_rv, "0") == 0)
        r->is_paginated = true;
    if (complete(r, r->list_rv))
        lw_reflector__schedule(r, LW_STEP_WATCH, 0);
}

/* A stream. */

static void end_of_initial_events(lw_reflector *r, const lw_object *bookmark)
{
    const char *rv = lw_object_resource_version(bookmark);
    if (rv[0] == '\0' || strlen(rv) >= LW_REFLECTOR_RV_SIZE) {
        list_is_malformed(r, "ends in a bookmark without a valid resourceVersion");
        return;
    }
    if (!complete(r, rv))
        return;
    /* The stream stays open and is now the watch. */
    r->state = LW_REFLECTOR_WATCHING;
    r->is_ordered = true;
    r->stats.watches++;
}

/* The resourceVersions of the initial events are not in order; only the one of the last bookmark
 * counts.  A server that knows sendInitialEvents has no reason to send other bookmarks before.  If
 * objects are created all the time, they are the only sign of a server that does not know it. */
static void stream_bookmark(lw_reflector *r, const lw_watch_event *event)
{
    int64_t open_ns = lw_reflector__now(r) - r->opened_ns;
    if (event->is_initial_events_end) {
        end_of_initial_events(r, event->object);
    } else if (open_ns >= LW_REFLECTOR_STREAM_SILENCE_S * LW_NS_PER_S) {
        lw_reflector__abandon_call(r);
        lw_reflector__list_instead(r);
    }
}

void lw_reflector__stream_event(lw_reflector *r, const lw_watch_event *event)
{
    if (event->type == LW_WATCH_ERROR) {
        lw_error err = lw_reflector__error_of(event, "stream");
        lw_reflector__abandon_call(r);
        lw_reflector__stream_failed(r, &err);
        return;
    }
    if (!event->object) {
        list_is_malformed(r, "has an event without an object");
        return;
    }
    switch (event->type) {
    case LW_WATCH_ADDED: /* a change is not progress: the state may be complete without a bookmark
                          */
        r->progress_ns = lw_reflector__now(r);
        collect(r, event->object);
        break;
    case LW_WATCH_MODIFIED: collect(r, event->object); break;
    case LW_WATCH_DELETED:
        lw_replacement_remove(r->replacement, lw_object_key(event->object));
        break;
    default: stream_bookmark(r, event); break;
    }
}
