/* SPDX-License-Identifier: Apache-2.0 */
/* namespace_objects.c -- two controllers that create one object in every namespace: the
 * ServiceAccount "default", which pods use unless they name another one, and the ConfigMap
 * "kube-root-ca.crt", with which pods verify the server.
 *
 * The key of both is the namespace.  Deleted objects are created again; the data of the ConfigMap
 * is restored. */
#include <stdlib.h>
#include <string.h>

#include "controllers.h"
#include "runtime/controller.h"
#include "runtime/loop.h"
#include "runtime/patch.h"
#include "runtime/report.h"

enum {
    WORKERS = 1,
};

#define CA_PATH "/data/ca.crt"
#define NOTE    "/metadata/annotations/kubernetes.io~1description"

/* The object to create. */
typedef struct namespace_object {
    const char *controller;
    const char *resource, *kind, *name;
    const char *field_selector; /* selects objects by name, so that no others are cached */
    const char *description;    /* NULL: none */
    bool has_ca;
} namespace_object;

static const namespace_object service_account = {
    .controller = "serviceaccounts",
    .resource = "serviceaccounts",
    .kind = "ServiceAccount",
    .name = "default",
    .field_selector = "metadata.name=default",
};

static const namespace_object root_ca = {
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
    const namespace_object *object;
    lw_informer *namespaces, *objects;
    lw_control_loop *loop;
} controller;

static lw_gvr gvr_of(const controller *c)
{
    return lw_gvr_make("", "v1", c->object->resource);
}

static void write_object(const controller *c, const char *ns, lw_document *doc)
{
    const namespace_object *object = c->object;
    lw_document_set_string(doc, NULL, "/apiVersion", "v1");
    lw_document_set_string(doc, NULL, "/kind", object->kind);
    lw_document_set_string(doc, NULL, "/metadata/name", object->name);
    lw_document_set_string(doc, NULL, "/metadata/namespace", ns);
    if (object->description)
        lw_document_set_string(doc, NULL, NOTE, object->description);
    if (object->has_ca)
        lw_document_set_string(doc, NULL, CA_PATH, c->env->root_ca);
}

static lw_status create_object(const controller *c, const char *ns, lw_error *err)
{
    lw_document *doc = NULL;
    lw_object *obj = NULL;
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    write_object(c, ns, doc);
    st = lw_document_to_object(doc, &obj, err);
    if (st == LW_OK)
        st = lw_client_create(c->env->client, gvr_of(c), obj, NULL, NULL, err);
    if (st == LW_OK)
        lw_control_loop_step(c->loop, "created", c->object->kind, lw_object_key(obj), NULL);
    lw_object_unref(obj);
    lw_document_free(doc);
    return st == LW_ERR_EXISTS ? LW_OK : st; /* the cache is stale */
}

/* Restores the CA and keeps everything else. */
static lw_status restore_object(const controller *c, const lw_object *there, lw_error *err)
{
    lw_document *patch = NULL;
    if (!c->object->has_ca || strcmp(lw_object_string(there, CA_PATH, ""), c->env->root_ca) == 0)
        return LW_OK;
    lw_status st = lw_document_new(&patch, err);
    if (st < 0)
        return st;
    lw_document_set_string(patch, NULL, CA_PATH, c->env->root_ca);
    st = lw_patch_send(c->env->client, gvr_of(c), there, NULL, patch, err);
    if (st == LW_OK)
        lw_control_loop_step(c->loop, "updated", c->object->kind, lw_object_key(there), NULL);
    lw_document_free(patch);
    return st == LW_ERR_NOT_FOUND ? LW_OK : st;
}

/* A namespace that is being deleted accepts no new objects. */
static bool takes_objects(const lw_object *ns)
{
    return ns && strcmp(lw_object_string(ns, "/metadata/deletionTimestamp", ""), "") == 0;
}

static lw_status reconcile(lw_key key, lw_reconcile_result *result, void *arg, lw_error *err)
{
    const controller *c = arg;
    lw_status st = LW_OK;
    lw_object *ns = lw_lister_get(lw_informer_lister(c->namespaces), NULL, key.name.ptr);
    lw_object *there = lw_lister_get(lw_informer_lister(c->objects), key.name.ptr, c->object->name);
    (void)result;
    if (there)
        st = restore_object(c, there, err);
    else if (takes_objects(ns))
        st = create_object(c, key.name.ptr, err);
    lw_object_unref(there);
    lw_object_unref(ns);
    return st;
}

static void on_object(const lw_event *event, lw_control_loop *loop, void *arg)
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
                                 const namespace_object *object, lw_error *err)
{
    controller *c = calloc(1, sizeof(*c));
    if (!c)
        return lw_report_nomem(err);
    c->env = env;
    c->object = object;
    lw_status st =
        lw_control_loop_new(&c->loop, env, object->controller, WORKERS, reconcile, c, err);
    if (st == LW_OK)
        st = lw_control_loop_watch(c->loop, "namespaces", &c->namespaces, err);
    if (st == LW_OK)
        st = lw_control_loop_watch_some(c->loop, object->resource, object->field_selector,
                                        on_object, c, &c->objects, err);
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

/* Without a CA (plain HTTP, or one that the system trusts) there is nothing to publish. */
static lw_status root_ca_start(void *self, lw_error *err)
{
    const controller *c = self;
    return c->env->root_ca ? lw_control_loop_start(c->loop, err) : LW_OK;
}

const lw_controller_type lw_service_accounts_controller = {
    .name = "serviceaccounts",
    .user = LW_CONTROL_ACCOUNT "service-account-controller",
    .needs_lease = true,
    .make = service_accounts_make,
    .start = service_accounts_start,
    .free = controller_free,
};

const lw_controller_type lw_root_ca_controller = {
    .name = "root-ca",
    .user = LW_CONTROL_ACCOUNT "root-ca-cert-publisher",
    .needs_lease = true,
    .make = root_ca_make,
    .start = root_ca_start,
    .free = controller_free,
};
