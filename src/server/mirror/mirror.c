/* SPDX-License-Identifier: Apache-2.0 */
/* mirror.c -- the followers of a mirror and their thread. */
#include "server/mirror/mirror.h"

#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "server/mirror/mirror_internal.h"

enum {
    NAME_MAX_BYTES = 512,
};

#define DEFAULT_HISTORY_BYTES (UINT64_C(64) << 20)

static bool keep(char **out, const char *text)
{
    if (!text || !*text)
        return true;
    *out = lw_str_dup(lw_str_of(text));
    return *out != NULL;
}

void lw_mirror__start_followers(lw_mirror *mirror)
{
    if (mirror->is_started)
        return;
    mirror->is_started = true;
    for (size_t i = 0; i < LW_MIRROR_RESOURCES_MAX; i++) {
        if (mirror->followers[i])
            lw_follower_start(mirror->followers[i]);
    }
    lw_mirror__save_start(mirror);
    lw_mirror__probe_start(mirror);
}

static void run_start(lw_task *task)
{
    lw_mirror__cluster_start(LW_DLIST_ITEM(&task->link, lw_mirror, start.link));
}

lw_status lw_mirror_open(lw_mirror **out, const lw_server_mirror *options, uint64_t history_bytes,
                         const char *state_dir, const lw_clock *clock, const lw_logger *logger,
                         lw_error *err)
{
    lw_mirror *mirror = lw_alloc_zero(1, sizeof(*mirror));
    if (!mirror)
        return lw_error_nomem(err);
    mirror->clock = clock;
    mirror->logger = logger;
    mirror->max_lag_ns = options->max_lag_s * LW_NS_PER_S;
    mirror->history_bytes = history_bytes > 0 ? history_bytes : DEFAULT_HISTORY_BYTES;
    mirror->start.run = run_start;
    lw_mutex_init(&mirror->mu);
    lw_cond_init(&mirror->changed);
    lw_rwlock_init(&mirror->lock);
    lw_status st =
        keep(&mirror->resources, options->resources) && keep(&mirror->ns, options->ns) &&
                keep(&mirror->label_selector, options->label_selector) &&
                keep(&mirror->field_selector, options->field_selector)
            ? lw_mirror_source_open(&mirror->upstream, options->kubeconfig, options->servers, err)
            : lw_error_nomem(err);
    if (st == LW_OK && options->views_file)
        st = lw_mirror_views_read(&mirror->views, options->views_file, err);
    if (st == LW_OK && state_dir)
        st = lw_state_dir_open(&mirror->state_dir, state_dir, err);
    if (st == LW_OK)
        st = lw_loop_new(&mirror->loop, clock, err);
    if (st < 0)
        lw_mirror_free(mirror);
    else
        *out = mirror;
    return st;
}

bool lw_mirror__is_named(const lw_kind *kind, lw_str name)
{
    char text[NAME_MAX_BYTES];
    const char *dot = kind->group.len > 0 ? "." : "";
    int len = snprintf(text, sizeof(text), "%.*s%s%.*s", LW_STR_ARG(kind->plural), dot,
                       LW_STR_ARG(kind->group));
    if (len > 0 && lw_str_equal(name, lw_str_make(text, (size_t)len)))
        return true;
    len = snprintf(text, sizeof(text), "%.*s.%.*s%s%.*s", LW_STR_ARG(kind->plural),
                   LW_STR_ARG(kind->version), dot, LW_STR_ARG(kind->group));
    return len > 0 && lw_str_equal(name, lw_str_make(text, (size_t)len));
}

static bool can_be_mirrored(const lw_kind *kind)
{
    return kind->storage.len > 0 && !kind->stored_as && !kind->custom &&
           (kind->verbs & LW_VERB_LIST) && (kind->verbs & LW_VERB_WATCH);
}

static void follower_changed(void *arg)
{
    lw_mirror *mirror = arg;
    lw_mutex_lock(&mirror->mu);
    mirror->is_changed = true;
    lw_cond_broadcast(&mirror->changed);
    lw_mutex_unlock(&mirror->mu);
}

static void share_history(lw_mirror *mirror)
{
    uint64_t each = mirror->count > 0 ? mirror->history_bytes / mirror->count : 0;
    for (size_t i = 0; i < LW_MIRROR_RESOURCES_MAX; i++) {
        if (mirror->followers[i])
            mirror->followers[i]->options.history_bytes =
                each > LW_MIRROR_HISTORY_MIN ? each : LW_MIRROR_HISTORY_MIN;
    }
}

