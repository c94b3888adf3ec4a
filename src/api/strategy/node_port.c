/* SPDX-License-Identifier: Apache-2.0 */
/* node_port.c -- allocates node ports for services. */
#include "api/strategy/node_port.h"

#include "base/random.h"
#include "base/str.h"
#include "json/cursor.h"

enum {
    RESERVED = 86, /* at the low end, for services that request a specific port */
};

static bool is_in_range(int64_t port)
{
    return port >= LW_NODE_PORT_MIN && port <= LW_NODE_PORT_MAX;
}

static void note_port(lw_node_ports *ports, lw_str text)
{
    uint64_t port;
    if (lw_str_to_uint64(text, &port) && port <= LW_NODE_PORT_MAX && is_in_range((int64_t)port))
        ports->is_taken[port - LW_NODE_PORT_MIN] = true;
}

/* Marks the ports in |list|, a spec.ports, as taken. */
static void note_ports(lw_node_ports *ports, lw_str list)
{
    lw_json_cursor c = lw_json_cursor_on(list);
    lw_str key;
    if (lw_json_cursor_type(&c) != LW_JSON_ARRAY)
        return;
    lw_json_cursor_enter(&c);
    while (lw_json_cursor_next_element(&c)) {
        if (lw_json_cursor_type(&c) != LW_JSON_OBJECT) {
            (void)lw_json_cursor_skip(&c);
            continue;
        }
        lw_json_cursor_enter(&c);
        while (lw_json_cursor_next_member(&c, &key)) {
            lw_str value = lw_json_cursor_skip(&c);
            if (lw_str_equal(key, LW_STR("nodePort")))
                note_port(ports, value);
        }
    }
}

static void note_service(lw_node_ports *ports, const lw_object *service)
{
    lw_str raw;
    if (lw_object_raw(service, "/spec/ports", &raw) == LW_OK)
        note_ports(ports, raw);
    if (lw_object_raw(service, "/spec/healthCheckNodePort", &raw) == LW_OK)
        note_port(ports, raw);
}

lw_status lw_node_ports_read(lw_node_ports *ports, const lw_api *api, const lw_kind *services,
                             lw_key but)
{
    lw_field_selector *selector = NULL;
    lw_cache_list list = { 0 };
    *ports = (lw_node_ports){ 0 };
    lw_status st = lw_field_selector_parse(&selector, LW_STR("spec.type!=ClusterIP"), NULL);
    if (st < 0)
        return st;
    const lw_cache_filter filter = { .fields = selector,
                                     .fields_match = lw_kind_fields_match,
                                     .fields_arg = services };
    st = lw_cache_list_now(lw_api_resource(api, services), &filter, LW_STR(""), 0, &list, NULL);
    lw_field_selector_free(selector);
    if (st < 0)
        return st;
    for (size_t i = 0; i < list.count; i++) {
        const lw_object *service = list.objects[i];
        if (!lw_str_equal(lw_str_of(lw_object_name(service)), but.name) ||
            !lw_str_equal(lw_str_of(lw_object_namespace(service)), but.ns))
            note_service(ports, service);
    }
    lw_cache_list_done(&list);
    return LW_OK;
}

const char *lw_node_ports_take(lw_node_ports *ports, int64_t port)
{
    if (!is_in_range(port))
        return "provided port is not in the valid range. The range of valid ports "
               "is " LW_NODE_PORT_RANGE;
    bool *is_taken = &ports->is_taken[port - LW_NODE_PORT_MIN];
    if (*is_taken)
        return "provided port is already allocated";
    *is_taken = true;
    return NULL;
}

/* Returns a free port of |count| ports from |first| on: the next one after a random position. */
static int64_t allocate_from(lw_node_ports *ports, unsigned first, unsigned count)
{
    lw_random random;
    lw_random_init_from_os(&random);
    unsigned start = (unsigned)lw_random_below(&random, count);
    for (unsigned i = 0; i < count; i++) {
        unsigned at = first + (start + i) % count;
        if (!ports->is_taken[at]) {
            ports->is_taken[at] = true;
            return LW_NODE_PORT_MIN + (int64_t)at;
        }
    }
    return 0;
}

int64_t lw_node_ports_allocate(lw_node_ports *ports)
{
    int64_t port = allocate_from(ports, RESERVED, LW_NODE_PORT_COUNT - RESERVED);
    return port ? port : allocate_from(ports, 0, RESERVED);
}
