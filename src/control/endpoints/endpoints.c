/* SPDX-License-Identifier: Apache-2.0 */
/* endpoints.c -- the controller of Endpoints: one object per service, with its name and the
 * addresses of its pods.  Endpoints of services without a selector are managed by others. */
#include <stdio.h>
#include <string.h>

#include "controllers.h"
#include "endpoints/service_loop.h"
#include "runtime/fields.h"
#include "runtime/report.h"

#define MANAGED_BY      "endpoints.kubernetes.io/managed-by"
#define MANAGED_BY_PATH "/metadata/labels/endpoints.kubernetes.io~1managed-by"
#define OVER_CAPACITY   "/metadata/annotations/endpoints.kubernetes.io~1over-capacity"
#define HEADLESS_PATH   "/metadata/labels/service.kubernetes.io~1headless"
#define OURS            "endpoint-controller"

enum {
    ADDRESSES_MAX = 1000, /* limit of Kubernetes: larger services use slices */
};

static lw_gvr endpoints_gvr(void)
{
    return lw_gvr_make("", "v1", "endpoints");
}

static void write_address(const lw_backends *b, const lw_backend *backend, lw_document *doc,
                          lw_value *subset)
{
    char address[64];
    bool is_ready = lw_backend_is_ready(b, backend);
    lw_value *to =
        lw_document_set_object(doc, subset, is_ready ? "/addresses/-" : "/notReadyAddresses/-");
    (void)snprintf(address, sizeof(address), "%.*s", (int)backend->address.len,
                   backend->address.ptr);
    lw_document_set_string(doc, to, "/ip", address);
    lw_backends_write_target(backend, doc, to);
}

/* True if the backend is listed: pods that are being deleted are not, unless the service wants
 * all. */
static bool is_shown(const lw_backends *b, const lw_backend *backend)
{
    return b->publishes_not_ready || !backend->is_terminating;
}

static void write_subsets(const lw_backends *b, lw_document *doc)
{
    size_t left = ADDRESSES_MAX;
    for (size_t set = 0; set < b->set_count; set++) {
        lw_value *subset = NULL;
        for (size_t i = 0; i < b->count; i++) {
            const lw_backend *backend = &b->items[i];
            if (backend->set != set || !is_shown(b, backend))
                continue;
            if (left == 0) {
                lw_document_set_string(doc, NULL, OVER_CAPACITY, "truncated");
                continue;
            }
            if (!subset)
                subset = lw_document_set_object(doc, NULL, "/subsets/-");
            write_address(b, backend, doc, subset);
            left--;
        }
        if (subset && b->sets[set].count > 0)
            lw_backends_write_ports(&b->sets[set], doc, subset, "/ports");
    }
}

/* Writes the desired Endpoints. */
static void write_endpoints(const lw_object *service, const lw_backends *b, lw_document *doc)
{
    lw_str labels = lw_read_raw(service, "/metadata/labels");
    lw_document_set_string(doc, NULL, "/apiVersion", "v1");
    lw_document_set_string(doc, NULL, "/kind", "Endpoints");
    lw_document_set_string(doc, NULL, "/metadata/name", lw_object_name(service));
    lw_document_set_string(doc, NULL, "/metadata/namespace", lw_object_namespace(service));
    if (labels.len > 0)
        lw_document_set_json(doc, NULL, "/metadata/labels", labels);
    lw_document_set_string(doc, NULL, MANAGED_BY_PATH, OURS);
    if (b->is_headless)
        lw_document_set_string(doc, NULL, HEADLESS_PATH, "");
    write_subsets(b, doc);
}

static lw_status write_new(lw_service_loop *s, lw_document *doc, lw_error *err)
{
    lw_object *obj = NULL;
    lw_status st = lw_document_to_object(doc, &obj, err);
    if (st == LW_OK)
        st = lw_client_create(s->env->client, endpoints_gvr(), obj, NULL, NULL, err);
    if (st == LW_OK)
        lw_control_loop_step(s->loop, "created", "Endpoints", lw_object_key(obj), NULL);
    lw_object_unref(obj);
    return st;
}

