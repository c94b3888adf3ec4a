/* SPDX-License-Identifier: Apache-2.0 */
/* crds.c -- serves the custom resources whose definitions are in the cache.
 *
 * Threads: a sync runs on any loop, one at a time; it may wait for the store while it loads the
 * objects of a new definition.  Afterwards it writes statuses and starts purges without the
 * lock. */
#include "api/crd/crds.h"

#include <stdlib.h>

#include "api/context/cache_lookup.h"
#include "api/conversion/conversion_bundle.h"
#include "api/conversion/converter.h"
#include "api/crd/crd_names.h"
#include "api/crd/crd_purge.h"
#include "api/crd/crd_status.h"
#include "api/webhooks/hooks.h"
#include "base/alloc.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"

/* One definition. */
struct lw_crd_entry {
    lw_definition *definition; /* one reference */
    lw_crd_conflict conflict;  /* without a reason: it is served */
    bool is_new;               /* new or changed in this sync: its status must be written */
    bool was_accepted;         /* a previous revision was served before this sync */
    bool has_bad_bundle;       /* the CA bundle of its conversion webhook cannot be used */
};

/* The state of one sync. */
typedef struct sync_state {
    lw_api *api;
    lw_crd_entry *entries; /* sorted by name, as in the cache */
    size_t count;
    lw_crd_entry **order; /* in the order in which names are accepted */
    lw_definition **served;
    size_t served_count;
    uint64_t changes; /* of the definitions, when they were read */
} sync_state;

void lw_crds_init(lw_crds *crds)
{
    *crds = (lw_crds){ .count = 0 };
    atomic_init(&crds->is_stale, false);
    lw_mutex_init(&crds->mu);
    lw_conversion_metrics_init(&crds->conversions);
}

static void free_entries(lw_crd_entry *entries, size_t count)
{
    for (size_t i = 0; i < count; i++)
        lw_definition_unref(entries[i].definition);
    lw_free(entries);
}

void lw_crds_done(lw_crds *crds)
{
    free_entries(crds->entries, crds->count);
    lw_conversion_metrics_done(&crds->conversions);
    lw_mutex_done(&crds->mu);
}

/* Returns the entry named |name| among |count| entries sorted by name, or NULL. */
static lw_crd_entry *find_among(lw_crd_entry *entries, size_t count, lw_str name)
{
    size_t low = 0, high = count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        lw_crd_entry *entry = &entries[middle];
        int order = lw_str_compare(lw_definition_name(entry->definition), name);
        if (order == 0)
            return entry;
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    return NULL;
}

static lw_crd_entry *find_entry(const lw_crds *crds, lw_str name)
{
    return find_among(crds->entries, crds->count, name);
}

static bool is_accepted(const lw_crd_entry *entry)
{
    return entry->conflict.reason == NULL;
}

static bool has_bad_bundle(const lw_object *crd)
{
    lw_str text;
    lw_tree *conversion = NULL;
    if (lw_object_raw(crd, "/spec/conversion", &text) < 0 ||
        lw_tree_parse(&conversion, text, 0, NULL) < 0)
        return false;
    bool is_bad = lw_conversion_bundle_fault(lw_tree_root(conversion)) != NULL;
    lw_tree_free(conversion);
    return is_bad;
}

/* Adds an entry for |crd|; it is taken over from the last sync if the object has not changed. */
static lw_status take_definition(sync_state *sync, const lw_object *crd)
{
    const lw_crd_entry *before = find_entry(sync->api->crds, lw_str_of(lw_object_name(crd)));
    lw_crd_entry *entry = &sync->entries[sync->count];
    lw_error err = LW_ERROR_INIT;
    bool is_same = before && lw_str_equal(lw_definition_uid(before->definition),
                                          lw_str_of(lw_object_uid(crd)));
    if (is_same && lw_definition_revision(before->definition) == lw_object_revision(crd)) {
        *entry = (lw_crd_entry){ .definition = lw_definition_ref(before->definition),
                                 .conflict = before->conflict,
                                 .was_accepted = is_accepted(before),
                                 .has_bad_bundle = before->has_bad_bundle };
        sync->count++;
        return LW_OK;
    }
    lw_definition *definition = NULL;
    lw_status st = lw_definition_new(&definition, crd, &err);
    if (st == LW_ERR_NOMEM)
        return st;
    if (st < 0) { /* stored by a server with weaker validation */
        lw_log(sync->api->logger, LW_LOG_WARN, "api",
               "custom resource definition %s is not served: %s", lw_object_name(crd), err.message);
        return LW_OK;
    }
    const lw_hooks *hooks = sync->api->hooks;
    st = lw_converter_attach(definition, is_same ? before->definition : NULL,
                             hooks ? lw_hooks_caller(hooks) : NULL, &sync->api->crds->conversions);
    if (st < 0) {
        lw_definition_unref(definition);
        return st;
    }
    *entry = (lw_crd_entry){ .definition = definition,
                             .is_new = true,
                             .was_accepted = is_same && is_accepted(before),
                             .has_bad_bundle = has_bad_bundle(crd) };
    sync->count++;
    return LW_OK;
}

