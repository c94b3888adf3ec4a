/* SPDX-License-Identifier: Apache-2.0 */
/* factory.c -- life cycle of a factory, and its informers. */
#include "informer/factory/factory.h"

#include <assert.h>

#include "base/alloc.h"
#include "base/error.h"
#include "base/options.h"
#include "base/random.h"
#include "base/str.h"
#include "informer/source_spec.h"
#include "informer/source_union.h"

/* Life. */

static lw_status copy_options(lw_factory *factory, const lw_factory_options *options)
{
    const lw_source_spec spec = { .resource = "",
                                  .ns = options->ns,
                                  .label_selector = options->label_selector,
                                  .field_selector = options->field_selector,
                                  .read = options->read };
    lw_status st = lw_source_spec_copy(&factory->spec, &spec);
    if (st < 0)
        return st;
    factory->options = *options;
    factory->options.kubeconfig = NULL; /* already used */
    factory->options.encoding = NULL;
    factory->options.compact = NULL;
    factory->options.context = NULL;
    factory->options.ns = factory->spec.ns;
    factory->options.label_selector = factory->spec.label_selector;
    factory->options.field_selector = factory->spec.field_selector;
    factory->options.read = factory->spec.read;
    if (!factory->options.clock)
        factory->options.clock = lw_clock_system();
    if (options->logger)
        factory->logger = *options->logger;
    return LW_OK;
}

enum {
    STATE_INTERVAL_S = 60,
    STATE_MAX_AGE_S = 24 * 3600,
};

static lw_status open_state(lw_factory *factory, const lw_factory_options *options, lw_error *err)
{
    lw_warm_options *warm = &factory->warm;
    factory->options.state_dir = NULL; /* used here */
    factory->options.state_version = NULL;
    factory->state_version = lw_str_dup(lw_str_of(options->state_version));
    if (!factory->state_version)
        return lw_error_nomem(err);
    *warm = (lw_warm_options){
        .version = factory->state_version,
        .interval_s = options->state_interval_s > 0 ? options->state_interval_s : STATE_INTERVAL_S,
        .max_age_s = options->state_max_age_s > 0 ? options->state_max_age_s : STATE_MAX_AGE_S,
        .is_at_once = options->is_synced_from_state,
        .tells_changes = options->tells_only_changes,
        .clock = factory->options.clock,
    };
    if (!options->state_dir || options->state_dir[0] == '\0')
        return LW_OK;
    return lw_state_dir_open(&warm->dir, options->state_dir, err);
}

static lw_factory *allocate(void)
{
    uint64_t seed = 0;
    lw_factory *factory = lw_alloc_zero(1, sizeof(*factory));
    if (!factory)
        return NULL;
    lw_entropy_seed(&seed, 1);
    lw_server_health_init(&factory->health, seed);
    factory->driver = (lw_driver){ .epoll_fd = -1, .wake_fd = -1 };
    factory->cancel = (lw_cancel)LW_CANCEL_NONE;
    lw_turn_init(&factory->turn);
    lw_mutex_init(&factory->mu);
    lw_cond_init(&factory->changed);
    lw_dlist_init(&factory->informers);
    atomic_init(&factory->is_stopped, false);
    atomic_init(&factory->waiters, 0);
    return factory;
}

static void wake(void *arg)
{
    lw_factory *factory = arg;
    lw_driver_wake(&factory->driver);
}

