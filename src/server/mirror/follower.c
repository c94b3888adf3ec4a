/* SPDX-License-Identifier: Apache-2.0 */
/* follower.c -- the states of a follower. */
#include "server/mirror/follower.h"

#include <stdio.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "object/api_status.h"
#include "schema/kinds/definition.h"

static int64_t now_of(const lw_follower *follower)
{
    return lw_clock_now(lw_loop_clock(follower->options.loop));
}

static void keep_error(lw_follower *follower, lw_status st, const char *why)
{
    lw_mutex_lock(&follower->error_mu);
    (void)lw_error_set(&follower->last_error, st, "%s", why);
    lw_mutex_unlock(&follower->error_mu);
}

void lw_follower__go_on(lw_follower *follower)
{
    lw_timer_cancel(follower->options.loop, &follower->timer);
    if (follower->wants_list)
        lw_follower__list(follower);
    else
        lw_follower__watch(follower);
}

void lw_follower__reconnect(lw_follower *follower)
{
    const lw_follower_options *options = &follower->options;
    follower->stage = LW_FOLLOWER_WAITING;
    lw_timer_cancel(options->loop, &follower->timer);
    follower->is_held = options->may_connect && !options->may_connect(options->arg);
    if (!follower->is_held)
        lw_follower__go_on(follower);
}

void lw_follower_resume(lw_follower *follower, lw_status st, const char *why)
{
    if (!follower->is_held)
        return;
    follower->is_held = false;
    if (st < 0)
        lw_follower__fail(follower, st, why);
    else
        lw_follower__go_on(follower);
}

void lw_follower_abandon(lw_follower *follower)
{
    lw_http_call_cancel(follower->call);
    follower->call = NULL;
    lw_follower__stop_asking(follower, LW_ERR_UNAVAILABLE, "the upstream is another cluster");
    lw_mirror_saver_discard(&follower->saver);
    /* It stays synced: until the list is there clients get 503.  Were they passed on, the other
     * cluster would take revisions of this one for its own. */
    follower->wants_list = follower->is_abandoned = true;
    follower->is_warm = follower->is_held = false;
    lw_feed_abandon(follower->options.resource);
    for (size_t i = 0; i < follower->view_count; i++)
        lw_feed_abandon(follower->views[i].resource);
    lw_follower__go_on(follower);
}

void lw_follower__accept_saved(lw_follower *follower)
{
    if (!follower->is_warm)
        return;
    follower->is_warm = false;
    atomic_store(&follower->is_absent, false);
    atomic_store(&follower->is_synced, true);
    follower->options.changed(follower->options.arg);
}

static void timer_fired(lw_timer *timer)
{
    lw_follower *follower = LW_CONTAINER_OF(timer, lw_follower, timer);
    if (follower->stage == LW_FOLLOWER_WAITING) {
        lw_follower__reconnect(follower);
        return;
    }
    lw_http_call_cancel(follower->call);
    follower->call = NULL;
    lw_follower__fail(follower, LW_ERR_TIMEOUT, "the upstream has sent nothing for too long");
}

/* True if a request may succeed at another address. */
static bool is_of_address(lw_status st)
{
    return st == LW_ERR_UNAVAILABLE || st == LW_ERR_TIMEOUT || st == LW_ERR_INTERNAL;
}

void lw_follower__fail(lw_follower *follower, lw_status st, const char *why)
{
    int64_t now = now_of(follower), zero = 0;
    int64_t pause = lw_backoff_next(&follower->backoff, now);
    bool is_new = follower->last_error.code == LW_OK;
    if (follower->at && is_of_address(st))
        (void)lw_upstream_failed(follower->at);
    follower->stage = LW_FOLLOWER_WAITING;
    follower->is_fresh = follower->is_held = false;
    if (follower->options.lost)
        follower->options.lost(follower->options.arg);
    (void)atomic_compare_exchange_strong(&follower->behind_since, &zero, now);
    keep_error(follower, st, why);
    bool is_refused = st == LW_ERR_NOT_FOUND || st == LW_ERR_FORBIDDEN || st == LW_ERR_UNAUTHORIZED;
    /* What cannot be confirmed is served as it is; the lag tells. */
    if (!is_refused && st != LW_ERR_EXPIRED)
        lw_follower__accept_saved(follower);
    if (!atomic_load(&follower->is_synced))
        atomic_store(&follower->is_absent, is_refused);
    lw_log(follower->options.logger, is_new ? LW_LOG_WARN : LW_LOG_DEBUG, "mirror",
           "%.*s: %s; trying again", LW_STR_ARG(follower->options.kind->plural), why);
    lw_follower__stop_asking(follower, LW_ERR_UNAVAILABLE, why);
    (void)lw_timer_set(follower->options.loop, &follower->timer, now + pause);
    follower->options.changed(follower->options.arg);
}

