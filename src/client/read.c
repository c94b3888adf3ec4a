/* SPDX-License-Identifier: Apache-2.0 */
/* read.c -- blocking list and watch. */
#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "base/str.h"
#include "client/call.h"
#include "client/request.h"
#include "object/list_bounds.h"
#include "object/object.h"
#include "object/object_list.h"

/* Lists. */

typedef struct list_wait {
    lw_client_wait wait;
    lw_session_call *call;
    lw_object_fn on_object;
    void *arg;
    lw_list_metadata_copy metadata; /* of the page read last */
    lw_list_progress progress;
} list_wait;

static void list_on_object(const lw_object *obj, void *arg)
{
    list_wait *waiting = arg;
    lw_error err = LW_ERROR_INIT;
    lw_status st = lw_list_progress_object(&waiting->progress, lw_object__body_len(obj), &err);
    if (st == LW_OK && waiting->on_object)
        st = waiting->on_object(obj, waiting->arg, &err);
    if (st == LW_OK)
        return;
    if (err.code != st)
        (void)lw_error_set(&err, st, "the caller stopped the list");
    lw_session_cancel(waiting->call);
    lw_client__end(&waiting->wait, &err);
}

static void list_on_end(const lw_list_metadata *metadata, void *arg)
{
    list_wait *waiting = arg;
    lw_error err = LW_ERROR_INIT;
    if (lw_list_metadata__set(&waiting->metadata, metadata) < 0) {
        (void)lw_error_nomem(&err);
        lw_client__end(&waiting->wait, &err);
        return;
    }
    lw_client__end(&waiting->wait, NULL);
}

static void list_on_fail(const lw_error *err, void *arg)
{
    list_wait *waiting = arg;
    lw_client__end(&waiting->wait, err);
}

static lw_status read_page(lw_session *session, lw_gvr gvr, const lw_list_options *options,
                           list_wait *waiting, lw_error *err)
{
    lw_source_sink sink = { .on_object = list_on_object,
                            .on_list_end = list_on_end,
                            .on_fail = list_on_fail,
                            .arg = waiting };
    waiting->wait.is_done = false;
    lw_status st = lw_session_list(session, gvr, options, &sink, &waiting->call, err);
    if (st < 0)
        return st;
    lw_client__drive(session, &waiting->wait);
    return lw_client__result(&waiting->wait, err);
}

/* Sets |options| to the next page; |*token| becomes its continue token. */
static lw_status next_page(lw_list_options *options, const lw_list_metadata *metadata, char **token,
                           lw_error *err)
{
    lw_free(*token);
    *token = lw_str_dup(lw_str_of(metadata->continue_token));
    if (!*token)
        return lw_error_nomem(err);
    options->continue_token = *token;
    options->resource_version = NULL; /* part of the token; a server rejects both together */
    options->resource_version_match = NULL;
    return LW_OK;
}

static lw_status list_pages(lw_client *client, lw_gvr gvr, const lw_list_options *options,
                            list_wait *waiting, lw_error *err)
{
    lw_list_options page = LW_LIST_OPTIONS_INIT;
    lw_session *session = NULL;
    char *token = NULL;
    lw_status st = lw_options_read(&page, sizeof(page), options, "lw_list_options", err);
    lw_list_progress_begin(&waiting->progress, &page.bounds);
    if (st == LW_OK)
        st = lw_client__take_session(client, &session, err);
    if (st < 0)
        return st;
    st = read_page(session, gvr, &page, waiting, err);
    while (st == LW_OK && waiting->metadata.view.continue_token[0] != '\0') {
        st = lw_list_progress_page(&waiting->progress, waiting->metadata.view.continue_token, err);
        if (st == LW_OK)
            st = next_page(&page, &waiting->metadata.view, &token, err);
        if (st == LW_OK)
            st = read_page(session, gvr, &page, waiting, err);
    }
    lw_client__leave_session(client, session, &waiting->wait);
    lw_free(token);
    return st;
}

lw_status lw_client_list(lw_client *client, lw_gvr gvr, const lw_list_options *options,
                         lw_object_fn on_object, void *arg, lw_error *err)
{
    list_wait waiting = { .on_object = on_object, .arg = arg };
    lw_list_metadata__init(&waiting.metadata);
    lw_status st = list_pages(client, gvr, options, &waiting, err);
    lw_list_metadata__done(&waiting.metadata);
    return st;
}

lw_status lw_client_list_all(lw_client *client, lw_gvr gvr, const lw_list_options *options,
                             lw_object_list **out, lw_error *err)
{
    lw_object_list *list = NULL;
    if (lw_object_list_new(&list, 0) < 0)
        return lw_error_nomem(err);
    list_wait waiting = { .on_object = lw_object_list__collect, .arg = list };
    lw_list_metadata__init(&waiting.metadata);
    lw_status st = list_pages(client, gvr, options, &waiting, err);
    if (st == LW_OK && lw_object_list__set_metadata(list, &waiting.metadata.view) < 0)
        st = lw_error_nomem(err);
    lw_list_metadata__done(&waiting.metadata);
    if (st < 0) {
        lw_object_list_free(list);
        return st;
    }
    *out = list;
    return LW_OK;
}

/* Watches. */

typedef struct watch_wait {
    lw_client_wait wait;
    lw_session_call *call;
    lw_watch_event_fn on_event;
    void *arg;
} watch_wait;

static void watch_on_event(const lw_watch_event *event, void *arg)
{
    watch_wait *waiting = arg;
    lw_error err = LW_ERROR_INIT;
    lw_status st = waiting->on_event(event, waiting->arg, &err);
    if (st == LW_OK)
        return;
    if (err.code != st)
        (void)lw_error_set(&err, st, "the caller stopped the watch");
    lw_session_cancel(waiting->call);
    lw_client__end(&waiting->wait, &err);
}

static void watch_on_fail(const lw_error *err, void *arg)
{
    watch_wait *waiting = arg;
    lw_client__end(&waiting->wait, err);
}

lw_status lw_client_watch(lw_client *client, lw_gvr gvr, const lw_list_options *options,
                          lw_watch_event_fn on_event, void *arg, lw_error *err)
{
    lw_list_options o = LW_LIST_OPTIONS_INIT;
    watch_wait waiting = { .on_event = on_event, .arg = arg };
    lw_source_sink sink = { .on_event = watch_on_event, .on_fail = watch_on_fail, .arg = &waiting };
    lw_session *session = NULL;
    lw_status st = lw_options_read(&o, sizeof(o), options, "lw_list_options", err);
    if (st == LW_OK)
        st = lw_client__take_session(client, &session, err);
    if (st < 0)
        return st;
    st = lw_session_watch(session, gvr, &o, &sink, &waiting.call, err);
    if (st == LW_OK) {
        lw_client__drive(session, &waiting.wait);
        st = lw_client__result(&waiting.wait, err);
    }
    lw_client__leave_session(client, session, &waiting.wait);
    return st;
}
