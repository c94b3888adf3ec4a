/* SPDX-License-Identifier: Apache-2.0 */
/* follower_list.c -- reads all objects of a resource, page by page. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "server/mirror/follower.h"

enum {
    OBJECTS_FIRST = 64,
};

static void drop_objects(lw_follower *follower)
{
    for (size_t i = 0; i < follower->count; i++)
        lw_object_unref(follower->objects[i]);
    lw_free(follower->objects);
    lw_packing_list_done(&follower->packing);
    follower->objects = NULL;
    follower->count = follower->cap = 0;
    lw_buf_reset(&follower->page);
}

/* Items of a typed list have neither kind nor apiVersion; what is served has both, first. */
static lw_status with_kind(const lw_kind *kind, const lw_object *obj, lw_object **out,
                           lw_error *err)
{
    static const lw_read_options everything = { .keeps_managed_fields = true };
    lw_str json = lw_object_json(obj);
    lw_buf text;
    if (lw_object_string(obj, "/kind", NULL)) {
        *out = lw_object_ref(obj);
        return LW_OK;
    }
    lw_buf_init(&text, LW_STORE_VALUE_MAX + 1024);
    lw_buf_printf(&text, "{\"kind\":\"%.*s\",\"apiVersion\":\"%.*s%s%.*s\",",
                  LW_STR_ARG(kind->kind), LW_STR_ARG(kind->group), kind->group.len > 0 ? "/" : "",
                  LW_STR_ARG(kind->version));
    lw_buf_append_str(&text, lw_str_skip(json, 1));
    lw_status st = text.st < 0
                       ? lw_error_nomem(err)
                       : lw_object_from_json_with(out, text.data, text.len, &everything, err);
    lw_buf_done(&text);
    return st;
}

/* Makes space for one more object. */
static lw_status reserve_object(lw_follower *follower, lw_error *err)
{
    if (follower->count < follower->cap)
        return LW_OK;
    size_t cap = follower->cap > 0 ? 2 * follower->cap : OBJECTS_FIRST;
    lw_object **grown = lw_realloc_array(follower->objects, cap, sizeof(*grown));
    if (!grown)
        return lw_error_nomem(err);
    follower->objects = grown;
    follower->cap = cap;
    return LW_OK;
}

static lw_status take_object(const lw_object *obj, void *arg, lw_error *err)
{
    lw_follower *follower = arg;
    lw_object *typed = NULL;
    lw_status st = reserve_object(follower, err);
    if (st == LW_OK)
        st = with_kind(follower->options.kind, obj, &typed, err);
    if (st < 0)
        return st;
    follower->objects[follower->count++] =
        lw_packing_list_take(&follower->packing, follower->options.resource, typed);
    lw_object_unref(typed);
    return LW_OK;
}

static void on_head(lw_http_call *call, int status, const lw_http_header *headers, size_t count,
                    void *arg)
{
    lw_follower *follower = arg;
    (void)call;
    (void)headers;
    (void)count;
    follower->status = status;
    if (status == 200)
        lw_upstream_answered(follower->at);
    lw_buf_reset(&follower->error);
}

static void on_data(lw_http_call *call, const char *bytes, size_t len, void *arg)
{
    lw_follower *follower = arg;
    int64_t until = lw_loop_now(follower->options.loop) + LW_FOLLOWER_ANSWER_S * LW_NS_PER_S;
    (void)lw_timer_set(follower->options.loop, &follower->timer, until);
    if (follower->status != 200) {
        lw_buf_append(&follower->error, bytes, len);
        return;
    }
    if (lw_list_reader_feed(follower->list, bytes, len, &follower->failure) < 0) {
        lw_http_call_cancel(call);
        follower->call = NULL;
        drop_objects(follower);
        lw_follower__fail(follower, follower->failure.code, follower->failure.message);
    }
}

/* Feeds what has been read. */
static lw_status feed_objects(lw_follower *follower)
{
    lw_status st = lw_feed_replace(follower->options.resource, follower->objects, follower->count,
                                   follower->list_revision);
    if (st == LW_OK)
        st = lw_follower__replace_views(follower, NULL);
    drop_objects(follower);
    return st;
}

/* All pages are read. */
static void finish_list(lw_follower *follower)
{
    uint64_t before = lw_cache_resource_revision(follower->options.resource);
    size_t count = follower->count;
    lw_status st = feed_objects(follower);
    if (st < 0) {
        lw_follower__fail(follower, st,
                          st == LW_ERR_NOMEM ? "out of memory for the objects of the upstream"
                                             : "the upstream sent an object without a name or a "
                                               "numeric resourceVersion");
        return;
    }
    if (follower->is_abandoned) {
        atomic_fetch_add(&follower->resets, 1);
    } else if (before > follower->list_revision) {
        atomic_fetch_add(&follower->resets, 1);
        lw_log(follower->options.logger, LW_LOG_WARN, "mirror",
               "%.*s: the upstream is at revision %" PRIu64 ", before %" PRIu64
               ": it was restored from a backup; clients must list again",
               LW_STR_ARG(follower->options.kind->plural), follower->list_revision, before);
    } else if (atomic_load(&follower->is_synced)) {
        atomic_fetch_add(&follower->relists, 1);
    }
    lw_log(follower->options.logger, LW_LOG_DEBUG, "mirror",
           "%.*s: %zu objects at revision %" PRIu64, LW_STR_ARG(follower->options.kind->plural),
           count, follower->list_revision);
    follower->wants_list = follower->is_warm = follower->is_abandoned = false;
    follower->is_fresh = true;
    lw_mirror_saver_listed(&follower->saver, follower->options.resource);
    if (follower->options.fed)
        follower->options.fed(follower->options.arg);
    atomic_store(&follower->is_absent, false);
    atomic_store(&follower->is_synced, true);
    lw_follower__go_on(follower);
    follower->options.changed(follower->options.arg);
}