static bool is_same(lw_document *wanted, lw_document *there)
{
    static const char *const places[] = { "/subsets", "/metadata/labels", OVER_CAPACITY };
    for (size_t i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
        const lw_value *a = lw_document_find(wanted, NULL, places[i]);
        const lw_value *b = lw_document_find(there, NULL, places[i]);
        bool is_empty = lw_document_count(a) == 0 && lw_document_count(b) == 0 && i == 0;
        if (!is_empty && !lw_document_equal(a, b))
            return false;
    }
    return true;
}

/* Updates the version that was read: LW_ERR_CONFLICT if there is a newer one. */
static lw_status write_over(lw_service_loop *s, const lw_object *seen, lw_document *wanted,
                            lw_error *err)
{
    lw_document *there = NULL;
    lw_object *obj = NULL;
    lw_status st = lw_document_from_object(&there, seen, err);
    if (st < 0)
        return st;
    if (!is_same(wanted, there)) {
        lw_document_set_string(wanted, NULL, "/metadata/resourceVersion",
                               lw_object_resource_version(seen));
        st = lw_document_to_object(wanted, &obj, err);
        if (st == LW_OK)
            st = lw_client_update(s->env->client, endpoints_gvr(), obj, NULL, NULL, err);
        if (st == LW_OK)
            lw_control_loop_step(s->loop, "updated", "Endpoints", lw_object_key(obj), NULL);
    }
    lw_object_unref(obj);
    lw_document_free(there);
    return st;
}

/* The service was deleted or has no selector any more: deletes its Endpoints if we created them. */
static lw_status remove_ours(lw_service_loop *s, const lw_object *there, lw_error *err)
{
    lw_delete_options options = LW_DELETE_OPTIONS_INIT;
    const char *by = lw_object_label(there, MANAGED_BY);
    if (!by || strcmp(by, OURS) != 0)
        return LW_OK;
    options.uid = lw_object_uid(there);
    lw_status st = lw_client_delete(s->env->client, endpoints_gvr(), lw_object_namespace(there),
                                    lw_object_name(there), &options, err);
    if (st == LW_OK)
        lw_control_loop_step(s->loop, "deleted", "Endpoints", lw_object_key(there), NULL);
    return st == LW_ERR_NOT_FOUND ? LW_OK : st;
}

static lw_status sync(lw_service_loop *s, lw_key key, const lw_object *service,
                      const lw_backends *backends, lw_error *err)
{
    lw_document *wanted = NULL;
    lw_status st = LW_OK;
    lw_object *there = lw_lister_get(lw_informer_lister(s->made), key.ns.ptr, key.name.ptr);
    if (backends) {
        st = lw_document_new(&wanted, err);
        if (st == LW_OK) {
            write_endpoints(service, backends, wanted);
            st = there ? write_over(s, there, wanted, err) : write_new(s, wanted, err);
        }
        lw_document_free(wanted);
    } else if (there && !service) {
        st = remove_ours(s, there, err);
    }
    lw_object_unref(there);
    return st;
}

/* Endpoints have the name of their service. */
static void on_endpoints(const lw_event *event, lw_control_loop *loop, void *arg)
{
    lw_key key = lw_object_key(event->object);
    (void)arg;
    lw_control_loop_add(loop, key.ns, key.name);
}

static lw_status endpoints_make(void **out, const lw_control_env *env, lw_error *err)
{
    lw_service_loop *loop = NULL;
    lw_status st =
        lw_service_loop_new(&loop, env, "endpoints", sync, "endpoints", on_endpoints, err);
    if (st == LW_OK)
        *out = loop;
    return st;
}

const lw_controller_type lw_endpoints_controller = {
    .name = "endpoints",
    .user = LW_CONTROL_ACCOUNT "endpoint-controller",
    .needs_lease = true,
    .make = endpoints_make,
    .start = lw_service_loop_start,
    .free = lw_service_loop_free,
};
