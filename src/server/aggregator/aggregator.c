/* SPDX-License-Identifier: Apache-2.0 */
/* aggregator.c -- follows APIServices, what they refer to, and the custom resources that need some;
 * publishes those of other servers.
 *
 *     paused ──follow──▶ following ──events missed, out of memory──▶ paused (one second) */
#include "server/aggregator/aggregator.h"

#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "server/aggregator/aggregator_internal.h"
#include "server/aggregator/openapi_merge.h"

enum {
    BATCH = 256, /* changes handled per turn of the loop */
};

#define PAUSE_NS LW_NS_PER_S

/* APIServices first: their entries must be there when a Service changes. */
static const lw_kind *const followed[LW_APISERVICE_KINDS] = { &lw_kind_apiservices,
                                                              &lw_kind_services,
                                                              &lw_kind_endpointslices,
                                                              &lw_kind_customresourcedefinitions };

static void follow(lw_apiservice_work *work);

static lw_apiservice_entry *entry_of(lw_scheduled_key *key)
{
    return (lw_apiservice_entry *)(void *)key;
}

lw_status lw_aggregator_new(lw_aggregator **out, const lw_proxy_identity *identity,
                            const lw_logger *logger, lw_error *err)
{
    lw_aggregator *aggregator = lw_alloc_zero(1, sizeof(*aggregator));
    if (!aggregator)
        return lw_error_nomem(err);
    lw_mutex_init(&aggregator->mu);
    aggregator->logger = logger;
    aggregator->cert = lw_str_dup(identity->cert);
    aggregator->key = lw_str_dup(identity->key);
    if (!aggregator->cert || !aggregator->key) {
        lw_aggregator_free(aggregator);
        return lw_error_nomem(err);
    }
    aggregator->identity =
        (lw_proxy_identity){ lw_str_of(aggregator->cert), lw_str_of(aggregator->key) };
    *out = aggregator;
    return LW_OK;
}

void lw_aggregator_free(lw_aggregator *aggregator)
{
    if (!aggregator)
        return;
    lw_apiservice_table_unref(aggregator->table);
    lw_mutex_done(&aggregator->mu);
    if (aggregator->key)
        explicit_bzero(aggregator->key, strlen(aggregator->key));
    lw_free(aggregator->key);
    lw_free(aggregator->cert);
    lw_free(aggregator);
}

lw_apiservice_table *lw_aggregator_table_ref(lw_aggregator *aggregator)
{
    if (atomic_load_explicit(&aggregator->count, memory_order_acquire) == 0)
        return NULL;
    lw_mutex_lock(&aggregator->mu);
    lw_apiservice_table *table = lw_apiservice_table_ref(aggregator->table);
    lw_mutex_unlock(&aggregator->mu);
    return table;
}

uint64_t lw_aggregator_openapi_stamp(lw_aggregator *aggregator)
{
    return atomic_load_explicit(&aggregator->openapi, memory_order_acquire);
}

void lw_aggregator_write_metrics(lw_aggregator *aggregator, lw_buf *out)
{
    lw_apiservice_table *table = lw_aggregator_table_ref(aggregator);
    lw_buf_append_text(out, "# HELP aggregator_unavailable_apiservice Whether the API server of an "
                            "APIService is unavailable.\n"
                            "# TYPE aggregator_unavailable_apiservice gauge\n");
    for (size_t i = 0; table && i < table->count; i++)
        lw_buf_printf(out, "aggregator_unavailable_apiservice{name=\"%.*s.%.*s\"} %d\n",
                      LW_STR_ARG(table->at[i]->version), LW_STR_ARG(table->at[i]->group),
                      table->at[i]->is_available ? 0 : 1);
    lw_apiservice_table_unref(table);
}

void lw_apiservice_publish(lw_apiservice_work *work)
{
    lw_aggregator *aggregator = work->aggregator;
    size_t count = 0;
    lw_map_cursor at = lw_map_begin(&work->services.keys);
    for (lw_scheduled_key *key; (key = lw_map_next(&work->services.keys, &at));)
        count += entry_of(key)->service != NULL;
    if (count > LW_APISERVICES_MAX)
        count = LW_APISERVICES_MAX;
    lw_apiservice_table *table = lw_alloc_zero(1, sizeof(*table) + count * sizeof(table->at[0])),
                        *before;
    if (!table)
        return;
    lw_ref_init(&table->refs);
    at = lw_map_begin(&work->services.keys);
    for (lw_scheduled_key *key;
         table->count < count && (key = lw_map_next(&work->services.keys, &at));) {
        if (entry_of(key)->service)
            table->at[table->count++] = lw_apiservice_ref(entry_of(key)->service);
    }
    work->is_changed = false;
    uint64_t stamp = lw_openapi_merge_stamp(table);
    lw_mutex_lock(&aggregator->mu);
    before = aggregator->table;
    aggregator->table = table;
    lw_mutex_unlock(&aggregator->mu);
    atomic_store_explicit(&aggregator->openapi, stamp, memory_order_release);
    atomic_store_explicit(&aggregator->count, count, memory_order_release);
    lw_apiservice_table_unref(before);
}

