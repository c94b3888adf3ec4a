/* SPDX-License-Identifier: Apache-2.0 */
/* endpointslice.c -- the controller of EndpointSlices: the addresses of a service's pods, a hundred
 * per slice. */
#include <string.h>

#include "controllers.h"
#include "endpoints/service_loop.h"
#include "endpoints/slice_plan.h"
#include "runtime/fields.h"
#include "runtime/report.h"

#define INDEX "service"

static lw_gvr slices_gvr(void)
{
    return lw_gvr_make("discovery.k8s.io", "v1", "endpointslices");
}

static bool is_ours(const lw_object *slice)
{
    const char *by = lw_object_label(slice, LW_SLICE_MANAGED_BY);
    return by && strcmp(by, LW_SLICE_OURS) == 0;
}

/* Indexes our slices by "namespace/service". */
static void index_service(const lw_object *slice, void (*add)(void *to, lw_str value), void *to,
                          void *arg)
{
    char text[512];
    const char *service = lw_object_label(slice, LW_SLICE_SERVICE_LABEL);
    (void)arg;
    if (!service || !is_ours(slice))
        return;
    const lw_key key = { lw_object_key(slice).ns, lw_str_of(service) };
    size_t len = lw_key_print(key, text, sizeof(text));
    if (len < sizeof(text))
        add(to, lw_str_make(text, len));
}

static lw_status delete_slice(lw_service_loop *s, const lw_object *slice, lw_error *err)
{
    lw_delete_options options = LW_DELETE_OPTIONS_INIT;
    options.uid = lw_object_uid(slice);
    lw_status st = lw_client_delete(s->env->client, slices_gvr(), lw_object_namespace(slice),
                                    lw_object_name(slice), &options, err);
    if (st == LW_OK)
        lw_control_loop_step(s->loop, "deleted", "EndpointSlice", lw_object_key(slice), NULL);
    return st == LW_ERR_NOT_FOUND ? LW_OK : st;
}

static lw_status write_slice(lw_service_loop *s, const lw_slice *slice, const lw_object *service,
                             const lw_backends *b, lw_error *err)
{
    lw_document *doc = NULL;
    lw_object *obj = NULL;
    lw_status st = lw_document_new(&doc, err);
    if (st < 0)
        return st;
    lw_slice_write(slice, service, b, doc);
    st = lw_document_to_object(doc, &obj, err);
    if (st == LW_OK && slice->action == LW_SLICE_CREATE)
        st = lw_client_create(s->env->client, slices_gvr(), obj, NULL, NULL, err);
    else if (st == LW_OK)
        st = lw_client_update(s->env->client, slices_gvr(), obj, NULL, NULL, err);
    if (st == LW_OK)
        lw_control_loop_step(s->loop, slice->action == LW_SLICE_CREATE ? "created" : "updated",
                             "EndpointSlice", lw_object_key(obj), NULL);
    lw_object_unref(obj);
    lw_document_free(doc);
    return st;
}

static lw_status carry_out(lw_service_loop *s, const lw_slice_plan *plan, const lw_object *service,
                           const lw_backends *b, lw_error *err)
{
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < plan->count; i++) {
        const lw_slice *slice = &plan->slices[i];
        if (slice->action == LW_SLICE_DELETE)
            st = delete_slice(s, slice->there, err);
        else if (slice->action != LW_SLICE_KEEP)
            st = write_slice(s, slice, service, b, err);
    }
    return st;
}

/* Deletes the slices of a service that was deleted; the server's garbage collector may do so,
 * too. */
static lw_status delete_all(lw_service_loop *s, const lw_object_list *there, lw_error *err)
{
    lw_status st = LW_OK;
    for (size_t i = 0; st == LW_OK && i < lw_object_list_count(there); i++)
        st = delete_slice(s, lw_object_list_at(there, i), err);
    return st;
}

static lw_status sync(lw_service_loop *s, lw_key key, const lw_object *service,
                      const lw_backends *backends, lw_error *err)
{
    char text[512];
    lw_object_list *there = NULL;
    lw_slice_plan plan;
    (void)lw_key_print(key, text, sizeof(text));
    lw_status st = lw_lister_by_index(lw_informer_lister(s->made), INDEX, text, &there, err);
    if (st < 0)
        return st;
    if (!service) {
        st = delete_all(s, there, err);
    } else if (backends) {
        lw_object_list_sort(there);
        st = lw_slice_plan_make(&plan, service, backends, there);
        if (st == LW_OK)
            st = carry_out(s, &plan, service, backends, err);
        else
            (void)lw_report_nomem(err);
        lw_slice_plan_done(&plan);
    }
    lw_object_list_free(there);
    return st;
}

static void on_slice(const lw_event *event, lw_control_loop *loop, void *arg)
{
    const char *service = lw_object_label(event->object, LW_SLICE_SERVICE_LABEL);
    (void)arg;
    if (service && is_ours(event->object))
        lw_control_loop_add(loop, lw_object_key(event->object).ns, lw_str_of(service));
}

static lw_status endpointslice_make(void **out, const lw_control_env *env, lw_error *err)
{
    lw_service_loop *loop = NULL;
    lw_status st = lw_service_loop_new(&loop, env, "endpointslice", sync,
                                       "endpointslices.discovery.k8s.io", on_slice, err);
    if (st < 0)
        return st;
    st = lw_control_add_index(loop->made, INDEX, index_service, err);
    if (st < 0) {
        lw_service_loop_free(loop);
        return st;
    }
    *out = loop;
    return LW_OK;
}

const lw_controller_type lw_endpointslice_controller = {
    .name = "endpointslice",
    .user = LW_CONTROL_ACCOUNT "endpointslice-controller",
    .needs_lease = true,
    .make = endpointslice_make,
    .start = lw_service_loop_start,
    .free = lw_service_loop_free,
};
