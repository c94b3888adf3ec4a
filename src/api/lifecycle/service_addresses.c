/* SPDX-License-Identifier: Apache-2.0 */
/* service_addresses.c -- makes and removes IPAddress objects.
 *
 * The keys of the scheduler are of two sorts: "namespace/name" of a Service, which gets the object
 * of its address, and the name of an IPAddress, which is removed if its Service does not have it
 * (any more).  A name has no '/'. */
#include "api/lifecycle/service_addresses.h"

#include <stdio.h>
#include <string.h>

#include "api/allocation/cluster_ip.h"
#include "api/context/cache_lookup.h"
#include "api/context/key_scheduler.h"
#include "api/write/change.h"
#include "api/write/deletion.h"
#include "base/alloc.h"
#include "base/clock.h"
#include "base/container_of.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"
#include "json/fields.h"

enum {
    KEYS_MAX = 1 << 20,
    RUNNING_MAX = 4, /* at once */
    NAME_SIZE = 512, /* of "namespace/name" */
};

#define RETRY_NS   LW_NS_PER_S
#define MANAGED_BY "/metadata/labels/ipaddress.kubernetes.io~1managed-by"

typedef struct address_key {
    lw_scheduled_key key; /* first */
    int64_t not_before_ns;
} address_key;

/* A write that runs. */
typedef struct pass {
    lw_write write;
    lw_scheduled_key *key;
    char ip[LW_CLUSTER_IP_SIZE];
} pass;

struct lw_service_addresses {
    lw_api_port *port;
    lw_key_scheduler keys; /* of address_key */
};

/* The address of |service|, or "". */
static const char *ip_of(const lw_object *service)
{
    const char *ip = lw_object_string(service, "/spec/clusterIP", "");
    return lw_cluster_ip_is_address(lw_str_of(ip)) ? ip : "";
}

static lw_object *find_service(const lw_api *api, lw_str ns, lw_str name)
{
    lw_object *service = NULL;
    const lw_key key = { ns, name };
    if (lw_lookup(lw_api_resource(api, &lw_kind_services), key, &service) < 0)
        return NULL;
    return service;
}

static void pass_over(lw_scheduled_key *key, bool has_failed)
{
    address_key *k = (address_key *)(void *)key;
    k->not_before_ns = has_failed ? lw_key_scheduler_now(key->scheduler) + RETRY_NS : 0;
    lw_key_scheduler_pass_over(key, has_failed);
}

static void pass_done(lw_write *write)
{
    pass *p = LW_CONTAINER_OF(write, pass, write);
    lw_scheduled_key *key = p->key;
    bool has_failed = write->outcome == LW_WRITE_REFUSE;
    lw_write_release(write);
    lw_free(p);
    pass_over(key, has_failed);
}

/* Makes the IPAddress of the Service "namespace/name". */
static lw_write_decision create_decide(lw_write *write)
{
    static const char blank[] =
        "{\"apiVersion\":\"networking.k8s.io/v1\",\"kind\":\"IPAddress\",\"metadata\":{\"labels\":{"
        "\"ipaddress.kubernetes.io/ip-family\":\"IPv4\","
        "\"ipaddress.kubernetes.io/managed-by\":\"ipallocator.k8s.io\"}},\"spec\":{\"parentRef\":{"
        "\"group\":\"\",\"resource\":\"services\"}}}";
    const pass *p = LW_CONTAINER_OF(write, pass, write);
    lw_tree *tree = NULL;
    lw_str ns, name;
    if (write->current)
        return LW_WRITE_KEEP;
    lw_status st = lw_tree_parse(&tree, lw_str_of(blank), 0, NULL);
    if (st < 0)
        return lw_write_fail(write, st);
    (void)lw_str_cut(p->key->name, '/', &ns, &name);
    lw_node *parent = lw_fields_find(lw_tree_root(tree), "/spec/parentRef");
    lw_fields_set_text(tree, parent, "namespace", ns);
    lw_fields_set_text(tree, parent, "name", name);
    lw_fields_set_text(tree, lw_node_get(lw_tree_root(tree), LW_STR("metadata")), "name",
                       write->key.name);
    st = lw_tree_status(tree);
    const lw_change change = { .body = lw_tree_root(tree) };
    lw_write_decision decision =
        st < 0 ? lw_write_fail(write, st) : lw_change_create(write, &change);
    lw_tree_free(tree);
    return decision;
}

/* Returns true if the Service that |address| names has it. */
static bool is_in_use(const lw_api *api, const lw_object *address)
{
    lw_object *service =
        find_service(api, lw_str_of(lw_object_string(address, "/spec/parentRef/namespace", "")),
                     lw_str_of(lw_object_string(address, "/spec/parentRef/name", "")));
    bool is_used = service && strcmp(ip_of(service), lw_object_name(address)) == 0;
    lw_object_unref(service);
    return is_used;
}

/* True if the server has made |address|, for a Service. */
static bool is_managed(const lw_object *address)
{
    return strcmp(lw_object_string(address, MANAGED_BY, ""), "ipallocator.k8s.io") == 0 &&
           strcmp(lw_object_string(address, "/spec/parentRef/resource", ""), "services") == 0;
}

static lw_write_decision remove_decide(lw_write *write)
{
    static const lw_api_delete_options at_once = { .propagation = LW_PROPAGATION_BACKGROUND };
    if (!write->current || !is_managed(write->current) ||
        is_in_use(write->port->api, write->current))
        return LW_WRITE_KEEP;
    return lw_deletion_decide(write, &at_once);
}

