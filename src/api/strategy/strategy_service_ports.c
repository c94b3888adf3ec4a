/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_service_ports.c -- allocates and validates the node ports of services. */
#include <stdio.h>

#include "api/pending/metadata_validation.h"
#include "api/strategy/node_port.h"
#include "api/strategy/strategy_service.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    FIELD_SIZE = 64,
    NUMBER_SIZE = 24,
    PORTS_MAX = 1000, /* ports of one service that get a node port */
};

bool lw_service_is(const lw_node *spec, const char *type)
{
    return lw_str_equal(lw_fields_text(spec, "type"), lw_str_of(type));
}

/* Returns true if the service may have node ports. */
static bool has_ports(const lw_node *spec)
{
    return lw_service_is(spec, "NodePort") || lw_service_is(spec, "LoadBalancer");
}

/* Returns true if each port must have a node port. */
static bool needs_ports(const lw_node *spec)
{
    const lw_node *allocates = lw_node_get(spec, LW_STR("allocateLoadBalancerNodePorts"));
    return lw_service_is(spec, "NodePort") ||
           (lw_service_is(spec, "LoadBalancer") && (!allocates || lw_node_bool(allocates)));
}

static bool needs_health_port(const lw_node *spec)
{
    return lw_service_is(spec, "LoadBalancer") &&
           lw_str_equal(lw_fields_text(spec, "externalTrafficPolicy"), LW_STR("Local"));
}

/* The ports of the service, and how many of them are handled. */
typedef struct port_list {
    const lw_node *list;
    size_t count;
} port_list;

static port_list ports_of(const lw_node *spec)
{
    const lw_node *list = lw_node_get(spec, LW_STR("ports"));
    size_t count = lw_node_is(list, LW_JSON_ARRAY) ? lw_node_count(list) : 0;
    return (port_list){ list, count < PORTS_MAX ? count : PORTS_MAX };
}

static lw_node *port_at(port_list ports, size_t index)
{
    return lw_node_at(ports.list, index);
}

static int64_t node_port(const lw_node *port)
{
    return lw_fields_int(port, "nodePort", 0);
}

/* Returns the nodePort of the first port from |start| to |end| that has the same number as |like|
 * and a nodePort; 0: none. */
static int64_t shared_node_port(port_list ports, const lw_node *like, size_t start, size_t end)
{
    int64_t number = lw_fields_int(like, "port", 0);
    for (size_t i = start; i < end; i++) {
        const lw_node *port = port_at(ports, i);
        if (lw_fields_int(port, "port", 0) == number && node_port(port) != 0)
            return node_port(port);
    }
    return 0;
}

static bool has_node_port(port_list ports, size_t end, int64_t number)
{
    for (size_t i = 0; i < end; i++) {
        if (node_port(port_at(ports, i)) == number)
            return true;
    }
    return false;
}

static void add_number_error(lw_api_status *errors, const char *field, int64_t number,
                             const char *why)
{
    char value[NUMBER_SIZE];
    (void)snprintf(value, sizeof(value), "%lld", (long long)number);
    lw_field_error_plain(errors, field, lw_str_of(value), why);
}

/* Takes |wanted|, or any port if that is 0.  False: an error was added. */
static bool take(lw_node_ports *taken, const char *field, int64_t *wanted, lw_api_status *errors)
{
    const char *why = NULL;
    int64_t drawn = *wanted;
    if (drawn != 0)
        why = lw_node_ports_take(taken, drawn);
    else if ((drawn = lw_node_ports_allocate(taken)) == 0)
        why = "range is full";
    if (why)
        add_number_error(errors, field, drawn, why);
    *wanted = drawn;
    return !why;
}

static bool assign(lw_pending_object *pending, lw_node_ports *taken, port_list ports, size_t index,
                   int64_t wanted, lw_api_status *errors)
{
    char field[FIELD_SIZE];
    (void)snprintf(field, sizeof(field), "spec.ports[%zu].nodePort", index);
    if (!take(taken, field, &wanted, errors))
        return false;
    lw_fields_set_int(pending->tree, port_at(ports, index), "nodePort", wanted);
    return true;
}