bool lw_apiservice_is_needed(const lw_apiservice_entry *entry)
{
    const lw_apiservice_work *work = lw_apiservice_work_of(entry);
    return work->kinds.registry && entry->needed_at == work->kinds.version;
}

bool lw_apiservice_is_unneeded(const lw_apiservice_entry *entry)
{
    return lw_apiservice_work_of(entry)->kinds.registry && !lw_apiservice_is_needed(entry);
}

bool lw_apiservice_is_managed(const lw_object *object)
{
    const char *managed =
        lw_object_string(object, "/metadata/labels/kube-aggregator.kubernetes.io~1automanaged", "");
    return lw_str_equal(lw_str_of(managed), LW_STR("true"));
}

static void entry_release(lw_apiservice_entry *entry)
{
    lw_object_unref(entry->object);
    lw_apiservice_unref(entry->service);
    entry->object = NULL;
    entry->service = NULL;
    lw_buf_done(&entry->finding.message);
    lw_buf_done(&entry->discovery);
    lw_buf_done(&entry->openapi_url);
    lw_remote_openapi_unref(entry->openapi);
    entry->openapi = NULL;
}

void lw_apiservice_forget(lw_apiservice_entry *entry)
{
    lw_apiservice_work *work = lw_apiservice_work_of(entry);
    work->is_changed = work->is_changed || entry->service;
    entry_release(entry);
    lw_key_scheduler_remove(&entry->key);
}

static lw_apiservice_entry *find_or_add(lw_apiservice_work *work, lw_str name)
{
    lw_scheduled_key *key = lw_key_scheduler_find(&work->services, name);
    if (key)
        return entry_of(key);
    key = lw_key_scheduler_add(&work->services, name);
    if (!key)
        return NULL;
    lw_buf_init(&entry_of(key)->finding.message, LW_APISERVICE_MESSAGE_MAX);
    return entry_of(key);
}

/* Makes a pass due at once. */
static void want_now(lw_apiservice_entry *entry)
{
    entry->not_before_ns = 0;
    entry->failures = 0;
    lw_key_scheduler_want(&entry->key);
}

static void gone(lw_apiservice_entry *entry)
{
    lw_apiservice_work *work = lw_apiservice_work_of(entry);
    lw_object_unref(entry->object);
    lw_apiservice_unref(entry->service);
    work->is_changed = work->is_changed || entry->service;
    entry->object = NULL;
    entry->service = NULL;
    want_now(entry); /* which creates it again, or forgets it */
}

static lw_status observe_service(lw_apiservice_work *work, const lw_cache_event *event)
{
    lw_str name = lw_str_of(lw_object_name(event->object));
    lw_scheduled_key *known = lw_key_scheduler_find(&work->services, name);
    if (event->type == LW_WATCH_DELETED) {
        if (known)
            gone(entry_of(known));
        return LW_OK;
    }
    lw_apiservice_entry *entry = find_or_add(work, name);
    lw_apiservice *service = NULL;
    if (!entry)
        return LW_ERR_NOMEM;
    if (lw_apiservice_is_remote(event->object) &&
        lw_apiservice_read(&service, event->object, entry->service, &work->aggregator->identity) <
            0)
        return LW_ERR_NOMEM;
    bool is_same = service && entry->service && lw_str_equal(service->spec, entry->service->spec);
    work->is_changed = work->is_changed || service || entry->service;
    lw_object_unref(entry->object);
    lw_apiservice_unref(entry->service);
    entry->object = lw_object_ref(event->object);
    entry->service = service;
    entry->is_seen = true;
    if (!is_same) /* otherwise only its status has changed */
        want_now(entry);
    return LW_OK;
}