/* Sets |ip| to the address of the Service "namespace/name"; false: it has none. */
static bool find_ip(const lw_api *api, lw_str service, char ip[LW_CLUSTER_IP_SIZE])
{
    lw_str ns, name;
    (void)lw_str_cut(service, '/', &ns, &name);
    lw_object *found = find_service(api, ns, name);
    (void)snprintf(ip, LW_CLUSTER_IP_SIZE, "%s", found ? ip_of(found) : "");
    lw_object_unref(found);
    return ip[0] != '\0';
}

static void pass_start(lw_scheduled_key *key)
{
    const lw_service_addresses *addresses =
        LW_CONTAINER_OF(key->scheduler, lw_service_addresses, keys);
    bool is_service = memchr(key->name.ptr, '/', key->name.len) != NULL;
    pass *p = lw_alloc_zero(1, sizeof(*p));
    if (!p || (is_service && !find_ip(addresses->port->api, key->name, p->ip))) {
        bool has_failed = !p;
        lw_free(p);
        pass_over(key, has_failed);
        return;
    }
    p->key = key;
    p->write = (lw_write){ .port = addresses->port,
                           .kind = &lw_kind_ipaddresses,
                           .key = { LW_STR(""), is_service ? lw_str_of(p->ip) : key->name },
                           .decide = is_service ? create_decide : remove_decide,
                           .done = pass_done };
    lw_write_start(&p->write);
}

static int64_t ready_ns(const lw_scheduled_key *key)
{
    return ((const address_key *)(const void *)key)->not_before_ns;
}

static const lw_key_scheduler_type passes = {
    .entry_size = sizeof(address_key),
    .keys_max = KEYS_MAX,
    .running_max = RUNNING_MAX,
    .ready_ns = ready_ns,
    .start = pass_start,
};

lw_status lw_service_addresses_new(lw_service_addresses **out, lw_api_port *port)
{
    lw_service_addresses *addresses = lw_alloc_zero(1, sizeof(*addresses));
    if (!addresses)
        return LW_ERR_NOMEM;
    addresses->port = port;
    lw_key_scheduler_init(&addresses->keys, &passes, port->loop);
    *out = addresses;
    return LW_OK;
}

/* Makes |name| due; with |is_gone| it is forgotten instead. */
static lw_status touch(lw_service_addresses *addresses, lw_str name, bool is_gone)
{
    lw_scheduled_key *known = lw_key_scheduler_find(&addresses->keys, name);
    if (is_gone) {
        if (known)
            lw_key_scheduler_remove(known);
        return LW_OK;
    }
    known = known ? known : lw_key_scheduler_add(&addresses->keys, name);
    if (!known)
        return LW_ERR_NOMEM;
    lw_key_scheduler_want(known);
    return LW_OK;
}

static lw_str key_of_service(char text[NAME_SIZE], const char *ns, const char *name)
{
    (void)snprintf(text, NAME_SIZE, "%s/%s", ns, name);
    return lw_str_of(text);
}

static lw_status observe_service(lw_service_addresses *addresses, const lw_cache_event *event)
{
    char text[NAME_SIZE];
    const lw_object *service = event->object;
    bool is_gone = event->type == LW_WATCH_DELETED;
    const char *ip = ip_of(service);
    lw_status st =
        touch(addresses,
              key_of_service(text, lw_object_namespace(service), lw_object_name(service)), is_gone);
    /* A Service that has no address any more does not say which one it had. */
    if (event->type == LW_WATCH_MODIFIED && ip[0] == '\0')
        lw_key_scheduler_want_all(&addresses->keys);
    return st == LW_OK && is_gone && ip[0] != '\0' ? touch(addresses, lw_str_of(ip), false) : st;
}

/* An IPAddress that was deleted is made again if its Service needs it. */
static lw_status observe_address(lw_service_addresses *addresses, const lw_cache_event *event)
{
    char text[NAME_SIZE];
    const lw_object *address = event->object;
    bool is_gone = event->type == LW_WATCH_DELETED;
    if (!is_managed(address))
        return LW_OK;
    lw_status st = touch(addresses, lw_str_of(lw_object_name(address)), is_gone);
    if (st < 0 || !is_gone)
        return st;
    lw_scheduled_key *service = lw_key_scheduler_find(
        &addresses->keys,
        key_of_service(text, lw_object_string(address, "/spec/parentRef/namespace", ""),
                       lw_object_string(address, "/spec/parentRef/name", "")));
    if (service)
        lw_key_scheduler_want(service);
    return LW_OK;
}

lw_status lw_service_addresses_observe(lw_service_addresses *addresses, const lw_kind *kind,
                                       const lw_cache_event *event)
{
    if (!addresses)
        return LW_OK;
    if (kind == &lw_kind_services)
        return observe_service(addresses, event);
    return kind == &lw_kind_ipaddresses ? observe_address(addresses, event) : LW_OK;
}

void lw_service_addresses_pump(lw_service_addresses *addresses)
{
    if (addresses)
        lw_key_scheduler_pump(&addresses->keys);
}

void lw_service_addresses_forget(lw_service_addresses *addresses)
{
    if (addresses)
        lw_key_scheduler_forget(&addresses->keys);
}

void lw_service_addresses_stop(lw_service_addresses *addresses)
{
    if (addresses)
        lw_key_scheduler_stop(&addresses->keys);
}

void lw_service_addresses_free(lw_service_addresses *addresses)
{
    if (!addresses)
        return;
    lw_service_addresses_stop(addresses);
    lw_key_scheduler_done(&addresses->keys);
    lw_free(addresses);
}
