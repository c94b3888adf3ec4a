/* SPDX-License-Identifier: Apache-2.0 */
/* follower_confirm.c -- asks the upstream which revision is the newest, once for all who wait.
 *
 * A question that arrives while the upstream is being asked waits for the next turn: the answer
 * that is under way may be older than the question. */
#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/str.h"
#include "server/mirror/follower.h"

#define METADATA_LIST "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"
#define METADATA      "application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1"

static void answer_list(lw_follower *follower, lw_dlist *questions, uint64_t revision, lw_status st,
                        const char *why)
{
    size_t count = 0;
    for (lw_dlist_node *node; (node = lw_dlist_pop_front(questions)); count++) {
        lw_store_confirmation *question = LW_DLIST_ITEM(node, lw_store_confirmation, link);
        question->st = st;
        question->revision = revision;
        if (st < 0)
            (void)lw_error_set(&question->err, st, "the upstream cannot be asked: %s", why);
        question->done(question);
    }
    lw_mutex_lock(&follower->mu);
    follower->question_count -= count;
    lw_mutex_unlock(&follower->mu);
}

void lw_follower__stop_asking(lw_follower *follower, lw_status st, const char *why)
{
    lw_dlist all;
    lw_dlist_init(&all);
    lw_http_call_cancel(follower->question);
    lw_http_call_cancel(follower->probe);
    follower->question = follower->probe = NULL;
    lw_mutex_lock(&follower->mu);
    lw_dlist_append_all(&all, &follower->arrived);
    lw_mutex_unlock(&follower->mu);
    lw_dlist_append_all(&all, &follower->asked);
    answer_list(follower, &all, 0, st, why);
}

static lw_status take_probe_event(const lw_watch_event *event, void *arg, lw_error *err)
{
    lw_follower *follower = arg;
    (void)err;
    if (event->type == LW_WATCH_ERROR || !event->object)
        return LW_ERR_EXPIRED;
    uint64_t revision = lw_object_revision(event->object);
    if (event->type == LW_WATCH_BOOKMARK)
        follower->probe_bookmark = revision;
    else
        follower->probe_seen = revision;
    return LW_OK;
}

void lw_follower__progressed(lw_follower *follower)
{
    lw_cache_resource *resource = follower->options.resource;
    if (follower->probe_bookmark == 0 ||
        lw_cache_resource_revision(resource) < follower->probe_seen)
        return;
    lw_feed_begin(resource);
    lw_follower__publish_views(follower, follower->probe_bookmark);
    lw_feed_end(resource, follower->probe_bookmark, 0);
    follower->probe_bookmark = 0;
}

static void probe_data(lw_http_call *call, const char *bytes, size_t len, void *arg)
{
    lw_follower *follower = arg;
    if (lw_event_reader_feed(follower->probe_events, bytes, len, NULL) < 0) {
        lw_http_call_cancel(call);
        follower->probe = NULL;
        return;
    }
    if (follower->probe_bookmark > 0) {
        lw_http_call_cancel(call);
        follower->probe = NULL;
        lw_follower__progressed(follower);
    }
}

static void probe_head(lw_http_call *call, int status, const lw_http_header *headers, size_t count,
                       void *arg)
{
    lw_follower *follower = arg;
    (void)headers;
    (void)count;
    if (status != 200) {
        lw_http_call_cancel(call);
        follower->probe = NULL;
    }
}

static void probe_over(lw_http_call *call, const lw_error *err, void *arg)
{
    lw_follower *follower = arg;
    (void)call;
    (void)err;
    follower->probe = NULL;
}

/* Finds out that nothing has changed, without waiting for the next bookmark. */
static void start_probe(lw_follower *follower)
{
    const lw_follower_options *options = &follower->options;
    const lw_event_reader_options reading = { .on_event = take_probe_event, .arg = follower };
    const lw_http_call_sink sink = { probe_head, probe_data, NULL, probe_over, follower };
    char number[24];
    lw_buf path;
    if (follower->probe)
        return;
    uint64_t from = lw_cache_resource_revision(options->resource);
    int64_t deadline =
        lw_clock_now(lw_loop_clock(options->loop)) + 2 * LW_FOLLOWER_PROBE_S * LW_NS_PER_S;
    follower->probe_seen = from;
    follower->probe_bookmark = 0;
    lw_buf_init(&path, LW_MIRROR_SOURCE_PATH_MAX);
    lw_buf_append_text(&path, follower->path);
    (void)snprintf(number, sizeof(number), "%" PRIu64, from);
    lw_mirror_source_append_parameter(&path, "watch", LW_STR("true"));
    lw_mirror_source_append_parameter(&path, "allowWatchBookmarks", LW_STR("true"));
    lw_mirror_source_append_parameter(&path, "resourceVersion", lw_str_of(number));
    (void)snprintf(number, sizeof(number), "%d", LW_FOLLOWER_PROBE_S);
    lw_mirror_source_append_parameter(&path, "timeoutSeconds", lw_str_of(number));
    lw_status st = path.st;
    if (st == LW_OK && !follower->probe_events)
        st = lw_event_reader_new(&follower->probe_events, &reading, NULL);
    else if (st == LW_OK)
        lw_event_reader_reset(follower->probe_events);
    /* Without it, those who wait are told to try again. */
    if (st == LW_OK)
        (void)lw_mirror_source_get(options->upstream,
                                   lw_upstreams_current(options->upstream->addresses),
                                   options->client, lw_buf_view(&path), LW_STR(METADATA), deadline,
                                   &sink, &follower->probe, NULL);
    lw_buf_done(&path);
}