static lw_status take_definitions(sync_state *sync)
{
    const lw_cache_filter all = { .ns = LW_STR("") };
    lw_cache_resource *resource = lw_api_resource(sync->api, &lw_kind_customresourcedefinitions);
    lw_cache_list list = { 0 };
    sync->changes = lw_cache_resource_changes(resource);
    lw_status st = lw_cache_list_now(resource, &all, LW_STR(""), 0, &list, NULL);
    if (st < 0)
        return st;
    sync->entries = lw_alloc_zero(list.count + 1, sizeof(*sync->entries));
    sync->order = lw_alloc_zero(list.count + 1, sizeof(lw_crd_entry *));
    sync->served = lw_alloc_zero(list.count + 1, sizeof(lw_definition *));
    if (!sync->entries || !sync->order || !sync->served)
        st = LW_ERR_NOMEM;
    for (size_t i = 0; st == LW_OK && i < list.count; i++)
        st = take_definition(sync, list.objects[i]);
    lw_cache_list_done(&list);
    return st;
}

/* Names are accepted in this order: definitions that are served and unchanged, served and changed,
 * established when they were stored, others; then by revision. */
static int rank(const lw_crd_entry *entry)
{
    if (entry->was_accepted)
        return entry->is_new ? 1 : 0;
    return lw_definition_is_established(entry->definition) ? 2 : 3;
}

static int compare_rank(const void *a, const void *b)
{
    const lw_crd_entry *ea = *(lw_crd_entry *const *)a, *eb = *(lw_crd_entry *const *)b;
    uint64_t ra = lw_definition_revision(ea->definition);
    uint64_t rb = lw_definition_revision(eb->definition);
    if (rank(ea) != rank(eb))
        return rank(ea) - rank(eb);
    return ra == rb ? 0 : (ra < rb ? -1 : 1);
}

static lw_crd_conflict check(const sync_state *sync, const lw_crd_entry *entry)
{
    const lw_definition *definition = entry->definition;
    lw_crd_conflict conflict = lw_crd_check_group(definition);
    /* The upstream decides which definitions are served. */
    if (sync->api->upstream.confirm && !lw_definition_is_established(definition))
        conflict.reason = "NotEstablished";
    for (size_t i = 0; !conflict.reason && i < sync->served_count; i++)
        conflict = lw_crd_check_names(definition, sync->served[i]);
    /* One that is established stays so. */
    if (!conflict.reason && entry->has_bad_bundle && !lw_definition_is_established(definition))
        conflict.reason = LW_CRD_INVALID_BUNDLE;
    return conflict;
}

/* Decides for each entry whether it is served. */
static void accept_names(sync_state *sync)
{
    for (size_t i = 0; i < sync->count; i++)
        sync->order[i] = &sync->entries[i];
    qsort(sync->order, sync->count, sizeof(lw_crd_entry *), compare_rank);
    for (size_t i = 0; i < sync->count; i++) {
        lw_crd_entry *entry = sync->order[i];
        bool is_kept = entry->was_accepted && !entry->is_new; /* has no conflict */
        lw_crd_conflict conflict = is_kept ? entry->conflict : check(sync, entry);
        entry->is_new = entry->is_new || (conflict.reason == NULL) != is_accepted(entry);
        entry->conflict = conflict;
        if (is_accepted(entry))
            sync->served[sync->served_count++] = entry->definition;
    }
}

static void release_resource(void *serving)
{
    lw_cache_resource_unref(serving);
}

/* Returns the resource that already contains the objects of |definition|, for the caller to unref,
 * or NULL. */
static lw_cache_resource *known_resource(const lw_crds *crds, const lw_definition *definition)
{
    const lw_crd_entry *before = find_entry(crds, lw_definition_name(definition));
    bool is_same =
        before && lw_definition_serving(before->definition) && is_accepted(before) &&
        lw_definition_is_namespaced(before->definition) == lw_definition_is_namespaced(definition);
    return is_same ? lw_cache_resource_ref(lw_definition_serving(before->definition)) : NULL;
}

