/* SPDX-License-Identifier: Apache-2.0 */
/* strategy_service_ports.c -- allocates and validates the node ports of services. */
#include <stdio.h>

#include "api/allocation/node_port.h"
#include "api/pending/metadata_validation.h"
#include "api/strategy/port_index.h"
#include "api/strategy/strategy_service.h"
#include "base/str.h"
#include "json/fields.h"

enum {
    FIELD_SIZE = 64,
    NUMBER_SIZE = 24,
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

/* The ports of the service. */
typedef struct port_list {
    const lw_node *list;
    size_t count;
} port_list;

static port_list ports_of(const lw_node *spec)
{
    const lw_node *list = lw_node_get(spec, LW_STR("ports"));
    size_t count = lw_node_is(list, LW_JSON_ARRAY) ? lw_node_count(list) : 0;
    return (port_list){ list, count };
}

static lw_node *port_at(port_list ports, size_t index)
{
    return lw_node_at(ports.list, index);
}

static int64_t node_port(const lw_node *port)
{
    return lw_fields_int(port, "nodePort", 0);
}

static int64_t number_of(const lw_node *port)
{
    return lw_fields_int(port, "port", 0);
}

/* Adds the nodePort of |port|, if it has one, under its number. */
static void add_by_number(lw_port_index *index, const lw_node *port)
{
    if (node_port(port) != 0)
        (void)lw_port_index_add(index, LW_STR(""), number_of(port), node_port(port));
}

static void add_node_port(lw_port_index *index, int64_t number)
{
    if (number != 0)
        (void)lw_port_index_add(index, LW_STR(""), number, number);
}

static bool has_node_port(const lw_port_index *index, int64_t number)
{
    return lw_port_index_find(index, LW_STR(""), number) != 0;
}

/* Initialises the index of the node ports of |ports|, with space for |more|. */
static void index_node_ports(lw_port_index *index, port_list ports, size_t more)
{
    lw_port_index_init(index, ports.count + more);
    for (size_t i = 0; i < ports.count; i++)
        add_node_port(index, node_port(port_at(ports, i)));
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
    char why[LW_NODE_PORTS_REASON_SIZE] = "range is full";
    int64_t drawn = *wanted != 0 ? *wanted : lw_node_ports_allocate(taken);
    bool is_taken = *wanted != 0 ? lw_node_ports_take(taken, *wanted) : drawn != 0;
    if (!is_taken && *wanted != 0)
        lw_node_ports_explain(taken, *wanted, why);
    if (!is_taken)
        add_number_error(errors, field, *wanted, why);
    *wanted = drawn;
    return is_taken;
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

/* Ports with the same number, which differ in their protocol, share a node port: that of an earlier
 * port (|seen|), or the one that the client wants for any of them (|sent|). */
static bool assign_shared(lw_pending_object *pending, lw_node_ports *taken, const lw_node *spec,
                          const lw_port_index *sent, lw_port_index *seen, lw_api_status *errors)
{
    port_list ports = ports_of(spec);
    for (size_t i = 0; i < ports.count; i++) {
        lw_node *port = port_at(ports, i);
        int64_t wanted = node_port(port);
        int64_t shared = lw_port_index_find(seen, LW_STR(""), number_of(port));
        if (wanted == 0 && !needs_ports(spec))
            continue;
        if (shared != 0 && (wanted == 0 || wanted == shared)) {
            lw_fields_set_int(pending->tree, port, "nodePort", shared);
            continue;
        }
        if (shared == 0)
            wanted = lw_port_index_find(sent, LW_STR(""), number_of(port));
        if (!assign(pending, taken, ports, i, wanted, errors))
            return false;
        add_by_number(seen, port);
    }
    return true;
}

static bool assign_new(lw_pending_object *pending, lw_node_ports *taken, const lw_node *spec,
                       lw_api_status *errors)
{
    port_list ports = ports_of(spec);
    lw_port_index sent, seen;
    lw_port_index_init(&sent, ports.count);
    lw_port_index_init(&seen, ports.count);
    for (size_t i = 0; i < ports.count; i++)
        add_by_number(&sent, port_at(ports, i));
    bool is_assigned = assign_shared(pending, taken, spec, &sent, &seen, errors);
    lw_pending_object_note(pending, lw_port_index_done(&sent));
    lw_pending_object_note(pending, lw_port_index_done(&seen));
    return is_assigned;
}

static bool assign_changed(lw_pending_object *pending, lw_node_ports *taken, const lw_node *spec,
                           const lw_node *old, lw_api_status *errors)
{
    port_list ports = ports_of(spec);
    lw_port_index had; /* by the old ports, and by those that come first */
    bool is_assigned = true;
    index_node_ports(&had, ports_of(old), ports.count);
    for (size_t i = 0; i < ports.count && is_assigned; i++) {
        int64_t wanted = node_port(port_at(ports, i));
        bool is_had = wanted != 0 && has_node_port(&had, wanted);
        bool is_left_out = wanted == 0 && !needs_ports(spec);
        is_assigned = is_had || is_left_out || assign(pending, taken, ports, i, wanted, errors);
        add_node_port(&had, node_port(port_at(ports, i)));
    }
    lw_pending_object_note(pending, lw_port_index_done(&had));
    return is_assigned;
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
    lw_port_index names, used;
    lw_port_index_init(&names, before.count);
    for (size_t i = before.count; i-- > 0;) { /* of equal names the last one counts */
        const lw_node *port = port_at(before, i);
        (void)lw_port_index_add(&names, lw_fields_text(port, "name"), 0, node_port(port));
    }
    index_node_ports(&used, ports, ports.count);
    for (size_t i = 0; i < ports.count; i++) {
        lw_node *port = port_at(ports, i);
        int64_t previous = lw_port_index_find(&names, lw_fields_text(port, "name"), 0);
        if (node_port(port) != 0 || previous == 0 || has_node_port(&used, previous))
            continue;
        lw_fields_set_int(pending->tree, port, "nodePort", previous);
        add_node_port(&used, previous);
    }
    lw_pending_object_note(pending, lw_port_index_done(&names));
    lw_pending_object_note(pending, lw_port_index_done(&used));
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

/* Returns true if the client has not set other node ports than the old ones. */
static bool are_node_ports_old(lw_pending_object *pending, const lw_node *spec, const lw_node *old)
{
    port_list ports = ports_of(spec);
    lw_port_index before;
    bool is_same = true;
    index_node_ports(&before, ports_of(old), 0);
    for (size_t i = 0; i < ports.count && is_same; i++) {
        int64_t number = node_port(port_at(ports, i));
        is_same = number == 0 || has_node_port(&before, number);
    }
    lw_pending_object_note(pending, lw_port_index_done(&before));
    return is_same;
}

/* Removes node ports that are no longer needed and that the client has not changed. */
static void release(lw_pending_object *pending, lw_node *spec, const lw_node *old)
{
    port_list ports = ports_of(spec);
    bool is_released = has_ports(old) && !has_ports(spec) && are_node_ports_old(pending, spec, old);
    for (size_t i = 0; i < ports.count && is_released; i++)
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
    release(pending, spec, old);
    if (!has_ports(spec) || !read_taken_ports(pending, &taken))
        return;
    if (assign_changed(pending, &taken, spec, old, errors) && needs_health_port(spec) &&
        !needs_health_port(old))
        assign_health_port(pending, &taken, spec, errors);
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
    lw_port_index known;
    lw_port_index_init(&known, ports.count);
    for (size_t i = 0; i < ports.count; i++) {
        const lw_node *port = port_at(ports, i);
        int64_t number = node_port(port);
        if (number == 0 ||
            lw_port_index_add(&known, lw_fields_text(port, "protocol"), number, number))
            continue;
        (void)snprintf(field, sizeof(field), "spec.ports[%zu].nodePort", i);
        add_duplicate_error(errors, field, number);
    }
    if (lw_port_index_done(&known) < 0 && errors->st == LW_OK)
        errors->st = LW_ERR_NOMEM;
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