static lw_status free_place(lw_mirror *mirror, size_t *at, lw_error *err)
{
    for (*at = 0; *at < LW_MIRROR_RESOURCES_MAX && mirror->followers[*at];)
        ++*at;
    if (*at == LW_MIRROR_RESOURCES_MAX)
        return lw_error_set(err, LW_ERR_LIMIT, "a mirror has at most %d resources",
                            LW_MIRROR_RESOURCES_MAX);
    lw_http_client **client = &mirror->clients[*at / LW_MIRROR_PER_CLIENT];
    return *client ? LW_OK : lw_http_client_new(client, mirror->loop, err);
}

lw_status lw_mirror__add(lw_mirror *mirror, const lw_kind *kind, unsigned flags, lw_error *err)
{
    size_t at;
    bool is_guide = flags & LW_MIRROR_DEFINITIONS, is_hidden = flags & LW_MIRROR_HIDDEN;
    lw_status st = free_place(mirror, &at, err);
    if (st < 0)
        return st;
    const lw_follower_options options = {
        .kind = kind,
        .resource = lw_api_resource(mirror->api, kind),
        .upstream = &mirror->upstream,
        .loop = mirror->loop,
        .client = mirror->clients[at / LW_MIRROR_PER_CLIENT],
        .ns = lw_str_of(mirror->ns),
        /* All definitions are needed. */
        .label_selector = lw_str_of(is_guide ? NULL : mirror->label_selector),
        .field_selector = lw_str_of(is_guide ? NULL : mirror->field_selector),
        .state_dir = mirror->state_dir,
        .logger = mirror->logger,
        .changed = follower_changed,
        .fed = is_guide ? lw_mirror__follow_definitions : NULL,
        .may_connect = lw_mirror__may_connect,
        .lost = lw_mirror__lost,
        .arg = mirror,
        .is_hidden = is_hidden,
    };
    lw_follower *follower = NULL;
    lw_feed_init(options.resource);
    st = lw_follower_new(&follower, &options, err);
    if (st == LW_OK && !is_hidden)
        st = lw_mirror__add_views(mirror, follower, err);
    if (st < 0) {
        lw_follower_free(follower);
        return st;
    }
    lw_rwlock_write(&mirror->lock);
    mirror->followers[at] = follower;
    mirror->count++;
    lw_rwlock_unlock(&mirror->lock);
    share_history(mirror);
    if (mirror->is_started)
        lw_follower_start(follower);
    return LW_OK;
}

void lw_mirror__remove(lw_mirror *mirror, size_t at)
{
    lw_follower *follower = mirror->followers[at];
    lw_rwlock_write(&mirror->lock);
    mirror->followers[at] = NULL;
    mirror->count--;
    lw_rwlock_unlock(&mirror->lock);
    lw_mirror__remove_views(follower);
    lw_follower_free(follower);
    share_history(mirror);
}

/* Adds a built-in kind, unless it has been named before. */
static lw_status add_built_in(lw_mirror *mirror, const lw_kind *kind, lw_error *err)
{
    bool is_guide = kind == &lw_kind_customresourcedefinitions;
    if (lw_mirror__find(mirror, lw_api_resource(mirror->api, kind)))
        return LW_OK;
    return lw_mirror__add(mirror, kind, is_guide ? LW_MIRROR_DEFINITIONS : 0, err);
}

/* Adds the resource |name|, or leaves it to the definitions of custom resources.  LW_ERR_INVALID:
 * it can be neither. */
static lw_status add_named(lw_mirror *mirror, const lw_registry *registry, lw_str name,
                           lw_error *err)
{
    size_t count = 0;
    const lw_kind *const *kinds = lw_registry_kinds(registry, &count);
    for (size_t i = 0; i < count; i++) {
        if (can_be_mirrored(kinds[i]) && lw_mirror__is_named(kinds[i], name))
            return add_built_in(mirror, kinds[i], err);
    }
    if (memchr(name.ptr, '.', name.len)) {
        mirror->has_custom = true;
        return LW_OK;
    }
    return lw_error_set(err, LW_ERR_INVALID,
                        "\"%.*s\" cannot be mirrored: use the plural name of a resource with its "
                        "group, e.g. pods, deployments.apps or websites.example.com",
                        LW_STR_ARG(name));
}

static lw_status choose(lw_mirror *mirror, const lw_registry *registry, lw_error *err)
{
    lw_status st = LW_OK;
    if (mirror->resources) {
        lw_str rest = lw_str_of(mirror->resources), name;
        while (st == LW_OK && rest.len > 0) {
            (void)lw_str_cut(rest, ',', &name, &rest);
            name = lw_str_trim(name);
            if (name.len > 0)
                st = add_named(mirror, registry, name, err);
        }
        return st;
    }
    size_t count = 0;
    const lw_kind *const *kinds = lw_registry_kinds(registry, &count);
    mirror->has_custom = true;
    for (size_t i = 0; i < count && st == LW_OK; i++) {
        if (can_be_mirrored(kinds[i]) && (!mirror->ns || kinds[i]->is_namespaced))
            st = add_built_in(mirror, kinds[i], err);
    }
    return st;
}