/* Makes the cache follow the objects of |definition|. */
static lw_status open_resource(sync_state *sync, lw_definition *definition, lw_error *err)
{
    if (lw_definition_serving(definition))
        return LW_OK;
    lw_cache_resource *resource = known_resource(sync->api->crds, definition);
    lw_status st = LW_OK;
    if (!resource) {
        lw_buf prefix;
        lw_buf_init(&prefix, LW_STORE_KEY_MAX);
        lw_api_append_prefix(sync->api, lw_definition_storage(definition), &prefix);
        st = prefix.st < 0 ? prefix.st
                           : lw_cache_add(sync->api->cache, lw_buf_view(&prefix),
                                          lw_definition_is_namespaced(definition), &resource, err);
        lw_buf_done(&prefix);
        if (st == LW_OK)
            (void)lw_cache_resource_ref(resource);
    }
    if (st == LW_OK)
        lw_definition_set_serving(definition, resource, release_resource);
    return st;
}

/* Removes the resources of |gone| that the entries with the same names in |stay| do not use. */
static void remove_resources(const lw_crd_entry *gone, size_t gone_count, lw_crd_entry *stay,
                             size_t stay_count)
{
    for (size_t i = 0; i < gone_count; i++) {
        lw_cache_resource *resource = lw_definition_serving(gone[i].definition);
        const lw_crd_entry *kept =
            find_among(stay, stay_count, lw_definition_name(gone[i].definition));
        if (resource && (!kept || lw_definition_serving(kept->definition) != resource))
            lw_cache_remove(resource);
    }
}

/* Publishes the result of |sync|; the caller frees what remains in it. */
static lw_status publish(sync_state *sync, lw_error *err)
{
    lw_registry *registry = NULL;
    lw_crds *crds = sync->api->crds;
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < sync->served_count; i++)
        st = open_resource(sync, sync->served[i], err);
    if (st == LW_OK)
        st = lw_registry_new_with(&registry, sync->served, sync->served_count);
    if (st < 0) {
        remove_resources(sync->entries, sync->count, crds->entries, crds->count);
        return st;
    }
    lw_catalog_swap_take(&sync->api->catalog, registry);
    remove_resources(crds->entries, crds->count, sync->entries, sync->count);
    lw_crd_entry *before = crds->entries;
    size_t before_count = crds->count;
    crds->entries = sync->entries;
    crds->count = sync->count;
    sync->entries = NULL;
    free_entries(before, before_count);
    return LW_OK;
}

/* A definition whose status must be written, or whose objects must be purged. */
typedef struct followup {
    lw_definition *definition;
    lw_crd_conflict conflict;
} followup;

/* Collects the follow-up work for new entries and references their definitions; the lock is
 * held. */
static lw_status collect_followups(const lw_crds *crds, followup **out, size_t *count)
{
    followup *followups = lw_alloc_zero(crds->count + 1, sizeof(*followups));
    if (!followups)
        return LW_ERR_NOMEM;
    for (size_t i = 0; i < crds->count; i++) {
        if (!crds->entries[i].is_new)
            continue;
        crds->entries[i].is_new = false;
        followups[(*count)++] =
            (followup){ lw_definition_ref(crds->entries[i].definition), crds->entries[i].conflict };
    }
    *out = followups;
    return LW_OK;
}

static void run_followups(lw_api_port *port, followup *followups, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        lw_definition *definition = followups[i].definition;
        if (lw_definition_is_terminating(definition))
            lw_crd_purge_start(port, definition);
        else if (!port->is_draining)
            lw_crd_status_write(port, definition, followups[i].conflict);
        lw_definition_unref(definition);
    }
    lw_free(followups);
}

/* Returns false if all entries were taken over from the last sync. */
static bool is_change(const lw_crds *crds, const sync_state *sync)
{
    bool is_same = crds->count == sync->count;
    for (size_t i = 0; is_same && i < sync->count; i++)
        is_same = sync->entries[i].definition == crds->entries[i].definition;
    return !is_same;
}

/* Makes the served kinds match the definitions.  The follow-up work is returned unless |followups|
 * is NULL.  A failure is logged, with its reason in |err|. */
static lw_status update_kinds(lw_api *api, followup **followups, size_t *followup_count,
                              lw_error *err)
{
    lw_crds *crds = api->crds;
    sync_state sync = { .api = api };
    lw_mutex_lock(&crds->mu);
    lw_status st = take_definitions(&sync);
    if (st == LW_OK && is_change(crds, &sync)) {
        accept_names(&sync);
        st = publish(&sync, err);
        if (st == LW_OK && followups)
            st = collect_followups(crds, followups, followup_count);
    }
    atomic_store_explicit(&crds->is_stale, st < 0, memory_order_relaxed);
    if (st == LW_OK)
        atomic_store_explicit(&crds->synced, sync.changes, memory_order_release);
    lw_mutex_unlock(&crds->mu);
    if (sync.entries)
        free_entries(sync.entries, sync.count);
    lw_free(sync.order);
    lw_free(sync.served);
    if (st < 0)
        lw_log(api->logger, LW_LOG_ERROR, "api",
               "cannot apply changed custom resource definitions; the previous ones stay in "
               "effect: %s",
               err->message[0] ? err->message : lw_status_name(st));
    return st;
}

