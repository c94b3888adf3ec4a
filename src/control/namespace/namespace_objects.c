/* SPDX-License-Identifier: Apache-2.0 */
/* namespace_objects.c -- what every namespace is given: the ServiceAccount "default", as which
 * pods run that name no other, and the ConfigMap "kube-root-ca.crt", by which they know the server.
 *
 * Two controllers of one shape; the key of both is the namespace.  What is deleted comes again;
 * of the ConfigMap the data is kept as it should be. */
#include <stdlib.h>
#include <string.h>

#include "controllers.h"
#include "runtime/controller.h"
#include "runtime/loop.h"
#include "runtime/merge_patch.h"
#include "runtime/report.h"

enum {
    WORKERS = 1,
};

#define CA_PATH "/data/ca.crt"
#define NOTE    "/metadata/annotations/kubernetes.io~1description"

/* What is made. */
typedef struct namespace_thing {
    const char *controller;
    const char *resource, *kind, *name;
    const char *field_selector; /* that of its name: the others are not kept */
    const char *description;    /* NULL: none */
    bool has_ca;
} namespace_thing;

static const namespace_thing service_account = {
    .controller = "serviceaccounts",
    .resource = "serviceaccounts",
    .kind = "ServiceAccount",
    .name = "default",
    .field_selector = "metadata.name=default",
};

static const namespace_thing root_ca = {
    .controller = "root-ca",
    .resource = "configmaps",
    .kind = "ConfigMap",
    .name = "kube-root-ca.crt",
    .field_selector = "metadata.name=kube-root-ca.crt",
    .description = "The CA certificate of the API server. Pods use it to verify the server.",
    .has_ca = true,
};

typedef struct controller {
    const lw_control_env *env;
    const namespace_thing *thing;
    lw_informer *namespaces, *things;
    lw_control_loop *loop;
} controller;

static lw_gvr gvr_of(const controller *c)
{
    return lw_gvr_make("", "v1", c->thing->resource);
}

static void write_thing(const controller *c, const char *ns, lw_document *doc)
{
    const namespace_thing *thing = c->thing;
    lw_document_set_string(doc, NULL, "/apiVersion", "v1");
    lw_document_set_string(doc, NULL, "/kind", thing->kind);
    lw_document_set_string(doc, NULL, "/metadata/name", thing->name);
    lw_document_set_string(doc, NULL, "/metadata/namespace", ns);
    if (thing->description)
        lw_document_set_string(doc, NULL, NOTE, thing->description);
    if (thing->has_ca)
        lw_document_set_string(doc, NULL, CA_PATH, c->env->root_ca);
}

static lw_status create_thing(const controller *c, const char *ns, lw_error *err)
{
    lw_document *doc = NULL;
    lw_object *obj = NULL;
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    write_thing(c, ns, doc);
    st = lw_document_to_object(doc, &obj, err);
    if (st == LW_OK)
        st = lw_client_create(c->env->client, gvr_of(c), obj, NULL, err);
    if (st == LW_OK)
        lw_control_loop_step(c->loop, "created", c->thing->kind, lw_object_key(obj), NULL);
    lw_object_unref(obj);
    lw_document_free(doc);
    return st == LW_ERR_EXISTS ? LW_OK : st; /* the cache lags */
}

/* Sets the CA right, and takes nothing else away. */
static lw_status mend_thing(const controller *c, const lw_object *there, lw_error *err)
{
    lw_document *patch = NULL;
    if (!c->thing->has_ca || strcmp(lw_object_string(there, CA_PATH, ""), c->env->root_ca) == 0)
        return LW_OK;
    lw_status st = lw_document_new(&patch, err);
    if (st < 0)
        return st;
    lw_document_set_string(patch, NULL, CA_PATH, c->env->root_ca);
    st = lw_patch_send(c->env->client, gvr_of(c), there, NULL, patch, err);
    if (st == LW_OK)
        lw_control_loop_step(c->loop, "updated", c->thing->kind, lw_object_key(there), NULL);
    lw_document_free(patch);
    return st == LW_ERR_NOT_FOUND ? LW_OK : st;
}

/* A namespace that is going takes nothing new. */
static bool takes_objects(const lw_object *ns)
{
    return ns && strcmp(lw_object_string(ns, "/metadata/deletionTimestamp", ""), "") == 0;
}

static lw_status reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    const controller *c = arg;
    lw_status st = LW_OK;
    lw_object *ns = lw_lister_get(lw_informer_lister(c->namespaces), NULL, key.name.ptr);
    lw_object *there = lw_lister_get(lw_informer_lister(c->things), key.name.ptr, c->thing->name);
    (void)result;
    if (there)
        st = mend_thing(c, there, err);
    else if (takes_objects(ns))
        st = create_thing(c, key.name.ptr, err);
    lw_object_unref(there);
    lw_object_unref(ns);
    return st;
}

static void on_thing(const lw_event *event, lw_control_loop *loop, void *arg)
{
    (void)arg;
    lw_control_loop_add(loop, lw_str_of(""), lw_object_key(event->object).ns);
}

static void controller_free(void *self)
{
    controller *c = self;
    if (!c)
        return;
    lw_control_loop_free(c->loop);
    free(c);
}

static lw_status controller_make(void **out, const lw_control_env *env,
                                 const namespace_thing *thing, lw_error *err)
{
    controller *c = calloc(1, sizeof(*c));
    if (!c)
        return lw_report_nomem(err);
    c->env = env;
    c->thing = thing;
    lw_status st =
        lw_control_loop_new(&c->loop, env, thing->controller, WORKERS, reconcile, c, err);
    if (st == LW_OK)
        st = lw_control_loop_watch(c->loop, "namespaces", &c->namespaces, err);
    if (st == LW_OK)
        st = lw_control_loop_watch_some(c->loop, thing->resource, thing->field_selector, on_thing,
                                        c, &c->things, err);
    if (st < 0)
        controller_free(c);
    else
        *out = c;
    return st;
}

static lw_status service_accounts_make(void **out, const lw_control_env *env, lw_error *err)
{
    return controller_make(out, env, &service_account, err);
}

static lw_status root_ca_make(void **out, const lw_control_env *env, lw_error *err)
{
    return controller_make(out, env, &root_ca, err);
}

static lw_status service_accounts_start(void *self, lw_error *err)
{
    const controller *c = self;
    return lw_control_loop_start(c->loop, err);
}

/* Without a CA (plain HTTP, or one that the system knows) there is nothing to hand out. */
static lw_status root_ca_start(void *self, lw_error *err)
{
    const controller *c = self;
    return c->env->root_ca ? lw_control_loop_start(c->loop, err) : LW_OK;
}

const lw_controller_type lw_service_accounts_controller = {
    .name = "serviceaccounts",
    .needs_lease = true,
    .make = service_accounts_make,
    .start = service_accounts_start,
    .free = controller_free,
};

const lw_controller_type lw_root_ca_controller = {
    .name = "root-ca",
    .needs_lease = true,
    .make = root_ca_make,
    .start = root_ca_start,
    .free = controller_free,
};
