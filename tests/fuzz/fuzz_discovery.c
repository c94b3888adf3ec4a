/* SPDX-License-Identifier: Apache-2.0 */
/* fuzz_discovery.c -- any reply of a server is read as resources that can be searched, or as an
 * error; each resource found has the names that requests need. */
#include <stdlib.h>

#include "base/str.h"
#include "client/discovery.h"
#include "fuzz/fuzz.h"

static lw_status check_version(lw_str group, lw_str version, uint64_t rank, void *arg,
                               lw_error *err)
{
    (void)rank;
    (void)err;
    if (version.len == 0 || version.len > LW_RESOURCE_NAME_MAX || group.len > LW_RESOURCE_NAME_MAX)
        abort();
    return ++*(size_t *)arg > LW_DISCOVERY_MAX_VERSIONS ? LW_ERR_LIMIT : LW_OK;
}

static void check_found(const lw_resource *found)
{
    if (found &&
        (found->gvr.resource.len == 0 || found->gvr.version.len == 0 || found->kind.len == 0))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    lw_str json = lw_str_make((const char *)data, size);
    lw_resource_set *set = NULL;
    lw_error err = LW_ERROR_INIT;
    size_t versions = 0;
    if (lw_resource_set_new(&set) < 0)
        return 0;
    lw_status st = lw_discovery_read(json, 0, set, check_version, &versions, &err);
    if (st < 0 && st != LW_ERR_LIMIT && err.code != st)
        abort();
    lw_resource_set_order(set);
    check_found(lw_resource_set_find(set, LW_STR("pods")));
    check_found(lw_resource_set_find(set, LW_STR("deploy.v1.apps")));
    check_found(lw_resource_set_find(set, json.len > 64 ? lw_str_make(json.ptr, 64) : json));
    check_found(lw_resource_set_find_kind(set, lw_gvk_make("apps", "", "Deployment")));
    lw_resource_set_free(set);
    return 0;
}
