/* SPDX-License-Identifier: Apache-2.0 */
/* lifecycle.c -- follows all served kinds and passes their changes to the controllers.
 *
 *     paused ──begin──▶ following ──events missed, out of memory──▶ paused (one second) */
#include "api/lifecycle/lifecycle.h"

#include "api/admission/namespaces.h"
#include "api/certificates/csr_controller.h"
#include "api/certificates/token_cleaner.h"
#include "api/context/definitions.h"
#include "api/crd/crd_purge.h"
#include "api/crd/crds.h"
#include "api/lifecycle/event_expiry.h"
#include "api/lifecycle/gc.h"
#include "api/lifecycle/namespace_controller.h"
#include "api/lifecycle/namespace_object.h"
#include "api/lifecycle/policy_status.h"
#include "api/lifecycle/role_aggregation.h"
#include "api/lifecycle/service_addresses.h"
#include "api/lifecycle/storage_protection.h"
#include "api/lifecycle/token_secrets.h"
#include "api/lifecycle/unfinished_deletion.h"
#include "api/quota/quota_controller.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/log.h"
#include "base/str.h"
#include "crypto/certificate_bundle.h"
#include "schema/kinds/kinds.h"

enum {
    BATCH = 256, /* changes handled per turn of the loop */
    STORAGE_PROTECTION = LW_CONTROLLER_CLAIM_PROTECTION | LW_CONTROLLER_VOLUME_PROTECTION,
};

#define PAUSE_NS LW_NS_PER_S

/* One resource that is followed. */
typedef struct followed {
    const lw_kind *kind;         /* one reference; the stored version of the kind */
    lw_cache_resource *resource; /* the resource of |kind| */
    lw_watcher *watcher;
    bool has_deletions; /* objects were deleted since purge_empty_definitions */
} followed;

typedef struct lw_lifecycle {
    lw_port_worker worker; /* must be the first member */
    lw_api_port *port;
    const lw_kind *namespaces;
    lw_cache_filter all;
    /* Those that do not run are NULL. */
    lw_gc *gc;
    lw_namespace_controller *namespace_controller;
    lw_event_expiry *expiry; /* NULL: the store expires events */
    lw_quota_controller *quotas;
    lw_role_aggregation *roles;
    lw_policy_status *policies;
    lw_token_secrets *token_secrets;
    lw_namespace_object *accounts;   /* NULL: pods need no service account */
    lw_namespace_object *root_ca;    /* NULL: nothing verifies this server */
    lw_service_addresses *addresses; /* NULL: this server has no Service */
    lw_storage_protection *storage;
    lw_unfinished_deletion *deletions;
    lw_csr_controller *requests;
    lw_token_cleaner *tokens; /* NULL: bootstrap tokens are not accepted */
    followed *followed;       /* empty while paused */
    size_t count, capacity;
    lw_catalog_view kinds;    /* the kinds that are followed; none while paused */
    bool has_new_definitions; /* definitions have changed since the last sync */
    lw_task turn;             /* queued while is_posted; counted in port->under_way */
    bool is_posted;
    bool is_following;
    bool is_stopped;
    lw_timer pause;
} lw_lifecycle;

static void begin(lw_lifecycle *lc);

/* Posts take_turn to a later turn of the loop. */
static void post_turn(void *arg)
{
    lw_lifecycle *lc = arg;
    if (lc->is_posted || lc->is_stopped)
        return;
    lc->is_posted = true;
    lc->port->under_way++;
    lw_loop_post(lc->port->loop, &lc->turn);
}

static void on_ready(lw_watcher *watcher, void *arg)
{
    (void)watcher;
    post_turn(arg);
}

static void unfollow(lw_lifecycle *lc, size_t at)
{
    followed gone = lc->followed[at];
    lc->followed[at] = lc->followed[--lc->count];
    lw_watcher_close(gone.watcher);
    lw_kind_unref(gone.kind);
}

static void unfollow_all(lw_lifecycle *lc)
{
    while (lc->count > 0)
        unfollow(lc, lc->count - 1);
    lw_catalog_view_done(&lc->kinds);
    lc->is_following = false;
}