/* Ports with the same number, which differ in their protocol, share a node port. */
static bool assign_new(lw_pending_object *pending, lw_node_ports *taken, const lw_node *spec,
                       lw_api_status *errors)
{
    port_list ports = ports_of(spec);
    for (size_t i = 0; i < ports.count; i++) {
        lw_node *port = port_at(ports, i);
        int64_t wanted = node_port(port), shared = shared_node_port(ports, port, 0, i);
        if (wanted == 0 && !needs_ports(spec))
            continue;
        if (shared != 0 && (wanted == 0 || wanted == shared)) {
            lw_fields_set_int(pending->tree, port, "nodePort", shared);
            continue;
        }
        if (shared == 0)
            wanted = shared_node_port(ports, port, i, ports.count);
        if (!assign(pending, taken, ports, i, wanted, errors))
            return false;
    }
    return true;
}

static bool assign_changed(lw_pending_object *pending, lw_node_ports *taken, const lw_node *spec,
                           const lw_node *old, lw_api_status *errors)
{
    port_list ports = ports_of(spec), before = ports_of(old);
    for (size_t i = 0; i < ports.count; i++) {
        int64_t wanted = node_port(port_at(ports, i));
        bool is_had = wanted != 0 && (has_node_port(before, before.count, wanted) ||
                                      has_node_port(ports, i, wanted));
        bool is_left_out = wanted == 0 && !needs_ports(spec);
        if (!is_had && !is_left_out && !assign(pending, taken, ports, i, wanted, errors))
            return false;
    }
    return true;
}

static void assign_health_port(lw_pending_object *pending, lw_node_ports *taken, lw_node *spec,
                               lw_api_status *errors)
{
    int64_t wanted = lw_fields_int(spec, "healthCheckNodePort", 0);
    if (take(taken, "spec.healthCheckNodePort", &wanted, errors))
        lw_fields_set_int(pending->tree, spec, "healthCheckNodePort", wanted);
}

static bool read_taken_ports(lw_pending_object *pending, lw_node_ports *taken)
{
    lw_key key = { lw_fields_text(pending->metadata, "namespace"),
                   lw_fields_text(pending->metadata, "name") };
    lw_status st = lw_node_ports_read(taken, pending->port->api, pending->kind, key);
    lw_pending_object_note(pending, st);
    return st == LW_OK;
}

void lw_service_ports_create(lw_pending_object *pending, lw_api_status *errors)
{
    lw_node *spec = lw_fields_object(pending->tree, pending->root, "spec");
    lw_node_ports taken;
    if (!has_ports(spec) || !read_taken_ports(pending, &taken))
        return;
    if (assign_new(pending, &taken, spec, errors) && needs_health_port(spec))
        assign_health_port(pending, &taken, spec, errors);
}

/* A port without a nodePort gets that of the old port with its name, unless another port has it
 * now. */
static void keep_node_ports(lw_pending_object *pending, const lw_node *spec, const lw_node *old)
{
    port_list ports = ports_of(spec), before = ports_of(old);
    for (size_t i = 0; i < ports.count; i++) {
        lw_node *port = port_at(ports, i);
        int64_t previous = 0;
        for (size_t j = 0; j < before.count; j++) {
            if (lw_str_equal(lw_fields_text(port_at(before, j), "name"),
                             lw_fields_text(port, "name")))
                previous = node_port(port_at(before, j));
        }
        if (node_port(port) == 0 && previous != 0 && !has_node_port(ports, ports.count, previous))
            lw_fields_set_int(pending->tree, port, "nodePort", previous);
    }
}

static void keep(lw_pending_object *pending, lw_node *spec, const lw_node *old)
{
    if (needs_ports(old) && needs_ports(spec))
        keep_node_ports(pending, spec, old);
    if (needs_health_port(old) && needs_health_port(spec) &&
        lw_fields_int(spec, "healthCheckNodePort", 0) == 0)
        lw_fields_set_copy(pending->tree, spec, "healthCheckNodePort",
                           lw_node_get(old, LW_STR("healthCheckNodePort")));
}

