/* SPDX-License-Identifier: Apache-2.0 */
/* pod_load.c -- the resources and host ports that a pod uses. */
#include "scheduler/pod_load.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "runtime/fields.h"

static int64_t sum(int64_t a, int64_t b)
{
    return a > INT64_MAX - b ? INT64_MAX : a + b;
}

static int64_t larger(int64_t a, int64_t b)
{
    return a > b ? a : b;
}

void lw_resources_add(lw_resources *a, const lw_resources *b)
{
    a->cpu = sum(a->cpu, b->cpu);
    a->memory = sum(a->memory, b->memory);
    a->storage = sum(a->storage, b->storage);
}

void lw_resources_subtract(lw_resources *a, const lw_resources *b)
{
    a->cpu -= b->cpu;
    a->memory -= b->memory;
    a->storage -= b->storage;
}

static void raise_to(lw_resources *a, const lw_resources *b)
{
    a->cpu = larger(a->cpu, b->cpu);
    a->memory = larger(a->memory, b->memory);
    a->storage = larger(a->storage, b->storage);
}

/* Limits absurd amounts, which fit nowhere anyway, so that the sums of a node stay exact. */
static lw_resources capped(lw_resources r)
{
    const int64_t most = INT64_C(1) << 50;
    return (lw_resources){ r.cpu < most ? r.cpu : most, r.memory < most ? r.memory : most,
                           r.storage < most ? r.storage : most };
}

/* Reads a map of amounts at the iterator's items. */
static lw_resources amounts_of(lw_iter amount)
{
    lw_resources r = { 0, 0, 0 };
    while (lw_iter_next(&amount)) {
        if (lw_text_is(amount.key, "cpu"))
            r.cpu = lw_item_milli(&amount, "");
        else if (lw_text_is(amount.key, "memory"))
            r.memory = lw_item_units(&amount, "");
        else if (lw_text_is(amount.key, "ephemeral-storage"))
            r.storage = lw_item_units(&amount, "");
    }
    return r;
}

static lw_resources requests_of(const lw_iter *container)
{
    return amounts_of(lw_iter_enter(container, "/resources/requests"));
}

static lw_resources requests_of_pod(const lw_object *pod)
{
    lw_resources together = { 0, 0, 0 }; /* containers and sidecars */
    lw_resources sidecars = { 0, 0, 0 };
    lw_resources peak = { 0, 0, 0 }; /* maximum before the containers run */
    lw_iter container = lw_object_iter(pod, "/spec/containers");
    while (lw_iter_next(&container)) {
        lw_resources r = requests_of(&container);
        lw_resources_add(&together, &r);
    }
    container = lw_object_iter(pod, "/spec/initContainers");
    while (lw_iter_next(&container)) {
        lw_resources r = requests_of(&container);
        if (lw_text_is(lw_item_text(&container, "/restartPolicy"), "Always")) {
            lw_resources_add(&together, &r);
            lw_resources_add(&sidecars, &r);
            raise_to(&peak, &sidecars);
        } else {
            lw_resources_add(&r, &sidecars);
            raise_to(&peak, &r);
        }
    }
    raise_to(&together, &peak);
    lw_resources overhead = amounts_of(lw_object_iter(pod, "/spec/overhead"));
    lw_resources_add(&together, &overhead);
    return capped(together);
}

/* Reads a port; false: it has no host port. */
static bool read_port(const lw_iter *from, lw_host_port *out)
{
    int64_t port = lw_item_units(from, "/hostPort");
    if (port <= 0 || port > UINT16_MAX)
        return false;
    lw_str protocol = lw_item_text(from, "/protocol");
    lw_str address = lw_item_text(from, "/hostIP");
    out->port = (int)port;
    out->protocol = protocol.len > 0 ? protocol.ptr[0] : 'T';
    if (lw_text_is(address, "0.0.0.0"))
        address.len = 0;
    lw_text_copy(address, out->address, sizeof(out->address));
    return true;
}

static lw_status read_ports(lw_pod_load *load, const lw_object *pod)
{
    lw_host_port found[LW_POD_PORTS_MAX];
    size_t count = 0;
    lw_iter container = lw_object_iter(pod, "/spec/containers");
    while (lw_iter_next(&container)) {
        lw_iter port = lw_iter_enter(&container, "/ports");
        while (lw_iter_next(&port)) {
            if (count < LW_POD_PORTS_MAX && read_port(&port, &found[count]))
                count++;
        }
    }
    if (count == 0)
        return LW_OK;
    load->ports = malloc(count * sizeof(*load->ports));
    if (!load->ports)
        return LW_ERR_NOMEM;
    memcpy(load->ports, found, count * sizeof(*load->ports));
    load->port_count = count;
    return LW_OK;
}

lw_status lw_pod_load_read(lw_pod_load *load, const lw_object *pod)
{
    *load = (lw_pod_load){ requests_of_pod(pod), NULL, 0 };
    return read_ports(load, pod);
}

void lw_pod_load_done(lw_pod_load *load)
{
    free(load->ports);
    *load = (lw_pod_load){ { 0, 0, 0 }, NULL, 0 };
}

bool lw_host_port_collides(const lw_host_port *a, const lw_host_port *b)
{
    return a->port == b->port && a->protocol == b->protocol &&
           (a->address[0] == '\0' || b->address[0] == '\0' || strcmp(a->address, b->address) == 0);
}