static void pause_over(lw_timer *timer)
{
    begin(LW_HEAP_ITEM(&timer->node, lw_lifecycle, pause.node));
}

static void pause_following(lw_lifecycle *lc)
{
    unfollow_all(lc);
    lw_gc_forget(lc->gc);
    lw_namespace_controller_forget(lc->namespace_controller);
    lw_event_expiry_forget(lc->expiry);
    lw_quota_controller_forget(lc->quotas);
    lw_role_aggregation_forget(lc->roles);
    lw_policy_status_forget(lc->policies);
    lw_token_secrets_forget(lc->token_secrets);
    lw_namespace_object_forget(lc->accounts);
    lw_namespace_object_forget(lc->root_ca);
    lw_service_addresses_forget(lc->addresses);
    lw_storage_protection_forget(lc->storage);
    lw_unfinished_deletion_forget(lc->deletions);
    lw_csr_controller_forget(lc->requests);
    lw_token_cleaner_forget(lc->tokens);
    lc->pause.fire = pause_over;
    if (!lc->is_stopped &&
        lw_timer_set(lc->port->loop, &lc->pause, lw_loop_now(lc->port->loop) + PAUSE_NS) < 0)
        lw_log(lc->port->api->logger, LW_LOG_ERROR, "lifecycle",
               "out of memory: garbage collection, namespace deletion, event expiry, quota "
               "counting and certificate signing are stopped until the server is restarted");
}

static lw_status pass_change(lw_lifecycle *lc, followed *f, const lw_cache_event *event)
{
    const lw_kind *kind = f->kind;
    f->has_deletions |= event->type == LW_WATCH_DELETED;
    lc->has_new_definitions |= lw_kind_is_definition(kind);
    lw_status st = lw_gc_observe(lc->gc, kind, event);
    if (st == LW_OK && kind == lc->namespaces)
        st = lw_namespace_controller_observe(lc->namespace_controller, event);
    else if (st == LW_OK && kind->is_namespaced && event->type != LW_WATCH_MODIFIED)
        lw_namespace_controller_stirred(lc->namespace_controller,
                                        lw_str_of(lw_object_namespace(event->object)));
    if (st == LW_OK)
        st = lw_event_expiry_observe(lc->expiry, kind, event);
    if (st == LW_OK)
        st = lw_quota_controller_observe(lc->quotas, kind, event);
    if (st == LW_OK)
        st = lw_role_aggregation_observe(lc->roles, kind, event);
    if (st == LW_OK)
        st = lw_policy_status_observe(lc->policies, kind, event);
    if (st == LW_OK)
        st = lw_token_secrets_observe(lc->token_secrets, kind, event);
    if (st == LW_OK)
        st = lw_namespace_object_observe(lc->accounts, kind, event);
    if (st == LW_OK)
        st = lw_namespace_object_observe(lc->root_ca, kind, event);
    if (st == LW_OK)
        st = lw_service_addresses_observe(lc->addresses, kind, event);
    if (st == LW_OK)
        st = lw_storage_protection_observe(lc->storage, kind, event);
    if (st == LW_OK)
        st = lw_unfinished_deletion_observe(lc->deletions, kind, event);
    if (st == LW_OK)
        st = lw_csr_controller_observe(lc->requests, kind, event);
    if (st == LW_OK)
        st = lw_token_cleaner_observe(lc->tokens, kind, event);
    return st;
}

typedef enum pulled {
    PULLED,
    PULL_ENDED,  /* the resource was removed, and all its changes were handled */
    PULL_FAILED, /* changes were missed */
} pulled;

/* Handles the changes of one watcher, at most |*budget|. */
static pulled pull(lw_lifecycle *lc, followed *f, size_t *budget)
{
    lw_cache_event event = { .object = NULL };
    while (*budget > 0) {
        lw_status st = LW_OK;
        switch (lw_watcher_next(f->watcher, &event)) {
        case LW_WATCH_STEP_IDLE: return PULLED;
        case LW_WATCH_STEP_SYNCED: continue;
        case LW_WATCH_STEP_EVENT:
            st = pass_change(lc, f, &event);
            lw_object_unref(event.object);
            break;
        case LW_WATCH_STEP_ENDED: return PULL_ENDED;
        case LW_WATCH_STEP_EXPIRED:
        case LW_WATCH_STEP_FAILED: return PULL_FAILED;
        }
        if (st < 0)
            return PULL_FAILED;
        --*budget;
    }
    return PULLED;
}