/* The message of a Status, or the beginning of any other body. */
static void describe_reply(const lw_follower *follower, char *out, size_t size)
{
    lw_tree *tree = NULL;
    lw_str body = lw_buf_view(&follower->error), message = lw_str_trim(body);
    if (lw_tree_parse(&tree, body, LW_FOLLOWER_ERROR_MAX * 16, NULL) == LW_OK) {
        lw_api_status status;
        if (lw_api_status_from_tree(&status, lw_tree_root(tree)) == LW_OK) {
            message = lw_api_status_str(&status, status.message);
            (void)snprintf(out, size, "HTTP status %d: %.*s", follower->status,
                           LW_STR_ARG(message));
            lw_api_status_done(&status);
            lw_tree_free(tree);
            return;
        }
        lw_api_status_done(&status);
    }
    lw_tree_free(tree);
    (void)snprintf(out, size, "HTTP status %d: %.*s", follower->status,
                   (int)(message.len > 200 ? 200 : message.len), message.ptr ? message.ptr : "");
}

void lw_follower__fail_reply(lw_follower *follower)
{
    char why[LW_ERROR_MESSAGE_SIZE];
    describe_reply(follower, why, sizeof(why));
    if (follower->status == 410)
        follower->wants_list = true;
    lw_follower__fail(follower, lw_api_reason_status(LW_REASON_UNKNOWN, follower->status), why);
}

static lw_status make_path(lw_follower *follower)
{
    const lw_follower_options *options = &follower->options;
    const lw_kind *kind = options->kind;
    lw_buf path;
    lw_buf_init(&path, LW_MIRROR_SOURCE_PATH_MAX);
    if (kind->group.len > 0)
        lw_buf_printf(&path, "/apis/%.*s/%.*s", LW_STR_ARG(kind->group), LW_STR_ARG(kind->version));
    else
        lw_buf_printf(&path, "/api/%.*s", LW_STR_ARG(kind->version));
    if (options->ns.len > 0 && kind->is_namespaced)
        lw_buf_printf(&path, "/namespaces/%.*s", LW_STR_ARG(options->ns));
    lw_buf_printf(&path, "/%.*s", LW_STR_ARG(kind->plural));
    if (options->label_selector.len > 0)
        lw_mirror_source_append_parameter(&path, "labelSelector", options->label_selector);
    if (options->field_selector.len > 0)
        lw_mirror_source_append_parameter(&path, "fieldSelector", options->field_selector);
    follower->path = lw_buf_take_text(&path);
    lw_buf_done(&path);
    return follower->path ? LW_OK : LW_ERR_NOMEM;
}

static lw_status open_saver(lw_follower *follower)
{
    const lw_follower_options *options = &follower->options;
    const lw_mirror_saver_options saving = {
        .dir = options->state_dir,
        .clock = lw_loop_clock(options->loop),
        .logger = options->logger,
        .resource = options->kind->plural,
        .upstream = lw_str_of(options->upstream->identity),
        .path = lw_str_of(follower->path),
    };
    return lw_mirror_saver_open(&follower->saver, &saving);
}

static void run_questions(lw_task *task);

lw_status lw_follower_new(lw_follower **out, const lw_follower_options *options, lw_error *err)
{
    static const lw_backoff_options retry = {
        .base_ns = 100 * LW_NS_PER_MS, .cap_ns = 5 * LW_NS_PER_S, .factor = 2.0, .jitter = 0.5
    };
    uint64_t seed;
    lw_follower *follower = lw_alloc_zero(1, sizeof(*follower));
    if (!follower)
        return lw_error_nomem(err);
    follower->options = *options;
    follower->options.kind = lw_kind_ref(options->kind);
    follower->options.resource = lw_cache_resource_ref(options->resource);
    follower->wants_list = true;
    follower->timer.fire = timer_fired;
    follower->task.run = run_questions;
    lw_buf_init(&follower->error, LW_FOLLOWER_ERROR_MAX);
    lw_buf_init(&follower->page, LW_MIRROR_SOURCE_PATH_MAX);
    lw_dlist_init(&follower->arrived);
    lw_dlist_init(&follower->asked);
    lw_mutex_init(&follower->mu);
    lw_mutex_init(&follower->error_mu);
    follower->last_error = (lw_error)LW_ERROR_INIT;
    atomic_init(&follower->behind_since, now_of(follower));
    lw_entropy_seed(&seed, 1);
    lw_status st = lw_backoff_init(&follower->backoff, &retry, seed);
    if (st == LW_OK)
        st = make_path(follower);
    if (st == LW_OK)
        st = open_saver(follower);
    if (st < 0) {
        lw_follower_free(follower);
        return lw_error_nomem(err);
    }
    *out = follower;
    return LW_OK;
}

