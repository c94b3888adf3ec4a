/* SPDX-License-Identifier: Apache-2.0 */
/* slice_plan.c -- plans the EndpointSlices of a service. */
#include "endpoints/slice_plan.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fields.h"
#include "runtime/hash.h"
#include "runtime/name_table.h"

/* A backend, found by the UID of its pod. */
typedef struct wanted {
    lw_named named;
    const lw_backend *backend;
    bool is_placed;
} wanted;

/* State of one planning. */
typedef struct planner {
    lw_slice_plan *plan;
    const lw_object *service;
    const lw_backends *backends;
    wanted *all;
    lw_names by_uid;
} planner;

void lw_slice_name(const lw_object *service, unsigned number, char name[LW_SLICE_NAME_SIZE])
{
    char text[32];
    (void)snprintf(text, sizeof(text), "%u", number);
    uint64_t hash = lw_hash_add(LW_HASH_INIT, lw_str_of(lw_object_uid(service)));
    hash = lw_hash_add(hash, lw_str_of(text));
    (void)snprintf(name, LW_SLICE_NAME_SIZE, "%.240s-%08" PRIx32, lw_object_name(service),
                   (uint32_t)(hash ^ hash >> 32));
}

static bool is_own_label(lw_str key)
{
    return lw_text_is(key, LW_SLICE_SERVICE_LABEL) || lw_text_is(key, LW_SLICE_MANAGED_BY);
}

static void write_labels(const lw_object *service, const lw_backends *b, lw_document *doc)
{
    lw_str labels = lw_read_raw(service, "/metadata/labels");
    if (labels.len > 0)
        lw_document_set_json(doc, NULL, "/metadata/labels", labels);
    lw_document_set_string(doc, NULL, "/metadata/labels/kubernetes.io~1service-name",
                           lw_object_name(service));
    lw_document_set_string(doc, NULL, "/metadata/labels/endpointslice.kubernetes.io~1managed-by",
                           LW_SLICE_OURS);
    if (b->is_headless)
        lw_document_set_string(doc, NULL, "/metadata/labels/service.kubernetes.io~1headless", "");
}

static void write_owner(const lw_object *service, lw_document *doc)
{
    lw_value *owner = lw_document_set_object(doc, NULL, "/metadata/ownerReferences/-");
    lw_document_set_string(doc, owner, "/apiVersion", "v1");
    lw_document_set_string(doc, owner, "/kind", "Service");
    lw_document_set_string(doc, owner, "/name", lw_object_name(service));
    lw_document_set_string(doc, owner, "/uid", lw_object_uid(service));
    lw_document_set_bool(doc, owner, "/controller", true);
    lw_document_set_bool(doc, owner, "/blockOwnerDeletion", true);
}

static void write_endpoint(const lw_backends *b, const lw_backend *backend, lw_document *doc,
                           lw_value *endpoints)
{
    char address[64];
    lw_value *to = lw_document_set_object(doc, endpoints, "/-");
    (void)snprintf(address, sizeof(address), "%.*s", (int)backend->address.len,
                   backend->address.ptr);
    lw_document_set_string(doc, to, "/addresses/-", address);
    lw_document_set_bool(doc, to, "/conditions/ready", lw_backend_is_ready(b, backend));
    lw_document_set_bool(doc, to, "/conditions/serving", backend->is_serving);
    lw_document_set_bool(doc, to, "/conditions/terminating", backend->is_terminating);
    lw_backends_write_target(backend, doc, to);
}

static const char *family_of(const lw_backend *backend)
{
    return memchr(backend->address.ptr, ':', backend->address.len) ? "IPv6" : "IPv4";
}

void lw_slice_write(const lw_slice *slice, const lw_object *service, const lw_backends *b,
                    lw_document *doc)
{
    static const lw_port_set no_ports = { .count = 0 };
    char name[LW_SLICE_NAME_SIZE];
    const lw_port_set *ports = slice->set < b->set_count ? &b->sets[slice->set] : &no_ports;
    const char *family = slice->count > 0 ? family_of(slice->members[0]) : "IPv4";
    lw_document_set_string(doc, NULL, "/apiVersion", "discovery.k8s.io/v1");
    lw_document_set_string(doc, NULL, "/kind", "EndpointSlice");
    lw_slice_name(service, slice->number, name);
    lw_document_set_string(doc, NULL, "/metadata/name",
                           slice->there ? lw_object_name(slice->there) : name);
    lw_document_set_string(doc, NULL, "/metadata/namespace", lw_object_namespace(service));
    if (slice->there)
        lw_document_set_string(doc, NULL, "/metadata/resourceVersion",
                               lw_object_resource_version(slice->there));
    write_labels(service, b, doc);
    write_owner(service, doc);
    lw_document_set_string(doc, NULL, "/addressType", family);
    lw_value *endpoints = lw_document_set_array(doc, NULL, "/endpoints");
    for (size_t i = 0; i < slice->count; i++)
        write_endpoint(b, slice->members[i], doc, endpoints);
    lw_backends_write_ports(ports, doc, NULL, "/ports");
}