/* Follows the definitions of custom resources as well, if some are wanted. */
static lw_status add_guide(lw_mirror *mirror, lw_error *err)
{
    const lw_kind *kind = &lw_kind_customresourcedefinitions;
    if (!mirror->has_custom || lw_mirror__find(mirror, lw_api_resource(mirror->api, kind)))
        return LW_OK;
    return lw_mirror__add(mirror, kind, LW_MIRROR_DEFINITIONS | LW_MIRROR_HIDDEN, err);
}

lw_status lw_mirror_attach(lw_mirror *mirror, lw_api *api, lw_error *err)
{
    mirror->api = api;
    lw_registry *registry = lw_catalog_get_ref(&api->catalog);
    lw_status st = choose(mirror, registry, err);
    lw_registry_unref(registry);
    if (st == LW_OK)
        st = add_guide(mirror, err);
    if (st == LW_OK && mirror->count == 0)
        st = lw_error_set(err, LW_ERR_INVALID, "there is nothing to mirror: name resources");
    return st < 0 ? st : lw_mirror__check_views(mirror, err);
}

/* Sets |*is_done| when every resource has been read, or cannot be; or returns why a named one
 * cannot be. */
static lw_status look_at(lw_mirror *mirror, lw_follower *follower, bool *is_done,
                         lw_follower_state *behind, lw_error *err)
{
    lw_follower_state state;
    lw_follower_read_state(follower, 0, &state);
    if (state.is_synced)
        return LW_OK;
    if (state.is_absent && (mirror->resources || state.last_error.code == LW_ERR_UNAUTHORIZED))
        return lw_error_set(err, state.last_error.code, "%.*s cannot be read from %s: %s",
                            LW_STR_ARG(state.kind->plural), mirror->upstream.config.url,
                            state.last_error.message);
    if (!state.is_absent) {
        *is_done = false;
        behind->last_error = state.last_error;
        (void)snprintf(mirror->behind, sizeof(mirror->behind), "%.*s",
                       LW_STR_ARG(state.kind->plural));
    }
    return LW_OK;
}

static lw_status look(lw_mirror *mirror, bool *is_done, lw_follower_state *behind, lw_error *err)
{
    lw_status st = LW_OK;
    *is_done = true;
    lw_rwlock_read(&mirror->lock);
    for (size_t i = 0; i < LW_MIRROR_RESOURCES_MAX && st == LW_OK; i++) {
        if (mirror->followers[i])
            st = look_at(mirror, mirror->followers[i], is_done, behind, err);
    }
    lw_rwlock_unlock(&mirror->lock);
    return st;
}

static lw_status wait_until_read(lw_mirror *mirror, lw_error *err)
{
    int64_t deadline = lw_clock_now(lw_clock_system()) + LW_MIRROR_START_S * LW_NS_PER_S;
    bool is_done = false, is_in_time = true;
    lw_status st = LW_OK;
    lw_follower_state behind = { .kind = NULL };
    while (st == LW_OK && !is_done && is_in_time) {
        lw_mutex_lock(&mirror->mu);
        while (!mirror->is_changed && is_in_time)
            is_in_time = lw_cond_wait_until(&mirror->changed, &mirror->mu, deadline);
        mirror->is_changed = false;
        lw_mutex_unlock(&mirror->mu);
        st = look(mirror, &is_done, &behind, err);
    }
    if (st == LW_OK && !is_done)
        st = lw_error_set(err, LW_ERR_UNAVAILABLE, "%s could not be read from %s in %d seconds: %s",
                          mirror->behind, mirror->upstream.config.url, LW_MIRROR_START_S,
                          behind.last_error.code < 0 ? behind.last_error.message
                                                     : "the list is not complete");
    return st;
}

static void run_loop(void *arg)
{
    lw_mirror *mirror = arg;
    lw_error err = LW_ERROR_INIT;
    if (lw_loop_run(mirror->loop, &err) < 0)
        lw_log(mirror->logger, LW_LOG_ERROR, "mirror", "the event loop failed: %s", err.message);
}

lw_status lw_mirror_start(lw_mirror *mirror, lw_error *err)
{
    lw_loop_post(mirror->loop, &mirror->start);
    lw_status st = lw_thread_start(&mirror->thread, "lw-mirror", run_loop, mirror, err);
    mirror->is_running = st == LW_OK;
    return st < 0 ? st : wait_until_read(mirror, err);
}

void lw_mirror_stop(lw_mirror *mirror)
{
    if (!mirror || !mirror->is_running)
        return;
    lw_loop_stop(mirror->loop);
    lw_thread_join(&mirror->thread);
    mirror->is_running = false;
    for (size_t i = 0; i < LW_MIRROR_RESOURCES_MAX; i++) {
        if (mirror->followers[i])
            lw_follower__stop_asking(mirror->followers[i], LW_ERR_STOPPED,
                                     "the mirror is shutting down");
    }
    lw_mirror__save_last(mirror);
}