/* Handles the available changes.  False: it no longer follows. */
static bool pull_all(lw_lifecycle *lc, size_t *budget)
{
    for (size_t i = 0; i < lc->count;) {
        switch (pull(lc, &lc->followed[i], budget)) {
        case PULLED: i++; break;
        case PULL_ENDED:
            lw_gc_forget_resource(lc->gc, lc->followed[i].resource);
            unfollow(lc, i);
            break;
        case PULL_FAILED: pause_following(lc); break;
        }
    }
    return lc->is_following;
}

static followed *find_followed(const lw_lifecycle *lc, const lw_cache_resource *resource)
{
    for (size_t i = 0; i < lc->count; i++) {
        if (lc->followed[i].resource == resource)
            return &lc->followed[i];
    }
    return NULL;
}

static lw_status follow(lw_lifecycle *lc, const lw_kind *kind, lw_cache_resource *resource)
{
    lw_watcher *watcher = NULL;
    const lw_watcher_options options = {
        .port = lc->port->cache,
        .resource = resource,
        .filter = &lc->all,
        .start = LW_WATCH_START_STATE,
        .on_ready = on_ready,
        .arg = lc,
        .is_uncounted = true,
    };
    if (lc->count == lc->capacity) {
        size_t capacity = lc->capacity > 0 ? lc->capacity * 2 : 64;
        followed *more = lw_realloc_array(lc->followed, capacity, sizeof(*more));
        if (!more)
            return LW_ERR_NOMEM;
        lc->followed = more;
        lc->capacity = capacity;
    }
    lw_status st = lw_watcher_open(&watcher, &options, NULL);
    if (st < 0)
        return st;
    lc->followed[lc->count++] =
        (followed){ .kind = lw_kind_ref(kind), .resource = resource, .watcher = watcher };
    post_turn(lc);
    return LW_OK;
}

/* Follows |kind|, in its current definition. */
static lw_status follow_kind(lw_lifecycle *lc, const lw_kind *kind)
{
    const lw_kind *stored =
        kind->custom ? lw_definition_storage_kind(kind->custom->definition) : kind;
    lw_cache_resource *resource = lw_api_resource(lc->port->api, kind);
    if (!resource || !stored || !lw_kind_is_first(kind))
        return LW_OK;
    followed *known = kind->custom ? find_followed(lc, resource) : NULL;
    if (!known)
        return follow(lc, stored, resource);
    (void)lw_kind_ref(stored);
    lw_kind_unref(known->kind);
    known->kind = stored;
    return LW_OK;
}

/* Follows the kinds that are served now.  False: it no longer follows. */
static bool follow_kinds(lw_lifecycle *lc)
{
    uint64_t before = lc->kinds.version; /* 0: nothing is followed yet */
    lw_status st = LW_OK;
    size_t count;
    const lw_registry *now = lw_catalog_look(&lc->port->api->catalog, &lc->kinds);
    if (lc->kinds.version == before)
        return true;
    const lw_kind *const *kinds = lw_registry_kinds(now, &count);
    for (size_t i = 0; i < count && st == LW_OK; i++) {
        if (before == 0 || kinds[i]->custom)
            st = follow_kind(lc, kinds[i]);
    }
    if (st < 0)
        pause_following(lc);
    else if (before != 0)
        lw_quota_controller_recount_all(lc->quotas);
    return st == LW_OK;
}

/* Brings the controllers up to date with the cache, before a decision. */
static bool catch_up(void *arg)
{
    size_t budget = SIZE_MAX;
    lw_lifecycle *lc = arg;
    bool is_caught_up = lc->is_following && follow_kinds(lc) && pull_all(lc, &budget);
    if (budget < SIZE_MAX)
        post_turn(lc); /* the watchers do not call again for these changes, so the rest of the work
                          needs a turn */
    return is_caught_up;
}

