/* SPDX-License-Identifier: Apache-2.0 */
/* website_controller.c -- keeps what a Website asks for as it should be.
 *
 *     informers (websites, deployments, services, the routes) ─▶ keys of Websites ─▶ reconcile
 *
 * reconcile reads the caches of the informers and writes with the client.  It runs on one worker
 * thread, for one key at a time. */
#include "website.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SYNC_TIMEOUT_S = 30,
    KEY_SIZE = 512,
};

static const int64_t look_again_ns = 30 * INT64_C(1000000000);

struct website_controller {
    lw_client *client;
    lw_factory *factory;
    lw_informer *websites, *deployments, *services, *routes;
    lw_reconciler *reconciler;
};

static lw_gvr websites_gvr(void)
{
    return lw_gvr_make("example.com", "v1", "websites");
}

static lw_gvr config_maps_gvr(void)
{
    return lw_gvr_make("", "v1", "configmaps");
}

/* Sends |patch| as a merge patch: what it names is changed, everything else stays. */
static lw_status send_patch(const website_controller *c, lw_gvr gvr, const lw_object *site,
                            const char *name, const char *subresource, lw_document *patch,
                            lw_error *err)
{
    lw_str json;
    lw_status st = lw_document_json(patch, NULL, &json, err);
    if (st == LW_OK)
        st = lw_client_patch(c->client, gvr, lw_object_namespace(site), name, json,
                             &(const lw_patch_options){ .size = sizeof(lw_patch_options),
                                                        .subresource = subresource },
                             NULL, err);
    return st;
}

static lw_status create(const website_controller *c, lw_gvr gvr, lw_document *doc, lw_error *err)
{
    lw_object *obj = NULL;
    lw_status st = lw_document_to_object(doc, &obj, err);
    if (st == LW_OK)
        st = lw_client_create(c->client, gvr, obj, NULL, NULL, err);
    lw_object_unref(obj);
    return st;
}

/* Patches |have| where it lacks a field of |wanted|, or has another value there. */
static lw_status correct(const website_controller *c, lw_gvr gvr, const lw_object *site,
                         const lw_object *have, lw_document *wanted, lw_error *err)
{
    lw_document *now = NULL;
    lw_status st = lw_document_from_object(&now, have, err);
    (void)lw_document_remove(wanted, NULL, "/metadata/ownerReferences"); /* there may be others */
    if (st == LW_OK &&
        !website_is_contained(lw_document_find(wanted, NULL, ""), lw_document_find(now, NULL, "")))
        st = send_patch(c, gvr, site, lw_object_name(have), NULL, wanted, err);
    lw_document_free(now);
    return st;
}

/* Creates |wanted|, or corrects the one there is.  What trying again cannot fix is a |problem|, not
 * an error. */
static lw_status ensure(const website_controller *c, lw_gvr gvr, lw_informer *informer,
                        const lw_object *site, lw_document *wanted, website_problem *problem,
                        lw_error *err)
{
    lw_status st = LW_OK;
    lw_object *have = lw_lister_get(lw_informer_lister(informer), lw_object_namespace(site),
                                    lw_object_name(site));
    if (have && !website_owns(site, have)) {
        problem->reason = "NameTaken";
        (void)snprintf(problem->message, sizeof(problem->message),
                       "a %s of this name exists and does not belong to this Website",
                       lw_object_kind(have));
    } else {
        st = have ? correct(c, gvr, site, have, wanted, err) : create(c, gvr, wanted, err);
    }
    if (st == LW_ERR_EXISTS) {
        st = LW_OK; /* the cache lags behind; the event of this object brings us back */
    } else if (st == LW_ERR_INVALID) {
        problem->reason = "Rejected";
        (void)snprintf(problem->message, sizeof(problem->message), "%s", err->message);
        st = LW_OK;
    }
    lw_object_unref(have);
    return st;
}

/* Writes the status, unless it is already there: a controller that writes each time it looks wakes
 * itself up for ever. */
static lw_status report(const website_controller *c, const lw_object *site,
                        const website_problem *problem, lw_error *err)
{
    lw_document *wanted = NULL, *now = NULL;
    lw_object *deployment = lw_lister_get(lw_informer_lister(c->deployments),
                                          lw_object_namespace(site), lw_object_name(site));
    lw_status st = website_status(&wanted, site, deployment, problem, err);
    if (st == LW_OK)
        st = lw_document_from_object(&now, site, err);
    if (st == LW_OK && !website_is_contained(lw_document_find(wanted, NULL, "/status"),
                                             lw_document_find(now, NULL, "/status")))
        st = send_patch(c, websites_gvr(), site, lw_object_name(site), "status", wanted, err);
    lw_document_free(now);
    lw_document_free(wanted);
    lw_object_unref(deployment);
    return st;
}

