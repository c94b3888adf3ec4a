/* SPDX-License-Identifier: Apache-2.0 */
/* shared_informer.c -- one informer: its parts, and what a turn does.
 *
 *   source ─▶ reflector ─▶ queue ─▶ controller ─▶ indexer (listers read here)
 *                                        └──────▶ processor ─▶ handlers
 *
 * Threads: source to controller are used only in a turn of the factory; indexer and processor have
 * their own locks; at the end of each turn, results for other threads are stored under |mu|. */
#include "informer/shared_informer.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "informer/source_spec.h"
#include "informer/source_union.h"

enum {
    OPEN_RETRY_S = 1,
};

static lw_status make_parts(lw_informer *informer, lw_error *err)
{
    const lw_delta_fifo_options queue = { .is_by_key = informer->host.is_by_key };
    if (lw_indexer_new(&informer->indexer) < 0 || lw_delta_fifo_new(&informer->fifo, &queue) < 0)
        return lw_error_nomem(err);
    const lw_processor_options options = { .indexer = informer->indexer,
                                           .clock = informer->host.clock,
                                           .resync_s = informer->key.resync_s,
                                           .cancel = informer->host.cancel,
                                           .wake = informer->host.wake,
                                           .on_synced = informer->host.on_synced,
                                           .arg = informer->host.arg };
    lw_status st = lw_processor_new(&informer->processor, &options, err);
    informer->controller = (lw_controller){ .fifo = informer->fifo,
                                            .indexer = informer->indexer,
                                            .processor = informer->processor,
                                            .is_by_key = informer->host.is_by_key };
    return st;
}

lw_status lw_informer__new(lw_informer **out, const lw_informer_key *key,
                           const lw_informer_host *host, lw_error *err)
{
    lw_informer *informer = lw_alloc_zero(1, sizeof(*informer));
    if (!informer)
        return lw_error_nomem(err);
    lw_mutex_init(&informer->mu);
    lw_dlist_init(&informer->path_indexes);
    atomic_init(&informer->is_synced, false);
    atomic_init(&informer->is_dropped, false);
    informer->host = *host;
    informer->key = *key;
    lw_packing_init(&informer->packing, key->packing);
    informer->last_byte_ns = -1;
    informer->stats.sync_ns = -1;
    informer->last_error = (lw_error)LW_ERROR_INIT;
    lw_status st = lw_source_spec_copy(&informer->key.spec, &key->spec);
    if (st < 0) {
        informer->key.spec = (lw_source_spec){ 0 };
        (void)lw_error_nomem(err);
    } else {
        informer->log =
            (lw_informer_log){ .logger = host->logger, .resource = informer->key.spec.resource };
        lw_warm_state_init(&informer->warm, host->warm, &informer->log);
        st = make_parts(informer, err);
    }
    if (st < 0) {
        lw_informer__free(informer);
        return st;
    }
    *out = informer;
    return LW_OK;
}

/* Returns the resourceVersion that describes the cache; "" if changes are still queued, or if a
 * handler might never get some that are in the cache. */
static const char *saveable_rv(const lw_informer *informer)
{
    if (!informer->reflector || !atomic_load(&informer->is_synced) ||
        lw_delta_fifo_count(informer->fifo) > 0 || informer->controller.is_broken)
        return "";
    const char *rv = lw_reflector_resource_version(informer->reflector);
    return informer->host.warm->tells_changes && strcmp(rv, informer->told_rv) != 0 ? "" : rv;
}

void lw_informer__free(lw_informer *informer)
{
    if (!informer)
        return;
    lw_processor_free(informer->processor);
    if (informer->warm.path)
        lw_warm_state_save_last(&informer->warm, informer->indexer, saveable_rv(informer));
    lw_warm_state_done(&informer->warm);
    lw_reflector_free(informer->reflector);
    if (informer->source)
        informer->source->ops->free(informer->source);
    lw_delta_fifo_free(informer->fifo);
    lw_indexer_free(informer->indexer);
    lw_packing_done(&informer->packing);
    LW_DLIST_FOR_EACH_SAFE(lw_path_index, index, &informer->path_indexes, link)
    {
        lw_dlist_remove(&index->link);
        lw_path_index_free(index);
    }
    lw_source_spec_done(&informer->key.spec);
    lw_mutex_done(&informer->mu);
    lw_free(informer);
}

bool lw_informer__has_key(const lw_informer *informer, const lw_informer_key *key)
{
    return informer->key.resync_s == key->resync_s && informer->key.packing == key->packing &&
           informer->key.transform == key->transform &&
           informer->key.transform_arg == key->transform_arg &&
           lw_source_spec_equal(&informer->key.spec, &key->spec);
}

