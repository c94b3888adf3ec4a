/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_ip.c -- allocates cluster IPs for services. */
#include "api/allocation/cluster_ip.h"

#include <stdio.h>

#include "api/context/cache_lookup.h"
#include "base/alloc.h"
#include "base/random.h"
#include "base/str.h"
#include "schema/kinds/kinds.h"

enum {
    RANDOM_ATTEMPTS = 64, /* random attempts before addresses are searched in order */
    SELECTOR_SIZE = 64,   /* "spec.clusterIP=10.96.255.254" */
    RESERVED_MIN = 16,    /* limits of the low end that is reserved, and its share of the range */
    RESERVED_MAX = 256,
    RESERVED_SHARE = 16,
};

lw_status lw_cluster_ip_is_used(const lw_api *api, const lw_kind *services, lw_str ip,
                                bool *is_used)
{
    char text[SELECTOR_SIZE];
    lw_field_selector *selector = NULL;
    lw_cache_list list = { 0 };
    lw_object *reserved = NULL;
    if (lw_lookup(lw_api_resource(api, &lw_kind_ipaddresses), (lw_key){ LW_STR(""), ip },
                  &reserved) == LW_OK &&
        reserved) {
        lw_object_unref(reserved);
        *is_used = true;
        return LW_OK;
    }
    (void)snprintf(text, sizeof(text), "spec.clusterIP=%.*s", LW_STR_ARG(ip));
    lw_status st = lw_field_selector_parse(&selector, lw_str_of(text), NULL);
    if (st < 0)
        return st;
    const lw_cache_filter filter = { .fields = selector,
                                     .fields_match = lw_kind_fields_match,
                                     .fields_arg = services };
    st = lw_cache_list_now(lw_api_resource(api, services), &filter, LW_STR(""), 1, &list, NULL);
    if (st == LW_OK) {
        *is_used = list.count > 0;
        lw_cache_list_done(&list);
    }
    lw_field_selector_free(selector);
    return st;
}

static void print_host(const lw_api *api, uint32_t host, char ip[LW_CLUSTER_IP_SIZE])
{
    uint32_t address = api->service_ranges.ip_first + host;
    (void)snprintf(ip, LW_CLUSTER_IP_SIZE, "%u.%u.%u.%u", address >> 24, address >> 16 & 255,
                   address >> 8 & 255, address & 255);
}

void lw_cluster_ip_first(const lw_api *api, char ip[LW_CLUSTER_IP_SIZE])
{
    print_host(api, 1, ip);
}

/* The number of addresses for services: all but that of the network and the broadcast. */
static uint32_t host_count(const lw_api *api)
{
    return (UINT32_C(1) << (32 - api->service_ranges.ip_bits)) - 2;
}

/* Sets |*host| to the place of |ip|, an IPv4 address, in the range; false: it is not in it. */
static bool host_of(const lw_api *api, lw_str ip, uint32_t *host)
{
    uint32_t address = 0;
    lw_str part;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t value;
        (void)lw_str_cut(ip, '.', &part, &ip);
        if (!lw_str_to_uint64(part, &value))
            return false;
        address = address << 8 | (uint32_t)(value & 255);
    }
    *host = address - api->service_ranges.ip_first;
    return *host >= 1 && *host <= host_count(api);
}

static lw_status try_random(const lw_api *api, const lw_kind *services, uint32_t first,
                            uint32_t count, char ip[LW_CLUSTER_IP_SIZE])
{
    lw_random random;
    bool is_used = true;
    lw_random_init_from_os(&random);
    for (unsigned i = 0; i < RANDOM_ATTEMPTS; i++) {
        print_host(api, first + (uint32_t)lw_random_below(&random, count), ip);
        lw_status st = lw_cluster_ip_is_used(api, services, lw_str_of(ip), &is_used);
        if (st < 0 || !is_used)
            return st;
    }
    return LW_ERR_LIMIT;
}

static void mark_used(const lw_api *api, const lw_cache_list *list, bool *used)
{
    for (size_t i = 0; i < list->count; i++) {
        lw_str ip = lw_str_of(lw_object_string(list->objects[i], "/spec/clusterIP", ""));
        uint32_t host;
        if (lw_cluster_ip_is_address(ip) && host_of(api, ip, &host))
            used[host] = true;
    }
}

/* Takes the last free address: when the range is nearly full, the low end is used, too. */
static lw_status take_last_free(const lw_api *api, const lw_kind *services,
                                char ip[LW_CLUSTER_IP_SIZE])
{
    const lw_cache_filter all = { .fields = NULL };
    lw_cache_list list = { 0 };
    uint32_t host = host_count(api);
    bool *used = lw_alloc_zero((size_t)host + 1, sizeof(*used));
    if (!used)
        return LW_ERR_NOMEM;
    lw_status st =
        lw_cache_list_now(lw_api_resource(api, services), &all, LW_STR(""), 0, &list, NULL);
    if (st == LW_OK) {
        mark_used(api, &list, used);
        lw_cache_list_done(&list);
        while (host > 0 && used[host])
            host--;
        print_host(api, host, ip);
        st = host > 0 ? LW_OK : LW_ERR_LIMIT;
    }
    lw_free(used);
    return st;
}

lw_status lw_cluster_ip_allocate(const lw_api *api, const lw_kind *services,
                                 char ip[LW_CLUSTER_IP_SIZE])
{
    uint32_t count = host_count(api), reserved = count / RESERVED_SHARE;
    reserved = reserved < RESERVED_MIN   ? RESERVED_MIN
               : reserved > RESERVED_MAX ? RESERVED_MAX
                                         : reserved;
    if (reserved >= count)
        reserved = 0;
    lw_status st = try_random(api, services, 1 + reserved, count - reserved, ip);
    return st == LW_ERR_LIMIT ? take_last_free(api, services, ip) : st;
}

bool lw_cluster_ip_is_in_range(const lw_api *api, lw_str ip)
{
    uint32_t host;
    return host_of(api, ip, &host);
}

bool lw_cluster_ip_is_address(lw_str ip)
{
    lw_str part;
    for (unsigned i = 0; i < 4; i++) {
        uint64_t value;
        bool more = lw_str_cut(ip, '.', &part, &ip);
        if (more != (i < 3) || part.len > 3 || !lw_str_to_uint64(part, &value) || value > 255)
            return false;
    }
    return true;
}