/* Where the route of |site| is in the ConfigMap.  A name has no '/' and no '~', so it needs no
 * escaping in a JSON Pointer. */
static void route_pointer(char pointer[KEY_SIZE], const lw_object *site)
{
    (void)snprintf(pointer, KEY_SIZE, "/data/%s", lw_object_name(site));
}

/* Sets the route of |site| in the ConfigMap that all Websites of the namespace share; |host| NULL
 * removes it, because in a merge patch null means: remove. */
static lw_status set_route(const website_controller *c, const lw_object *site, const char *host,
                           lw_error *err)
{
    char pointer[KEY_SIZE];
    lw_document *doc = NULL;
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    route_pointer(pointer, site);
    lw_document_set_string(doc, NULL, "/apiVersion", "v1");
    lw_document_set_string(doc, NULL, "/kind", "ConfigMap");
    lw_document_set_string(doc, NULL, "/metadata/name", WEBSITE_ROUTES);
    lw_document_set_string(doc, NULL, "/metadata/namespace", lw_object_namespace(site));
    if (host)
        lw_document_set_string(doc, NULL, pointer, host);
    else
        lw_document_set_null(doc, NULL, pointer);
    st = send_patch(c, config_maps_gvr(), site, WEBSITE_ROUTES, NULL, doc, err);
    if (st == LW_ERR_NOT_FOUND)
        st = host ? create(c, config_maps_gvr(), doc, err) : LW_OK;
    lw_document_free(doc);
    return st;
}

static bool has_route(const website_controller *c, const lw_object *site, const char *host)
{
    char pointer[KEY_SIZE];
    lw_object *map =
        lw_lister_get(lw_informer_lister(c->routes), lw_object_namespace(site), WEBSITE_ROUTES);
    route_pointer(pointer, site);
    bool has = map && strcmp(lw_object_string(map, pointer, ""), host) == 0;
    lw_object_unref(map);
    return has;
}

/* Copies the finalizers of |site| but ours into |patch|; returns whether ours was among them. */
static bool other_finalizers(lw_document *patch, const lw_object *site)
{
    char pointer[64];
    bool has_ours = false;
    lw_document_set_array(patch, NULL, "/metadata/finalizers");
    for (int i = 0;; i++) {
        (void)snprintf(pointer, sizeof(pointer), "/metadata/finalizers/%d", i);
        const char *name = lw_object_string(site, pointer, NULL);
        if (!name)
            return has_ours;
        if (strcmp(name, WEBSITE_FINALIZER) == 0)
            has_ours = true;
        else
            lw_document_set_string(patch, NULL, "/metadata/finalizers/-", name);
    }
}

/* Puts our finalizer on |site|, or takes it off.  |*is_changed| says whether that was needed. */
static lw_status set_finalizer(const website_controller *c, const lw_object *site, bool is_wanted,
                               bool *is_changed, lw_error *err)
{
    lw_document *patch = NULL;
    lw_status st = lw_document_new(&patch, err);
    if (st < 0)
        return st;
    /* The patch replaces the whole list: only if nobody has changed it since we read it. */
    lw_document_set_string(patch, NULL, "/metadata/resourceVersion",
                           lw_object_resource_version(site));
    *is_changed = other_finalizers(patch, site) != is_wanted;
    if (is_wanted)
        lw_document_set_string(patch, NULL, "/metadata/finalizers/-", WEBSITE_FINALIZER);
    if (*is_changed)
        st = send_patch(c, websites_gvr(), site, lw_object_name(site), NULL, patch, err);
    lw_document_free(patch);
    return st;
}

/* The Website is being deleted: remove what no owner reference covers, then let it go. */
static lw_status clean_up(const website_controller *c, const lw_object *site, lw_error *err)
{
    bool is_changed;
    lw_status st = set_route(c, site, NULL, err);
    if (st == LW_OK)
        st = set_finalizer(c, site, false, &is_changed, err);
    return st == LW_ERR_NOT_FOUND ? LW_OK : st; /* gone already */
}

/* Makes everything that a living Website needs. */
static lw_status bring_up(const website_controller *c, const lw_object *site,
                          lw_reconcile_result *result, lw_error *err)
{
    const char *host = lw_object_string(site, "/spec/host", "");
    website_problem problem = { .reason = NULL };
    lw_document *deployment = NULL, *service = NULL;
    lw_status st = website_deployment(&deployment, site, err);
    if (st == LW_OK)
        st = website_service(&service, site, err);
    if (st == LW_OK)
        st = ensure(c, lw_gvr_make("apps", "v1", "deployments"), c->deployments, site, deployment,
                    &problem, err);
    if (st == LW_OK)
        st =
            ensure(c, lw_gvr_make("", "v1", "services"), c->services, site, service, &problem, err);
    if (st == LW_OK && !has_route(c, site, host))
        st = set_route(c, site, host, err);
    if (st == LW_OK)
        st = report(c, site, &problem, err);
    if (problem.reason)
        result->again_after_ns = look_again_ns; /* no event of ours will tell when it is solved */
    lw_document_free(service);
    lw_document_free(deployment);
    return st;
}

