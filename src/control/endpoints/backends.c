/* SPDX-License-Identifier: Apache-2.0 */
/* backends.c -- the pods behind a service, and their ports. */
#include "endpoints/backends.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fields.h"

bool lw_service_has_backends(const lw_object *service)
{
    lw_str selector = lw_read_raw(service, "/spec/selector");
    return selector.len > 2 && !lw_text_is(lw_read_text(service, "/spec/type"), "ExternalName");
}

static bool has_ended(const lw_object *pod)
{
    lw_str phase = lw_read_text(pod, "/status/phase");
    return lw_text_is(phase, "Succeeded") || lw_text_is(phase, "Failed");
}

/* Returns the container port of |pod| named |name|; 0: none. */
static int named_port(const lw_object *pod, lw_str name, lw_str protocol)
{
    for (size_t i = 0; lw_read_has(pod, "/spec/containers/%zu", i); i++) {
        for (size_t j = 0; lw_read_has(pod, "/spec/containers/%zu/ports/%zu", i, j); j++) {
            lw_str own = lw_read_text(pod, "/spec/containers/%zu/ports/%zu/protocol", i, j);
            lw_str called = lw_read_text(pod, "/spec/containers/%zu/ports/%zu/name", i, j);
            if (lw_str_equal(called, name) &&
                lw_str_equal(own.len > 0 ? own : lw_str_of("TCP"), protocol))
                return (int)lw_read_units(pod, "/spec/containers/%zu/ports/%zu/containerPort", i,
                                          j);
        }
    }
    return 0;
}

/* Returns the number of port |i| of |service| on |pod|; 0: none. */
static int number_of(const lw_object *service, size_t i, const lw_object *pod, lw_str protocol)
{
    lw_str target = lw_read_raw(service, "/spec/ports/%zu/targetPort", i);
    if (target.len > 0 && target.ptr[0] == '"')
        return named_port(pod, lw_read_text(service, "/spec/ports/%zu/targetPort", i), protocol);
    int64_t number = lw_read_units(service, "/spec/ports/%zu/targetPort", i);
    if (number == 0)
        number = lw_read_units(service, "/spec/ports/%zu/port", i);
    return number > 0 && number <= UINT16_MAX ? (int)number : 0;
}

static void read_ports(lw_port_set *set, const lw_object *service, const lw_object *pod)
{
    set->count = 0;
    for (size_t i = 0; set->count < LW_BACKEND_PORTS_MAX; i++) {
        if (!lw_read_has(service, "/spec/ports/%zu", i))
            return;
        lw_backend_port *port = &set->ports[set->count];
        port->name = lw_read_text(service, "/spec/ports/%zu/name", i);
        port->protocol = lw_read_text(service, "/spec/ports/%zu/protocol", i);
        port->app_protocol = lw_read_text(service, "/spec/ports/%zu/appProtocol", i);
        if (port->protocol.len == 0)
            port->protocol = lw_str_of("TCP");
        port->number = number_of(service, i, pod, port->protocol);
        set->count += port->number > 0 ? 1 : 0;
    }
}

/* Names and protocols come from the service: only the numbers and the presence of ports can
 * differ. */
static bool is_same_set(const lw_port_set *a, const lw_port_set *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++) {
        if (a->ports[i].number != b->ports[i].number ||
            !lw_str_equal(a->ports[i].name, b->ports[i].name) ||
            !lw_str_equal(a->ports[i].protocol, b->ports[i].protocol))
            return false;
    }
    return true;
}

/* True if the ports are the same for every pod. */
static bool has_numbers_only(const lw_object *service)
{
    for (size_t i = 0; lw_read_has(service, "/spec/ports/%zu", i); i++) {
        lw_str target = lw_read_raw(service, "/spec/ports/%zu/targetPort", i);
        if (target.len > 0 && target.ptr[0] == '"')
            return false;
    }
    return true;
}

static lw_status add_set(lw_backends *b, const lw_port_set *set, size_t *index)
{
    for (*index = 0; *index < b->set_count; ++*index) {
        if (is_same_set(&b->sets[*index], set))
            return LW_OK;
    }
    lw_port_set *sets = realloc(b->sets, (b->set_count + 1) * sizeof(*sets));
    if (!sets)
        return LW_ERR_NOMEM;
    b->sets = sets;
    b->sets[b->set_count++] = *set;
    return LW_OK;
}