/* Continues the deletion of definitions that may have lost their last object. */
static void purge_empty_definitions(lw_lifecycle *lc)
{
    for (size_t i = 0; i < lc->count; i++) {
        if (lc->followed[i].has_deletions && lc->followed[i].kind->custom)
            lw_crd_purge_if_empty(lc->port, lc->followed[i].kind);
        lc->followed[i].has_deletions = false;
    }
}

static void take_turn(lw_task *task)
{
    lw_lifecycle *lc = LW_DLIST_ITEM(&task->link, lw_lifecycle, turn.link);
    size_t budget = BATCH;
    lc->is_posted = false;
    lc->port->under_way--;
    if (lc->is_stopped || !pull_all(lc, &budget))
        return;
    if (lc->has_new_definitions) {
        lc->has_new_definitions = false;
        lw_crds_sync(lc->port);
    }
    if (!follow_kinds(lc))
        return;
    if (budget == 0)
        post_turn(lc);
    purge_empty_definitions(lc);
    lw_gc_pump(lc->gc);
    lw_namespace_controller_pump(lc->namespace_controller);
    lw_quota_controller_pump(lc->quotas);
    lw_role_aggregation_pump(lc->roles);
    lw_policy_status_pump(lc->policies);
    lw_token_secrets_pump(lc->token_secrets);
    lw_namespace_object_pump(lc->accounts);
    lw_namespace_object_pump(lc->root_ca);
    lw_service_addresses_pump(lc->addresses);
    lw_storage_protection_pump(lc->storage);
    lw_unfinished_deletion_pump(lc->deletions);
    lw_csr_controller_pump(lc->requests);
    lw_token_cleaner_pump(lc->tokens);
}

static void begin(lw_lifecycle *lc)
{
    lc->is_following = true;
    (void)follow_kinds(lc);
}

static const lw_namespace_object_type default_account = {
    .kind = &lw_kind_serviceaccounts,
    .name = "default",
    .json =
        "{\"apiVersion\":\"v1\",\"kind\":\"ServiceAccount\",\"metadata\":{\"name\":\"default\"}}",
};

static lw_status create_root_ca(lw_lifecycle *lc)
{
    const lw_namespace_object_type type = {
        .kind = &lw_kind_configmaps,
        .name = "kube-root-ca.crt",
        .json = "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":"
                "\"kube-root-ca.crt\",\"annotations\":{\"kubernetes.io/description\":"
                "\"Contains a CA bundle that can be used to verify the kube-apiserver when using "
                "internal endpoints such as the internal service IP or kubernetes.default.svc. No "
                "other usage is guaranteed across distributions of Kubernetes clusters.\"}}}",
        .data_key = "ca.crt",
        .data_value = lc->port->api->issuer.root_ca,
        /* kube-controller-manager publishes the file that it was given: neither writes over the
         * other's for ever. */
        .is_as_good = lw_certificate_bundle_verifies,
    };
    return lw_namespace_object_new(&lc->root_ca, lc->port, &type);
}