/* Compares what there is with what there should be, whatever has happened.  An error brings the key
 * back, later each time. */
static lw_status reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    const website_controller *c = arg;
    bool is_changed = false;
    lw_object *site = lw_lister_get(lw_informer_lister(c->websites), key.ns.ptr, key.name.ptr);
    if (!site)
        return LW_OK; /* it is gone; its finalizer has seen to the rest */
    lw_status st;
    if (lw_object_string(site, "/metadata/deletionTimestamp", NULL)) {
        st = clean_up(c, site, err);
    } else {
        st = set_finalizer(c, site, true, &is_changed, err);
        if (st == LW_OK && !is_changed) /* else the event of this change brings us back */
            st = bring_up(c, site, result, err);
    }
    lw_object_unref(site);
    return st;
}

/* The routes are about every Website of their namespace. */
static void routes_to_websites(const lw_event *event, lw_workqueue *queue, void *arg)
{
    const website_controller *c = arg;
    char key[KEY_SIZE];
    lw_object_list *sites =
        lw_lister_list(lw_informer_lister(c->websites), lw_object_namespace(event->object), NULL);
    for (size_t i = 0; i < lw_object_list_count(sites); i++) {
        (void)lw_key_print(lw_object_key(lw_object_list_at(sites, i)), key, sizeof(key));
        (void)lw_workqueue_add(queue, key);
    }
    lw_object_list_free(sites);
}

/* The four informers.  Of all ConfigMaps only the routes are cached. */
static lw_status add_informers(website_controller *c, lw_error *err)
{
    lw_informer_options routes = LW_INFORMER_OPTIONS_INIT;
    routes.field_selector = "metadata.name=" WEBSITE_ROUTES;
    lw_status st = lw_factory_informer(c->factory, "websites.example.com", &c->websites, err);
    if (st == LW_OK)
        st = lw_factory_informer(c->factory, "deployments.apps", &c->deployments, err);
    if (st == LW_OK)
        st = lw_factory_informer(c->factory, "services", &c->services, err);
    if (st == LW_OK)
        st = lw_factory_informer_with(c->factory, "configmaps", &routes, &c->routes, err);
    return st;
}

/* Which events lead to which Websites. */
static lw_status add_watches(website_controller *c, lw_error *err)
{
    lw_status st = lw_reconciler_watch(c->reconciler, c->websites, err);
    if (st == LW_OK)
        st = lw_reconciler_watch_owned(c->reconciler, c->deployments, c->websites, err);
    if (st == LW_OK)
        st = lw_reconciler_watch_owned(c->reconciler, c->services, c->websites, err);
    if (st == LW_OK)
        st = lw_reconciler_watch_mapped(c->reconciler, c->routes, routes_to_websites, c, err);
    return st;
}

lw_status website_controller_start(website_controller **out, lw_client *client,
                                   const lw_logger *logger, lw_error *err)
{
    website_controller *c = calloc(1, sizeof(*c));
    if (!c)
        return LW_ERR_NOMEM;
    c->client = lw_client_ref(client);
    const lw_factory_options factory = { .size = sizeof(lw_factory_options),
                                         .client = client,
                                         .logger = logger };
    const lw_reconciler_options reconciler = { .size = sizeof(lw_reconciler_options),
                                               .name = "website",
                                               .reconcile = reconcile,
                                               .arg = c,
                                               .logger = logger };
    lw_status st = lw_factory_new(&c->factory, &factory, err);
    if (st == LW_OK)
        st = add_informers(c, err);
    if (st == LW_OK)
        st = lw_reconciler_new(&c->reconciler, &reconciler, err);
    if (st == LW_OK)
        st = add_watches(c, err);
    if (st == LW_OK)
        st = lw_factory_start(c->factory, err);
    if (st == LW_OK)
        st = lw_factory_wait_for_sync(c->factory, SYNC_TIMEOUT_S, err);
    if (st == LW_OK)
        st = lw_reconciler_start(c->reconciler, err);
    if (st < 0)
        website_controller_stop(c);
    else
        *out = c;
    return st;
}

void website_controller_stop(website_controller *c)
{
    if (!c)
        return;
    lw_reconciler_free(c->reconciler); /* before the informers it listens to */
    lw_factory_free(c->factory);
    lw_client_unref(c->client);
    free(c);
}
