/* SPDX-License-Identifier: Apache-2.0 */
/* node_port.c -- allocates node ports for services. */
#include "api/allocation/node_port.h"

#include <stdio.h>

#include "base/random.h"
#include "base/str.h"
#include "json/cursor.h"

enum {
    /* Limits of the low end, for services that request a specific port, and its share of the
     * range. */
    RESERVED_MIN = 16,
    RESERVED_MAX = 128,
    RESERVED_SHARE = 32,
};

static bool is_in_range(const lw_node_ports *ports, int64_t port)
{
    return port >= ports->range->port_min && port <= ports->range->port_max;
}

static bool is_taken(const lw_node_ports *ports, uint32_t port)
{
    return ports->taken[port / 64] >> port % 64 & 1;
}

static void set_taken(lw_node_ports *ports, uint32_t port)
{
    ports->taken[port / 64] |= UINT64_C(1) << port % 64;
}

static void note_port(lw_node_ports *ports, lw_str text)
{
    uint64_t port;
    if (lw_str_to_uint64(text, &port) && port <= UINT16_MAX)
        set_taken(ports, (uint32_t)port);
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
    *ports = (lw_node_ports){ .range = &api->service_ranges };
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

bool lw_node_ports_take(lw_node_ports *ports, int64_t port)
{
    if (!is_in_range(ports, port) || is_taken(ports, (uint32_t)port))
        return false;
    set_taken(ports, (uint32_t)port);
    return true;
}

void lw_node_ports_explain(const lw_node_ports *ports, int64_t port,
                           char out[LW_NODE_PORTS_REASON_SIZE])
{
    if (is_in_range(ports, port))
        (void)snprintf(out, LW_NODE_PORTS_REASON_SIZE, "provided port is already allocated");
    else
        (void)snprintf(out, LW_NODE_PORTS_REASON_SIZE,
                       "provided port is not in the valid range. The range of valid ports is %s",
                       ports->range->port_text);
}

/* Returns a free port of |count| ports from |first| on: the next one after a random position. */
static int64_t allocate_from(lw_node_ports *ports, uint32_t first, uint32_t count)
{
    lw_random random;
    lw_random_init_from_os(&random);
    uint32_t start = count > 0 ? (uint32_t)lw_random_below(&random, count) : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t port = first + (start + i) % count;
        if (!is_taken(ports, port)) {
            set_taken(ports, port);
            return (int64_t)port;
        }
    }
    return 0;
}

int64_t lw_node_ports_allocate(lw_node_ports *ports)
{
    uint32_t count = (uint32_t)(ports->range->port_max - ports->range->port_min) + 1;
    uint32_t reserved = count / RESERVED_SHARE;
    reserved = reserved < RESERVED_MIN   ? RESERVED_MIN
               : reserved > RESERVED_MAX ? RESERVED_MAX
                                         : reserved;
    if (reserved >= count)
        reserved = 0;
    int64_t port = allocate_from(ports, ports->range->port_min + reserved, count - reserved);
    return port ? port : allocate_from(ports, ports->range->port_min, reserved);
}
