/* SPDX-License-Identifier: Apache-2.0 */
/* lease.c -- the rules of a coordination.k8s.io Lease. */
#include "runtime/lease.h"

#include <stdio.h>
#include <string.h>

lw_lease_times lw_lease_times_of(int lease_s)
{
    int64_t duration = (lease_s > 0 ? lease_s : 15) * LW_NS_PER_S;
    return (lw_lease_times){ duration, duration / 15 * 10, duration / 15 * 2 };
}

void lw_lease_look(lw_lease_view *view, const lw_object *lease, int64_t now_ns)
{
    const char *version = lw_object_resource_version(lease);
    if (view->seen_ns != 0 && strcmp(view->version, version) == 0)
        return;
    (void)snprintf(view->version, sizeof(view->version), "%s", version);
    (void)snprintf(view->holder, sizeof(view->holder), "%s",
                   lw_object_string(lease, "/spec/holderIdentity", ""));
    view->duration_ns = lw_object_int(lease, "/spec/leaseDurationSeconds", 0) * LW_NS_PER_S;
    view->seen_ns = now_ns;
}

bool lw_lease_may_take(const lw_lease_view *view, const char *identity, int64_t now_ns)
{
    return view->holder[0] == '\0' || strcmp(view->holder, identity) == 0 ||
           now_ns - view->seen_ns >= view->duration_ns;
}

void lw_lease_take(lw_document *doc, const char *identity, const lw_lease_times *times,
                   int64_t wall_ns)
{
    char now[LW_TIME_TEXT_SIZE];
    const char *before = lw_document_string(doc, NULL, "/spec/holderIdentity", NULL);
    int64_t transitions = lw_document_int(doc, NULL, "/spec/leaseTransitions", 0);
    bool is_change = !before || strcmp(before, identity) != 0;
    lw_time_format_micro_ns(now, wall_ns);
    lw_document_set_string(doc, NULL, "/apiVersion", "coordination.k8s.io/v1");
    lw_document_set_string(doc, NULL, "/kind", "Lease");
    lw_document_set_string(doc, NULL, "/spec/holderIdentity", identity);
    lw_document_set_int(doc, NULL, "/spec/leaseDurationSeconds", times->duration_ns / LW_NS_PER_S);
    lw_document_set_string(doc, NULL, "/spec/renewTime", now);
    if (is_change)
        lw_document_set_string(doc, NULL, "/spec/acquireTime", now);
    lw_document_set_int(doc, NULL, "/spec/leaseTransitions", transitions + (before && is_change));
}

void lw_lease_release(lw_document *doc, int64_t wall_ns)
{
    char now[LW_TIME_TEXT_SIZE];
    lw_time_format_micro_ns(now, wall_ns);
    lw_document_set_string(doc, NULL, "/spec/holderIdentity", "");
    lw_document_set_int(doc, NULL, "/spec/leaseDurationSeconds", 1);
    lw_document_set_string(doc, NULL, "/spec/renewTime", now);
    lw_document_set_string(doc, NULL, "/spec/acquireTime", now);
}