/* As lw_crds_sync; returns the failure, which is logged, with its reason in |err|. */
static lw_status sync_definitions(lw_api_port *port, lw_error *err)
{
    followup *followups = NULL;
    size_t count = 0;
    lw_status st = update_kinds(port->api, &followups, &count, err);
    run_followups(port, followups, count);
    return st;
}

lw_status lw_crds_sync_mirror(lw_api *api)
{
    lw_error err = LW_ERROR_INIT;
    return update_kinds(api, NULL, NULL, &err);
}

void lw_crds_sync(lw_api_port *port)
{
    lw_error err = LW_ERROR_INIT;
    (void)sync_definitions(port, &err); /* the next sync tries again */
}

/* True if definitions have changed since the last sync. */
static bool has_changes(const lw_api *api)
{
    const lw_cache_resource *definitions = lw_api_resource(api, &lw_kind_customresourcedefinitions);
    return definitions && lw_cache_resource_changes(definitions) !=
                              atomic_load_explicit(&api->crds->synced, memory_order_acquire);
}

bool lw_crds_sync_again(lw_api_port *port)
{
    const lw_api *api = port->api;
    if (api->upstream.confirm ||
        (!atomic_load_explicit(&api->crds->is_stale, memory_order_relaxed) && !has_changes(api)))
        return false;
    lw_crds_sync(port);
    return true;
}

static lw_status open_watcher(lw_api_port *port);

/* A definition has changed, possibly written by another server. */
static void on_ready(lw_watcher *watcher, void *arg)
{
    lw_api_port *port = arg;
    lw_cache_event event = { .object = NULL };
    lw_watch_step step;
    while ((step = lw_watcher_next(watcher, &event)) == LW_WATCH_STEP_EVENT)
        lw_object_unref(event.object);
    if (step != LW_WATCH_STEP_IDLE) { /* the sync below covers what was missed */
        lw_watcher_close(watcher);
        port->definitions = NULL;
        if (open_watcher(port) < 0)
            lw_log(port->api->logger, LW_LOG_ERROR, "api",
                   "out of memory: custom resource definitions of other servers are not served "
                   "until this server is restarted");
    }
    if (!port->is_draining)
        lw_crds_sync(port);
}

static lw_status open_watcher(lw_api_port *port)
{
    static const lw_cache_filter all = { .ns = { NULL, 0 } };
    const lw_watcher_options options = {
        .port = port->cache,
        .resource = lw_api_resource(port->api, &lw_kind_customresourcedefinitions),
        .filter = &all,
        .start = LW_WATCH_START_NOW,
        .on_ready = on_ready,
        .arg = port,
    };
    return options.resource ? lw_watcher_open(&port->definitions, &options, NULL) : LW_OK;
}

lw_status lw_crds_follow(lw_api_port *port, lw_error *err)
{
    lw_error why = LW_ERROR_INIT;
    if (open_watcher(port) < 0)
        lw_log(port->api->logger, LW_LOG_ERROR, "api",
               "out of memory: custom resource definitions of other servers are not served "
               "until this server is restarted");
    lw_status st = sync_definitions(port, &why);
    if (st == LW_ERR_INVALID && err)
        *err = why;
    return st == LW_ERR_INVALID ? st : LW_OK; /* anything else may succeed later */
}

void lw_crds_unfollow(lw_api_port *port)
{
    lw_watcher_close(port->definitions);
    port->definitions = NULL;
}

bool lw_crds_admits(const lw_api *api, const lw_kind *kind, lw_api_status *status)
{
    lw_object *crd = NULL;
    lw_str text;
    if (!kind->custom)
        return true;
    lw_key key = { LW_STR(""), lw_definition_name(kind->custom->definition) };
    lw_status st = lw_lookup(lw_api_resource(api, &lw_kind_customresourcedefinitions), key, &crd);
    if (st < 0) {
        lw_api_status_internal(status, LW_STR("cannot look up the custom resource definition"));
        return false;
    }
    bool is_there = crd != NULL;
    bool is_deleting = crd && lw_object_raw(crd, "/metadata/deletionTimestamp", &text) == LW_OK;
    lw_object_unref(crd);
    if (!is_there)
        lw_api_status_generic(status, 404, LW_STR(""));
    else if (is_deleting)
        lw_api_status_method_not_supported(
            status, lw_kind_gvr(kind),
            LW_STR("create not allowed while custom resource definition is terminating"));
    return is_there && !is_deleting;
}
