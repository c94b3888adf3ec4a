/* SPDX-License-Identifier: Apache-2.0 */
/* warm_state.c -- when the cache of an informer is saved, and which file belongs to it.
 *
 * The identity of a file has everything that determines its objects: the server and its CA, the
 * resource, the selectors, what is kept of an object, and the version that the program gives. */
#include "informer/warm_state.h"

#include <string.h>

#include "base/alloc.h"
#include "base/buf.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "base/sync.h"

enum {
    SERVER_SIZE = 4096,
    DUTY = 10, /* at most one part in this many of the time is spent on writing */
};

static const char component[] = "state";

static void say(const lw_warm_state *warm, lw_log_level level, const char *what, const char *why)
{
    lw_log(warm->log->logger, level, component, "%s: %s: %s", warm->log->resource, what, why);
}

void lw_warm_state_init(lw_warm_state *warm, const lw_warm_options *options,
                        const lw_informer_log *log)
{
    *warm = (lw_warm_state){ .options = options, .log = log };
}

void lw_warm_state_done(lw_warm_state *warm)
{
    if (warm->path && warm->options->dir)
        lw_state_dir_wait(warm->options->dir, &warm->slot);
    lw_free(warm->identity);
    lw_free(warm->path);
    warm->identity = NULL;
    warm->path = NULL;
}

/* The identity. */

static void append_paths(lw_buf *buf, const char *name, const char *const *paths)
{
    lw_buf_printf(buf, "%s:", name);
    for (; paths && *paths; paths++)
        lw_buf_printf(buf, " %s", *paths);
    lw_buf_append_char(buf, '\n');
}

static const char *text_of(const char *text)
{
    return text ? text : "";
}

static char *make_identity(const lw_warm_state *warm, const char *server,
                           const lw_source_spec *spec)
{
    lw_buf buf;
    lw_buf_init(&buf, LW_STATE_IDENTITY_MAX);
    lw_buf_printf(&buf, "server: %s\nresource: %s\nnamespace: %s\nlabels: %s\nfields: %s\n", server,
                  text_of(spec->resource), text_of(spec->ns), text_of(spec->label_selector),
                  text_of(spec->field_selector));
    lw_buf_printf(&buf, "metadata: %d\nmanaged: %d\nversion: %s\n", spec->is_metadata_only,
                  spec->read.keeps_managed_fields, warm->options->version);
    append_paths(&buf, "drop", spec->read.drop);
    append_paths(&buf, "keep", spec->read.keep);
    char *text = lw_buf_take_text(&buf);
    lw_buf_done(&buf);
    return text;
}

/* Returns false if the informer cannot be saved. */
static bool identify(lw_warm_state *warm, lw_provider *provider, const lw_source_spec *spec,
                     bool has_transform)
{
    char server[SERVER_SIZE];
    lw_error err = LW_ERROR_INIT;
    if (has_transform && warm->options->version[0] == '\0') {
        say(warm, LW_LOG_WARN, "the cache is not saved",
            "the informer has a transform function: set state_version, and change it when the "
            "function changes");
        return false;
    }
    if (!provider->ops->identity) {
        say(warm, LW_LOG_WARN, "the cache is not saved", "its source has no identity");
        return false;
    }
    if (provider->ops->identity(provider, server, sizeof(server), &err) < 0) {
        say(warm, LW_LOG_WARN, "the cache is not saved", err.message);
        return false;
    }
    warm->identity = make_identity(warm, server, spec);
    warm->path = warm->identity
                     ? lw_state_dir_path(warm->options->dir, spec->resource, warm->identity)
                     : NULL;
    if (!warm->path)
        say(warm, LW_LOG_WARN, "the cache is not saved", "out of memory");
    return warm->path != NULL;
}

/* Loading. */

static int64_t wall_s(const lw_warm_state *warm)
{
    return lw_clock_wall(warm->options->clock) / LW_NS_PER_S;
}

static bool is_too_old(const lw_warm_state *warm, const lw_state *state)
{
    int64_t now_s = wall_s(warm);
    return state->saved_s > now_s || now_s - state->saved_s > warm->options->max_age_s;
}

bool lw_warm_state_load(lw_warm_state *warm, lw_provider *provider, const lw_source *source,
                        const lw_source_spec *spec, bool has_transform, lw_compact_mode mode,
                        lw_saved_cache *out)
{
    lw_error err = LW_ERROR_INIT;
    warm->provider = provider;
    warm->source = source;
    if (!warm->options->dir || !identify(warm, provider, spec, has_transform))
        return false;
    lw_status st = lw_saved_cache_read(warm->path, lw_str_of(warm->identity), mode, out, &err);
    if (st == LW_ERR_NOT_FOUND)
        return false;
    if (st == LW_OK && is_too_old(warm, &out->state)) {
        lw_saved_cache_done(out);
        st = lw_error_set(&err, LW_ERR_INVALID, "it is too old, or from the future");
    }
    if (st < 0) {
        say(warm, LW_LOG_WARN, "the saved cache is ignored", err.message);
        return false;
    }
    memcpy(warm->saved_rv, out->state.resource_version, sizeof(warm->saved_rv));
    memcpy(warm->cluster, out->state.cluster, sizeof(warm->cluster));
    lw_log(warm->log->logger, LW_LOG_INFO, component,
           "%s: starts with %zu saved objects at resourceVersion %s", warm->log->resource,
           lw_replacement_count(out->objects), out->state.resource_version);
    return true;
}

