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

static lw_resources requests_of(const lw_object *pod, const char *list, size_t i)
{
    lw_resources r = { 0, 0, 0 };
    if (!lw_read_has(pod, "/spec/%s/%zu/resources/requests", list, i))
        return r;
    r.cpu = lw_read_milli(pod, "/spec/%s/%zu/resources/requests/cpu", list, i);
    r.memory = lw_read_units(pod, "/spec/%s/%zu/resources/requests/memory", list, i);
    r.storage = lw_read_units(pod, "/spec/%s/%zu/resources/requests/ephemeral-storage", list, i);
    return r;
}

static lw_resources requests_of_pod(const lw_object *pod)
{
    lw_resources together = { 0, 0, 0 }; /* containers and sidecars */
    lw_resources sidecars = { 0, 0, 0 };
    lw_resources peak = { 0, 0, 0 }; /* maximum before the containers run */
    for (size_t i = 0; lw_read_has(pod, "/spec/containers/%zu", i); i++) {
        lw_resources r = requests_of(pod, "containers", i);
        lw_resources_add(&together, &r);
    }
    for (size_t i = 0; lw_read_has(pod, "/spec/initContainers/%zu", i); i++) {
        lw_resources r = requests_of(pod, "initContainers", i);
        lw_str policy = lw_read_text(pod, "/spec/initContainers/%zu/restartPolicy", i);
        if (lw_text_is(policy, "Always")) {
            lw_resources_add(&together, &r);
            lw_resources_add(&sidecars, &r);
            raise_to(&peak, &sidecars);
        } else {
            lw_resources_add(&r, &sidecars);
            raise_to(&peak, &r);
        }
    }
    raise_to(&together, &peak);
    if (lw_read_has(pod, "/spec/overhead")) {
        lw_resources overhead = { lw_read_milli(pod, "/spec/overhead/cpu"),
                                  lw_read_units(pod, "/spec/overhead/memory"),
                                  lw_read_units(pod, "/spec/overhead/ephemeral-storage") };
        lw_resources_add(&together, &overhead);
    }
    return capped(together);
}

/* Parses port |j| of container |i|; false: it has no host port. */
static bool read_port(const lw_object *pod, size_t i, size_t j, lw_host_port *out)
{
    int64_t port = lw_read_units(pod, "/spec/containers/%zu/ports/%zu/hostPort", i, j);
    lw_str protocol = lw_read_text(pod, "/spec/containers/%zu/ports/%zu/protocol", i, j);
    lw_str address = lw_read_text(pod, "/spec/containers/%zu/ports/%zu/hostIP", i, j);
    if (port <= 0 || port > UINT16_MAX)
        return false;
    out->port = (int)port;
    out->protocol = protocol.len > 0 ? protocol.ptr[0] : 'T';
    if (lw_text_is(address, "0.0.0.0"))
        address.len = 0;
    (void)snprintf(out->address, sizeof(out->address), "%.*s", (int)address.len, address.ptr);
    return true;
}

static lw_status read_ports(lw_pod_load *load, const lw_object *pod)
{
    lw_host_port found[LW_POD_PORTS_MAX];
    size_t count = 0;
    for (size_t i = 0; lw_read_has(pod, "/spec/containers/%zu", i); i++) {
        for (size_t j = 0; lw_read_has(pod, "/spec/containers/%zu/ports/%zu", i, j); j++) {
            if (count < LW_POD_PORTS_MAX && read_port(pod, i, j, &found[count]))
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