static lw_status create_controllers(lw_lifecycle *lc)
{
    const lw_gc_options gc = {
        .port = lc->port, .catch_up = catch_up, .again = post_turn, .arg = lc
    };
    const lw_api *api = lc->port->api;
    lw_status st = LW_OK;
    if (api->controllers & LW_CONTROLLER_GC)
        st = lw_gc_new(&lc->gc, &gc);
    if (st == LW_OK && api->controllers & LW_CONTROLLER_NAMESPACE)
        st = lw_namespace_controller_new(&lc->namespace_controller, lc->port);
    /* A shared store expires events itself: see lw_store_txn.ttl_s. */
    if (st == LW_OK && !lw_store_is_shared(api->store) && api->event_ttl_s > 0)
        st = lw_event_expiry_new(&lc->expiry, lc->port, api->event_ttl_s);
    if (st == LW_OK && api->controllers & LW_CONTROLLER_QUOTA)
        st = lw_quota_controller_new(&lc->quotas, lc->port);
    if (st == LW_OK && api->controllers & LW_CONTROLLER_ROLE_AGGREGATION)
        st = lw_role_aggregation_new(&lc->roles, lc->port);
    if (st == LW_OK && api->controllers & LW_CONTROLLER_POLICY_STATUS)
        st = lw_policy_status_new(&lc->policies, lc->port);
    if (st == LW_OK && api->controllers & LW_CONTROLLER_TOKEN_SECRETS)
        st = lw_token_secrets_new(&lc->token_secrets, lc->port);
    if (st == LW_OK && api->admits_accounts && api->controllers & LW_CONTROLLER_ACCOUNTS)
        st = lw_namespace_object_new(&lc->accounts, lc->port, &default_account);
    if (st == LW_OK && api->issuer.root_ca.len > 0 && api->controllers & LW_CONTROLLER_ROOT_CA)
        st = create_root_ca(lc);
    if (st == LW_OK && api->advertised.port > 0)
        st = lw_service_addresses_new(&lc->addresses, lc->port);
    if (st == LW_OK && api->controllers & STORAGE_PROTECTION)
        st = lw_storage_protection_new(&lc->storage, lc->port,
                                       api->controllers & STORAGE_PROTECTION);
    if (st == LW_OK)
        st = lw_unfinished_deletion_new(&lc->deletions, lc->port);
    if (st == LW_OK && api->controllers & LW_CONTROLLER_CSR)
        st = lw_csr_controller_new(&lc->requests, lc->port);
    if (st == LW_OK && api->cleans_bootstrap_tokens &&
        api->controllers & LW_CONTROLLER_TOKEN_CLEANER)
        st = lw_token_cleaner_new(&lc->tokens, lc->port);
    return st;
}

static void lifecycle_stop(lw_port_worker *worker)
{
    lw_lifecycle *lc = (lw_lifecycle *)(void *)worker;
    if (lc->is_stopped)
        return;
    lc->is_stopped = true;
    lw_timer_cancel(lc->port->loop, &lc->pause);
    unfollow_all(lc);
    lw_gc_stop(lc->gc);
    lw_namespace_controller_stop(lc->namespace_controller);
    lw_event_expiry_stop(lc->expiry);
    lw_quota_controller_stop(lc->quotas);
    lw_role_aggregation_stop(lc->roles);
    lw_policy_status_stop(lc->policies);
    lw_token_secrets_stop(lc->token_secrets);
    lw_namespace_object_stop(lc->accounts);
    lw_namespace_object_stop(lc->root_ca);
    lw_service_addresses_stop(lc->addresses);
    lw_storage_protection_stop(lc->storage);
    lw_unfinished_deletion_stop(lc->deletions);
    lw_csr_controller_stop(lc->requests);
    lw_token_cleaner_stop(lc->tokens);
}

static void lifecycle_free(lw_port_worker *worker)
{
    lw_lifecycle *lc = (lw_lifecycle *)(void *)worker;
    lw_gc_free(lc->gc);
    lw_namespace_controller_free(lc->namespace_controller);
    lw_event_expiry_free(lc->expiry);
    lw_quota_controller_free(lc->quotas);
    lw_role_aggregation_free(lc->roles);
    lw_policy_status_free(lc->policies);
    lw_token_secrets_free(lc->token_secrets);
    lw_namespace_object_free(lc->accounts);
    lw_namespace_object_free(lc->root_ca);
    lw_service_addresses_free(lc->addresses);
    lw_storage_protection_free(lc->storage);
    lw_unfinished_deletion_free(lc->deletions);
    lw_csr_controller_free(lc->requests);
    lw_token_cleaner_free(lc->tokens);
    lw_free(lc->followed);
    lw_free(lc);
}

lw_status lw_lifecycle_start(lw_api *api, lw_loop *loop, lw_error *err)
{
    lw_lifecycle *lc = lw_alloc_zero(1, sizeof(*lc));
    if (!lc)
        return lw_error_nomem(err);
    lc->port = lw_loop_data(loop);
    lc->turn.run = take_turn;
    lc->namespaces = lw_namespace_kind(api);
    if (create_controllers(lc) < 0) {
        lifecycle_free(&lc->worker);
        return lw_error_nomem(err);
    }
    lc->worker.stop = lifecycle_stop;
    lc->worker.free = lifecycle_free;
    lw_port_add_worker(lc->port, &lc->worker);
    begin(lc);
    return LW_OK;
}