/* Removes node ports that are no longer needed and that the client has not changed. */
static void release(lw_node *spec, const lw_node *old)
{
    port_list ports = ports_of(spec), before = ports_of(old);
    bool is_same = has_ports(old) && !has_ports(spec);
    for (size_t i = 0; i < ports.count && is_same; i++) {
        int64_t number = node_port(port_at(ports, i));
        is_same = number == 0 || has_node_port(before, before.count, number);
    }
    for (size_t i = 0; i < ports.count && is_same; i++)
        lw_fields_remove(port_at(ports, i), "nodePort");
    if (needs_health_port(old) && !needs_health_port(spec) &&
        lw_fields_int(spec, "healthCheckNodePort", 0) ==
            lw_fields_int(old, "healthCheckNodePort", 0))
        lw_fields_remove(spec, "healthCheckNodePort");
}

void lw_service_ports_update(lw_pending_object *pending, lw_api_status *errors)
{
    lw_node *spec = lw_fields_object(pending->tree, pending->root, "spec");
    const lw_node *old = lw_node_get(pending->old, LW_STR("spec"));
    lw_node_ports taken;
    keep(pending, spec, old);
    release(spec, old);
    if (!has_ports(spec) || !read_taken_ports(pending, &taken))
        return;
    if (assign_changed(pending, &taken, spec, old, errors) && needs_health_port(spec) &&
        !needs_health_port(old))
        assign_health_port(pending, &taken, spec, errors);
}

/* Returns true if an earlier port has the same nodePort and protocol. */
static bool is_duplicate(port_list ports, size_t index)
{
    const lw_node *port = port_at(ports, index);
    for (size_t i = 0; i < index; i++) {
        const lw_node *other = port_at(ports, i);
        if (node_port(other) == node_port(port) &&
            lw_str_equal(lw_fields_text(other, "protocol"), lw_fields_text(port, "protocol")))
            return true;
    }
    return false;
}

static void add_duplicate_error(lw_api_status *errors, const char *field, int64_t number)
{
    char text[FIELD_SIZE];
    (void)snprintf(text, sizeof(text), "Duplicate value: %lld", (long long)number);
    lw_api_status_add_cause(errors, LW_STR("FieldValueDuplicate"), lw_str_of(text),
                            lw_str_of(field));
}

void lw_service_ports_validate(const lw_node *spec, lw_api_status *errors)
{
    port_list ports = ports_of(spec);
    char field[FIELD_SIZE];
    for (size_t i = 0; i < ports.count && lw_service_is(spec, "ClusterIP"); i++) {
        (void)snprintf(field, sizeof(field), "spec.ports[%zu].nodePort", i);
        if (node_port(port_at(ports, i)) != 0)
            lw_field_error_forbidden(errors, field,
                                     LW_STR("may not be used when `type` is 'ClusterIP'"));
    }
    for (size_t i = 0; i < ports.count; i++) {
        int64_t number = node_port(port_at(ports, i));
        (void)snprintf(field, sizeof(field), "spec.ports[%zu].nodePort", i);
        if (number != 0 && is_duplicate(ports, i))
            add_duplicate_error(errors, field, number);
    }
}

void lw_service_health_port_validate(const lw_node *spec, const lw_node *old, lw_api_status *errors)
{
    int64_t number = lw_fields_int(spec, "healthCheckNodePort", 0);
    if (!needs_health_port(spec)) {
        if (number != 0)
            add_number_error(errors, "spec.healthCheckNodePort", number,
                             "may only be set when `type` is 'LoadBalancer' and "
                             "`externalTrafficPolicy` is 'Local'");
    } else if (needs_health_port(old) && number != lw_fields_int(old, "healthCheckNodePort", 0)) {
        lw_field_error_forbidden(errors, "spec.healthCheckNodePort", LW_STR("field is immutable"));
    }
}