static int by_address(const void *a, const void *b)
{
    const lw_backend *x = a, *y = b;
    size_t least = x->address.len < y->address.len ? x->address.len : y->address.len;
    int order = memcmp(x->address.ptr, y->address.ptr, least);
    if (order == 0 && x->address.len != y->address.len)
        order = x->address.len < y->address.len ? -1 : 1;
    return order != 0 ? order : strcmp(lw_object_name(x->pod), lw_object_name(y->pod));
}

static lw_status read_pods(lw_backends *b, const lw_object *service)
{
    bool is_fixed = has_numbers_only(service);
    lw_port_set set = { .count = 0 };
    for (size_t i = 0; i < lw_object_list_count(b->pods); i++) {
        const lw_object *pod = lw_object_list_at(b->pods, i);
        lw_backend item = { .pod = pod, .address = lw_read_text(pod, "/status/podIP") };
        if (item.address.len == 0 || has_ended(pod))
            continue;
        if (!is_fixed || b->set_count == 0) {
            read_ports(&set, service, pod);
            if (set.count == 0 && lw_read_has(service, "/spec/ports/0"))
                continue; /* the pod has none of the ports */
            if (add_set(b, &set, &item.set) < 0)
                return LW_ERR_NOMEM;
        }
        item.is_serving = lw_text_is(lw_read_condition(pod, "Ready", NULL), "True");
        item.is_terminating = lw_read_has(pod, "/metadata/deletionTimestamp");
        b->items[b->count++] = item;
    }
    qsort(b->items, b->count, sizeof(*b->items), by_address);
    return LW_OK;
}

lw_status lw_backends_read(lw_backends *b, const lw_object *service, lw_object_list *pods)
{
    size_t count = lw_object_list_count(pods);
    *b = (lw_backends){ .pods = pods };
    b->publishes_not_ready = lw_object_bool(service, "/spec/publishNotReadyAddresses", false);
    b->is_headless = lw_text_is(lw_read_text(service, "/spec/clusterIP"), "None");
    b->items = malloc((count > 0 ? count : 1) * sizeof(*b->items));
    lw_status st = b->items ? read_pods(b, service) : LW_ERR_NOMEM;
    if (st < 0)
        lw_backends_done(b);
    return st;
}

void lw_backends_done(lw_backends *b)
{
    lw_object_list_free(b->pods);
    free(b->items);
    free(b->sets);
    *b = (lw_backends){ .pods = NULL };
}

bool lw_backend_is_ready(const lw_backends *b, const lw_backend *backend)
{
    return b->publishes_not_ready || (backend->is_serving && !backend->is_terminating);
}

static void set_text(lw_document *doc, lw_value *to, const char *name, lw_str text)
{
    char copy[512];
    (void)snprintf(copy, sizeof(copy), "%.*s", (int)text.len, text.ptr);
    lw_document_set_string(doc, to, name, copy);
}

void lw_backends_write_ports(const lw_port_set *set, lw_document *doc, lw_value *from,
                             const char *pointer)
{
    lw_value *ports = lw_document_set_array(doc, from, pointer);
    for (size_t i = 0; i < set->count; i++) {
        const lw_backend_port *port = &set->ports[i];
        lw_value *to = lw_document_set_object(doc, ports, "/-");
        set_text(doc, to, "/name", port->name);
        lw_document_set_int(doc, to, "/port", port->number);
        set_text(doc, to, "/protocol", port->protocol);
        if (port->app_protocol.len > 0)
            set_text(doc, to, "/appProtocol", port->app_protocol);
    }
}

void lw_backends_write_target(const lw_backend *backend, lw_document *doc, lw_value *to)
{
    lw_str node = lw_read_text(backend->pod, "/spec/nodeName");
    if (node.len > 0)
        set_text(doc, to, "/nodeName", node);
    lw_value *target = lw_document_set_object(doc, to, "/targetRef");
    lw_document_set_string(doc, target, "/kind", "Pod");
    lw_document_set_string(doc, target, "/namespace", lw_object_namespace(backend->pod));
    lw_document_set_string(doc, target, "/name", lw_object_name(backend->pod));
    lw_document_set_string(doc, target, "/uid", lw_object_uid(backend->pod));
}