lw_status lw_factory_new(lw_factory **out, const lw_factory_options *options, lw_error *err)
{
    lw_factory_options full = LW_FACTORY_OPTIONS_INIT;
    lw_status st = lw_options_read(&full, sizeof(full), options, "lw_factory_options", err);
    if (st < 0)
        return st;
    options = &full;
    lw_factory *factory = allocate();
    if (!factory) {
        if (options->provider)
            options->provider->ops->free(options->provider);
        return lw_error_nomem(err);
    }
    factory->provider = options->provider; /* owned by the factory, also on failure */
    st = lw_compact_mode_read(options->compact, LW_COMPACT_AUTO, &factory->packing, err);
    if (st == LW_OK && copy_options(factory, options) < 0)
        st = lw_error_nomem(err);
    if (st == LW_OK)
        st = open_state(factory, options, err);
    if (st == LW_OK && !factory->provider)
        st = lw_factory__open_client(options, &factory->client, &factory->provider, err);
    if (st == LW_OK)
        st = lw_cancel_init(&factory->cancel, err);
    if (st == LW_OK)
        st = lw_driver_init(&factory->driver, factory->provider->ops->fd(factory->provider), err);
    if (st < 0) {
        lw_factory_free(factory);
        return st;
    }
    factory->waker = (lw_clock_waker){ .wake = wake, .arg = factory };
    lw_clock_add_waker(factory->options.clock, &factory->waker);
    *out = factory;
    return LW_OK;
}

void lw_factory_stop(lw_factory *factory)
{
    lw_mutex_lock(&factory->mu);
    atomic_store(&factory->is_stopped, true);
    LW_DLIST_FOR_EACH(lw_informer, informer, &factory->informers, link)
    lw_processor_close(informer->processor);
    lw_cond_broadcast(&factory->changed);
    lw_mutex_unlock(&factory->mu);
    lw_cancel_fire(&factory->cancel);
    lw_driver_wake(&factory->driver);
}

/* Waits until no thread is inside any more; they leave soon, because the factory is stopped. */
static void see_visitors_off(lw_factory *factory)
{
    lw_mutex_lock(&factory->mu);
    bool has_thread = factory->has_thread;
    factory->has_thread = false;
    while (factory->visitors > 0)
        lw_cond_wait(&factory->changed, &factory->mu);
    lw_mutex_unlock(&factory->mu);
    if (has_thread)
        lw_thread_join(&factory->thread);
}

void lw_factory_free(lw_factory *factory)
{
    if (!factory)
        return;
    lw_clock_remove_waker(factory->options.clock, &factory->waker);
    if (factory->driver.wake_fd >= 0) {
        lw_factory_stop(factory);
        see_visitors_off(factory);
    }
    LW_DLIST_FOR_EACH_SAFE(lw_informer, informer, &factory->informers, link)
    {
        lw_dlist_remove(&informer->link);
        lw_informer__free(informer);
    }
    if (factory->provider)
        factory->provider->ops->free(factory->provider);
    lw_factory__close_client(factory->client);
    lw_state_dir_close(factory->warm.dir);
    lw_free(factory->state_version);
    lw_driver_done(&factory->driver);
    lw_cancel_done(&factory->cancel);
    lw_source_spec_done(&factory->spec);
    lw_cond_done(&factory->changed);
    lw_mutex_done(&factory->mu);
    lw_turn_done(&factory->turn);
    lw_free(factory);
}

lw_client *lw_factory_client(const lw_factory *factory)
{
    return factory->client;
}

/* Informers. */

/* Combines |options| with the defaults of the factory.  Borrows strings. */
static lw_informer_key key_of(const lw_factory *factory, const char *resource,
                              const lw_informer_options *options)
{
    const lw_informer_options *o = options;
    lw_informer_key key = { .spec = factory->spec,
                            .resync_s = factory->options.resync_s,
                            .packing = factory->packing };
    key.spec.resource = resource;
    if (o->ns)
        key.spec.ns = o->ns;
    if (o->label_selector)
        key.spec.label_selector = o->label_selector;
    if (o->field_selector)
        key.spec.field_selector = o->field_selector;
    if (o->read)
        key.spec.read = *o->read;
    key.spec.is_metadata_only = o->is_metadata_only;
    if (o->resync_s != 0)
        key.resync_s = o->resync_s;
    if (key.resync_s < 0)
        key.resync_s = 0;
    key.transform = o->transform;
    key.transform_arg = o->transform_arg;
    return key;
}

static lw_informer *find_locked(const lw_factory *factory, const lw_informer_key *key)
{
    LW_DLIST_FOR_EACH(lw_informer, informer, &factory->informers, link)
    {
        if (!atomic_load(&informer->is_dropped) && lw_informer__has_key(informer, key))
            return informer;
    }
    return NULL;
}