/* Writes what is known about the cluster of the server. */
static void read_cluster(const lw_warm_state *warm, char *dst, size_t size)
{
    dst[0] = '\0';
    if (warm->provider && warm->provider->ops->cluster)
        warm->provider->ops->cluster(warm->provider, warm->source, dst, size);
}

bool lw_warm_state_is_same_cluster(lw_warm_state *warm)
{
    char now[LW_STATE_CLUSTER_MAX + 1];
    read_cluster(warm, now, sizeof(now));
    if (now[0] == '\0' || warm->cluster[0] == '\0' || strcmp(now, warm->cluster) == 0)
        return true;
    say(warm, LW_LOG_WARN, "the saved cache is ignored",
        "the server is another cluster than the one that it was saved from");
    warm->saved_rv[0] = '\0';
    return false;
}

/* Saving. */

static void see_result(lw_warm_state *warm)
{
    lw_status st = LW_OK;
    lw_error err = LW_ERROR_INIT;
    int64_t took_ns = 0;
    if (!lw_state_dir_result(warm->options->dir, &warm->slot, &st, &err, &took_ns))
        return;
    if (st < 0) {
        say(warm, LW_LOG_WARN, "the cache could not be saved", err.message);
        return;
    }
    memcpy(warm->saved_rv, warm->saving_rv, sizeof(warm->saved_rv));
    int64_t rest_ns = lw_clock_now(warm->options->clock) + took_ns * DUTY;
    if (warm->next_ns < rest_ns)
        warm->next_ns = rest_ns;
}

static bool is_saved(const lw_warm_state *warm, const char *rv)
{
    return rv[0] == '\0' || strlen(rv) > LW_STATE_RV_MAX || strcmp(rv, warm->saved_rv) == 0;
}

bool lw_warm_state_is_due(lw_warm_state *warm, const char *rv)
{
    if (!warm->path || lw_clock_now(warm->options->clock) < warm->next_ns)
        return false;
    if (lw_state_dir_is_busy(warm->options->dir, &warm->slot)) {
        warm->next_ns = lw_clock_now(warm->options->clock) + LW_NS_PER_S;
        return false;
    }
    see_result(warm);
    return !is_saved(warm, rv) && lw_clock_now(warm->options->clock) >= warm->next_ns;
}

int64_t lw_warm_state_deadline_ns(const lw_warm_state *warm, const char *rv)
{
    return warm->path && !is_saved(warm, rv) ? warm->next_ns : LW_NEVER_NS;
}

void lw_warm_state_save(lw_warm_state *warm, const lw_indexer *indexer, const char *rv)
{
    lw_snapshot *objects = NULL;
    lw_error err = LW_ERROR_INIT;
    read_cluster(warm, warm->cluster, sizeof(warm->cluster));
    const lw_state_facts facts = { .identity = lw_str_of(warm->identity),
                                   .resource_version = lw_str_of(rv),
                                   .cluster = lw_str_of(warm->cluster),
                                   .saved_s = wall_s(warm) };
    warm->next_ns = lw_clock_now(warm->options->clock) + warm->options->interval_s * LW_NS_PER_S;
    lw_status st = lw_snapshot_new(&objects, indexer);
    if (st < 0)
        (void)lw_error_nomem(&err);
    if (st == LW_OK) {
        const lw_state_objects saved = lw_saved_cache_objects_take(objects);
        st = lw_state_dir_save_take(warm->options->dir, &warm->slot, warm->path, &facts, &saved,
                                    &err);
    }
    if (st < 0)
        say(warm, LW_LOG_WARN, "the cache could not be saved", err.message);
    else
        (void)memcpy(warm->saving_rv, rv, strlen(rv) + 1);
}

void lw_warm_state_save_last(lw_warm_state *warm, const lw_indexer *indexer, const char *rv)
{
    if (!warm->path)
        return;
    lw_state_dir_wait(warm->options->dir, &warm->slot);
    see_result(warm);
    if (is_saved(warm, rv))
        return;
    lw_warm_state_save(warm, indexer, rv);
    lw_state_dir_wait(warm->options->dir, &warm->slot);
    see_result(warm);
}