/* Callbacks of the reflector. */

static const lw_object *known(lw_key key, void *arg)
{
    const lw_informer *informer = arg;
    return lw_indexer_borrow(informer->indexer, key);
}

static lw_object *transform(const lw_object *obj, void *arg)
{
    const lw_informer *informer = arg;
    return informer->key.transform(obj, informer->key.transform_arg);
}

static lw_status collect(lw_replacement *state, const lw_object *obj, void *arg)
{
    lw_informer *informer = arg;
    lw_object *packed = lw_packing_pack(&informer->packing, obj, lw_replacement_count(state));
    lw_status st = lw_indexer_collect(informer->indexer, state, obj, packed);
    lw_object_unref(packed);
    return st;
}

static bool is_same_cluster(void *arg)
{
    lw_informer *informer = arg;
    return lw_warm_state_is_same_cluster(&informer->warm);
}

static void tell_state(lw_informer *informer, lw_informer_state state, const lw_error *err)
{
    if (informer->host.on_state)
        informer->host.on_state(informer, state, err, informer->host.state_arg);
}

static void on_error(const lw_error *err, void *arg)
{
    lw_informer *informer = arg;
    if (lw_informer_log_error(&informer->log, err, lw_clock_now(informer->host.clock)))
        tell_state(informer,
                   err->code == LW_ERR_EXPIRED ? LW_INFORMER_EXPIRED : LW_INFORMER_FAILING, err);
}

static const char *taken_revision(const void *arg)
{
    return lw_reflector_resource_version(arg);
}

/* A turn. */

static lw_status open_source(lw_informer *informer, lw_error *err)
{
    lw_provider *provider = informer->host.provider;
    lw_status st = LW_OK;
    bool is_union = lw_source_union_is_wanted(&informer->key.spec);
    if (!informer->source)
        st = (is_union ? lw_source_union_open : provider->ops->open)(provider, &informer->key.spec,
                                                                     &informer->source, err);
    if (st < 0)
        return st;
    const lw_reflector_options options = { .source = informer->source,
                                           .fifo = informer->fifo,
                                           .known = known,
                                           .transform = informer->key.transform ? transform : NULL,
                                           .collect = collect,
                                           .is_same_cluster = is_same_cluster,
                                           .on_error = on_error,
                                           .arg = informer,
                                           .page_size = informer->host.page_size,
                                           .backoff_min_ms = informer->host.backoff_min_ms,
                                           .backoff_max_ms = informer->host.backoff_max_ms,
                                           .bounds = informer->host.bounds,
                                           .lists_only = informer->host.lists_only || is_union,
                                           .health = informer->host.health,
                                           .clock = informer->host.clock };
    st = lw_reflector_new(&informer->reflector, &options, err);
    if (st == LW_OK && is_union)
        lw_source_union_follow(informer->source, taken_revision, informer->reflector);
    return st;
}

/* Starts with the saved objects, if there are any: readers have them at once, handlers get them
 * when the server has accepted them. */
static void load_state(lw_informer *informer)
{
    lw_saved_cache saved;
    const lw_warm_options *options = informer->host.warm;
    if (lw_source_union_is_wanted(&informer->key.spec))
        return; /* each namespace has a revision of its own */
    if (!lw_warm_state_load(&informer->warm, informer->host.provider, informer->source,
                            &informer->key.spec, informer->key.transform != NULL,
                            informer->packing.mode, &saved))
        return;
    lw_packing_adopt_take(&informer->packing, saved.state.packer);
    saved.state.packer = NULL;
    if (lw_indexer_replace(informer->indexer, lw_replacement_objects(saved.objects),
                           lw_replacement_count(saved.objects), NULL, NULL) < 0) {
        lw_saved_cache_done(&saved); /* out of memory: the list will try again */
        return;
    }
    informer->controller.tells_changes = options->tells_changes;
    lw_reflector_set_warm_take(informer->reflector, saved.objects, saved.state.resource_version,
                               options->is_at_once);
}

static void note_told(lw_informer *informer)
{
    lw_informer_statistics stats = { .objects = 0 };
    lw_processor_stats(informer->processor, &stats);
    if (lw_delta_fifo_count(informer->fifo) > 0 || stats.handler_depth > 0 ||
        lw_processor_is_running(informer->processor))
        return;
    const char *rv = lw_reflector_resource_version(informer->reflector);
    size_t size = strlen(rv) + 1;
    if (size <= sizeof(informer->told_rv))
        memcpy(informer->told_rv, rv, size);
}