/* Those that refer to the Service |name| in |ns| are checked again. */
static void service_changed(lw_apiservice_work *work, lw_str ns, lw_str name)
{
    lw_map_cursor at = lw_map_begin(&work->services.keys);
    if (atomic_load_explicit(&work->aggregator->count, memory_order_relaxed) == 0)
        return;
    for (lw_scheduled_key *key; (key = lw_map_next(&work->services.keys, &at));) {
        const lw_apiservice *service = entry_of(key)->service;
        if (service && lw_str_equal(service->service_ns, ns) &&
            lw_str_equal(service->service_name, name))
            want_now(entry_of(key));
    }
}

static lw_status observe(lw_apiservice_work *work, const lw_kind *kind, const lw_cache_event *event)
{
    lw_str ns = lw_str_of(lw_object_namespace(event->object));
    if (kind == &lw_kind_apiservices)
        return observe_service(work, event);
    if (kind == &lw_kind_services)
        service_changed(work, ns, lw_str_of(lw_object_name(event->object)));
    else if (kind == &lw_kind_endpointslices)
        service_changed(work, ns,
                        lw_str_of(lw_object_string(event->object,
                                                   "/metadata/labels/kubernetes.io~1service-name",
                                                   "")));
    return LW_OK;
}

/* Those that were deleted while nobody followed. */
static void drop_unseen(lw_apiservice_work *work)
{
    lw_map_cursor at = lw_map_begin(&work->services.keys);
    for (lw_scheduled_key *key; (key = lw_map_next(&work->services.keys, &at));) {
        if (!entry_of(key)->is_seen && entry_of(key)->object)
            gone(entry_of(key));
    }
}

/* Entries for the groups of custom resources; those that are not needed any more get a pass. */
static lw_status look_at_kinds(lw_apiservice_work *work)
{
    uint64_t before = work->kinds.version;
    size_t count = 0;
    lw_status st = LW_OK;
    const lw_registry *registry = lw_catalog_look(&work->port->api->catalog, &work->kinds);
    if (work->kinds.version == before)
        return LW_OK;
    const lw_kind *const *kinds = lw_registry_kinds(registry, &count);
    lw_buf name;
    lw_buf_init(&name, LW_APISERVICE_NAME_MAX);
    for (size_t i = 0; i < count && st == LW_OK; i++) {
        if (!kinds[i]->custom)
            continue;
        lw_buf_reset(&name);
        lw_apiservice_append_name(kinds[i], &name);
        lw_apiservice_entry *entry =
            name.st == LW_OK ? find_or_add(work, lw_buf_view(&name)) : NULL;
        if (entry) {
            entry->needed_at = work->kinds.version;
            entry->kind = kinds[i];
        } else {
            st = LW_ERR_NOMEM;
        }
    }
    lw_buf_done(&name);
    lw_map_cursor at = lw_map_begin(&work->services.keys);
    for (lw_scheduled_key *key; (key = lw_map_next(&work->services.keys, &at));) {
        const lw_object *object = entry_of(key)->object;
        bool is_needed = lw_apiservice_is_needed(entry_of(key));
        if (object ? !is_needed && lw_apiservice_is_managed(object) : is_needed)
            want_now(entry_of(key));
    }
    return st;
}

static void unfollow(lw_apiservice_work *work)
{
    for (size_t i = 0; i < LW_APISERVICE_KINDS; i++) {
        if (work->watchers[i])
            lw_watcher_close(work->watchers[i]);
        work->watchers[i] = NULL;
    }
    lw_catalog_view_done(&work->kinds);
    work->kinds = (lw_catalog_view){ NULL, 0 };
}

static void pause_over(lw_timer *timer)
{
    follow(LW_CONTAINER_OF(timer, lw_apiservice_work, pause));
}

static void pause_following(lw_apiservice_work *work)
{
    unfollow(work);
    work->pause.fire = pause_over;
    if (!work->is_stopped &&
        lw_timer_set(work->port->loop, &work->pause, lw_loop_now(work->port->loop) + PAUSE_NS) < 0)
        lw_log(work->aggregator->logger, LW_LOG_ERROR, "aggregator",
               "out of memory: APIServices are not followed until the server is restarted");
}