/* Returns the index of the port set of the slice |obj|; set_count: none that is needed. */
static size_t set_of(const planner *p, const lw_object *obj)
{
    for (size_t set = 0; set < p->backends->set_count; set++) {
        const lw_port_set *ports = &p->backends->sets[set];
        size_t i = 0;
        for (; i < ports->count; i++) {
            if (lw_read_units(obj, "/ports/%zu/port", i) != ports->ports[i].number ||
                !lw_str_equal(lw_read_text(obj, "/ports/%zu/name", i), ports->ports[i].name) ||
                !lw_str_equal(lw_read_text(obj, "/ports/%zu/protocol", i),
                              ports->ports[i].protocol))
                break;
        }
        if (i == ports->count && !lw_read_has(obj, "/ports/%zu", i))
            return set;
    }
    return p->backends->set_count;
}

static bool has_condition(const lw_object *obj, size_t at, const char *condition, bool value)
{
    lw_str found = lw_read_raw(obj, "/endpoints/%zu/conditions/%s", at, condition);
    return lw_text_is(found, value ? "true" : "false");
}

/* True if endpoint |at| of |obj| describes |backend| correctly. */
static bool is_told_right(const planner *p, const lw_object *obj, size_t at,
                          const lw_backend *backend)
{
    return lw_str_equal(lw_read_text(obj, "/endpoints/%zu/addresses/0", at), backend->address) &&
           has_condition(obj, at, "ready", lw_backend_is_ready(p->backends, backend)) &&
           has_condition(obj, at, "serving", backend->is_serving) &&
           has_condition(obj, at, "terminating", backend->is_terminating);
}

/* True if the slice has the labels of the service, except for those we add. */
static bool has_labels_of(const lw_object *obj, const lw_object *service)
{
    size_t count = 0;
    for (size_t i = 0; i < lw_object_label_count(service); i++) {
        lw_label label = lw_object_label_at(service, i);
        const char *there = lw_object_label(obj, label.key.ptr);
        if (is_own_label(label.key))
            continue;
        if (!there || strcmp(there, label.value.ptr) != 0)
            return false;
        count++;
    }
    for (size_t i = 0; i < lw_object_label_count(obj); i++) {
        lw_str key = lw_object_label_at(obj, i).key;
        count -= is_own_label(key) || lw_text_is(key, "service.kubernetes.io/headless") ? 0 : 1;
    }
    return count == 0;
}

/* Endpoints in an existing slice stay where they are. */
static void plan_kept(planner *p, lw_slice *slice)
{
    const lw_object *obj = slice->there;
    bool is_right = has_labels_of(obj, p->service);
    slice->set = set_of(p, obj);
    for (size_t i = 0; lw_read_has(obj, "/endpoints/%zu", i); i++) {
        lw_str uid = lw_read_text(obj, "/endpoints/%zu/targetRef/uid", i);
        wanted *w = lw_names_get(&p->by_uid, uid);
        if (!w || w->is_placed || w->backend->set != slice->set ||
            slice->count == LW_SLICE_ENDPOINTS) {
            is_right = false;
            continue;
        }
        is_right &= is_told_right(p, obj, i, w->backend);
        w->is_placed = true;
        slice->members[slice->count++] = w->backend;
    }
    slice->action = is_right ? LW_SLICE_KEEP : LW_SLICE_UPDATE;
}

static bool is_name_taken(const lw_slice_plan *plan, const char *name)
{
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->slices[i].there && strcmp(lw_object_name(plan->slices[i].there), name) == 0)
            return true;
    }
    return false;
}

/* Returns an existing slice that has become empty, for other ports; NULL: none.  The address family
 * of a slice cannot be changed. */
static lw_slice *empty_slice(const lw_slice_plan *plan, const lw_backend *backend)
{
    for (size_t i = 0; i < plan->count; i++) {
        lw_slice *slice = &plan->slices[i];
        if (slice->there && slice->count == 0 &&
            strcmp(lw_object_string(slice->there, "/addressType", "IPv4"), family_of(backend)) == 0)
            return slice;
    }
    return NULL;
}

