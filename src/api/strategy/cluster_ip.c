/* SPDX-License-Identifier: Apache-2.0 */
/* cluster_ip.c -- allocates cluster IPs for services. */
#include "api/strategy/cluster_ip.h"

#include <stdio.h>

#include "base/random.h"
#include "base/str.h"

enum {
    HOSTS = 65534,        /* in a /16 */
    RANDOM_ATTEMPTS = 64, /* random attempts before a free address is searched in order */
    SELECTOR_SIZE = 64,   /* "spec.clusterIP=10.96.255.254" */
    RESERVED_HOSTS = 255, /* at the low end, for services that request a specific address */
};

lw_status lw_cluster_ip_is_used(const lw_api *api, const lw_kind *services, lw_str ip,
                                bool *is_used)
{
    char text[SELECTOR_SIZE];
    lw_field_selector *selector = NULL;
    lw_cache_list list = { 0 };
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

static void print_host(char ip[LW_CLUSTER_IP_SIZE], unsigned host)
{
    (void)snprintf(ip, LW_CLUSTER_IP_SIZE, "10.96.%u.%u", (host >> 8) & 255U, host & 255U);
}

lw_status lw_cluster_ip_allocate(const lw_api *api, const lw_kind *services,
                                 char ip[LW_CLUSTER_IP_SIZE])
{
    lw_random random;
    bool is_used = true;
    lw_random_init_from_os(&random);
    for (unsigned i = 0; i < RANDOM_ATTEMPTS; i++) {
        unsigned host =
            1 + RESERVED_HOSTS + (unsigned)lw_random_below(&random, HOSTS - RESERVED_HOSTS);
        print_host(ip, host);
        lw_status st = lw_cluster_ip_is_used(api, services, lw_str_of(ip), &is_used);
        if (st < 0)
            return st;
        if (!is_used)
            return LW_OK;
    }
    return LW_ERR_LIMIT;
}

bool lw_cluster_ip_is_in_range(lw_str ip)
{
    return lw_str_starts_with(ip, LW_STR("10.96."));
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