static void save_if_due(lw_informer *informer)
{
    if (!informer->warm.path || !informer->reflector)
        return;
    note_told(informer);
    const char *rv = saveable_rv(informer);
    if (lw_warm_state_is_due(&informer->warm, rv))
        lw_warm_state_save(&informer->warm, informer->indexer, rv);
}

static void open_if_due(lw_informer *informer)
{
    lw_error err = LW_ERROR_INIT;
    int64_t now = lw_clock_now(informer->host.clock);
    if (informer->reflector || now < informer->open_at_ns)
        return;
    lw_status st = open_source(informer, &err);
    if (st == LW_OK) {
        lw_informer_log_started(&informer->log);
        load_state(informer);
        lw_reflector_start(informer->reflector);
        return;
    }
    err.code = st;
    informer->open_at_ns = now + OPEN_RETRY_S * LW_NS_PER_S;
    on_error(&err, informer);
    lw_mutex_lock(&informer->mu);
    informer->last_error = err;
    lw_mutex_unlock(&informer->mu);
}

/* Stores the results for other threads. */
static void publish(lw_informer *informer)
{
    const lw_provider_ops *ops = informer->host.provider->ops;
    lw_informer_statistics stats = { .sync_ns = -1 };
    lw_source_type type;
    lw_error err = LW_ERROR_INIT;
    const lw_source *source = lw_source_union_is_wanted(&informer->key.spec)
                                  ? lw_source_union_first(informer->source)
                                  : informer->source;
    bool has_type = ops->type && ops->type(informer->host.provider, source, &type);
    lw_reflector_stats(informer->reflector, &stats);
    (void)lw_reflector_last_error(informer->reflector, &err);
    int64_t now = lw_clock_now(informer->host.clock);
    if (lw_informer_log_turn(&informer->log, &stats, err.code, now))
        tell_state(informer, LW_INFORMER_RECOVERED, NULL);
    lw_mutex_lock(&informer->mu);
    informer->stats = stats;
    informer->last_byte_ns = stats.last_byte_age_ns < 0 ? -1 : now - stats.last_byte_age_ns;
    if (informer->last_error.code != LW_OK || err.code != LW_OK)
        informer->last_error = err;
    if (has_type) {
        /* The type of a deleted resource is kept: there may still be events of its objects. */
        informer->type = type;
        informer->has_type = true;
    }
    lw_mutex_unlock(&informer->mu);
}

bool lw_informer__type(lw_informer *informer, lw_source_type *out)
{
    lw_mutex_lock(&informer->mu);
    bool has_type = informer->has_type;
    if (has_type)
        *out = informer->type;
    lw_mutex_unlock(&informer->mu);
    return has_type;
}

static void run_controller(lw_informer *informer)
{
    lw_controller_run(&informer->controller, LW_PROCESSOR_PORTION);
    if (informer->controller.wants_relist) {
        informer->controller.wants_relist = false;
        lw_reflector_recover(informer->reflector);
    }
    if (informer->controller.has_synced && !atomic_load(&informer->is_synced)) {
        lw_informer_statistics stats = { .sync_ns = -1 };
        lw_reflector_stats(informer->reflector, &stats);
        atomic_store(&informer->is_synced, true);
        lw_informer_log_synced(&informer->log, &stats,
                               lw_lister_count(lw_indexer_lister(informer->indexer)));
        tell_state(informer, LW_INFORMER_SYNCED, NULL);
        informer->host.on_synced(informer->host.arg);
    }
}

void lw_informer__turn(lw_informer *informer)
{
    open_if_due(informer);
    if (informer->reflector) {
        run_controller(informer);
        lw_reflector_tick(informer->reflector);
        publish(informer);
    }
    lw_processor_dispatch(informer->processor);
    lw_packing_turn(&informer->packing, informer->indexer, informer->controller.changes,
                    lw_clock_now(informer->host.clock));
    save_if_due(informer);
}

int64_t lw_informer__deadline_ns(lw_informer *informer)
{
    int64_t deadline = lw_processor_deadline_ns(informer->processor);
    int64_t reflector =
        informer->reflector ? lw_reflector_deadline_ns(informer->reflector) : informer->open_at_ns;
    if (lw_delta_fifo_count(informer->fifo) > 0)
        return 0;
    int64_t save = lw_warm_state_deadline_ns(&informer->warm, saveable_rv(informer));
    if (save < deadline)
        deadline = save;
    int64_t packing = lw_packing_deadline_ns(&informer->packing);
    if (packing < deadline)
        deadline = packing;
    return reflector < deadline ? reflector : deadline;
}