static void question_failed(lw_follower *follower, const char *why)
{
    follower->question = NULL;
    lw_follower__accept_saved(follower);
    answer_list(follower, &follower->asked, 0, LW_ERR_UNAVAILABLE, why);
    lw_follower__ask(follower);
}

static void question_head(lw_http_call *call, int status, const lw_http_header *headers,
                          size_t count, void *arg)
{
    lw_follower *follower = arg;
    char why[64];
    (void)headers;
    (void)count;
    if (status == 200)
        return;
    lw_http_call_cancel(call);
    (void)snprintf(why, sizeof(why), "HTTP status %d", status);
    question_failed(follower, why);
}

static void question_data(lw_http_call *call, const char *bytes, size_t len, void *arg)
{
    lw_follower *follower = arg;
    lw_error err = LW_ERROR_INIT;
    if (lw_list_reader_feed(follower->answer, bytes, len, &err) < 0) {
        lw_http_call_cancel(call);
        question_failed(follower, err.message);
    }
}

/* The upstream is at an earlier revision than the mirror was. */
static void relist(lw_follower *follower)
{
    lw_follower__stop_asking(follower, LW_ERR_UNAVAILABLE, "it was restored from a backup");
    if (follower->stage != LW_FOLLOWER_WATCHING)
        return;
    lw_http_call_cancel(follower->call);
    follower->call = NULL;
    follower->wants_list = true;
    lw_follower__go_on(follower);
}

static void question_over(lw_http_call *call, const lw_error *err, void *arg)
{
    lw_follower *follower = arg;
    lw_error why = LW_ERROR_INIT;
    uint64_t revision = 0;
    (void)call;
    if (err && err->code == LW_ERR_UNAVAILABLE)
        (void)lw_upstream_failed(follower->asked_of);
    if (err || lw_list_reader_finish(follower->answer, &why) < 0 ||
        !lw_str_to_uint64(lw_str_of(lw_list_reader_metadata(follower->answer)->resource_version),
                          &revision)) {
        question_failed(follower, err ? err->message : why.message);
        return;
    }
    follower->question = NULL;
    if (revision < follower->asked_at) {
        relist(follower);
        return;
    }
    lw_follower__accept_saved(follower);
    if (revision > lw_cache_resource_revision(follower->options.resource))
        start_probe(follower);
    answer_list(follower, &follower->asked, revision, LW_OK, "");
    lw_follower__ask(follower);
}

void lw_follower__ask(lw_follower *follower)
{
    static const lw_list_reader_options reading = { .on_object = NULL };
    const lw_follower_options *options = &follower->options;
    const lw_http_call_sink sink = { question_head, question_data, NULL, question_over, follower };
    lw_error err = LW_ERROR_INIT;
    lw_buf path;
    if (follower->question)
        return;
    lw_mutex_lock(&follower->mu);
    lw_dlist_append_all(&follower->asked, &follower->arrived);
    lw_mutex_unlock(&follower->mu);
    if (lw_dlist_is_empty(&follower->asked) && !follower->wants_check)
        return;
    follower->wants_check = false;
    follower->asked_of = lw_upstreams_current(options->upstream->addresses);
    follower->asked_at = lw_cache_resource_revision(options->resource);
    int64_t deadline =
        lw_clock_now(lw_loop_clock(options->loop)) + LW_FOLLOWER_ANSWER_S * LW_NS_PER_S;
    lw_buf_init(&path, LW_MIRROR_SOURCE_PATH_MAX);
    lw_buf_append_text(&path, follower->path);
    lw_mirror_source_append_parameter(&path, "limit", LW_STR("1"));
    lw_status st = path.st;
    if (st == LW_OK && !follower->answer)
        st = lw_list_reader_new(&follower->answer, &reading, &err);
    else if (st == LW_OK)
        lw_list_reader_reset(follower->answer);
    if (st == LW_OK)
        st = lw_mirror_source_get(options->upstream, follower->asked_of, options->client,
                                  lw_buf_view(&path), LW_STR(METADATA_LIST), deadline, &sink,
                                  &follower->question, &err);
    lw_buf_done(&path);
    if (st < 0) {
        follower->question = NULL;
        answer_list(follower, &follower->asked, 0, LW_ERR_UNAVAILABLE, err.message);
    }
}