static void next_page(lw_follower *follower);

static void page_over(lw_follower *follower)
{
    lw_status st = lw_list_reader_finish(follower->list, &follower->failure);
    const lw_list_metadata *metadata = lw_list_reader_metadata(follower->list);
    uint64_t revision = 0;
    if (st == LW_OK &&
        (!lw_str_to_uint64(lw_str_of(metadata->resource_version), &revision) || revision == 0))
        st = lw_error_set(&follower->failure, LW_ERR_INVALID,
                          "the upstream sent a list without a numeric resourceVersion");
    if (st < 0) {
        drop_objects(follower);
        lw_follower__fail(follower, st, follower->failure.message);
        return;
    }
    follower->list_revision = revision;
    lw_buf_reset(&follower->page);
    lw_buf_append_text(&follower->page, metadata->continue_token);
    if (follower->page.len > 0 && follower->page.st == LW_OK)
        next_page(follower);
    else
        finish_list(follower);
}

static void on_close(lw_http_call *call, const lw_error *err, void *arg)
{
    lw_follower *follower = arg;
    (void)call;
    follower->call = NULL;
    lw_timer_cancel(follower->options.loop, &follower->timer);
    if (!err && follower->status == 200) {
        page_over(follower);
        return;
    }
    drop_objects(follower);
    if (err)
        lw_follower__fail(follower, err->code, err->message);
    else
        lw_follower__fail_reply(follower);
}

static lw_status make_reader(lw_follower *follower)
{
    const lw_list_reader_options options = { .read = { .keeps_managed_fields = true },
                                             .on_object = take_object,
                                             .arg = follower };
    if (!follower->list)
        return lw_list_reader_new(&follower->list, &options, &follower->failure);
    lw_list_reader_reset(follower->list);
    return LW_OK;
}

static void next_page(lw_follower *follower)
{
    const lw_http_call_sink sink = { on_head, on_data, NULL, on_close, follower };
    const lw_follower_options *options = &follower->options;
    char limit[16];
    lw_buf path;
    int64_t until = lw_clock_now(lw_loop_clock(options->loop)) + LW_FOLLOWER_ANSWER_S * LW_NS_PER_S;
    lw_buf_init(&path, LW_MIRROR_SOURCE_PATH_MAX);
    lw_buf_append_text(&path, follower->path);
    (void)snprintf(limit, sizeof(limit), "%d", LW_FOLLOWER_PAGE);
    lw_mirror_source_append_parameter(&path, "limit", lw_str_of(limit));
    if (follower->page.len > 0)
        lw_mirror_source_append_parameter(&path, "continue", lw_buf_view(&follower->page));
    follower->failure = (lw_error)LW_ERROR_INIT;
    follower->status = 0;
    follower->at = lw_upstreams_current(options->upstream->addresses);
    lw_status st = path.st < 0 ? lw_error_nomem(&follower->failure) : make_reader(follower);
    if (st == LW_OK)
        st = lw_mirror_source_get(options->upstream, follower->at, options->client,
                                  lw_buf_view(&path), LW_STR("application/json"), 0, &sink,
                                  &follower->call, &follower->failure);
    lw_buf_done(&path);
    if (st == LW_OK)
        st = lw_timer_set(options->loop, &follower->timer, until);
    if (st < 0) {
        lw_http_call_cancel(follower->call);
        follower->call = NULL;
        drop_objects(follower);
        lw_follower__fail(follower, st, follower->failure.message);
    }
}

void lw_follower__list(lw_follower *follower)
{
    drop_objects(follower);
    follower->stage = LW_FOLLOWER_LISTING;
    atomic_fetch_add(&follower->lists, 1);
    next_page(follower);
}

/* Takes an object of the file, which has its kind. */
static lw_status take_saved(const lw_object *obj, void *arg, lw_error *err)
{
    lw_follower *follower = arg;
    lw_status st = reserve_object(follower, err);
    if (st < 0)
        return st;
    lw_object *taken = lw_cache_packing_take_saved(follower->options.resource, obj);
    if (!taken)
        return lw_error_nomem(err);
    follower->objects[follower->count++] = taken;
    return LW_OK;
}

void lw_follower__load(lw_follower *follower)
{
    const lw_saved_sink sink = { .on_object = take_saved,
                                 .compact = lw_cache_packer_options,
                                 .arg = follower };
    lw_compact *packer = NULL;
    if (!lw_mirror_saver_load(&follower->saver, &sink, &follower->list_revision, &packer)) {
        drop_objects(follower);
        return;
    }
    lw_cache_packing_adopt_take(follower->options.resource, packer);
    size_t count = follower->count;
    if (feed_objects(follower) < 0) {
        lw_log(follower->options.logger, LW_LOG_WARN, "mirror",
               "%.*s: the saved state is ignored: it does not fit into memory, or an object in it "
               "has no name or no numeric resourceVersion",
               LW_STR_ARG(follower->options.kind->plural));
        return;
    }
    lw_log(follower->options.logger, LW_LOG_INFO, "mirror",
           "%.*s: starts with %zu saved objects at revision %" PRIu64,
           LW_STR_ARG(follower->options.kind->plural), count, follower->list_revision);
    follower->wants_list = false;
    follower->is_warm = true;
    if (follower->options.fed)
        follower->options.fed(follower->options.arg);
}