static lw_status find_or_make_locked(lw_factory *factory, const lw_informer_key *key,
                                     lw_informer **out, lw_error *err)
{
    const lw_informer_host host = { .factory = factory,
                                    .provider = factory->provider,
                                    .clock = factory->options.clock,
                                    .logger = &factory->logger,
                                    .cancel = &factory->cancel,
                                    .is_by_key = factory->options.is_by_key,
                                    .lists_only = factory->options.lists_only,
                                    .page_size = factory->options.page_size,
                                    .bounds = factory->options.bounds,
                                    .health = &factory->health,
                                    .warm = &factory->warm,
                                    .backoff_min_ms = factory->options.backoff_min_ms,
                                    .backoff_max_ms = factory->options.backoff_max_ms,
                                    .on_state = factory->options.on_state,
                                    .state_arg = factory->options.state_arg,
                                    .wake = wake,
                                    .on_synced = lw_factory__notify,
                                    .arg = factory };
    if (atomic_load(&factory->is_stopped))
        return lw_error_set(err, LW_ERR_STOPPED, "the factory was stopped");
    lw_informer *informer = find_locked(factory, key);
    if (!informer) {
        lw_status st = lw_informer__new(&informer, key, &host, err);
        if (st < 0)
            return st;
        informer->number = ++factory->made;
        lw_dlist_push_back(&factory->informers, &informer->link);
    }
    *out = informer;
    return LW_OK;
}

lw_status lw_factory_informer_with(lw_factory *factory, const char *resource,
                                   const lw_informer_options *options, lw_informer **out,
                                   lw_error *err)
{
    lw_informer_options o = LW_INFORMER_OPTIONS_INIT;
    lw_status st = lw_options_read(&o, sizeof(o), options, "lw_informer_options", err);
    if (st < 0)
        return st;
    lw_informer_key key = key_of(factory, resource, &o);
    st = lw_compact_mode_read(o.compact, factory->packing, &key.packing, err);
    if (st == LW_OK)
        st = lw_source_spec_check(&key.spec, err);
    if (st == LW_OK && lw_source_union_is_wanted(&key.spec))
        st = lw_source_union_check(key.spec.ns, err);
    if (st < 0)
        return st;
    lw_mutex_lock(&factory->mu);
    st = find_or_make_locked(factory, &key, out, err);
    lw_mutex_unlock(&factory->mu);
    if (st == LW_OK)
        lw_driver_wake(&factory->driver);
    return st;
}

lw_status lw_factory_informer(lw_factory *factory, const char *resource, lw_informer **out,
                              lw_error *err)
{
    return lw_factory_informer_with(factory, resource, NULL, out, err);
}

static bool is_caller_in_a_handler(lw_factory *factory)
{
    bool is_inside = false;
    lw_mutex_lock(&factory->mu);
    LW_DLIST_FOR_EACH(lw_informer, informer, &factory->informers, link)
    is_inside |= lw_processor_is_caller_inside(informer->processor);
    lw_mutex_unlock(&factory->mu);
    return is_inside;
}

/* A handler must not wait: the next turn or lw_factory_free frees the informer. */
static void drop_later(lw_factory *factory, lw_informer *informer)
{
    atomic_store(&informer->is_dropped, true);
    lw_processor_close(informer->processor);
    lw_driver_wake(&factory->driver);
}

void lw_factory_drop(lw_factory *factory, lw_informer *informer)
{
    if (!informer)
        return;
    if (lw_turn_is_mine(&factory->turn) || is_caller_in_a_handler(factory)) {
        drop_later(factory, informer);
        return;
    }
    /* Before the turn is taken, because a running handler may wait for a turn. */
    lw_processor_stop(informer->processor);
    lw_turn_take(&factory->turn);
    lw_mutex_lock(&factory->mu);
    lw_dlist_remove(&informer->link);
    lw_mutex_unlock(&factory->mu);
    lw_informer__free(informer);
    lw_turn_give(&factory->turn);
    lw_factory__notify(factory);
}