void lw_follower_move(lw_follower *follower)
{
    if (!follower->call || atomic_load(&follower->at->is_up) ||
        lw_upstreams_current(follower->options.upstream->addresses) == follower->at)
        return;
    lw_http_call_cancel(follower->call);
    follower->call = NULL;
    lw_follower__fail(follower, LW_ERR_UNAVAILABLE, "the address of the upstream does not answer");
}

void lw_follower_start(lw_follower *follower)
{
    lw_follower__load(follower);
    lw_follower__reconnect(follower);
}

static void destroy(lw_follower *follower)
{
    for (size_t i = 0; i < follower->count; i++)
        lw_object_unref(follower->objects[i]);
    lw_free(follower->objects);
    lw_packing_list_done(&follower->packing);
    for (size_t i = 0; i < follower->view_count; i++)
        lw_cache_resource_unref(follower->views[i].resource);
    lw_mirror_saver_done(&follower->saver);
    lw_list_reader_free(follower->list);
    lw_list_reader_free(follower->answer);
    lw_event_reader_free(follower->events);
    lw_event_reader_free(follower->probe_events);
    lw_buf_done(&follower->error);
    lw_buf_done(&follower->page);
    lw_mutex_done(&follower->mu);
    lw_mutex_done(&follower->error_mu);
    lw_cache_resource_unref(follower->options.resource);
    lw_kind_unref(follower->options.kind);
    lw_free(follower->path);
    lw_free(follower);
}

void lw_follower_free(lw_follower *follower)
{
    if (!follower)
        return;
    lw_http_call_cancel(follower->call);
    lw_follower__stop_asking(follower, LW_ERR_STOPPED, "the mirror does not follow it any more");
    lw_timer_cancel(follower->options.loop, &follower->timer);
    follower->is_freed = true;
    lw_mutex_lock(&follower->mu);
    bool is_posted = follower->is_task_posted;
    lw_mutex_unlock(&follower->mu);
    if (!is_posted)
        destroy(follower);
}

lw_status lw_follower_confirm(lw_follower *follower, lw_store_confirmation *question)
{
    lw_status st = LW_ERR_TOO_MANY;
    lw_mutex_lock(&follower->mu);
    if (follower->question_count < LW_FOLLOWER_QUESTIONS_MAX) {
        st = LW_OK;
        follower->question_count++;
        lw_dlist_push_back(&follower->arrived, &question->link);
        if (!follower->is_task_posted)
            lw_loop_post(follower->options.loop, &follower->task);
        follower->is_task_posted = true;
    }
    lw_mutex_unlock(&follower->mu);
    return st;
}

static void run_questions(lw_task *task)
{
    lw_follower *follower = LW_CONTAINER_OF(task, lw_follower, task);
    if (follower->is_freed) {
        destroy(follower);
        return;
    }
    lw_mutex_lock(&follower->mu);
    follower->is_task_posted = false;
    lw_mutex_unlock(&follower->mu);
    lw_follower__ask(follower);
}

void lw_follower_read_state(lw_follower *follower, int64_t now_ns, lw_follower_state *out)
{
    int64_t since = atomic_load(&follower->behind_since);
    *out = (lw_follower_state){
        .kind = follower->options.kind,
        .is_synced = atomic_load(&follower->is_synced),
        .is_absent = atomic_load(&follower->is_absent),
        .lag_ns = since > 0 && now_ns > since ? now_ns - since : 0,
        .revision = lw_cache_resource_revision(follower->options.resource),
        .lists = atomic_load(&follower->lists),
        .watches = atomic_load(&follower->watches),
        .changes = atomic_load(&follower->changes),
        .relists = atomic_load(&follower->relists),
        .resets = atomic_load(&follower->resets),
    };
    lw_mutex_lock(&follower->error_mu);
    out->last_error = follower->last_error;
    lw_mutex_unlock(&follower->error_mu);
}