bool lw_informer__is_behind(lw_informer *informer)
{
    return lw_delta_fifo_count(informer->fifo) > 0 || lw_processor_is_behind(informer->processor);
}

void lw_informer__stop(lw_informer *informer)
{
    if (informer->reflector)
        lw_reflector_stop(informer->reflector);
}

/* Sets |why| to the reason why the first list is missing. */
static void explain(const lw_informer *informer, lw_error *why)
{
    lw_error last = LW_ERROR_INIT;
    const char *resource = informer->key.spec.resource;
    if (lw_informer_last_error(informer, &last) == LW_OK) {
        (void)lw_error_set(why, LW_ERR_TIMEOUT, "%s: timed out waiting for the first list",
                           resource);
        return;
    }
    /* A definition may be created at any time: the message says that no restart is needed. */
    (void)lw_error_set(why, LW_ERR_TIMEOUT, "%s: %s%s", resource, last.message,
                       last.code == LW_ERR_NOT_FOUND
                           ? "; the informer retries until the resource exists"
                           : "");
    why->http_status = last.http_status;
    why->retry_after_s = last.retry_after_s;
    memcpy(why->reason, last.reason, sizeof(why->reason));
}

bool lw_informer__has_synced_handlers(lw_informer *informer, lw_error *why)
{
    if (!atomic_load(&informer->is_synced)) {
        if (why)
            explain(informer, why);
        return false;
    }
    if (lw_processor_is_synced(informer->processor))
        return true;
    (void)lw_error_set(why, LW_ERR_TIMEOUT,
                       "%s: timed out waiting for a handler to process the initial objects",
                       informer->key.spec.resource);
    return false;
}

/* Public functions. */

lw_status lw_informer_add_handler(lw_informer *informer, const lw_handler *handler,
                                  lw_registration **out, lw_error *err)
{
    return lw_processor_add(informer->processor, handler, out, err);
}

void lw_informer_remove_handler(lw_informer *informer, lw_registration *registration)
{
    lw_processor_remove(informer->processor, registration);
}

const char *lw_informer_resource(const lw_informer *informer)
{
    return informer->key.spec.resource;
}

bool lw_informer_is_synced(const lw_informer *informer)
{
    return atomic_load(&informer->is_synced);
}

const lw_lister *lw_informer_lister(const lw_informer *informer)
{
    return lw_indexer_lister(informer->indexer);
}

lw_status lw_informer_add_index(lw_informer *informer, const char *name, lw_index_fn fn, void *arg,
                                lw_error *err)
{
    return lw_indexer_add_index(informer->indexer, name, fn, arg, err);
}

lw_status lw_informer_add_index_path(lw_informer *informer, const char *name, const char *pointer,
                                     lw_error *err)
{
    lw_path_index *index = NULL;
    lw_status st = lw_path_index_new(&index, pointer, err);
    if (st == LW_OK)
        st = lw_indexer_add_index(informer->indexer, name, lw_path_index_values, index, err);
    if (st < 0) {
        lw_path_index_free(index);
        return st;
    }
    lw_mutex_lock(&informer->mu);
    lw_dlist_push_back(&informer->path_indexes, &index->link);
    lw_mutex_unlock(&informer->mu);
    return LW_OK;
}

/* Reading changes only the lock. */
static lw_mutex *lock_of(const lw_informer *informer)
{
    return &((lw_informer *)(uintptr_t)informer)->mu;
}

lw_status lw_informer_last_error(const lw_informer *informer, lw_error *err)
{
    lw_mutex_lock(lock_of(informer));
    lw_status st = informer->last_error.code;
    if (st < 0 && err)
        *err = informer->last_error;
    lw_mutex_unlock(lock_of(informer));
    return st;
}

void lw_informer_stats(const lw_informer *informer, lw_informer_statistics *stats)
{
    int64_t now = lw_clock_now(informer->host.clock);
    lw_mutex_lock(lock_of(informer));
    *stats = informer->stats;
    stats->last_byte_age_ns = informer->last_byte_ns < 0 ? -1 : now - informer->last_byte_ns;
    lw_mutex_unlock(lock_of(informer));
    stats->is_synced = atomic_load(&informer->is_synced);
    stats->objects = lw_indexer_count(informer->indexer);
    stats->bytes = lw_indexer_bytes(informer->indexer);
    stats->revision = lw_indexer_revision(informer->indexer);
    lw_processor_stats(informer->processor, stats);
}
