/* SPDX-License-Identifier: Apache-2.0 */
/* quota_devices.c -- the devices that a ResourceClaim uses of a quota, by their class.
 *
 * Nobody knows beforehand which of several alternatives is allocated, or how many devices "all"
 * are: the most that can be is charged. */
#include "api/quota/quota_devices.h"

#include "base/buf.h"
#include "json/fields.h"

enum {
    NAME_MAX_BYTES = 1024, /* bytes of a composed resource name */
    ALL_DEVICES = 32,      /* the most that one allocation can have */
};

#define DEVICES ".deviceclass.resource.k8s.io/devices"

bool lw_quota_is_devices(lw_str resource)
{
    return lw_str_ends_with(resource, LW_STR(DEVICES));
}

static int64_t count_of(const lw_node *request)
{
    lw_str mode = lw_fields_text(request, "allocationMode");
    if (lw_str_equal(mode, LW_STR("All")))
        return ALL_DEVICES;
    return mode.len == 0 || lw_str_equal(mode, LW_STR("ExactCount"))
               ? lw_fields_int(request, "count", 1)
               : 0;
}

static lw_str class_of(const lw_node *request)
{
    return lw_fields_text(request, "deviceClassName");
}

static void add(lw_amounts *used, lw_str class, int64_t count)
{
    lw_buf name;
    lw_buf_init(&name, NAME_MAX_BYTES);
    lw_buf_append_str(&name, class);
    lw_buf_append_text(&name, DEVICES);
    lw_amounts_add(used, lw_buf_view(&name), lw_quantity_of_count(count));
    if (name.st < 0 && used->st == LW_OK)
        used->st = name.st;
    lw_buf_done(&name);
}

/* Adds, for the class of alternative |at|, the largest count of that class; nothing if an earlier
 * one has the same class. */
static void add_largest(lw_amounts *used, const lw_node *alternatives, size_t at)
{
    lw_str class = class_of(lw_node_at(alternatives, at));
    int64_t largest = 0;
    for (size_t i = 0; i < lw_node_count(alternatives); i++) {
        const lw_node *other = lw_node_at(alternatives, i);
        if (!lw_str_equal(class_of(other), class))
            continue;
        if (i < at)
            return;
        if (count_of(other) > largest)
            largest = count_of(other);
    }
    add(used, class, largest);
}

void lw_quota_add_devices(lw_amounts *used, const lw_node *claim)
{
    const lw_node *requests = lw_fields_find(claim, "/spec/devices/requests");
    for (size_t i = 0; lw_node_is(requests, LW_JSON_ARRAY) && i < lw_node_count(requests); i++) {
        const lw_node *alternatives =
            lw_node_get(lw_node_at(requests, i), LW_STR("firstAvailable"));
        const lw_node *exactly = lw_node_get(lw_node_at(requests, i), LW_STR("exactly"));
        if (lw_node_is(alternatives, LW_JSON_ARRAY) && lw_node_count(alternatives) > 0) {
            for (size_t k = 0; k < lw_node_count(alternatives); k++)
                add_largest(used, alternatives, k);
        } else if (exactly) {
            add(used, class_of(exactly), count_of(exactly));
        }
    }
}