/* Returns a slice with room for |backend|: one with its ports, one that has become empty, or a new
 * one, for which the plan has room. */
static lw_slice *slice_with_room(planner *p, const lw_backend *backend, size_t *hint,
                                 unsigned *number)
{
    lw_slice_plan *plan = p->plan;
    size_t set = backend->set;
    char name[LW_SLICE_NAME_SIZE];
    for (; *hint < plan->count; ++*hint) {
        lw_slice *slice = &plan->slices[*hint];
        if (slice->set == set && slice->count < LW_SLICE_ENDPOINTS)
            return slice;
    }
    lw_slice *empty = empty_slice(plan, backend);
    if (empty) {
        empty->set = set;
        empty->action = LW_SLICE_UPDATE;
        *hint = (size_t)(empty - plan->slices);
        return empty;
    }
    do {
        lw_slice_name(p->service, ++*number, name);
    } while (is_name_taken(plan, name));
    lw_slice *slice = &plan->slices[plan->count++];
    *slice = (lw_slice){ .action = LW_SLICE_CREATE, .set = set, .number = *number };
    return slice;
}

static void plan_rest(planner *p)
{
    unsigned number = 0;
    for (size_t set = 0; set < p->backends->set_count; set++) {
        size_t hint = 0;
        for (size_t i = 0; i < p->backends->count; i++) {
            if (p->all[i].is_placed || p->all[i].backend->set != set)
                continue;
            lw_slice *slice = slice_with_room(p, p->all[i].backend, &hint, &number);
            slice->members[slice->count++] = p->all[i].backend;
            if (slice->action == LW_SLICE_KEEP)
                slice->action = LW_SLICE_UPDATE;
        }
    }
}

/* Keeps one empty slice if there is no other, to show that the service has no endpoints. */
static void plan_empty(planner *p)
{
    lw_slice_plan *plan = p->plan;
    size_t full = 0;
    for (size_t i = 0; i < plan->count; i++)
        full += plan->slices[i].count > 0 ? 1 : 0;
    for (size_t i = 0; i < plan->count; i++) {
        if (plan->slices[i].count > 0)
            continue;
        if (full++ > 0)
            plan->slices[i].action = LW_SLICE_DELETE;
        else if (lw_read_has(plan->slices[i].there, "/ports/0"))
            plan->slices[i].action = LW_SLICE_UPDATE;
    }
    if (plan->count == 0)
        plan->slices[plan->count++] =
            (lw_slice){ .action = LW_SLICE_CREATE, .set = SIZE_MAX, .number = 1 };
}

static lw_status index_wanted(planner *p)
{
    size_t count = p->backends->count;
    p->all = calloc(count > 0 ? count : 1, sizeof(*p->all));
    if (!p->all)
        return LW_ERR_NOMEM;
    for (size_t i = 0; i < count; i++) {
        wanted *w = &p->all[i];
        w->backend = &p->backends->items[i];
        w->named.name = lw_str_of(lw_object_uid(w->backend->pod));
        if (lw_names_add(&p->by_uid, &w->named) < 0)
            return LW_ERR_NOMEM;
    }
    return LW_OK;
}

lw_status lw_slice_plan_make(lw_slice_plan *plan, const lw_object *service, const lw_backends *b,
                             const lw_object_list *there)
{
    planner p = { .plan = plan, .service = service, .backends = b };
    size_t kept = lw_object_list_count(there);
    *plan = (lw_slice_plan){ NULL, 0 };
    lw_status st = index_wanted(&p);
    if (st == LW_OK) {
        size_t most = kept + b->count / LW_SLICE_ENDPOINTS + b->set_count + 1;
        plan->slices = calloc(most, sizeof(*plan->slices));
        st = plan->slices ? LW_OK : LW_ERR_NOMEM;
    }
    for (size_t i = 0; st == LW_OK && i < kept; i++) {
        plan->slices[plan->count] = (lw_slice){ .there = lw_object_list_at(there, i) };
        plan_kept(&p, &plan->slices[plan->count++]);
    }
    if (st == LW_OK) {
        plan_rest(&p);
        plan_empty(&p);
    }
    lw_names_done(&p.by_uid);
    free(p.all);
    return st;
}

void lw_slice_plan_done(lw_slice_plan *plan)
{
    free(plan->slices);
    *plan = (lw_slice_plan){ NULL, 0 };
}