/* Handles the changes of one watcher, at most |*budget|.  LW_ERR_EXPIRED, LW_ERR_NOMEM. */
static lw_status pull(lw_apiservice_work *work, size_t at, size_t *budget)
{
    lw_cache_event event = { .object = NULL };
    for (; *budget > 0; --*budget) {
        lw_status st = LW_OK;
        switch (lw_watcher_next(work->watchers[at], &event)) {
        case LW_WATCH_STEP_IDLE: return LW_OK;
        case LW_WATCH_STEP_SYNCED:
            if (at == 0)
                drop_unseen(work);
            break;
        case LW_WATCH_STEP_EVENT:
            st = observe(work, followed[at], &event);
            lw_object_unref(event.object);
            break;
        case LW_WATCH_STEP_ENDED:
        case LW_WATCH_STEP_EXPIRED:
        case LW_WATCH_STEP_FAILED: return LW_ERR_EXPIRED;
        }
        if (st < 0)
            return st;
    }
    return LW_OK;
}

static void post_turn(lw_apiservice_work *work)
{
    if (work->is_posted || work->is_stopped)
        return;
    work->is_posted = true;
    work->port->under_way++;
    lw_loop_post(work->port->loop, &work->turn);
}

static void on_ready(lw_watcher *watcher, void *arg)
{
    (void)watcher;
    post_turn(arg);
}

static void take_turn(lw_task *task)
{
    lw_apiservice_work *work = LW_DLIST_ITEM(&task->link, lw_apiservice_work, turn.link);
    size_t budget = BATCH;
    lw_status st = LW_OK;
    work->is_posted = false;
    work->port->under_way--;
    if (work->is_stopped || !work->watchers[0])
        return;
    for (size_t i = 0; i < LW_APISERVICE_KINDS && st == LW_OK; i++)
        st = pull(work, i, &budget);
    if (st == LW_OK)
        st = look_at_kinds(work);
    if (st < 0) {
        pause_following(work);
        return;
    }
    if (budget == 0)
        post_turn(work);
    if (work->is_changed)
        lw_apiservice_publish(work);
    lw_key_scheduler_pump(&work->services);
}

static void follow(lw_apiservice_work *work)
{
    lw_map_cursor at = lw_map_begin(&work->services.keys);
    lw_status st = LW_OK;
    for (lw_scheduled_key *key; (key = lw_map_next(&work->services.keys, &at));)
        entry_of(key)->is_seen = false;
    for (size_t i = 0; i < LW_APISERVICE_KINDS && st == LW_OK; i++) {
        const lw_watcher_options options = {
            .port = work->port->cache,
            .resource = lw_api_resource(work->port->api, followed[i]),
            .filter = &work->all,
            .start = LW_WATCH_START_STATE,
            .on_ready = on_ready,
            .arg = work,
            .is_uncounted = true,
        };
        st = lw_watcher_open(&work->watchers[i], &options, NULL);
    }
    if (st < 0)
        pause_following(work);
    else
        post_turn(work);
}

static void work_stop(lw_port_worker *worker)
{
    lw_apiservice_work *work = (lw_apiservice_work *)(void *)worker;
    if (work->is_stopped)
        return;
    work->is_stopped = true;
    lw_timer_cancel(work->port->loop, &work->pause);
    lw_key_scheduler_stop(&work->services);
    lw_map_cursor at = lw_map_begin(&work->services.keys);
    for (lw_scheduled_key *key; (key = lw_map_next(&work->services.keys, &at));)
        lw_apiservice_check_cancel(entry_of(key));
    unfollow(work);
}

static void work_free(lw_port_worker *worker)
{
    lw_apiservice_work *work = (lw_apiservice_work *)(void *)worker;
    lw_map_cursor at = lw_map_begin(&work->services.keys);
    for (lw_scheduled_key *key; (key = lw_map_next(&work->services.keys, &at));)
        entry_release(entry_of(key));
    lw_key_scheduler_done(&work->services);
    lw_http_client_free(work->client);
    lw_free(work);
}

lw_status lw_aggregator_start(lw_aggregator *aggregator, lw_loop *loop, lw_error *err)
{
    lw_apiservice_work *work = lw_alloc_zero(1, sizeof(*work));
    if (!work)
        return lw_error_nomem(err);
    work->aggregator = aggregator;
    work->port = lw_loop_data(loop);
    work->turn.run = take_turn;
    lw_status st = lw_http_client_new(&work->client, loop, err);
    if (st < 0) {
        lw_free(work);
        return st;
    }
    lw_key_scheduler_init(&work->services, &lw_apiservice_passes, loop);
    work->worker.stop = work_stop;
    work->worker.free = work_free;
    lw_port_add_worker(work->port, &work->worker);
    follow(work);
    return LW_OK;
}