void lw_mirror_free(lw_mirror *mirror)
{
    if (!mirror)
        return;
    lw_mirror_stop(mirror);
    for (size_t i = 0; i < LW_MIRROR_RESOURCES_MAX; i++)
        lw_follower_free(mirror->followers[i]);
    for (size_t i = 0; i < LW_MIRROR_CLIENTS_MAX; i++)
        lw_http_client_free(mirror->clients[i]);
    lw_http_client_free(mirror->prober);
    lw_mirror__cluster_done(mirror);
    lw_state_dir_close(mirror->state_dir);
    lw_loop_free(mirror->loop);
    lw_mirror_source_done(&mirror->upstream);
    lw_cond_done(&mirror->changed);
    lw_mutex_done(&mirror->mu);
    lw_rwlock_done(&mirror->lock);
    lw_mirror_views_free(mirror->views);
    lw_free(mirror->resources);
    lw_free(mirror->ns);
    lw_free(mirror->label_selector);
    lw_free(mirror->field_selector);
    lw_free(mirror);
}

static lw_status confirm(void *arg, lw_cache_resource *resource, lw_store_confirmation *question)
{
    lw_mirror *mirror = arg;
    lw_rwlock_read(&mirror->lock);
    lw_follower *follower = lw_mirror__find(mirror, resource);
    lw_status st = follower ? lw_follower_confirm(follower, question) : LW_ERR_STOPPED;
    lw_rwlock_unlock(&mirror->lock);
    return st;
}

static int64_t lag_of(void *arg, const lw_cache_resource *resource)
{
    lw_mirror *mirror = arg;
    lw_rwlock_read(&mirror->lock);
    lw_follower *follower = lw_mirror__find(mirror, resource);
    int64_t since = follower ? atomic_load(&follower->behind_since) : 0;
    lw_rwlock_unlock(&mirror->lock);
    return since > 0 ? lw_clock_now(mirror->clock) - since : 0;
}

lw_api_upstream lw_mirror_upstream_hooks(lw_mirror *mirror)
{
    return (lw_api_upstream){ confirm, lag_of, lw_mirror__view_ref, mirror };
}

const lw_mirror_source *lw_mirror_upstream(const lw_mirror *mirror)
{
    return &mirror->upstream;
}

bool lw_mirror_is_complete(const lw_mirror *mirror)
{
    return !mirror->label_selector && !mirror->field_selector;
}

bool lw_mirror_is_too_old(const lw_mirror *mirror, int64_t lag_ns)
{
    return mirror->max_lag_ns > 0 && lag_ns > mirror->max_lag_ns;
}

/* A custom resource is mirrored in one version. */
static bool is_mirrored(const lw_mirror *mirror, const lw_follower *follower, const lw_kind *kind,
                        lw_str ns)
{
    if (follower->options.is_hidden ||
        (kind->custom && !lw_str_equal(kind->version, follower->options.kind->version)))
        return false;
    return !mirror->ns || !kind->is_namespaced || lw_str_equal(ns, lw_str_of(mirror->ns));
}

lw_mirror_verdict lw_mirror_judge(lw_mirror *mirror, const lw_kind *kind, lw_str ns,
                                  int64_t *lag_ns)
{
    lw_follower_state state = { .is_synced = false };
    *lag_ns = 0;
    lw_rwlock_read(&mirror->lock);
    lw_follower *follower = lw_mirror__find(mirror, lw_api_resource(mirror->api, kind));
    if (follower && is_mirrored(mirror, follower, kind, ns))
        lw_follower_read_state(follower, lw_clock_now(mirror->clock), &state);
    lw_rwlock_unlock(&mirror->lock);
    *lag_ns = state.lag_ns;
    if (!state.is_synced)
        return LW_MIRROR_PASS;
    return lw_mirror_is_too_old(mirror, state.lag_ns) ? LW_MIRROR_TOO_OLD : LW_MIRROR_LOCAL;
}

int64_t lw_mirror_lag(lw_mirror *mirror, char *resource, size_t size)
{
    int64_t longest = 0, now = lw_clock_now(mirror->clock);
    lw_follower_state state;
    resource[0] = '\0';
    lw_rwlock_read(&mirror->lock);
    for (size_t i = 0; i < LW_MIRROR_RESOURCES_MAX; i++) {
        if (!mirror->followers[i])
            continue;
        lw_follower_read_state(mirror->followers[i], now, &state);
        if (state.is_absent || state.lag_ns <= longest)
            continue;
        longest = state.lag_ns;
        (void)snprintf(resource, size, "%.*s", LW_STR_ARG(state.kind->plural));
    }
    lw_rwlock_unlock(&mirror->lock);
    return longest;
}
